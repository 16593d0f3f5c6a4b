"""The test set's pages and plain texts: HTML of three styles, Markdown, reStructuredText, CSV of programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from html import escape

from content import KINDS, Block, Draw, Wanted, WrittenTable, blocks_of, wanted_of

Made = tuple[bytes, Wanted]
_TAGS = {"bold": "b", "italic": "em", "struck": "del", "power": "sup"}


def html_file(kind: str) -> Made:
    """A page of a help site: with HTML5's tags, with classes and roles only, or as a program of 1999 writes it."""
    draw = Draw(f"html {kind}")
    blocks = blocks_of(kind, draw)
    style = KINDS.index(kind) % 3
    menu, foot, banner = (f"{name} entry {draw.number()}" for name in ("Menu", "Imprint", "Consent"))
    body = html_body(blocks, style)
    page = _FRAMES[style].format(kind=kind, menu=menu, foot=foot, banner=banner, body=body)
    encoding = ("utf-8", "utf-16", "cp1252")[style] if kind != "register" else "utf-8"
    furniture = [menu, foot, banner] if style < 2 else []
    return page.encode(encoding, "xmlcharrefreplace"), wanted_of(blocks, furniture=furniture)


_FRAMES = (
    (
        "<!doctype html><html lang=en><head><title>{kind}</title><style>p {{ color: black }}</style></head><body>"
        "<header><p>{menu}</p><nav><a href=/>Start</a></nav></header><dialog open id=cookie-consent>{banner}</dialog>"
        "<main><article>{body}</article></main><footer>{foot}</footer><script>var a = 1;</script></body></html>"
    ),
    (
        "<html><head><title>{kind}</title></head><body><div role=navigation class=sidebar><ul><li>{menu}</ul></div>"
        '<div class="cookie-banner" role="dialog" aria-label="Cookies">{banner}</div>'
        "<div id=content role=main>{body}</div><div role=contentinfo class=site-footer>{foot}</div></body></html>"
    ),
    "<HTML><HEAD><TITLE>{kind}</TITLE></HEAD><BODY BGCOLOR=white><FONT FACE=Arial>{body}</FONT></BODY></HTML>",
)


def html_body(blocks: Sequence[Block], style: int = 0) -> str:
    """The blocks as HTML; in the first style with sections, in others without."""
    parts: list[str] = []
    depth = 0
    for block in blocks:
        level = block.level if block.kind == "li" else 0
        while depth < level:
            parts.append("<ul>")
            depth += 1
        while depth > level:
            parts.append("</ul>" if style else "</li></ul>")
            depth -= 1
        parts.append(_html_block(block, style))
    return "\n".join(parts)


def _html_block(block: Block, style: int) -> str:
    words = "".join(_html_span(*span) for span in block.spans)
    if block.kind == "table" and block.table:
        return _html_table(block.table, style)
    if block.kind == "h":
        return f"<h{block.level}>{words}</h{block.level}>"
    if block.kind == "note":
        return f"<p id=n{block.level}><sup>{block.level}</sup> {words}</p>"
    tag = {"li": "li", "code": "pre", "aside": "aside" if style == 0 else "div"}.get(block.kind, "p")
    return f"<{tag}{' dir=rtl' if block.kind == 'rtl' else ''}>{words}" + ("" if tag == "li" else f"</{tag}>")


def _html_span(words: str, how: str) -> str:
    text = escape(words)
    if how == "mark":
        return f'<sup><a href="#n{text}">{text}</a></sup>'
    if how == "hidden":
        return f'<span style="display:none">{text}</span>'
    if how == "link":
        return f'<a href="rules.html">{text}</a>'
    return f"<{_TAGS[how]}>{text}</{_TAGS[how]}>" if how else text


def _html_table(table: WrittenTable, style: int) -> str:
    covered = table.covered()
    rows: list[str] = []
    for at, row in enumerate(table.rows):
        cells: list[str] = []
        for column, text in enumerate(row):
            if (at, column) not in covered:
                columns, below = table.spans.get((at, column), (1, 1))
                tag = "th" if at == 0 and style < 2 else "td"
                inner = f"<p>{escape(text)}</p>" if style == 1 else escape(text)
                cells.append(
                    f"<{tag} colspan={columns} rowspan={below}>{inner}" + ("" if style == 2 else f"</{tag}>")
                )
        rows.append(f"<tr>{''.join(cells)}" + ("" if style == 2 else "</tr>"))
    head = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    return f"<table border=1>{head}{''.join(rows)}</table>"


# --- Markdown and reStructuredText ------------------------------------------------------------------------


def md_file(kind: str) -> Made:
    """Markdown with front matter, lists of either mark, tables and a fence."""
    draw = Draw(f"md {kind}")
    blocks = [_without(block, "hidden", "struck", "mark", "power") for block in blocks_of(kind, draw)]
    front = f"---\nauthor: Board {draw.number()}\ntags: [harbour, {kind}]\n---\n\n" if KINDS.index(kind) % 2 else ""
    text = front + "\n".join(_md_block(block, "-*+"[KINDS.index(kind) % 3]) for block in blocks)
    return text.encode("utf-8-sig" if kind == "faq" else "utf-8"), wanted_of(blocks)


def _without(block: Block, *hows: str) -> Block:
    return Block(block.kind, [span for span in block.spans if span[1] not in hows], block.level, block.table)


def _md_block(block: Block, bullet: str) -> str:
    if block.kind == "table" and block.table:
        first, *rest = (f"| {' | '.join(row)} |" for row in block.table.rows)
        title = f"{block.table.title}\n\n" if block.table.title else ""
        return "\n".join([title + first, f"|{' --- |' * len(block.table.rows[0])}", *rest, ""])
    words = "".join(
        {"bold": f"**{text}**", "italic": f"*{text}*", "link": f"[{text}](rules.md)"}.get(how, text)
        for text, how in block.spans
    )
    forms = {
        "h": f"{'#' * block.level} {words}\n",
        "li": f"{'    ' * (block.level - 1)}{bullet} {words}",
        "aside": f"> {words}\n",
        "code": f"```sh\n{words}\n```\n",
    }
    return forms.get(block.kind, f"{words}\n")


def rst_file(kind: str) -> Made:
    """reStructuredText of Sphinx: roles, admonitions, grid tables and list-tables, comments."""
    draw = Draw(f"rst {kind}")
    blocks = [_without(block, "hidden", "struck", "mark", "power") for block in blocks_of(kind, draw)]
    comment = f"Remark for writers {draw.number()}"
    is_grid = KINDS.index(kind) % 2 == 0
    text = f".. {comment}\n\n.. contents::\n\n" + "\n".join(_rst_block(block, is_grid) for block in blocks)
    return text.encode(), wanted_of(blocks, furniture=[comment])


def _rst_block(block: Block, is_grid: bool) -> str:
    if block.kind == "table" and block.table:
        return (_rst_grid if is_grid else _rst_list)(block.table)
    words = "".join(
        {"bold": f"**{text}**", "italic": f"*{text}*", "link": f":ref:`{text} <rules>`"}.get(how, text)
        for text, how in block.spans
    )
    if block.kind == "li":
        pad = "  " * (block.level - 1)
        return f"\n{pad}* {words}\n"
    forms = {
        "h": f"{words}\n{'=-~~~'[block.level - 1] * len(words)}\n",
        "aside": f".. warning::\n   {words}\n",
        "code": f"Run::\n\n   {words}\n",
    }
    return forms.get(block.kind, f"{words}\n")


def _rst_grid(table: WrittenTable) -> str:
    widths = [max(len(row[at]) for row in table.rows) for at in range(len(table.rows[0]))]

    def rule(sign: str) -> str:
        return "+" + "+".join(sign * (width + 2) for width in widths) + "+"

    lines = [rule("-")]
    for at, row in enumerate(table.rows):
        cells = (f" {text.ljust(width)} " for text, width in zip(row, widths, strict=True))
        lines += [f"|{'|'.join(cells)}|", rule("=" if at == 0 else "-")]
    return f"{table.title}\n\n" * bool(table.title) + "\n".join(lines) + "\n"


def _rst_list(table: WrittenTable) -> str:
    rows = "\n".join("   * - " + "\n     - ".join(row) for row in table.rows)
    return f".. list-table:: {table.title}\n   :header-rows: 1\n\n{rows}\n"


# --- CSV --------------------------------------------------------------------------------------------------


def csv_file(kind: str) -> Made:
    """A table as Excel, a bank, a database or a person saves it."""
    draw = Draw(f"csv {kind}")
    at = KINDS.index(kind)
    title = f"Price list {draw.number()}" if kind in {"prices", "register"} else ""
    table = draw.table(20, 3 + at % 4, empty=0.3 if at % 2 else 0.0, title=title)
    if kind in {"manual", "study"}:
        table.rows[3][1] = f"first line\nsecond, with a comma; and {draw.number()}"
    delimiter = ";,\t,;|,;"[at]
    out = io.StringIO(newline="")
    if kind == "notice":
        out.write(f"sep={delimiter}\r\n")
    if title:
        csv.writer(out, delimiter=delimiter).writerow([title, *[""] * (len(table.rows[0]) - 1)])
    csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL if kind == "faq" else csv.QUOTE_MINIMAL).writerows(
        table.rows
    )
    encoding = ("cp1252", "utf-8", "utf-16", "utf-8-sig")[at % 4]
    table.rows = [[" ".join(cell.split()) for cell in row] for row in table.rows]
    return out.getvalue().encode(encoding), Wanted([], [title] if title else [], [table.rows], [])


TEXT_FILES: dict[str, Callable[[str], Made]] = {"html": html_file, "md": md_file, "rst": rst_file, "csv": csv_file}


def printable(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks without what a printed page cannot show as it is: struck-out, hidden, from right to left."""
    yield from (_without(block, "struck", "hidden") for block in blocks if block.kind != "rtl")
