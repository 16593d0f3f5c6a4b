"""HTML as markdown-like text: the blocks a reader sees, without the page's furniture."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeGuard

from viva.core.records import ExclusionReason
from viva.storage.corpus.decoding import text_of
from viva.storage.corpus.formulas import RAISED, SLASHES, STRUCK, around_raised, class_styles, mathml
from viva.storage.corpus.grid import TableCell, table_text
from viva.storage.corpus.source import (
    PARSER_FAULTS,
    UNSHOWN,
    Excluded,
    Loaded,
    SourceFile,
    document_of,
    fault_in_words,
)

if TYPE_CHECKING:
    from bs4.element import PageElement, Tag

# what is in none of these is inline
_NO_TEXT = frozenset("script style template head noscript".split())
_LEFT_OUT = {
    "nav": "navigation", "svg": "drawings", "iframe": "embedded pages", "object": "embedded pages",
    "select": "form fields", "datalist": "form fields", "textarea": "form fields",
}  # fmt: skip
"""Furniture wherever it is, and what it is called."""
_OUTSIDE = {"header": "page header", "footer": "page footer", "aside": "sidebar", "button": "buttons"}
"""Furniture of a page, but content within what follows."""
_ROLES = {"navigation": "nav", "banner": "header", "contentinfo": "footer", "complementary": "aside"}
"""Roles of tags that have no name for it."""
_CONSENT = re.compile(r"cookie|consent|gdpr", re.IGNORECASE)
_OVERLAY = re.compile(r"banner|bar\b|notice|popup|pop-up|dialog|modal|overlay", re.IGNORECASE)
_CONTENT = frozenset("main article section blockquote figure details dialog fieldset table".split())
_TITLING = frozenset("h1 h2 h3 h4 h5 h6 dt summary legend".split())
_TOOL = re.compile(r"copy|clipboard|share|print|close|dismiss|submit|toggle-?nav|menu", re.IGNORECASE)
_OPENER = re.compile(r"accordion|collaps|question|faq", re.IGNORECASE)
_REMARK = re.compile(
    r"admonition|warning|caution|danger|important|notice|alert|callout|\b(?:note|tip|info)\b", re.IGNORECASE
)
_INVISIBLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_FORMULA_AGAIN = re.compile(r"\b(?:katex-html|MathJax_Preview)\b")
_FORMULA = re.compile(r"katex-mathml|assistive", re.IGNORECASE)
_BLOCK = re.compile(
    "address|article|aside|blockquote|body|caption|center|d[dlt]|details|dialog|div|fieldset|figcaption|figure|footer|form|h[1-6r]|header|"
    "hgroup|html|legend|li|main|menu|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul"
)
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_COMMENT = re.compile(r"^ {0,3}#{1,6}(?=[ \t])", re.MULTILINE)
_PLACE_MARKS = frozenset(("¶", "#", "§", "🔗", "\u200b"))
_NOTE = re.compile(r"\W*(?:\d{1,3}|[a-z])?\W*", re.IGNORECASE)
"""The sign of a footnote."""
_FEW = 20
_DEEPEST_LIST = 20
"""Lists in lists by which an item is moved to the right."""
_MOST_ROWS = 100_000
_SPACE = re.compile(r"[ \t\n\r\f\v\xa0]+")


def load_html(source: SourceFile) -> Iterator[Loaded]:
    """One document; title from <title>, else the first <h1>."""
    from bs4.dammit import EncodingDetector

    declared = EncodingDetector.find_declared_encoding(source.data, is_html=True, search_entire_document=False)
    markup = text_of(source, declared=declared)
    title, text = html_text(source, markup)
    if not text:
        raise Excluded(ExclusionReason.EMPTY, "The page holds no text outside scripts, navigation and the like.")
    source.bounded(len(text))
    yield document_of(source, text, format="html", title=title)


def html_text(source: SourceFile, markup: str, *, styles: str = "", is_chapter: bool = False) -> tuple[str, str]:
    """Title and text of a page; the source is told what is left out. Raises Excluded for what is no HTML.

    `styles` are those of sheets that it names. A chapter of a book has no furniture but its navigation.
    """
    from viva.storage.corpus.page_tree import name_by_meaning, tree_of

    try:
        with warnings.catch_warnings():
            # it suspects text that looks like a path or like XML
            warnings.simplefilter("ignore")
            soup = tree_of(markup)
        for mark in soup.find_all(lambda tag: _marks_its_place(tag) or _marks_a_note(tag)):
            mark.clear()
        name_by_meaning(soup)
        title = " ".join(tag.get_text(" ", strip=True) for tag in soup.find_all(["title", "h1"], limit=1))
        sheet = "".join([styles, *(str(tag.string or "") for tag in soup.find_all("style"))])
        return title, _Rendering(source, soup, class_styles(sheet), is_chapter=is_chapter).of(soup)
    except PARSER_FAULTS as error:
        why = fault_in_words(error)
        raise Excluded(ExclusionReason.UNREADABLE, f"The HTML cannot be parsed: {why}.") from error


class _Rendering:
    """Walks the tree without recursion (pages may nest deeper than Python may recurse)."""

    def __init__(self, source: SourceFile, page: Tag, styles: Mapping[str, str], *, is_chapter: bool) -> None:
        self.source, self.styles = source, styles
        self.blocks: list[tuple[str, str]] = []
        self.inline: list[str] = []
        self.cells: list[TableCell] = []
        self.table: list[list[TableCell]] = []
        self.kind, self.prefix = "text", ""
        self.lists = self.rows = self.preformatted = self.tables = self.titling = 0
        self.content = int(is_chapter)
        names = ("aria-controls", "data-target", "data-bs-target")
        openers = page.find_all(lambda tag: any(map(tag.has_attr, names)))
        self.opened = {_attribute(tag, name).lstrip("#") for tag in openers for name in names}

    def of(self, root: object) -> str:
        from bs4.element import NavigableString, Tag

        waiting: list[tuple[object, bool]] = [(root, False)]
        while waiting:
            node, leaving = waiting.pop()
            if isinstance(node, Tag):
                if leaving:
                    self._leave(node)
                elif node.name == "math":
                    self._formula(mathml(node))
                elif (kind := self._left_out(node)) is not None:
                    self.source.leave_out(kind, node.get_text(" ") if kind else "")
                else:
                    self._enter(node)
                    waiting.append((node, True))
                    if node.name == "sup" or RAISED.search(self._style(node)):
                        before, behind = _around("".join(self.inline[-1:]), node)
                        self.inline.append(before)
                        waiting.append((NavigableString(behind), False))
                    waiting.extend((child, False) for child in reversed(node.contents))
            elif type(node) is NavigableString:
                text = str(node).translate(UNSHOWN)
                self.inline.append(text if self.preformatted else _SPACE.sub(" ", text))
        self._flush()
        self._end_table()
        return _joined(self.blocks)

    def _left_out(self, tag: Tag) -> str | None:
        """Why a tag is no part of the text, "" where nobody would read it; None for what is."""
        name = _ROLES.get(_attribute(tag, "role"), tag.name)
        if name == "script" and _attribute(tag, "type").startswith("math/tex"):
            self._formula(tag.get_text().strip())
            return ""
        if name in _NO_TEXT or (_FORMULA_AGAIN.search(_attribute(tag, "class")) and _stands_beside_formula(tag)):
            return ""
        if tag.get("aria-hidden") == "true" and _stands_beside_formula(tag):
            return ""
        style = self._style(tag)
        if name in {"del", "s", "strike"} or STRUCK.search(style):
            return "struck-out text"
        if (tag.has_attr("hidden") or _INVISIBLE.search(style)) and not self._can_be_opened(tag):
            return "hidden text"
        if name in _LEFT_OUT:
            return _LEFT_OUT[name]
        if not self.content and _asks_for_consent(tag):
            return "requests for consent"
        if name in _OUTSIDE and not self.content and not self._is_content(tag):
            return _OUTSIDE[name]
        # a tool beside the content is none of it
        return _OUTSIDE[name] if name == "button" and self._is_tool(tag) else None

    def _style(self, tag: Tag) -> str:
        """Its own style, and that of its classes."""
        classes = _attribute(tag, "class").split() if self.styles else []
        return ";".join([_attribute(tag, "style"), *(self.styles.get(name, "") for name in classes)])

    def _is_tool(self, button: Tag) -> bool:
        """Tell whether it acts on the content, such as copying it; one that is a whole title opens what is below."""
        if self.titling and button.parent is not None and _few_words(button.parent) == _few_words(button):
            return False
        named = f"{_attribute(button, 'class')} {_attribute(button, 'aria-label')}"
        return bool(self.preformatted) or _TOOL.search(named) is not None

    def _is_content(self, tag: Tag) -> bool:
        """Whether it is no furniture though it stands outside an article: a warning, a question that is opened."""
        if tag.name == "button":
            opens = any(map(tag.has_attr, ("aria-controls", "aria-expanded", "data-target", "data-bs-target")))
            return bool(self.titling) or opens or _OPENER.search(_attribute(tag, "class")) is not None
        told = f"{_attribute(tag, 'class')} {_attribute(tag, 'role')}"
        return (tag.name == "aside" or "complementary" in told) and _REMARK.search(told) is not None

    def _can_be_opened(self, tag: Tag) -> bool:
        """Whether a reader opens it: the answer below a question, the page of a tab."""
        roles = {"tabpanel", "region"}
        above = tag.find_previous_sibling()
        if above is not None and (_opens(above) or above.find(_opens) is not None):
            return True
        return tag.get("hidden") == "until-found" or tag.get("role") in roles or tag.get("id") in self.opened

    def _formula(self, text: str) -> None:
        before = "".join(self.inline[-1:])
        self.inline.append(f" {text}" if before[-1:].isdigit() and text[:1].isdigit() else text)

    def _enter(self, tag: Tag) -> None:
        name = tag.name
        if _BLOCK.fullmatch(name):
            self._flush()
        if name in _HEADINGS:
            self.kind, self.prefix = "heading", _HEADINGS[name]
        elif name == "li":
            self.kind, self.prefix = "item", "  " * min(max(self.lists - 1, 0), _DEEPEST_LIST) + "- "
        elif name == "br":
            self.inline.append("\n")
        elif name == "button":
            self.inline.append(" ")
        elif name == "img" and _is_in_a_line(tag):
            self.inline.append(_attribute(tag, "alt"))
        self.content += _holds_content(tag)
        self.titling += name in _TITLING
        self.tables += name == "table"
        self.lists += name in {"ul", "ol", "menu"}
        self.rows += name == "tr"
        self.preformatted += name == "pre"

    def _leave(self, tag: Tag) -> None:
        name = tag.name
        if name in {"td", "th"} and self.rows == 1:
            text = _tidy("".join(self.inline)).replace("\n", " ")
            self.cells.append(TableCell(text, _span(tag, "colspan"), _span(tag, "rowspan"), name == "th"))
            self.inline.clear()
        elif _BLOCK.fullmatch(name):
            self._flush()
        elif name == "button":
            self.inline.append(" ")
        if name == "li" or name in _HEADINGS:
            # one without text has not used it
            self.kind, self.prefix = "text", ""
        self.lists -= name in {"ul", "ol", "menu"}
        self.preformatted -= name == "pre"
        self.rows -= name == "tr"
        self.content -= _holds_content(tag)
        self.titling -= name in _TITLING
        self.tables -= name == "table"
        if name == "tr" and not self.rows:
            self.table.append(self.cells)
            self.cells = []
        if self.table and not self.tables:
            self._end_table()

    def _end_table(self) -> None:
        if text := table_text(self.table, self.source.bounded):
            self.blocks.append(("table", text))
        self.table = []

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


def _asks_for_consent(tag: Tag) -> bool:
    """Tell whether it is a banner about cookies that lies over the page."""
    named = " ".join(_attribute(tag, name) for name in ("class", "id", "aria-label"))
    is_dialog = tag.name == "dialog" or _attribute(tag, "role") in {"dialog", "alertdialog"}
    return _CONSENT.search(named) is not None and (is_dialog or _OVERLAY.search(named) is not None)


def _opens(tag: Tag) -> bool:
    """Tell whether it is what a reader clicks to see more."""
    is_button = tag.name == "button" or tag.get("role") == "button" or tag.has_attr("aria-expanded")
    return is_button or _OPENER.search(_attribute(tag, "class")) is not None


def _holds_content(tag: Tag) -> bool:
    return tag.name in _CONTENT or tag.get("role") in {"main", "article"}


def _attribute(tag: Tag, name: str) -> str:
    value = tag.get(name, "")
    return " ".join(value) if isinstance(value, list) else str(value or "")


def _span(tag: Tag, name: str) -> int:
    """Of columns or rows; 0 rows are all that follow."""
    told = _attribute(tag, name).strip()[:6]
    return (int(told) or (1 if name == "colspan" else _MOST_ROWS)) if told.isascii() and told.isdigit() else 1


def _stands_beside_formula(tag: Tag) -> bool:
    """Whether the same formula stands there in MathML, so that this is it again."""
    beside = (tag.find_previous_sibling(), tag.find_next_sibling())
    return any(each is not None and _FORMULA.search(_attribute(each, "class")) for each in beside)


def _is_in_a_line(image: Tag) -> bool:
    """Whether a picture stands for a word: within a paragraph's words."""
    within = image.parent
    if within is None or not _attribute(image, "alt") or within.name not in {"p", "li", "td", "dd"}:
        return False
    return bool(_few_words(within))


def _around(text: str, tag: Tag) -> tuple[str, str]:
    from bs4.element import NavigableString

    slash = tag.next_sibling
    if isinstance(slash, NavigableString) and slash in SLASHES and _is(slash.next_sibling, "sub"):
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
    """Blank lines between blocks; items of a list stand line under line."""
    parts: list[str] = []
    previous = ""
    for kind, text in blocks:
        if parts:
            parts.append("\n" if kind == previous == "item" else "\n\n")
        parts.append(text)
        previous = kind
    return "".join(parts)
