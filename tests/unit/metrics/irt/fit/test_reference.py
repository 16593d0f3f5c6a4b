"""Information and expected scores against the full output of catR and mirt, where a folder with it is named."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from viva.metrics.irt.model.curves import information_3pl, probability_3pl, test_information

Floats = NDArray[np.float64]


def reference(name: str) -> Path:
    path = Path(os.environ.get("VIVA_IRT_REFERENCE", "")) / name
    if "VIVA_IRT_REFERENCE" not in os.environ or not path.is_file():
        pytest.skip(f"VIVA_IRT_REFERENCE names no folder with {name} (output of other engines)")
    return path


def loaded(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(reference(name).read_text(encoding="utf-8"))
    return found


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
