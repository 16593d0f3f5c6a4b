"""A scripted model that judges lengths: badly by default, well or worse with other instructions and examples."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from fake_model import rendered
from fake_model.requests import Request, read_request
from pydantic import JsonValue

from viva.core.calls import Message
from viva.core.ids import content_hash, rng
from viva.core.records.judging import Case, LabelledCase

RIGHT = "Compare the lengths, and nothing else."
WRONG = "Prefer what sounds different."
_WHAT = "pier jetty quay bridge ramp tunnel canal fence wall road track hall shed mast crane hedge ditch weir".split()
_WHERE = "north south east west upper lower inner outer old new small great dry wet long short red blue".split()
_PLACES = "Aldby Brane Corm Dunle Esk Farrow Gale Holm Inver Jarl Kest Lund Morr Nesse Oban Pell Quern Rosk".split()
_NUMBER = re.compile(r"\d+")


def cases(count: int) -> tuple[LabelledCase, ...]:
    """Answers about lengths; the further off, the lower people's label. No two are nearly the same."""
    made: dict[str, LabelledCase] = {}
    draw = rng(7, "lengths")
    while len(made) < count:
        what, where, place = draw.choice(_WHAT), draw.choice(_WHERE), draw.choice(_PLACES)
        length, off = draw.randrange(100, 900), draw.randrange(5)
        thing = f"{where} {what} of {place}"
        case = Case(
            question=f"How long is the {thing}?",
            reference=f"{length} m is the length of the {thing}.",
            answer=f"{place} says that the {what} measures {length + 10 * off} m.",
        )
        made.setdefault(thing, LabelledCase(case=case, label=1 - off / 4, group=thing))
    return tuple(made.values())


def write_cases(path: Path, count: int) -> Path:
    """The same as a CSV, labels from 0 to 100."""
    lines = ["asked,gold,said,people"]
    lines += [f'"{c.case.question}","{c.case.reference}","{c.case.answer}",{100 * c.label:g}' for c in cases(count)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


class TunableJudge:
    """Plays judge and writer of instructions. What it makes of examples and which hints it writes is chosen."""

    def __init__(self, *, hints: Sequence[str] = (WRONG, RIGHT), examples_help: bool = True) -> None:
        self._hints = tuple(hints)
        self._examples_help = examples_help
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()
        self.judged = 0
        self.wrote = 0

    def __call__(self, messages: Sequence[Message], parameters: Mapping[str, JsonValue]) -> str:
        request = read_request(messages)
        names = {field.name for field in request.outputs}
        if {"rationale", "score"} <= names and "reference" in request.inputs:
            self.judged += 1
            score = self._score(messages, request, warm=parameters.get("temperature") == 1.0)
            return rendered(request, {"rationale": "I looked at the lengths.", "score": score})
        self.wrote += 1
        return rendered(request, {field.name: self._written(field.name, request) for field in request.outputs})

    # --- inside ------------------------------------------------------------------------------------------

    def _score(self, messages: Sequence[Message], request: Request, *, warm: bool) -> float:
        case = request.inputs
        guess = int(content_hash(case["answer"]), 16)
        # nobody is exact
        truth = max(0.0, 1 - abs(_length(case["reference"]) - _length(case["answer"])) / 40 - guess % 7 / 100)
        told, shown = messages[0].text, sum(message.role == "assistant" for message in messages)
        good, bad = RIGHT in told, WRONG in told
        if shown >= 2:
            good, bad = good or self._examples_help, bad or not self._examples_help
        # asked warmly the same thing again, it wavers
        lucky = warm and self._times(content_hash(*(m.text for m in messages))) % 2 == 0
        if good == bad:
            # as it is told to by default, every second case is a guess
            return truth if lucky or guess % 2 else round(guess % 101 / 100, 2)
        return truth if good else 1 - truth

    def _written(self, name: str, request: Request) -> JsonValue:
        told = next((value for key, value in request.inputs.items() if "instruction" in key), "Judge.")
        if name == "module_advice":
            return {"judge": self._hint()}
        if "instruction" in name:
            # attempts that are listed, or the instruction itself: what comes before the first hint
            base = "Judge the answer by the reference." if "Instruction #" in told else told.split("\n\nHint: ")[0]
            return f"{base}\n\nHint: {self._hint()}"
        return "Lengths of things in places."

    def _hint(self) -> str:
        return self._hints[self._times("hint") % len(self._hints)]

    def _times(self, what: str) -> int:
        with self._lock:
            self._asked[what] += 1
            return self._asked[what] - 1


def _length(text: str) -> int:
    found = _NUMBER.search(text)
    return int(found[0]) if found else 0
