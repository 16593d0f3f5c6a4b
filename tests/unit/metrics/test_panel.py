"""An exam of mixed formats on one scale: each item with the model that its format asks for."""

from __future__ import annotations

import numpy as np
import pytest
from by_hand import item, shown
from numpy.typing import NDArray

from viva.core.errors import UsageError
from viva.core.notes import Note, NoteCode
from viva.core.records import Exam, Examinee
from viva.metrics.irt import Fit, NothingToCompare, probability_3pl
from viva.metrics.measurement import choices_of, measurement
from viva.metrics.panel import REFERENCES, Panel, fit_panel, panel_of
from viva.reports.sections.systems import REFERENCES as REFERENCE_WORDS

FOUR, TWO, OPEN = range(12), range(12, 20), range(20, 32)
WRONG = {**dict.fromkeys(FOUR, 3), **dict.fromkeys(TWO, 1), **dict.fromkeys(OPEN, 0)}
EXAM = Exam(id="mixed", items=tuple(shown(item(n, wrong=wrong)) for n, wrong in WRONG.items()))
GUESSING = np.array([1 / (wrong + 1) if wrong else 0.0 for wrong in WRONG.values()])


def sitters(count: int) -> list[Examinee]:
    return [Examinee(id=f"e{n:03d}", name=f"e{n}", spec="s") for n in range(count)]


def grades(count: int, seed: int = 1) -> NDArray[np.float64]:
    """Right and wrong as the formats make them: nobody is right on an open question by guessing."""
    draw = np.random.default_rng(seed)
    theta, b = np.linspace(-2, 2, count), draw.normal(0, 1, len(EXAM.items))
    return (draw.random((count, len(b))) < probability_3pl(theta, np.full(len(b), 1.5), b, GUESSING)).astype(float)


def fitted(scores: NDArray[np.float64]) -> Fit:
    fit = fit_panel(EXAM, sitters(len(scores)), scores)
    assert isinstance(fit, Fit)
    return fit


@pytest.mark.parametrize(("count", "method"), [(40, "mml-items"), (200, "map")])
def test_open_items_have_no_guessing_and_choices_guess_near_one_over_their_options(count: int, method: str) -> None:
    fit = fitted(grades(count))
    assert fit.method == method
    assert (fit.c[list(OPEN)] == 0).all()
    assert (fit.c_se[list(OPEN)] == 0).all()
    assert fit.c[list(FOUR)].max() < fit.c[list(TWO)].min()
    assert fit.c[list(FOUR)].mean() == pytest.approx(1 / 4, abs=0.06)
    assert fit.c[list(TWO)].mean() == pytest.approx(1 / 2, abs=0.06)


def test_abilities_of_a_mixed_exam_are_those_that_made_the_grades() -> None:
    assert np.corrcoef(fitted(grades(40)).theta, np.linspace(-2, 2, 40))[0, 1] > 0.9


def test_a_graded_score_is_right_from_one_half_on() -> None:
    cut = grades(20)
    partial = cut.copy()
    partial[:, list(OPEN)] = np.where(cut[:, list(OPEN)] == 1, 0.5, 0.49)
    assert (fitted(partial).theta == fitted(cut).theta).all()


def test_a_score_that_is_none_is_refused() -> None:
    spoiled = grades(20)
    spoiled[0, 0] = 1.5
    with pytest.raises(UsageError, match="outside 0 to 1"):
        fit_panel(EXAM, sitters(20), spoiled)


def test_an_exam_without_items_or_a_single_examinee_is_nothing_to_compare() -> None:
    assert isinstance(fit_panel(Exam(id="none", items=()), sitters(3), np.empty((3, 0))), NothingToCompare)
    assert isinstance(fit_panel(EXAM, sitters(1), grades(2)[:1]), NothingToCompare)


def test_keys_of_open_questions_are_judged_but_neither_guessing_nor_leaks_and_this_is_told() -> None:
    scores = grades(40)
    # the able miss both
    for place in (FOUR[0], OPEN[0]):
        scores[:, place] = np.arange(40) < 14
    scores[:, OPEN[1]] = 1
    panel = panel_of(EXAM, sitters(40), scores)
    assert isinstance(panel, Panel)
    found = measurement(panel, choices_of(panel, []))
    ids = [each.item.id for each in EXAM.items]
    faults = {
        (flag.item_id, flag.kind) for flag in found.flags if flag.kind in ("wrong key", "unanswerable", "leaked")
    }
    assert {(ids[FOUR[0]], "wrong key"), (ids[OPEN[0]], "wrong key")} <= faults
    assert set(found.read_first[:2]) == {ids[FOUR[0]], ids[OPEN[0]]}
    assert not [kind for item, kind in faults if item in {ids[n] for n in OPEN} and kind != "wrong key"]
    assert Note(code=NoteCode.OPEN_NOT_JUDGED, count=12) in found.notes


def test_the_report_has_words_for_every_reference() -> None:
    assert set(REFERENCE_WORDS) == REFERENCES
