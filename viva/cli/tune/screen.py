"""A tuning on one screen: labels, candidates, and the agreement of base and tuned judge with people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from viva.api.terminal import plain, print_json, wide_console
from viva.core.records.judging import Quality
from viva.core.records.tuning import Agreement, CandidatePrompt, Data, Disagreement, Figure, TuningReport
from viva.core.wording import counted, listed, number, seconds
from viva.metrics.judges.paired import LEAST_GROUPS
from viva.optimizers.labelled import LabelledRows

_SHOWN = 3
_LONGEST = 150
_SMALL = 50
_FEW_SOURCES = 20
"""With fewer test cases, or sources of them, only large differences can be detected."""


def print_plan(data: Data, quality: Quality, how: str, calls: int, *, as_json: bool) -> None:
    """Print how the labels are read and split, and the most calls that it needs."""
    if as_json:
        print_json({"quality": quality.value, "how": how, "calls": calls, "data": data.model_dump(mode="json")})
        return
    console = wide_console()
    console.print(plain(f"Tuning {quality.value} by {how}", style="bold"))
    _print_data(console, data)
    console.print(
        plain(f"It would make about {counted(calls, 'call')}, or fewer if it finds little. No model was asked.")
    )


def print_report(report: TuningReport, folder: Path, *, as_json: bool) -> None:
    """Print one screen, or the whole report as JSON."""
    if as_json:
        print_json(report.model_dump(mode="json"))
        return
    console = wide_console()
    by = f"{report.optimizer} ({report.effort})"
    console.print(plain(f"Tuning {report.quality.value} by {by} with {report.model}", style="bold"))
    _print_verdict(console, report)
    _print_data(console, report.data)
    _print_candidates(console, report)
    _print_agreement(console, report)
    _print_worst(console, report)
    _print_cost(console, report, folder)


def print_labels(console: Console, data: Data | LabelledRows, people: Agreement | None) -> None:
    """Print how the rows of a file of labels were read, and how far `people` agree among themselves."""
    read = ", ".join(f"{field}={column}" for field, column in data.columns.items())
    console.print(plain(f"  Labels: {data.name}, {counted(data.rows, 'row')}, with the columns {read}."))
    out = [
        (data.unlabelled, "without a label"),
        (data.lacking, "without a necessary text"),
        (data.repeated, "that repeat another"),
        (data.undecided, "on which people disagree evenly"),
        (getattr(data, "taken_out", 0), "that are nearly the same as a test case"),
    ]
    if any(count for count, _ in out):
        left = ", ".join(f"{count} {why}" for count, why in out if count)
        console.print(plain(f"  Left out: {left}."))
    for line in _of_labels(data, people):
        console.print(plain(f"  {line}"))


def _print_data(console: Console, data: Data) -> None:
    print_labels(console, data, data.people)
    merged = f" ({data.merged} of them are several groups with nearly the same text)" if data.merged else ""
    console.print(
        plain(
            f"  Split by content, none of {counted(data.groups, 'source')} divided{merged}: "
            f"{data.train} to learn from, {data.validation} to choose by, {data.test} to report on."
        )
    )
    if data.test < _SMALL or data.test_groups < _FEW_SOURCES:
        none = (
            f"; with fewer than {LEAST_GROUPS} sources no judge is adopted" if data.test_groups < LEAST_GROUPS else ""
        )
        console.print(
            plain(
                f"  {counted(data.test, 'test case')} of {counted(data.test_groups, 'source')} are few: only a large "
                f"difference can be detected{none}."
            )
        )


def _of_labels(data: Data | LabelledRows, people: Agreement | None) -> Iterator[str]:
    """What is to be known of the labels themselves: words, contradictions, and how far people agree."""
    if data.words:
        yield f"Labels in words: {', '.join(f'{word}={value:g}' for word, value in sorted(data.words.items()))}."
    if data.contradicted:
        yield (
            f"{counted(data.contradicted, 'case')} repeated with different labels and no annotator: the mean counts, "
            "of yes and no what most rows say."
        )
    if data.annotators:
        who = listed([f"{name} ({count})" for name, count in data.annotators.items()])
        yield f"Annotators, and the cases that they labelled: {who}."
    if people:
        yield f"{_agreed(people)}."


def _agreed(people: Agreement) -> str:
    told = [f"{each.name} {_figure(each)}" for each in people.figures if each.estimate is not None]
    if not told:
        return f"How far the annotators agree is not known. {people.figures[-1].undefined}".rstrip(". ")
    return (
        f"Each annotator agrees with the others, on {counted(people.cases, 'case')} that two or more labelled: "
        f"{', '.join(told)}"
    )


def _print_candidates(console: Console, report: TuningReport) -> None:
    if not report.candidates:
        return
    console.print(plain(f"  On the validation part, {report.statistic}:"))
    for each in report.candidates:
        console.print(plain(f"  {'*' if each.chosen else ' '} {_value(each)}  {each.how}{_note(each)}"))


def _value(each: CandidatePrompt) -> str:
    return f"{'-' if each.value is None else number(each.value, 3):>6}"


def _note(each: CandidatePrompt) -> str:
    notes = [each.undefined, f"{each.unjudged} not judged" if each.unjudged else "", each.refused]
    told = " ".join(note.rstrip(".") + "." for note in notes if note)
    return f" ({told.rstrip('.')})" if told else ""


def _print_agreement(console: Console, report: TuningReport) -> None:
    judges = [(name, found) for name, found in (("base", report.base), ("tuned", report.tuned)) if found]
    title = f"Agreement with people on {report.data.test} test cases, 95% intervals"
    print_agreement(console, judges, report.people, title)


def print_agreement(
    console: Console, judges: Sequence[tuple[str, Agreement]], among: Agreement | None, title: str
) -> None:
    """Print the figures of judges and of people among themselves, and why some have no interval."""
    people = [("people, each with the others", among)] if among else []
    table = Table(title=plain(title))
    table.title_justify, table.title_style = "left", "bold"
    table.add_column("")
    for name, _ in (*judges, *people):
        table.add_column(name, justify="right", no_wrap=True)
    for figure in judges[0][1].figures:
        told = [_figure(found.figure(figure.name)) for _, found in (*judges, *people)]
        table.add_row(figure.name, *told)
    table.add_row("not judged", *(str(found.unjudged) for _, found in judges), *("" for _ in people))
    console.print(table)
    reasons: dict[str, list[str]] = {}
    for figure in (figure for _, found in judges for figure in found.figures if figure.undefined):
        reasons.setdefault(figure.undefined, []).append(figure.name)
    for reason, names in reasons.items():
        console.print(plain(f"  {', '.join(dict.fromkeys(names))}: {reason[:1].lower()}{reason[1:]}"))
    for name, found in judges:
        _print_confusion(console, name, found)


def _figure(found: Figure | None) -> str:
    if found is None or found.estimate is None:
        return "-"
    if found.low is None or found.high is None:
        return number(found.estimate, 3)
    return f"{number(found.estimate, 3)} ({number(found.low, 3)} to {number(found.high, 3)})"


def _print_confusion(console: Console, name: str, found: Agreement) -> None:
    if not found.labels:
        return
    told = "; ".join(
        f"of {sum(row)} that people rated {label:g}, {', '.join(_row(found, row))}"
        for label, row in zip(found.labels, found.counts, strict=True)
        if any(row)
    )
    console.print(plain(f"  {name}: {told}."))


def _row(found: Agreement, row: tuple[int, ...]) -> list[str]:
    return [f"{count} were rated {label:g}" for label, count in zip(found.labels, row, strict=True) if count]


def _print_worst(console: Console, report: TuningReport) -> None:
    used = "tuned" if report.decision.adopted and report.tuned else "base"
    print_worst(console, report.worst, f"the {used} judge")


def print_worst(console: Console, worst: Sequence[Disagreement], judge: str) -> None:
    """Print the cases in which a judge differs most from people."""
    if not worst:
        return
    console.print(plain(f"  The cases in which {judge} differs most from people:"))
    for each in worst[:_SHOWN]:
        shown = " | ".join(text for text in (each.question, each.reference, each.answer) if text)
        console.print(plain(f"    people {each.people:.2f}, judge {each.judge:.2f}: {shown[:_LONGEST]}"))


def _print_verdict(console: Console, report: TuningReport) -> None:
    decision = report.decision
    head = "Adopted." if decision.adopted else "Not adopted: the base judge stays in use."
    console.print(plain(f"  {head} {decision.why}", style="bold"))
    if decision.fell_back:
        console.print(plain(f"  {report.statistic} could not decide: {decision.fell_back}"))
    if report.earlier:
        console.print(
            plain(
                f"  Other tunings in this folder that were decided on the same test cases: {report.earlier}. About "
                "one useless tuning in forty is adopted by chance. Check with new test cases: --test FILE"
            )
        )


def _print_cost(console: Console, report: TuningReport, folder: Path) -> None:
    cost = report.cost
    console.print(
        plain(
            f"  All tunings in {folder}: {cost.requests:,} requests, {cost.tokens:,} tokens, "
            f"${cost.dollars:.4f} where prices are known. This one took {seconds(cost.seconds)}."
        )
    )
    if report.installed:
        console.print(plain(f"  Installed as {report.judge}: {report.installed}"))
    console.print(plain(f"  The whole report: {folder / report.page}"))
