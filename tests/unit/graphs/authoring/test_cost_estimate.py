"""A plan goes by planned calls, by the rehearsal where documents are few, and by measurements where there are any."""

from __future__ import annotations

from collections import Counter

import pytest

from viva.core.settings import Settings
from viva.graphs.authoring.call_allowance import FEWEST, PLANNED, STRETCH
from viva.graphs.authoring.cost_estimate import Plan, RehearsedChunk, RehearsedSample, plan
from viva.llm.roster import ModelName

MODEL = ModelName("openai", "gpt-4o-mini")
SETTINGS = Settings(model=(str(MODEL),), items=50, worked_examples=0)
WANTED = 60
SINGLE, MULTI, _ = PLANNED.values()


def of(basis: str, items: int, chunks: int, settings: Settings = SETTINGS) -> Plan:
    """From chunks that gave so many items for 20 calls of 1,000 and 100 tokens."""
    walked = RehearsedChunk(items, Counter({MODEL: 20}), Counter({MODEL: 20_000}), Counter({MODEL: 2_000}))
    return plan(RehearsedSample(basis, (walked,) * min(chunks, 40), 2.0), settings, chunks)


def test_a_rehearsal_tells_how_long_calls_are_and_real_models_how_many() -> None:
    found = of("rehearsed", 2, 500)
    assert found.calls.value == pytest.approx(SINGLE * WANTED)
    assert found.calls.low == pytest.approx(FEWEST * SINGLE * WANTED)
    (share,) = found.models
    assert share.input_tokens.value == pytest.approx(1000 * found.calls.value)
    assert share.output_tokens.value == pytest.approx(100 * found.calls.value)


@pytest.mark.parametrize("wanted", [5, 50])
def test_a_plan_holds_the_calls_allowed_and_a_chunk_that_is_under_way_when_they_are_used_up(wanted: int) -> None:
    found = of("rehearsed", 2, 500, SETTINGS.model_copy(update={"items": wanted}))
    chunk = SINGLE * 2 * SETTINGS.items_per_chunk
    assert found.calls.high == pytest.approx(STRETCH * found.calls.value + chunk)


def test_each_kind_has_its_own_planned_calls() -> None:
    found = of("rehearsed", 2, 500, SETTINGS.model_copy(update={"blueprint": "kind.multi-hop=0.5"}))
    assert found.calls.value == pytest.approx(SINGLE * WANTED / 2 + MULTI * WANTED / 2)


@pytest.mark.parametrize("items", [0, 2])
def test_where_documents_are_too_few_for_the_items_all_of_them_are_walked(items: int) -> None:
    assert of("rehearsed", items, 5).calls.value == pytest.approx(5 * 20)


def test_a_measured_plan_goes_by_what_was_measured() -> None:
    found = of("measured", 2, 500)
    assert found.calls.value == pytest.approx(20 * WANTED / 2, rel=0.2)
    assert found.calls.high < STRETCH * found.calls.value
