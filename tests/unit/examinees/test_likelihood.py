"""Choice by log-likelihood: with a model on this machine, and with a server that returns log-probabilities."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from logprob_serving import serve_logprobs
from tiny_models import tiny_llama

from viva.core.errors import TransientError, UsageError
from viva.core.records import WorkedExample
from viva.examinees.answering import Answer, BadAnswerError, NoAnswerError
from viva.examinees.readers.causal_model import BATCH, CausalModel, causal_model
from viva.examinees.readers.likelihood import LikelihoodReader, prompt_of
from viva.examinees.readers.logprob_server import LogprobServer
from viva.examinees.specs.records import ScoreName

STEM = "Which pump moves foam to the deck?"
OPTIONS = ("the fire pump", "rust", "a green lamp of the old lighthouse", "die Fähre über den Sund", "soup", "船")
PASSAGES = ("The fire pump moves foam.", "The galley serves soup.")
EXAMPLE = WorkedExample(stem="What is red?", options=("the hull", "foam"), key_position=0, context="The hull is red.")
LONGEST = 256


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_llama(tmp_path_factory.mktemp("llama"), longest=LONGEST)


@pytest.fixture(scope="module")
def model(folder: Path) -> CausalModel:
    return causal_model(str(folder))


class Told:
    """A model that says these log-likelihoods, or this text."""

    def __init__(self, *likelihoods: float, says: str = "") -> None:
        self._likelihoods = likelihoods
        self._says = says
        self.context = ""

    async def log_likelihoods(self, context: str, continuations: Sequence[str]) -> list[float]:
        self.context = context
        return list(self._likelihoods)

    async def continued(self, context: str) -> str:
        self.context = context
        return self._says


def chosen(model: Any, score: ScoreName = "acc_norm", options: Sequence[str] = OPTIONS) -> Answer:
    return asyncio.run(LikelihoodReader(model, score).choose(STEM, options, PASSAGES, ()))


# --- what is compared ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("score", "choice"), [("acc", 0), ("acc_norm", 1), ("acc_bytes", 2)])
def test_the_score_says_by_what_log_likelihoods_are_divided(score: ScoreName, choice: int) -> None:
    # 1, 6 and 2 characters; 1, 6 and 6 bytes
    assert chosen(Told(-5.0, -6.0, -5.9), score, ("a", "abcdef", "船船")).choice == choice


def test_the_first_of_equals_is_chosen_as_the_harness_does() -> None:
    assert chosen(Told(-2.0, -2.0, -2.0), "acc", ("a", "b", "c")).choice == 0


def test_the_prompt_is_the_harness_prompt_with_passages_and_solved_questions_before_it() -> None:
    assert prompt_of(STEM, (), ()) == f"Question: {STEM}\nAnswer:"
    assert prompt_of(STEM, ("It is red.",), (EXAMPLE,)) == (
        "Passage: The hull is red.\n\nQuestion: What is red?\nAnswer: the hull\n\n"
        f"Passage: It is red.\n\nQuestion: {STEM}\nAnswer:"
    )
    # a closed book is shown no passage in an example either
    assert "Passage" not in prompt_of(STEM, (), (EXAMPLE,))


# --- a model on this machine --------------------------------------------------------------------------------


def by_hand(folder: Path, context: str, continuation: str) -> float:
    """ln P, one text at a time, from the definition."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokens = tokenizer.encode(context + continuation)
    with torch.inference_mode():
        logits = AutoModelForCausalLM.from_pretrained(folder)(torch.tensor([tokens[:-1]])).logits[0]
    near = torch.log_softmax(logits, dim=-1)
    return math.fsum(float(near[n - 1, tokens[n]]) for n in range(len(tokenizer.encode(context)), len(tokens)))


def test_the_log_likelihood_is_that_of_the_options_tokens_alone(folder: Path, model: CausalModel) -> None:
    context = prompt_of(STEM, PASSAGES, ())
    continuations = [f" {option}" for option in OPTIONS]
    found = asyncio.run(model.log_likelihoods(context, continuations))
    assert found == pytest.approx([by_hand(folder, context, each) for each in continuations], rel=1e-5)
    assert len({round(each, 3) for each in found}) == len(OPTIONS)


def test_the_same_question_gives_the_same_numbers_however_many_options_go_at_once(model: CausalModel) -> None:
    many = [f" option {n} of the pump" for n in range(BATCH + 3)]
    context = prompt_of(STEM, (), ())
    together = asyncio.run(model.log_likelihoods(context, many))
    assert together == asyncio.run(model.log_likelihoods(context, many))
    alone = [asyncio.run(model.log_likelihoods(context, [each]))[0] for each in many]
    assert together == pytest.approx(alone, rel=1e-5)


def test_a_text_that_is_too_long_loses_its_beginning(model: CausalModel) -> None:
    endless = "rust " * LONGEST
    near, far = (
        asyncio.run(model.log_likelihoods(prompt_of(STEM, (first + endless,), ()), [" foam"]))
        for first in ("", "soup ")
    )
    assert near == far


def test_an_option_that_does_not_fit_is_a_failure_in_words(model: CausalModel) -> None:
    with pytest.raises(BadAnswerError, match="tokens of an option"):
        chosen(model, options=("foam", "rust " * LONGEST))


def test_an_open_question_is_answered_by_going_on_writing(model: CausalModel) -> None:
    first, again = (asyncio.run(LikelihoodReader(model).tell(STEM, PASSAGES, ())) for _ in "ab")
    assert first == again
    assert first.text
    assert first.choice is None


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        (" Foam.\n\nPassage: Rust.", "Foam."),
        ("\nFoam.\nQuestion: Why?\nAnswer: no", "Foam."),
        ("Foam", "Foam"),
        ("F\0oam", "F\ufffdoam"),
    ],
)
def test_an_answer_ends_where_its_paragraph_ends(said: str, answer: str) -> None:
    assert asyncio.run(LikelihoodReader(Told(says=said)).tell(STEM, (), ())).text == answer


def test_nothing_written_is_no_answer() -> None:
    with pytest.raises(NoAnswerError):
        asyncio.run(LikelihoodReader(Told(says=" \n")).tell(STEM, (), ()))


def test_readers_of_the_same_model_share_it(folder: Path, model: CausalModel) -> None:
    assert causal_model(str(folder)) is model


@pytest.mark.parametrize("name", ["nowhere/at-all", "no such folder", "../.."])
def test_a_model_that_is_not_here_is_said(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        causal_model(str(tmp_path) if name == "../.." else name)
    assert "causal language model" in caught.value.problem


def test_a_folder_with_a_broken_model_is_said(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(UsageError, match="cannot be loaded"):
        chosen(causal_model(str(tmp_path)))


# --- a server -----------------------------------------------------------------------------------------------


def test_a_server_gives_the_numbers_of_the_model_it_serves(folder: Path, model: CausalModel) -> None:
    context, continuations = prompt_of(STEM, PASSAGES, ()), [f" {option}" for option in OPTIONS]
    with serve_logprobs(folder) as served:
        found = asyncio.run(LogprobServer(f"{served.url}#tiny").log_likelihoods(context, continuations))
        assert {(body["path"], body["model"]) for body in served.bodies} == {("/v1/completions", "tiny")}
        assert served.authorization is None
    assert found == pytest.approx(asyncio.run(model.log_likelihoods(context, continuations)), rel=1e-4)


def test_a_server_answers_open_questions_too(folder: Path) -> None:
    with serve_logprobs(folder) as served:
        server = LogprobServer(f"{served.url}/#tiny")
        assert asyncio.run(LikelihoodReader(server).tell(STEM, PASSAGES, ())).text


def test_the_servers_key_comes_from_the_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIVA_LOGPROB_KEY", "a-key-of-its-own")
    with serve_logprobs(folder) as served:
        chosen(LogprobServer(f"{served.url}#tiny"))
        assert served.authorization == "Bearer a-key-of-its-own"


def without_logprobs(reply: dict[str, Any]) -> dict[str, Any]:
    return {"choices": [{**reply["choices"][0], "logprobs": None}]}


def with_logprobs(value: object) -> Any:
    def changed(reply: dict[str, Any]) -> dict[str, Any]:
        count = len(reply["choices"][0]["logprobs"]["token_logprobs"])
        return {"choices": [{"text": "", "logprobs": {"token_logprobs": [value] * count}}]}

    return changed


@pytest.mark.parametrize(
    "changed",
    [
        without_logprobs,
        with_logprobs(None),
        with_logprobs("-1"),
        with_logprobs(0.5),
        with_logprobs(float("-inf")),
        lambda reply: {"choices": []},
        lambda reply: {"error": "no"},
        lambda reply: b"<html>no</html>",
        lambda reply: b"",
        lambda reply: 404,
        lambda reply: b"x" * 3_000_000,
    ],
)
def test_a_server_that_returns_something_else_is_a_failure_in_words(changed: Any, folder: Path) -> None:
    with serve_logprobs(folder, changed) as served, pytest.raises(BadAnswerError):
        chosen(LogprobServer(f"{served.url}#tiny"))


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_is_busy_may_be_asked_again(status: int, folder: Path) -> None:
    with serve_logprobs(folder, lambda reply: status) as served, pytest.raises(TransientError):
        chosen(LogprobServer(f"{served.url}#tiny"))


def test_a_server_that_is_not_there_may_come_back() -> None:
    with pytest.raises(TransientError, match="connection failed"):
        chosen(LogprobServer("http://127.0.0.1:9#tiny"))
