"""Folder -> documents -> chunks."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from pydantic import Field

from viva.core.ids import content_hash
from viva.core.records.base import Record


class Document(Record):
    """One readable document: its extracted text and where it came from."""

    id: str
    path: str = Field(description="relative to the corpus folder, with forward slashes; '#n' for the n-th row")
    title: str
    topic: str
    format: str
    text: str
    presplit: bool = Field(default=False, description="the user's own chunk: split only if it is too long for one")
    metadata: dict[str, str] = Field(default_factory=dict)
    parts: tuple[tuple[int, str], ...] = Field(
        default=(), description="where each page, slide or cell of the file begins in the text, and its name"
    )
    first_line: int | None = Field(
        default=None, description="the line of the file that the text begins with, where its lines are the file's"
    )

    @classmethod
    def of(
        cls,
        text: str,
        *,
        path: str,
        title: str,
        topic: str = "",
        format: str,  # noqa: A002 - the field's name
        presplit: bool = False,
        metadata: dict[str, str] | None = None,
        parts: tuple[tuple[int, str], ...] = (),
        first_line: int | None = None,
    ) -> Self:
        """The document with its content-hash id (the text alone: copies of a file share it)."""
        return cls(
            id=content_hash("document", text),
            path=path,
            title=title,
            topic=topic,
            format=format,
            text=text,
            presplit=presplit,
            metadata=metadata or {},
            parts=parts,
            first_line=first_line,
        )

    def place_at(self, start: int) -> str:
        """Name the page, slide, cell, sheet, row or line of the file that this is in; "" if it has none."""
        if self.first_line is not None:
            return f"line {self.first_line + self.text.count(chr(10), 0, start)}"
        return next((name for at, name in reversed(self.parts) if at <= start), "")


class ExclusionReason(StrEnum):
    """Why a file, a document or a chunk takes no part."""

    UNREADABLE = "unreadable"
    EMPTY = "empty"
    SCANNED = "scanned"
    ENCRYPTED = "encrypted"
    BINARY = "binary"
    OVERSIZED = "oversized"
    GARBLED = "garbled"
    BAD_ENCODING = "bad encoding"
    BAD_RECORD = "bad record"
    UNKNOWN_TYPE = "unknown type"
    OUTSIDE_FOLDER = "outside the folder"
    TOO_SLOW = "too slow"
    ENDED_EARLY = "loading ended early"
    EXACT_DUPLICATE = "exact duplicate"
    PART_LEFT_OUT = "part left out"
    ENCODING_ASSUMED = "encoding assumed"
    READ_BY_OCR = "read by OCR"

    @property
    def of_a_part(self) -> bool:
        """Whether the file is read all the same."""
        return self in {self.PART_LEFT_OUT, self.ENCODING_ASSUMED, self.READ_BY_OCR}


class Exclusion(Record):
    """A file, a row or a part of it that takes no part, or how a file was read, with the reason in words."""

    path: str
    reason: ExclusionReason
    detail: str


class Chunk(Record):
    """A span of one document, small enough for one retrieval unit."""

    id: str
    document_id: str
    start: int
    end: int
    text: str
    tokens: int
    duplicate_of: str | None = Field(default=None, description="id of the earlier chunk this one nearly repeats")

    @classmethod
    def of(cls, document: Document, start: int, end: int, tokens: int, duplicate_of: str | None = None) -> Self:
        """The chunk `document.text[start:end]`."""
        return cls(
            id=content_hash("chunk", document.id, start, end),
            document_id=document.id,
            start=start,
            end=end,
            text=document.text[start:end],
            tokens=tokens,
            duplicate_of=duplicate_of,
        )
