"""Whatever is given: a sentence on standard error and exit code 2, or the thing is left out and counted."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from command import Done, fresh, viva
from harbour import asked
from hostile_files import body, docx_with, laughs, paragraph

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\6\0\0\0\x1f\x15\xc4\x89"


def told(done: Done, *parts: str) -> None:
    """It ended with code 2 and these words on standard error, and no traceback."""
    assert done.code == 2, done.said
    assert "Traceback" not in done.said
    assert done.out == ""
    for part in parts:
        assert part in done.err, done.err


def encrypted_pdf() -> bytes:
    from pypdf import PdfWriter

    writer, out = PdfWriter(), BytesIO()
    writer.add_blank_page(100, 100)
    writer.encrypt("secret", algorithm="AES-256")
    writer.write(out)
    return out.getvalue()


def write_bad_files(folder: Path) -> dict[str, str]:
    """Files that cannot be read, and the reason each is left out."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "zero.pdf").write_bytes(b"")
    (folder / "locked.pdf").write_bytes(encrypted_pdf())
    (folder / "picture.md").write_bytes(PNG + b"\0" * 200)
    (folder / "torn.txt").write_bytes(b"The gate opens at \xff\xfe\xfa six. \x81\x8d\x8f" * 30)
    (folder / "program.exe").write_bytes(b"MZ")
    (folder / "torn.docx").write_bytes(docx_with({"word/document.xml": b"<w:document><w:body>"}))
    (folder / "deep.docx").write_bytes(docx_with(body("<w:p>" * 300 + "</w:p>" * 300)))
    (folder / "laughs.docx").write_bytes(docx_with(body(paragraph("&j;"), laughs())))
    with (folder / "huge.txt").open("wb") as huge:
        huge.truncate(50_000_000)
    return {
        "zero.pdf": "empty",
        "locked.pdf": "encrypted",
        "picture.md": "binary",
        "torn.txt": "bad encoding",
        "program.exe": "unknown type",
        "torn.docx": "unreadable",
        "deep.docx": "unreadable",
        "laughs.docx": "unreadable",
        "huge.txt": "oversized",
    }


# --- documents -------------------------------------------------------------------------------------------


def test_bad_files_are_listed_with_their_reasons_and_the_others_are_read(corpus: Path, tmp_path: Path) -> None:
    docs = shutil.copytree(corpus, tmp_path / "docs")
    expected = write_bad_files(docs / "bad")
    done = viva("ingest", docs, "--out", tmp_path / "run", "--json")
    assert done.code == 0, done.err
    found = done.json()
    assert found["statistics"]["documents"] == 13
    reasons = {each["path"].removeprefix("bad/"): each["reason"] for each in found["exclusions"]}
    assert reasons == expected
    assert all(len(each["detail"]) > 10 for each in found["exclusions"])
    shown = viva("show", tmp_path / "run")
    assert all(f"bad/{name}: {reason}. " in shown.out for name, reason in expected.items())


def test_a_folder_with_nothing_readable_is_an_error_that_names_the_types(tmp_path: Path) -> None:
    write_bad_files(tmp_path / "docs")
    done = viva("run", tmp_path / "docs", "--out", tmp_path / "run")
    told(done, "holds no document that can be read", "1 encrypted", "1 oversized", ".md", ".pdf")


def test_a_file_without_read_permission_is_listed(corpus: Path, tmp_path: Path) -> None:
    docs = shutil.copytree(corpus, tmp_path / "docs")
    (docs / "market/market.md").chmod(0)
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("root reads everything, and there is no setpriv to take that right away")
    # root without its right to pass over permissions is held to them like everybody
    humbled = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    done = fresh("ingest", docs, "--out", tmp_path / "run", "--json", before=humbled)
    assert done.code == 0, done.err
    (left_out,) = done.json()["exclusions"]
    assert (left_out["path"], left_out["reason"]) == ("market/market.md", "unreadable")
    assert "Permission denied" in left_out["detail"]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: path.mkdir(), ["holds no document that can be read", "it is empty", ".docx"]),
        (lambda path: None, ["does not exist", "A folder of documents", "Check the path"]),
        (lambda path: path.write_bytes(b"?"), ["unknown type", ".md"]),
        (lambda path: os.mkfifo(path), ["is no folder and no file"]),
    ],
    ids=["empty folder", "missing", "file of unknown type", "pipe"],
)
def test_documents_that_cannot_be_are_told(make: Callable[[Path], object], words: list[str], tmp_path: Path) -> None:
    make(tmp_path / "docs.xyz")
    told(viva("run", tmp_path / "docs.xyz", "--out", tmp_path / "run"), "docs.xyz", *words)


@pytest.mark.slow
def test_what_two_documents_of_one_title_answer_differently_is_not_asked_and_counted(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for year, days in (("2023", 27), ("2024", 29)):
        said = f"Every full-time employee has {days} days of paid leave per calendar year."
        (docs / f"{year}.md").write_text(f"# Leave policy\n\n{said}\n", encoding="utf-8")
    (docs / "repairs.md").write_text(
        "# Repairs\n\nRepairs under warranty are finished within 12 working days. The inspection fee is 95 euros.\n",
        encoding="utf-8",
    )
    assert viva("run", docs, "--out", tmp_path / "run", *asked("bm25+lexical")).code == 0
    assert "(the documents give another answer too)" in viva("show", tmp_path / "run").out
    assert "full-time" not in viva("items", tmp_path / "run").out


def test_documents_without_one_fact_end_in_words(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/song.txt").write_text("La la la.\n\nOh oh oh, la la.\n")
    done = viva("run", tmp_path / "docs", "--out", tmp_path / "run")
    told(done, "Not one item was accepted from 1 document", "no checkable fact found")


# --- options ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--items", "0"], ["--items", "greater than or equal to 1"]),
        (["--items", "many"], ["--items", "integer"]),
        (["--seed", "-1"], ["--seed"]),
        (["--timeout", "0"], ["--timeout is 0.0", "greater than 0"]),
        (["--chunk-tokens", "5"], ["--chunk-tokens is 5", "32"]),
        (["--chunk-tokens", "64", "--chunk-overlap", "64"], ["chunk_overlap is 64", "smaller than the chunk"]),
        (["--ignore", "/"], ["ignore pattern", "*.draft.md"]),
        (["--embedding-model", "none/such"], ["none/such", "minilm", "hf download"]),
        (["--database-url", "mysql://root:pw@host/db"], ["database", "postgresql://"]),
        (["--nonsense"], ["--nonsense", "viva run -h"]),
        (
            ["--examinee", "nonsense"],
            ["“nonsense”", "hybrid-rerank", "FILE.py:FUNCTION", "--examinee hybrid+embedding"],
        ),
        (["--examinee", "bm25+lexical,k=0"], ["k=0", "1 to 100"]),
        (["--examinee", "bm25+lexical,examples=9"], ["9 worked examples", "--worked-examples 9"]),
        (["--examinee", "missing.py:answer"], ["missing.py", "does not exist"]),
        (["--examinee", "no_such_module:answer"], ["no_such_module", "cannot be imported"]),
    ],
    ids=lambda value: " ".join(value) if str(value[0]).startswith("--") else "",
)
def test_an_option_that_cannot_be_is_told_before_anything_is_done(
    options: list[str], words: list[str], corpus: Path, tmp_path: Path
) -> None:
    told(viva("run", corpus, "--out", tmp_path / "run", *options), *words)
    assert not (tmp_path / "run/run.sqlite").exists()


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def answer(question:\n", ["cannot be loaded", "SyntaxError", "python "]),
        ("raise KeyError('no index')\n", ["cannot be loaded", "KeyError: 'no index'"]),
        ("import sys\nsys.exit(7)\n", ["cannot be loaded", "SystemExit: 7"]),
        ("import no_such_package\n", ["cannot be loaded", "no_such_package"]),
        ("def reply(question):\n    return 'A'\n", ["has no function answer", "It has: reply"]),
        ("answer = 5\n", ["has no function answer"]),
        ("def answer():\n    return 'A'\n", ["takes no question", "def answer(question)"]),
        ("def answer(question, index):\n    return 'A'\n", ["takes no question", "def answer(question)"]),
    ],
    ids=[
        "syntax",
        "raises",
        "leaves",
        "lacks a package",
        "other name",
        "no function",
        "no argument",
        "two arguments",
    ],
)
def test_a_system_that_cannot_be_loaded_is_told_before_anything_is_done(
    source: str, words: list[str], corpus: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(source)
    done = viva("run", corpus, "--out", tmp_path / "run", *asked(f"{tmp_path}/mine.py:answer"))
    told(done, "mine.py", *words)
    assert not (tmp_path / "run/run.sqlite").exists()


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("VIVA_ITEMS", "many", ["VIVA_ITEMS is 'many'", "integer"]),
        ("VIVA_IGNORE", "drafts", ["VIVA_IGNORE cannot be read", '["first", "second"]']),
    ],
)
def test_an_environment_variable_that_cannot_be_is_told_by_name(
    name: str, value: str, words: list[str], corpus: Path, finished: Path, tmp_path: Path
) -> None:
    told(viva("run", corpus, "--out", tmp_path / "run", environment={name: value}), *words)
    told(viva("show", finished, environment={name: value}), *words)


# --- run folders -----------------------------------------------------------------------------------------


def test_an_out_that_is_a_file_or_cannot_be_made_is_told(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    told(viva("run", corpus, "--out", tmp_path / "file"), "is a file", "--out")
    assert (tmp_path / "file").read_text() == "mine"
    told(viva("run", corpus, "--out", tmp_path / "file/run"), str(tmp_path / "file/run"), "--out")


@pytest.mark.parametrize("command", ["write", "sit", "score", "report", "show", "items", "trace"])
def test_a_folder_without_a_run_is_told_with_the_command_that_makes_one(command: str, tmp_path: Path) -> None:
    more = ["3f2a"] if command == "trace" else []
    told(viva(command, tmp_path / "none", *more), "holds no run", "viva run")
    assert not (tmp_path / "none").exists()


def test_a_stage_that_comes_too_early_names_the_one_before(corpus: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert viva("ingest", corpus, "--out", run).code == 0
    for command in ("sit", "items"):
        told(viva(command, run), "no exam in this run yet", f"viva write {run}")
    told(viva("score", run), "no exam in this run yet", f"viva write {run}")
    told(viva("report", run), "no scores yet", f"viva score {run}")
    told(viva("trace", run, "abc"), "no questions yet", f"viva write {run}")


def test_scoring_before_anybody_sat_is_told(copied: Path) -> None:
    with sqlite3.connect(copied / "run.sqlite") as connection:
        connection.execute("DELETE FROM responses")
    told(viva("score", copied), "Nobody has sat this exam yet", f"viva sit {copied}")


def test_a_damaged_run_store_is_told_and_left_as_it_is(corpus: Path, copied: Path) -> None:
    garbage = b"no database" * 1000
    for file in copied.glob("run.sqlite*"):
        file.unlink()
    (copied / "run.sqlite").write_bytes(garbage)
    for line in (["show", copied], ["score", copied], ["run", corpus, "--out", copied]):
        told(viva(*line), "run.sqlite cannot be used", "file is not a database", "--out")
    assert (copied / "run.sqlite").read_bytes() == garbage


def test_a_torn_run_store_is_told(copied: Path) -> None:
    file = copied / "run.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = file.read_bytes()
    file.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    told(viva("show", copied), "run.sqlite cannot be used", "--out")


@pytest.mark.parametrize("name", ["checkpoints.sqlite", "embeddings.sqlite"])
def test_a_damaged_file_beside_the_store_is_told_with_what_to_do(name: str, corpus: Path, copied: Path) -> None:
    for file in copied.glob(f"{name}*"):
        file.unlink()
    (copied / name).write_bytes(b"no database" * 1000)
    told(viva("run", corpus, "--out", copied, "--items-per-chunk", "8"), name, "cannot be used")


def test_a_run_of_other_documents_or_settings_names_each_difference(
    corpus: Path, copied: Path, tmp_path: Path
) -> None:
    done = viva("run", corpus, "--out", copied, "--seed", "3", "--items-per-chunk", "2")
    told(done, "seed is 0 there and 3 here", "items_per_chunk is 8 there and 2 here", "--out")
    other = shutil.copytree(corpus, tmp_path / "other")
    (other / "market/market.md").write_text("# Fish market\n\nThe fish market opens at 03:15.\n")
    done = viva("run", other, "--out", copied, "--items-per-chunk", "8")
    told(done, "the documents are those of", str(corpus), str(other), "--out")


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        (["exam", "review", "run", "--finish"], "without it, the command writes the exam"),
        (["label", "run"], "viva view RUN"),
        (["exam", "import", "quiz.gift", "--out", "exam.jsonl"], "use csv"),
    ],
)
def test_what_is_gone_is_told_with_what_to_use_instead(line: list[str], instead: str, tmp_path: Path) -> None:
    (tmp_path / "quiz.gift").write_text("Which?{=a ~b}")
    told(viva(*(tmp_path / word if word in {"run", "quiz.gift"} else word for word in line)), instead)
