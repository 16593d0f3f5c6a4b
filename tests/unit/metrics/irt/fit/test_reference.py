"""Information, estimates and abilities against the full output of catR and mirt, where a folder with it is named."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from viva.metrics.irt.fit.persons_integrated.fit import fit_persons
from viva.metrics.irt.fit.persons_integrated.marginal import Items, PersonMarginal
from viva.metrics.irt.fit.persons_integrated.model import ItemPriors
from viva.metrics.irt.model.curves import information_3pl, probability_3pl, test_information
from viva.metrics.irt.model.design import component_design
from viva.metrics.irt.model.estimates import Estimates
from viva.metrics.irt.model.formats import item_formats

Floats = NDArray[np.float64]


def reference(name: str) -> Path:
    path = Path(os.environ.get("VIVA_IRT_REFERENCE", "")) / name
    if "VIVA_IRT_REFERENCE" not in os.environ or not path.is_file():
        pytest.skip(f"VIVA_IRT_REFERENCE names no folder with {name} (output of other engines)")
    return path


def loaded(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(reference(name).read_text(encoding="utf-8"))
    return found


def responses() -> Floats:
    return np.loadtxt(reference("G_3PL.csv"), delimiter=",")


def item_columns(fit: dict[str, Any]) -> tuple[Floats, Floats, Floats]:
    a, b, c = (np.array([item[name] for item in fit["items"]]) for name in ("a", "b", "g"))
    return a, b, c


def test_information_is_that_of_catr() -> None:
    golden = loaded("cat_reference.json")
    a, b, c, _ = np.array(golden["items"]).T
    np.testing.assert_allclose(information_3pl(golden["theta"], a, b, c).T, golden["info"], atol=1e-6)


def test_the_next_item_by_maximum_information_is_that_of_catr() -> None:
    golden = loaded("cat_reference.json")
    a, b, c, _ = np.array(golden["items"]).T
    # catR counts from one, and begins at theta = 0
    assert int(information_3pl(0.0, a, b, c).argmax()) + 1 == golden["next_MFI"]


def test_exam_information_and_expected_score_are_those_of_mirt() -> None:
    golden = loaded("golden_mirt.json")["threepl"]
    items = item_columns(golden)
    np.testing.assert_allclose(test_information(golden["theta"], *items), golden["testinfo"], atol=1e-6)
    np.testing.assert_allclose(
        probability_3pl(golden["theta"], *items).sum(axis=1), golden["expected_score"], atol=1e-6
    )


@pytest.mark.parametrize(("data", "model"), [(d, m) for d in ("LSAT6", "LSAT7") for m in ("2pl", "3pl_priorlogitc")])
def test_exam_information_of_the_lsat_is_that_of_mirt(data: str, model: str) -> None:
    golden = loaded("lsat_reference.json")[data][f"mirt_{model}"]
    theta, expected = ([row[name] for row in golden["testinfo"]] for name in ("theta", "info"))
    np.testing.assert_allclose(test_information(theta, *item_columns(golden)), expected, atol=1e-6)


def fitted(model: str) -> Estimates:
    values = responses()
    formats = item_formats(values.shape[1], model, None, 4)
    return fit_persons(values, formats, component_design(len(values), {}), priors=ItemPriors())[0]


@pytest.mark.parametrize(("model", "name"), [("1pl", "rasch"), ("2pl", "twopl")])
def test_eight_hundred_by_thirty_gives_the_estimates_of_mirt(model: str, name: str) -> None:
    golden = loaded("golden_mirt.json")[name]
    found = fitted(model)
    a, b, c = item_columns(golden)
    if model == "1pl":
        # a Rasch model with abilities of a free variance is a 1PL on another scale
        a, b = a * golden["var"] ** 0.5, b / golden["var"] ** 0.5
    assert found.converged, found.message
    assert found.loglik == pytest.approx(golden["logLik"], abs=1e-3)
    for ours, theirs in ((found.a, a), (found.b, b), (found.c, c)):
        np.testing.assert_allclose(ours, theirs, atol=1e-3)


def test_standard_errors_of_the_2pl_are_those_of_mirt() -> None:
    golden = loaded("golden_mirt.json")["twopl"]
    # per item: a, d, g, u
    a_se = [row[1] for row in golden["parse"]][:120:4]
    found = fitted("2pl")
    assert found.a_se is not None
    np.testing.assert_allclose(found.a_se, a_se, atol=1e-5)


def test_posterior_means_are_those_of_mirt() -> None:
    golden = loaded("golden_mirt.json")["threepl"]
    a, b, c = item_columns(golden)
    mean, variance = PersonMarginal(responses()[:40], np.linspace(-6, 6, 61)).abilities(Items(a, -a * b, c))
    expected = np.array(golden["EAP"], dtype=np.float64)
    np.testing.assert_allclose(mean, expected[:, 0], atol=1e-4)
    np.testing.assert_allclose(np.sqrt(variance), expected[:, 1], atol=1e-3)
