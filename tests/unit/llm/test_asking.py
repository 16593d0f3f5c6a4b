"""Asking as roles do: typed fields come out, or one RoleFailed, and two hundred malformed replies leave no trace."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Literal

import dspy
import pytest
from dspy.clients.base_lm import GLOBAL_HISTORY
from pydantic import BaseModel
from scripted_gateway import Asked, Said, ScriptedGateway

from viva.core.calls import Outcome
from viva.core.errors import BudgetReached, RoleFailed, TransientError, UsageError
from viva.core.ids import rng
from viva.llm.asking import Asker
from viva.llm.calls import CallFailed
from viva.llm.formats.defects import FormatDefect

pytestmark = pytest.mark.anyio


class Option(BaseModel):
    text: str
    why_wrong: str


class Written(dspy.Signature):
    """Write a question with options."""

    passage: str = dspy.InputField()
    question: str = dspy.OutputField(desc="one question")
    score: int = dspy.OutputField(ge=1, le=5)
    level: Literal["remember", "apply"] = dspy.OutputField()
    quotes: list[str] = dspy.OutputField(min_length=1)
    options: list[Option] = dspy.OutputField()


VALUES = {
    "question": "How deep is the lock?",
    "score": 4,
    "level": "apply",
    "quotes": ["It is deep.", "Nine metres."],
    "options": [{"text": "Eight metres", "why_wrong": "misread"}],
}


def marked(values: dict[str, object]) -> str:
    shown = {name: value if isinstance(value, str) else json.dumps(value) for name, value in values.items()}
    return "\n\n".join([*(f"[[ ## {name} ## ]]\n{value}" for name, value in shown.items()), "[[ ## completed ## ]]"])


GOOD = marked(VALUES)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_fields_come_out_typed() -> None:
    gateway = ScriptedGateway([GOOD])
    said = await Asker(gateway).ask("writer", Written, passage="The lock is deep.")
    assert (said.question, said.score, said.level) == ("How deep is the lock?", 4, "apply")
    assert said.quotes == ["It is deep.", "Nine metres."]
    assert said.options == [Option(text="Eight metres", why_wrong="misread")]
    assert (gateway.asked[0].role, gateway.asked[0].bound.role, gateway.asked[0].parameters) == (
        "writer",
        "writer",
        {},
    )


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (Outcome.REFUSED, "model_refused"),
        (Outcome.FILTERED, "model_filtered"),
        (Outcome.TRUNCATED, "model_truncated"),
        (Outcome.EMPTY, "model_unreadable"),
        (Outcome.RATE_LIMITED, "model_unavailable"),
        (Outcome.SERVER_ERROR, "model_unavailable"),
        (Outcome.CONNECTION_LOST, "model_unavailable"),
        (Outcome.TIMED_OUT, "model_unavailable"),
        (Outcome.GARBLED, "model_unavailable"),
        (Outcome.TOO_LONG, "model_rejected_request"),
        (Outcome.INVALID, "model_rejected_request"),
        (Outcome.DENIED, "model_rejected_request"),
    ],
)
async def test_every_outcome_has_its_code(outcome: Outcome, code: str) -> None:
    with pytest.raises(RoleFailed, match=r"role “judge\.relevance”") as raised:
        await Asker(ScriptedGateway(lambda _: outcome)).ask("judge.relevance", Written, passage="x")
    assert raised.value.code == code


async def test_the_reason_is_short_and_harmless() -> None:
    failed = CallFailed(Outcome.REFUSED, "[bold]<script>\x1b[31m" + "I cannot. " * 100)
    with pytest.raises(RoleFailed) as raised:
        await Asker(ScriptedGateway([failed])).ask("writer", Written, passage="x")
    assert not set("[]<>\x1b") & set(raised.value.reason)
    assert "(refused)" in raised.value.reason
    assert len(raised.value.reason) < 300
    with pytest.raises(RoleFailed) as raised:
        await Asker(ScriptedGateway(lambda _: GOOD.replace("4", "6"))).ask("writer", Written, passage="x")
    assert raised.value.reason == (
        "None of 3 replies of the role “writer” could be read. The field `score` holds a number that is not allowed; "
        "it must be a whole number from 1 to 5."
    )


@pytest.mark.parametrize("error", [BudgetReached("spent"), UsageError("mend"), TransientError("away")])
async def test_what_stops_the_run_comes_through(error: Exception) -> None:
    with pytest.raises(type(error)) as raised:
        await Asker(ScriptedGateway([error])).ask("writer", Written, passage="x")
    assert raised.value is error


async def test_inputs_are_those_of_the_signature() -> None:
    gateway = ScriptedGateway([GOOD])
    with pytest.raises(TypeError, match="passage"):
        await Asker(gateway).ask("writer", Written, text="x")
    assert gateway.asked == []


class Roles(dspy.Signature):
    """Say who it is."""

    role: str = dspy.InputField()
    signature_of: str = dspy.OutputField()


async def test_an_input_may_be_called_role() -> None:
    said = await Asker(ScriptedGateway(['{"signature_of": "A. B."}'])).ask("expert", Roles, role="captain")
    assert said.signature_of == "A. B."


async def test_sixty_four_askers_at_once_keep_their_answers_apart() -> None:
    def answer(asked: Asked) -> Said:
        number = asked.messages[-1].text.partition("passage ## ]]\n")[2].partition("\n")[0]
        return GOOD.replace("How deep", f"{asked.role} {number}")

    asker = Asker(ScriptedGateway(answer))
    roles = [("writer", "judge.relevance")[n % 2] for n in range(64)]
    said = await asyncio.gather(*(asker.ask(role, Written, passage=str(n)) for n, role in enumerate(roles)))
    assert [s.question for s in said] == [f"{role} {n} is the lock?" for n, role in enumerate(roles)]


async def test_nothing_of_a_call_is_kept() -> None:
    asker = Asker(ScriptedGateway(lambda _: GOOD))
    before = len(GLOBAL_HISTORY), len(dspy.settings.trace)
    for _ in range(30):
        await asker.ask("writer", Written, passage="x")
    assert (len(GLOBAL_HISTORY), len(dspy.settings.trace)) == before
    (predictor,) = asker._predictors.values()
    assert (predictor.history, predictor.traces, predictor.demos) == ([], [], [])
    assert [lm.history for lm in asker._lms.values()] == [[]]


# --- two hundred malformed replies of twenty kinds ----------------------------------------------------------


def _spoilt(draw: Random, **changes: object) -> str:
    """The values, some of them changed, in one format or the other."""
    values = {**VALUES, **changes}
    return draw.choice([marked(values), json.dumps(values), f"Here:\n```json\n{json.dumps(values, indent=1)}\n```"])


def _words(draw: Random, count: int) -> str:
    return " ".join("".join(draw.choices("abcdefghij", k=draw.randint(2, 8))) for _ in range(count))


def _lookalikes(text: str) -> str:
    return text.translate(str.maketrans({"[": "［", "#": "＃", "o": "о", "e": "е"}))


MALFORMED: dict[str, Callable[[Random], str]] = {
    "JSON cut short": lambda draw: json.dumps(VALUES)[: draw.randint(1, len(json.dumps(VALUES)) - 1)],
    "wrong types": lambda draw: _spoilt(draw, score=draw.choice(["four", [4], {"a": 4}, "4/5", 4.5])),
    "empty": lambda draw: "",
    "white space": lambda draw: "".join(draw.choices(" \t\n\r\u200b\ufeff", k=draw.randint(1, 40))),
    "binary": lambda draw: "".join(chr(draw.randrange(0x110000)) for _ in range(200)) + "\x00\x1b[2J\ud800",
    "fence that never closes": lambda draw: "```json\n" + json.dumps(VALUES, indent=2)[: draw.randint(5, 150)],
    "markers of other fields": lambda draw: GOOD.replace("score ##", f"{_words(draw, 1)} ##"),
    "markers in markers": lambda draw: GOOD.replace("## question ##", f"## [[ ## {_words(draw, 1)} ## ]] ##"),
    "XML": lambda draw: "".join(f"<{name}>{_words(draw, 3)}</{name}>" for name in VALUES),
    "YAML": lambda draw: f"result:\n  question: >-\n    {_words(draw, 5)}\n  meta: {{score: {draw.randint(6, 99)}}}",
    "prose": lambda draw: f"{_words(draw, 60)}. {_words(draw, 20)}?",
    "refusal": lambda draw: f"I'm sorry, but I can't help with {_words(draw, 2)}. My policy: no questions.",
    "huge numbers": lambda draw: _spoilt(draw, score=10 ** draw.randint(1, 4000)),
    "no numbers": lambda draw: _spoilt(draw, score=draw.choice([float("nan"), float("inf"), float("-inf")])),
    "null": lambda draw: _spoilt(draw, **{draw.choice([*VALUES]): None}).replace("\nnull\n", "\n\n"),
    "list for a text": lambda draw: json.dumps({**VALUES, "question": [_words(draw, 4), _words(draw, 4)]}),
    "text for a list": lambda draw: _spoilt(draw, quotes=_words(draw, 6)),
    "fields given twice": lambda draw: GOOD.replace(
        "[[ ## level", f"[[ ## score ## ]]\n{draw.randint(1, 3)}\n\n[[ ## level"
    ),
    "lookalike letters": lambda draw: _lookalikes(GOOD) + _words(draw, 2),
    "code": lambda draw: (
        f"def answer(x):\n    return {{'question': x.{_words(draw, 1)}, **dict(score={draw.randint(1, 5)})}}"
    ),
    "very long": lambda draw: f"[[ ## question ## ]]\n{_words(draw, draw.randint(4000, 8000))}",
    "empty lists": lambda draw: _spoilt(draw, quotes=draw.choice([[], [""], ["", " "]])),
    "not in the list": lambda draw: _spoilt(draw, level=draw.choice(["evaluate", "apply or remember", "level 2"])),
    "parts missing": lambda draw: _spoilt(draw, options=[*VALUES["options"], {"text": _words(draw, 2)}]),  # type: ignore[misc]
}
REPLIES = {kind: [make(rng(0, kind, n)) for n in range(10)] for kind, make in MALFORMED.items()}


def test_there_are_enough_of_them() -> None:
    assert len(REPLIES) >= 20
    assert sum(map(len, REPLIES.values())) >= 200


@pytest.mark.parametrize("kind", REPLIES)
async def test_malformed_replies_are_failures_that_are_counted(kind: str, capfd: pytest.CaptureFixture[str]) -> None:
    for reply in REPLIES[kind]:
        gateway = ScriptedGateway(lambda _, reply=reply: reply)
        with pytest.raises(RoleFailed) as raised:
            await Asker(gateway).ask("writer", Written, passage="The lock is deep.")
        assert raised.value.code == "model_unreadable", reply[:200]
        assert len(gateway.asked) == 3
        assert [key for key, _, _ in gateway.counted] == [gateway.key(n) for n in range(3)]
        assert set(gateway.kinds) <= set(FormatDefect)
        assert len(raised.value.reason) < 400
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("kind", REPLIES)
async def test_one_malformed_reply_costs_one_call(kind: str) -> None:
    for reply in REPLIES[kind]:
        gateway = ScriptedGateway([reply, GOOD])
        said = await Asker(gateway).ask("writer", Written, passage="The lock is deep.")
        assert said.question == "How deep is the lock?"
        assert len(gateway.counted) == 1
        for message in (m for asked in gateway.asked for m in asked.messages):
            message.text.encode()


async def test_the_kinds_are_told_apart() -> None:
    found: Counter[str] = Counter()
    for replies in REPLIES.values():
        for reply in replies:
            gateway = ScriptedGateway([reply, GOOD])
            await Asker(gateway).ask("writer", Written, passage="The lock is deep.")
            found.update(gateway.kinds)
    assert found.total() == sum(map(len, REPLIES.values()))
    assert set(found) == set(FormatDefect) - {
        FormatDefect.TRUNCATED,
        FormatDefect.WRONG_LENGTH,
        FormatDefect.EXTRA_FIELD,
    }
