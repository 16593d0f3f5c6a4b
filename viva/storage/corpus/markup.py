"""HTML as markdown-like text: the blocks a reader sees, without the page's furniture."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeGuard

from viva.core.records import ExclusionReason
from viva.storage.corpus.decoding import decode
from viva.storage.corpus.source import PARSER_FAULTS, Excluded, Loaded, SourceFile, document_of, fault_in_words

if TYPE_CHECKING:
    from bs4.element import PageElement, Tag

# what is in neither is inline
_DROPPED = re.compile("script|style|nav|header|footer|noscript|template|aside|svg|iframe|object|select|button|head")
_BLOCK = re.compile(
    "address|article|blockquote|body|caption|center|d[dlt]|details|dialog|div|fieldset|figcaption|figure|form|h[1-6r]|"
    "hgroup|html|legend|li|main|menu|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul"
)
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_COMMENT = re.compile(r"^ {0,3}#{1,6}(?=[ \t])", re.MULTILINE)
_PLACE_MARKS = frozenset("¶ # § 🔗".split())
_RAISABLE = re.compile(r"[^\W_]|\)")
_POWER = re.compile(
    r"(?!(?:st|nds?|rd|th|e|er|es|re|ère|ème|nde|o|os|a|as|r|me|mes|mme|mmes|mlle|lle|lles|bis|ter|tm|sm)\b)"
    r"[-+−–(]?[^\W_]",
    re.IGNORECASE,
)
_ABBREVIATED = re.compile(r"[^\W\d_]{2}\Z")
"""The end of a word: letters that stand raised behind it belong to it."""
_NOTE = re.compile(r"\W*(?:\d{1,3}|[a-z])?\W*", re.IGNORECASE)
"""The sign of a footnote."""
_ONE_TERM = re.compile(r"[-+−–]?\w+[-+−–]?\Z|\(")
_FEW = 20
_DEEPEST_LIST = 20
"""Lists in lists by which an item is moved to the right."""
_SPACE = re.compile(r"[ \t\n\r\f\v\xa0]+")


def load_html(source: SourceFile) -> Iterator[Loaded]:
    """One document; title from <title>, else the first <h1>."""
    from bs4.dammit import EncodingDetector

    from viva.storage.corpus.page_tree import tree_of

    declared = EncodingDetector.find_declared_encoding(source.data, is_html=True, search_entire_document=False)
    markup = decode(source.data, declared=declared)
    try:
        with warnings.catch_warnings():
            # it suspects text that looks like a path or like XML
            warnings.simplefilter("ignore")
            soup = tree_of(markup)
        for mark in soup.find_all(lambda tag: _marks_its_place(tag) or _marks_a_note(tag)):
            mark.clear()
        title = " ".join(tag.get_text(" ", strip=True) for tag in soup.find_all(["title", "h1"], limit=1))
        text = _Rendering().of(soup)
    except PARSER_FAULTS as error:
        raise Excluded(ExclusionReason.UNREADABLE, f"The HTML cannot be parsed: {fault_in_words(error)}.") from error
    if not text:
        raise Excluded(ExclusionReason.EMPTY, "The page holds no text outside scripts, navigation and the like.")
    source.bounded(len(text))
    yield document_of(source, text, format="html", title=title)


class _Rendering:
    """Walks the tree without recursion (pages may nest deeper than Python may recurse)."""

    def __init__(self) -> None:
        self.blocks: list[tuple[str, str]] = []
        self.inline: list[str] = []
        self.cells: list[str] = []
        self.kind, self.prefix = "text", ""
        self.lists = self.rows = self.preformatted = 0

    def of(self, root: object) -> str:
        from bs4.element import NavigableString, Tag

        waiting: list[tuple[object, bool]] = [(root, False)]
        while waiting:
            node, leaving = waiting.pop()
            if isinstance(node, Tag):
                if leaving:
                    self._leave(node.name)
                elif not _DROPPED.fullmatch(node.name):
                    self._enter(node.name)
                    waiting.append((node, True))
                    if node.name == "sup":
                        before, behind = _around("".join(self.inline[-1:]), node)
                        self.inline.append(before)
                        waiting.append((NavigableString(behind), False))
                    waiting.extend((child, False) for child in reversed(node.contents))
            elif type(node) is NavigableString:
                self.inline.append(str(node) if self.preformatted else _SPACE.sub(" ", str(node)))
        self._flush()
        return _joined(self.blocks)

    def _enter(self, name: str) -> None:
        if _BLOCK.fullmatch(name):
            self._flush()
        if name in _HEADINGS:
            self.kind, self.prefix = "heading", _HEADINGS[name]
        elif name == "li":
            self.kind, self.prefix = "item", "  " * min(max(self.lists - 1, 0), _DEEPEST_LIST) + "- "
        elif name == "br":
            self.inline.append("\n")
        self.lists += name in {"ul", "ol", "menu"}
        self.rows += name == "tr"
        self.preformatted += name == "pre"

    def _leave(self, name: str) -> None:
        if name in {"td", "th"} and self.rows == 1:
            self.cells.append(_tidy("".join(self.inline)).replace("\n", " "))
            self.inline.clear()
        elif _BLOCK.fullmatch(name):
            self._flush()
        if name == "li" or name in _HEADINGS:
            # one without text has not used it
            self.kind, self.prefix = "text", ""
        self.lists -= name in {"ul", "ol", "menu"}
        self.preformatted -= name == "pre"
        self.rows -= name == "tr"
        if name == "tr" and not self.rows:
            self._end_row()

    def _end_row(self) -> None:
        if any(self.cells):
            self.blocks.append(("row", " | ".join(self.cells)))
        self.cells.clear()

    def _flush(self) -> None:
        """End the block at hand. Inside a table row blocks end as spaces: a row is one line."""
        if self.rows:
            self.inline.append(" ")
            return
        raw = "".join(self.inline)
        self.inline.clear()
        # four spaces before it, and a comment in code is no heading
        text = _COMMENT.sub(r"    \g<0>", raw.strip("\n").rstrip()) if self.preformatted else _tidy(raw)
        if not text:
            return
        if self.kind == "heading":
            text = text.replace("\n", " ")
        self.blocks.append((self.kind, self.prefix + text))
        self.kind, self.prefix = "text", ""


def around_raised(text: str, raised: str) -> tuple[str, str]:
    """What tells, before and behind it, that something stands raised at the end of a text: "10^6", but "5th"."""
    if not (_RAISABLE.search(text[-1:]) and _POWER.match(raised)):
        return "", ""
    if raised.isalpha() and _ABBREVIATED.search(text[-2:]):
        return "", ""
    return ("^", "") if _ONE_TERM.match(raised) else ("^(", ")")


def _around(text: str, tag: Tag) -> tuple[str, str]:
    from bs4.element import NavigableString

    slash = tag.next_sibling
    if isinstance(slash, NavigableString) and slash in {"/", "\u2044"} and _is(slash.next_sibling, "sub"):
        # a fraction, behind a whole number
        return " " if text[-1:].isdigit() else "", ""
    return around_raised(text, _few_words(tag))


def _marks_its_place(tag: Tag) -> bool:
    """Whether it is the link beside a heading that leads to the heading: '¶'."""
    beside = tag.name == "a" and tag.parent is not None and tag.parent.name in {*_HEADINGS, "dt"}
    return beside and _leads_into_page(tag) and _few_words(tag) in _PLACE_MARKS


def _marks_a_note(tag: Tag) -> bool:
    """Whether it stands raised and leads to a footnote."""
    words = _few_words(tag) if tag.name == "sup" else ""
    if words and _leads_into_page(tag.parent) and _few_words(tag.parent) == words:
        return True
    return bool(words) and _NOTE.fullmatch(words) is not None and any(map(_leads_into_page, _few_parts(tag)))


def _leads_into_page(part: PageElement | None) -> TypeGuard[Tag]:
    return _is(part, "a") and str(part.get("href", "")).startswith("#")


def _is(part: PageElement | None, name: str) -> TypeGuard[Tag]:
    return getattr(part, "name", None) == name


def _few_words(tag: Tag) -> str:
    """The text of a tag of few parts, "" for any other."""
    from bs4.element import NavigableString

    return "".join(part.strip() for part in _few_parts(tag) if type(part) is NavigableString)


def _few_parts(tag: Tag) -> list[PageElement]:
    """What is in a tag of few parts, none for any other: tags within tags would be read once for each around them."""
    from bs4.element import Tag

    parts: list[PageElement] = []
    waiting: list[PageElement] = [tag]
    while waiting and len(parts) < _FEW:
        parts.append(node := waiting.pop())
        if isinstance(node, Tag):
            waiting.extend(reversed(node.contents[: _FEW + 1]))
    return [] if waiting else parts


def _tidy(text: str) -> str:
    return re.sub(r" *\n *", "\n", re.sub(r" {2,}", " ", text)).strip()


def _joined(blocks: list[tuple[str, str]]) -> str:
    """Blank lines between blocks; items of a list and rows of a table stand line under line."""
    parts: list[str] = []
    previous = ""
    for kind, text in blocks:
        if parts:
            parts.append("\n" if kind == previous and kind in {"item", "row"} else "\n\n")
        parts.append(text)
        previous = kind
    return "".join(parts)
