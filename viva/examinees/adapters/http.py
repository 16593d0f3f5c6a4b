"""An HTTP endpoint in the chair, told in words: what is sent, and where in the reply the answer is."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import jsonpath

from viva.core.errors import UsageError
from viva.core.records import FailureCause
from viva.examinees.adapters.base import Adapter, SystemBusy
from viva.examinees.adapters.environment import Environment, check_no_keys
from viva.examinees.adapters.replies import as_json, as_text, check_status, decoded, read_within_limit
from viva.examinees.adapters.templates import check_template, filled, filled_text, places_in
from viva.examinees.answering import Answer, BadAnswerError, NoAnswerError
from viva.examinees.readers.choosing import Asked
from viva.examinees.readers.reading import first_words, read_answer
from viva.examinees.specs.records import HttpSpec, Json
from viva.llm.secrets import Secrets

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

MOST_REDIRECTS = 5
STREAM = "text/event-stream"
_CONNECT_S = 10.0
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
# how aiohttp says that it cannot unpack a body: in one name for a broken one, in two for a method it does not know
_PACKED = re.compile(r"content-encoding: (?:\w+ \()?(\w+)", re.IGNORECASE)
_PATHS = ("answer", "passages", "passage_ids", "input_tokens", "output_tokens", "cost")
_USAGE = _PATHS[3:]


class HttpCandidate(Adapter):
    """Asks an endpoint. Errors, traces and answers hold no value that came from the environment."""

    def __init__(self, spec: HttpSpec) -> None:
        super().__init__(spec.examinee)
        whose = f"The HTTP examinee “{spec.examinee.name}”"
        check_no_keys(spec.url, spec.headers, spec.query, whose)
        template: Json = {"body": spec.body, "query": dict(spec.query)}
        check_template(template, spec.examinee.components, whose)
        self._spec = spec
        self._environment = Environment(whose)
        self._headers = {_header(name, whose): self._environment.filled(v) for name, v in spec.headers.items()}
        self._query = {name: self._environment.filled(value) for name, value in spec.query.items()}
        self._paths = {name: _compiled(name, getattr(spec, name), whose) for name in _PATHS if getattr(spec, name)}
        if self._paths and "answer" not in self._paths:
            raise UsageError(f"{whose} says where in the reply {next(iter(self._paths))} is, and not the answer.")
        self._secrets = Secrets(*self._environment.given, environ={})
        self._session: ClientSession | None = None
        places = places_in(template)
        self.takes_passages = "passages" in places
        self.takes_history = not places.isdisjoint({"history", "messages"})

    async def _ask(self, asked: Asked) -> Answer:
        import aiohttp

        try:
            text, kind = await self._reply(asked)
        except aiohttp.ClientSSLError as error:
            raise BadAnswerError(self._told("no secure connection", error), FailureCause.INSECURE) from None
        except (aiohttp.ClientPayloadError, aiohttp.ClientResponseError) as error:
            if packed := _PACKED.search(str(error)):
                raise BadAnswerError(
                    f"Its reply calls itself compressed ({packed[1].lower()}), and cannot be unpacked.",
                    FailureCause.COMPRESSED,
                ) from None
            if isinstance(error, aiohttp.ClientPayloadError):
                raise SystemBusy(self._told("the connection failed", error), FailureCause.UNREACHABLE) from None
            raise BadAnswerError(self._told("no HTTP came back", error), FailureCause.UNREACHABLE) from None
        except (aiohttp.ClientConnectionError, ConnectionError, TimeoutError) as error:
            raise SystemBusy(self._told("the connection failed", error), FailureCause.UNREACHABLE) from None
        except aiohttp.ClientError as error:
            raise BadAnswerError(self._told("no HTTP came back", error)) from None
        return self._read(text, kind, asked)

    async def _end(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _told(self, what: str, error: Exception) -> str:
        return self._secrets.redacted(f"{what}: {type(error).__name__}: {error}")

    # --- what is sent ------------------------------------------------------------------------------------

    async def _reply(self, asked: Asked) -> tuple[str, str]:
        """The reply's text and its content type, after redirects that stay with the server that was named."""
        components = self._spec.examinee.components
        method, url = self._spec.method, self._spec.url
        more: dict[str, Any] = {"params": {n: filled_text(v, asked, components) for n, v in self._query.items()}}
        if self._spec.body is not None:
            more["json"] = filled(self._spec.body, asked, components)
        for _ in range(MOST_REDIRECTS):
            async with self._client().request(
                method, url, headers=self._headers, allow_redirects=False, **more
            ) as response:
                if response.status not in {301, 302, 303, 307, 308}:
                    return await self._checked(response)
                url = _redirected(response)
                if response.status in {301, 302, 303} and method == "POST":
                    method, more = "GET", {}
                more.pop("params", None)
        raise BadAnswerError(f"It redirects more than {MOST_REDIRECTS} times.")

    async def _checked(self, response: ClientResponse) -> tuple[str, str]:
        raw = await read_within_limit(response.content.iter_any())
        # before it is read too: what it says of an error is quoted as it came
        text = self._environment.hidden_in(decoded(raw, response.charset))
        check_status(response.status, response.headers, text)
        return text, response.content_type

    def _client(self) -> ClientSession:
        if self._session is None:
            import aiohttp

            self._session = aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(
                    total=None, sock_connect=_CONNECT_S, sock_read=self._spec.manners.timeout_s
                ),
                connector=aiohttp.TCPConnector(limit=max(1, self._spec.manners.concurrency)),
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=not _is_here(self._spec.url),
            )
        return self._session

    # --- what comes back ---------------------------------------------------------------------------------

    def _read(self, text: str, kind: str, asked: Asked) -> Answer:
        if kind == STREAM:
            told_in_words = f"It streams its reply (server-sent events): {first_words(text)}."
            raise BadAnswerError(told_in_words, FailureCause.STREAMED)
        if not self._paths:
            return read_answer(as_text(text), asked.options)
        reply = self._environment.hidden_in(as_json(text, kind))
        told: dict[str, Any] = {"text": self._one("answer", reply)}
        if told["text"] is None:
            raise NoAnswerError(
                f"Its reply holds null at {self._spec.answer}; a text was expected.", FailureCause.NO_FIELD
            )
        passages, ids = self._many("passages", reply), self._many("passage_ids", reply)
        named = len(passages) == len(ids)
        told["passages"] = [_named(p, i) for p, i in zip(passages, ids, strict=True)] if named else passages
        paths = [name for name in _USAGE if name in self._paths]
        own = reply.get("usage") if isinstance(reply, Mapping) else None
        told["usage"] = {name: self._one(name, reply) for name in paths} if paths else own
        answer = read_answer(told, asked.options)
        if ids and not named:
            note = f"{len(ids)} ids for {len(passages)} passages: not used"
            return replace(answer, meta={**answer.meta, "passage_ids": note})
        return answer

    def _one(self, name: str, reply: Any) -> Any:
        found = self._paths[name].findall(reply)
        if len(found) == 1:
            return found[0]
        if name != "answer":
            return None
        raise BadAnswerError(
            f"Its reply has {len(found) or 'nothing'} at {self._spec.answer}; expected one text.{_made_of(reply)}",
            FailureCause.NO_FIELD,
        )

    def _many(self, name: str, reply: Any) -> list[Any]:
        found: list[Any] = self._paths[name].findall(reply) if name in self._paths else []
        flat = found[0] if len(found) == 1 and isinstance(found[0], list) else found
        return [each for each in flat if each is not None]


def _made_of(reply: Any) -> str:
    """What can be told of a reply that holds no answer where it should."""
    if isinstance(reply, dict):
        return f" It has {', '.join(list(reply)[:8])}." if reply else " It is empty."
    return f" It is a list of {len(reply)}." if isinstance(reply, list) else f" It is {first_words(str(reply), 40)}."


def _redirected(response: ClientResponse) -> str:
    """Where to. BadAnswerError for another server: headers with keys go to the one that was named, and no other."""
    from yarl import URL

    try:
        target = response.url.join(URL(response.headers.get("Location", "")))
    except ValueError as error:
        raise BadAnswerError(f"It redirects (HTTP {response.status}) to no address.") from error
    same = target.origin() == response.url.origin() if target.host and target.scheme in {"http", "https"} else False
    secured = target.host == response.url.host and (response.url.scheme, target.scheme) == ("http", "https")
    if not same and not (secured and response.url.is_default_port() and target.is_default_port()):
        where = f"{target.scheme}://{target.host}" + (f":{target.explicit_port}" if target.explicit_port else "")
        raise BadAnswerError(
            f"It redirects (HTTP {response.status}) to another server, {where}, which is not followed.",
            FailureCause.MOVED,
            where,
        )
    return str(target)


def _is_here(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _named(passage: Any, name: Any) -> Any:
    if isinstance(passage, str):
        return {"text": passage, "source_id": name}
    return {**passage, "source_id": name} if isinstance(passage, Mapping) else passage


def _header(name: str, whose: str) -> str:
    if not _HEADER.fullmatch(name):
        raise UsageError(f"{whose} has a header without a proper name: {first_words(name)}.")
    return name


def _compiled(field: str, path: str, whose: str) -> jsonpath.JSONPath | jsonpath.CompoundJSONPath:
    try:
        return jsonpath.compile(path)
    except jsonpath.JSONPathError as error:
        raise UsageError(
            f"{whose}: the JSONPath of {field}, {first_words(path)}, cannot be read: {str(error).splitlines()[0]}.",
            allowed="For example $.answer or $.sources[*].text (RFC 9535).",
        ) from error
