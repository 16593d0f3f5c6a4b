"""How many right answers the offline judge of correctness calls right, and how many wrong options.

    python benchmarks/judges/keys.py RUN/exam.jsonl QUESTIONS.jsonl ...   # --show N prints N faults of each form

Of an exam, each question that can be asked without its options; of a file of people's questions (`question`,
`options` and `answer`, a place), each full question. The answers are made by rule: the key as it is, cited, in a
sentence, in other units, dates and numbers (key_wordings.py), the reference answer; and each wrong option plain,
cited, in a sentence, and in the key's place in the reference answer.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from key_wordings import CITED, PLAIN, WRAPPED, in_other_dates, in_other_numbers, in_other_units

from viva.agents.judges.offline.judge import OfflineJudge
from viva.core.records import Distractor, Item, Provenance, QuestionType
from viva.core.records.judging import Case, Judgement, Quality
from viva.exams.file import read_exam
from viva.graphs.assembly.open_items import can_be_open
from viva.graphs.grading.grade_open import reference_of
from viva.llm.embeddings import SentenceTransformerEmbedder

RIGHT = ("plain", "cited", "wrapped", "unit", "date", "number", "sentence")
WRONG = ("option", "option cited", "option wrapped", "option in the sentence")
_ALL = re.compile(r"\b(?:all|none|both|any|neither) of (?:the|these)\b|\b(?:both )?[abc] and [abcd]\b", re.IGNORECASE)
WRAPS_OF_OPTIONS, CITATIONS_OF_OPTIONS = 5, 2


@dataclass(frozen=True)
class KeyQuestion:
    """A question with its key, reference and wrong options."""

    question: str
    key: str
    reference: str
    options: tuple[str, ...]
    language: str = "en"


@dataclass(frozen=True)
class TriedAnswer:
    """One answer to a question, of a form."""

    form: str
    case: Case


def read(path: Path) -> list[KeyQuestion]:
    """The questions of a file that can be asked without options."""
    if path.name == "exam.jsonl":
        items = [shown.item for shown in read_exam(path).items if can_be_open(shown.item)]
        return [
            KeyQuestion(i.stem, i.key, reference_of(i), tuple(d.text for d in i.distractors), i.language)
            for i in items
        ]
    found = []
    for row in map(json.loads, path.read_text("utf-8").splitlines()):
        options = row.get("options") or []
        if row["question"].rstrip().endswith("?") and options and not any(map(_ALL.search, options)):
            wrong = (each for place, each in enumerate(options) if place != row["answer"])
            found.append(KeyQuestion(row["question"], options[row["answer"]], options[row["answer"]], tuple(wrong)))
    return [each for each in found if can_be_open(_item(each))]


def _item(asked: KeyQuestion) -> Item:
    return Item(
        id="",
        stem=asked.question,
        key=asked.key,
        distractors=tuple(Distractor(text=text) for text in asked.options),
        reference_answer=asked.reference,
        evidence=(),
        question_type=QuestionType.FACTOID,
        bloom=(),
        provenance=Provenance(cast="imported"),
    )


def tried(asked: KeyQuestion) -> Iterator[TriedAnswer]:
    """All answers to a question, none twice."""
    seen = set[str]()
    for form, answer in (*_right(asked), *_wrong(asked)):
        if answer not in seen:
            seen.add(answer)
            yield TriedAnswer(
                form, Case(question=asked.question, answer=answer, reference=asked.reference, key=asked.key)
            )


def _right(asked: KeyQuestion) -> Iterator[tuple[str, str]]:
    key = asked.key
    yield "plain", key
    for change in PLAIN:
        yield "plain", change(key)
    for form in CITED:
        yield "cited", form.format(key.rstrip("."))
    for form in WRAPPED.get(asked.language, WRAPPED["en"]):
        yield "wrapped", form.format(key.rstrip("."))
    for form, other in (("unit", in_other_units), ("date", in_other_dates), ("number", in_other_numbers)):
        for changed in other(key):
            yield form, changed
            yield form, f"It is {changed.rstrip('.')} [2]."
    yield "sentence", asked.reference


def _wrong(asked: KeyQuestion) -> Iterator[tuple[str, str]]:
    wraps = WRAPPED.get(asked.language, WRAPPED["en"])[:WRAPS_OF_OPTIONS]
    for option in asked.options:
        bare = option.rstrip(".")
        yield "option", option
        yield from (("option cited", form.format(bare)) for form in CITED[:CITATIONS_OF_OPTIONS])
        yield from (("option wrapped", form.format(bare)) for form in wraps)
        if asked.key in asked.reference and asked.key != asked.reference:
            yield "option in the sentence", asked.reference.replace(asked.key, bare)


def judged(answers: Sequence[TriedAnswer], judge: OfflineJudge) -> list[tuple[TriedAnswer, float, str]]:
    """Each answer with its score and the reason."""
    found = asyncio.run(judge.judge([each.case for each in answers]))
    return [
        (each, said.score or 0.0, said.reason) if isinstance(said, Judgement) else (each, 0.0, said.reason)
        for each, said in zip(answers, found, strict=True)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--show", type=int, default=0, help="faults of each form that are printed")
    given = parser.parse_args()
    judge = OfflineJudge(Quality.CORRECTNESS, SentenceTransformerEmbedder("minilm"))
    for path in given.files:
        questions = read(path)
        found = judged([each for asked in questions for each in tried(asked)], judge)
        print(f"{path}: {len(questions)} questions")
        for form in (*RIGHT, *WRONG):
            own = [(each, score, why) for each, score, why in found if each.form == form]
            right = sum(score >= 0.5 for _, score, _ in own)
            if own:
                print(f"  {form:24} {right:5} of {len(own):5} right, {right / len(own):6.1%}")
            faults = [each for each in own if (each[1] >= 0.5) is (form in WRONG)]
            for each, score, why in faults[: given.show]:
                case = each.case
                print(f"      {score:.2f} {case.question!r}")
                print(f"           key {case.key!r}, answer {case.answer!r}: {why[:90]}")


if __name__ == "__main__":
    main()
