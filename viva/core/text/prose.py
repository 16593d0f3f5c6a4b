"""From a document's raw text to the prose sentences in it, each with its exact place.

Code, tables, headings, directives, tables of contents and field lists are not prose. Markup inside a
sentence is taken off (`Sentence.text`), the raw characters stay addressable (`start`, `end`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_FENCE = re.compile(r"^\s*(```|~~~)")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s")
_UNDERLINE = re.compile(r"^\s*([=\-~^\"'`#*+.:_])\1{2,}\s*$")
_FIELD = re.compile(r"^:?[A-Z][\w\- ]{0,30}:\s")
_DIRECTIVE = re.compile(r"^\s*\.\.(\s|$)")
_BULLET = re.compile(r"^(\s*)([-*+•]|\d{1,2}[.)]|\(?[a-z0-9][.)])\s+(?=\S)")
_TABLE = re.compile(r"^\s*\|.*\||\s\|\s.*\s\|\s|^\s*[+=\-]{3,}[+=\- ]*$")
_DOCTEST = re.compile(r"^\s*(>>>|\.\.\.|\$ |# |%)")

# a full stop that ends no sentence
_ABBREVIATION = re.compile(
    r"\b(?:e\.g|i\.e|etc|cf|vs?|viz|al|ca|approx|Dr|Mr|Mrs|Ms|Prof|St|No|Nos|Fig|Sec|Eq|Ch|Jr|Sr|Inc|Ltd|Co|resp|Ref"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|a\.m|p\.m|U\.S|[A-Z])\.$"
)
_SENTENCE_END = re.compile(r"[.!?](?:['\")\]]|``)*(?=\s+|$)")
_STORY = re.compile(
    r"\b(?:[Ii]magine|[Ss]uppose|[Pp]icture (?:a|an|the|yourself)|[Ww]hat if|[Hh]ypothetical)\b"
    r"|\b[Ll]et(?:[’']s| us) "
)
_EXAMPLE = re.compile(
    r"(?:For (?:example|instance)|Consider|Think (?:about|of)|As an (?:example|illustration)|Say,)\b"
)
_STORY_SENTENCES, _EXAMPLE_SENTENCES = 6, 2
"""So many sentences from the one that opens a story or an example tell of it, not of the subject."""


@dataclass(frozen=True)
class Sentence:
    """One prose sentence: `text` without markup and line breaks, `start`/`end` into the document's text.

    `code` holds the spans of `text` that stood in code markup.
    """

    text: str
    start: int
    end: int
    code: tuple[tuple[int, int], ...]
    illustrates: bool = False
    """whether it, or one shortly before it in its paragraph, opens an example or a story"""
    ended: bool = True
    """whether it says to its end what the whole sentence says: nothing was cut off that its last words may need"""


def sentences(text: str, start: int = 0, end: int | None = None) -> list[Sentence]:
    """The prose sentences of `text` that lie wholly inside [start, end), in order."""
    end = len(text) if end is None else end
    found: list[Sentence] = []
    for block_start, block_end in _blocks(text):
        if block_end <= start or block_start >= end:
            continue
        illustrating = 0
        for left, right in _split(text, block_start, block_end):
            illustrating = max(illustrating - 1, _opens_illustration(text, left, right))
            if left >= start and right <= end:
                clean, code = _without_markup(text[left:right])
                found.append(Sentence(clean, left, right, code, illustrating > 0))
    return found


def _opens_illustration(text: str, left: int, right: int) -> int:
    """How many sentences, this one included, tell of the story or example that it opens; 0 where it opens none."""
    if _STORY.search(text, left, right):
        return _STORY_SENTENCES
    return _EXAMPLE_SENTENCES if _EXAMPLE.match(text, left) else 0


@lru_cache(maxsize=20_000)
def plain_sentences(passage: str) -> tuple[str, ...]:
    """Everything a passage says, as sentences without markup: its prose, and each other line by itself."""
    return tuple(each.text for each in statements(passage))


def statements(passage: str) -> list[Sentence]:
    """Give the same with the place of each: `start` and `end` of a line that is no prose are those of the line."""
    prose = sentences(passage)
    found, offset, at = list(prose), 0, 0
    for line in passage.splitlines(keepends=True):
        start, end = offset, offset + len(line)
        offset = end
        words = line.strip()
        while at < len(prose) and prose[at].end <= start:
            at += 1
        inside = at < len(prose) and prose[at].start < end
        if not inside and re.search(r"\w", words):
            text, code = _without_markup(words)
            found.append(Sentence(text, start, end, code))
    return sorted(found, key=lambda each: (each.start, each.end))


def plain_sentence(raw: str) -> Sentence:
    """A stretch of text as one sentence without markup, of no known place."""
    text, code = _without_markup(raw)
    return Sentence(text, 0, len(raw), code)


@lru_cache(maxsize=4)
def _blocks(text: str) -> tuple[tuple[int, int], ...]:
    """The blocks of the few documents read last: all chunks of a document ask for the same."""
    return tuple(_prose_blocks(text))


def _prose_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Spans of paragraphs and list items."""
    block: list[tuple[int, int]] = []
    fenced = False
    literal_indent: int | None = None
    previous_blank = True
    first_indent = offset = 0
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        left, right = offset, offset + len(line.rstrip())
        offset += len(line)
        stripped = line.strip()
        indent = len(line) - len(line.lstrip())
        if _FENCE.match(line):
            fenced = not fenced
            yield from _joined(block)
            block = []
            continue
        if fenced:
            continue
        if not stripped:
            yield from _joined(block)
            block = []
            previous_blank = True
            continue
        if literal_indent is not None:
            if indent > literal_indent:
                continue
            literal_indent = None
        after = lines[number + 1] if number + 1 < len(lines) else ""
        bullet = _BULLET.match(line)
        if _not_prose(line, after, block_open=bool(block), previous_blank=previous_blank):
            yield from _joined(block)
            block = []
            if _DIRECTIVE.match(line):
                literal_indent = indent
        elif bullet:
            yield from _joined(block)
            block = [(left + bullet.end(), right)]
            first_indent = bullet.end()
        elif len(block) == 1 and indent > first_indent:
            block = [(left + indent, right)]  # the line before was the term of a definition list
            first_indent = indent
        else:
            first_indent = first_indent if block else indent
            block.append((left + indent, right))
        if stripped.endswith("::"):
            literal_indent = indent
        previous_blank = False
    yield from _joined(block)


def _not_prose(line: str, after: str, *, block_open: bool, previous_blank: bool) -> bool:
    stripped = line.strip()
    indented = len(line) - len(line.lstrip()) >= 4
    return bool(
        _HEADING.match(line)
        or _UNDERLINE.match(line)
        or (after and _UNDERLINE.match(after) and len(stripped) <= len(after.strip()) + 2)
        or _DIRECTIVE.match(line)
        or _TABLE.search(line)
        or _DOCTEST.match(line)
        or (_FIELD.match(line) and not stripped.endswith("."))
        or (indented and previous_blank and not block_open and _looks_like_code(stripped))
    )


def _looks_like_code(stripped: str) -> bool:
    return bool(re.search(r"[=({\[;]|^\w+:$|->|^(?:def|class|import|from|return|if|for|while|try|with)\b", stripped))


def _joined(block: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    if block:
        yield block[0][0], block[-1][1]


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Spans of complete sentences in text[start:end); a tail without a full stop is left out."""
    left = start
    for match in _SENTENCE_END.finditer(text, start, end):
        stop = match.end()
        following = text[stop:end].lstrip()
        if _ABBREVIATION.search(text[left : match.start() + 1]) and following:
            continue
        if following and not re.match(r"[A-Z0-9\"'(\[`:*_<|]", following):
            continue
        while left < stop and text[left].isspace():
            left += 1
        yield left, stop
        left = stop


_OPEN, _CLOSE = "\ue000", "\ue001"
_ROLE = re.compile(r":(?:[\w+\-]+:)*pep:`(?:[^`<]*<)?(\d+)(?:#[^`>]*)?>?`")
_ROLE_TEXT = re.compile(r":[\w+:\-]+:`~?!?([^`<]*?)\s*(?:<[^`>]*>)?`")
_DOUBLE = re.compile(r"``([^`]+?)``")
_LINK_RST = re.compile(r"`([^`<]+?)\s*<[^`>]*>`__?")
_LINK_MD = re.compile(r"!?\[([^\]]+)\]\([^)\s]*(?:\s+\"[^\"]*\")?\)(?:\{[^}]*\})?")
_REF_RST = re.compile(r"`([^`]+?)`__?(?!\w)")
_SINGLE = re.compile(r"`([^`]+?)`")
_FOOTNOTE = re.compile(r"\s*(?:\[(?:#?\d+|#?[\w\-]+)\]_|\[\^?\d+\])(?!\w)")
_STRONG = re.compile(r"(?<![\w*])(\*{1,3})(?=\S)(.+?)(?<=\S)\1(?![\w*])")
_EMPHASIS = re.compile(rf"(?<![\w{_OPEN}])_(?=[^\W_]|\.\w)([^_{_OPEN}]+?)(?<=[^\W_])_(?![\w{_CLOSE}])")
_REFERENCE = re.compile(r"(?<=[a-z])__?(?=[\s.,;:)]|$)|(?<=[A-Z]{2})__?(?=[\s.,;:)]|$)")
_ESCAPED_STAR, _STAR = re.compile(r"\\\*"), "\ue002"
_ESCAPE = re.compile(r"\\([*_`|\\<>\[\]()#.!-])")


def _without_markup(raw: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The sentence as a reader sees it, and where code stands in it."""
    text = " ".join(raw.split())
    text = re.sub(f"[{_OPEN}{_CLOSE}{_STAR}]", "", text)
    text = _ROLE.sub(r"PEP \1", text)
    text = _ROLE_TEXT.sub(_code_or_text, text)
    text = _DOUBLE.sub(rf"{_OPEN}\1{_CLOSE}", text)
    text = _LINK_RST.sub(r"\1", text)
    text = _LINK_MD.sub(r"\1", text)
    text = _REF_RST.sub(r"\1", text)
    text = _SINGLE.sub(rf"{_OPEN}\1{_CLOSE}", text)
    text = _FOOTNOTE.sub("", text)
    text = _ESCAPED_STAR.sub(_STAR, text)
    text = _STRONG.sub(r"\2", text)
    text = _EMPHASIS.sub(r"\1", text)
    text = "".join(
        piece if n % 2 else _REFERENCE.sub("", piece)
        for n, piece in enumerate(re.split(rf"({_OPEN}[^{_CLOSE}]*{_CLOSE})", text))
    )
    text = _ESCAPE.sub(r"\1", text).replace(_STAR, "*")
    return _spans_of_code(text)


def _code_or_text(match: re.Match[str]) -> str:
    words = match.group(1)
    return f"{_OPEN}{words}{_CLOSE}" if words and " " not in words.strip() else words


def _spans_of_code(text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    length = opened = 0
    for piece in re.split(f"([{_OPEN}{_CLOSE}])", text):
        if piece == _OPEN:
            opened = length
        elif piece == _CLOSE:
            if length > opened:
                spans.append((opened, length))
        else:
            pieces.append(piece)
            length += len(piece)
    return "".join(pieces), tuple(spans)
