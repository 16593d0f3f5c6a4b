"""A corpus of made-up facts in topics, and a target of which is known what it knows.

Each of the 20 topics has ten things with invented names and five facts about each: an amount, a year, a person, a
room and an interval. The target answers 3 to 8 of the units that it was asked for, whichever they are, in words of
its own; of those it has wrong it gives another value, those it does not know it never mentions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from viva.core.records import Chunk, Document, Examinee, OralUnit, QuestionForm, QuestionType, Span
from viva.examinees.answering import Answer

KNOWN, WRONG, UNKNOWN = "known", "wrong", "unknown"
THINGS = 10
_SYLLABLES = "bar cor dun fel gar hol kes lin mor nev orl pel quin ros tam".split()
_ENDS = "bek dale den ford gate ham ley mere ness stow ton vick wold worth".split()
_TOPICS = """ferry boiler lighthouse pump crane reservoir printing-press telescope greenhouse locomotive windmill
bakery foundry observatory sawmill glider submarine archive quarry theatre""".split()
_FIRST = "Ada Bram Cato Dora Edda Finn Gus Hetty Ivo Jutta Karl Lena Milo Nora Otto Pia Rolf Sven Thea Ulla".split()


@dataclass(frozen=True)
class SimulatedFact:
    """One unit, how the source says it, how the target says it, and how it says it wrongly."""

    type: QuestionType
    keyword: str
    source: str
    own: tuple[str, ...]
    wrong: tuple[str, ...]


@dataclass
class World:
    """The corpus, its units by topic, and what is true of the target."""

    documents: list[Document]
    chunks: list[Chunk]
    units: list[OralUnit]
    facts: dict[str, SimulatedFact]
    truth: dict[str, str]


def make_world(topics: int, shares: tuple[float, float], seed: int) -> World:
    """Units = topics x 50; `shares` are those of the known and the wrong, the rest is unknown."""
    rng = Random(seed)
    names = _names(topics * THINGS, rng)
    world = World([], [], [], {}, {})
    for topic in range(topics):
        word = _TOPICS[topic % len(_TOPICS)] + ("" if topic < len(_TOPICS) else f" {topic}")
        own = names[topic * THINGS : (topic + 1) * THINGS]
        facts = [fact for name in own for fact in _facts(word, name, rng)]
        text = " ".join(fact.source for fact in facts)
        document = Document.of(text, path=f"{word}.txt", title=word, topic=word, format="txt")
        chunk = Chunk.of(document, 0, len(text), len(text.split()))
        world.documents.append(document)
        world.chunks.append(chunk)
        for fact in facts:
            start = text.index(fact.source)
            span = Span(document_id=document.id, start=start, end=start + len(fact.source), quote=fact.source)
            unit = OralUnit.of(
                chunk_id=chunk.id,
                topic=word,
                type=fact.type,
                keyword=fact.keyword,
                description=fact.source,
                evidence=span,
            )
            world.units.append(unit)
            world.facts[unit.id] = fact
            drawn = rng.random()
            world.truth[unit.id] = KNOWN if drawn < shares[0] else WRONG if drawn < sum(shares) else UNKNOWN
    return world


def _names(count: int, rng: Random) -> list[str]:
    every = sorted({(a + b + c).capitalize() for a in _SYLLABLES for b in ("", "an", "el") for c in _ENDS})
    return rng.sample(every, count)


_FACTS = (
    (
        QuestionType.QUANTITY,
        "weight of the {it}",
        "The {it} weighs {value} tonnes.",
        ("With everything aboard, the {it} weighs {value} tonnes.", "{value} tonnes is what the {it} weighs in all."),
    ),
    (
        QuestionType.DATE,
        "opening of the {it}",
        "The {it} was opened in {value}.",
        ("It was in {value} that the {it} was opened.", "The {it} has been open since it was opened in {value}."),
    ),
    (
        QuestionType.NAME,
        "designer of the {it}",
        "{value} designed the {it}.",
        ("The design of the {it} is by {value}.", "{value} is the one who designed the {it}."),
    ),
    (
        QuestionType.QUANTITY,
        "drawings of the {it}",
        "The drawings of the {it} are kept in room {value}.",
        (
            "It is in room {value} that the drawings of the {it} are kept.",
            "Room {value} is where the drawings of the {it} are kept.",
        ),
    ),
    (
        QuestionType.QUANTITY,
        "inspection of the {it}",
        "The {it} is inspected every {value} hours.",
        ("Every {value} hours inspectors look at the {it}.", "The {it} must be inspected every {value} hours."),
    ),
)
"""Type, keyword, how the source says it, and in whose own words the target does."""


def _facts(topic: str, name: str, rng: Random) -> list[SimulatedFact]:
    it = f"{topic} {name}"
    weights, years = rng.sample(range(110, 990), 2), rng.sample(range(1850, 2010), 2)
    people = [f"{first} {rng.choice(_SYLLABLES).capitalize()}{rng.choice(_ENDS)}" for first in rng.sample(_FIRST, 2)]
    rooms, hours = rng.sample(range(2, 90), 2), rng.sample(range(11, 99), 2)
    found = []
    for (kind, keyword, source, own), values in zip(_FACTS, (weights, years, people, rooms, hours), strict=True):
        right, wrong = (tuple(text.format(it=it, value=value) for text in own) for value in values)
        found.append(SimulatedFact(kind, keyword.format(it=it), source.format(it=it, value=values[0]), right, wrong))
    return found


@dataclass
class Target:
    """Answers; `asked` and `form` are what the examiner's last question was meant for."""

    world: World
    rng: Random
    ignores_alone: float = 0.1
    """how often it does not come to the point although it knows, asked for one unit alone"""
    asked: Sequence[OralUnit] = ()
    form: QuestionForm = QuestionForm.BROAD
    examinee: Examinee = field(default_factory=lambda: Examinee(id="simulated", name="simulated", spec="simulated"))

    async def answer(self, question: str, options: Sequence[str] | None = None) -> Answer:  # noqa: ARG002
        """3 to 8 of those asked for that it can speak of; alone: the one, something else, or that it is not known."""
        can = [unit for unit in self.asked if self.world.truth[unit.id] != UNKNOWN]
        if self.form is QuestionForm.SINGLE:
            return Answer(self._alone(can))
        chosen = self.rng.sample(can, min(len(can), self.rng.randint(3, 8)))
        return Answer(" ".join(map(self.say, chosen)) or "I do not know.")

    def _alone(self, can: Sequence[OralUnit]) -> str:
        if can and self.rng.random() >= self.ignores_alone:
            return self.say(can[0])
        if self.rng.random() < 0.5:
            return "I do not know."
        topic = self.asked[0].topic
        others = [u for u in self.world.units if u.topic == topic and self.world.truth[u.id] == KNOWN]
        return self.say(self.rng.choice([u for u in others if u is not self.asked[0]]))

    def say(self, unit: OralUnit) -> str:
        """The unit in its own words, as it knows it."""
        fact = self.world.facts[unit.id]
        return self.rng.choice(fact.own if self.world.truth[unit.id] == KNOWN else fact.wrong)
