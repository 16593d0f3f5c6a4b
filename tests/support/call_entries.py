"""Entries as a gateway tells them, for those who listen."""

from __future__ import annotations

from viva.core.calls import Call, Entry, Message, Outcome, Reply, Usage

QUESTION = Message(role="user", text="Which pump drains the cellar?")
SYSTEM = Message(role="system", text="Write one question.")


def a_call(**changes: object) -> Call:
    fields: dict[str, object] = {
        "provider": "openai",
        "model": "gpt-4o-mini",
        "endpoint": "https://models.example/v1",
        "messages": (SYSTEM, QUESTION),
        "parameters": {"temperature": 0.0, "max_tokens": 64},
    }
    return Call(**{**fields, **changes})  # type: ignore[arg-type]


def answered(text: str = "The red one.", *, cached: bool = False, call: Call | None = None) -> Entry:
    reply = Reply(text, Outcome.ANSWERED, "stop", Usage(120, 30, 100), 0.0025, 0.75, cached)
    return Entry(call or a_call(), "writer", "c1", "u1", 0, Outcome.ANSWERED, reply, None, 0.75)


def failed(error: str = "429: slow down", *, outcome: Outcome = Outcome.RATE_LIMITED) -> Entry:
    return Entry(a_call(), "judge.relevance", "c1", None, 2, outcome, None, error, 0.5)
