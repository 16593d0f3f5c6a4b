"""A reader that is any language model through the run's models: prompts/reader.md and prompts/reader_open.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from viva.core.calls import TRANSIENT, Message, Outcome, Reply
from viva.core.records import AnswerUsage, Turn, WorkedExample
from viva.examinees.answering import Answer, BadAnswerError, NoAnswerError, Unheard
from viva.examinees.readers.choosing import lettered
from viva.examinees.readers.reading import bounded, first_words, read_answer
from viva.llm.calls import CallFailed
from viva.llm.gateway import Gateway
from viva.llm.roster import ModelName
from viva.llm.untrusted import fenced, restored
from viva.prompts import prompt

ROLE = "reader"
_LONGEST_DETAIL = 200
_NO_WORDS = frozenset({Outcome.EMPTY, Outcome.TOOL_CALL})


class ModelReader:
    """Shows passages, conversation and question, each fenced; worked examples are turns before."""

    reads_history = True

    def __init__(self, gateway: Gateway, model: str) -> None:
        provider, _, name = model.partition(":")
        self._gateway = gateway
        self._model = ModelName(provider, name)

    async def choose(
        self,
        stem: str,
        options: Sequence[str],
        texts: Sequence[str],
        examples: Sequence[WorkedExample],
        history: Sequence[Turn] = (),
    ) -> Answer:
        """The option that its reply means, if it means one. What the gateway raises for a whole run comes through."""
        solved = (
            turn
            for e in examples
            for turn in (
                Message(role="user", text=_asked(e.stem, e.options, [e.context] if texts else [])),
                Message(role="assistant", text=lettered(e.options).splitlines()[e.key_position].partition(")")[0]),
            )
        )
        return await self._answer("reader", solved, _asked(stem, options, texts, history), options)

    async def tell(
        self,
        question: str,
        texts: Sequence[str],
        examples: Sequence[WorkedExample],
        history: Sequence[Turn] = (),
    ) -> Answer:
        """Its reply, in words."""
        solved = (
            turn
            for e in examples
            for turn in (
                Message(role="user", text=_asked(e.stem, None, [e.context] if texts else [])),
                Message(role="assistant", text=e.options[e.key_position]),
            )
        )
        return await self._answer("reader_open", solved, _asked(question, None, texts, history), None)

    async def _answer(
        self, instructions: str, solved: Iterator[Message], asked: str, options: Sequence[str] | None
    ) -> Answer:
        system = Message(role="system", text=prompt(instructions))
        messages = [system, *solved, Message(role="user", text=asked)]
        try:
            reply = await self._gateway.ask(ROLE, messages, model=self._model)
        except CallFailed as failed:
            said = f"The model gave no answer ({failed.outcome.value}): {first_words(failed.detail, 200)}"
            if failed.outcome in TRANSIENT:
                raise Unheard(said) from None
            raise (NoAnswerError if failed.outcome in _NO_WORDS else BadAnswerError)(said) from None
        answer = read_answer({"text": bounded(restored(reply.text))}, options)
        # served from the ledger it took no time at all, as it would not have done when it was asked
        return replace(answer, latency_s=reply.latency_s, usage=_usage(reply))


def _asked(stem: str, options: Sequence[str] | None, texts: Sequence[str], history: Sequence[Turn] = ()) -> str:
    passages = [fenced(text, f"passage {n}") for n, text in enumerate(texts, start=1)] or ["There are no passages."]
    said = fenced("\n".join(turn.line for turn in history), "conversation")
    before = [f"The question follows on this conversation:\n{said}"] if history else []
    question = fenced(stem, "question")
    if options is None:
        return "\n\n".join([*passages, *before, question])
    return "\n\n".join(
        [*passages, *before, question, fenced(lettered(options), "options"), "The letter of the right option:"]
    )


def _usage(reply: Reply) -> AnswerUsage:
    used = reply.usage
    return AnswerUsage(input_tokens=used.input_tokens, output_tokens=used.output_tokens, cost=reply.cost)
