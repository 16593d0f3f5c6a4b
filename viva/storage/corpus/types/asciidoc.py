"""AsciiDoc as text: headings, lists, tables with merged cells, without attributes and macros."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from viva.storage.corpus.decoding import text_of
from viva.storage.corpus.grid import TableCell, table_text
from viva.storage.corpus.plain import load_text_as, markdown_title
from viva.storage.corpus.source import Loaded, SourceFile
from viva.storage.corpus.types.plain_markup import applied, rules

_RULES = rules(
    (r"^////\n[\s\S]{0,20000}?^////$\n?", ""),
    (r"^//(?!/).*\n?", ""),
    (r"^(?:include|image|toc|video|audio)::.*\n?", ""),
    (r"^(?:ifdef|ifndef|endif|ifeval)::.*\n?", ""),
    (r"^\[(NOTE|TIP|WARNING|CAUTION|IMPORTANT)\]\s*$", r"\1:"),
    (r"^\[\[[^\]\n]*\]\]\s*\n?", ""),
    (r"^\[[^\]\n]*\][ \t]*\n", ""),
    (r"^(?:-{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|\.{4,}|--|\+)[ \t]*\n?", ""),
    (r"^(={1,6})[ \t]+(?=\S)", lambda found: "#" * len(found.group(1)) + " "),
    (r"^\.(?=[A-Z])", ""),
    (r"(?:link|xref|mailto):[^\s\[\]]*\[([^\]\n]*)\]", r"\1"),
    (r"https?://[^\s\[\]]+\[([^\]\n]+)\]", r"\1"),
    (r"<<[^,>\n]*,\s*([^>\n]*)>>", r"\1"),
    (r"<<([^>\n]*)>>", r"\1"),
    (r" ?footnote(?:ref)?:\w*\[(?:\w+, ?(?=\S))?([^\]\n]+)\]", r" (\1)"),
    (r"(?:kbd|btn|menu|pass):\w*\[([^\]\n]*)\]", r"\1"),
    (r"image:[^\s\[\]]*\[([^\],\n]*)[^\]\n]*\]", r"\1"),
    (r"(?:\[\.[\w.-]+\])?(?<![\w#])##?(?=\S)([^#\n]+?)(?<=\S)##?(?![\w#])", r"\1"),
    (r"(\w)\^([^\s^]{1,20})\^", r"\1^\2"),
    (r"(\w)~([^\s~]{1,20})~", r"\1\2"),
    (r"(?<![\w*])\*\*?(?=\S)([^*\n]+?)(?<=\S)\*\*?(?![\w*])", r"\1"),
    (r"(?<![\w_])__?(?=\S)([^_\n]+?)(?<=\S)__?(?![\w_])", r"\1"),
    (r"(?<![\w`])`(?=\S)([^`\n]+?)`(?![\w`])", r"\1"),
    (r"^(\*{1,5}|\.{1,5})[ \t]+", lambda found: "  " * (len(found.group(1)) - 1) + "- "),
)
_STRUCK = re.compile(r"\[\.?(?:line-through|strike)[^\]\n]*\]##?([^#\n]+)##?[ \t]?")
_ATTRIBUTE = re.compile(r"^:([\w-]+)!?:[ \t]*(.*)\n?", re.MULTILINE)
_TABLE = re.compile(r"(?:^\[([^\]\n]*)\][ \t]*\n)?^[|!,]===[ \t]*\n([\s\S]{0,50000}?)^[|!,]===[ \t]*$", re.MULTILINE)
_CELL = re.compile(r"(?:^|[ \t])(?:(\d{1,2})?(?:\.(\d{1,2}))?([+*]))?[.<^>]*[a-z]?\|", re.MULTILINE)
_WIDTHS = re.compile(r"cols=(?:\"([^\"]*)\"|([\w*]+))")


def load_asciidoc(source: SourceFile) -> Iterator[Loaded]:
    """One document of AsciiDoc; its title is the first heading."""
    yield load_text_as("adoc", source, _asciidoc(text_of(source), source), markdown_title)


def _asciidoc(text: str, source: SourceFile) -> str:
    for struck in _STRUCK.finditer(text):
        source.leave_out("struck-out text", struck.group(1))
    text = _STRUCK.sub("", text)
    named = dict(_ATTRIBUTE.findall(text))
    text = _ATTRIBUTE.sub("", text)
    text = re.sub(r"\{([\w-]+)\}", lambda name: named.get(name.group(1), name.group()), text)
    text = _TABLE.sub(lambda table: _rows(table.group(1) or "", table.group(2), source), text)
    return re.sub(r"\n{3,}", "\n\n", applied(_RULES, text)).strip("\n") + "\n"


def _rows(attributes: str, body: str, source: SourceFile) -> str:
    """Rows of a table: as wide as its attributes say, or else as its first line is."""
    found = list(_CELL.finditer(body))
    ends = [*(cell.start() for cell in found[1:]), len(body)]
    cells: list[TableCell] = []
    for cell, end in zip(found, ends, strict=False):
        columns, rows, sign = int(cell.group(1) or 1), int(cell.group(2) or 1), cell.group(3)
        text = " ".join(body[cell.end() : end].split())
        cells += [TableCell(text)] * columns if sign == "*" else [TableCell(text, max(columns, 1), max(rows, 1))]
    first = body.lstrip("\n").partition("\n")[0]
    width = _width(attributes) or sum(cell.columns for cell in cells[: len(_CELL.findall(first))]) or 1
    table: list[list[TableCell]] = [[]]
    taken: Counter[int] = Counter()
    for made in cells:
        while taken[len(table) - 1] >= width:
            table.append([])
        for row in range(len(table) - 1, len(table) - 1 + made.rows):
            taken[row] += made.columns
        table[-1].append(made)
    return table_text(table, source.bounded)


def _width(attributes: str) -> int:
    """Columns that the attribute `cols` names: "1,2a", "3*", 4."""
    named = _WIDTHS.search(attributes)
    listed = (named.group(1) or named.group(2) or "") if named else ""
    if listed.isdigit():
        return min(int(listed), 100) if named and named.group(2) else 1
    times = (re.match(r"\s*(\d{1,2})\*", part) for part in listed.split(",") if part.strip())
    return sum(int(found.group(1)) if found else 1 for found in times)
