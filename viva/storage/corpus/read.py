"""A folder to a corpus: list the files, load them, drop repeats, cut into chunks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records import Chunk, Document, Exclusion
from viva.storage.corpus.duplicates import ExactDuplicates, mark_near_duplicates
from viva.storage.corpus.listing import FoundFile, walk
from viva.storage.corpus.load import READ_TYPES, fetched_ahead, load
from viva.storage.corpus.source import DocumentSource, Found, Loaded, readable_path
from viva.storage.corpus.split import Splitter
from viva.storage.corpus.spool import Spool


@dataclass(frozen=True)
class Corpus:
    """Everything that was read, in path order, and everything that was not, with reasons."""

    documents: Sequence[Document]
    chunks: Sequence[Chunk]
    exclusions: tuple[Exclusion, ...]

    @property
    def fingerprint(self) -> str:
        """Changes when a document is added, removed, renamed or rewritten."""
        return content_hash(*(part for document in self.documents for part in (document.id, document.path)))


def read_corpus(
    folder: Path | DocumentSource,
    *,
    ignore: Sequence[str] = (),
    max_file_mb: float,
    max_documents: int | None,
    chunk_tokens: int,
    chunk_overlap: int,
    count_tokens: Callable[[str], int],
    progress: Callable[[int, int], None] | None = None,
) -> Corpus:
    """The corpus of a folder, of a single file, or of what another source gives, kept on disk while anybody holds it.

    `max_documents` stops at the first so many readable documents (rows count as documents). `progress` is called
    after each file with the files done and the files in all. Raises UsageError when nothing can be read, or the
    overlap leaves no room in a chunk.
    """
    splitter = Splitter(chunk_tokens, chunk_overlap, count_tokens)
    entries = _entries(folder, ignore, max_file_mb)
    documents, chunks = Spool(Document), Spool(Chunk)
    exclusions: list[Exclusion] = []
    read = _documents(entries, max_file_mb, max_documents, exclusions, progress)
    chunks.extend(mark_near_duplicates(chunk for each in documents.passing(read) for chunk in splitter.split(each)))
    if not documents:
        raise _nothing_readable(folder, exclusions)
    return Corpus(documents, chunks, tuple(exclusions))


def _entries(folder: Path | DocumentSource, ignore: Sequence[str], max_file_mb: float) -> Sequence[Found | Loaded]:
    if not isinstance(folder, Path):
        return folder.entries(ignore, int(max_file_mb * 1e6))
    try:
        if folder.is_dir():
            return walk(folder, ignore)
        if folder.is_file():
            return [FoundFile(folder, readable_path(Path(folder.name)))]
        problem = "is no folder and no file" if folder.exists() else "does not exist"
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        problem = f"cannot be read: {getattr(error, 'strerror', None) or error}"
    raise UsageError(
        f"{readable_path(folder)!r} {problem}.",
        allowed=f"A folder of documents, or one document ({READ_TYPES}).",
        next_step="Check the path and the permissions.",
    )


def _documents(
    entries: Sequence[Found | Loaded],
    max_file_mb: float,
    max_documents: int | None,
    exclusions: list[Exclusion],
    progress: Callable[[int, int], None] | None,
) -> Iterator[Document]:
    """One after the other; what takes no part is added to the exclusions."""
    found = 0
    duplicates = ExactDuplicates()
    for done, entry in enumerate(fetched_ahead(entries, max_file_mb), start=1):
        for loaded in [entry] if isinstance(entry, Document | Exclusion) else load(entry, max_file_mb):
            if isinstance(loaded, Exclusion):
                exclusions.append(loaded)
            elif (repeat := duplicates.exclusion(loaded)) is not None:
                exclusions.append(repeat)
            else:
                found += 1
                yield loaded
            if found == max_documents:
                return
        if progress is not None:
            progress(done, len(entries))


def _nothing_readable(folder: Path | DocumentSource, exclusions: Sequence[Exclusion]) -> UsageError:
    counts = Counter(exclusion.reason.value for exclusion in exclusions)
    listed = ", ".join(f"{count} {reason}" for reason, count in sorted(counts.items()))
    named = readable_path(folder) if isinstance(folder, Path) else str(folder)
    first = f" The first: {exclusions[0].path}: {exclusions[0].detail}" if exclusions else ""
    return UsageError(
        f"{named!r} holds no document that can be read ({listed or 'it is empty'}).{first}",
        allowed=f"Types that are read: {READ_TYPES}.",
        next_step="Name a folder that holds such files.",
    )
