"""Documents to chunks: cut where sections, paragraphs, sentences end; offsets exact to the character."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import accumulate, pairwise

from viva.core.errors import UsageError
from viva.core.records import Chunk, Document

# no capturing groups: the splitter puts each pattern into one of its own
_ADORNMENT = r"(?:={3,}|-{3,}|~{3,}|\^{3,}|\"{3,}|'{3,}|\*{3,}|\+{3,}|#{3,}|`{3,})[ \t]*(?:\n|\Z)"
_UNDERLINED = rf"(?:{_ADORNMENT})?[^\s][^\n]{{0,200}}\n{_ADORNMENT}"
# a line feed after an overline belongs to the title below it
_RST_TITLE = rf"(?<![=~^\"'*+#`-]{{3}})\n(?={_UNDERLINED})"
_CLOSERS = "\"'”’)\\]"
_SENTENCE = rf"(?:(?<=[.!?…])|(?<=[.!?][{_CLOSERS}]))\s+(?=[^\sa-z])|(?<=[。！？])"
SEPARATORS = (
    r"\n(?=#{1,2} )",
    _RST_TITLE,
    r"\n(?=#{3,6} )",
    r"\n(?:[ \t]*\n)+",
    r"\n(?=[ \t]*(?:[-*+•]|\d{1,3}[.)]) )",
    r"\n(?=[^\n|]*\|)",
    _SENTENCE,
    r"\n",
    r"\s+",
    "",
)
_OPENS_SECTION = re.compile(rf"#{{1,6}} |{_UNDERLINED}")
_HEADINGS_AT_END = re.compile(rf"^(?:(?:#{{1,6}} [^\n]*(?:\n|\Z)|{_UNDERLINED})\s*)+\Z", re.MULTILINE)
_HEADINGS_REACH = 400  # characters
_BOUNDARIES = (re.compile(rf"\n\s*\n|{_SENTENCE}"), re.compile(r"\n"))
_ATOM = re.compile(r"\s*\S+|\s+")
_REMEMBERED = 48  # characters; longer atoms are rarely met twice
_TOKEN_CHARACTERS = 16  # tokenizers give one token for a word they cannot read, however long


class Splitter:
    """Cuts documents into chunks of at most `chunk_tokens` tokens, up to `chunk_overlap` of them shared.

    `count_tokens` gives the tokens of a text as the retriever's model will count them. Raises UsageError when
    the overlap leaves no room.
    """

    def __init__(self, chunk_tokens: int, chunk_overlap: int, count_tokens: Callable[[str], int]) -> None:
        if not 0 <= chunk_overlap < chunk_tokens:
            raise UsageError(
                f"chunk_overlap is {chunk_overlap} and chunk_tokens is {chunk_tokens}.",
                allowed="The overlap must be at least 0 and smaller than the chunk.",
                next_step=f"Set chunk_overlap to {max(chunk_tokens // 8, 0)}, for example.",
            )
        # slow to import: a run without documents needs none
        from langchain_text_splitters import RecursiveCharacterTextSplitter

        self._limit = chunk_tokens
        self._overlap = chunk_overlap
        self._lengths = _Lengths(count_tokens)
        # what a piece may hold before its overlap is added
        self._room = max(chunk_tokens - chunk_overlap - self._lengths.framing, 1)
        self._splitter = RecursiveCharacterTextSplitter(
            separators=list(SEPARATORS),
            is_separator_regex=True,
            keep_separator="start",
            strip_whitespace=False,
            chunk_size=self._room,
            chunk_overlap=0,
            length_function=self._lengths,
        )

    def split(self, document: Document) -> list[Chunk]:
        """The document's chunks in order. Every character but white space is in one.

        A pre-split document that is no longer than a chunk may be is one, whatever sections it has.
        """
        text = document.text
        if document.presplit:
            start, end = _trimmed(text, 0, len(text))
            tokens = self._lengths.exact(text[start:end])
            if tokens <= self._limit:
                return [Chunk.of(document, start, end, tokens)]
        return [Chunk.of(document, start, end, tokens) for start, end, tokens in self._spans(text)]

    def _spans(self, text: str) -> list[tuple[int, int, int]]:
        """(start, end, tokens) of each chunk."""
        spans: list[tuple[int, int, int]] = []
        floor = 0
        for start, end in self._pieces(text):
            for span in self._with_overlap(text, floor, start, end):
                # a small piece may lie wholly in the overlap of the next
                while spans and span[0] <= spans[-1][0]:
                    spans.pop()
                spans.append(span)
            floor = start
        return spans

    def _pieces(self, text: str) -> list[tuple[int, int]]:
        """Adjacent spans that cover the text but for white space; small neighbours are put together."""
        pieces = self._splitter.split_text(text)
        ends = list(accumulate(map(len, pieces), initial=0))
        if ends[-1] != len(text) or "".join(pieces) != text:
            raise AssertionError("the splitter lost or changed characters")
        merged: list[tuple[int, int, int]] = []
        for start, end in pairwise(ends):
            tokens = self._lengths(text[start:end])
            if merged and merged[-1][2] + tokens <= self._room:
                start, _, before = merged.pop()
                merged.append((start, end, before + tokens))
            else:
                self._append(merged, text, start, end, tokens)
        trimmed = (_trimmed(text, start, end) for start, end, _ in merged)
        return [(start, end) for start, end in trimmed if start < end]

    def _append(self, merged: list[tuple[int, int, int]], text: str, start: int, end: int, tokens: int) -> None:
        """Add a piece; headings that end the piece before go with it where there is room."""
        if merged:
            first, last, before = merged[-1]
            headings = _HEADINGS_AT_END.search(text, max(first, last - _HEADINGS_REACH), last)
            moved = self._lengths(headings.group()) if headings else 0
            if headings and moved + tokens <= self._room + self._overlap:
                merged[-1] = (first, headings.start(), before - moved)
                start, tokens = headings.start(), tokens + moved
        merged.append((start, end, tokens))

    def _with_overlap(self, text: str, floor: int, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """The piece as a chunk beginning earlier (not before `floor`); as several where it is too long after all."""
        for begin in dict.fromkeys((self._overlap_start(text, floor, start), start)):
            tokens = self._lengths.exact(text[begin:end])
            if tokens <= self._limit:
                yield begin, end, tokens
                return
        if end - start == 1:
            yield start, end, tokens
            return
        # the estimate was too low for this tokenizer
        middle = _near_middle(text, start, end)
        for part in (_trimmed(text, start, middle), _trimmed(text, middle, end)):
            if part[0] < part[1]:
                yield from self._with_overlap(text, part[0], *part)

    def _overlap_start(self, text: str, floor: int, start: int) -> int:
        """Where the chunk begins with its overlap: at a sentence, else a line, else a word.

        A chunk that opens a section takes no tail of the section before.
        """
        if not self._overlap or floor >= start or _OPENS_SECTION.match(text, start):
            return start
        floor = max(floor, start - self._overlap * 16)
        earliest = floor + self._lengths.tail(text[floor:start], self._overlap)
        for boundary in _BOUNDARIES:
            match = boundary.search(text, earliest, start)
            if match is not None and match.end() < start:
                return _trimmed(text, match.end(), start)[0]
        return _trimmed(text, earliest, start)[0]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _near_middle(text: str, start: int, end: int) -> int:
    """An offset inside the span: after the last white space of its first half, else its middle."""
    middle = (start + end) // 2
    for offset in range(middle, start, -1):
        if text[offset].isspace():
            return offset
    return middle


class _Lengths:
    """Counts tokens word by word and remembers each word.

    The sum is exact for tokenizers that never join words and close for the others; `exact` asks the tokenizer.
    """

    def __init__(self, count_tokens: Callable[[str], int]) -> None:
        self.exact = count_tokens
        self.framing = count_tokens("")  # tokens put around any text
        self._known: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        """Estimated tokens of the text, without the framing; at least 1 for any text.

        The splitter repeats pieces of length 0, which is what some tokenizers make of control characters.
        """
        estimate = sum(map(self._atom, _ATOM.findall(text)))
        return max(estimate, len(text) // _TOKEN_CHARACTERS, min(len(text), 1))

    def tail(self, text: str, tokens: int) -> int:
        """Offset from which the rest of the text has at most so many tokens, at the start of a word."""
        room = tokens
        start = len(text)
        for atom in reversed([match.group() for match in _ATOM.finditer(text)]):
            room -= self._atom(atom)
            if room < 0:
                break
            start -= len(atom)
        return start

    def _atom(self, atom: str) -> int:
        count = self._known.get(atom)
        if count is None:
            count = self.exact(atom) - self.framing
            if len(atom) <= _REMEMBERED:
                self._known[atom] = count
        return count
