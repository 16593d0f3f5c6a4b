"""Beside what a term means stands what other terms of its class mean, if the corpus says it of them alone."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest
from by_hand import all_near, bank, document, source

from viva.agents.offline.bank import DEFINED, MEANING, Bank
from viva.agents.offline.bank_building import build_bank
from viva.agents.offline.defined import DefinedTerms
from viva.agents.offline.defined_meanings import DefinedMeanings
from viva.agents.offline.distractors import OfflineDistractorWriter
from viva.agents.offline.embedding import Embed
from viva.agents.offline.expert import OfflineExpert
from viva.agents.offline.oral.units import OfflineOralUnits
from viva.agents.offline.writer import OfflineQuestionWriter, OfflineUnitExtractor
from viva.agents.roles import Source
from viva.core.records import Chunk
from viva.llm.embeddings import Vectors

KEY = "Keel rot is a disorder that softens oak planks under the waterline."
MAST_SCAB = "Mast scab is a disorder that covers bronze bolts with green blisters."
DECK_ITCH = "Deck itch is a condition that splits teak boards along their grain."
SAIL_BLIGHT = "Sail blight is a disease that bleaches canvas seams in strong sunlight."
ALL = (KEY, MAST_SCAB, DECK_ITCH, SAIL_BLIGHT)
SCAB_IS = "A disorder that covers bronze bolts with green blisters"
ITCH_IS = "A condition that splits teak boards along their grain"


def known(*sources: Source) -> Bank:
    return bank(*sources)


def hulls(*lines: str, title: str = "Hulls") -> Source:
    return source("\n\n".join(lines), "hull.md", title)


def of(found: Bank, term: str, embed: Embed = all_near) -> list[str]:
    """The meanings that stand beside that of a term, which is in the glossary."""
    terms = [entry.definition.term.lower() for entry in found.defined]
    meanings = DefinedMeanings(found, DefinedTerms(found, embed))
    return [wrong.text for wrong in meanings.beside(terms.index(term))]


def beside(*others: str, key: str = KEY, defined: int = 2, title: str = "Hulls") -> list[str]:
    """The meanings beside the first line's, of so many definitions in all."""
    found = known(hulls(key, *others, title=title))
    assert len(found.defined) == defined, [entry.definition.term for entry in found.defined]
    return of(found, found.defined[0].definition.term.lower())


def test_the_meanings_of_other_terms_of_the_class_stand_beside_it_wherever_they_are_told() -> None:
    assert beside(MAST_SCAB) == [SCAB_IS]
    assert of(known(hulls(KEY), source(MAST_SCAB, "quay.md", "Quays")), "keel rot") == [SCAB_IS]
    assert len(beside(MAST_SCAB, DECK_ITCH, SAIL_BLIGHT, defined=4)) == 3


def test_a_wrong_meaning_says_of_which_term_the_documents_give_it() -> None:
    found = known(hulls(KEY, MAST_SCAB))
    (wrong,) = DefinedMeanings(found, DefinedTerms(found, all_near)).beside(0)
    assert wrong.reason == "The documents say so of “mast scab” (“Hulls”)."


REFUSED = {
    "another class": "A mast brush is a tool that scrapes green blisters off bronze bolts.",
    "shares a word of its name": "Salt rot is a disorder that covers bronze bolts with green blisters.",
    "another number": "Mast scabs are disorders that cover bronze bolts with green blisters.",
    "much longer": MAST_SCAB.removesuffix(".")
    + " and brass hinges with thick layers of salt from old winter storms.",
    "one of a group": "Mast scab is an itch-like disorder of bronze bolts, one of a group of damp disorders.",
}


@pytest.mark.parametrize("other", REFUSED.values(), ids=REFUSED.keys())
def test_a_meaning_that_may_be_right_or_is_seen_to_be_wrong_is_left_out(other: str) -> None:
    assert beside(other) == []


def test_a_group_spoken_of_within_is_no_reason() -> None:
    assert len(beside("Mast scab is a disorder that covers a group of bolts with green blisters.")) == 1


@pytest.mark.parametrize(("bolts", "found"), [("each bolt", 1), ("each bilgekeel bolt", 0), ("the keel", 0)])
def test_a_meaning_that_names_the_key_or_a_part_of_it_is_left_out(bolts: str, found: int) -> None:
    key = "Bilgekeel rot is a disorder that softens oak planks under the waterline."
    assert len(beside(f"Mast scab is a disorder that covers {bolts} with green blisters.", key=key)) == found


@pytest.mark.parametrize(("part", "found"), [("plank", [SCAB_IS]), ("mast", [])])
def test_a_term_that_the_key_is_defined_by_is_left_out(part: str, found: list[str]) -> None:
    key = f"Keel rot is a disorder that softens each {part} of oak under the waterline."
    assert beside(MAST_SCAB, key=key) == found


@pytest.mark.parametrize(("where", "found"), [("", 1), (" on storm-beaten afterdecks", 0)])
def test_what_is_too_long_to_be_read_beside_others_is_left_out(where: str, found: int) -> None:
    key = "Keel rot is a disorder that softens weathered oak planks and swells untreated pine ribs under the water."
    other = "a disorder that covers tarnished bronze bolts and brittle brass hinges with thick blisters of green salt"
    more = f"{other}{where} and poisons exhausted apprentice watchkeepers"
    assert (len(more) > 170) is (found == 0)
    assert len(beside(f"Mast scab is {more}.", key=key)) == found


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ("In spring, old masts crack under a weight of ice.", [SCAB_IS]),
        ("In spring, keel rot covers bronze bolts with green blisters.", []),
        ("Old yards speak of keel rot, also called mast scab, at the quay.", []),
        ("Old yards speak of keel rot, also called young keel rot, at the quay.", [SCAB_IS]),
    ],
    ids=["of neither", "the same of the key", "one thing", "one name within another"],
)
def test_what_the_corpus_says_of_the_key_as_well_is_not_wrong(more: str, found: list[str]) -> None:
    assert beside(MAST_SCAB, more) == found


@pytest.mark.parametrize(("title", "found"), [("Hulls", [SCAB_IS]), ("Keel rot", [])])
def test_what_a_document_on_the_key_says_in_a_few_sentences_is_not_wrong(title: str, found: list[str]) -> None:
    more = "Bronze bolts suffer first. They are green by then. Blisters grow on them."
    assert beside(MAST_SCAB, more, title=title) == found


@pytest.mark.parametrize(("cosine", "found"), [(0.3, []), (0.5, [SCAB_IS]), (0.6, [])])
def test_a_meaning_is_of_one_matter_and_not_nearly_the_same(cosine: float, found: list[str]) -> None:
    places: dict[str, int] = {}

    def embed(texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), 512), dtype=np.float32)
        rows[:, -1] = np.sqrt(cosine)
        for row, text in zip(rows, texts, strict=True):
            row[places.setdefault(text, len(places))] = np.sqrt(1 - cosine)
        return rows

    assert of(known(hulls(KEY, MAST_SCAB)), "keel rot", embed) == found


def test_of_terms_that_share_a_word_one_is_taken() -> None:
    assert beside(DECK_ITCH, "Salt itch is a disorder that eats copper sheets in brown spots.", defined=3) == [
        ITCH_IS
    ]


def test_names_made_of_nouns_of_classes_are_told_apart_by_them() -> None:
    key = "Nerve pain is a condition that softens oak planks under the waterline."
    others = (
        "Tissue damage is a condition that covers bronze bolts with green blisters.",
        "Vessel swelling is a condition that splits teak boards along their grain.",
        "Gland tumor is a condition that bleaches canvas seams in strong sunlight.",
    )
    assert len(beside(*others, key=key, defined=4)) == 3


def test_a_plural_noun_of_a_class_is_shared_by_all_its_terms() -> None:
    lines = [
        line.replace(" is a d", " diseases are d").replace("disorder that", "disorders that") for line in ALL[:2]
    ]
    lines = [line.replace("softens", "soften").replace("covers", "cover") for line in lines]
    assert len(beside(lines[1], key=lines[0])) == 1


def test_what_many_documents_name_is_not_asked() -> None:
    def with_logs(speaking: int) -> list[str]:
        said = ["speaks of keel rot" if n < speaking else "speaks of winds" for n in range(139)]
        logs = [source(f"Deck hand {n} {words} at noon.", f"log {n}.md") for n, words in enumerate(said)]
        return of(known(hulls(KEY, MAST_SCAB), *logs), "keel rot")

    assert with_logs(6) == [SCAB_IS]
    assert with_logs(8) == []


def read(*lines: str) -> tuple[Bank, Source]:
    whole = document("\n\n".join(lines), "hull.md", "Hulls")
    chunk = Chunk.of(whole, 0, len(whole.text), 100)
    return build_bank([whole], [chunk], plain=False, embed=all_near), Source(chunk, whole)


def asked(*lines: str) -> dict[str, str]:
    """The questions on definitions, each with its form."""
    found, _ = read(*lines)
    questions = [q for of_chunk in found.facts.values() for fact in of_chunk for q in fact.questions]
    return {q.stem: q.form for q in questions if q.form in {DEFINED, MEANING}}


@pytest.mark.parametrize(
    "line",
    [
        "Keel rot is the tendency of oak planks to soften under the waterline.",
        "Keel rot happens when an oak plank softens slowly because water stays within its grain.",
        "Keel rot: A disorder that softens oak planks under the waterline.",
        "Keel rot is a disorder that softens some planks of hulls in spring -- the oak planks of old yards.",
    ],
    ids=["a notion", "a happening", "an entry", "put more exactly"],
)
def test_what_is_no_whole_meaning_of_a_thing_that_can_be_shown_is_not_asked(line: str) -> None:
    found, _ = read(line, *ALL[1:])
    assert "keel rot" in {entry.definition.term.lower() for entry in found.defined}
    assert "What is keel rot?" not in asked(line, *ALL[1:])


def test_of_a_definition_its_meaning_is_asked_where_three_others_can_stand_beside_it() -> None:
    assert asked(*ALL) == dict.fromkeys(
        ("What is keel rot?", "What is mast scab?", "What is deck itch?", "What is sail blight?"), MEANING
    )
    assert MEANING not in asked(*ALL[:3]).values()


def test_a_definition_that_has_no_others_beside_it_is_not_asked_for_those_of_a_second_one() -> None:
    wood = "weatherbeaten oak planks and swollen pine ribs and brittle elm knees"
    salt = "with thick blisters of greenish crystallised seasalt in storms"
    first = f"A keel louse is a disorder that softens {wood} {salt}."
    second = "A keel louse is a disorder that softens oak planks under the waterline."
    assert "What is a keel louse?" in asked(second, *ALL[1:])
    twice, _ = read(first, second, *ALL[1:])
    assert [entry.definition.telling for entry in twice.defined if entry.definition.term == "keel louse"] == [
        True
    ] * 2
    assert "What is a keel louse?" not in asked(first, second, *ALL[1:])


def test_an_article_is_kept_and_a_plural_asked_as_one() -> None:
    whole = "A keel worm is a disorder that softens oak planks under the waterline."
    assert "What is a keel worm?" in asked(whole, *ALL[1:])
    many = (
        "Keel rots are disorders that soften oak planks under the waterline.",
        "Mast scabs are disorders that cover bronze bolts with green blisters.",
        "Deck moulds are conditions that split teak boards along their grain.",
        "Sail blights are diseases that bleach canvas seams in strong sunlight.",
    )
    assert "What are deck moulds?" in asked(*many)


def answered(stem: str, *lines: str) -> str:
    found, here = read(*lines)
    answer = asyncio.run(OfflineExpert(found).answer(stem, MEANING, here))
    return answer.text if answer else ""


def test_the_expert_reads_the_definition_of_the_very_term_that_can_be_shown() -> None:
    rot_is = "A disorder that softens oak planks under the waterline"
    dry = "Dry keel rot is a disorder that splits teak boards along their grain."
    assert answered("What is keel rot?", dry, KEY) == rot_is
    assert answered("What is dry keel rot?", KEY, dry) == "A disorder that splits teak boards along their grain"
    notion = "Keel rot is the habit of old crews to soften planks with warm tar."
    assert answered("What is keel rot?", notion, KEY) == rot_is
    assert answered("What is keel rot?", "Keel rot: A fungus that grows on oak planks in cold water.", KEY) == rot_is
    assert answered("What is tar?", KEY) == ""


def test_the_question_goes_through_the_cast_and_the_expert_arrives_at_its_key() -> None:
    found, here = read(*ALL)

    async def written() -> tuple[str, str, list[str]]:
        units = await OfflineUnitExtractor(found).extract(here)
        unit = next(one for one in units if one.statement == KEY)
        draft = await OfflineQuestionWriter(found).write(unit, here, None, None)
        assert draft is not None
        answer = await OfflineExpert(found).answer(draft.stem, draft.answer_form, here)
        assert answer is not None
        assert answer.text == draft.key
        writer = OfflineDistractorWriter(found, Near(), options=4, seed=1)
        wrong = await writer.write(draft, here, 0, None)
        return draft.stem, draft.key, [one.text for one in wrong or ()]

    stem, key, wrong = asyncio.run(written())
    assert (stem, key) == ("What is keel rot?", "A disorder that softens oak planks under the waterline")
    assert sorted(wrong) == [ITCH_IS, "A disease that bleaches canvas seams in strong sunlight", SCAB_IS]


def test_an_oral_examination_knows_the_definition_by_its_term() -> None:
    found, here = read(*ALL)
    units = asyncio.run(OfflineOralUnits(found).extract(here))
    assert [unit.keyword for unit in units] == ["Keel rot", "Mast scab", "Deck itch", "Sail blight"]


class Near:
    """All texts are alike."""

    name = fingerprint = "near"
    dimensions = 2

    def embed(self, texts: Sequence[str]) -> Vectors:
        return all_near(texts)

    def count_tokens(self, text: str) -> int:
        return len(text.split())
