"""What a call costs: what is given counts first, then the table; what is not known is not guessed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from viva.core.calls import Usage
from viva.core.errors import UsageError
from viva.llm.prices import FREE, Prices

SERVER = "http://localhost:8000/v1"
USAGE = Usage(input_tokens=1000, output_tokens=100, cached_tokens=400)


def test_a_price_that_is_given_is_per_million_tokens() -> None:
    prices = Prices(["openai:mine=3,15"])
    assert prices.cost("openai", "mine", "", USAGE) == pytest.approx(1000 * 3e-6 + 100 * 15e-6)


def test_a_third_amount_is_for_input_from_the_providers_cache() -> None:
    prices = Prices(["openai:mine=3,15,0.3"])
    assert prices.cost("openai", "mine", "", USAGE) == pytest.approx(600 * 3e-6 + 400 * 0.3e-6 + 100 * 15e-6)


def test_a_price_that_is_given_goes_before_the_table_and_holds_for_a_server_of_ones_own() -> None:
    prices = Prices(["openai:gpt-4o-mini=1,2", "vllm:org/model:8b=0,0"])
    assert prices.cost("openai", "gpt-4o-mini", "", USAGE) == pytest.approx(1000 * 1e-6 + 100 * 2e-6)
    assert prices.cost("vllm", "org/model:8b", SERVER, USAGE) == 0.0


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("openai", "gpt-4o-mini"),
        ("azure_openai", "gpt-4o-mini"),
        ("anthropic", "claude-haiku-4-5"),
        ("google_genai", "gemini-2.5-flash"),
        ("google_genai", "models/gemini-2.5-flash"),
        ("google_vertexai", "gemini-2.5-flash"),
        ("bedrock_converse", "us.amazon.nova-lite-v1:0"),
        ("mistralai", "mistral-small-latest"),
        ("deepseek", "deepseek-chat"),
        ("together", "meta-llama/Llama-3.3-70B-Instruct-Turbo"),
        ("perplexity", "mistral-7b-instruct"),
    ],
)
def test_the_table_knows_the_providers_by_our_names(provider: str, model: str) -> None:
    price = Prices().of(provider, model, "")
    assert price is not None
    # no model sold today costs a hundredth of a dollar per token, nor nothing
    assert 0 < price.cached <= price.input <= price.output < 0.01


def test_a_server_of_ones_own_has_no_price_unless_one_is_given() -> None:
    assert Prices().of("openai", "gpt-4o-mini", SERVER) is None
    assert Prices().cost("openai", "gpt-4o-mini", SERVER, USAGE) is None


@pytest.mark.parametrize("provider", ["hf", "replay", "ollama"])
def test_what_runs_here_is_free_even_uncounted(provider: str) -> None:
    assert Prices().cost(provider, "any", SERVER, Usage()) == 0.0


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("openai", "no-such-model"),
        ("openai", "deepseek-chat"),
        ("openai", "text-embedding-3-small"),
        ("somebody", "gpt-4o-mini"),
        ("google_genai", "gemini-exp-1206"),
        ("perplexity", "pplx-7b-online"),
        ("perplexity", "sonar-deep-research"),
        ("perplexity", "sonar"),
        ("openai", "gpt-4o-mini-search-preview"),
        ("azure_openai", "o3-deep-research"),
    ],
    ids=[
        *("unknown", "another's", "no text", "unknown provider", "listed at zero"),
        *("fee per request", "fee for citations", "fee for searches", "searches by itself", "researches by itself"),
    ],
)
def test_what_the_table_does_not_price_has_no_price(provider: str, model: str) -> None:
    assert Prices().of(provider, model, "") is None


@pytest.mark.parametrize("usage", [Usage(), Usage(input_tokens=5), Usage(output_tokens=5)])
def test_without_counts_there_is_no_cost(usage: Usage) -> None:
    assert Prices(["openai:mine=3,15"]).cost("openai", "mine", "", usage) is None


def test_more_cached_than_sent_costs_no_less_than_all_cached() -> None:
    odd = Usage(input_tokens=10, output_tokens=0, cached_tokens=99)
    assert Prices(["openai:mine=3,15,1"]).cost("openai", "mine", "", odd) == pytest.approx(10e-6)


@pytest.mark.parametrize(
    "entry",
    [
        *("", "openai:m", "openai=1,2", ":m=1,2", "openai:=1,2", "openai:m=1", "openai:m=1,2,3,4", "openai:m=-1,2"),
        *("openai:m=nan,1", "openai:m=1,inf", "openai:m=1;2", "openai:m=one,two"),
    ],
)
def test_an_entry_that_cannot_be_read_is_a_usage_error(entry: str) -> None:
    with pytest.raises(UsageError, match="--price is") as raised:
        Prices([entry])
    assert "per million tokens" in raised.value.allowed


def test_a_model_priced_twice_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="twice for openai:m"):
        Prices(["openai:m=1,2", "openai:m=2,2"])


def test_without_litellm_nothing_is_known_but_what_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("viva.llm.prices.find_spec", lambda name: None)
    prices = Prices(["openai:mine=1,1"])
    assert prices.of("openai", "gpt-4o-mini", "") is None
    assert prices.of("openai", "mine", "") is not None
    assert prices.of("ollama", "any", "") == FREE


def test_litellm_is_read_and_not_imported() -> None:
    code = (
        "import sys; from viva.llm.prices import Prices\n"
        "assert Prices().of('openai', 'gpt-4o-mini', '') is not None\n"
        "print(sorted(m for m in sys.modules if m.split('.')[0] in {'litellm', 'dspy', 'openai'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
