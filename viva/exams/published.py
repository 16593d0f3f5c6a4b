"""A published exam: one file with its items, their parameters, licence, canary and hash (docs/publishing.md).

It is an exam file of version 2: the first line has a `publication`, and lines of kind "parameters" and "baseline"
follow the items. Its hash is of all that is in the file, so that an altered file is not read.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records import Exam, ExamItem, ItemParameters, Record
from viva.core.tables import json_lines, sound
from viva.core.wording import counted
from viva.exams.file import PUBLISHED_VERSION, SCHEMA, compact, exam_lines

MOST_SECRET = 0.5
"""The largest share of the questions that may be held back."""
_LONGEST_HEADER = 100_000
"""Bytes of a first line that are read to see whether a file is a published exam."""


class GateAnswer(Record):
    """What a system's answer to a question was worth."""

    score: float = Field(ge=0, le=1)
    evidence: bool | None = Field(default=None, description="whether its passages held the evidence; None: not known")
    failed: bool = False
    answers: int = Field(default=0, exclude=True, description="that the score is the mean of; 0: not known")


class GateAnswers(Record):
    """A system's answers by question; the key is the id of the question without its evidence (`question_key`)."""

    exam_id: str
    system: str
    answers: dict[str, GateAnswer]


class PublishedScale(Record):
    """The scale of the parameters: difficulties with mean 0, discriminations with a geometric mean of 1.

    Both means are over all questions of the run, those held back included.
    """

    model: str = Field(description="the response model, and why this one")
    systems: int = Field(description="that were scored with it")
    questions: int = Field(description="that were fitted")


class Publication(Record):
    """What a published file holds beyond its questions."""

    licence: str = Field(default="", description="'' where none was stated")
    canary: str = Field(description="a string that shows, if a model repeats it, that the file was trained on")
    held_back: int = Field(ge=0, description="questions of the exam that stay with its author")
    scale: PublishedScale | None = Field(default=None, description="None where no parameters were fitted")
    sha256: str = Field(default="", description="of the file, this field left out")
    parameters: tuple[ItemParameters, ...] = ()
    baseline: GateAnswers | None = Field(default=None, description="a system's answers, to compare others with")


def canary_of(exam: Exam) -> str:
    """Give the canary of an exam: the same for the same questions."""
    mark = content_hash("canary", exam.id)
    return f"viva exam {exam.id}: benchmark data, to be kept out of training corpora. Canary {mark}"


def published_text(exam: Exam, publication: Publication) -> str:
    """Write an exam with its publication as the text of a file. The same content gives the same bytes everywhere."""
    first, *rest = exam_lines(exam)
    stated = publication.model_dump(mode="json", exclude={"sha256", "parameters", "baseline"})
    lines = [*rest, *(compact({"kind": "parameters", **p.model_dump(mode="json")}) for p in publication.parameters)]
    if publication.baseline is not None:
        lines.append(compact({"kind": "baseline", **publication.baseline.model_dump(mode="json")}))
    header = {**json.loads(first), "version": PUBLISHED_VERSION, "publication": stated}
    header["publication"] = {**stated, "sha256": _sha256(header, lines)}
    return "".join(f"{line}\n" for line in (compact(header), *lines))


def check_replaceable(path: Path) -> None:
    """Check that no file but one published before would be written over. UsageError for any other file."""
    if not path.is_file() or not path.stat().st_size:
        return
    with path.open("rb") as file:
        first = file.readline(_LONGEST_HEADER).decode("utf-8", "replace")
    try:
        header = json.loads(first)
    except ValueError:
        header = None
    if not isinstance(header, dict) or header.get("schema") != SCHEMA or "publication" not in header:
        raise UsageError(
            f"The file {path} exists already, and is no published exam: it would be lost.",
            next_step="Name another file, or move this one away.",
        )


def read_publication(text: str, name: str) -> Publication | None:
    """Read what a published file holds beyond its questions; None of another text.

    UsageError for a file that was altered since it was published.
    """
    header = next((value for _, value in sound(json_lines(text))), None)
    if not isinstance(header, dict) or not _is_published(header):
        return None
    # line ends may have become those of another system
    lines = [line.rstrip("\r") for line in text.split("\n") if line.strip()][1:]
    stated = header.get("publication")
    stated = dict(stated) if isinstance(stated, dict) else {}
    if stated.pop("sha256", None) != _sha256({**header, "publication": stated}, lines):
        raise UsageError(
            f"{name} was altered since it was published: its content does not have the hash of its first line.",
            next_step="Get the file again from who published it.",
        )
    try:
        return Publication.model_validate({**header["publication"], **_further(lines)})
    except (ValueError, TypeError) as error:
        raise UsageError(
            f"{name} is no published exam that can be read.", next_step="docs/publishing.md describes the file."
        ) from error


def _further(lines: Sequence[str]) -> dict[str, Any]:
    """Read the lines that are neither questions nor examples. ValueError for a line that is no JSON object."""
    values = [json.loads(line) for line in lines]
    if not all(isinstance(value, dict) for value in values):
        raise ValueError("a line is no object")
    kept = [(value.pop("kind", None), value) for value in values]
    baseline = next((value for kind, value in kept if kind == "baseline"), None)
    return {"parameters": [value for kind, value in kept if kind == "parameters"], "baseline": baseline}


def _is_published(header: dict[str, Any]) -> bool:
    """Tell whether it is one, or was one before it was altered; that of a newer version is none that can be read."""
    version = header.get("version")
    newer = isinstance(version, int) and version > PUBLISHED_VERSION
    return header.get("schema") == SCHEMA and not newer and (version == PUBLISHED_VERSION or "publication" in header)


def _sha256(header: dict[str, Any], lines: Sequence[str]) -> str:
    return hashlib.sha256("\n".join((compact(header), *lines)).encode("utf-8", "surrogatepass")).hexdigest()


# --- questions that are held back ---------------------------------------------------------------------------


def checked_share(share: float, questions: int) -> float:
    """Check a share of so many questions to hold back. UsageError outside 0 to a half, or where it is no question."""
    if not 0 <= share <= MOST_SECRET:
        raise UsageError(f"The share to hold back is {share:g}.", allowed=f"From 0 to {MOST_SECRET:g}, such as 0.2.")
    # what is published once is never held back later
    if 0 < share * questions < 0.5:
        raise UsageError(
            f"The share to hold back is {share:g}: of {counted(questions, 'question')} that is none.",
            allowed=f"A larger share, such as 0.2, or 0 to publish all questions (at most {MOST_SECRET:g}).",
        )
    return share


def chosen_secret(exam: Exam, share: float, published: Collection[str]) -> list[str]:
    """Choose the questions to hold back: by the hash of their content, as many of each kind as its share.

    Questions `published` before are no secret any more, and are not chosen; neither are those that other questions
    show, in the conversation that they follow on.
    """
    shown = {turn.text for each in exam.items for turn in each.item.history}
    free = [each for each in exam.items if each.item.id not in published and each.item.stem not in shown]
    free.sort(key=_place)
    wanted = min(1.0, share * len(exam.items) / len(free)) if free else 0.0
    # every 1 / share-th along kinds, so that rounding does not add up over small kinds
    steps = [math.floor(n * wanted + 0.5) for n in range(len(free) + 1)]
    return [each.item.id for n, each in enumerate(free) if steps[n + 1] > steps[n]]


def _place(shown: ExamItem) -> tuple[str, bool, str]:
    return shown.item.kind.value, shown.item.is_open, content_hash("secret", shown.item.id)


def without_people(shown: ExamItem) -> ExamItem:
    """Give the question without the names and notes of those who reviewed it."""
    bare = shown.item.provenance.model_copy(update={"reviews": ()})
    return shown.model_copy(update={"item": shown.item.model_copy(update={"provenance": bare})})


def without_secret(exam: Exam, secret: Collection[str]) -> Exam:
    """Give the exam without these questions, as an exam of its own."""
    kept = [each for each in exam.items if each.item.id not in secret]
    return exam if len(kept) == len(exam.items) else Exam.of(kept, exam.examples)
