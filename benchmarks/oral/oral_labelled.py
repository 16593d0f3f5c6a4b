"""Answers that people labelled, as (question, reference, answer, label)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

Pair = tuple[str, str, str, str]


def _rows(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    file = folder / name
    if file.is_file():
        with file.open(encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines)


def _evenly(rows: list[Pair], most: int) -> list[Pair]:
    """So many of them, evenly spread over the file."""
    return rows if len(rows) <= most else [rows[n * len(rows) // most] for n in range(most)]


def evouna(folder: Path, most: int) -> list[Pair]:
    """Answers of five systems to trivia questions (EVOUNA); rows that its paper excludes are left out."""
    rows = [
        (r["question"], f"{r['question']} {r['gold'].replace('/', ' or ')}.", r["answer"], str(r["human_correct"]))
        for r in _rows(folder, "evouna/tq.jsonl")
        if not r["improper"] and r["human_correct"] is not None
    ]
    return _evenly(rows, most)


def student_answers(folder: Path, most: int) -> list[Pair]:
    """Students' answers with a reference and a teacher's verdict (SAF); references of more than 30 words are
    left out."""
    rows = [
        (r["question"], r["reference"], r["answer"], r["verdict"])
        for r in _rows(folder, "saf_asag/training.jsonl")
        if len(r["reference"].split()) <= 30
    ]
    return _evenly(rows, most)


def of_another_question(pairs: Sequence[Pair]) -> list[Pair]:
    """Each third question and reference beside an answer to another question: nothing of it is said."""
    answers: dict[str, list[str]] = {}
    for question, _, answer, _ in pairs:
        answers.setdefault(question, []).append(answer)
    asked = list(answers)
    after = dict(zip(asked, [*asked[1:], *asked[:1]], strict=True))
    return [
        (question, reference, others[n % len(others)], "of another question")
        for n, (question, reference, _, _) in enumerate(pairs[::3])
        if after[question] != question and (others := answers[after[question]])
    ]


SETS: dict[str, Callable[[Path, int], list[Pair]]] = {"evouna": evouna, "saf_asag": student_answers}
