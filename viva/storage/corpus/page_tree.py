"""HTML as a tree, made in time that grows with its length alone, whatever it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from bs4 import BeautifulSoup
from bs4.builder._htmlparser import BeautifulSoupHTMLParser, HTMLParserTreeBuilder
from bs4.element import Tag
from bs4.filter import SoupStrainer

MOST_UNENDED = 10
"""Tags and comments without an end that are read as text: for the end of each, Python may search all that follows."""


_CELLS, _SECTIONS = ("td", "th"), ("thead", "tbody", "tfoot")
_ENDED_BY = {
    **dict.fromkeys(_CELLS, _CELLS),
    "tr": (*_CELLS, "tr"),
    **dict.fromkeys(_SECTIONS, (*_CELLS, "tr", *_SECTIONS)),
}
"""What ends where one of these begins: HTML leaves out the end tags in tables."""
_SCOPES = {*_ENDED_BY, "table", "template"}
_NAMED_BY_ROLE = {
    "table": "table", "grid": "table", "row": "tr", "cell": "td", "gridcell": "td", "columnheader": "th",
    "rowheader": "th", "list": "ul", "listitem": "li",
}  # fmt: skip
"""Tags that a page without tables and lists of its own means by a role."""
_BLOCKS = frozenset("p h1 h2 h3 h4 h5 h6 ul ol blockquote".split())


def tree_of(markup: str | bytes, only: SoupStrainer | None = None) -> BeautifulSoup:
    """The page as a tree, or what the strainer lets through. ValueError for what is no page."""
    try:
        return _Page(markup, builder=_Builder(), parse_only=only)
    except AssertionError as error:
        raise ValueError("it has a declaration that HTML does not know") from error


def name_by_meaning(page: Tag) -> None:
    """Name tags as what they are for: tables and lists by their roles, and tables that only place blocks `div`."""
    for tag in page.find_all(role=True):
        if tag.name in {"div", "span"}:
            tag.name = _NAMED_BY_ROLE.get(str(tag["role"]), tag.name)
    for table in _tables(page):
        if table.is_layout:
            for tag in table.tags:
                tag.name = "div"


@dataclass
class _Table:
    tags: list[Tag]
    """the table, its rows and cells, none of a table in it"""
    inner: int = 0
    """tables in it"""
    blocks: int = 0

    @property
    def is_layout(self) -> bool:
        """Tell whether it only places what is in it: tables in half of its cells, or blocks one below the other."""
        rows, cells = (sum(tag.name in names for tag in self.tags) for names in (("tr",), _CELLS))
        is_column = cells <= rows and (self.inner or self.blocks > cells)
        is_frame = self.inner and (2 * self.inner >= cells or self.blocks > cells)
        return bool(is_column or is_frame) or self.tags[0].get("role") in {"presentation", "none"}


def _tables(page: Tag) -> list[_Table]:
    found: list[_Table] = []
    within: list[_Table] = []
    waiting: list[tuple[Tag, bool]] = [(page, False)] if page.find("table") else []
    while waiting:
        tag, is_left = waiting.pop()
        if is_left:
            within.pop()
            continue
        if tag.name == "table":
            if within:
                within[-1].inner += 1
            within.append(_Table([tag]))
            found.append(within[-1])
            waiting.append((tag, True))
        elif within and tag.name in _ENDED_BY:
            within[-1].tags.append(tag)
        elif within:
            within[-1].blocks += tag.name in _BLOCKS
        waiting.extend((child, False) for child in reversed(tag.contents) if isinstance(child, Tag))
    return found


class _Page(BeautifulSoup):
    open_in_tables: list[str]
    """Names of the open tables and of their open parts, the innermost last."""

    def reset(self) -> None:
        self.open_in_tables = []
        super().reset()

    def pushTag(self, tag: Tag) -> None:  # noqa: N802 - the overridden name
        super().pushTag(tag)
        if tag.name in _SCOPES:
            self.open_in_tables.append(tag.name)

    def popTag(self) -> Tag | None:  # noqa: N802 - the overridden name
        if self.tagStack and self.tagStack[-1].name in _SCOPES:
            self.open_in_tables.pop()
        return super().popTag()


class _Parser(BeautifulSoupHTMLParser):
    soup: _Page
    _unended = 0

    def handle_starttag(
        self, tag: str, attrs: list[tuple[str, str | None]], handle_empty_element: bool = True
    ) -> None:
        while self.soup.open_in_tables and self.soup.open_in_tables[-1] in _ENDED_BY.get(tag, ()):
            self.soup.handle_endtag(self.soup.open_in_tables[-1])
        super().handle_starttag(tag, attrs, handle_empty_element)

    def handle_data(self, data: str) -> None:
        # a '<' that begins nothing comes alone
        if len(data) > 1 and data[0] == "<" and self.cdata_elem is None:
            self._unended += 1
            if self._unended > MOST_UNENDED:
                raise ValueError(f"over {MOST_UNENDED} of its tags and comments have no end")
        super().handle_data(data)

    def handle_endtag(self, tag: str, check_already_closed: bool = True) -> None:  # noqa: ARG002 - the overridden name
        # it would be looked for among every <br> before it, and the end of what is not open is passed over anyway
        super().handle_endtag(tag, check_already_closed=False)


class _Builder(HTMLParserTreeBuilder):
    def feed(self, markup: str | bytes, _parser_class: type[BeautifulSoupHTMLParser] = _Parser) -> None:
        args, kwargs = self.parser_args
        parser = _parser_class(cast("BeautifulSoup", self.soup), *args, **kwargs)
        parser.feed(str(markup))
        parser.close()
