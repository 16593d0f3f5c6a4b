"""The record of a refresh: the documents and questions of a run, compared with newer documents."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from viva.core.records.base import Record
from viva.core.records.refinement import ReplacedItem

REFRESH = "refresh"
"""The kind under which the run store keeps them, the latest last."""


class ComparedDocument(Record):
    """A document whose text or path changed."""

    state: Literal["changed", "moved", "new", "gone"]
    path: str
    before: str = Field(default="", description="of a moved one, its path before")


class CheckedItem(Record):
    """What became of the evidence of a question, the worst of several."""

    item_id: str
    stem: str
    topic: str
    state: Literal["valid", "changed", "orphan", "no evidence"]
    path: str = Field(default="", description="the document of the evidence")
    reason: str = ""
    before: str = Field(default="", description="the passage as it was, of a question that is set aside")
    after: str = ""
    renewed: bool = Field(default=False, description="whether the evidence is in another document or wording")


class Refresh(Record):
    """A comparison of a run with newer documents, and the exam that came of it."""

    documents_folder: str
    exam_before: str
    exam_after: str = Field(description="the same where it was only checked")
    unchanged: int = Field(description="documents that are as they were")
    documents: tuple[ComparedDocument, ...] = ()
    items: tuple[CheckedItem, ...] = ()
    written: bool = Field(default=False, description="whether questions were written for those set aside")
    added: tuple[ReplacedItem, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def owed(self) -> tuple[str, ...]:
        """Topics of the questions that are still to be written."""
        return () if self.written else tuple(each.topic for each in self.set_aside)

    @property
    def set_aside(self) -> tuple[CheckedItem, ...]:
        """The questions that are not in the exam after."""
        return tuple(each for each in self.items if each.state in ("changed", "orphan"))

    def after(self, last: Refresh) -> Refresh:
        """Join it to the one before, if that was stopped before its questions were written."""
        if not last.owed:
            return self
        paths = {each.path for each in self.documents}
        earlier = [each for each in last.documents if each.path not in paths]
        update = {
            "documents": (*self.documents, *earlier),
            # those that changed before are the run's by now
            "unchanged": self.unchanged - sum(each.state != "gone" for each in earlier),
            "items": (*last.set_aside, *self.items),
            "exam_before": last.exam_before,
        }
        return self.model_copy(update=update)
