"""The adapters: anybody's RAG in the chair. docs/examinees.md shows each at work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from viva.examinees.specs.records import CallableSpec, ChatSpec, CommandSpec, HttpSpec, LiveSpec, RecordedSpec

if TYPE_CHECKING:
    from viva.examinees.answering import Candidate

OwnSpec = CallableSpec | LiveSpec | HttpSpec | ChatSpec | CommandSpec | RecordedSpec


def adapter_of(spec: OwnSpec) -> Candidate:
    """The system a spec describes, ready to be asked. UsageError for one that cannot be plugged in."""
    match spec:
        case CallableSpec() | LiveSpec():
            from viva.examinees.adapters.callables import CallableCandidate

            return CallableCandidate(spec)
        case HttpSpec():
            from viva.examinees.adapters.http import HttpCandidate

            return HttpCandidate(spec)
        case ChatSpec():
            from viva.examinees.adapters.chat import ChatCandidate

            return ChatCandidate(spec)
        case CommandSpec():
            from viva.examinees.adapters.command import CommandCandidate

            return CommandCandidate(spec)
        case RecordedSpec():
            from viva.examinees.adapters.recorded import RecordedCandidate

            return RecordedCandidate(spec)
