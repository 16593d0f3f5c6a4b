"""Which model is taken where none is declared: the one under which the answers are likeliest, and it is said."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from viva.core.errors import UsageError
from viva.metrics.irt import probability_3pl
from viva.metrics.irt.checks.held_out import item_losses, split_cells
from viva.metrics.irt.fit import model_choice
from viva.metrics.irt.fit.estimation import fit

Floats = NDArray[np.float64]


def answers(guessing: float, seed: int = 0, spread: float = 0.5, examinees: int = 30, items: int = 200) -> Floats:
    draw = np.random.default_rng(seed)
    theta, b = draw.normal(0, 1.2, examinees), draw.normal(0, 1, items)
    p = probability_3pl(theta, np.exp(draw.normal(0, spread, items)), b, np.full(items, guessing))
    return (draw.random(p.shape) < p).astype(np.float64)


def test_open_answers_are_not_taken_for_guesses_among_four() -> None:
    found = fit(answers(0.0))
    assert found.model.startswith("2pl, the likeliest of 5 models")
    assert (found.c == 0).all()
    assert "model 2pl" in found.message


def test_guesses_among_four_are_seen() -> None:
    found = fit(answers(0.25, spread=0.3))
    assert found.model.startswith("3pl with guessing near 0.25")
    assert found.c.mean() == pytest.approx(0.25, abs=0.05)


def test_items_that_tell_alike_are_given_one_discrimination() -> None:
    assert fit(answers(0.0, spread=0.0)).model.startswith("1pl")


@pytest.mark.slow
def test_what_was_chosen_predicts_answers_kept_from_it_no_worse_than_what_was_not() -> None:
    for guessing in (0.0, 0.25):
        responses = answers(guessing, seed=5, items=400)
        hidden = split_cells(responses, seed=1)
        seen = np.where(hidden, np.nan, responses)
        losses = {
            model: item_losses(fit(seen, model=model).predict(), responses, hidden)[0].sum()
            for model in ("auto", "1pl", "2pl", "3pl")
        }
        assert losses["auto"] <= 1.005 * min(losses.values())


def test_a_declared_model_is_fitted_as_declared() -> None:
    found = fit(answers(0.0), model="3pl")
    assert found.model == "3pl as declared"
    assert (found.c > 0.1).all()


def test_a_fixed_guessing_stays_and_open_items_beside_multiple_choice_have_none() -> None:
    assert (fit(answers(0.25), guessing=0.2).c == 0.2).all()
    mixed = fit(answers(0.25, spread=0.3), guessing=[0.0] * 100 + [float("nan")] * 100)
    assert (mixed.c[:100] == 0).all()


def test_a_large_matrix_is_chosen_for_by_a_sample_of_it() -> None:
    found = fit(answers(0.0, examinees=160, items=300), method="map")
    assert "on 40 examinees x 250 items" in found.model


def test_a_model_that_is_none_is_refused_in_words() -> None:
    with pytest.raises(UsageError, match="4pl"):
        fit(answers(0.0), model="4pl")


@pytest.mark.parametrize("guessing", [0.0, 0.06, 0.25])
def test_at_most_four_of_the_five_models_are_fitted_to_choose_one(
    guessing: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted, real = list[object](), model_choice.ability_posterior
    monkeypatch.setattr(
        model_choice, "ability_posterior", lambda *given, **named: fitted.append(given) or real(*given, **named)
    )
    model_choice.chosen_formats(answers(guessing, items=60), "auto", None, 4)
    assert 2 <= len(fitted) <= 4


@pytest.mark.parametrize(
    ("guessing", "spread", "examinees", "items", "chosen"),
    [
        (0.0, 0.0, 12, 60, "1pl"),
        (0.0, 0.5, 12, 60, "1pl"),
        (0.25, 0.3, 12, 60, "3pl with guessing near 0.12"),
        (0.0, 0.0, 40, 150, "1pl"),
        (0.0, 0.5, 40, 150, "2pl"),
        (0.06, 0.4, 40, 150, "3pl with guessing near 0.06"),
        (0.25, 0.4, 40, 150, "3pl with guessing near 0.25"),
    ],
)
def test_the_model_chosen_for_known_answers_stays_the_same(
    guessing: float, spread: float, examinees: int, items: int, chosen: str
) -> None:
    responses = answers(guessing, seed=3, spread=spread, examinees=examinees, items=items)
    assert model_choice.chosen_formats(responses, "auto", None, 4)[1].startswith(f"{chosen}, the likeliest")
