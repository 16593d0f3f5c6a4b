"""The plug-in seam: whatever somebody's function does, it gets a score or a counted failure, and the run goes on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from command import Done, copy_run, viva
from harbour import OWN, asked, begun
from standing import facts

EXAMPLE = Path(__file__).parents[2] / "examples/my_rag.py"
GOOD = ("waits", "shares_a_lock", "noisy", "passages", "one_passage", "as_object", "surrogates", "system", "number")
# what each does wrong, and the words that say so
BAD = {
    "raises": ("raised", "ValueError: the index is not there"),
    "hangs": ("timed out", "no answer within 0.3 s"),
    "blocks": ("timed out", "no answer within 0.3 s"),
    "none": ("no answer", "None"),
    "truth": ("bad answer", "truth value True"),
    "leaves": ("raised", "SystemExit"),
    "leaves_later": ("raised", "SystemExit"),
    "cancels": ("raised", "CancelledError"),
    "times_out_itself": ("raised", "the server took too long"),
    "bad_passages": ("bad answer", "passages"),
    "none_passage": ("bad answer", "passage"),
    "raises_surrogates": ("raised", "ValueError"),
    "unspeakable": ("raised", "UnspeakableError"),
}


@pytest.fixture(scope="module")
def sat(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sat") / "run"
    copy_run(finished, folder)
    done = viva("sit", folder, *asked(*(f"{name}={OWN}:{name}" for name in (*GOOD, *BAD))), "--timeout", "0.3")
    assert done.code == 0, done.err
    assert "Traceback" not in done.said
    (folder / "said").write_text(done.out)
    return folder


@pytest.fixture(scope="module")
def scored(sat: Path) -> Done:
    done = viva("score", sat)
    assert done.code == 0, done.err
    return done


@pytest.fixture(scope="module")
def rows(sat: Path, scored: Done) -> dict[str, dict[str, Any]]:
    return {row["examinee"]["name"]: row for row in viva("show", sat, "--json").json()["scores"]["examinees"]}


@pytest.mark.parametrize("name", GOOD)
def test_a_system_that_answers_gets_a_score(name: str, rows: dict[str, dict[str, Any]]) -> None:
    assert rows[name]["failures"] == {}
    assert rows[name]["graded"] == rows[name]["asked"] > 10
    assert rows[name]["ability"] is not None


@pytest.mark.parametrize("name", BAD)
def test_a_failure_is_counted_and_its_reason_is_told(
    name: str, rows: dict[str, dict[str, Any]], scored: Done, sat: Path
) -> None:
    kind, reason = BAD[name]
    assert set(rows[name]["failures"]) == {kind, "withdrawn"}
    assert rows[name]["failures"][kind] == 5
    assert sum(rows[name]["failures"].values()) == rows[name]["asked"] > 10
    assert (rows[name]["accuracy"]["value"], rows[name]["accuracy_answered"]) == (0, None)
    for out in (scored.out, (sat / "said").read_text()):
        (line,) = [line for line in out.splitlines() if line.startswith(f"Failed: {name}, 5 questions")]
        assert f"{kind}: " in line
        assert reason in line


def test_nothing_of_the_others_is_lost_by_bad_company(finished: Path, sat: Path) -> None:
    before, after = facts(finished), facts(sat)
    for table, found in before.items():
        assert not found - after[table], table


def test_passages_without_offsets_are_scored_against_the_evidence(rows: dict[str, dict[str, Any]]) -> None:
    assert rows["passages"]["retrieval"]["recall_at"]["1"]["value"] > 0
    assert rows["one_passage"]["retrieval"] == rows["passages"]["retrieval"]
    assert rows["system"]["retrieval"] is None


def test_what_a_system_prints_stays_out_of_the_json(copied: Path) -> None:
    done = viva("sit", copied, *asked(f"{OWN}:noisy"), "--json")
    assert done.json()["run"]
    assert "noise on standard output" in done.err
    assert "noise of a child" in done.err
    assert "noise past Python" in done.err


@pytest.mark.slow
def test_a_quick_system_is_not_timed_out_because_others_are_slow(
    corpus: Path, finished: Path, tmp_path: Path
) -> None:
    folder = begun(tmp_path / "run", finished)
    assert viva("ingest", corpus, "--out", folder).code == 0
    assert viva("write", folder, "--items", "20").code == 0
    # nothing is embedded now: the first dense question keeps this process busy for longer than the limit
    for file in folder.glob("embeddings.sqlite*"):
        file.unlink()
    done = viva("sit", folder, *asked(f"{OWN}:system", f"{OWN}:waits", "dense+embedding"), "--timeout", "0.25")
    assert done.code == 0, done.err
    assert "Failed" not in done.out
    assert viva("score", folder).code == 0
    rows = viva("show", folder, "--json").json()["scores"]["examinees"]
    latency = {row["examinee"]["name"]: row["usage"]["p50_s"] for row in rows}
    assert latency["own_systems:system"] < 0.05


def test_the_example_system_sits_and_is_scored(corpus: Path, copied: Path) -> None:
    spec = f"{EXAMPLE}:answer"
    done = viva("sit", copied, *asked(spec), environment={"MY_RAG_DOCS": str(corpus)})
    assert done.code == 0, done.err
    assert viva("score", copied).code == 0
    found = viva("show", copied, "--json").json()["scores"]["examinees"]
    (row,) = [row for row in found if row["examinee"]["spec"] == spec]
    assert row["failures"] == {}
    # a quarter is had by guessing
    assert row["accuracy"]["value"] > 0.4
    assert row["retrieval"]["responses"] == row["asked"]
    assert row["retrieval"]["recall_at"]["5"]["value"] > 0.3


def test_a_system_may_be_a_module_of_the_working_folder(copied: Path, tmp_path: Path) -> None:
    (tmp_path / "my_module.py").write_text("def answer(question):\n    return 'A'\n")
    done = viva("sit", copied, *asked("mine=my_module:answer"), "--json", folder=tmp_path)
    assert done.code == 0, done.err
