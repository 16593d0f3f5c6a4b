"""`viva exam stats`, `diff`, `lint`: an exam in figures and findings, in the terminal or as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rich.console import Console
from rich.table import Table

from viva.api.terminal import plain, print_json, wide_console
from viva.cli.exam.source import Opened, opened
from viva.cli.settings import settings_of
from viva.core.scores import Estimate
from viva.exams.diff import ExamDiff, exam_diff
from viva.exams.lint import Embed, Lint, lint_exam
from viva.exams.statistics import ExamStatistics, LengthSpread, exam_statistics
from viva.graphs.authoring.account import funnel_of

_SHOWN = 12
"""the most classes of a facet that are listed"""


def show_statistics(path: Path, file_format: str | None, database_url: str | None, *, as_json: bool) -> None:
    """Print the statistics of an exam."""
    with opened(path, database_url, file_format) as found:
        funnel = funnel_of(found.context.store) if found.context else None
        # an exam that was given is made of no candidates
        statistics = exam_statistics(found.exam, None if funnel and funnel.own else funnel)
    if as_json:
        best = statistics.best_fixed
        told = {**statistics.model_dump(mode="json"), "best_fixed": best.name if best else None}
        print_json({**told, "notes": list(found.notes)})
        return
    console = wide_console()
    _head(console, found, statistics.items)
    _print_candidates(console, statistics)
    _print_baselines(console, statistics)
    _print_wording(console, statistics)
    _print_solving(console, statistics)
    _print_shares(console, statistics)
    _print_unchecked(console, statistics.unchecked)


def _head(console: Console, found: Opened, items: int) -> None:
    console.print(plain(f"{found.path}: exam {found.exam.id}, {items} questions", style="bold"))
    for note in found.notes:
        console.print(plain(f"Note: {note}"))


def _print_candidates(console: Console, statistics: ExamStatistics) -> None:
    funnel = statistics.funnel
    if funnel is None:
        console.print(plain("Candidates: not known. Only the run that wrote an exam has the rejected drafts."))
        return
    rejected, failed = sum(funnel.rejected.values()), sum(funnel.failed.values())
    console.print(
        plain(
            f"Candidates: {statistics.candidates} = {funnel.accepted} accepted + {rejected} rejected + {failed} "
            f"failed (a reply was missing or could not be read). In the exam: {funnel.in_exam}."
        )
    )
    for label, counts in (("rejected", funnel.rejected), ("failed", funnel.failed), ("left out", funnel.left_out)):
        if counts:
            console.print(plain(f"  {label}: {_counts(counts)}"))


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{n} {name}" for name, n in sorted(counts.items(), key=lambda c: (-c[1], c[0])))


def _print_baselines(console: Console, statistics: ExamStatistics) -> None:
    if statistics.chance is None:
        console.print(plain("All questions are open, so there is no baseline without reading."))
        return
    by_width = ", ".join(f"{n} with {width} options" for width, n in statistics.options.items())
    if statistics.open_items:
        by_width += f"; open questions, not counted: {statistics.open_items}"
    table = Table(title="Right answers without reading", title_justify="left", title_style="bold")
    table.add_column("")
    table.add_column("right (95%)", justify="right", no_wrap=True)
    for baseline in statistics.baselines:
        table.add_row(plain(baseline.name), _share(baseline.right))
    table.add_section()
    table.add_row("chance", f"{statistics.chance:.0%}")
    console.print(table)
    best = statistics.best_fixed
    fixed = f"Best fixed answer: {best.name}, {best.right.value:.0%} right. " if best else ""
    console.print(plain(f"{fixed}Questions: {by_width}."))


def _share(estimate: Estimate) -> str:
    return f"{estimate.value:.0%} ({100 * estimate.low:.0f} to {100 * estimate.high:.0f})"


def _print_wording(console: Console, statistics: ExamStatistics) -> None:
    if statistics.stem_words:
        console.print(plain(f"Words in a question: {_spread(statistics.stem_words, 0)}."))
    for reading in statistics.reading:
        if reading.lix is None:
            console.print(plain(f"Reading level ({reading.language}): there is no formula for this language."))
            continue
        grade = f", grade {reading.grade:.1f} (Flesch-Kincaid)" if reading.grade is not None else ""
        console.print(plain(f"Reading level ({reading.texts} in {reading.language}): LIX {reading.lix:.0f}{grade}."))
    if statistics.overlap:
        overlap = statistics.overlap
        console.print(plain("Shared words (Jaccard index, 0 to 1):"))
        console.print(plain(f"  options of a question with each other: {_spread(overlap.within_options, 2)}"))
        console.print(plain(f"  key with the question: {_spread(overlap.key_and_stem, 2)}"))
        console.print(plain(f"  wrong options with the question: {_spread(overlap.distractors_and_stem, 2)}"))


def _spread(spread: LengthSpread, digits: int) -> str:
    middle = f"{spread.median:.{digits}f}, half of them {spread.lower:.{digits}f} to {spread.upper:.{digits}f}"
    return f"median {middle} (least {spread.least:.{digits}f}, most {spread.most:.{digits}f})"


def _print_solving(console: Console, statistics: ExamStatistics) -> None:
    if not statistics.solving:
        console.print(plain("Solved by readers: no reader tried these questions while they were written."))
    for solving in statistics.solving:
        how = "with the evidence" if solving.with_evidence else "blind"
        console.print(
            plain(f"Solved by {solving.reader} {how}: {_share(solving.right)} of {solving.items} questions.")
        )


def _print_shares(console: Console, statistics: ExamStatistics) -> None:
    for facet, counts in statistics.shares.items():
        listed = [
            f"{name} {n} ({n / statistics.items:.0%})"
            for name, n in list(counts.items())[:_SHOWN]
            if statistics.items
        ]
        more = len(counts) - len(listed)
        console.print(plain(f"By {facet}: {', '.join(listed)}{f', and {more} more' if more else ''}."))


def _print_unchecked(console: Console, unchecked: Mapping[str, tuple[str, ...]]) -> None:
    for language, rules in unchecked.items():
        console.print(plain(f"Not checked in {language}, because there are no rules: {', '.join(rules)}."))


# --- diff -------------------------------------------------------------------------------------------------


def show_diff(first: Path, second: Path, *, as_json: bool) -> None:
    """Print what differs between the two exams."""
    with opened(first) as before, opened(second) as after:
        found = exam_diff(before.exam, after.exam)
        notes = [f"{of.path}: {note}" for of in (before, after) for note in of.notes]
    if as_json:
        print_json({**found.model_dump(mode="json"), "notes": notes})
        return
    console = wide_console()
    console.print(plain(f"{first} (exam {found.first_id}) -> {second} (exam {found.second_id})", style="bold"))
    for note in notes:
        console.print(plain(f"Note: {note}"))
    _print_diff(console, found)


def _print_diff(console: Console, found: ExamDiff) -> None:
    for label, items in (("-", found.removed), ("+", found.added)):
        for item in items:
            console.print(plain(f"{label} {item.number:4d}  {item.id[:8]}  {item.stem}"))
    for change in found.changed:
        console.print(plain(f"~ {change.before.number:4d}  {change.before.id[:8]}  {change.before.stem}"))
        for each in change.changes:
            console.print(plain(f"        {each.what}: {_side(each.before)} -> {_side(each.after)}"))
    if found.reordered:
        console.print("The questions of both exams are in another order.")
    if found.examples_changed:
        console.print("The worked examples differ.")
    console.print(
        plain(
            "The two exams are equal."
            if found.equal
            else f"{len(found.added)} added, {len(found.removed)} removed, {len(found.changed)} changed, "
            f"{found.same} the same."
        )
    )


def _side(text: str) -> str:
    return f"“{text}”" if text else "none"


# --- lint -------------------------------------------------------------------------------------------------


def show_lint(
    path: Path, file_format: str | None, database_url: str | None, *, embeddings: bool, as_json: bool
) -> bool:
    """Print what the rules find. True if there are errors."""
    with opened(path, database_url, file_format) as found:
        lint = lint_exam(found.exam, _embed(found) if embeddings else None)
    if as_json:
        print_json({**lint.model_dump(mode="json"), "errors": lint.errors, "notes": list(found.notes)})
    else:
        _print_lint(wide_console(), found, lint)
    return lint.errors > 0


def _embed(found: Opened) -> Embed:
    if found.context:
        return found.context.embedder.embed
    from viva.llm.embeddings import SentenceTransformerEmbedder

    return SentenceTransformerEmbedder(settings_of({}).embedding_model, threads=1).embed


def _print_lint(console: Console, found: Opened, lint: Lint) -> None:
    _head(console, found, lint.items)
    stems = [shown.item.stem for shown in found.exam.items]
    last: tuple[int, ...] = ()
    for finding in lint.findings:
        if len(finding.numbers) == 1 and finding.numbers != last:
            number = finding.numbers[0]
            console.print(plain(f"{number:4d}  {finding.items[0][:8]}  {stems[number - 1]}", style="bold"))
        last = finding.numbers
        console.print(plain(f"      {finding.level}: {finding.code}: {finding.reason}"))
    for reason in lint.skipped:
        console.print(plain(f"Not checked: {reason}"))
    _print_unchecked(console, lint.unchecked)
    console.print(plain(f"{lint.errors} errors, {len(lint.findings) - lint.errors} warnings."))
