"""How whole files are read: viva's readers beside the libraries that are installed, on the 80 files made here.

python benchmarks/readers/readers.py                     # the table: words, cells, order, furniture, CPU, memory
python benchmarks/readers/readers.py --only viva         # one reader
python benchmarks/readers/readers.py --series second     # on other draws of the same kinds, printed anew
python benchmarks/readers/readers.py --write FOLDER      # the files, to look at
python benchmarks/readers/readers.py --mixed             # CPU and memory of 1,000 mixed files of 10 MB in all
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from importlib.metadata import PackageNotFoundError, distribution
from operator import add
from pathlib import Path

from content import KINDS, Draw, Wanted
from office_files import OFFICE_FILES
from packaging.requirements import Requirement
from prints import PRINTS
from scores import Score
from text_files import TEXT_FILES

TYPES = {**TEXT_FILES, **OFFICE_FILES, **PRINTS}
Read = Callable[[Path], str]


def suffix_of(kind: str) -> str:
    """The suffix of the files of a type."""
    return kind.split()[0]


def read_by_viva(path: Path) -> str:
    """The texts of viva's documents of a file."""
    from viva.core.records import Document
    from viva.storage.corpus.listing import FoundFile
    from viva.storage.corpus.read import load

    return "\n".join(each.text for each in load(FoundFile(path, path.name), 20) if isinstance(each, Document))


# --- libraries: each is imported where it is used, since none but viva's own must be installed ------------------


def _markitdown(path: Path) -> str:
    from markitdown import MarkItDown

    return str(MarkItDown().convert(path).text_content)


def _trafilatura(path: Path) -> str:
    import trafilatura

    return trafilatura.extract(path.read_bytes(), output_format="markdown", include_tables=True) or ""


def _mammoth(path: Path) -> str:
    import mammoth

    with path.open("rb") as file:
        return str(mammoth.convert_to_markdown(file).value)


def _pandoc(path: Path) -> str:
    import pypandoc

    form = {"md": "markdown"}.get(path.suffix[1:], path.suffix[1:])
    return str(pypandoc.convert_file(str(path), "gfm", format=form, extra_args=["--wrap=none"]))


def _pymupdf4llm(path: Path) -> str:
    import pymupdf4llm

    return str(pymupdf4llm.to_markdown(str(path), show_progress=False, use_ocr=False))


def _unstructured(path: Path) -> str:
    from unstructured.partition.auto import partition

    return "\n".join(each.metadata.text_as_html or each.text for each in partition(str(path)))


def _docling(path: Path) -> str:
    from docling.document_converter import DocumentConverter

    return str(DocumentConverter().convert(path).document.export_to_markdown())


def _pdfium(path: Path) -> str:
    import pypdfium2

    return "\n".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(path))


def _pdfplumber(path: Path) -> str:
    import pdfplumber

    with pdfplumber.open(path) as pdf:
        tables = (row for page in pdf.pages for table in page.extract_tables() for row in table)
        rows = "\n".join(" | ".join((cell or "").replace("\n", " ") for cell in row) for row in tables)
        return "\n".join(page.extract_text() for page in pdf.pages) + "\n" + rows


def _pypdf(path: Path) -> str:
    from pypdf import PdfReader

    return "\n".join(page.extract_text() for page in PdfReader(path).pages)


def _soup(path: Path) -> str:
    from bs4 import BeautifulSoup

    return BeautifulSoup(path.read_bytes(), "html.parser").get_text("\n")


_PDF = frozenset(("pdf",))
READERS: dict[str, tuple[str, Read, frozenset[str], str]] = {
    "viva": ("viva", read_by_viva, frozenset("html md rst csv docx pptx xlsx pdf".split()), "Apache-2.0"),
    "markitdown": (
        "markitdown[docx,pptx,xlsx,pdf]",
        _markitdown,
        frozenset("html csv docx pptx xlsx pdf".split()),
        "MIT",
    ),
    "pandoc": ("pypandoc-binary", _pandoc, frozenset("html md rst csv docx".split()), "GPL-2.0 (program), MIT"),
    "unstructured": (
        "unstructured[docx,pptx,xlsx,md,rst]",
        _unstructured,
        frozenset("html md rst csv docx pptx xlsx".split()),
        "Apache-2.0",
    ),
    "docling": ("docling", _docling, frozenset("html md csv docx pptx xlsx".split()), "MIT"),
    "trafilatura": ("trafilatura", _trafilatura, frozenset(("html",)), "Apache-2.0"),
    "BeautifulSoup": ("beautifulsoup4", _soup, frozenset(("html",)), "MIT"),
    "mammoth": ("mammoth", _mammoth, frozenset(("docx",)), "BSD-2-Clause"),
    "pypdf": ("pypdf", _pypdf, _PDF, "BSD-3-Clause"),
    "pdfplumber": ("pdfplumber", _pdfplumber, _PDF, "MIT"),
    "pypdfium2": ("pypdfium2", _pdfium, _PDF, "Apache-2.0, BSD-3-Clause"),
    "pymupdf4llm": ("pymupdf4llm", _pymupdf4llm, _PDF, "AGPL-3.0"),
}
"""Package, reader, types, licence."""


# --- measuring --------------------------------------------------------------------------------------------


def written(kind: str, folder: Path) -> list[tuple[Path, Wanted]]:
    """The eight files of a type, in the folder, with what must be found in them."""
    files = []
    for each in KINDS:
        data, wanted = TYPES[kind](each)
        path = folder / f"{kind.replace(' ', '-')}-{each}.{suffix_of(kind)}"
        path.write_bytes(data)
        files.append((path, wanted))
    return files


def scored(read: Read, files: Sequence[tuple[Path, Wanted]]) -> tuple[Score, list[str]]:
    """The score of a reader on all files together, and the files that it cannot read."""
    scores, failed = [], []
    for path, wanted in files:
        try:
            text = read(path)
        except Exception as error:  # noqa: BLE001 - what a library raises on a file is a result
            failed.append(f"{path.name}: {type(error).__name__}: {error}"[:150])
            text = ""
        scores.append(Score.of(text, wanted))
    return reduce(add, scores), failed


def _measured(kind: str, name: str, series: str) -> dict[str, object]:
    """One row of the table: run in a process of its own, whose memory is this reader's."""
    read, Draw.series = READERS[name][1], series
    with tempfile.TemporaryDirectory() as folder:
        files = written(kind, Path(folder))
        scored(read, files[:1])  # its imports are no part of the CPU of a file
        begun = _spent()
        score, failed = scored(read, files)
        spent = _spent() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss + resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return {
        "type": kind,
        "reader": name,
        "shares": score.shares(),
        "ms": 1000 * spent / len(files),
        "mb": peak / 1024,
        "failed": failed,
    }


def _spent() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _rows(only: str, series: str) -> Iterator[dict[str, object]]:
    context = multiprocessing.get_context("spawn")
    for kind in TYPES:
        for name, (package, _, types, _) in READERS.items():
            if suffix_of(kind) in types and only in {"", name} and _is_installed(package):
                with context.Pool(1) as pool:
                    yield pool.apply(_measured, (kind, name, series))


def _is_installed(package: str) -> bool:
    try:
        return package == "viva" or distribution(Requirement(package).name) is not None
    except PackageNotFoundError:
        return False


def installed_mb(package: str) -> float:
    """Size of a package and of all that it asks for."""
    waiting, seen, size = [Requirement(package)], set[str](), 0
    while waiting:
        wanted = waiting.pop()
        extras = wanted.extras or {""}
        if f"{wanted.name.lower()} {sorted(extras)}" in seen or not _is_installed(wanted.name):
            continue
        found = distribution(wanted.name)
        if not any(each.startswith(f"{wanted.name.lower()} ") for each in seen):
            size += sum(
                Path(str(file.locate())).stat().st_size
                for file in found.files or []
                if Path(str(file.locate())).exists()
            )
        seen.add(f"{wanted.name.lower()} {sorted(extras)}")
        for line in found.requires or []:
            asked = Requirement(line)
            if asked.marker is None or any(asked.marker.evaluate({"extra": extra}) for extra in extras):
                waiting.append(asked)
    return size / 1e6


def _shown(share: object) -> str:
    return "" if share is None else f"{share:.1%}"


def print_table(only: str, series: str) -> None:
    """Measure all readers and print a row for each type and reader, then what each takes to install."""
    print(
        "| type | reader | words kept | cells in their column | sentences in order | furniture left out "
        "| CPU, ms a file | memory, MB |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for row in _rows(only, series):
        shares = " | ".join(map(_shown, row["shares"]))  # type: ignore[call-overload]
        print(f"| {row['type']} | {row['reader']} | {shares} | {row['ms']:.1f} | {row['mb']:.0f} |", flush=True)
        for failure in row["failed"]:  # type: ignore[attr-defined]
            print(f"<!-- {failure} -->")
    print("\n| reader | installed, MB | licence |\n|---|---|---|")
    for name, (package, _, _, licence) in READERS.items():
        if name != "viva" and only in {"", name} and _is_installed(package):
            print(f"| {name} | {installed_mb(package):.0f} | {licence} |")


def print_mixed() -> None:
    """CPU and memory of viva's readers on 1,000 files of all types, 10 MB in all."""
    with tempfile.TemporaryDirectory() as folder:
        files = [path for kind in TYPES for path, _ in written(kind, Path(folder))]
        begun, size = _spent(), 0
        for number in range(1000):
            size += files[number % len(files)].stat().st_size
            read_by_viva(files[number % len(files)])
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"1,000 files, {size / 1e6:.1f} MB: {_spent() - begun:.0f} s of CPU, {peak:.0f} MB of memory")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", choices=list(READERS), help="one reader alone")
    parser.add_argument("--series", default="", metavar="NAME", help="another draw of texts, tables and prints")
    parser.add_argument("--write", type=Path, help="write the files and what is wanted of them into a folder")
    parser.add_argument("--mixed", action="store_true", help="1,000 mixed files")
    chosen = parser.parse_args()
    if chosen.write:
        chosen.write.mkdir(parents=True, exist_ok=True)
        for kind in TYPES:
            for path, wanted in written(kind, chosen.write):
                path.with_name(f"{path.name}.wanted.json").write_text(json.dumps(vars(wanted), indent=1), "utf-8")
    elif chosen.mixed:
        print_mixed()
    else:
        print_table(chosen.only, chosen.series)


if __name__ == "__main__":
    main()
