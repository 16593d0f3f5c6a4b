"""A model run in process answers by its chat template, alone and in a batch; what it cannot do is said."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tiny_models import tiny_llama

from viva.core.calls import Call, Message, Outcome, Reply
from viva.core.errors import UsageError
from viva.llm.calls import ProviderError
from viva.llm.providers.in_process import InProcessProvider

TEMPLATE = (
    "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant: {% endif %}"
)
LONGEST = 256


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tiny_llama(tmp_path_factory.mktemp("instruct"), longest=LONGEST)
    (made / "chat_template.jinja").write_text(TEMPLATE, encoding="utf-8")
    return made


def call(text: str, **parameters: Any) -> Call:
    told = {"temperature": 0.0, "max_tokens": 12, **parameters}
    return Call("hf", "tiny", "", (Message(role="user", text=text),), told)


def replies(folder: Path, calls: Sequence[Call]) -> list[Reply | BaseException]:
    async def all_of_them() -> list[Reply | BaseException]:
        provider = InProcessProvider(str(folder))
        try:
            return await asyncio.gather(*map(provider.complete, calls), return_exceptions=True)
        finally:
            await provider.aclose()

    return asyncio.run(all_of_them())


def test_the_reply_is_what_the_model_goes_on_with_after_its_template(folder: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    [reply] = replies(folder, [call("Which pump moves foam?")])
    assert isinstance(reply, Reply)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    shown = tokenizer.encode(
        "user: Which pump moves foam?\nassistant: ", return_tensors="pt", add_special_tokens=False
    )
    model = AutoModelForCausalLM.from_pretrained(folder).eval()
    said = model.generate(shown, max_new_tokens=12, do_sample=False, pad_token_id=0)[0, shown.shape[1] :]
    assert reply.text == tokenizer.decode(said, skip_special_tokens=True).strip()
    assert reply.usage.input_tokens == shown.shape[1]
    assert reply.cost == 0.0


def test_calls_of_unequal_length_in_one_batch_get_the_replies_that_each_gets_alone(folder: Path) -> None:
    calls = [
        call("Soup?"),
        call("Which pump moves foam to the deck of the ferry at noon?"),
        call("Maps of the sound"),
    ]
    together = replies(folder, calls)
    assert together == [reply for each in calls for reply in replies(folder, [each])]


def test_a_reply_that_was_cut_off_says_so_and_counts_its_tokens(folder: Path) -> None:
    [reply] = replies(folder, [call("Which pump?", max_tokens=3)])
    assert isinstance(reply, Reply)
    assert (reply.outcome, reply.finish_reason, reply.usage.output_tokens) == (Outcome.TRUNCATED, "length", 3)


def test_a_prompt_that_leaves_no_room_fails_alone(folder: Path) -> None:
    long, short = replies(folder, [call("soup " * 400), call("Soup?")])
    assert isinstance(long, ProviderError)
    assert long.outcome is Outcome.TOO_LONG
    assert isinstance(short, Reply)


def test_another_repeat_of_a_call_draws_another_reply_and_the_same_repeat_the_same(folder: Path) -> None:
    warm = call("Which pump moves foam?", temperature=1.5)
    again = Call(warm.provider, warm.model, warm.endpoint, warm.messages, warm.parameters, repeat=1)
    [first], [other], [same] = (replies(folder, [each]) for each in (warm, again, warm))
    assert first == same
    assert first != other


def test_a_parameter_that_it_has_not_is_an_invalid_request(folder: Path) -> None:
    [failed] = replies(folder, [call("Soup?", logprobs=True)])
    assert isinstance(failed, ProviderError)
    assert failed.outcome is Outcome.INVALID


def test_a_model_without_a_chat_template_is_no_instruct_model(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no chat template"):
        InProcessProvider(str(tiny_llama(tmp_path)))


def test_a_model_that_is_not_here_is_said_with_the_command_that_fetches_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as told:
        InProcessProvider("no-such/model-of-mine")
    assert "hf download" in told.value.next_step


def test_a_template_that_refuses_the_roles_fails_its_calls_and_hangs_none(tmp_path: Path) -> None:
    made = tiny_llama(tmp_path, longest=LONGEST)
    refusing = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}"
    (made / "chat_template.jinja").write_text(refusing + TEMPLATE, encoding="utf-8")
    system = Call("hf", "tiny", "", (Message(role="system", text="Be brief."),), call("x").parameters)
    [failed] = replies(made, [system])
    assert isinstance(failed, ProviderError)
    assert "no system" in str(failed)


def test_weights_that_cannot_be_read_are_said(tmp_path: Path) -> None:
    made = tiny_llama(tmp_path, longest=LONGEST)
    (made / "chat_template.jinja").write_text(TEMPLATE, encoding="utf-8")
    (made / "model.safetensors").write_bytes(b"garbage" * 99)
    [failed] = replies(made, [call("Soup?")])
    assert isinstance(failed, UsageError)
    assert "cannot be loaded" in failed.problem


def test_a_short_prompt_has_as_much_room_beside_a_long_one_as_alone(folder: Path) -> None:
    short, long = call("Soup?", max_tokens=120), call("soup " * 90, max_tokens=120)
    assert replies(folder, [short, long])[0] == replies(folder, [short])[0]


def test_a_drawn_reply_is_the_same_whoever_waits_beside_it(folder: Path) -> None:
    calls = [call(text, temperature=1.5) for text in ("Soup?", "Which pump moves foam?")]
    assert replies(folder, calls) == [replies(folder, [each])[0] for each in calls]


def test_without_a_temperature_the_models_own_settings_hold(folder: Path) -> None:
    plain = call("Soup?")
    own = Call(plain.provider, plain.model, plain.endpoint, plain.messages, {"max_tokens": 12})
    [reply] = replies(folder, [own])
    assert isinstance(reply, Reply)
