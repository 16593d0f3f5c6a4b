"""Cases that people labelled, read from a table whose columns are named or guessed by their names."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from viva.core.case_cells import case_in, has_text, text_of_cell
from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records.judging import Case, LabelledCase, Quality
from viva.core.wording import counted, listed
from viva.optimizers.label_columns import Columns, find_columns, needed
from viva.optimizers.label_values import LabelReader, label_reader, word
from viva.optimizers.labelled_rows import LabelledRow, read_labelled_rows
from viva.optimizers.objectives import IN_CLASSES


@dataclass(frozen=True)
class LabelledRows:
    """Labelled cases, each once, and what became of every row of the file.

    `columns` maps fields to the columns they were read from, `annotators` has people with the number of cases that
    each labelled. Of `rows`, some had no label (`unlabelled`), some lack a text that the quality needs (`lacking`),
    some repeat a case (`repeated`). Of `contradicted` cases, rows that name no annotator have different labels;
    some cases in classes are left out because people disagreed in equal numbers (`undecided`, counted in rows).
    `words` are labels whose meaning was not given.
    """

    name: str
    quality: Quality
    cases: tuple[LabelledCase, ...]
    columns: Mapping[str, str]
    rows: int
    unlabelled: int = 0
    lacking: int = 0
    repeated: int = 0
    contradicted: int = 0
    undecided: int = 0
    annotators: Mapping[str, int] = field(default_factory=dict)
    words: Mapping[str, float] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """16 hex digits of the cases and labels, whatever their order."""
        return fingerprint(self.cases)


def fingerprint(cases: Sequence[LabelledCase]) -> str:
    """16 hex digits of the cases and their labels, whatever their order."""
    return content_hash("labels", *sorted(f"{each.case.id} {each.label:.9g}" for each in cases))


def read_labelled(
    path: Path,
    quality: Quality,
    *,
    columns: Mapping[str, str] | None = None,
    label_range: tuple[float, float] = (0.0, 1.0),
    label_words: Mapping[str, float] | None = None,
) -> LabelledRows:
    """The labelled cases of a CSV, TSV, JSONL or JSON file, labels brought to 0 to 1 by `label_range`.

    `label_words` says what labels mean, on that range; other yes, no, true and false are the range's ends. A row
    without a label or without a needed text is left out and counted. Texts that the quality does not read stay empty.
    Cases that repeat become one, in the first of their groups by name. Its label is the mean of its annotators', for
    classes their majority; without annotators the mean or, where all labels are classes, the majority. Raises
    UsageError, by place, for all else that is not as it must be.
    """
    low, high = label_range
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise UsageError(f"--label-range is {low:g}-{high:g}.", allowed="Lowest and highest label, such as 0-5.")
    table, words = read_labelled_rows(path, quality), label_words or {}
    chosen = find_columns(path, table, quality, columns or {}, {*map(word, words)})
    reader = label_reader(path, table, chosen.labels, label_range, words)
    found: dict[str, list[_Read]] = defaultdict(list)
    unlabelled = lacking = 0
    for row in table.rows:
        read = _read(path, row, chosen, reader, quality)
        if read.label is None and not read.by:
            unlabelled += 1
        elif any(not has_text(read.case, name) for name in needed(quality)):
            lacking += 1
        else:
            found[read.case.id].append(read)
    once = _each_once(list(found.values()), quality, by_annotator={"label", "annotator"} <= chosen.of.keys())
    if not once.cases:
        raise _none_usable(
            f"{counted(len(table.rows), 'row')} in {path}", quality, unlabelled, lacking, once.undecided
        )
    return LabelledRows(
        name=f"{path.resolve().parent.name}/{path.stem}",
        quality=quality,
        cases=once.cases,
        columns=chosen.named,
        rows=len(table.rows),
        unlabelled=unlabelled,
        lacking=lacking,
        repeated=once.repeated,
        contradicted=once.contradicted,
        undecided=once.undecided,
        annotators=dict(sorted(Counter(name for each in once.cases for name in each.by).items())),
        words=reader.known,
    )


def _none_usable(rows: str, quality: Quality, unlabelled: int, lacking: int, undecided: int) -> UsageError:
    if not undecided:
        return UsageError(
            f"Of {rows} none has a label and {listed(needed(quality))}.",
            next_step="See that the columns are the right ones: --columns answer=...,label=...",
        )
    others = [(unlabelled, "without a label"), (lacking, "without a text that is needed")]
    left = "".join(f"; {count} {why}" for count, why in others if count)
    return UsageError(
        f"Of {rows} none can be used: {undecided} are of cases on which people disagree evenly{left}.",
        allowed="Rows of one case count once, with the label that most of them have.",
        next_step="Decide which label such a case has, or see that --columns names all texts that tell cases apart.",
    )


def read_pairs(text: str, option: str) -> dict[str, str]:
    """`a=b,c=d` as a mapping; a comma within a name is written twice. UsageError for anything else."""
    pairs = dict[str, str]()
    for part in text.replace(",,", "\0").split(","):
        name, sign, value = part.replace("\0", ",").partition("=")
        if not sign or not name.strip() or not value.strip():
            raise UsageError(f"{option} holds {part!r}.", allowed="NAME=VALUE, comma-separated.")
        if name.strip() in pairs:
            raise UsageError(f"{option} names {name.strip()!r} twice.")
        pairs[name.strip()] = value.strip()
    return pairs


def read_range(text: str) -> tuple[float, float]:
    """`0-5` or `-1..1` as its two ends. UsageError for anything else."""
    low, _, high = text.partition("..") if ".." in text else text.partition("-")
    try:
        return float(low), float(high)
    except ValueError:
        raise UsageError(f"--label-range is {text!r}.", allowed="Lowest and highest label: 0-5, or -1..1.") from None


# --- rows of one case -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Read:
    """One row: the label that it gives the case, where it has a column for that, and those of its annotators."""

    case: Case
    group: str
    label: float | None
    by: Mapping[str, float]


@dataclass(frozen=True)
class _Once:
    cases: tuple[LabelledCase, ...]
    repeated: int
    contradicted: int
    undecided: int


def _read(path: Path, row: LabelledRow, columns: Columns, reader: LabelReader, quality: Quality) -> _Read:
    case = _case(path, row, columns.of)
    label = reader.read(row, columns.of["label"]) if "label" in columns.of else None
    read = {name: reader.read(row, name) for name in columns.annotators}
    by = {name: value for name, value in read.items() if value is not None}
    if "annotator" in columns.of and label is not None and (person := _text(path, row, columns.of["annotator"])):
        by = {person: label}
    for value in (*by.values(), *([] if label is None else [label])):
        _check_class(path, row, quality, value)
    return _Read(case, _group(path, row, columns.of, case, quality), label, by)


def _check_class(path: Path, row: LabelledRow, quality: Quality, label: float) -> None:
    classes = IN_CLASSES.get(quality)
    if classes and label not in classes:
        raise UsageError(
            f"{row.place} of {path}: the label is {label:g} of 1, and {quality.value} has classes, no grades.",
            allowed=f"Its classes are {listed([f'{each:g}' for each in classes])}.",
            next_step='Say what each label means, without --label-range: --labels "1=0,2=0,4=1,5=1"',
        )


def _each_once(found: Sequence[Sequence[_Read]], quality: Quality, *, by_annotator: bool) -> _Once:
    """One case for each, in the order met, and what became of the other rows."""
    classes = quality in IN_CLASSES
    yes_no = classes or {each.label for same in found for each in same if each.label is not None} <= {0.0, 1.0}
    kept, repeated, contradicted, undecided = list[LabelledCase](), 0, 0, 0
    for same in found:
        votes: dict[str, list[float]] = defaultdict(list)
        for each in same:
            for name, value in each.by.items():
                votes[name].append(value)
        own = {name: agreed_label(values, majority=classes) for name, values in sorted(votes.items())}
        by = {name: value for name, value in own.items() if value is not None}
        labels = [each.label for each in same if each.label is not None and not (by_annotator and each.by)]
        people = [*by.values()] if by_annotator or not labels else []
        repeated += len(same) - (max(len(by), 1) if by_annotator and not labels else 1)
        contradicted += len({*labels}) > 1
        both = [*people, *labels]
        label = agreed_label(both, majority=classes or (yes_no and not people)) if both else None
        if label is None:
            undecided += len(same)
            continue
        kept.append(LabelledCase(case=same[0].case, label=label, group=min(each.group for each in same), by=by))
    return _Once(tuple(kept), repeated, contradicted, undecided)


def agreed_label(labels: Sequence[float], *, majority: bool) -> float | None:
    """The mean, or the label that most have; None where two have it equally often."""
    if not majority:
        return sum(sorted(labels)) / len(labels)
    (label, most), *others = Counter(labels).most_common(2)
    return None if others and others[0][1] == most else label


# --- texts ------------------------------------------------------------------------------------------------


def _case(path: Path, row: LabelledRow, columns: Mapping[str, str]) -> Case:
    try:
        return case_in(row.cells, columns)
    except ValueError as error:
        raise UsageError(f"{row.place} of {path}: {error}.", allowed="A text, a number, or nothing.") from error


def _text(path: Path, row: LabelledRow, column: str) -> str:
    try:
        return text_of_cell(row.cells, column)
    except ValueError as error:
        raise UsageError(f"{row.place} of {path}: {error}.", allowed="A text, a number, or nothing.") from error


def _group(path: Path, row: LabelledRow, columns: Mapping[str, str], case: Case, quality: Quality) -> str:
    """What the case shares a source with: as the file says, else its question or passages, whatever it is about."""
    if "group" in columns and (named := _text(path, row, columns["group"])):
        return named
    of_passages = quality in {Quality.ANSWERABILITY, Quality.FAITHFULNESS, Quality.GROUNDEDNESS}
    shared = "\n".join(case.passages) if of_passages else case.question
    # names of groups are compared and never shown: a text of any length will do, its hash does it better
    return content_hash("group", shared or case.reference or case.id)
