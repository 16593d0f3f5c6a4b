"""An endpoint that speaks OpenAI's chat protocol in the chair: a RAG behind a proxy, or a model with no retrieval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from viva.core.calls import Outcome
from viva.core.errors import UsageError
from viva.core.records import FailureCause
from viva.examinees.adapters.base import Adapter, SystemBusy
from viva.examinees.adapters.environment import Environment, check_no_keys
from viva.examinees.adapters.replies import as_json, decoded, read_within_limit
from viva.examinees.answering import Answer, BadAnswerError, NoAnswerError
from viva.examinees.readers.choosing import Asked
from viva.examinees.readers.reading import first_words, read_answer
from viva.examinees.specs.records import ChatSpec
from viva.llm.providers.failures import translated
from viva.llm.providers.vendors import takes_completion_tokens
from viva.llm.secrets import Secrets

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_PASSING = {Outcome.RATE_LIMITED, Outcome.TIMED_OUT, Outcome.SERVER_ERROR, Outcome.CONNECTION_LOST}
_HANDED = "Answer from these passages alone.\n\n{passages}\n\n{question}"
_CLOSED_BOOK = "Answer from what you know; there are no passages.\n\n{question}"


class ChatCandidate(Adapter):
    """Asks a chat model, after the conversation before the question. What it is handed goes into the message."""

    takes_passages = True
    takes_history = True

    def __init__(self, spec: ChatSpec) -> None:
        super().__init__(spec.examinee)
        whose = f"The chat examinee “{spec.examinee.name}”"
        check_no_keys(spec.base_url, {}, {}, whose)
        if not spec.model.strip():
            raise UsageError(f"{whose} names no model.")
        self._spec = spec
        self._environment = Environment(whose)
        # a server of one's own may ask for none, and the client will not start without
        self._key = self._environment.value(spec.key_from) if spec.key_from else "none"
        self._secrets = Secrets(*self._environment.given, environ={})
        self._client: AsyncOpenAI | None = None

    async def _ask(self, asked: Asked) -> Answer:
        try:
            async with self._connected().chat.completions.with_streaming_response.create(
                **self._request(asked)
            ) as response:
                raw = await read_within_limit(response.iter_bytes())
        except BadAnswerError:
            raise
        except Exception as error:
            failure = translated(error, self._secrets)
            if failure is None:
                raise
            if failure.outcome in _PASSING:
                about = str(failure.status or "")
                cause = FailureCause.STATUS if about else FailureCause.UNREACHABLE
                raise SystemBusy(str(failure), cause, about, retry_after_s=failure.retry_after_s) from None
            raise failure from None
        hidden_in = self._environment.hidden_in
        return self._read(hidden_in(as_json(hidden_in(decoded(raw, None)))), asked)

    async def _end(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    def _connected(self) -> AsyncOpenAI:
        if self._client is None:
            import openai

            self._client = openai.AsyncOpenAI(
                base_url=self._spec.base_url,
                api_key=self._key,
                # there is one retry layer, and it is not this one
                max_retries=0,
                timeout=self._spec.manners.timeout_s,
                http_client=openai.DefaultAioHttpClient(),
            )
        return self._client

    def _request(self, asked: Asked) -> dict[str, Any]:
        spec = self._spec
        said = [{"role": "system", "content": spec.system}] if spec.system else []
        request: dict[str, Any] = {
            "model": spec.model,
            "messages": [*said, *asked.earlier, {"role": "user", "content": _message(asked)}],
        }
        if spec.temperature is not None:
            request["temperature"] = spec.temperature
        if spec.max_tokens is not None:
            newer = takes_completion_tokens(spec.base_url)
            request["max_completion_tokens" if newer else "max_tokens"] = spec.max_tokens
        return request

    def _read(self, reply: Any, asked: Asked) -> Answer:
        try:
            choice = reply["choices"][0]
            message = choice["message"]
            said = message.get("content") or message.get("refusal")
        except (LookupError, TypeError, AttributeError) as error:
            told = f"Its reply is no chat completion: {first_words(str(reply))}."
            raise BadAnswerError(told, FailureCause.NO_COMPLETION) from error
        if not said:
            raise NoAnswerError(
                f"Its message is empty (finish reason: {first_words(str(choice.get('finish_reason')))})."
            )
        sources = {key: found for key in ("context", "sources") if (found := message.get(key)) is not None}
        return read_answer({"text": said, "usage": reply.get("usage"), **sources}, asked.options)


def _message(asked: Asked) -> str:
    if asked.passages is None:
        return asked.question
    if not asked.passages:
        return _CLOSED_BOOK.format(question=asked.question)
    passages = "\n\n".join(f"[{n}] {text}" for n, text in enumerate(asked.passages, start=1))
    return _HANDED.format(passages=passages, question=asked.question)
