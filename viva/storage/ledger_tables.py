"""The tables of RUN/ledger.sqlite, and requests to rows and back.

A text (of a message or a reply) is kept once under its hash, so that a system prompt costs its room once; as bytes,
because a model may write half a character. The call stands in each of its requests: there is seldom more than one,
and every further table or index costs each commit a page.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Column, Float, Integer, LargeBinary, MetaData, Table, Text

from viva.core.calls import Call, Entry, Message, Outcome, Reply, Usage, uncounted_tokens

SCHEMA_VERSION = "1"

Found = Mapping[Any, Any]
"""A row that was found, by the names of its columns."""

metadata = MetaData()

meta = Table("meta", metadata, Column("key", Text, primary_key=True), Column("value", Text, nullable=False))
texts = Table("texts", metadata, Column("hash", Text, primary_key=True), Column("text", LargeBinary, nullable=False))
requests = Table(
    "requests",
    metadata,
    Column("id", Integer, primary_key=True),
    # the call
    Column("key", Text, nullable=False, index=True),
    Column("question_key", Text, nullable=False, index=True),
    Column("provider", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("endpoint", Text, nullable=False),
    Column("parameters", Text, nullable=False),
    Column("messages", Text, nullable=False),
    Column("repeat", Integer, nullable=False),
    # what it was for
    Column("role", Text, nullable=False),
    Column("chunk_id", Text),
    Column("unit_id", Text),
    Column("attempt", Integer, nullable=False),
    # what became of it; `text` is NULL where there was no reply
    Column("outcome", Text, nullable=False),
    Column("text", Text),
    Column("finish_reason", Text),
    Column("input_tokens", Integer),
    Column("output_tokens", Integer),
    Column("cached_tokens", Integer),
    Column("uncounted_tokens", Integer),
    Column("cost", Float),
    Column("latency_s", Float, nullable=False),
    Column("error", Text),
)
hits = Table(
    "hits",
    metadata,
    Column("role", Text, primary_key=True),
    Column("provider", Text, primary_key=True),
    Column("model", Text, primary_key=True),
    Column("times", Integer, nullable=False),
)
unreadable = Table(
    "unreadable",
    metadata,
    Column("key", Text, primary_key=True),
    Column("role", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("times", Integer, nullable=False),
)


# --- to rows ---------------------------------------------------------------------------------------------


def request_row(entry: Entry, kept: dict[str, bytes]) -> dict[str, Any]:
    """The row of a request; the texts of its messages and of its reply are put into `kept` by their hash."""
    call, reply = entry.call, entry.reply
    usage = reply.usage if reply else Usage()
    return {
        "id": None,
        "key": call.key,
        "question_key": call.question_key,
        "provider": call.provider,
        "model": call.model,
        "endpoint": call.endpoint,
        "parameters": json.dumps(call.parameters, sort_keys=True),
        "messages": json.dumps([[message.role, _keep(message.text, kept)] for message in call.messages]),
        "repeat": call.repeat,
        "role": entry.role,
        "chunk_id": entry.chunk_id,
        "unit_id": entry.unit_id,
        "attempt": entry.attempt,
        "outcome": entry.outcome.value,
        "text": _keep(reply.text, kept) if reply else None,
        "finish_reason": _whole(reply.finish_reason) if reply else None,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_tokens": usage.cached_tokens,
        "uncounted_tokens": uncounted_tokens(call, reply) if reply else None,
        "cost": reply.cost if reply else None,
        "latency_s": entry.latency_s,
        "error": None if entry.error is None else _whole(entry.error),
    }


def _keep(text: str, kept: dict[str, bytes]) -> str:
    """Put the text into `kept`; its hash, 32 hex digits."""
    encoded = text.encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(encoded, digest_size=16).hexdigest()
    kept[digest] = encoded
    return digest


def _whole(text: str) -> str:
    # SQLite takes no half characters
    return text.encode("utf-8", "replace").decode("utf-8")


# --- and back --------------------------------------------------------------------------------------------


def read_reply(row: Found, text: bytes, *, cached: bool = False) -> Reply:
    """The reply of a row of `requests`. ValueError for an outcome that is not known."""
    return Reply(
        text=_read(text),
        outcome=Outcome(row["outcome"]),
        finish_reason=row["finish_reason"],
        usage=Usage.told(row["input_tokens"], row["output_tokens"], row["cached_tokens"]),
        cost=row["cost"],
        latency_s=row["latency_s"],
        cached=cached,
    )


def read_entry(row: Found, kept: Mapping[str, bytes]) -> Entry:
    """A row of `requests`, with its texts by hash. ValueError or LookupError for one that cannot be read."""
    messages = [Message(role=role, text=_read(kept[text])) for role, text in json.loads(row["messages"])]
    return Entry(
        call=Call(
            provider=row["provider"],
            model=row["model"],
            endpoint=row["endpoint"],
            messages=tuple(messages),
            parameters=json.loads(row["parameters"]),
            repeat=row["repeat"],
        ),
        role=row["role"],
        chunk_id=row["chunk_id"],
        unit_id=row["unit_id"],
        attempt=row["attempt"],
        outcome=Outcome(row["outcome"]),
        reply=None if row["text"] is None else read_reply(row, kept[row["text"]]),
        error=row["error"],
        latency_s=row["latency_s"],
    )


def texts_of(row: Found) -> set[str]:
    """The hashes of the texts that a row of `requests` names."""
    return {text for _, text in json.loads(row["messages"])} | ({row["text"]} - {None})


def _read(text: bytes) -> str:
    return str(text, "utf-8", "surrogatepass")
