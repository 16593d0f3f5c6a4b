"""LangSmith, where its own environment variables ask for it. LangChain does the tracing; its end is bounded here.

Left to itself, LangSmith's client goes on sending after the last line of the program: where LangSmith is away that
takes minutes, and each batch that fails leaves a page of identifiers on the terminal.
"""

from __future__ import annotations

import atexit
import logging
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from viva.core.errors import UsageError
from viva.llm.secrets import Secrets, without_credentials

if TYPE_CHECKING:
    from langsmith import Client

CLOSING_S = 3.0
"""The longest wait at the end for LangSmith to take any of what is queued."""
_LONGEST = 300
# its threads end with the program and do not keep it; compressed batches go by a pool of threads that would
_BOUNDED = {"LANGSMITH_USE_DAEMON": "true", "LANGSMITH_DISABLE_RUN_COMPRESSION": "true"}
_LOUD = "langsmith.client"

_log = logging.getLogger(__name__)


class LangSmith:
    """What LangChain traces with; made by `open_langsmith`."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._given_up = False

    def close(self) -> None:
        """Send what is queued, while it is taken; say how much was not. More may be traced after."""
        queue = self._client.tracing_queue
        if queue is None or self._given_up:
            return
        left, before = queue.unfinished_tasks, math.inf
        while left and left < before:
            self._client.flush(timeout=CLOSING_S)
            left, before = queue.unfinished_tasks, left
        if left:
            self._given_up = True
            address = without_credentials(self._client.api_url, named="LANGSMITH_ENDPOINT")
            _log.warning("LangSmith at %s did not take %d records.", address, left)


def open_langsmith() -> LangSmith | None:
    """Make the client that LangChain will trace with; None where tracing is off or the application has made its own.

    UsageError for a setting that cannot be.
    """
    from langsmith import run_trees, utils

    if not utils.tracing_is_enabled() or run_trees._CLIENT is not None:  # noqa: SLF001 - nothing public says it
        return None
    for name, value in _BOUNDED.items():
        os.environ.setdefault(name, value)
    logging.getLogger(_LOUD).addFilter(_OnceAndShortly())
    try:
        langsmith = LangSmith(run_trees.get_cached_client())
    except (utils.LangSmithError, ValueError) as error:
        raise UsageError(f"LangSmith cannot be set up: {Secrets().redacted(str(error))}") from None
    atexit.register(langsmith.close)
    return langsmith


@contextmanager
def langsmith_bounded() -> Iterator[None]:
    """What is traced inside is sent before it ends, while LangSmith takes it."""
    langsmith = open_langsmith()
    try:
        yield
    finally:
        if langsmith is not None:
            langsmith.close()


class _OnceAndShortly(logging.Filter):
    """Lets the first complaint through, without its list of identifiers."""

    def __init__(self) -> None:
        super().__init__()
        self._secrets = Secrets()
        self._heard = False

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return True
        first, self._heard = not self._heard, True
        said = record.getMessage().partition("\n")[0]
        record.msg, record.args = self._secrets.redacted(said)[:_LONGEST], ()
        return first
