"""Which cases the judges without a language model are measured on: groups that nothing was fitted to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from judge_data import Cases, begin, evouna, last_groups, nli, saf, squad2, stsb, thinned
from judge_factscore import biographies_beside_facts, facts_in_sentences, factscore, sentences_beside_facts

from viva.core.records.judging import Quality

_HELD_ARTICLES = ("Harvard_University", "Huguenot")


def stsb_measured(folder: Path) -> Cases:
    """The pairs of stsb/dev."""
    return stsb(folder, "dev")


def evouna_measured(folder: Path) -> Cases:
    """By question: of seven tenths at most 1,000 answers."""
    return thinned(last_groups(evouna(folder), 0.7), 1000)


def saf_measured(folder: Path) -> Cases:
    """By question: 8 of 18."""
    return last_groups(saf(folder), 0.45)


def squad2_measured(folder: Path) -> Cases:
    """Two articles of four. Two groups are too few for an interval, which is therefore drawn by paragraph."""
    held = [case for case in squad2(folder) if case.group in _HELD_ARTICLES]
    return [case.model_copy(update={"group": case.case.passages[0]}) for case in held]


def squad2_fitted(folder: Path) -> Cases:
    """The other two articles."""
    return [case for case in squad2(folder) if case.group not in _HELD_ARTICLES]


def begin_measured(folder: Path) -> Cases:
    """By knowledge: two fifths."""
    return last_groups(begin(folder), 0.4)


def nli_measured(folder: Path) -> Cases:
    """By premise: 12%."""
    return last_groups(nli(folder), 0.12)


def factscore_measured(folder: Path) -> Cases:
    """1,000 facts of half of the people."""
    return thinned(last_groups(factscore(folder), 0.5), 1000)


def facts_measured(folder: Path) -> Cases:
    """Of the same people, with sentences that hold the true ones."""
    return thinned(_of_people(folder, facts_in_sentences), 500)


def sentences_measured(folder: Path) -> Cases:
    """Of the same people, with the facts that are true."""
    return thinned(_of_people(folder, sentences_beside_facts), 500)


def biographies_measured(folder: Path) -> Cases:
    """Whole biographies of the same people, with the same facts."""
    return _of_people(folder, biographies_beside_facts)


def _of_people(folder: Path, read: Callable[[Path], Cases]) -> Cases:
    people = {case.group for case in last_groups(factscore(folder), 0.5)}
    return [case for case in read(folder) if case.group in people]


JUDGED: Mapping[Quality, Mapping[str, Callable[[Path], Cases]]] = {
    Quality.CORRECTNESS: {"stsb/dev": stsb_measured, "evouna": evouna_measured, "saf_asag": saf_measured},
    Quality.ANSWERABILITY: {"squad2": squad2_measured},
    Quality.FAITHFULNESS: {
        "begin": begin_measured,
        "nli": nli_measured,
        "factscore": factscore_measured,
        "factscore, facts": facts_measured,
        "factscore, sentences": sentences_measured,
        "factscore, answers": biographies_measured,
    },
}
