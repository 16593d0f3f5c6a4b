"""Events: one line of RUN/events.jsonl for every request, and for every call served from the ledger."""

from __future__ import annotations

import errno
import json
import logging
import os
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any

from viva.core.calls import Entry, Outcome, Usage
from viva.core.errors import UsageError
from viva.llm.secrets import Secrets

FILE = "events.jsonl"

_log = logging.getLogger(__name__)


class EventLog:
    """Writes events; made by `open_events`. An event that cannot be written is counted and stops nothing."""

    def __init__(self, lines: _Lines, run_id: str) -> None:
        import structlog

        self.lost = 0
        """events that found no place in the file"""
        self._lines = lines
        self._secrets = Secrets()
        # everything is given here: what an application configured globally is for its own events
        self._logger = structlog.wrap_logger(
            lines,
            processors=[
                structlog.processors.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                structlog.processors.JSONRenderer(serializer=json.dumps, sort_keys=True),
            ],
            wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
            context_class=dict,
            run=run_id,
        ).bind()

    def heard(self, entry: Entry) -> None:
        """Write one event: a warning where the request brought no answer. Texts are not in it but in the ledger."""
        error = None if entry.error is None else self._secrets.redacted(entry.error)
        write = self._logger.info if entry.outcome is Outcome.ANSWERED else self._logger.warning
        try:
            write("call", **_fields(entry), error=error)
        except (OSError, ValueError):  # a full disk; a file that is closed
            self.lost += 1

    def close(self) -> None:
        """Close the file; say, once, how many events are missing from it."""
        if self._lines.closed:
            return
        self._lines.close()
        if self.lost:
            _log.warning("Events missing from %s: %d. The ledger has the calls.", self._lines.path, self.lost)


def open_events(folder: Path, run_id: str) -> EventLog:
    """The event log of a run; goes on where an earlier process left it. UsageError if it cannot be written."""
    path = folder / FILE
    try:
        return EventLog(_Lines(path), run_id)
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror}.", next_step="Make room for it, or take another --out."
        ) from error


def _fields(entry: Entry) -> dict[str, Any]:
    call, reply = entry.call, entry.reply
    usage = reply.usage if reply else Usage()
    return {
        "role": entry.role,
        "chunk": entry.chunk_id,
        "unit": entry.unit_id,
        "provider": call.provider,
        "model": call.model,
        "endpoint": call.endpoint,
        "key": call.key,
        "attempt": entry.attempt,
        "outcome": entry.outcome.value,
        "finish_reason": reply.finish_reason if reply else None,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_tokens": usage.cached_tokens,
        "cost": reply.cost if reply else None,
        "latency_s": entry.latency_s,
        "cached": reply is not None and reply.cached,
    }


class _Lines:
    """The file behind the logger. A line is one write: a process that is killed leaves whole lines."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = FileIO(path, "a+")
        self._torn = self._ends_torn()

    def info(self, line: str) -> None:
        """Append the line. OSError where it does not fit, ValueError where the file is closed."""
        # half a line from a disk that was full must not spoil the next one
        data = f"\n{line}\n".encode() if self._torn else f"{line}\n".encode()
        written = self._file.write(data)
        self._torn = written < len(data)
        if self._torn:
            raise OSError(errno.ENOSPC, "only a part of the line was written")

    warning = info

    @property
    def closed(self) -> bool:
        return self._file.closed

    def close(self) -> None:
        with suppress(OSError):
            self._file.close()

    def _ends_torn(self) -> bool:
        if not os.fstat(self._file.fileno()).st_size:
            return False
        self._file.seek(-1, os.SEEK_END)
        return self._file.read(1) != b"\n"
