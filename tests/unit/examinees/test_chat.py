"""A chat endpoint in the chair, against a real server that speaks OpenAI's protocol."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from model_faults import Fault, Faults
from model_server import serve
from rag_server import RagServer, rag_server
from specs_by_hand import STEM, asked, examinee, timed_out
from wires import counting, nested

from viva.core.calls import Message
from viva.core.errors import UsageError
from viva.core.records import AnswerUsage
from viva.examinees.adapters.base import SystemBusy
from viva.examinees.adapters.chat import ChatCandidate
from viva.examinees.answering import Answer, BadAnswerError, NoAnswerError
from viva.examinees.specs.records import ChatSpec
from viva.llm.calls import ProviderError

KEY = "sk-very-secret-4711"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_CHAT_KEY", KEY)


def spec(url: str, **more: Any) -> ChatSpec:
    return ChatSpec(examinee=examinee(), base_url=url, model="some-model", **{"key_from": "MY_CHAT_KEY", **more})


class Brain:
    """Says what it is told to, and keeps what it was asked."""

    def __init__(self, says: str = "B") -> None:
        self.says = says
        self.messages: list[list[Message]] = []
        self.parameters: list[dict[str, Any]] = []

    def __call__(self, messages: Sequence[Message], parameters: Mapping[str, Any]) -> str:
        self.messages.append(list(messages))
        self.parameters.append(dict(parameters))
        return self.says


def said(brain: Brain, passages: Sequence[str] | None = None, **more: Any) -> Answer:
    with serve(brain, key=KEY) as server:
        return asked(ChatCandidate(spec(server.url, **more)), passages=passages)


def test_a_chat_model_answers_and_its_tokens_are_counted() -> None:
    brain = Brain()
    answer = said(brain, system="You answer from the handbook.", temperature=0.0, max_tokens=50)
    assert (answer.text, answer.choice) == ("B", 1)
    assert answer.usage is not None
    assert answer.usage.input_tokens > 0 < answer.usage.output_tokens
    (messages,) = brain.messages
    assert [message.role for message in messages] == ["system", "user"]
    assert messages[1].text.splitlines()[:3] == [STEM, "A) 20 litres", "B) 30 litres"]
    assert (brain.parameters[0]["temperature"], brain.parameters[0]["max_tokens"]) == (0.0, 50)


def test_nothing_is_sent_that_was_not_asked_for() -> None:
    brain = Brain()
    said(brain)
    assert set(brain.parameters[0]) <= {"stream"}


def test_passages_that_it_is_handed_go_into_the_message() -> None:
    brain = Brain()
    said(brain, passages=["The tank {holds} 30 litres.", "It is red."])
    text = brain.messages[0][-1].text
    assert "[1] The tank {holds} 30 litres.\n\n[2] It is red." in text
    assert text.index("It is red.") < text.index(STEM)
    said(brain, passages=[])
    assert "no passages" in brain.messages[1][-1].text


def test_a_key_that_is_not_set_is_said_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_CHAT_KEY")
    with pytest.raises(UsageError, match="MY_CHAT_KEY, which is not set"):
        ChatCandidate(spec("http://127.0.0.1:1/v1"))
    with serve(Brain()) as server:
        assert asked(ChatCandidate(spec(server.url, key_from=""))).choice == 1


def test_a_key_that_is_refused_is_a_failure_that_does_not_show_it() -> None:
    with serve(Brain(), key="another") as server, pytest.raises(ProviderError, match="denied") as caught:
        asked(ChatCandidate(spec(server.url)))
    assert "4711" not in str(caught.value)


@pytest.mark.parametrize("fault", [Fault.RATE_LIMIT, Fault.UNAVAILABLE, Fault.RESET, Fault.SERVER_ERROR])
def test_what_may_pass_is_transient(fault: Fault) -> None:
    faults = Faults(first=(fault,), retry_after_s=3)
    with serve(Brain(), faults=faults) as server:
        with pytest.raises(SystemBusy) as caught:
            asked(ChatCandidate(spec(server.url)))
        assert len(server.log) == 1
        assert asked(ChatCandidate(spec(server.url))).choice == 1
    assert caught.value.retry_after_s == (3 if fault in {Fault.RATE_LIMIT, Fault.UNAVAILABLE} else None)


@pytest.mark.parametrize(
    ("fault", "raised"),
    [
        (Fault.QUOTA, ProviderError),
        (Fault.BAD_REQUEST, ProviderError),
        (Fault.EMPTY, NoAnswerError),
        (Fault.INVALID_JSON, BadAnswerError),
        (Fault.TRUNCATED_BODY, SystemBusy),
    ],
)
def test_what_is_no_answer_is_a_failure_in_words(fault: Fault, raised: type[Exception]) -> None:
    with serve(Brain(), faults=Faults(rates={fault: 1.0})) as server, pytest.raises(raised):
        asked(ChatCandidate(spec(server.url)))


@pytest.mark.parametrize("path", [(), ("usage",), ("choices", 0, "message", "content")], ids=str)
@pytest.mark.parametrize("levels", [150, 950, 100_000])
def test_json_nested_without_end_is_a_bad_answer(levels: int, path: tuple[str | int, ...]) -> None:
    with (
        serve(Brain(), wire=nested(levels, *path)) as server,
        pytest.raises(BadAnswerError, match="Its JSON is nested deeper than 100 levels"),
    ):
        asked(ChatCandidate(spec(server.url)))


def test_a_count_that_is_none_is_not_known_and_the_answer_is_kept() -> None:
    with serve(Brain(), wire=counting(prompt_tokens="many", completion_tokens=3)) as server:
        answer = asked(ChatCandidate(spec(server.url)))
    assert (answer.choice, answer.usage) == (1, AnswerUsage(input_tokens=None, output_tokens=3))


def test_a_refusal_is_an_answer_without_a_choice() -> None:
    with serve(Brain(), faults=Faults(rates={Fault.REFUSAL: 1.0})) as server:
        answer = asked(ChatCandidate(spec(server.url)))
    assert answer.text
    assert answer.choice is None


def test_one_that_hangs_is_left() -> None:
    started = time.perf_counter()
    with serve(Brain(), faults=Faults(rates={Fault.HANG: 1.0})) as server:
        system = ChatCandidate(spec(server.url))
        assert timed_out(system)
        system.close()
    assert time.perf_counter() - started < 3


def test_a_long_answer_is_cut() -> None:
    answer = said(Brain("x" * 30_000))
    assert len(answer.text) == 20_000
    assert answer.meta["capped"] == "text (30,000 characters)"


@pytest.fixture(scope="module")
def no_model() -> Iterator[RagServer]:
    with rag_server() as running:
        yield running


@pytest.mark.parametrize(
    ("path", "words"),
    [("html", "HTML came"), ("big", "longer than 2 MB"), ("json", "no chat completion"), ("empty", "is empty")],
)
def test_a_server_that_is_no_model_is_told_from_one(no_model: RagServer, path: str, words: str) -> None:
    with pytest.raises(BadAnswerError, match=words):
        asked(ChatCandidate(spec(f"{no_model.url}/anything/{path}")))


def test_a_key_that_comes_back_is_hidden_however_json_writes_it(
    no_model: RagServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_CHAT_KEY", "ab4711/c")
    for written in (r"ab4711\/c", r"ab4711\u002fc", r"\u0061b4711/c", "ab4711%2Fc"):
        no_model.reply = f'{{"choices": [{{"message": {{"content": "you sent {written}"}}}}]}}'
        assert asked(ChatCandidate(spec(f"{no_model.url}/anything/raw"))).text == "you sent ***"


@pytest.mark.parametrize(
    ("more", "words"),
    [({"model": " "}, "names no model"), ({"base_url": "http://me:secret@x/v1"}, "a key or a password")],
)
def test_a_spec_that_cannot_work_is_refused(more: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        ChatCandidate(ChatSpec(examinee=examinee(), **{"base_url": "http://127.0.0.1:1/v1", "model": "m", **more}))
