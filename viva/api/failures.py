"""Why systems failed, in sentences."""

from __future__ import annotations

from collections.abc import Collection

from viva.core.records import FailureKind
from viva.core.wording import counted
from viva.graphs.context import RunContext


def failure_sentences(context: RunContext, asked: Collection[str] | None = None) -> list[str]:
    """Say how often each system of the run failed on the latest exam, or each of those `asked`, and why first."""
    exam = context.store.latest_exam()
    names = {examinee.id: examinee.name for examinee in context.store.examinees()}
    found: dict[tuple[str, FailureKind], list[str]] = {}
    for response in context.store.responses_to(exam.items if exam else ()):
        if response.failure and (asked is None or response.examinee_id in asked):
            found.setdefault((response.examinee_id, response.failure.kind), []).append(response.failure.detail)
    return [
        f"Failed: {names[examinee_id]}, {counted(len(details), 'question')}, {kind.value}: {details[0]}"
        for (examinee_id, kind), details in sorted(found.items(), key=lambda f: (names[f[0][0]], f[0][1]))
    ]
