"""dspy.LM on a gateway: what passes to it, what comes back, and from which threads and loops."""

from __future__ import annotations

import asyncio
import copy
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor

import dspy
import pytest
from dspy.clients.base_lm import GLOBAL_HISTORY
from dspy.lm15 import Config, Request
from dspy.lm15 import Message as Turn
from dspy.utils.exceptions import LMUnsupportedFeatureError
from scripted_gateway import ScriptedGateway

from viva.core.calls import Outcome, binding
from viva.core.errors import BudgetReached, TransientError, UsageError
from viva.llm.calls import CallFailed
from viva.llm.dspy_bridge import CANDIDATES, GatewayLM, repeat_of
from viva.llm.loops import BackgroundLoop

pytestmark = pytest.mark.anyio

FAILURES = [
    CallFailed(Outcome.REFUSED, "no"),
    BudgetReached("spent"),
    UsageError("mend it"),
    TransientError("away"),
]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def background() -> Iterator[BackgroundLoop]:
    with BackgroundLoop() as loop:
        yield loop


def echo(*_: object) -> str:
    return "said"


def one_turn(text: str = "hello", **config: object) -> Request:
    return Request(model="viva/writer", messages=(Turn.user(text),), config=Config(**config))


async def test_only_the_parameters_that_are_given_pass() -> None:
    gateway = ScriptedGateway(echo)
    lm = GatewayLM(gateway, "writer")
    await lm.acall(one_turn())
    await lm.acall(
        one_turn(temperature=0.0, max_tokens=7, seed=3, stop=("END",), extensions={"logit_bias": {"1": 2}})
    )
    assert gateway.asked[0].parameters == {}
    assert gateway.asked[1].parameters == {
        "temperature": 0.0,
        "max_tokens": 7,
        "seed": 3,
        "stop": ["END"],
        "logit_bias": {"1": 2},
    }


async def test_a_wanted_json_schema_passes_as_openai_writes_it() -> None:
    gateway = ScriptedGateway(echo)
    lm = GatewayLM(gateway, "writer")
    wanted = {"type": "json_schema", "json_schema": {"name": "A", "schema": {"type": "object"}, "strict": True}}
    await lm.acall(lm.request([{"role": "user", "content": "x"}], {"response_format": wanted, "logprobs": True}))
    assert gateway.asked[0].parameters == {"response_format": wanted, "logprobs": True}


async def test_the_conversation_passes_turn_by_turn() -> None:
    gateway = ScriptedGateway(echo)
    lm = GatewayLM(gateway, "judge.relevance")
    turns = [("system", "rules"), ("user", "one"), ("assistant", "two"), ("user", "three")]
    response = await lm.acall(lm.request([{"role": role, "content": text} for role, text in turns], {}))
    assert [(m.role, m.text) for m in gateway.asked[0].messages] == turns
    assert (response.text, response.usage.input_tokens, response.usage.output_tokens) == ("said", 10, 20)
    assert gateway.asked[0].role == gateway.asked[0].bound.role == "judge.relevance"


async def test_what_a_gateway_cannot_carry_is_refused_before_it_is_asked() -> None:
    gateway = ScriptedGateway(echo)
    lm = GatewayLM(gateway, "writer")
    picture = {"type": "image_url", "image_url": {"url": "https://example.org/x.png"}}
    with pytest.raises(LMUnsupportedFeatureError):
        await lm.acall(lm.request([{"role": "user", "content": [picture]}], {}))
    with pytest.raises(LMUnsupportedFeatureError):
        await lm.acall(one_turn(service_tier="flex"))
    assert gateway.asked == []


def test_no_two_rollouts_or_candidates_share_a_repeat() -> None:
    repeats = [repeat_of(rollout, candidate) for rollout in (None, 0, 1, 2, 10**9) for candidate in (0, 1, 999)]
    assert len(set(repeats)) == len(repeats)
    assert repeat_of(None) == 0
    for rollout, candidate in ((-1, 0), (0, -1), (0, CANDIDATES)):
        with pytest.raises(ValueError, match="out of range"):
            repeat_of(rollout, candidate)


async def test_rollouts_reach_the_gateway_as_repeats() -> None:
    gateway = ScriptedGateway(echo)
    lm = GatewayLM(gateway, "writer")
    await lm.acall(one_turn())
    await lm.acall(one_turn(), rollout_id=0)
    await lm.copy(rollout_id=1, temperature=1.0).acall(one_turn())
    await lm.acall(one_turn(), candidate=1)
    assert len(await lm.acall("hello", n=3)) == 3
    assert [asked.repeat for asked in gateway.asked] == [0, 1000, 2000, 1, 0, 1, 2]


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: type(failure).__name__)
async def test_what_the_gateway_raises_comes_out_as_it_was_raised(failure: Exception) -> None:
    gateway = ScriptedGateway([failure])
    with pytest.raises(type(failure)) as raised:
        await GatewayLM(gateway, "writer").acall(one_turn())
    assert raised.value is failure
    assert len(gateway.asked) == 1, "DSPy retried"


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: type(failure).__name__)
def test_and_so_it_does_from_a_synchronous_call(failure: Exception, background: BackgroundLoop) -> None:
    with pytest.raises(type(failure)) as raised:
        GatewayLM(ScriptedGateway([failure]), "writer", background.loop)(one_turn())
    assert raised.value is failure


async def test_a_caller_that_is_cancelled_is_cancelled() -> None:
    async def never(*_: object, **__: object) -> None:
        await asyncio.Event().wait()

    gateway = ScriptedGateway([])
    gateway.ask = never  # type: ignore[assignment,method-assign]
    task = asyncio.create_task(GatewayLM(gateway, "writer").acall(one_turn()))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_dspy_keeps_no_cache_and_no_history() -> None:
    gateway = ScriptedGateway(echo)
    lm = GatewayLM(gateway, "writer")
    before = len(GLOBAL_HISTORY)
    for _ in range(3):
        await lm.acall(one_turn())
    assert len(gateway.asked) == 3
    assert lm.history == []
    assert len(GLOBAL_HISTORY) == before


def test_synchronous_calls_of_many_threads_meet_on_the_gateways_loop(background: BackgroundLoop) -> None:
    gateway = ScriptedGateway(echo)
    lm = GatewayLM(gateway, "writer", background.loop)
    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(lambda n: lm(one_turn(str(n))).text, range(40)))
    assert said == ["said"] * 40
    home = background.run(_thread())
    assert {asked.thread for asked in gateway.asked} == {home}
    assert home != threading.get_ident()


async def _thread() -> int:
    return threading.get_ident()


def test_what_a_call_is_for_crosses_into_the_gateways_loop(background: BackgroundLoop) -> None:
    gateway = ScriptedGateway(echo)
    with binding(chunk_id="c1", unit_id="u1"):
        GatewayLM(gateway, "writer", background.loop)(one_turn())
    there = gateway.asked[0].bound
    assert (there.role, there.chunk_id, there.unit_id) == ("writer", "c1", "u1")


async def test_an_awaited_call_crosses_from_one_loop_to_the_gateways(background: BackgroundLoop) -> None:
    gateway = ScriptedGateway(echo)
    lm = GatewayLM(gateway, "writer", background.loop)
    assert (await lm.acall(one_turn())).text == "said"
    lm.count_unreadable(one_turn(), "wrong type")
    assert gateway.asked[0].thread == background.run(_thread())
    assert gateway.counted == [(gateway.key(0), "writer", "wrong type")]


async def test_a_synchronous_call_that_would_wait_for_itself_is_refused() -> None:
    lm = GatewayLM(ScriptedGateway(echo), "writer", asyncio.get_running_loop())
    with pytest.raises(RuntimeError, match="wait for itself"):
        lm(one_turn())


def test_a_synchronous_call_needs_a_loop_that_runs() -> None:
    with pytest.raises(RuntimeError, match="needs the gateway's loop"):
        GatewayLM(ScriptedGateway(echo), "writer")(one_turn())
    loop = BackgroundLoop()
    loop.close()
    loop.close()
    with pytest.raises(RuntimeError, match="does not run"):
        GatewayLM(ScriptedGateway(echo), "writer", loop.loop)(one_turn())


def test_closing_the_loop_ends_what_still_waits() -> None:
    started = threading.Event()

    async def waits() -> None:
        started.set()
        await asyncio.Event().wait()

    loop = BackgroundLoop()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(loop.run, waits())
        started.wait(5)
        loop.close()
        with pytest.raises(CancelledError):
            waiting.result(5)
    assert loop.loop.is_closed()


def test_programs_are_copied_and_the_gateway_is_not(background: BackgroundLoop) -> None:
    gateway = ScriptedGateway(echo)
    program = dspy.Predict("question -> answer")
    program.lm = GatewayLM(gateway, "writer", background.loop)
    copy.deepcopy(program.lm)(one_turn())
    program.deepcopy().lm(one_turn())
    assert len(gateway.asked) == 2


def test_litellm_is_never_imported() -> None:
    code = """
import asyncio, sys
import dspy
from scripted_gateway import ScriptedGateway
from viva.llm.asking import Asker

asker = Asker(ScriptedGateway(['{"answer": "four"}']))
said = asyncio.run(asker.ask("expert", dspy.Signature("q -> answer"), q="2+2"))
assert said.answer == "four"
print("litellm" in sys.modules)
"""
    path = next(entry for entry in sys.path if entry.endswith("tests/support"))
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {path!r})\n{code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["False"]
    assert done.stderr == ""
