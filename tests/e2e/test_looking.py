"""`show`, `items`, `trace` and --json: what stands in a run, shown as it is and never obeyed."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from command import VIVA, fresh, viva
from harbour import CHOICES, PANEL, asked, begun, write_corpus

ROLES = [
    "unit extractor",
    "question writer",
    "expert answerer",
    "critics",
    "distractor writer",
    "option critics",
    "chair",
]
HOSTILE = """\
# Notices \x1b[31m[red]of[/red] the harbour\x07

The tug \x1b]0;owned\x07Bramble Jack pulls 35 tonnes. The tug Merry Otter was built in 1968. The [bold]north[/bold]
ferry ramp lifts 55 tonnes. The watch house was painted on 7 June 2011. The chain \x9b2Jferry carries 90 passengers.
The bell of the watch house weighs 80 kilograms. The customs shed holds 300 barrels.
"""


@pytest.mark.parametrize(
    "line",
    [
        ["ingest", "CORPUS", "--out", "RUN", "--items-per-chunk", "8"],
        ["write", "RUN"],
        ["sit", "RUN"],
        ["score", "RUN"],
        ["report", "RUN"],
        ["show", "RUN"],
        ["ledger", "RUN"],
        ["items", "RUN"],
        ["items", "RUN", "--rejected"],
        ["items", "RUN", "--type", "date", "--limit", "1"],
        ["trace", "RUN", "dredging contract costs"],
        ["run", "CORPUS", "--out", "RUN", *CHOICES, *asked(*PANEL)],
    ],
    ids=lambda line: " ".join(line[:3]),
)
def test_json_is_one_document_and_nothing_else(line: list[str], corpus: Path, copied: Path) -> None:
    places = {"CORPUS": str(corpus), "RUN": str(copied)}
    done = viva(*(places.get(word, word) for word in line), "--json")
    assert done.code == 0, done.err
    assert done.json()
    # without a terminal: no bars, and at most a line for each stage
    assert all(re.fullmatch(r".+ \([\d,]+\)", line) for line in done.err.splitlines()), done.err


def test_an_accepted_item_can_be_traced_through_every_role(finished: Path) -> None:
    item = viva("items", finished, "--limit", "1", "--json").json()[0]["item"]
    steps = viva("trace", finished, item["id"], "--json").json()
    assert [role for role in ROLES if any(step["role"] == role for step in steps)] == ROLES
    assert [step["number"] for step in steps] == sorted({step["number"] for step in steps})
    assert all(step["input"] and step["output"] and step["duration_s"] >= 0 for step in steps)
    assert {step["verdict"] for step in steps if "critics" in step["role"]} >= {"passed"}
    assert (steps[-1]["item_id"], steps[-1]["output"]) == (item["id"], "accepted")
    shown = viva("trace", finished, item["id"][:8]).out
    for words in (*ROLES, "[passed]", " ms", item["stem"], item["key"], "in   ", "out  "):
        assert words in shown


def test_a_rejected_draft_can_be_traced_to_the_verdict_that_ended_it(finished: Path) -> None:
    rejection = viva("items", finished, "--rejected", "--limit", "1", "--json").json()[0]
    shown = viva("items", finished, "--rejected", "--limit", "1").out
    unit = rejection["unit"]["id"]
    assert unit[:8] in shown
    assert rejection["verdict"]["code"] in shown
    assert rejection["verdict"]["reason"].removeprefix(f"{rejection['verdict']['critic']}: ") in shown
    steps = viva("trace", finished, unit[:8], "--json").json()
    assert steps[-1]["role"] == "chair"
    assert steps[-1]["output"].startswith("rejected: ")
    assert rejection["verdict"]["reason"] in steps[-1]["output"]
    assert rejection["verdict"]["code"] in {step["verdict"] for step in steps}


def test_an_id_that_fits_several_or_none_is_told_in_words(finished: Path) -> None:
    several = viva("trace", finished, "completes this")
    assert several.code == 2
    listed = re.findall(r"^  ([0-9a-f]{8})  .*completes this", several.err, re.MULTILINE | re.IGNORECASE)
    assert len(listed) == 8
    assert re.search(r"matches \d+ items or drafts", several.err)
    assert re.search(r"and \d+ more", several.err)
    assert viva("trace", finished, listed[0]).code == 0
    none = viva("trace", finished, "no such thing")
    assert none.code == 2
    assert "“no such thing” is not an item or a rejected draft" in none.err
    assert f"viva items {finished}" in none.err


def test_items_shows_options_key_and_evidence(finished: Path) -> None:
    for shown in viva("items", finished, "--json").json()[:5]:
        item = shown["item"]
        out = viva("items", finished, "--contains", item["stem"]).out
        assert f"{item['id'][:8]}  {item['stem']}" in out
        letter = "ABCD"[shown["key_position"]]
        assert f"   * {letter}) {item['key']}\n" in out
        for option in shown["options"]:
            assert f") {option}\n" in out
        (evidence,) = item["evidence"]
        assert f"“{' '.join(evidence['quote'].split())}”" in out


def test_items_can_be_filtered(finished: Path) -> None:
    every = viva("items", finished, "--json").json()
    dates = viva("items", finished, "--type", "DATE", "--json").json()
    assert 0 < len(dates) < len(every)
    assert {shown["item"]["question_type"] for shown in dates} == {"date"}
    wrong = viva("items", finished, "--type", "riddle")
    assert wrong.code == 2
    assert "'riddle'" in wrong.err
    assert "quantity" in wrong.err


def test_show_says_how_the_run_stands(finished: Path) -> None:
    out = viva("show", finished).out
    funnel = viva("show", finished, "--json").json()["funnel"]
    assert "13 documents" in out
    assert f"{funnel['units']} knowledge units" in out
    assert funnel["units"] == funnel["accepted"] + sum(funnel["rejected"].values()) + funnel["not_asked"]
    assert "Leaderboard" in out
    for name in ("bm25+lexical", "closed-book+lexical", "dense+embedding", "slow"):
        assert name in out
    assert f"Report: {finished / 'report.html'}" in out


# --- text that would like to be more ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def hostile(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    docs = write_corpus(tmp_path_factory.mktemp("hostile") / "docs")
    (docs / "market/market.md").write_text(HOSTILE, encoding="utf-8")
    (docs / "\x1b[32m[green]empty.md").write_bytes(b"")
    run = begun(docs.with_name("run"), finished)
    done = viva("run", docs, "--out", run, *CHOICES, *asked("bm25+lexical", "closed-book+lexical"))
    assert done.code == 0, done.err
    return run


CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@pytest.mark.parametrize("line", [["show"], ["items"], ["items", "--rejected"], ["trace", "Merry Otter"]])
def test_control_characters_and_markup_of_documents_are_shown_and_not_obeyed(line: list[str], hostile: Path) -> None:
    done = viva(line[0], hostile, *line[1:])
    assert done.code == 0, done.err
    assert not CONTROL.search(done.said)
    if line == ["show"]:
        assert r"\x1b[32m[green]empty.md: empty." in done.out
    if line[0] == "trace":
        assert r"\x1b[31m[red]of[/red] the harbour\x07" in done.out
        assert "The [bold]north[/bold]" in done.out


def test_control_characters_in_an_error_are_shown_and_not_obeyed(tmp_path: Path) -> None:
    (tmp_path / "\x1b[2J\x07").mkdir()
    (tmp_path / "\x1b[2J\x07/\x1b]0;owned\x07.md").write_bytes(b"")
    done = viva("run", tmp_path / "\x1b[2J\x07", "--out", tmp_path / "run")
    assert done.code == 2
    assert "x1b]0;owned" in done.err
    assert not CONTROL.search(done.said)


@pytest.mark.slow
def test_a_terminal_without_unicode_gets_escapes_and_no_traceback(finished: Path) -> None:
    ascii_only = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    shown = fresh("items", finished, "--limit", "3", environment=ascii_only)
    assert shown.code == 0, shown.err
    assert r"\u201c" in shown.out
    assert fresh("items", finished, "--json", environment=ascii_only).json()


def test_a_reader_that_goes_away_is_no_fault(finished: Path) -> None:
    line = f"{shlex.quote(str(VIVA))} items {shlex.quote(str(finished))} | head -1"
    piped = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True)
    assert len(piped.stdout.splitlines()) == 1
    assert piped.stderr == ""
