"""A folder to a corpus: list the files, load them, drop repeats, cut into chunks."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records import Chunk, Document, Exclusion, ExclusionReason
from viva.storage.corpus.duplicates import ExactDuplicates, mark_near_duplicates
from viva.storage.corpus.jsonl import load_csv, load_jsonl, load_tsv
from viva.storage.corpus.listing import FoundFile, walk
from viva.storage.corpus.markup import load_html
from viva.storage.corpus.pdf import load_pdf
from viva.storage.corpus.plain import load_markdown, load_text
from viva.storage.corpus.source import DocumentSource, Excluded, Found, Loaded, SourceFile, count_words, readable_path
from viva.storage.corpus.split import Splitter
from viva.storage.corpus.spool import Spool
from viva.storage.corpus.types.archives import load_epub, load_odt
from viva.storage.corpus.types.asciidoc import load_asciidoc
from viva.storage.corpus.types.latex import load_latex
from viva.storage.corpus.types.office import load_xlsx
from viva.storage.corpus.types.plain_markup import load_mdx, load_restructured
from viva.storage.corpus.types.slides import load_pptx
from viva.storage.corpus.types.structured import load_json, load_mail, load_notebook, load_yaml
from viva.storage.corpus.word import load_docx


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
    found = slow = 0
    duplicates = ExactDuplicates()
    for done, entry in enumerate(fetched_ahead(entries, max_file_mb), start=1):
        for loaded in [entry] if isinstance(entry, Document | Exclusion) else load(entry, max_file_mb):
            slow = slow + 1 if isinstance(loaded, Exclusion) and loaded.reason is ExclusionReason.TOO_SLOW else 0
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
        if slow == SLOW_IN_A_ROW and done < len(entries):
            detail = f"{slow} files in a row came too slowly: the {len(entries) - done} after them are not asked for."
            path = getattr(entry, "relative", "")
            exclusions.append(Exclusion(path=path, reason=ExclusionReason.ENDED_EARLY, detail=detail))
            return


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


# --- one file -----------------------------------------------------------------------------------------------


LOADERS: dict[str, Callable[[SourceFile], Iterable[Loaded]]] = {
    ".md": load_markdown,
    ".markdown": load_markdown,
    ".txt": load_text,
    ".log": load_text,
    ".rst": load_restructured,
    ".adoc": load_asciidoc,
    ".asciidoc": load_asciidoc,
    ".mdx": load_mdx,
    ".tex": load_latex,
    ".html": load_html,
    ".htm": load_html,
    ".pdf": load_pdf,
    ".docx": load_docx,
    ".csv": load_csv,
    ".tsv": load_tsv,
    ".jsonl": load_jsonl,
    ".json": load_json,
    ".yaml": load_yaml,
    ".yml": load_yaml,
    ".xlsx": load_xlsx,
    ".xlsm": load_xlsx,
    ".pptx": load_pptx,
    ".ipynb": load_notebook,
    ".odt": load_odt,
    ".epub": load_epub,
    ".eml": lambda source: load_mail(source, LOADERS),
}
READ_TYPES = ", ".join(LOADERS)
AHEAD = 8
"""Files that are fetched from elsewhere at once, and held."""
SLOW_IN_A_ROW = 8
"""Files after which a source that is too slow is asked for no more."""


def load(found: Found, max_file_mb: float) -> list[Loaded]:
    """The documents of a file, or the exclusion that says why it has none. Never raises for what a file holds."""
    suffix = _suffix(found.relative)
    loader = LOADERS.get(suffix)
    if loader is None:
        detail = f"{suffix or 'No suffix'}: not among {READ_TYPES}."
        return [Exclusion(path=found.relative, reason=ExclusionReason.UNKNOWN_TYPE, detail=detail)]
    try:
        max_bytes = int(max_file_mb * 1e6)
        source = SourceFile(found.relative, found.read(max_bytes), max_bytes)
        loaded = list(loader(source))
        return [*loaded, *source.notes(sum(count_words(each.text) for each in loaded if isinstance(each, Document)))]
    except Excluded as excluded:
        return [Exclusion(path=found.relative, reason=excluded.reason, detail=excluded.detail)]


def _suffix(relative: str) -> str:
    return PurePosixPath(relative).suffix.lower()


@dataclass(frozen=True)
class _Fetched:
    """A file whose bytes are on their way."""

    relative: str
    data: Future[bytes]

    def read(self, max_bytes: int) -> bytes:  # noqa: ARG002 - it was told when it was asked for
        return self.data.result()


def fetched_ahead(entries: Iterable[Found | Loaded], max_file_mb: float) -> Iterator[Found | Loaded]:
    """The same in the same order; files elsewhere are fetched, AHEAD at a time, while those before are read."""
    waiting: deque[Found | Loaded] = deque()
    with ThreadPoolExecutor(AHEAD) as threads:
        for entry in entries:
            if not isinstance(entry, FoundFile | Document | Exclusion) and _suffix(entry.relative) in LOADERS:
                entry = _Fetched(entry.relative, threads.submit(entry.read, int(max_file_mb * 1e6)))
            waiting.append(entry)
            if len(waiting) > AHEAD:
                yield waiting.popleft()
        yield from waiting
