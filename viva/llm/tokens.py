"""How many tokens a text will be counted as, before a provider has counted them."""

from __future__ import annotations

from viva.core.calls import Call, Reply, Usage

_BYTES_PER_TOKEN = 4
_PER_MESSAGE = 4


def estimated_tokens(text: str) -> int:
    """About so many: one per four bytes of UTF-8, the usual rule for English, and a few for the message's frame."""
    return len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN + _PER_MESSAGE


def most_tokens(text: str) -> int:
    """Hardly ever more than this: one per two bytes, for text that splits badly (code, names, other scripts)."""
    return len(text.encode("utf-8", "replace")) // 2 + _PER_MESSAGE


def counted(call: Call, reply: Reply) -> Usage:
    """The reply's usage, estimated where the provider did not count (the rule of `core.calls.uncounted_tokens`)."""
    usage = reply.usage
    read = sum(estimated_tokens(m.text) for m in call.messages) if usage.input_tokens is None else usage.input_tokens
    written = estimated_tokens(reply.text) if usage.output_tokens is None else usage.output_tokens
    return Usage(read, written, usage.cached_tokens)
