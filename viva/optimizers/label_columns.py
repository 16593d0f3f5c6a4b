"""Which columns of a table of labels hold what: by the names they usually have, in nested rows too."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from viva.agents.judges.model.forms import FORMS
from viva.core.case_cells import TEXTS, USUAL, even_name
from viva.core.errors import UsageError
from viva.core.records.judging import Quality
from viva.core.wording import counted, listed
from viva.optimizers.label_values import NONE, is_label, word
from viva.optimizers.labelled_rows import LabelTable

FIELDS = (*TEXTS, "label", "group", "annotator")

_USUAL = {
    **USUAL,
    "label": (
        "label labels human_correct human_score human_label human_rating human_grade score rating grade similarity "
        "answerable answerability supported preferred annotation verdict bewertung étiquette etiqueta"
    ).split(),
    "group": "group article title topic".split(),
    "annotator": (
        "annotator annotator_id annotator_name rater rater_id reviewer labeller labeler coder assessor worker "
        "worker_id annotated_by labelled_by labeled_by by"
    ).split(),
}
_WEAK = frozenset({"score", "rating", "grade", "similarity"})
"""Names that a program's score may have too: labels of annotators go before them."""
_GENERIC = frozenset({"text", "content", "value", "string", "output", "answer", "score", "label"})
_ASIDE = frozenset({"metadata", "meta", "info", "extra", "config"})
_EXAMPLE = "example"
"""LangSmith's object whose outputs are the reference, next to those of a run."""
_MOST_SHOWN = 40
"""Columns that a message names."""
# what an object that is named as a field may hold besides that field
_WITHIN = {"question": {*TEXTS, "group"}, "answer": {"answer", "passages"}}
_OF_LABEL = frozenset(
    "label rating score grade annotation evaluation assessment judgment judgement verdict vote bewertung".split()
)
_OF_PERSON = frozenset(
    "annotator rater reviewer coder labeller labeler assessor evaluator expert human person worker grader".split()
)
_ADJECTIVES: Mapping[Quality, tuple[str, ...]] = {
    Quality.CORRECTNESS: ("correct",),
    Quality.RUBRIC: ("correct",),
    Quality.ANSWERABILITY: ("answerable",),
    Quality.FAITHFULNESS: ("faithful",),
    Quality.RELEVANCE: ("relevant",),
    Quality.GROUNDEDNESS: ("grounded",),
    Quality.USEFULNESS: ("useful",),
}
_OF_MEASURE = re.compile(r".+(ness|[aei]nce|[aei]ncy|racy|ity|tion|sion)")
# names of measures, not of people
_NO_PERSON = frozenset(part for each in Quality for part in each.value.split("_")) | frozenset(
    (
        "bleu rouge bertscore meteor chrf f em exact match precision recall accuracy auc mean median avg average "
        "total sum std count min max overall final model llm gpt auto automatic predicted pred system cosine "
        "similarity semantic confidence id ids time date timestamp comment comments reason text note notes name "
        "explanation question answer reference context passage fluency coherence helpfulness completeness clarity "
        "quality style tone grammar depth detail safety bias"
    ).split()
)


@dataclass(frozen=True)
class Columns:
    """The column of every field that has one, and the columns of annotators, whose mean is the label without one."""

    of: Mapping[str, str]
    annotators: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """All columns that hold labels."""
        return (*((self.of["label"],) if "label" in self.of else ()), *self.annotators)

    @property
    def named(self) -> dict[str, str]:
        """Fields with their columns, as --columns names them."""
        together = "+".join(self.annotators)
        given = {field: self.of.get(field, together if field == "label" else "") for field in FIELDS}
        return {
            **{field: name for field, name in given.items() if name},
            **({"annotators": together} if together and "label" in self.of else {}),
        }


def needed(quality: Quality) -> tuple[str, ...]:
    """What a case must hold for the quality to be judged at all."""
    return FORMS[quality].needs


def find_columns(
    path: Path, table: LabelTable, quality: Quality, given: Mapping[str, str], words: Collection[str]
) -> Columns:
    """The columns as named, else by their usual names. UsageError, with all columns, where a needed one is not found.

    `words` are labels whose meaning is given.
    """
    there = table.columns
    shown = _shown(path, there)
    chosen, annotators = _given(given, there, shown)
    read = (*texts_read(quality), "group", "annotator")
    free = [name for name in there if name not in {*chosen.values(), *annotators}]
    _choose(path, read, chosen, free, shown)
    if "label" not in chosen and not annotators:
        label, annotators = _labels(path, table, quality, free, words, shown)
        chosen |= {"label": label} if label else {}
    lacking = [field for field in needed(quality) if field not in chosen]
    lacking += ["label"] if "label" not in chosen and not annotators else []
    if lacking:
        raise _none_known(path, lacking, shown)
    return Columns({field: name for field, name in chosen.items() if field in {*read, "label"}}, annotators)


def text_columns(named: object, table: LabelTable, quality: Quality, given: Mapping[str, str]) -> dict[str, str]:
    """The columns of the texts that the quality reads, of a table without labels. UsageError as `find_columns`."""
    there, read = table.columns, texts_read(quality)
    shown = _shown(named, there)
    chosen, _ = _given(given, there, shown)
    _choose(named, read, chosen, [name for name in there if name not in chosen.values()], shown)
    lacking = [field for field in needed(quality) if field not in chosen]
    if lacking:
        raise _none_known(named, lacking, shown)
    return {field: chosen[field] for field in read if field in chosen}


def _shown(named: object, there: Sequence[str]) -> str:
    more = f" and {len(there) - _MOST_SHOWN} more" if len(there) > _MOST_SHOWN else ""
    return f"Columns of {named}: {', '.join(there[:_MOST_SHOWN])}{more}."


def _choose(named: object, fields: Iterable[str], chosen: dict[str, str], free: list[str], shown: str) -> None:
    """Add the columns that are named as fields are, each once."""
    for field in fields:
        if field not in chosen and (found := _usual(named, field, free, shown)):
            chosen[field] = found
            free.remove(found)


def _none_known(named: object, lacking: Sequence[str], shown: str) -> UsageError:
    known = "; ".join(f"{field}: {', '.join(_USUAL[field])}" for field in lacking)
    several = " (of several annotators: label=COLUMN+COLUMN)" if "label" in lacking else ""
    return UsageError(
        f"No column of {named} is known to hold {listed(lacking)}.",
        allowed=f"{shown} Names that are known: {known}.",
        next_step=f"Name it: --columns {','.join(f'{field}=COLUMN' for field in lacking)}{several}",
    )


def texts_read(quality: Quality) -> tuple[str, ...]:
    """The texts of a case that a judge of the quality reads; it cannot tell cases apart by others."""
    given = {"first_answer": "answer", "second_answer": "other"}
    read = {given.get(name, name) for name in FORMS[quality].brief.reads}
    return tuple(field for field in TEXTS if field in read)


def _given(given: Mapping[str, str], there: Sequence[str], shown: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """Fields and annotators as --columns names them. UsageError for what is no field or no column."""
    chosen, annotators = dict(given), tuple[str, ...]()
    for field, column in given.items():
        if field not in FIELDS:
            raise UsageError(f"--columns names a field {field!r}.", allowed=f"Fields: {', '.join(FIELDS)}.")
        several = [name.strip() for name in column.split("+")] if field == "label" else []
        if column not in there and len(several) > 1:
            annotators = tuple(dict.fromkeys(several))
            del chosen[field]
        for name in several if annotators and field == "label" else [column]:
            if name not in there:
                raise UsageError(f"--columns names {name!r}, and there is no such column.", allowed=shown)
    return chosen, annotators


# --- fields by their names --------------------------------------------------------------------------------


_ROLES = {even_name(name): (field, place) for field, names in _USUAL.items() for place, name in enumerate(names)}


def _usual(path: object, field: str, names: Sequence[str], shown: str) -> str | None:
    """The column that is named best as the field. UsageError where several within objects are named alike."""
    ranks = defaultdict[tuple[int, int], list[str]](list)
    for name in names:
        if rank := _rank(field, name, names):
            ranks[rank].append(name)
    if not ranks:
        return None
    best = min(ranks)
    if len(ranks[best]) > 1 and best[0]:
        raise UsageError(
            f"{counted(len(ranks[best]), 'column')} of {path} may hold {field}: {', '.join(ranks[best])}.",
            allowed=shown,
            next_step=f"Name one: --columns {field}={ranks[best][0]}",
        )
    return ranks[best][0]


def _rank(field: str, name: str, names: Sequence[str]) -> tuple[int, int] | None:
    """How well a name fits a field, lower is better: outside objects, within one, its text, or within metadata."""
    whole = _ROLES.get(even_name(name))
    if whole and whole[0] == field:
        return 0, whole[1]
    *above, last = name.split(".")
    own = _ROLES.get(even_name(last)) if above else None
    outer = next((_ROLES[even_name(part)] for part in reversed(above) if even_name(part) in _ROLES), None)
    of_example = _EXAMPLE in above
    if of_example and outer and outer[0] == "answer":
        outer = ("reference", outer[1])
    if own and own[0] == field and (outer is None or field in _WITHIN.get(outer[0], {outer[0]})):
        return (1 if _ASIDE.isdisjoint(map(even_name, above)) and not of_example else 3), own[1]
    if outer and outer[0] == field:
        alone = sum(each.startswith(f"{'.'.join(above)}.") for each in names) == 1
        if alone or even_name(last) in _GENERIC:
            return (4 if of_example and field == "question" else 2), outer[1]
    return None


# --- labels -----------------------------------------------------------------------------------------------


def _labels(
    path: Path, table: LabelTable, quality: Quality, names: Sequence[str], words: Collection[str], shown: str
) -> tuple[str | None, tuple[str, ...]]:
    """The column of the label, and those of several annotators. UsageError where there are several and no annotators.

    Columns are of annotators where their names differ by one part, which is no measure, and their cells are labels.
    A score, which may be a program's, gives way to annotators; any other label is the one that people agreed upon.
    """
    sets = _sets(table, quality, names, words)
    several = next((columns for columns in sets.values() if len(columns) > 1), ())
    usual = _usual(path, "label", [name for name in names if name not in several], shown)
    if usual and not (several and even_name(usual) in _WEAK and even_name(usual) not in _words(several[0])):
        return usual, several
    if several:
        return None, several
    own = {even_name(each) for each in (quality.value, *_ADJECTIVES.get(quality, ()))}
    found = [name for name in names if even_name(name.split(".")[-1]).removeprefix("is") in own]
    found = found or [name for kinds, columns in sets.items() if "" in kinds for name in columns]
    found = found or [name for kinds, columns in sets.items() if not _WEAK.issuperset(kinds) for name in columns]
    if len(found) > 1:
        raise UsageError(
            f"{counted(len(found), 'column')} of {path} may hold label: {', '.join(found)}.",
            allowed=shown,
            next_step=f"Name one, or those of several annotators: --columns label={'+'.join(found)}",
        )
    return (found[0] if found else None), ()


def _sets(
    table: LabelTable, quality: Quality, names: Sequence[str], words: Collection[str]
) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Columns of labels whose names differ by the name or number of an annotator, the likeliest first."""
    sets = defaultdict[tuple[str, ...], list[str]](list)
    for name in names:
        kinds = _kinds(name, quality)
        if kinds and _holds_labels(table, name, words):
            sets[kinds].append(name)
    own = _own(quality)
    likely = sorted(sets, key=lambda kinds: (own.isdisjoint(kinds), _OF_LABEL.isdisjoint(kinds)))
    return {kinds: tuple(sets[kinds]) for kinds in likely}


def _kinds(name: str, quality: Quality) -> tuple[str, ...]:
    """The words of a name by which it holds a label, if the rest may name an annotator; "" among them if no rest."""
    words = _words(name)
    kinds = [each for each in words if each in _OF_LABEL | _OF_PERSON | _own(quality)]
    rest = [each for each in words if each not in kinds]
    # the two answers of a preference may have scores of their own
    of_answers = quality is Quality.PREFERENCE and _OF_PERSON.isdisjoint(kinds) and all(len(x) == 1 for x in rest)
    if not kinds or of_answers or any(each in _NO_PERSON or _OF_MEASURE.fullmatch(each) for each in rest):
        return ()
    return tuple(kinds) if rest else (*kinds, "")


def _own(quality: Quality) -> frozenset[str]:
    return frozenset((*quality.value.split("_"), *_ADJECTIVES.get(quality, ())))


def _words(name: str) -> list[str]:
    """The words and numbers of a name, labels and people in the singular."""
    parts = re.findall(r"[^\W\d_]+|\d+", re.sub(r"(?<=[a-zß-ÿ])(?=[A-Z])", " ", name.replace("'s", "")))
    folded = [part.casefold() for part in parts]
    return [each.removesuffix("s") if each.removesuffix("s") in _OF_LABEL | _OF_PERSON else each for each in folded]


def _holds_labels(table: LabelTable, column: str, words: Collection[str]) -> bool:
    """Whether most cells that are not empty are labels: one that is not is a mistake in a label."""
    cells = [cell for row in table.rows if word(cell := row.cells.get(column)) not in NONE]
    return sum(is_label(cell) or word(cell) in words for cell in cells) * 2 > len(cells)
