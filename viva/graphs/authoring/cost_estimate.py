"""What writing an exam with language models will take: the items that will be accepted times call_rates.py.

The range is that of call_allowance.py: from what a faultless committee takes to where the writing gives up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from pydantic import Field

from viva.core.blueprint import Blueprint
from viva.core.calls import Usage
from viva.core.estimates import Estimate
from viva.core.records import ItemKind, Record
from viva.core.settings import Settings
from viva.graphs.authoring.batching import SPARE, items_wanted, wanted_of_kinds
from viva.graphs.authoring.call_allowance import FEWEST, most_taken, planned
from viva.graphs.authoring.call_rates import KindRates
from viva.llm.prices import Prices
from viva.llm.roster import parse_roster

ASSUMED_LATENCY_S = 2.0
"""Seconds per request, where none was measured."""


class RoleCost(Record):
    """What one role is expected to take."""

    role: str
    model: str
    calls: float
    input_tokens: float
    output_tokens: float
    cost: float | None = Field(description="US dollars; None where no price is known")


class Plan(Record):
    """What the writing is expected to take, with ranges."""

    basis: str = Field(description="'recorded': rates of the demo's recording; 'measured': of the run so far")
    chunks: int = Field(description="chunks of the corpus")
    items: int = Field(description="accepted items that the writing aims for")
    accepted: int = Field(description="items that will be accepted, those held in reserve included")
    calls: Estimate
    tokens: Estimate
    cost: Estimate | None = Field(description="US dollars; None where the price of a model is not known")
    minutes: Estimate
    latency_s: float = Field(description="seconds per request: measured, or assumed where the rates are recorded")
    roles: tuple[RoleCost, ...]


def plan(
    rates: Mapping[ItemKind, KindRates], settings: Settings, chunks: int, measured_s: float | None = None
) -> Plan:
    """What the whole writing takes on so many chunks. `measured_s`: seconds per request, where rates are measured."""
    blueprint = Blueprint.read(settings.blueprint)
    wanted = wanted_of_kinds(settings, blueprint)
    accepted, limited = _accepted(wanted, blueprint.main, rates, settings.items * SPARE, chunks)
    roles = _roles(accepted, rates, settings)
    likely = math.fsum(role.calls for role in roles)
    # where the documents are too few, the writing ends with them
    allowance = min(likely, planned(wanted)) if limited else planned(wanted)
    least, most = FEWEST * min(likely, allowance), most_taken(allowance, settings)

    def ranged(amount: float) -> Estimate:
        value, low, high = (round(amount * calls / likely, 4) for calls in (min(likely, most), least, most))
        return Estimate(value=value, low=low, high=high)

    tokens = math.fsum(role.input_tokens + role.output_tokens for role in roles)
    known = [role.cost for role in roles if role.cost is not None]
    latency_s = ASSUMED_LATENCY_S if measured_s is None else measured_s
    return Plan(
        basis="recorded" if measured_s is None else "measured",
        chunks=chunks,
        items=items_wanted(settings),
        accepted=round(sum(accepted.values())),
        calls=ranged(likely),
        tokens=ranged(tokens),
        cost=ranged(math.fsum(known)) if len(known) == len(roles) else None,
        minutes=ranged(_seconds(settings, latency_s, likely, tokens) / 60),
        latency_s=round(latency_s, 3),
        roles=roles,
    )


def _accepted(
    wanted: Mapping[ItemKind, int], main: ItemKind, rates: Mapping[ItemKind, KindRates], sound: float, chunks: int
) -> tuple[dict[ItemKind, float], bool]:
    """Items of each kind that are accepted until so many are sound; whether the documents are too few for them."""
    sound -= sum(number * rates[kind].sound for kind, number in wanted.items() if kind is not main)
    needed, given = max(wanted[main], sound / rates[main].sound), chunks * rates[main].per_source
    return {**wanted, main: min(needed, given)}, given < needed


def _roles(
    accepted: Mapping[ItemKind, float], rates: Mapping[ItemKind, KindRates], settings: Settings
) -> tuple[RoleCost, ...]:
    from viva.llm.providers.endpoints import endpoint_of

    roster, prices, found = parse_roster(settings.model), Prices(settings.price), []
    for role in sorted({role for kind in accepted for role in rates[kind].roles}):
        calls, read, written = np.sum([n * rates[kind].roles[role] for kind, n in accepted.items()], axis=0)
        name = roster.of(role)
        name.require_known()
        usage = Usage(round(read), round(written), 0)
        cost = prices.cost(name.provider, name.model, endpoint_of(name, settings), usage)
        found.append(
            RoleCost(role=role, model=str(name), calls=calls, input_tokens=read, output_tokens=written, cost=cost)
        )
    return tuple(found)


def _seconds(settings: Settings, latency_s: float, calls: float, tokens: float) -> float:
    """The longest of: latency over the requests in flight, requests per minute, tokens per minute."""
    return max(
        calls * latency_s / settings.concurrency,
        calls * 60 / (settings.requests_per_minute or math.inf),
        tokens * 60 / (settings.tokens_per_minute or math.inf),
    )
