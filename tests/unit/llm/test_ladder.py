"""The repair ladder: which rung follows which reply, how often is asked at most, and what is counted."""

from __future__ import annotations

from collections.abc import Iterator

import dspy
import pytest
from scripted_gateway import Asked, Said, ScriptedGateway

from viva.core.calls import Outcome
from viva.core.errors import BudgetReached
from viva.llm.calls import CallFailed
from viva.llm.dspy_bridge import GatewayLM
from viva.llm.formats.defects import FormatDefect
from viva.llm.formats.ladder import LadderAdapter, Unreadable
from viva.llm.loops import BackgroundLoop

pytestmark = pytest.mark.anyio


class Rated(dspy.Signature):
    """Rate the answer."""

    answer: str = dspy.InputField()
    rationale: str = dspy.OutputField(desc="one sentence")
    score: int = dspy.OutputField(ge=1, le=5)


GOOD = "[[ ## rationale ## ]]\nSound.\n\n[[ ## score ## ]]\n4\n\n[[ ## completed ## ]]"
PLAIN = "rationale: Sound.\nscore: 4"
BAD = "Zanzibar is lovely in the spring."
TOO_HIGH = GOOD.replace("4", "9")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def background() -> Iterator[BackgroundLoop]:
    with BackgroundLoop() as loop:
        yield loop


async def climb(
    script: list[Said], demos: list[dict[str, object]] | None = None, **options: object
) -> tuple[ScriptedGateway, list[dict[str, object]]]:
    gateway = ScriptedGateway(script)
    adapter = LadderAdapter(max_reply_tokens=500)
    found = await adapter.acall(
        GatewayLM(gateway, "judge.relevance"), options, Rated, demos or [], {"answer": "It is."}
    )
    return gateway, found


async def fail(script: list[Said], error: type[Exception] = Unreadable) -> tuple[ScriptedGateway, Exception]:
    gateway = ScriptedGateway(script)
    with pytest.raises(error) as raised:
        await LadderAdapter(500).acall(GatewayLM(gateway, "judge.relevance"), {}, Rated, [], {"answer": "It is."})
    return gateway, raised.value


def texts(asked: Asked) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in asked.messages]


async def test_a_readable_reply_is_one_call() -> None:
    gateway, found = await climb([GOOD])
    assert found == [{"rationale": "Sound.", "score": 4}]
    assert (len(gateway.asked), gateway.counted) == (1, [])


async def test_an_unreadable_reply_is_shown_again_with_what_was_wrong() -> None:
    gateway, found = await climb([BAD, GOOD])
    first, second = map(texts, gateway.asked)
    assert found == [{"rationale": "Sound.", "score": 4}]
    assert second[:-2] == first
    assert second[-2] == ("assistant", BAD)
    role, complaint = second[-1]
    assert role == "user"
    assert complaint.startswith("None of the fields that were asked for could be found")
    assert "[[ ## score ## ]] (whole number from 1 to 5) and [[ ## completed ## ]]" in complaint


@pytest.mark.parametrize("reply", [BAD, TOO_HIGH, '{"rationale": "Zanzibar", "score": "Zanzibar"}', '{"score": "Zan'])
async def test_the_complaint_holds_nothing_of_the_reply(reply: str) -> None:
    gateway, _ = await climb([reply, GOOD])
    outside = [text for role, text in texts(gateway.asked[1]) if role != "assistant"]
    assert not any(word in text for text in outside for word in ("Zan", "9"))


async def test_the_third_rung_is_a_fresh_conversation_in_plain_lines() -> None:
    gateway, found = await climb([BAD, TOO_HIGH, PLAIN])
    assert found == [{"rationale": "Sound.", "score": 4}]
    third = texts(gateway.asked[2])
    assert [role for role, _ in third] == ["system", "user"]
    assert "Answer in plain lines" in third[0][1]
    assert not any(BAD in text or "[[ ##" in text for _, text in third)
    assert gateway.kinds == [FormatDefect.NO_FIELDS, FormatDefect.OUT_OF_RANGE]


async def test_three_unreadable_replies_are_the_end() -> None:
    gateway, error = await fail([BAD, TOO_HIGH, "score: 3", PLAIN])
    assert len(gateway.asked) == 3
    assert isinstance(error, Unreadable)
    assert [flaw.defect for flaw in error.flaws] == [
        FormatDefect.NO_FIELDS,
        FormatDefect.OUT_OF_RANGE,
        FormatDefect.MISSING_FIELD,
    ]
    assert error.lm_response == "score: 3"


async def test_each_unreadable_reply_is_counted_under_the_key_of_its_call() -> None:
    gateway, _ = await climb([BAD, BAD, PLAIN], rollout_id=3, temperature=1.0)
    assert gateway.counted == [(gateway.key(n), "judge.relevance", "no field found") for n in (0, 1)]
    assert {asked.repeat for asked in gateway.asked} == {4000}


async def test_a_reply_that_is_cut_off_is_asked_for_again_with_twice_the_tokens() -> None:
    gateway, _ = await climb([Outcome.TRUNCATED, BAD, GOOD])
    first, longer, second = gateway.asked
    assert texts(first) == texts(longer)
    assert "max_tokens" not in first.parameters
    assert longer.parameters["max_tokens"] == second.parameters["max_tokens"] == 1000
    assert texts(second)[-2] == ("assistant", BAD)
    assert gateway.kinds == [FormatDefect.TRUNCATED, FormatDefect.NO_FIELDS]


async def test_twice_the_tokens_that_were_asked_for() -> None:
    gateway, _ = await climb([Outcome.TRUNCATED, GOOD], max_tokens=64)
    assert [asked.parameters["max_tokens"] for asked in gateway.asked] == [64, 128]


async def test_the_second_reply_that_is_cut_off_is_the_end() -> None:
    gateway, error = await fail([BAD, Outcome.TRUNCATED, BAD, Outcome.TRUNCATED, PLAIN], CallFailed)
    assert len(gateway.asked) == 4
    assert isinstance(error, CallFailed)
    assert error.outcome is Outcome.TRUNCATED


@pytest.mark.parametrize("nothing", [Outcome.EMPTY, "", " \n"])
async def test_an_empty_reply_costs_a_rung_and_leaves_no_turn(nothing: Said) -> None:
    gateway, _ = await climb([nothing, BAD, PLAIN])
    assert [role for role, _ in texts(gateway.asked[1])] == ["system", "user"]
    assert "The reply was empty." in texts(gateway.asked[1])[1][1]
    assert gateway.asked[1].messages != gateway.asked[0].messages
    assert gateway.kinds == [FormatDefect.EMPTY, FormatDefect.NO_FIELDS]
    gateway, error = await fail([nothing] * 4)
    assert len(gateway.asked) == 3
    assert isinstance(error, Unreadable)


async def test_no_reply_makes_more_than_four_calls() -> None:
    gateway, _ = await fail([BAD, Outcome.EMPTY, Outcome.TRUNCATED, BAD, PLAIN])
    assert len(gateway.asked) == 4


@pytest.mark.parametrize(
    "failure", [Outcome.REFUSED, Outcome.FILTERED, Outcome.TIMED_OUT, Outcome.TOO_LONG, BudgetReached("spent")]
)
async def test_what_is_no_matter_of_format_is_not_asked_again(failure: Said) -> None:
    gateway, error = await fail([failure, GOOD], CallFailed if isinstance(failure, Outcome) else BudgetReached)
    assert len(gateway.asked) == 1
    assert gateway.counted == []
    gateway, _ = await fail([BAD, failure, GOOD], type(error))
    assert len(gateway.asked) == 2


async def test_demonstrations_stand_in_every_rung_in_its_own_format() -> None:
    demos = [{"answer": "Perhaps.", "rationale": "Vague.", "score": 2}, {"answer": "So?", "score": 1}]
    gateway, _ = await climb([BAD, BAD, PLAIN], demos)
    chat, again, plain = ([text for role, text in texts(asked) if role == "assistant"] for asked in gateway.asked)
    assert "[[ ## rationale ## ]]\nVague.\n\n[[ ## score ## ]]\n2" in chat[1]
    assert again[:2] == chat
    assert plain[1] == "rationale: Vague.\nscore: 2"
    assert "score: 1" in plain[0]


async def test_halves_of_characters_are_not_sent_back() -> None:
    gateway, _ = await climb(["\ud800 broken \x00", GOOD])
    assert texts(gateway.asked[1])[-2] == ("assistant", "broken")


async def test_a_very_long_reply_is_shown_in_part() -> None:
    gateway, _ = await climb(["word " * 50_000, GOOD])
    assert len(texts(gateway.asked[1])[-2][1]) == 8000


async def test_candidates_are_climbs_of_their_own() -> None:
    gateway, found = await climb([GOOD, BAD, GOOD.replace("4", "2"), GOOD.replace("4", "3")], n=3)
    assert [candidate["score"] for candidate in found] == [4, 2, 3]
    assert [asked.repeat for asked in gateway.asked] == [0, 1, 1, 2]


async def test_the_ladder_asks_no_other_model() -> None:
    with pytest.raises(TypeError, match="GatewayLM"):
        await LadderAdapter().acall(dspy.LM("openai/gpt"), {}, Rated, [], {"answer": "x"})


# --- optimizers, which are synchronous and run in threads ---------------------------------------------------


def rating(asked: Asked) -> Said:
    """A model that is right where it has seen an example, and needs the second rung where it has not."""
    if asked.messages[-1].text.startswith("None of the fields"):
        return GOOD
    return GOOD if len(asked.messages) > 2 else BAD


TRAINING = [dspy.Example(answer=f"Answer {n}.", rationale="Sound.", score=4).with_inputs("answer") for n in range(6)]


def agrees(example: dspy.Example, said: dspy.Prediction, _trace: object = None) -> bool:
    return bool(example.score == said.score)


def test_synchronous_calls_climb_the_same_ladder(background: BackgroundLoop) -> None:
    script = [Outcome.TRUNCATED, BAD, Outcome.EMPTY, PLAIN]
    gateway = ScriptedGateway(script)
    lm = GatewayLM(gateway, "judge.relevance", background.loop)
    with dspy.context(lm=lm, adapter=LadderAdapter()):
        said = dspy.Predict(Rated)(answer="It is.")
    assert (said.score, len(gateway.asked)) == (4, 4)
    assert gateway.kinds == [FormatDefect.TRUNCATED, FormatDefect.NO_FIELDS, FormatDefect.EMPTY]


def test_optimizers_find_demonstrations_through_the_gateway(
    background: BackgroundLoop, capsys: pytest.CaptureFixture[str]
) -> None:
    gateway = ScriptedGateway(rating)
    lm = GatewayLM(gateway, "judge.relevance", background.loop)
    optimizer = dspy.BootstrapFewShot(
        metric=lambda example, said, trace=None: example.score == said.score,
        max_bootstrapped_demos=2,
        max_labeled_demos=3,
    )
    with dspy.context(lm=lm, adapter=LadderAdapter()):
        compiled = optimizer.compile(dspy.Predict(Rated), trainset=TRAINING)
        asked_before = len(gateway.asked)
        said = compiled(answer="It is.")
    assert said.score == 4
    assert len(compiled.demos) == 3
    assert sum(bool(demo.get("augmented")) for demo in compiled.demos) == 2
    # system, three demonstrations of two turns, the request: read at once
    assert [len(asked.messages) for asked in gateway.asked[asked_before:]] == [8]
    capsys.readouterr()


def test_optimizers_in_threads_share_the_gateway(background: BackgroundLoop) -> None:
    gateway = ScriptedGateway(rating)
    lm = GatewayLM(gateway, "judge.relevance", background.loop)
    judge = dspy.Evaluate(
        devset=TRAINING,
        metric=lambda example, said: example.score == said.score,
        num_threads=4,
        display_progress=False,
    )
    with dspy.context(lm=lm, adapter=LadderAdapter()):
        result = judge(dspy.Predict(Rated))
    assert result.score == 100.0
    assert len(gateway.asked) == 2 * len(TRAINING)
    assert len({asked.thread for asked in gateway.asked}) == 1


def test_a_rollout_of_an_optimizer_is_a_repeat_of_its_own(background: BackgroundLoop) -> None:
    gateway = ScriptedGateway(lambda _: GOOD)
    optimizer = dspy.BootstrapFewShot(metric=lambda *_: False, max_labeled_demos=0, max_rounds=3)
    with dspy.context(lm=GatewayLM(gateway, "judge.relevance", background.loop), adapter=LadderAdapter()):
        optimizer.compile(dspy.Predict(Rated), trainset=TRAINING[:1])
    assert [(asked.repeat, asked.parameters.get("temperature")) for asked in gateway.asked] == [
        (0, None),
        (2000, 1.0),
        (3000, 1.0),
    ]
