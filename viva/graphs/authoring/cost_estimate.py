"""What writing an exam with language models will take, predicted before anything is paid.

A few chunks are rehearsed: the whole committee works on them, played by a `fake:` model, so that every prompt is
the real one. They tell how long the calls of each role are; how many calls an item takes, real models have told
(call_allowance.PLANNED), and the limit at which the writing gives up bounds it. Where the run folder holds chunks
that real models have walked already, those are the sample instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from viva.core.blueprint import Blueprint
from viva.core.calls import Usage
from viva.core.records import Record
from viva.core.scores import Estimate
from viva.core.settings import Settings
from viva.graphs import stages
from viva.graphs.authoring.account import calls_of
from viva.graphs.authoring.batching import SMALLEST_PAID, batch_size, items_wanted, wanted_of_kinds
from viva.graphs.authoring.call_allowance import FEWEST, most_taken, planned
from viva.graphs.chunk import walk_chunk
from viva.graphs.context import RunContext
from viva.llm.prices import Prices
from viva.llm.roster import ModelName, parse_roster
from viva.llm.tokens import counted
from viva.storage.ledger import open_recorded
from viva.storage.recorded_calls import RecordedCalls

ASSUMED_LATENCY_S = 2.0
"""Seconds per request, where none was measured."""
_RUNS = 400
_NEAR = 0.15
"""How far, as a share of the walking order, a chunk may stand from those it is like."""


class ModelShare(Record):
    """What falls to one model."""

    model: str
    calls: Estimate
    input_tokens: Estimate
    output_tokens: Estimate
    cost: Estimate | None = Field(description="US dollars; None where no price is known")


class Plan(Record):
    """What the writing is expected to take, each figure with the 95% interval that the sample gives."""

    basis: str = Field(description="'rehearsed' with a fake model, or 'measured' on chunks of this run")
    sampled: int = Field(description="chunks in the sample")
    chunks: int = Field(description="chunks of the corpus")
    items: int = Field(description="accepted items that the writing aims for")
    walked: Estimate = Field(description="chunks that will be walked")
    accepted: Estimate = Field(description="items that will be accepted")
    calls: Estimate
    tokens: Estimate
    cost: Estimate | None = Field(description="US dollars; None where the price of a model is not known")
    minutes: Estimate
    latency_s: float = Field(description="seconds per request: measured, or assumed where the basis is rehearsed")
    models: tuple[ModelShare, ...]


@dataclass(frozen=True)
class RehearsedChunk:
    """What one chunk of the sample took: items accepted, and calls, input and output tokens by model."""

    items: int
    calls: Counter[ModelName]
    input_tokens: Counter[ModelName]
    output_tokens: Counter[ModelName]


@dataclass(frozen=True)
class RehearsedSample:
    """The chunks that were looked at."""

    basis: str
    chunks: tuple[RehearsedChunk, ...]
    latency_s: float


async def rehearse(context: RunContext, settings: Settings, count: int) -> RehearsedSample:
    """`count` chunks, walked at `context`, whose models are fake; `settings` name those that are meant.

    They stand at even distances in the walking order: topics and clusters take turns, so that its end holds the
    largest only.
    """
    order = stages.walking_order(context.sample, context.settings)
    count = min(count, len(order))
    chosen = [order[(2 * n + 1) * len(order) // (2 * count)] for n in range(count)]
    items = {}
    try:
        for done, source_id in enumerate(chosen):
            context.watch("plan", done, len(chosen))
            items[source_id] = len((await walk_chunk(context.source(source_id), context.committee)).items)
        context.watch("plan", len(chosen), len(chosen))
    finally:
        await context.aclose_models()
    walked, _ = _walked(open_recorded(context.folder), settings, items)
    return RehearsedSample("rehearsed", walked, ASSUMED_LATENCY_S)


def measured(context: RunContext) -> RehearsedSample | None:
    """The chunks that the models have walked already in this run; None where there are none."""
    ledger = calls_of(context.models)
    if ledger is None:
        return None
    counts = context.store.walk_counts()
    items = {
        id_: counts[id_]["items"] for id_ in stages.walking_order(context.sample, context.settings) if id_ in counts
    }
    walked, latency_s = _walked(ledger, context.settings, items)
    return RehearsedSample("measured", walked, latency_s) if walked and latency_s else None


def plan(sample: RehearsedSample, settings: Settings, chunks: int) -> Plan:
    """What the whole writing takes, by simulated runs over chunks that are drawn from the sample.

    Intervals of a measured plan are percentiles over the simulated runs. A rehearsed one goes from what a faultless
    committee takes of the planned calls to the most that the writing has taken when it gives up.
    """
    wanted = items_wanted(settings)
    items = np.array([chunk.items for chunk in sample.chunks], dtype=float)
    order = (_as_walked if sample.basis == "measured" else _spread)(len(items), chunks, settings.seed)
    accepted = items[order].cumsum(axis=1)
    walked = np.array([_chunks_walked(wanted, each, settings.items_per_chunk) for each in accepted])
    runs = np.arange(len(walked))

    def in_all(amounts: Sequence[float]) -> NDArray[np.float64]:
        summed: NDArray[np.float64] = np.array(amounts, dtype=float)[order].cumsum(axis=1)[runs, walked - 1]
        return summed

    given = in_all([chunk.items for chunk in sample.chunks])
    counted_calls = in_all([chunk.calls.total() for chunk in sample.chunks])
    likely = float(planned(wanted_of_kinds(settings, Blueprint.read(settings.blueprint))))
    if given.mean() < wanted:
        # the documents are too few for so many items: all are walked, and what that takes was rehearsed
        likely = min(likely, float(counted_calls.mean()))

    most = most_taken(likely, settings) / likely if likely else 1.0

    def told(amounts: NDArray[np.float64]) -> Estimate:
        if sample.basis == "measured":
            return _estimate(amounts)
        value = float(amounts.mean() / max(counted_calls.mean(), 1)) * likely
        return Estimate(value=round(value, 6), low=round(FEWEST * value, 6), high=round(value * most, 6))

    prices = Prices(settings.price)
    shares, costs = [], []
    calls, tokens = np.zeros(_RUNS), np.zeros(_RUNS)
    for model in parse_roster(settings.model).models:
        asked = in_all([chunk.calls[model] for chunk in sample.chunks])
        read = in_all([chunk.input_tokens[model] for chunk in sample.chunks])
        written = in_all([chunk.output_tokens[model] for chunk in sample.chunks])
        per_token = [prices.cost(model.provider, model.model, _endpoint(model, settings), u) for u in _UNITS]
        cost = None if None in per_token else _price(per_token[0], read) + _price(per_token[1], written)
        calls, tokens = calls + asked, tokens + read + written
        costs.append(cost)
        shares.append(
            ModelShare(
                model=str(model),
                calls=told(asked),
                input_tokens=told(read),
                output_tokens=told(written),
                cost=None if cost is None else told(cost),
            )
        )
    known = [cost for cost in costs if cost is not None]
    return Plan(
        basis=sample.basis,
        sampled=len(sample.chunks),
        chunks=chunks,
        items=wanted,
        walked=_estimate(walked.astype(float)),
        accepted=_estimate(given),
        calls=told(calls),
        tokens=told(tokens),
        cost=told(np.sum(known, axis=0)) if len(known) == len(costs) else None,
        minutes=told(_seconds(settings, sample.latency_s, calls, tokens) / 60),
        latency_s=round(sample.latency_s, 3),
        models=tuple(shares),
    )


def _spread(sampled: int, chunks: int, seed: int) -> NDArray[np.int64]:
    """Row by row the chunks of a run, as places in the sample: each is like one that stands near it in the order."""
    if sampled >= chunks:
        return np.tile(np.arange(chunks), (_RUNS, 1))
    near = np.random.default_rng(seed).uniform(-_NEAR, _NEAR, (_RUNS, chunks))
    places = ((np.arange(chunks) + 0.5) / chunks + near) * sampled
    return np.clip(np.floor(places), 0, sampled - 1).astype(np.int64)


def _as_walked(sampled: int, chunks: int, seed: int) -> NDArray[np.int64]:
    """Row by row the chunks of a run, as places in the sample: first the sample, as it was walked, then others."""
    draw = np.random.default_rng(seed)
    first = np.arange(min(sampled, chunks))
    rest = max(chunks - sampled, 0)
    rows = (np.concatenate([first, draw.choice(draw.integers(0, sampled, sampled), rest)]) for _ in range(_RUNS))
    return np.stack(list(rows))


def _chunks_walked(wanted: int, accepted: NDArray[np.float64], items_per_chunk: int) -> int:
    """Chunks in all the batches that are walked, where so many items are accepted from the first, two, three ..."""
    walked, have = 0, 0.0
    while walked < len(accepted) and have < wanted:
        walked = min(walked + batch_size(wanted, have, walked, items_per_chunk, SMALLEST_PAID), len(accepted))
        have = float(accepted[walked - 1])
    return walked


_UNITS = (Usage(1_000_000, 0, 0), Usage(0, 1_000_000, 0))


def _price(per_million: float | None, tokens: NDArray[np.float64]) -> NDArray[np.float64]:
    return tokens * ((per_million or 0.0) / 1e6)


def _endpoint(model: ModelName, settings: Settings) -> str:
    from viva.llm.providers.endpoints import endpoint_of

    return endpoint_of(model, settings)


def _seconds(
    settings: Settings, latency_s: float, calls: NDArray[np.float64], tokens: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The longest of: latency over the requests in flight, requests per minute, tokens per minute."""
    seconds = calls * latency_s / settings.concurrency
    if settings.requests_per_minute:
        seconds = np.maximum(seconds, calls * 60 / settings.requests_per_minute)
    if settings.tokens_per_minute:
        seconds = np.maximum(seconds, tokens * 60 / settings.tokens_per_minute)
    return seconds


def _estimate(values: NDArray[np.float64]) -> Estimate:
    low, high = np.percentile(values, [2.5, 97.5])
    return Estimate(value=round(float(values.mean()), 6), low=round(float(low), 6), high=round(float(high), 6))


def _walked(
    ledger: RecordedCalls, settings: Settings, items: Mapping[str, int]
) -> tuple[tuple[RehearsedChunk, ...], float]:
    """What each of these chunks took, by a ledger, which is closed; and the mean seconds of a request."""
    roster = parse_roster(settings.model)
    taken = {chunk_id: RehearsedChunk(count, Counter(), Counter(), Counter()) for chunk_id, count in items.items()}
    seconds, answered = 0.0, 0
    with ledger:
        for entry in ledger.entries():
            chunk = taken.get(entry.chunk_id or "")
            if chunk is None or entry.reply is None:
                continue
            model = roster.of(entry.role)
            chunk.calls[model] += 1
            usage = counted(entry.call, entry.reply)
            chunk.input_tokens[model] += usage.input_tokens or 0
            chunk.output_tokens[model] += usage.output_tokens or 0
            seconds, answered = seconds + entry.latency_s, answered + 1
    return tuple(taken.values()), seconds / answered if answered else 0.0
