"""How whole files are read: viva's readers beside the libraries that are installed, on files made here.

python benchmarks/readers.py              # table of words kept, cells in their column, CPU
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path

import docx
import openpyxl
import pptx
from bs4 import BeautifulSoup
from langchain_community.document_loaders import CSVLoader
from pypdf import PdfReader
from reportlab.lib.styles import getSampleStyleSheet  # type: ignore[import-untyped]
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table  # type: ignore[import-untyped]

from viva.core.records import Document
from viva.storage.corpus.listing import FoundFile
from viva.storage.corpus.read import load

FILES, ROWS, COLUMNS = 10, 12, 4
WORDS = "harbour ferry ticket pump valve office season crew pier engine route warden tide winch deck locker".split()
Grid = list[list[str]]


def sentence(draw: random.Random) -> str:
    return " ".join(draw.choice(WORDS) for _ in range(9)).capitalize() + f" {draw.randint(10, 999)}."


def grid(draw: random.Random) -> Grid:
    """A header and rows, a fifth of whose cells are empty."""
    header = ["Item", "Power", "Flow", "Warranty"]
    cells = [[f"{w}{draw.randint(100, 999)}" if n == 0 or draw.random() < 0.8 else "" for n, w in enumerate("PKFW")]
             for _ in range(ROWS)]  # fmt: skip
    return [header, *cells]


def make_html(text: Sequence[str], cells: Grid) -> bytes:
    rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in cells)
    body = f"<header><p>{text[0]}</p></header><p>{text[1]}</p><aside><p>{text[2]}</p></aside><table>{rows}</table>"
    return f"<html><body><nav>Home</nav><main><article>{body}</article></main></body></html>".encode()


def make_docx(text: Sequence[str], cells: Grid) -> bytes:
    word = docx.Document()
    word.sections[0].header.paragraphs[0].text = text[0]
    for each in text[1:]:
        word.add_paragraph(each)
    table = word.add_table(rows=len(cells), cols=COLUMNS)
    for row, values in zip(table.rows, cells, strict=True):
        for cell, value in zip(row.cells, values, strict=True):
            cell.text = value
    return _saved(word.save)


def make_pdf(text: Sequence[str], cells: Grid) -> bytes:
    style = getSampleStyleSheet()["BodyText"]
    parts = [*(Paragraph(each, style) for each in text), Table(cells, colWidths=[90] * COLUMNS)]
    return _saved(lambda buffer: SimpleDocTemplate(buffer, invariant=1).build(parts))


def make_xlsx(_text: Sequence[str], cells: Grid) -> bytes:
    book = openpyxl.Workbook()
    for row in cells:
        book.active.append([cell or None for cell in row])
    return _saved(book.save)


def make_pptx(text: Sequence[str], cells: Grid) -> bytes:
    slides = pptx.Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[1])
    slide.shapes.title.text, slide.placeholders[1].text = text[0], text[1]
    table = slide.shapes.add_table(len(cells), COLUMNS, 0, 5_000_000, 10, 10).table
    for at, row in enumerate(cells):
        for column, value in enumerate(row):
            table.cell(at, column).text = value
    slide.notes_slide.notes_text_frame.text = text[2]
    return _saved(slides.save)


def make_csv(_text: Sequence[str], cells: Grid) -> bytes:
    return "\n".join(";".join(row) for row in [["Liste 2025"], *cells]).encode("cp1252")


def _saved(save: Callable[[BytesIO], object]) -> bytes:
    buffer = BytesIO()
    save(buffer)
    return buffer.getvalue()


def by_viva(path: Path) -> str:
    found = [each for each in load(FoundFile(path, path.name), 20) if isinstance(each, Document)]
    return "\n".join(each.text for each in found)


def by_word(path: Path) -> str:
    word = docx.Document(str(path))
    rows = [" | ".join(cell.text for cell in row.cells) for table in word.tables for row in table.rows]
    return "\n".join([*(each.text for each in word.paragraphs), *rows])


def by_soup(path: Path) -> str:
    return BeautifulSoup(path.read_bytes(), "html.parser").get_text(" | ")


def by_slides(path: Path) -> str:
    shapes = [shape for slide in pptx.Presentation(str(path)).slides for shape in slide.shapes]
    return "\n".join(shape.text_frame.text for shape in shapes if shape.has_text_frame)


def by_layout(path: Path) -> str:
    return "\n".join(page.extract_text(extraction_mode="layout") for page in PdfReader(path).pages)


Reader = tuple[str, Callable[[Path], str]]
VIVA: Reader = ("viva", by_viva)
KINDS: dict[str, tuple[Callable[[Sequence[str], Grid], bytes], tuple[Reader, ...]]] = {
    "html": (make_html, (VIVA, ("BeautifulSoup get_text", by_soup))),
    "docx": (make_docx, (VIVA, ("python-docx", by_word))),
    "pdf": (make_pdf, (VIVA, ("pypdf", lambda p: "\n".join(x.extract_text() for x in PdfReader(p).pages)),
                       ("pypdf, layout", by_layout))),
    "xlsx": (make_xlsx, (VIVA,)),
    "pptx": (make_pptx, (VIVA, ("python-pptx, shapes", by_slides))),
    "csv": (make_csv, (VIVA, ("langchain CSVLoader",
                              lambda p: "\n".join(d.page_content for d in CSVLoader(str(p)).load())))),
}  # fmt: skip


def in_column(text: str, cells: Grid) -> int:
    """Cells that stand with their column: between as many bars, or behind its name."""
    rows = [[cell.strip() for cell in line.split("|")] for line in text.split("\n")]
    named = set(text.split("\n"))
    return sum(
        bool(cell) and (any(row[column : column + 1] == [cell] and len(row) == COLUMNS for row in rows)
                        or f"{cells[0][column]}: {cell}" in named)
        for line in cells[1:] for column, cell in enumerate(line)
    )  # fmt: skip


def measure(kind: str) -> list[tuple[str, float, float, float]]:
    """(reader, share of words, share of cells in their column, CPU milliseconds a file) of each."""
    make, readers = KINDS[kind]
    draw = random.Random(kind)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for number in range(FILES):
            text, cells = [sentence(draw) for _ in range(3)], grid(draw)
            path = Path(folder, f"{number}.{kind}")
            path.write_bytes(make(text, cells))
            files.append((path, [] if kind in {"xlsx", "csv"} else text, cells))
        for name, read in readers:
            words = kept = cells_in = cells_all = 0
            begun = time.process_time()
            texts = []
            for path, _, _ in files:
                try:
                    texts.append(read(path))
                except (RuntimeError, ValueError):
                    texts.append("")
            spent = time.process_time() - begun
            for told, (_, text, cells) in zip(texts, files, strict=True):
                wanted = [*" ".join(text).split(), *(cell for row in cells[1:] for cell in row if cell)]
                have = " ".join(told.split())
                words, kept = words + len(wanted), kept + sum(word in have for word in wanted)
                cells_all += sum(bool(cell) for row in cells[1:] for cell in row)
                cells_in += in_column(told, cells)
            found.append((name, kept / words, cells_in / cells_all, 1000 * spent / FILES))
    return found


def main() -> None:
    print("| type | reader | words kept | cells in their column | CPU, ms a file |\n|---|---|---|---|---|")
    for kind in KINDS:
        for name, words, cells, spent in measure(kind):
            print(f"| {kind} | {name} | {words:.0%} | {cells:.0%} | {spent:.1f} |")


if __name__ == "__main__":
    main()
