"""A model that plays the whole committee on the corpus of pumps, and errs at known rates.

As writer, expert and distractor writer it plants flaws. As judge it knows of no plant: it reads the passage, question
and options it is shown, works out the answer, and sometimes misses a flaw or sees one that is not there.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fake_model import rendered
from fake_model.requests import Request, read_request
from pumps import ATTRIBUTES, BY_DOCUMENT, NOWHERE, Attribute, Pump, amount, asked_about, in_other_unit, statement
from pydantic import JsonValue

from viva.core.calls import Message
from viva.core.ids import rng
from viva.core.records import Item

UNANSWERABLE, BY_TEXT, UNFAITHFUL, TWO_RIGHT, GUESSABLE = (
    "unanswerable question",
    "document-referring stem",
    "unfaithful answer",
    "two right options",
    "guessable",
)
_ABSURD = ("a handful of blue paint", "the harbour master", "every other Tuesday", "a song of two verses", "no oil")
_EMBROIDERED = " Its housing is made of bronze."
_TEXTS = re.compile(r"\b(?:passage|text|section|sheet|page|document)\b")


@dataclass(frozen=True)
class Rates:
    """How often it errs: plants per piece of work, misses per flaw shown to a judge, alarms per sound piece."""

    plants: Mapping[str, float] = field(default_factory=dict)
    misses: float = 0.0
    alarms: float = 0.0
    paraphrases: float = 0.0
    """how often the expert words a reference of its own instead of copying the sentence"""
    knows: bool = False
    """whether the question reader has learnt the data sheets of the known pumps"""
    seed: int = 0


class ErringModel:
    """A brain for the model server. `planted` counts the plants; `sound` holds the drafts without one."""

    def __init__(self, rates: Rates, known: Sequence[Pump] = ()) -> None:
        """`known`: pumps whose refit it remembers when it looks for an option that is right too."""
        self._rates = rates
        self._known = {pump.name: pump for pump in known}
        self._refits = {(p.name, ATTRIBUTES[p.refitted]): p.after for p in known}
        self._lock = threading.Lock()
        self.made: Counter[str] = Counter()
        self.planted: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()
        self.sound: set[str] = set()
        """stems without a planted flaw, whose answer is without one too"""

    def __call__(self, messages: Sequence[Message], parameters: Mapping[str, JsonValue]) -> str:
        request = read_request(messages)
        given = set(request.inputs)
        outputs = [f.name for f in request.outputs]
        role, play = next((role, play) for role, sign, play in ROLES if sign in {*outputs, *given})
        with self._lock:
            self.calls[role] += 1
            return rendered(request, play(self, request.inputs, request))

    # --- who writes ----------------------------------------------------------------------------------------------

    def units(self, given: Mapping[str, str], request: Request) -> dict[str, JsonValue]:
        facts = [s.strip() for s in re.findall(r"[^.]+\.", given["passage"])][: int(given["at_most"])]
        return {"facts": [{"statement": fact, "quote": fact} for fact in facts]}

    def writer(self, given: Mapping[str, str], request: Request) -> dict[str, JsonValue]:
        name, attribute = asked_about(given["fact"])
        assert attribute is not None
        before = given.get("previous_question", "")
        draw = rng(self._rates.seed, "writer", given["fact"], before)
        self.made["stems"] += 1
        stem = next(w for w in (*attribute.asked, *attribute.asked) if w[:12] not in before).format(pump=name)
        sound = True
        if self._plants(UNANSWERABLE, draw.random()):
            stem, sound = draw.choice(NOWHERE).format(pump=name), False
        if self._plants(BY_TEXT, draw.random()):
            stem, sound = draw.choice(BY_DOCUMENT).format(stem[0].lower() + stem[1:]), False
        if sound:
            self.sound.add(stem)
        return {
            "rationale": "Who looks after the pump needs it.",
            "question_type": "factoid",
            "bloom": "remember",
            "stem": stem,
            "answer_form": "a number with its unit",
        }

    def expert(self, given: Mapping[str, str], request: Request) -> dict[str, JsonValue]:
        name, attribute = asked_about(given["question"])
        found = statement(given["passage"], name, attribute)
        draw = rng(self._rates.seed, "expert", given["question"], given.get("doubt", ""))
        if not found and self._errs(self._rates.misses, draw.random()):
            # takes the first figure for what is asked
            attribute, found = ATTRIBUTES[0], statement(given["passage"], name, ATTRIBUTES[0])
        if not found or attribute is None or self._errs(self._rates.alarms, draw.random()):
            nothing = dict.fromkeys(("quote", "answer", "reference"), "NONE")
            return {**nothing, "answerable": False, "groundedness": 2}
        value = int(amount(found, attribute) or 0)
        reference = found
        if self._errs(self._rates.paraphrases, draw.random()):
            reference = f"It is {value} {attribute.unit}."
        self.made["answers"] += 1
        if self._plants(UNFAITHFUL, draw.random()):
            self.sound.discard(given["question"])
            if draw.random() < 0.5:
                reference += _EMBROIDERED
            else:
                value += draw.randrange(3, 40)
                reference = re.sub(r"\d+", str(value), found)
        answer = f"{value} {attribute.unit}"
        said: dict[str, JsonValue] = {"quote": found, "answerable": True, "answer": answer, "reference": reference}
        return {**said, "groundedness": 5}

    def distractors(self, given: Mapping[str, str], request: Request) -> dict[str, JsonValue]:
        name, attribute = asked_about(given["question"])
        draw = rng(self._rates.seed, "distractors", given["question"], given["key"], given.get("attempt", ""))
        unit = given["key"].split()[-1]
        value = int(re.findall(r"\d+", given["key"])[0])
        texts = [f"{value + step} {unit}" for step in draw.sample([-27, -21, -18, 22, 25, 29, 33], 5)]
        self.made["sets"] += 1
        if self._plants(GUESSABLE, draw.random()):
            # of another kind, which a rule can tell; or far too small, which only a reader can
            texts = list(_ABSURD) if draw.random() < 0.5 else [f"{n} {unit}" for n in (1, 3, 5, 7, 9)]
        if attribute and self._plants(TWO_RIGHT, draw.random()):
            refit = self._refits.get((name, attribute))
            texts[0] = in_other_unit(value, attribute) if refit is None else f"{refit} {attribute.unit}"
            # no spare ones: the rules must not choose it away by luck
            texts = texts[:3]
        why: dict[str, JsonValue] = {"why_wrong": "The sheet gives another figure.", "mistake": "misreading"}
        return {"rationale": "Figures with their unit.", "distractors": [{"text": text, **why} for text in texts]}

    # --- who judges ----------------------------------------------------------------------------------------------

    def question_reader(self, given: Mapping[str, str], request: Request) -> dict[str, JsonValue]:
        draw = rng(self._rates.seed, "question reader", given["question"])
        leans = bool(_TEXTS.search(given["question"])) and not self._errs(self._rates.misses, draw.random())
        leans = leans or self._errs(self._rates.alarms, draw.random())
        told = "It speaks of a text that the user does not have." if leans else "It names all that it is about."
        good: dict[str, JsonValue] = {"specificity": 5, "usefulness": 4, "natural": 5, "bloom": ["remember"]}
        said = {"rationale": told, **self._recalled(given["question"]), **good}
        return {**said, "stand_alone": 1 if leans else 5, "faults": [], "reworded": "NONE"}

    def _recalled(self, question: str) -> dict[str, JsonValue]:
        """What it would answer without a sheet."""
        name, attribute = asked_about(question)
        pump = self._known.get(name) if self._rates.knows else None
        if pump is None or attribute is None:
            return {"known": False, "answer": "NONE", "guesses": []}
        value = pump.values[ATTRIBUTES.index(attribute)]
        return {"known": True, "answer": f"{value} {attribute.unit}", "guesses": []}

    def item(self, given: Mapping[str, str], request: Request) -> dict[str, JsonValue]:
        name, attribute = asked_about(given["question"])
        stated = statement(given["passage"], name, attribute)
        shown = _shown(given["options"])
        draw = rng(self._rates.seed, "item", given["question"], *sorted(shown.values()))
        right = _right(shown, stated, attribute)
        best = _nearest(right, shown, attribute)
        missed = best == "N" and self._errs(self._rates.misses, draw.random())
        if missed:
            best = draw.choice(sorted(shown))
        if best != "N" and self._errs(self._rates.alarms, draw.random()):
            best = draw.choice(sorted(shown))
        others = [letter for letter in right if letter != best]
        said: dict[str, JsonValue] = {"quote": stated or "NONE", "rationale": f"The sheet says: {stated}"}
        said |= {"best_option": best, "also_correct": self._seen(others, draw.random())}
        # who takes a wrong figure for right finds it in the sheet
        said["stated"] = (missed or best in right) and not self._errs(self._rates.alarms, draw.random())
        if "elsewhere" in given:
            told = statement(given["elsewhere"], name, attribute)
            held = _right(shown, told, attribute)
            said["supported_elsewhere"] = self._seen([a for a in held if a != best], draw.random())
            # what a refit changed was so before it: no sheet contradicts another
            other = self._errs(self._rates.alarms, draw.random())
            said["other_answer"] = re.findall(r"[^.]+\.", given["elsewhere"])[0].strip() if other else "NONE"
        if "recalled" in given:
            said["same_answer"] = shown.get(best) == given["recalled"].strip()
        fitting = sum(likely(text) for text in shown.values())
        absurd = fitting == 1 and not self._errs(self._rates.misses, draw.random())
        leads = absurd or self._errs(self._rates.alarms, draw.random())
        change = "Offer other figures that a pump may have." if leads else "NONE"
        said |= {
            "defensible": [],
            # nobody would choose a figure that no pump has
            "odd": [letter for letter in shown if letter != best] if absurd else [],
            "tempting": [],
            "edits": [],
            "hidden": 2 if leads else 4,
            "natural": 5,
            "worth": 5,
            "change": change,
        }
        return said

    def _seen(self, right: list[str], drawn: float) -> list[JsonValue]:
        """The letters of what is right too, unless the judge misses it."""
        return [] if self._errs(self._rates.misses, drawn) else [*right]

    # --- rates ---------------------------------------------------------------------------------------------------

    def _plants(self, flaw: str, drawn: float) -> bool:
        planted = drawn < self._rates.plants.get(flaw, 0.0)
        self.planted[flaw] += planted
        return planted

    def _errs(self, rate: float, drawn: float) -> bool:
        return drawn < rate


ROLES = (
    ("units", "facts", ErringModel.units),
    ("writer", "stem", ErringModel.writer),
    ("expert", "groundedness", ErringModel.expert),
    ("judge.question", "stand_alone", ErringModel.question_reader),
    ("distractors", "distractors", ErringModel.distractors),
    ("judge.item", "hidden", ErringModel.item),
)
"""What each role is known by: a field that only it reads or gives (of several that fit, the first)."""


def flaws(item: Item, truth: Mapping[str, str]) -> list[str]:
    """What is wrong with a finished item. `truth` is all that the corpus says of a pump, by its name."""
    name, attribute = asked_about(item.stem)
    stated = [s for s in re.findall(r"[^.]+\.", truth[name]) if attribute and attribute.sign in s.lower()]
    right = {amount(s, attribute) for s in stated} if attribute else set()
    found = []
    if attribute is None:
        found.append(UNANSWERABLE)
    if _TEXTS.search(item.stem):
        found.append(BY_TEXT)
    if attribute and (amount(item.key, attribute) not in right or _EMBROIDERED in item.reference_answer):
        found.append(UNFAITHFUL)
    if attribute and any(amount(wrong.text, attribute) in right for wrong in item.distractors):
        found.append(TWO_RIGHT)
    if not any(likely(wrong.text) for wrong in item.distractors):
        found.append(GUESSABLE)
    return found


def likely(option: str) -> bool:
    """Whether somebody who has read nothing may take it for a pump's figure: none is below ten."""
    figure = re.match(r"\d+", option)
    return figure is not None and ("." in option or int(figure.group()) >= 10)


def _shown(options: str) -> dict[str, str]:
    return {line[0]: line[3:] for line in options.splitlines() if line[1:3] == ". "}


def _right(shown: Mapping[str, str], stated: str, attribute: Attribute | None) -> list[str]:
    """The letters of the options that give what a sentence states."""
    truth = amount(stated, attribute) if attribute and stated else None
    return [a for a, text in shown.items() if attribute and truth is not None and amount(text, attribute) == truth]


def _nearest(right: Sequence[str], shown: Mapping[str, str], attribute: Attribute | None) -> str:
    """Of several right options, the one in the sheet's own unit."""
    own = [letter for letter in right if attribute and shown[letter].endswith(attribute.unit)]
    return (own or [*right] or ["N"])[0]
