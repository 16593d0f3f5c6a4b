"""Loaders as people write them: one over files that goes on, one that stops, one over a database, one that prints."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path

from langchain_community.document_loaders import SQLDatabaseLoader
from langchain_community.utilities import SQLDatabase
from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document


class Letters(BaseLoader):
    """Fails on the letter b, and ends there: a generator that raises is over."""

    def __init__(self, letters: str = "abc") -> None:
        self.letters = letters

    def lazy_load(self) -> Iterator[Document]:
        for letter in self.letters:
            if letter == "b":
                raise ValueError("the letter b cannot be read; key sk-abcdef0123456789abcdef")
            yield Document(
                f"This is the letter {letter}.", metadata={"source": f"letters/{letter}.txt", "of": [1, 2]}
            )


class Going(BaseLoader):
    """The same letters from an iterator that goes on after a failure."""

    def __init__(self, letters: str) -> None:
        self.letters = iter(letters)

    def lazy_load(self) -> Iterator[Document]:
        return self

    def __iter__(self) -> Iterator[Document]:
        return self

    def __next__(self) -> Document:
        letter = next(self.letters)
        if letter == "b":
            raise ValueError("the letter b cannot be read")
        return Document(f"This is the letter {letter}.")


class Odd(BaseLoader):
    """What a document may be that is none; and whatever it likes to print."""

    def lazy_load(self) -> Iterator[Document]:
        print("printed")  # noqa: T201
        print("said\x1b[2J", file=sys.stderr)  # noqa: T201
        logging.getLogger(__name__).warning("one page was passed over")
        cyclic: list[object] = []
        cyclic.append(cyclic)
        yield Document("  ")
        yield Document("Cyclic.", metadata={"of": cyclic})
        yield Document.model_construct(page_content=None, metadata={})
        yield Document("x" * 1_100_000)
        yield "Only a text."  # type: ignore[misc]
        yield Document("Titled.\0\ud800", metadata={"title": "A\ntitle", "source": "https://wiki.example/a/../b?x=1"})


def tickets(path: str, closed: bool = False, at_least: int = 0) -> BaseLoader:
    """Rows of a SQLite database."""
    query = f"SELECT id, text FROM tickets WHERE closed = {int(closed)} AND id >= {at_least} ORDER BY id"
    return SQLDatabaseLoader(query, SQLDatabase.from_uri(f"sqlite:///{path}"), source_columns=["text"])


def failing() -> BaseLoader:
    raise RuntimeError("no server there")


def nothing(options: dict[str, int]) -> dict[str, int]:
    return options


def written(folder: Path) -> Path:
    """Files for DirectoryLoader, one of which is no text."""
    (folder / "notes").mkdir(parents=True)
    (folder / "notes" / "a.md").write_text("# A note\n\nThe tide turns at six.\n")
    (folder / "b.txt").write_text("The ferry leaves at nine.\n")
    (folder / "broken.txt").write_bytes(b"\xff\xfe\xff broken \x81")
    (folder / "lines.jsonl").write_text(json.dumps({"text": "not asked for"}))
    return folder
