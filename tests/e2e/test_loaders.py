"""`--loader` in a command: what a loader prints goes nowhere, what it lost is said at the end."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from command import viva

OWN = Path(__file__).parents[1] / "support" / "own_loaders.py"
CSV = "langchain_community.document_loaders:CSVLoader"


def test_a_loader_s_documents_make_a_run_that_can_be_resumed_and_written(tmp_path: Path) -> None:
    rows = (f"The {name} ferry leaves Quillon Ness at {n}:15." for n, name in enumerate(("Auk", "Gull", "Tern"), 1))
    (tmp_path / "faq.csv").write_text("text\n" + "".join(f"{row}\n" for row in rows))
    named = ["--loader", f"{CSV}?file_path=faq.csv"]
    read = viva("ingest", *named, "--json", folder=tmp_path)
    assert read.code == 0, read.err
    assert read.json()["folder"] == "viva-runs/CSVLoader"
    assert read.json()["statistics"]["documents"] == 3
    assert viva("ingest", *named, folder=tmp_path).code == 0
    (tmp_path / "faq.csv").write_text("text\nThe Skua ferry sank.\n")
    changed = viva("ingest", *named, folder=tmp_path)
    assert changed.code == 2
    assert "have changed since" in changed.err


def test_what_a_loader_prints_is_no_part_of_the_output_and_keys_are_shown_nowhere(tmp_path: Path) -> None:
    done = viva("ingest", "--loader", f"{OWN}:Odd", "--max-file-mb", "1", "--json", folder=tmp_path)
    assert done.json()["statistics"]["documents"] == 2
    assert "printed" in done.err
    ended = viva("ingest", "--loader", f"{OWN}:Letters?letters=acb", folder=tmp_path)
    assert "loading ended early. ValueError: the letter b cannot be read" in ended.out
    assert "sk-abcdef" not in ended.said


def test_a_run_says_at_its_end_that_documents_are_missing(tmp_path: Path) -> None:
    words = [f"The {n}th ferry leaves the pier of Quillon Ness at {n}:15 with {n} cars." for n in range(2, 8)]
    (tmp_path / "ferries.py").write_text(
        "from langchain_core.document_loaders import BaseLoader\n"
        "from langchain_core.documents import Document\n"
        "class Ferries(BaseLoader):\n"
        "    def lazy_load(self):\n"
        f"        yield from map(Document, {words!r})\n"
        "        raise ConnectionError('the wiki went away')\n"
    )
    done = viva(
        "run", "--loader", "ferries.py:Ferries", "--items", "3", "-e", "bm25+lexical", "-e", "dense+embedding",
        folder=tmp_path,
    )  # fmt: skip
    assert done.code == 0, done.said
    assert "Documents are missing: Ferries#7: ConnectionError: the wiki went away (ferries.py, line 6)." in done.out


def test_documents_are_named_once(tmp_path: Path) -> None:
    for given in (["docs", "--loader", "x:Y"], []):
        done = viva("run", *given, folder=tmp_path)
        assert done.code == 2
        assert "--loader names a LangChain document loader" in done.err
