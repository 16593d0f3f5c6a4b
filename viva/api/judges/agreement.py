"""The judges, labels of people, and how far judges agree with them, as tables and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from viva.api.result import Cell, Column, Kind, Result, Table
from viva.core.errors import UsageError
from viva.core.estimates import Estimate
from viva.core.records.judging import JudgeCard, Measured, Quality
from viva.core.records.tuning import Agreement, Data, Disagreement, Figure, JudgeMeasurement
from viva.core.wording import counted, listed
from viva.optimizers.labelled import LabelledRows, read_labelled, read_pairs, read_range

_SHOWN = 3
_LONGEST = 150
Pairs = Mapping[str, str] | str | None
"""From a field to a column, or from a word to a number; or as text, such as "answer=a,label=score"."""


def read_columns(columns: Pairs) -> Mapping[str, str]:
    """Give the columns by field. UsageError for a text that is no such list."""
    return read_pairs(columns, "--columns") if isinstance(columns, str) else columns or {}


def read_labels(
    path: Path, quality: Quality, columns: Pairs, label_range: tuple[float, float] | str, labels: Pairs
) -> LabelledRows:
    """Read the labelled cases of a file. UsageError for what cannot be read."""
    words = read_pairs(labels, "--labels") if isinstance(labels, str) else labels or {}
    try:
        meaning = {word: float(number) for word, number in words.items()}
    except ValueError:
        raise UsageError(
            f"--labels {labels!r} cannot be read.", allowed="WORD=NUMBER pairs, separated by commas."
        ) from None
    ends = read_range(label_range) if isinstance(label_range, str) else label_range
    return read_labelled(path, quality, columns=read_columns(columns), label_range=ends, label_words=meaning)


def label_sentences(data: Data | LabelledRows, people: Agreement | None) -> Iterator[str]:
    """Say how the rows of a file of labels were read, and how far `people` agree among themselves."""
    read = ", ".join(f"{field}={column}" for field, column in data.columns.items())
    yield f"  Labels: {data.name}, {counted(data.rows, 'row')}, with the columns {read}."
    out = [
        (data.unlabelled, "without a label"),
        (data.lacking, "without a necessary text"),
        (data.repeated, "that repeat another"),
        (data.undecided, "on which people disagree evenly"),
        (getattr(data, "taken_out", 0), "that are nearly the same as a test case"),
    ]
    if any(count for count, _ in out):
        yield f"  Left out: {', '.join(f'{count} {why}' for count, why in out if count)}."
    if data.words:
        yield f"  Labels in words: {', '.join(f'{word}={value:g}' for word, value in sorted(data.words.items()))}."
    if data.contradicted:
        yield (
            f"  {counted(data.contradicted, 'case')} repeated with different labels and no annotator: the mean "
            "counts, of yes and no what most rows say."
        )
    if data.annotators:
        who = listed([f"{name} ({count})" for name, count in data.annotators.items()])
        yield f"  Annotators, and the cases that they labelled: {who}."
    if people:
        yield f"  {_agreed(people)}."


def _agreed(people: Agreement) -> str:
    told = [f"{each.name} {FIGURE.show(figure_cell(each))}" for each in people.figures if each.estimate is not None]
    if not told:
        return f"How far the annotators agree is not known. {people.figures[-1].undefined}".rstrip(". ")
    return (
        f"Each annotator agrees with the others, on {counted(people.cases, 'case')} that two or more labelled: "
        f"{', '.join(told)}"
    )


FIGURE = Column("value", Kind.NUMBER, 3)


def figure_cell(found: Figure | None) -> Cell:
    """Give a figure with its interval, where it has one."""
    if found is None or found.estimate is None or found.low is None or found.high is None:
        return found.estimate if found else None
    return Estimate(found.estimate, found.low, found.high)


def agreement_result(judges: Sequence[tuple[str, Agreement]], people: Agreement | None, title: str) -> Result:
    """Put the figures of judges and of people among themselves into a table; why some have no interval."""
    columns = [*judges, *([("people, each with the others", people)] if people else [])]
    rows: list[tuple[Cell, ...]] = [
        (figure.name, *(figure_cell(found.figure(figure.name)) for _, found in columns))
        for figure in judges[0][1].figures
    ]
    unjudged = [found.unjudged for _, found in judges]
    rows.append(("not judged", *unjudged, *([None] if people else [])))
    heads = (Column("statistic"), *(Column(name, Kind.NUMBER, 3) for name, _ in columns))
    reasons: dict[str, list[str]] = {}
    for figure in (figure for _, found in judges for figure in found.figures if figure.undefined):
        reasons.setdefault(figure.undefined, []).append(figure.name)
    why = [
        f"  {', '.join(dict.fromkeys(names))}: {reason[:1].lower()}{reason[1:]}" for reason, names in reasons.items()
    ]
    confusion = [f"  {name}: {_confusion(found)}." for name, found in judges if found.labels]
    return Result(title, (Table(title, heads, tuple(rows)),), (*why, *confusion))


def _confusion(found: Agreement) -> str:
    return "; ".join(
        f"of {sum(row)} that people rated {label:g}, "
        + ", ".join(f"{count} were rated {each:g}" for each, count in zip(found.labels, row, strict=True) if count)
        for label, row in zip(found.labels, found.counts, strict=True)
        if any(row)
    )


def worst_sentences(worst: Sequence[Disagreement], judge: str) -> Iterator[str]:
    """Quote the cases in which a judge differs most from people."""
    if worst:
        yield f"  The cases in which {judge} differs most from people:"
    for each in worst[:_SHOWN]:
        shown = " | ".join(text for text in (each.question, each.reference, each.answer) if text)
        yield f"    people {each.people:.2f}, judge {each.judge:.2f}: {shown[:_LONGEST]}"


@dataclass(frozen=True, repr=False)
class MeasuredJudge(Result):
    """The agreement of a judge with people."""

    found: JudgeMeasurement | None = None

    @classmethod
    def of(cls, labelled: LabelledRows, found: JudgeMeasurement, file: Path) -> MeasuredJudge:
        """Put the figures into a table, with how the labels were read and where the judge is furthest off."""
        name, title = found.judge.name, f"Agreement with people on {counted(len(labelled.cases), 'case')}"
        learned = f"  {name} was tuned on these labels: its figures are better than on others."
        kept = (
            "viva judges shows these figures." if found.judge.measured else "No figure has an interval: none is kept."
        )
        head = (*label_sentences(labelled, found.people), *([learned] if found.learned_from else []))
        parts = (
            Result("", (), head),
            agreement_result([(name, found.agreement)], found.people, title),
            Result("", (), (*worst_sentences(found.worst, name), f"  {kept}")),
        )
        made = Result.joined(title, parts)
        record = {"file": str(file), **found.model_dump(mode="json")}
        return cls(title, made.tables, made.notes, record, found, parts=made.parts)

    @property
    def agreement(self) -> dict[str, float | None]:
        """The figures without their intervals: spearman, mcc, accuracy ...; None where one is undefined."""
        return {each.name: each.estimate for each in self.found.agreement.figures} if self.found else {}


def judges(wanted: str | None = None, *, every: bool = False) -> Result:
    """List the judges with their agreement with people, measured ones first.

    Of each quality, the one whose agreement with people is surely highest comes first. `wanted`: a quality, to list
    only its judges, or the name of one, to see all its figures; `every`: show all figures of all.
    """
    from viva.graphs.grading.judge_list import figures_shown, found_judges
    from viva.storage.judges import judges_folder

    cards, unusable = found_judges(wanted)
    is_one = wanted is not None and all(card.judges.value != wanted.replace("-", "_") for card in cards)
    every = every or is_one
    shown: list[tuple[JudgeCard, Measured | None]] = []
    for card in cards:
        shown += [(card, each) for each in figures_shown(card, every=every)] or [(card, None)]
    title = "Judges, and their agreement with people"
    table = Table(title, _JUDGES, tuple(_judge_row(card, each) for card, each in shown))
    notes = list[str]()
    if names := ", ".join(dict.fromkeys(card.name for card in cards if not card.measured)):
        notes.append(f"  Not measured, so that their agreement with people is not known: {names}.")
    for card in cards:
        trained = f"trained on {', '.join(card.trained_on)}" if every and card.trained_on else ""
        tuned = f"tuned by {card.optimizer}" if every and card.optimizer else ""
        notes += [f"  {card.name}: {note}" for note in (trained, tuned, card.note) if note]
    notes += [f"  Not usable: {each.reason}" for each in unusable]
    notes.append(f"  Tuned judges are in {judges_folder()}. viva tune and viva judges measure add figures.")
    notes.append("  Agreement was measured with one model on one set of labels. On your data it may differ.")
    record = {
        "judges": [card.model_dump(mode="json") for card in cards],
        "unusable": [{"file": str(each.file), "reason": each.reason} for each in unusable],
    }
    return Result(title, (table,) if cards else (), tuple(notes), record)


_JUDGES = (
    *map(Column, ("name", "type", "model", "statistic")),
    Column("agreement", Kind.NUMBER, 3),
    Column("people", Kind.NUMBER, 3, spare=1),
    Column("measured on"),
    Column("labels", Kind.NUMBER, spare=2),
    Column("not judged", Kind.NUMBER, spare=3),
)


def _judge_row(card: JudgeCard, each: Measured | None) -> tuple[Cell, ...]:
    head = (card.name, card.make.value, card.model or "-")
    if each is None:
        return *head, "not measured", None, None, "", None, None
    figure = Estimate(each.estimate, each.low, each.high)
    return *head, each.statistic, figure, each.people, each.data, each.labels, each.unjudged
