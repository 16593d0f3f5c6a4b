"""`viva grade`: have a judge grade the answers of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from viva.cli.judges.options import GradeOptions
from viva.cli.options import takes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from viva.graphs.grading.grade_file import GradeSummary

EPILOG = "Example: viva grade answers.csv, or viva grade answers.jsonl --judge faithfulness-offline --out graded.csv"


@takes(GradeOptions)
def grade(given: GradeOptions) -> None:
    """Grade the answers of a file, with a mean, its interval, and a score for each row.

    It needs no run. Columns of ragas, deepeval, TruLens, LangSmith and Langfuse are known by name. An interrupted
    command continues if it is run again: what a language model said is kept.
    """
    from viva.api.terminal import plain, print_json, wide_console
    from viva.cli.judges.judging import judged_table
    from viva.core.errors import UsageError
    from viva.exams.formats.rows import check_table, write_table
    from viva.graphs.grading.grade_file import result_rows, summarise

    if given.out is not None:
        check_table(given.out)
        if given.out.resolve() == given.file.resolve():
            raise UsageError(f"--out is {given.out}, the file that is graded.", next_step="Name another --out.")
        if not given.out.parent.is_dir():
            raise UsageError(f"There is no folder {given.out.parent}.", next_step="Make it, or name another --out.")
    table, card, said = judged_table(given)
    found = summarise(table, card, said)
    if given.out is not None:
        write_table(result_rows(table, said), given.out)
    if given.json:
        rows = zip(table.rows, said, strict=True)
        results = [{"place": row.place, **one.model_dump(mode="json")} for row, one in rows]
        print_json({"file": str(given.file), **found.model_dump(mode="json"), "results": results})
        return
    console = wide_console()
    for line in _lines(given, found):
        console.print(plain(line))


def _lines(given: GradeOptions, found: GradeSummary) -> Iterator[str]:
    from viva.cli.judges.commands import measured_lines
    from viva.cli.terminal.tables import percent_told
    from viva.core.wording import counted, listed, number

    yield f"{given.file}: {found.quality} by {found.judge.name}, {counted(found.rows, 'row')}"
    yield f"  Columns: {', '.join(f'{field}={column}' for field, column in found.columns.items())}."
    if found.not_found:
        yield f"  Judged without {listed(found.not_found)}: no column is known to hold it (--columns)."
    if found.mean is None:
        yield "  No row was judged."
    else:
        low, high = number(found.mean.low, 2), number(found.mean.high, 2)
        yield f"  Mean score: {number(found.mean.value, 2)} (95% interval {low} to {high}), {found.judged} judged."
        yield f"  Right, a score of {found.cut:g} or more: {percent_told(found.right)}."
    if found.empty:
        yield f"  Empty answers: {found.empty}."
    for code, count in found.unjudged.items():
        yield f"  Not judged, and in no figure: {count} ({code}: {found.reasons[code]})"
    figures = "; ".join(f"{figure}, {data}" for figure, data in measured_lines(found.judge))
    unknown = "not measured, so that its scores are on no known scale"
    yield f"  Agreement of this judge with people: {figures or unknown}."
    if given.out is not None:
        yield f"  Scores and reasons of all rows: {given.out}"
