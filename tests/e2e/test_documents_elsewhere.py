"""Documents at an address make the run that the same folder makes here, by every command that takes DOCS."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from command import viva
from file_server import file_server
from harbour import CHOICES, asked, begun
from standing import facts

SECRET = "s3://AKIAEXAMPLE:topsecret@bucket/docs"


def test_a_run_of_a_folder_behind_http_writes_the_exam_of_the_same_folder_here(
    corpus: Path, finished: Path, tmp_path: Path
) -> None:
    folder = begun(tmp_path / "run", finished)
    with file_server(corpus.parent) as server:
        url = f"{server.url}{corpus.name}/"
        done = viva("run", url, "--out", folder, *CHOICES, *asked("closed-book+lexical"))
        assert done.code == 0, done.err
        again = viva("ingest", url, "--out", folder, "--items-per-chunk", "8", "--json")
    assert again.json()["run"]["documents_folder"] == url
    assert (folder / "exam.jsonl").read_bytes() == (finished / "exam.jsonl").read_bytes()
    for table in ("documents", "chunks", "exclusions", "items"):
        assert facts(folder)[table] == facts(finished)[table]


def test_plan_and_ingest_read_addresses_and_a_run_is_named_after_the_last_part(corpus: Path, tmp_path: Path) -> None:
    with file_server(corpus.parent) as server:
        url = f"{server.url}{corpus.name}"
        planned = viva("plan", url, "--model", "openai:gpt-4o-mini", "--json", folder=tmp_path)
        assert planned.json()["chunks"] > 0
        read = viva("ingest", f"{url}/", "--json", folder=tmp_path)
    assert read.json()["folder"] == f"viva-runs/{corpus.name}"


def test_an_address_with_a_password_is_refused_in_words_and_kept_nowhere(tmp_path: Path) -> None:
    for command in (["run", SECRET], ["ingest", SECRET], ["plan", SECRET, "--model", "openai:gpt-4o-mini"]):
        done = viva(*command, folder=tmp_path)
        assert done.code == 2
        assert "holds a user or a password" in done.err
        assert "topsecret" not in done.said
    assert list(tmp_path.iterdir()) == []
