"""The trace of a question: the steps that the committee took for it."""

from __future__ import annotations

from pathlib import Path

from viva.core.errors import UsageError
from viva.core.records import Step
from viva.storage.runs import RunStore

_LISTED = 8
"""Questions that a message names."""


def steps_of(store: RunStore, wanted: str, folder: Path) -> list[Step]:
    """Find the steps for the one item, draft or unit that `wanted` names: by an id, its first characters, or words.

    UsageError where it names none or several.
    """
    chunk_id, unit_id = _place_of(store, wanted, folder)
    return [step for step in store.steps(chunk_id) if step.unit_id in {unit_id, None}]


def _place_of(store: RunStore, wanted: str, folder: Path) -> tuple[str, str]:
    """(chunk id, unit id) of the one item, draft or unit that the text names."""
    places: dict[tuple[str, str], str] = {}
    key = wanted.casefold()
    # an item that a person reworded, or with an option that the exam added, is only in exams
    for item in (*store.items(), *(shown.item for exam in store.exams() for shown in exam.items)):
        chunk_id, unit_id = item.provenance.chunk_id, item.provenance.unit_id
        if chunk_id is None or unit_id is None:
            continue
        if any(i.startswith(key) for i in (item.id, unit_id)) or key in item.stem.casefold():
            places[chunk_id, unit_id] = f"{item.id[:8]}  {item.stem}"
    for rejection in store.rejections():
        drafts = (rejection.draft.id, rejection.draft.stem.casefold()) if rejection.draft else ("", "")
        if rejection.unit.id.startswith(key) or drafts[0].startswith(key) or key in drafts[1]:
            stem = rejection.draft.stem if rejection.draft else rejection.unit.statement
            places[rejection.chunk_id, rejection.unit.id] = f"{rejection.unit.id[:8]}  {stem}"
    if len(places) == 1:
        return next(iter(places))
    if not places and not store.finished_chunks():
        raise UsageError("This run has no questions yet.", next_step=f"Write them: viva write {folder}")
    if not places:
        raise UsageError(
            f"“{wanted}” is not an item or a rejected draft of this run.",
            allowed="An id or its first characters, or words of a question.",
            next_step=f"To see the ids: viva items {folder}, also with --rejected",
        )
    listed = "\n  ".join(sorted(places.values())[:_LISTED])
    more = f"\n  and {len(places) - _LISTED} more" if len(places) > _LISTED else ""
    raise UsageError(
        f"“{wanted}” matches {len(places)} items or drafts:\n  {listed}{more}",
        next_step=f"Give more words, or an id: viva trace {folder} {min(places.values())[:8]}",
    )
