"""An exam in figures and findings: its statistics, what the rules of item writing find, how two exams differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from viva.api.result import Cell, Column, Kind, Result, Table
from viva.core.accounts import Funnel
from viva.core.records import Exam
from viva.exams.diff import ExamDiff
from viva.exams.lint import Finding, Lint
from viva.exams.statistics import ExamStatistics, LengthSpread, Readability, exam_statistics

_SHOWN = 12
"""The most classes of a facet that are listed."""
_BASELINES = (Column("answering without reading"), Column("right", Kind.SHARE))
_BASELINES_TITLE = "Right answers without reading"
_FINDINGS = tuple(map(Column, ("level", "rule", "number", "id", "question", "finding")))


def statistics_result(exam: Exam, head: Result, funnel: Funnel | None) -> Result:
    """Put into words what an exam asks for, and what it takes to answer without reading."""
    found = exam_statistics(exam, funnel)
    best = found.best_fixed
    parts = [head, Result("", (), tuple(_candidates(found)))]
    empty = None
    if found.chance is None:
        empty = Table(_BASELINES_TITLE, _BASELINES, ())
        parts.append(Result("", (), ("All questions are open, so there is no baseline without reading.",)))
    else:
        rows: list[tuple[Cell, ...]] = [(each.name, each.right) for each in found.baselines]
        table = Table(_BASELINES_TITLE, _BASELINES, (*rows, ("chance", found.chance)))
        widths = ", ".join(f"{n} with {width} options" for width, n in found.options.items())
        widths += f"; open questions, not counted: {found.open_items}" if found.open_items else ""
        fixed = f"Best fixed answer: {best.name}, {best.right.value:.0%} right. " if best else ""
        parts.append(Result(table.title, (table,), (f"{fixed}Questions: {widths}.",)))
    parts.append(Result("", (), (*_wording(found), *_solving(found), *_shares(found), *_unchecked(found.unchecked))))
    record = {
        **found.model_dump(mode="json"),
        "best_fixed": best.name if best else None,
        "notes": _bare_notes(head),
    }
    return Result.joined("Exam statistics", parts, record, empty)


def _bare_notes(head: Result) -> list[str]:
    return [note.removeprefix("Note: ") for note in head.notes]


def _candidates(found: ExamStatistics) -> Iterator[str]:
    funnel = found.funnel
    if funnel is None:
        yield "Candidates: not known. Only the run that wrote an exam has the rejected drafts."
        return
    rejected, failed = sum(funnel.rejected.values()), sum(funnel.failed.values())
    yield (
        f"Candidates: {found.candidates} = {funnel.accepted} accepted + {rejected} rejected + {failed} "
        f"failed (a reply was missing or could not be read). In the exam: {funnel.in_exam}."
    )
    for label, counts in (("rejected", funnel.rejected), ("failed", funnel.failed), ("left out", funnel.left_out)):
        if counts:
            ranked = sorted(counts.items(), key=lambda c: (-c[1], c[0]))
            yield f"  {label}: {', '.join(f'{n} {name}' for name, n in ranked)}"


def _wording(found: ExamStatistics) -> Iterator[str]:
    if found.stem_words:
        yield f"Words in a question: {_spread(found.stem_words, 0)}."
    yield from map(_level, found.reading)
    if overlap := found.overlap:
        yield "Shared words (Jaccard index, 0 to 1):"
        yield f"  options of a question with each other: {_spread(overlap.within_options, 2)}"
        yield f"  key with the question: {_spread(overlap.key_and_stem, 2)}"
        yield f"  wrong options with the question: {_spread(overlap.distractors_and_stem, 2)}"


def _level(reading: Readability) -> str:
    if reading.lix is None:
        return f"Reading level ({reading.language}): there is no formula for this language."
    grade = f", grade {reading.grade:.1f} (Flesch-Kincaid)" if reading.grade is not None else ""
    return f"Reading level ({reading.texts} in {reading.language}): LIX {reading.lix:.0f}{grade}."


def _spread(spread: LengthSpread, digits: int) -> str:
    middle = f"{spread.median:.{digits}f}, half of them {spread.lower:.{digits}f} to {spread.upper:.{digits}f}"
    return f"median {middle} (least {spread.least:.{digits}f}, most {spread.most:.{digits}f})"


def _solving(found: ExamStatistics) -> Iterator[str]:
    if not found.solving:
        yield "Solved by readers: no reader tried these questions while they were written."
    for each in found.solving:
        how = "with the evidence" if each.with_evidence else "blind"
        yield f"Solved by {each.reader} {how}: {_BASELINES[1].show(each.right)} of {each.items} questions."


def _shares(found: ExamStatistics) -> Iterator[str]:
    for facet, counts in found.shares.items():
        most = list(counts.items())[:_SHOWN] if found.items else []
        listed = ", ".join(f"{name} {n} ({n / found.items:.0%})" for name, n in most)
        more = len(counts) - len(most)
        yield f"By {facet}: {listed}{f', and {more} more' if more else ''}."


def _unchecked(unchecked: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for language, rules in unchecked.items():
        yield f"Not checked in {language}, because there are no rules: {', '.join(rules)}."


def lint_result(exam: Exam, head: Result, lint: Lint) -> Result:
    """Put the findings into sentences under the question that they are of; `record` counts the errors."""
    stems = [shown.item.stem for shown in exam.items]
    parts, last = [head], tuple[int, ...]()
    for each in lint.findings:
        of_one = len(each.numbers) == 1 and each.numbers != last
        title = f"{each.numbers[0]:4d}  {each.items[0][:8]}  {stems[each.numbers[0] - 1]}" if of_one else ""
        parts.append(Result(title, (), (f"      {each.level}: {each.code}: {each.reason}",)))
        last = each.numbers
    told = [*(f"Not checked: {reason}" for reason in lint.skipped), *_unchecked(lint.unchecked)]
    parts.append(Result("", (), (*told, f"{lint.errors} errors, {len(lint.findings) - lint.errors} warnings.")))
    record = {**lint.model_dump(mode="json"), "errors": lint.errors, "notes": _bare_notes(head)}
    table = Table("Exam lint", _FINDINGS, tuple(_finding(each, stems) for each in lint.findings))
    return Result.joined("Exam lint", parts, record, table)


def _finding(found: Finding, stems: Sequence[str]) -> tuple[Cell, ...]:
    numbers, asked = ", ".join(map(str, found.numbers)), " / ".join(stems[number - 1] for number in found.numbers)
    return found.level, found.code, numbers, ", ".join(each[:8] for each in found.items), asked, found.reason


def diff_result(title: str, found: ExamDiff, notes: Sequence[str]) -> Result:
    """Put into sentences what differs between two exams."""
    told = [f"Note: {note}" for note in notes]
    for label, items in (("-", found.removed), ("+", found.added)):
        told += [f"{label} {item.number:4d}  {item.id[:8]}  {item.stem}" for item in items]
    for change in found.changed:
        told.append(f"~ {change.before.number:4d}  {change.before.id[:8]}  {change.before.stem}")
        told += [f"        {each.what}: {_side(each.before)} -> {_side(each.after)}" for each in change.changes]
    told += ["The questions of both exams are in another order."] if found.reordered else []
    told += ["The worked examples differ."] if found.examples_changed else []
    counts = f"{len(found.added)} added, {len(found.removed)} removed, {len(found.changed)} changed"
    told.append("The two exams are equal." if found.equal else f"{counts}, {found.same} the same.")
    return Result(title, (), tuple(told), {**found.model_dump(mode="json"), "notes": list(notes)})


def _side(text: str) -> str:
    return f"“{text}”" if text else "none"
