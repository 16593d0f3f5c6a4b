"""What a call to a model costs, in US dollars.

Source: the price table that litellm ships (`model_prices_and_context_window_backup.json`, MIT licence, collected from
the providers' price lists); litellm comes with DSPy and is not imported. Prices are list prices of short prompts:
batch rebates, tiers for very long prompts and the surcharge for writing to a provider's prompt cache are left out.
A model with a fee beside its tokens (per request, per search, per citation) has no price here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from viva.core.calls import Usage
from viva.core.errors import UsageError

_TABLE = "model_prices_and_context_window_backup.json"
_MODES = ("chat", "completion", "responses")
_MILLION = 1_000_000
_FORM = "--price PROVIDER:MODEL=INPUT,OUTPUT[,CACHED INPUT], in US dollars per million tokens."
_EXAMPLE = "For example: --price openai:gpt-4o-mini=0.15,0.60"


@dataclass(frozen=True)
class Price:
    """US dollars per token; `cached` is for input tokens that the provider took from its own prompt cache."""

    input: float
    output: float
    cached: float

    def of(self, usage: Usage) -> float | None:
        """What this usage costs; None where the provider did not count."""
        if self == FREE:
            return 0.0
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        cached = min(usage.cached_tokens or 0, usage.input_tokens)
        return (usage.input_tokens - cached) * self.input + cached * self.cached + usage.output_tokens * self.output


FREE = Price(0.0, 0.0, 0.0)
"""Of models that run here, and of replies that are replayed."""
_FREE_PROVIDERS = frozenset({"replay", "hf", "ollama", "lmstudio", "llamacpp"})


@dataclass(frozen=True)
class _Place:
    """Where the table keeps a provider's models: before their names, and as the rows' `litellm_provider`."""

    prefixes: tuple[str, ...]
    owner: str


_PLACES = {
    "openai": _Place(("",), "openai"),
    "anthropic": _Place(("",), "anthropic"),
    "google_genai": _Place(("gemini/",), "gemini"),
    "google_vertexai": _Place(("vertex_ai/", ""), "vertex_ai"),
    "google_anthropic_vertex": _Place(("vertex_ai/",), "vertex_ai"),
    "bedrock": _Place(("", "bedrock/"), "bedrock"),
    "bedrock_converse": _Place(("", "bedrock/"), "bedrock"),
    "anthropic_bedrock": _Place(("", "bedrock/"), "bedrock"),
    "azure_openai": _Place(("azure/",), "azure"),
    "azure_ai": _Place(("azure_ai/",), "azure_ai"),
    "mistralai": _Place(("mistral/",), "mistral"),
    "groq": _Place(("groq/",), "groq"),
    "deepseek": _Place(("deepseek/",), "deepseek"),
    "together": _Place(("together_ai/",), "together_ai"),
    "fireworks": _Place(("fireworks_ai/",), "fireworks_ai"),
    "cohere": _Place(("", "cohere/"), "cohere"),
    "xai": _Place(("xai/",), "xai"),
    "perplexity": _Place(("perplexity/",), "perplexity"),
    "ibm": _Place(("watsonx/",), "watsonx"),
    "baseten": _Place(("baseten/",), "baseten"),
    "meta": _Place(("meta/",), "meta"),
}


class Prices:
    """Prices by provider and model: those given, then those of the table."""

    def __init__(self, given: Sequence[str] = ()) -> None:
        """`given` are entries of --price. UsageError for one that cannot be read or comes twice."""
        self._given: dict[tuple[str, str], Price] = {}
        for entry in given:
            name, price = _parsed(entry)
            if name in self._given:
                raise UsageError(f"--price is given twice for {':'.join(name)}.", allowed="One price for each model.")
            self._given[name] = price

    def cost(self, provider: str, model: str, endpoint: str, usage: Usage) -> float | None:
        """US dollars for this usage; None where the price is not known or the provider did not count."""
        price = self.of(provider, model, endpoint)
        return None if price is None else price.of(usage)

    def of(self, provider: str, model: str, endpoint: str) -> Price | None:
        """The price of a model, or None. A server of somebody's own (`endpoint`) has only the price that is given."""
        given = self._given.get((provider, model))
        if given is not None:
            return given
        if provider in _FREE_PROVIDERS:
            return FREE
        return None if endpoint else self._listed(provider, model)

    def _listed(self, provider: str, model: str) -> Price | None:
        place = _PLACES.get(provider)
        if place is None:
            return None
        bare = model.removeprefix("models/")
        found = (self._table.get((place.owner, prefix + bare)) for prefix in place.prefixes)
        return next((price for price in found if price is not None), None)

    @cached_property
    def _table(self) -> Mapping[tuple[str, str], Price]:
        owners = {place.owner for place in _PLACES.values()}
        prices: dict[tuple[str, str], Price] = {}
        for name, row in _rows().items():
            kept_by = str(row.get("litellm_provider"))
            price = None if _has_fee(name, row) else _price(row)
            if price is not None:
                prices |= {(owner, name): price for owner in owners if kept_by.startswith(owner)}
        return prices


def _parsed(entry: str) -> tuple[tuple[str, str], Price]:
    model, equals, amounts = entry.strip().rpartition("=")
    provider, colon, name = (part.strip() for part in model.partition(":"))
    try:
        numbers = [float(amount) for amount in amounts.split(",")]
    except ValueError:
        numbers = []
    readable = equals and colon and provider and name
    if not readable or len(numbers) not in {2, 3} or not all(math.isfinite(n) and n >= 0 for n in numbers):
        raise UsageError(f"--price is {entry!r}.", allowed=_FORM, next_step=_EXAMPLE)
    read, written, cached = (n / _MILLION for n in (*numbers, numbers[0])[:3])
    return (provider, name), Price(read, written, cached)


def _rows() -> dict[str, dict[str, Any]]:
    """The table; empty where litellm is not installed."""
    package = find_spec("litellm")
    if package is None or package.origin is None:
        return {}
    table: dict[str, dict[str, Any]] = json.loads(Path(package.origin).with_name(_TABLE).read_text(encoding="utf-8"))
    return table


def _has_fee(name: str, row: Mapping[str, Any]) -> bool:
    """Whether a request costs more than its tokens: a fee of its own, for citations, or for searches made unasked."""
    searches = row.get("litellm_provider") == "perplexity" or "search" in name
    fees = ("input_cost_per_request", "citation_cost_per_token", *["search_context_cost_per_query"] * searches)
    return any(row.get(fee) for fee in fees)


def _price(row: Mapping[str, Any]) -> Price | None:
    """None for what writes no text, has no price per token, or stands at zero: what is hosted is not free."""
    read, written = row.get("input_cost_per_token"), row.get("output_cost_per_token")
    if row.get("mode") not in _MODES or not isinstance(read, int | float) or not isinstance(written, int | float):
        return None
    if read + written <= 0:
        return None
    cached = row.get("cache_read_input_token_cost")
    return Price(float(read), float(written), float(cached) if isinstance(cached, int | float) else float(read))
