"""A server that returns log-probabilities of a prompt's tokens (OpenAI completions with `echo` and `logprobs`)."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from viva.examinees.adapters.base import SystemBusy
from viva.examinees.adapters.replies import as_json, check_status, decoded, read_within_limit
from viva.examinees.answering import BadAnswerError
from viva.examinees.readers.likelihood import MOST_NEW_TOKENS
from viva.examinees.readers.reading import finite, first_words
from viva.llm.secrets import Secrets

if TYPE_CHECKING:
    from aiohttp import ClientSession

KEY = "VIVA_LOGPROB_KEY"
"""The variable with the server's key, where it asks for one."""
_CONNECT_S = 10.0


class LogprobServer:
    """One model of such a server: vLLM, llama-cpp-python and others; its own tokenizer is used.

    Each option is one request, and the context alone another, which tells how many tokens are its own.
    """

    def __init__(self, where: str) -> None:
        """`where` is BASE_URL#MODEL, such as http://127.0.0.1:8000/v1#my-model."""
        base, _, self._model = where.partition("#")
        self._url = f"{base.rstrip('/')}/completions"
        self._key = os.environ.get(KEY, "").strip()
        self._secrets = Secrets(self._key, environ={})

    async def log_likelihoods(self, context: str, continuations: Sequence[str]) -> list[float]:
        """ln P(continuation | context) of each. BadAnswerError for a server that gives none."""
        async with self._session() as session:
            before = len(await self._echoed(session, context))
            found = []
            for continuation in continuations:
                scored = (await self._echoed(session, context + continuation))[before:]
                if not scored or not all(_is_logprob(each) for each in scored):
                    raise BadAnswerError(f"It gave no log-probabilities of an option: {first_words(str(scored))}.")
                found.append(math.fsum(scored))
            return found

    async def continued(self, context: str) -> str:
        """The server's greedy completion."""
        asked = {"max_tokens": MOST_NEW_TOKENS, "stop": ["\n\n", "\nQuestion:"]}
        async with self._session() as session:
            text = (await self._asked(session, context, asked)).get("text")
        if not isinstance(text, str):
            raise BadAnswerError(f"Its completion is {first_words(repr(text))}; a text was expected.")
        return text

    async def _echoed(self, session: ClientSession, prompt: str) -> list[Any]:
        """The log-probabilities of the prompt's tokens, the first of which has none."""
        choice = await self._asked(session, prompt, {"max_tokens": 1, "echo": True, "logprobs": 1})
        told = choice.get("logprobs")
        found = told.get("token_logprobs") if isinstance(told, dict) else None
        # a token of the prompt at least, and the new one
        if not isinstance(found, list) or len(found) < 2:
            raise BadAnswerError(
                f"It returned no log-probabilities of the prompt ({first_words(str(told))}); the server must know "
                "`echo` and `logprobs` of OpenAI's completions."
            )
        return found[:-1]

    async def _asked(self, session: ClientSession, prompt: str, how: dict[str, Any]) -> dict[str, Any]:
        import aiohttp

        body = {"model": self._model, "prompt": prompt, "temperature": 0, **how}
        try:
            async with session.post(self._url, json=body, allow_redirects=False) as response:
                raw = await read_within_limit(response.content.iter_any())
                text = self._secrets.redacted(decoded(raw, response.charset))
                check_status(response.status, response.headers, text)
        except (aiohttp.ClientError, ConnectionError, TimeoutError) as error:
            said = self._secrets.redacted(f"{type(error).__name__}: {error}")
            raise SystemBusy(f"the connection failed: {said}") from None
        reply = as_json(text)
        choices = reply.get("choices") if isinstance(reply, dict) else None
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            raise BadAnswerError(f"Its reply is no completion: {first_words(text)}.")
        return choices[0]

    def _session(self) -> ClientSession:
        import aiohttp

        # one for each question: whoever asks may do so from another event loop each time
        return aiohttp.ClientSession(
            headers={"Authorization": f"Bearer {self._key}"} if self._key else {},
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_S),
            cookie_jar=aiohttp.DummyCookieJar(),
        )


def _is_logprob(value: object) -> bool:
    logprob = finite(value)
    return logprob is not None and logprob <= 0
