"""What a loader is given, what it may answer, and how the text of a document is made safe to keep."""

from __future__ import annotations

import re
import struct
import threading
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from queue import Empty, SimpleQueue
from typing import Protocol, TypeVar

from viva.core.errors import VivaError
from viva.core.records import Document, Exclusion, ExclusionReason

Loaded = Document | Exclusion
_T = TypeVar("_T")
_WORD = re.compile(r"\w+")
MOST_LEFT_OUT = 0.05
"""Share of a file's words that may be left out without a note."""
_ALWAYS_TOLD = frozenset(("struck-out text", "hidden text"))

MAX_TITLE = 200

# What parsers of foreign formats raise on broken or hostile bytes, besides their own errors.
PARSER_FAULTS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    OSError,
    RuntimeError,  # RecursionError and NotImplementedError among them
    SyntaxError,  # lxml's, of malformed XML
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)


_OF_PYTHON = re.compile(
    r"\bobject\b.*\b(?:attribute|subscriptable|iterable|callable)|NoneType|\b0x[0-9a-f]{6,}|<class|__\w+__|\bargument\b"
    r"|\bindices\b|index out of range|unpack|_element|\w+\(\)|must be \w+, not|recursion"
)
"""What an error says of Python's objects, and nothing of the file."""


class Excluded(VivaError):
    """The whole file takes no part. Caught where files are loaded and turned into an `Exclusion`."""

    def __init__(self, reason: ExclusionReason, detail: str) -> None:
        self.reason = reason
        self.detail = detail
        super().__init__(detail)


class TooSlow(OSError):
    """A source took longer than it may."""


def each_in_time(items: Iterator[_T], seconds: float) -> Iterator[_T]:
    """The same items, made in a thread, each waited for so long at most. Raises TooSlow."""
    wanted, made = SimpleQueue[bool](), SimpleQueue[tuple[list[_T], BaseException | None]]()

    def make() -> None:
        while wanted.get():
            try:
                made.put(([next(items)], None))
            except BaseException as error:  # noqa: BLE001 - it is raised where the item is waited for
                made.put(([], error))

    # a thread that hangs does not keep the process from ending
    threading.Thread(target=make, daemon=True).start()
    try:
        while True:
            wanted.put(True)
            try:
                found, error = made.get(timeout=seconds)
            except Empty:
                raise TooSlow(f"nothing came in {seconds:g} seconds") from None
            if isinstance(error, StopIteration):
                return
            if error is not None:
                raise error
            yield found[0]
    finally:
        wanted.put(False)


def in_time(act: Callable[[], _T], seconds: float) -> _T:
    """What the act gives, waited for so long at most. Raises TooSlow."""
    return next(each_in_time((act() for _ in range(1)), seconds))


def fault_in_words(error: Exception) -> str:
    """What a parser says of a file, without a full stop; nothing of what is in Python's terms."""
    said = " ".join(str(error).split()).rstrip(".")
    if isinstance(error, AttributeError | TypeError | LookupError | AssertionError | RecursionError):
        return "it is damaged, or built as no such file is"
    if not said or _OF_PYTHON.search(said):
        return "it is damaged, or built as no such file is"
    return said


class Found(Protocol):
    """A file that was found, here or elsewhere. May be pickled, and read by another process."""

    @property
    def relative(self) -> str:
        """Its path relative to the folder."""

    def read(self, max_bytes: int) -> bytes:
        """Raises Excluded for what cannot be had, is empty, or larger."""


class DocumentSource(Protocol):
    """Where documents come from that lie in no folder of this machine. Its `str` is what a run keeps of it."""

    @property
    def name(self) -> str:
        """By which a run's folder is called."""

    def entries(self, ignore: Sequence[str], max_bytes: int) -> Sequence[Found | Loaded]:
        """All there is, in an order that does not depend on arrival. UsageError where that cannot be told."""


def refuse_size(size: int, max_bytes: int) -> None:
    """Raise `Excluded` for a file of no bytes, and for one of too many."""
    if size == 0:
        raise Excluded(ExclusionReason.EMPTY, "The file has 0 bytes.")
    if size > max_bytes:
        raise Excluded(
            ExclusionReason.OVERSIZED,
            f"The file has {size / 1e6:.1f} MB, the limit is {max_bytes / 1e6:g} MB; raise max_file_mb or split it.",
        )


@dataclass(frozen=True)
class SourceFile:
    """A file as a loader sees it: its bytes, its path relative to the folder, and the most it may hold.

    A loader notes in it what of the file is no part of a document.
    """

    relative: str
    data: bytes
    max_bytes: int
    gone: Counter[str] = field(default_factory=Counter)
    """words that are left out, by what they are"""
    noted: list[Exclusion] = field(default_factory=list)

    @property
    def stem(self) -> str:
        """File name without its last suffix."""
        return PurePosixPath(self.relative).stem

    @property
    def folder_topic(self) -> str:
        """First folder of the relative path, "" for a file at the top."""
        parts = PurePosixPath(self.relative).parts
        return parts[0] if len(parts) > 1 else ""

    def note(self, reason: ExclusionReason, detail: str) -> None:
        """What the reader of the corpus must know, though the file is read."""
        self.noted.append(Exclusion(path=self.relative, reason=reason, detail=detail))

    def leave_out(self, what: str, text: str) -> None:
        """The text is left out of the document, as what it is called."""
        if words := count_words(text):
            self.gone[what] += words

    def notes(self, kept: int) -> list[Exclusion]:
        """All notes, where so many words are kept; what was left out if it is over a twentieth, or struck."""
        gone = self.gone.total()
        is_much = gone > MOST_LEFT_OUT * (kept + gone)
        told = {what: count for what, count in self.gone.most_common() if is_much or what in _ALWAYS_TOLD}
        if told:
            parts = ", ".join(f"{what} ({count:,})" for what, count in told.items())
            words = f"{sum(told.values()):,} of {kept + gone:,} words are left out: {parts}."
            self.note(ExclusionReason.PART_LEFT_OUT, words)
        return self.noted

    def bounded(self, characters: int) -> None:
        """Raise `Excluded` when extraction made more text than a plain file of the largest size could hold."""
        if characters > self.max_bytes:
            limit = self.max_bytes / 1e6
            raise Excluded(
                ExclusionReason.OVERSIZED,
                f"The extracted text has over {limit:g} million characters; raise max_file_mb or split the file.",
            )


def count_words(text: str) -> int:
    """Runs of letters and digits."""
    return sum(1 for _ in _WORD.finditer(text))


def readable_path(path: Path) -> str:
    """The path with forward slashes; bytes of a name that are no UTF-8 are written as \\xNN."""
    return path.as_posix().encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def readable_stem(stem: str) -> str:
    """'pep-0008_style' -> 'Pep 0008 style'."""
    words = re.sub(r"[\s_-]+", " ", stem).strip()
    return words[:1].upper() + words[1:] if words else stem


def storable(text: str) -> str:
    """The text without what no database or JSON file takes: NUL and halves of surrogate pairs."""
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


_TICKS = {0xFC: "✓", 0xFE: "☑", 0xFB: "✗", 0xFD: "☒", 0xA8: "☐", 0x6F: "☐", 0x71: "☐", 0x72: "☐"}
"""Of Wingdings, by which Word and others tick; Unicode has their signs elsewhere."""
_SIGNS = {
    **{code: chr(code) for code in b"!%&()+,./0123456789:;<=>?"},
    0x2D: "−",
    **dict(enumerate("ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", 0x41)),
    **dict(enumerate("αβχδεφγηιϕκλμνοπθρστυϖωξψζ", 0x61)),
    **dict(
        zip(
            b"\xa2\xa3\xa5\xab\xac\xae\xb0\xb1\xb2\xb3\xb4\xb8\xb9\xbb\xce\xd6\xd7\xe5\xf2",
            "′≤∞↔←→°±″≥×÷≠≈∈√⋅∑∫",
            strict=True,
        )
    ),
}
"""Of the font Symbol, by which Word writes Greek letters and signs of formulas."""
UNSHOWN = {0xAD: None, 0x200B: None}
"""Places where a word may be broken, which no reader sees."""


def symbol(code: int, font: str = "") -> str:
    """The sign that a font of symbols has at a place: a letter or sign of Symbol, a tick or a box, else a bullet."""
    signs = _SIGNS if font.casefold() == "symbol" else _TICKS
    return signs.get(code & 0xFF, "•")


def one_line(text: str, limit: int = MAX_TITLE) -> str:
    """The text on one line, cut at a word when longer than `limit` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[:limit].rsplit(" ", 1)[0] + "…"


def lookup(metadata: Mapping[str, str], *names: str) -> str:
    """The first non-blank value under one of the names, whatever their case; "" if there is none."""
    folded = {key.casefold(): value for key, value in reversed(list(metadata.items()))}
    return next((value for name in names if (value := folded.get(name, "").strip())), "")


def joined_parts(parts: Iterable[tuple[str, str]], between: str = "\n\n") -> tuple[str, tuple[tuple[int, str], ...]]:
    """The texts of named pages, slides or cells as one, and where each begins; those without text are left out."""
    text, begins = "", list[tuple[int, str]]()
    for name, part in parts:
        if part:
            text += between if text else ""
            begins.append((len(text), name))
            text += part
    return text, tuple(begins)


def document_of(
    source: SourceFile,
    text: str,
    *,
    format: str,  # noqa: A002 - the field's name
    title: str = "",
    metadata: Mapping[str, str] | None = None,
    row: int | None = None,
    presplit: bool = False,
    parts: tuple[tuple[int, str], ...] = (),
    first_line: int | None = None,
) -> Document:
    """The document of a file, or of its `row`. Title and topic given in the metadata win."""
    known = {storable(key): storable(value) for key, value in (metadata or {}).items()}
    suffix = "" if row is None else f"#{row}"
    fallback = readable_stem(source.stem) + ("" if row is None else f" {row}")
    return Document.of(
        storable(text),
        path=f"{source.relative}{suffix}",
        title=one_line(storable(title or lookup(known, "title") or fallback)),
        topic=one_line(lookup(known, "topic") or source.folder_topic),
        format=format,
        presplit=presplit,
        metadata=known,
        parts=parts,
        first_line=first_line,
    )
