"""The test set's PDFs: printed by Chromium, by LibreOffice (from Word documents) and by reportlab.

The first two need these programs; what they printed once lies in `printed/`.
"""

from __future__ import annotations

import io
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from content import KINDS, Block, Draw, WrittenTable, blocks_of, wanted_of
from office_files import word
from reportlab.lib.pagesizes import A4, A5
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph
from reportlab.platypus import Table as Grid
from text_files import Made, html_body, printable

PRINTED = Path(__file__).parent / "printed"
_CSS = (
    "@page {{ size: {size}; margin: 22mm 14mm 18mm }} body {{ font: {points}pt {font}; columns: {columns} }}"
    "aside {{ border: 1px solid }} table {{ border-collapse: collapse }}"
    "sup {{ font-size: 65% }} td, th {{ padding: 1mm 3mm }}"
)


def _drawn(printer: str, kind: str) -> tuple[list[Block], str]:
    draw = Draw(f"{printer} {kind}")
    return list(printable(blocks_of(kind, draw))), f"Harbour office, paper {draw.number()}"


def chromium_file(kind: str) -> Made:
    """A web page as a browser prints it, with its date and title as running head, some in two columns."""
    blocks, head = _drawn("chromium", kind)
    at = KINDS.index(kind)
    columns, size = (2, "A4") if kind == "study" else (1, "A5")
    css = _CSS.format(points=9 + at % 3, font=("serif", "sans-serif")[at % 2], columns=columns, size=size)
    page = f"<!doctype html><meta charset=utf-8><style>{css}</style><title>{head}</title>{html_body(blocks, 1)}"

    def run(folder: Path) -> None:
        (folder / "in.html").write_text(page, "utf-8")
        command = [
            "chromium",
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={folder}/profile",
            f"--print-to-pdf={folder}/in.pdf",
            f"{folder}/in.html",
        ]
        subprocess.run(command, check=True, capture_output=True, timeout=120)

    return _kept("chromium", kind, run), wanted_of(blocks, furniture=[head])


def libreoffice_file(kind: str) -> Made:
    """A Word document as LibreOffice prints it: header, numbered pages, footnotes, some in two columns."""
    blocks, head = _drawn("libreoffice", kind)
    data = word(blocks, head, columns=2 if kind == "study" else 1)

    def run(folder: Path) -> None:
        (folder / "in.docx").write_bytes(data)
        command = [
            "soffice",
            f"-env:UserInstallation=file://{folder}/profile",
            "--headless",
            "--convert-to",
            "pdf",
            "--outdir",
            str(folder),
            f"{folder}/in.docx",
        ]
        subprocess.run(command, check=True, capture_output=True, timeout=120)

    return _kept("libreoffice", kind, run), wanted_of(blocks, furniture=[head])


def _kept(printer: str, kind: str, run: Callable[[Path], None]) -> bytes:
    """What was printed before, else what the program prints now; of another series nothing is kept."""
    path = PRINTED / f"{printer}-{kind}.pdf"
    if path.exists() and not Draw.series:
        return path.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        run(Path(folder))
        data = Path(folder, "in.pdf").read_bytes()
    if not Draw.series:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    return data


def reportlab_file(kind: str) -> Made:
    """A report that a program writes: a running head, numbered pages, tables with and without lines."""
    blocks, head = _drawn("reportlab", kind)
    columns = 2 if kind == "study" else 1
    width, height = A4 if columns > 1 else A5
    each = (width - 70) / columns
    frames = [Frame(35 + at * each, 45, each - 6, height - 100) for at in range(columns)]

    def mark(canvas: Any, template: Any) -> None:
        canvas.setFont("Helvetica", 8)
        canvas.drawString(35, height - 30, head)
        canvas.drawRightString(width - 35, 25, f"Page {template.page}")

    buffer = io.BytesIO()
    template = BaseDocTemplate(buffer, pagesize=(width, height), invariant=1)
    template.addPageTemplates(PageTemplate(frames=frames, onPage=mark))
    template.build(_flowables(blocks, columns))
    return buffer.getvalue(), wanted_of(blocks, furniture=[head])


def _flowables(blocks: Sequence[Block], columns: int) -> list[Any]:
    styles = getSampleStyleSheet()
    body = ParagraphStyle("body", parent=styles["BodyText"], fontSize=9, leading=11.5)
    parts: list[Any] = []
    for block in blocks:
        words = "".join(_marked(*span) for span in block.spans)
        if block.table is not None:
            if block.table.title:
                parts.append(Paragraph(escape(block.table.title), body))
            parts.append(_grid(block.table, columns))
        elif block.kind == "li":
            style = ParagraphStyle(
                "item", parent=body, leftIndent=12 * block.level, bulletIndent=12 * block.level - 9
            )
            parts.append(Paragraph(words, style, bulletText="•"))
        else:
            style = styles[f"Heading{block.level}"] if block.kind == "h" else body
            parts.append(Paragraph(f"<super>{block.level}</super> {words}" if block.kind == "note" else words, style))
    return parts


def _marked(words: str, how: str) -> str:
    form = {"bold": "<b>{}</b>", "italic": "<i>{}</i>", "power": "<super>{}</super>", "mark": "<super>{}</super>"}
    return form.get(how, "{}").format(escape(words))


def _grid(table: WrittenTable, columns: int) -> Grid:
    """Between lines where cells are merged; which are cannot be seen otherwise."""
    covered = table.covered()
    rows = [
        ["" if (at, column) in covered else text for column, text in enumerate(row)]
        for at, row in enumerate(table.rows)
    ]
    style = [
        ("FONTSIZE", (0, 0), (-1, -1), 7 if columns > 1 or len(rows[0]) > 4 else 9),
        ("LEFTPADDING", (0, 0), (-1, -1), 3),
    ]
    style += [("GRID", (0, 0), (-1, -1), 0.4, "black")] if covered else []
    style += [
        ("SPAN", (column, row), (column + right - 1, row + down - 1))
        for (row, column), (right, down) in table.spans.items()
    ]
    return Grid(rows, style=style, repeatRows=1, hAlign="LEFT")


PRINTS: dict[str, Callable[[str], Made]] = {
    "pdf of Chromium": chromium_file,
    "pdf of LibreOffice": libreoffice_file,
    "pdf of reportlab": reportlab_file,
}
