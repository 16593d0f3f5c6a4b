"""OpenAI's wire format, as the model server speaks it: completions, their stream, embeddings, errors."""

from __future__ import annotations

import base64
import math
import re
import struct
from collections.abc import Iterator, Sequence
from typing import Any

from model_faults import Fault
from pydantic import ValidationError

from viva.core.calls import Message
from viva.core.ids import content_hash

# a server's clock is no part of what it says: the same request has the same answer to the byte
_CREATED = 1_700_000_000
_SORRY = "I'm sorry, but I can't assist with that request."
_ROLES = {"developer": "system"}


def counted(text: str) -> int:
    """Tokens: about 1.3 to a word."""
    return math.ceil(len(text.split()) * 1.3)


def messages_of(body: dict[str, Any]) -> tuple[Message, ...] | None:
    """The turns of a request; None where they are none."""
    try:
        return tuple(
            Message(role=_ROLES.get(turn["role"], turn["role"]), text=_text(turn["content"]))
            for turn in body["messages"]
        )
    except (KeyError, TypeError, ValidationError):
        return None


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def completion(body: dict[str, Any], messages: Sequence[Message], text: str, fault: Fault | None) -> dict[str, Any]:
    """The body of a chat completion."""
    refused = fault is Fault.REFUSAL
    finish = {Fault.LENGTH: "length", Fault.FILTERED: "content_filter"}.get(fault, "stop") if fault else "stop"
    inputs, outputs = sum(counted(m.text) for m in messages), counted(text)
    choice = {
        "index": 0,
        "finish_reason": finish,
        "message": {
            "role": "assistant",
            "content": None if refused else text,
            "refusal": _SORRY if refused else None,
        },
        "logprobs": _logprobs(text, int(body.get("top_logprobs") or 0)) if body.get("logprobs") else None,
    }
    return {
        "id": f"chatcmpl-{content_hash(body['model'], *(m.text for m in messages))}",
        "object": "chat.completion",
        "created": _CREATED,
        "model": body["model"],
        "choices": [choice],
        "usage": {"prompt_tokens": inputs, "completion_tokens": outputs, "total_tokens": inputs + outputs},
    }


def _logprobs(text: str, top: int) -> dict[str, Any]:
    tokens = re.findall(r"\s*\S+|\s+$", text)
    return {"content": [_logprob(token, number, top) for number, token in enumerate(tokens)], "refusal": None}


def _logprob(token: str, number: int, top: int) -> dict[str, Any]:
    share = 0.5 + int(content_hash("logprob", number, token), 16) / 2**65
    # what is left is halved from one runner-up to the next
    others = [(f"{token}~{n}", (1 - share) / 2**n) for n in range(1, top)]
    listed = [(token, share), *others][:top]
    return {**_shown(token, share), "top_logprobs": [_shown(word, p) for word, p in listed]}


def _shown(token: str, probability: float) -> dict[str, Any]:
    return {"token": token, "logprob": math.log(max(probability, 1e-9)), "bytes": list(token.encode())}


def chunks(said: dict[str, Any], body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The completion as the events of a stream; the last holds the usage where that was asked for."""
    choice = said["choices"][0]
    message = choice["message"]
    with_usage = bool((body.get("stream_options") or {}).get("include_usage"))
    head = {**{name: said[name] for name in ("id", "created", "model")}, "object": "chat.completion.chunk"}
    pieces: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    pieces += [{"content": piece} for piece in re.findall(r"\s*\S+(?:\s+$)?", message["content"] or "")]
    if message["refusal"]:
        pieces.append({"refusal": message["refusal"]})
    for piece in pieces:
        yield {**head, "choices": [{"index": 0, "delta": piece, "finish_reason": None}]}
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    if with_usage:
        yield {**head, "choices": [], "usage": said["usage"]}


def embeddings(body: dict[str, Any]) -> dict[str, Any]:
    """The body of an embeddings response: texts with words in common have vectors near each other."""
    texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
    width = int(body.get("dimensions") or 64)
    vectors = [_vector(str(text), width) for text in texts]
    if body.get("encoding_format") == "base64":
        coded: list[Any] = [base64.b64encode(struct.pack(f"<{width}f", *vector)).decode() for vector in vectors]
    else:
        coded = list(vectors)
    tokens = sum(counted(str(text)) for text in texts)
    return {
        "object": "list",
        "model": body["model"],
        "data": [{"object": "embedding", "index": n, "embedding": vector} for n, vector in enumerate(coded)],
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def _vector(text: str, width: int) -> list[float]:
    vector = [0.0] * width
    # a word of its own for every text, so that no vector is nothing
    for word in ["", *re.findall(r"\w+", text.lower())]:
        drawn = int(content_hash("embedding", word), 16)
        vector[drawn % width] += 1.0 if (drawn >> 32) % 2 else -1.0
    length = math.sqrt(sum(x * x for x in vector)) or 1.0
    return [x / length for x in vector]


def models() -> dict[str, Any]:
    """The list of models: any name is served, one is listed."""
    return {"object": "list", "data": [{"id": "fake", "object": "model", "created": _CREATED, "owned_by": "viva"}]}


def error(message: str, code: str) -> dict[str, Any]:
    """The body of an error."""
    return {"error": {"message": message, "type": code, "param": None, "code": code}}
