"""How a response leaves the model server, or fails to: whole, streamed, refused, cut short, or not at all."""

from __future__ import annotations

import json
import socket
import struct
import time
from email.utils import formatdate
from typing import Any

from aiohttp import web
from model_faults import Fault, Faults
from model_protocol import error

STATUS = {
    Fault.RATE_LIMIT: (429, "Rate limit reached for requests", "rate_limit_exceeded"),
    Fault.QUOTA: (429, "You exceeded your current quota (insufficient_quota)", "insufficient_quota"),
    Fault.SERVER_ERROR: (500, "The server had an error while processing your request", "server_error"),
    Fault.UNAVAILABLE: (503, "The engine is currently overloaded", "overloaded"),
    Fault.BAD_REQUEST: (400, "Unsupported value: 'temperature' does not support 0.0", "unsupported_value"),
    Fault.TOO_LONG: (400, "This model's maximum context length is 128 tokens", "context_length_exceeded"),
}
"""What the server says instead of an answer: status, message, code."""


def refused(status: int, message: str, code: str, headers: dict[str, str] | None = None) -> web.Response:
    """An error in OpenAI's form."""
    return web.json_response(error(message, code), status=status, headers=headers)


def retry_after(faults: Faults) -> dict[str, str]:
    """The header Retry-After, in seconds or as a date; none where the faults say none."""
    if faults.retry_after_s is None:
        return {}
    if faults.retry_after_as_date:
        return {"Retry-After": formatdate(time.time() + faults.retry_after_s, usegmt=True)}
    return {"Retry-After": f"{faults.retry_after_s:g}"}


def reset(request: web.Request) -> web.Response:
    """The connection is gone before a byte was sent; the response returned goes nowhere."""
    if request.transport is not None:
        connection = request.transport.get_extra_info("socket")
        if connection is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        request.transport.abort()
    return web.Response()


async def sent(request: web.Request, payload: bytes, fault: Fault | None) -> web.StreamResponse:
    """The body in one piece, or as much of it as the fault lets through."""
    half = payload[: len(payload) // 2]
    if fault is Fault.INVALID_JSON:
        return web.Response(body=half, content_type="application/json")
    if fault not in (Fault.TRUNCATED_BODY, Fault.CUT_CHUNKS):
        streams = payload.startswith(b"data:")
        return web.Response(body=payload, content_type="text/event-stream" if streams else "application/json")
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    if fault is Fault.TRUNCATED_BODY:
        response.content_length = len(payload)
    else:
        response.enable_chunked_encoding()
    await response.prepare(request)
    await response.write(half)
    return _cut(request, response)


async def streamed(request: web.Request, events: list[dict[str, Any]], fault: Fault | None) -> web.StreamResponse:
    """The events of a stream, or as many of them as the fault lets through."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
    await response.prepare(request)
    cut = fault in (Fault.TRUNCATED_BODY, Fault.CUT_CHUNKS)
    for event in events[: len(events) // 2] if cut else events:
        line = json.dumps(event, ensure_ascii=False)
        await response.write(f"data: {line[: len(line) // 2] if fault is Fault.INVALID_JSON else line}\n\n".encode())
    if cut:
        return _cut(request, response)
    await response.write(b"data: [DONE]\n\n")
    return response


def _cut(request: web.Request, response: web.StreamResponse) -> web.StreamResponse:
    if request.transport is not None:
        request.transport.close()
    return response
