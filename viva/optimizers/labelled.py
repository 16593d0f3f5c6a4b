"""Cases that people labelled, read from a table whose columns are named or guessed by their names."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from viva.agents.judges.model.forms import FORMS
from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records.judging import Case, LabelledCase, Quality
from viva.core.wording import counted
from viva.optimizers.labelled_rows import LabelledRow, read_labelled_rows
from viva.optimizers.objectives import IN_CLASSES

TEXTS = ("question", "answer", "reference", "passages", "other")
FIELDS = (*TEXTS, "label", "group")

_USUAL = {
    "question": "question query user_input message".split(),
    "answer": "answer response student_answer prediction sentence2".split(),
    "reference": "reference gold ground_truth reference_answer expected expected_answer sentence1".split(),
    "passages": "passages passage context contexts retrieved_contexts knowledge evidence".split(),
    "other": "other answer_b other_answer response_b".split(),
    "label": (
        "label human_correct human_score score rating grade similarity answerable answerability supported preferred"
    ).split(),
    "group": "group article title topic".split(),
}
_YES = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
_NONE = frozenset({"", "na", "nan", "none", "null"})


@dataclass(frozen=True)
class LabelledRows:
    """Labelled cases, each once, and what became of every row of the file.

    `columns` maps fields to the columns they were read from. Of `rows`, some had no label (`unlabelled`), some lack a
    text that the quality needs (`lacking`), some repeat a case (`repeated`), and of some cases in classes people
    disagreed in equal numbers (`undecided`, counted in rows).
    """

    name: str
    quality: Quality
    cases: tuple[LabelledCase, ...]
    columns: Mapping[str, str]
    rows: int
    unlabelled: int = 0
    lacking: int = 0
    repeated: int = 0
    undecided: int = 0

    @property
    def fingerprint(self) -> str:
        """16 hex digits of the cases and labels, whatever their order."""
        return fingerprint(self.cases)


def needed(quality: Quality) -> tuple[str, ...]:
    """What a case must hold for the quality to be judged at all."""
    return FORMS[quality].needs


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
    """The labelled cases of a CSV, TSV or JSONL file, labels brought to 0 to 1 by `label_range`.

    `label_words` says what labels mean, on that range; other yes, no, true and false are the range's ends. A row
    without a label or without a needed text is left out and counted. Texts that the quality does not read stay empty.
    Cases that repeat become one, in the first of their groups by name, its label the mean or, where all labels are
    classes, the majority. Raises UsageError, by place, for all else that is not as it must be.
    """
    low, high = label_range
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise UsageError(f"--label-range is {low:g}-{high:g}.", allowed="Lowest and highest label, such as 0-5.")
    rows = read_labelled_rows(path)
    chosen = _columns(path, rows, quality, columns or {})
    _check_words(path, rows, chosen["label"], label_words or {})
    scaled = _reader(path, chosen["label"], label_range, label_words or {})
    found: dict[str, list[LabelledCase]] = defaultdict(list)
    unlabelled = lacking = 0
    for row in rows:
        label = scaled(row)
        if label is None:
            unlabelled += 1
            continue
        _check_class(path, row, quality, label)
        case = _case(path, row, chosen)
        if any(not _has(case, field) for field in needed(quality)):
            lacking += 1
            continue
        group = _group(path, row, chosen, case, quality)
        found[case.id].append(LabelledCase(case=case, label=label, group=group))
    cases, undecided = _each_once(list(found.values()), quality)
    if not cases:
        raise _none_usable(f"{counted(len(rows), 'row')} in {path}", quality, unlabelled, lacking, undecided)
    repeated = sum(len(same) - 1 for same in found.values())
    name = f"{path.resolve().parent.name}/{path.stem}"
    return LabelledRows(name, quality, cases, chosen, len(rows), unlabelled, lacking, repeated, undecided)


def _none_usable(rows: str, quality: Quality, unlabelled: int, lacking: int, undecided: int) -> UsageError:
    if not undecided:
        return UsageError(
            f"Of {rows} none has a label and {_listed(needed(quality))}.",
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


# --- columns ----------------------------------------------------------------------------------------------


def _columns(path: Path, rows: Sequence[LabelledRow], quality: Quality, told: Mapping[str, str]) -> dict[str, str]:
    """The column of every field that has one: as told, else by its usual names."""
    there = list(dict.fromkeys(name for row in rows for name in row.cells if name))
    shown = f"Columns of {path}: {', '.join(there)}."
    for field, column in told.items():
        if field not in FIELDS:
            raise UsageError(f"--columns names a field {field!r}.", allowed=f"Fields: {', '.join(FIELDS)}.")
        if column not in there:
            raise UsageError(f"--columns names {column!r}, and there is no such column.", allowed=shown)
    taken = set(told.values())
    chosen = dict(told)
    for field in FIELDS:
        usual = [name for name in there if name.casefold() in _USUAL[field] and name not in taken]
        usual.sort(key=lambda name: _USUAL[field].index(name.casefold()))
        if field not in chosen and usual:
            chosen[field] = usual[0]
            taken.add(usual[0])
    lacking = [field for field in (*needed(quality), "label") if field not in chosen]
    if lacking:
        raise UsageError(
            f"No column of {path} is known to hold {_listed(lacking)}.",
            allowed=shown,
            next_step=f"Name it: --columns {','.join(f'{field}=COLUMN' for field in lacking)}",
        )
    read = {*_reads(quality), "label", "group"}
    return {field: column for field, column in chosen.items() if field in read}


def _reads(quality: Quality) -> frozenset[str]:
    """The texts of a case that a judge of the quality is told; it cannot tell cases apart by others."""
    told = {"first_answer": "answer", "second_answer": "other"}
    return frozenset(told.get(name, name) for name in FORMS[quality].brief.reads) & frozenset(TEXTS)


def _case(path: Path, row: LabelledRow, columns: Mapping[str, str]) -> Case:
    texts = {name: _text(path, row, columns[name]) for name in TEXTS if name != "passages" and name in columns}
    passages = _passages(path, row, columns["passages"]) if "passages" in columns else ()
    return Case(**texts, passages=passages)


def _has(case: Case, field: str) -> bool:
    value = getattr(case, field)
    return any(each.strip() for each in value) if isinstance(value, tuple) else bool(value.strip())


def _text(path: Path, row: LabelledRow, column: str) -> str:
    value = row.cells.get(column)
    if value is None:
        return ""
    if isinstance(value, dict | list):
        raise UsageError(f"{row.place} of {path}: {column} is no text.", allowed="A text, a number, or nothing.")
    return value.strip() if isinstance(value, str) else json.dumps(value)


def _passages(path: Path, row: LabelledRow, column: str) -> tuple[str, ...]:
    value = row.cells.get(column)
    if not isinstance(value, list):
        text = _text(path, row, column)
        return (text,) if text else ()
    if not all(isinstance(each, str) for each in value):
        raise UsageError(f"{row.place} of {path}: {column} holds what is no text.", allowed="A list of texts.")
    return tuple(each.strip() for each in value if isinstance(each, str) and each.strip())


def _group(path: Path, row: LabelledRow, columns: Mapping[str, str], case: Case, quality: Quality) -> str:
    """What the case shares a source with: as the file says, else its question or passages, whatever it is about."""
    if "group" in columns and (told := _text(path, row, columns["group"])):
        return told
    of_passages = quality in {Quality.ANSWERABILITY, Quality.FAITHFULNESS, Quality.GROUNDEDNESS}
    shared = "\n".join(case.passages) if of_passages else case.question
    # names of groups are compared and never shown: a text of any length will do, its hash does it better
    return content_hash("group", shared or case.reference or case.id)


# --- labels -----------------------------------------------------------------------------------------------


def _reader(
    path: Path, column: str, label_range: tuple[float, float], words: Mapping[str, float]
) -> Callable[[LabelledRow], float | None]:
    """Reads the label of a row: 0 to 1, or None where there is none."""
    low, high = label_range
    known = {name.casefold(): value for name, value in words.items()}

    def read(row: LabelledRow) -> float | None:
        told = _word(row.cells.get(column))
        if told in known:
            value = known[told]
        elif told in _NONE:
            return None
        elif told in _YES:
            return _YES[told]
        else:
            value = _number(path, row, column, row.cells[column])
        if not low <= value <= high:
            raise UsageError(
                f"{row.place} of {path}: the label {value:g} lies outside {low:g} to {high:g}.",
                next_step="Say which range the labels have: --label-range 0-5",
            )
        return (value - low) / (high - low)

    return read


def _word(cell: JsonValue) -> str:
    """A label as --labels may name it, whatever kind of file it stands in."""
    return (cell.strip() if isinstance(cell, str) else json.dumps(cell)).casefold()


def _check_words(path: Path, rows: Sequence[LabelledRow], column: str, words: Mapping[str, float]) -> None:
    """UsageError for a word that is nowhere beside labels that no word names: it was to be one of those."""
    there = {_word(row.cells.get(column)) for row in rows}
    known = {word.casefold(): word for word in words}
    unused, unnamed = sorted(known.keys() - there), sorted(there - known.keys() - _NONE)
    if unused and unnamed:
        raise UsageError(
            f"--labels names {known[unused[0]]!r}, and no row of {path} has this label.",
            allowed=f"Labels in {column} that it does not name: {', '.join(each[:60] for each in unnamed[:5])}.",
            next_step="Name labels as the file has them, or leave the word out.",
        )


def _check_class(path: Path, row: LabelledRow, quality: Quality, label: float) -> None:
    classes = IN_CLASSES.get(quality)
    if classes and label not in classes:
        raise UsageError(
            f"{row.place} of {path}: the label is {label:g} of 1, and {quality.value} has classes, no grades.",
            allowed=f"Its classes are {_listed([f'{each:g}' for each in classes])}.",
            next_step='Say what each label means, without --label-range: --labels "1=0,2=0,4=1,5=1"',
        )


def _number(path: Path, row: LabelledRow, column: str, told: JsonValue) -> float:
    try:
        value = float(told) if isinstance(told, str | int | float) else math.nan
    except (ValueError, OverflowError):
        value = math.nan
    if math.isfinite(value):
        return value
    raise UsageError(
        f"{row.place} of {path}: the label in {column} is {json.dumps(told, ensure_ascii=False)[:60]}.",
        allowed="A number, true or false, yes or no, or nothing where there is no label.",
        next_step='Say what words mean: --labels "attributable=1,not attributable=0"',
    )


def _each_once(found: Sequence[Sequence[LabelledCase]], quality: Quality) -> tuple[tuple[LabelledCase, ...], int]:
    """One case for each, in the order met, and the number of rows on which people cannot be told to agree."""
    classes = quality in IN_CLASSES or {each.label for same in found for each in same} <= {0.0, 1.0}
    kept, undecided = list[LabelledCase](), 0
    for same in found:
        labels = [each.label for each in same]
        label = sum(sorted(labels)) / len(labels)
        if classes:
            (label, most), *others = Counter(labels).most_common(2)
            if others and others[0][1] == most:
                undecided += len(same)
                continue
        kept.append(same[0].model_copy(update={"label": label, "group": min(each.group for each in same)}))
    return tuple(kept), undecided


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
