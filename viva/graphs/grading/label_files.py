"""Open answers in a file, and the labels that people gave them there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from viva.core.errors import UsageError
from viva.core.records import Examinee
from viva.core.records.labels import LABELS, Label, standing
from viva.core.tables import Row
from viva.exams.formats.rows import read_table, write_table
from viva.graphs import stages
from viva.graphs.context import RunContext
from viva.graphs.grading.grade_open import reference_of
from viva.graphs.grading.labels import Drawn, answers_to_label, in_draw_order, labelled_by
from viva.optimizers.label_values import WORDS, number, word
from viva.storage.runs import RunStore

_COLUMNS = "A table with the columns response and label, and optionally by. A label is y, n, partial, or 0 to 1."
_WORDS = {**WORDS, **LABELS, "p": LABELS["partial"]}


def random_draw(context: RunContext, systems: Sequence[str], seed: int, *, per_system: bool) -> list[Drawn]:
    """Draw the answers of the run that are labelled, of all systems or these, in the order of the draw."""
    exam = stages.exam_of(context.store, context.folder)
    asked_for = [each for each in stages.as_asked_for(context.store) if not each.manufactured]
    answers = answers_to_label(context.store, exam, _named(asked_for, systems))
    return in_draw_order(answers, seed, per_system=per_system)


def _named(examinees: Sequence[Examinee], names: Sequence[str]) -> list[Examinee]:
    known = {each.name for each in examinees}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(f"No system {unknown[0]!r} took this exam.", allowed=f"{', '.join(sorted(known))}.")
    return [each for each in examinees if not names or each.name in names]


def export_answers(store: RunStore, drawn: Sequence[Drawn], by: str, seed: int, path: Path) -> None:
    """Write answers of the draw to a file, with the labels of this person."""
    mine = labelled_by(store, by)
    write_table([_row(each, seed, mine.get(each.response.id)) for each in drawn], path)


def _row(each: Drawn, seed: int, label: Label | None) -> Row:
    """An answer in the form that `viva tune --data` reads too. The system is not named."""
    return {
        "response": each.response.id,
        "question": each.shown.item.shown,
        "reference": reference_of(each.shown.item),
        "answer": each.response.text,
        "label": "" if label is None or label.score is None else label.score,
        "group": each.shown.item.id,
        "draw": str(seed),
    }


def import_labels(store: RunStore, drawn: Sequence[Drawn], by: str, path: Path) -> None:
    """Store all labels of the file, or none."""
    known = {each.response.id for each in drawn}
    held, kept, given_at = standing(store.labels()), list[Label](), dict[tuple[str, str], tuple[str, float]]()
    for where, row in read_table(path, "viva label --export", _COLUMNS):
        given = _text(row, "label").casefold()
        if not given:
            continue
        if (response := _text(row, "response")) not in known:
            raise UsageError(
                f"{where}: “{response}” is not an open answer to the exam of this run.",
                allowed="The values of the column response, as viva label --export wrote them.",
            )
        label = _label(row, where, response, _score(given, where), by)
        first, score = given_at.setdefault((response, label.by), (where, _score(given, where)))
        if score != label.score:
            raise UsageError(
                f"{where}: {label.by} gives the answer another label than in {first}.",
                allowed="One label of a person for an answer; nothing was stored.",
            )
        before = held.get((label.response_id, label.by))
        # what was drawn stays drawn, also where a file without its draw corrects it
        seed = before.seed if before and label.seed is None else label.seed
        if before is None or (before.score, before.seed) != (label.score, seed):
            kept.append(label.model_copy(update={"seed": seed}))
    if not given_at:
        raise UsageError(f"{path} contains no label.", allowed=_COLUMNS)
    store.add_labels(kept)


def _label(row: Mapping[str, object], where: str, response: str, score: float, by: str) -> Label:
    person = _text(row, "by") or by
    if not 1 <= len(person) <= 100:
        raise UsageError(f"{where}: the name in the column by has {len(person)} characters.", allowed="1 to 100.")
    draw = _text(row, "draw")
    seed = int(draw) if draw.isdecimal() and draw.isascii() and len(draw) < 19 else None
    at = datetime.now(UTC).isoformat(timespec="seconds")
    return Label(response_id=response, by=person, at=at, score=score, seed=seed)


def _score(given: str, where: str) -> float:
    told = word(given)
    if (known := _WORDS.get(told)) is not None:
        return known
    # on a scale of 1 a comma separates no thousands
    score, share = number(given, comma="," in given)
    score = -1.0 if score is None else score / 100 if share else score
    if not 0 <= score <= 1:
        raise UsageError(f"{where}: “{given}” is not a label.", allowed="y, n, partial, or a number from 0 to 1.")
    return score


def _text(row: Mapping[str, object], column: str) -> str:
    value = row.get(column)
    return "" if value is None else str(value).strip()
