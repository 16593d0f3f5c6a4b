"""A plan is arithmetic: items times what an accepted item took, by role and kind, in the range of the allowance."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from by_hand import document, item

from viva.core.accounts import ModelUse
from viva.core.records import Chunk, ItemKind
from viva.core.settings import Settings
from viva.graphs.authoring.call_allowance import FEWEST, PLANNED, STRETCH
from viva.graphs.authoring.call_rates import measured_rates, recorded_rates
from viva.graphs.authoring.cost_estimate import Plan, plan

RECORDING = Path(__file__).parents[4] / "examples" / "handbook.ledger.sqlite"
MODEL = "openai:gpt-4o-mini"
SETTINGS = Settings(model=(MODEL,), items=50, worked_examples=0)
WANTED = 60
DOCUMENT = document("The tank was painted. " * 200)
ACCEPTED = {ItemKind.SINGLE_HOP: 67, ItemKind.UNANSWERABLE: 6, ItemKind.FOLLOW_UP: 33}
"""of the demo's recording, which asked for no multi-hop items"""


def chunk(length: int) -> Chunk:
    return Chunk.of(DOCUMENT, 0, length, 9)


def planned(chunks: int = 500, *, length: int = 600, **changes: object) -> Plan:
    settings = SETTINGS.model_copy(update=changes)
    return plan(recorded_rates([chunk(length)], settings.items_per_chunk), settings, chunks)


def recorded_calls() -> Counter[str]:
    with closing(sqlite3.connect(f"file:{RECORDING}?immutable=1", uri=True)) as ledger:
        return Counter(dict(ledger.execute("SELECT role, count(*) FROM requests GROUP BY role")))


def test_the_table_has_every_call_of_the_recording_that_wrote_the_exam() -> None:
    rates, recorded = recorded_rates([chunk(600)], 2), recorded_calls()
    for role in rates[ItemKind.SINGLE_HOP].roles:
        calls = sum(number * rates[kind].roles[role][0] for kind, number in ACCEPTED.items())
        assert calls == pytest.approx(recorded[role])
    examining = {"examiner", "judge.oral", "judge.failure", "reader", "units.oral"}
    assert recorded.keys() - rates[ItemKind.SINGLE_HOP].roles.keys() == examining


def test_a_plan_is_the_accepted_items_times_the_calls_of_the_table() -> None:
    rates = recorded_rates([chunk(600)], 2)[ItemKind.SINGLE_HOP]
    each = sum(role[0] for role in rates.roles.values())
    found = planned()
    # so many are accepted that enough of them are sound
    assert found.accepted == round(WANTED / rates.sound)
    assert found.calls.value == pytest.approx(each * WANTED / rates.sound, rel=1e-3)
    assert sum(role.calls for role in found.roles) == pytest.approx(found.calls.value)


@pytest.mark.parametrize("items", [5, 50])
def test_a_range_is_that_of_the_allowance_and_one_more_chunk(items: int) -> None:
    found = planned(items=items)
    fair = PLANNED[ItemKind.SINGLE_HOP] * items * 1.2
    # both are rounded to four decimals
    assert found.calls.low == pytest.approx(FEWEST * min(fair, found.calls.value), rel=0, abs=1e-4)
    assert found.calls.high == pytest.approx(STRETCH * fair + PLANNED[ItemKind.SINGLE_HOP] * SETTINGS.units_per_chunk)


def test_each_kind_has_its_own_calls() -> None:
    single, mixed = planned(), planned(blueprint="kind.multi-hop=0.5")
    rates = recorded_rates([chunk(600)], 2)
    assert rates[ItemKind.MULTI_HOP].sound > rates[ItemKind.SINGLE_HOP].sound
    assert mixed.calls.value / mixed.accepted > 1.2 * single.calls.value / single.accepted


def test_a_follow_up_takes_more_writing_since_more_are_refused_and_the_expert_no_more_often() -> None:
    rates = recorded_rates([chunk(600)], 2)
    kinds = [rates[kind].roles for kind in (ItemKind.SINGLE_HOP, ItemKind.FOLLOW_UP)]
    alone, following = ({role: calls[0] for role, calls in roles.items()} for roles in kinds)
    assert following["writer"] / alone["writer"] == pytest.approx(1.22, abs=0.1)
    assert following["distractors"] / alone["distractors"] == pytest.approx(1.47, abs=0.1)
    assert following["expert"] / alone["expert"] == pytest.approx(1.07, abs=0.1)


def test_tokens_grow_with_the_length_of_chunks_where_a_role_reads_them() -> None:
    short, long = ({role.role: role for role in planned(length=length, chunks=500).roles} for length in (400, 4000))
    grown = {name: long[name].input_tokens / short[name].input_tokens for name in short}
    assert grown["expert"] > 2 > 1.5 > grown["solver"]
    assert long["expert"].output_tokens == short["expert"].output_tokens


def test_where_documents_are_too_few_for_the_items_the_plan_ends_with_them() -> None:
    found = planned(5)
    assert found.accepted < 20 < found.items
    assert found.calls.value < 200
    assert found.calls.low < found.calls.value < found.calls.high < 400


def test_a_limit_of_requests_or_tokens_per_minute_sets_the_minutes() -> None:
    free = planned()
    assert free.minutes.value == pytest.approx(free.calls.value * free.latency_s / 8 / 60, rel=1e-3)
    assert planned(requests_per_minute=2).minutes.value == pytest.approx(free.calls.value / 2, rel=1e-3)
    assert planned(tokens_per_minute=1000).minutes.value == pytest.approx(free.tokens.value / 1000, rel=1e-3)


def test_the_price_of_each_roles_model_counts_and_one_that_is_not_known_leaves_the_sum_open() -> None:
    roster = (f"{MODEL},judge=openai:mine",)
    assert planned(model=roster).cost is None
    priced = planned(model=roster, price=("openai:mine=1,2",))
    (judge,) = [role for role in priced.roles if role.role == "judge.item"]
    assert judge.cost == pytest.approx(judge.input_tokens / 1e6 + 2 * judge.output_tokens / 1e6, rel=1e-3)
    assert priced.cost is not None
    assert priced.cost.value == pytest.approx(sum(role.cost or 0 for role in priced.roles), rel=1e-3)


def test_a_run_so_far_gives_the_rates_and_what_examinees_asked_is_left_out() -> None:
    items = [item(n) for n in range(10)]
    use = [used("writer", 30, 3000, 300), used("judge.item", 10, None, None, uncounted=500), used("reader", 99, 9, 9)]
    rates = measured_rates(use, items, 5)
    assert rates[ItemKind.MULTI_HOP].roles.keys() == {"writer", "judge.item"}
    assert rates[ItemKind.SINGLE_HOP].roles["writer"].tolist() == [3, 300, 30]
    assert rates[ItemKind.SINGLE_HOP].roles["judge.item"].tolist() == [1, 50, 0]
    found = plan(rates, SETTINGS, 500, measured_s=3.5)
    assert (found.basis, found.latency_s) == ("measured", 3.5)
    assert found.calls.value == pytest.approx(4 * WANTED / (11 / 12), rel=1e-3)


def used(role: str, requests: int, read: int | None, written: int | None, uncounted: int = 0) -> ModelUse:
    return ModelUse(
        role=role,
        provider="openai",
        model="mine",
        calls=requests,
        requests=requests,
        hits=0,
        failures={},
        unreadable={},
        input_tokens=read,
        output_tokens=written,
        cached_tokens=None,
        uncounted_tokens=uncounted,
        cost=None,
        unpriced=requests,
        seconds=1.0,
    )
