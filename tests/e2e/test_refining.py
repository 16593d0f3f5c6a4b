"""`viva refine` in a real run: refused in words, refined, told, and shown in the report."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from command import viva
from harbour import asked
from standing import count

from viva.exams.file import read_exam

pytestmark = pytest.mark.slow

SYSTEMS = 24
# each knows the keys, and says another option the more often, the less able it is; of two questions the able say it
SYSTEM = """
import hashlib
KEYS, TURNED = {keys!r}, {turned!r}
def system(name, skill):
    def answer(question):
        stem, *options = question.splitlines()
        luck = int(hashlib.sha256(f"{{name}} {{stem}}".encode()).hexdigest()[:8], 16) / 16**8
        able = skill < 0.5 if stem in TURNED else luck < skill
        right = next((o for o in options if o.endswith(") " + KEYS[stem])), options[-1])
        wrong = next(o for o in options if o != right and o[1:2] == ")")
        return (right if able else wrong)[0]
    return answer
for n in range({count}):
    globals()[f"s{{n}}"] = system(f"s{{n}}", 0.2 + 0.75 * n / {count})
"""
# named from the folder they are in: their ids hold the path
NAMED = asked(*(f"s{n}=systems.py:s{n}" for n in range(SYSTEMS)))


def sat_and_scored(run: Path, turned: list[str]) -> None:
    """Let the systems sit the exam of the run, then score it."""
    keys = {shown.item.stem: shown.item.key for shown in read_exam(run / "exam.jsonl").items}
    systems = run.with_name("systems.py")
    systems.write_text(SYSTEM.format(keys=keys, turned=turned, count=SYSTEMS), encoding="utf-8")
    sat = viva("sit", run, *NAMED, folder=run.parent)
    assert sat.code == 0, sat.err
    assert viva("score", run).code == 0


def test_a_scored_run_is_refined_and_its_report_shows_it(copied: Path) -> None:
    few = viva("refine", copied)
    assert (few.code, few.out) == (2, "")
    assert "too few to judge its questions by" in few.err

    before = read_exam(copied / "exam.jsonl")
    turned = sorted(shown.item.stem for shown in before.items)[3:5]
    sat_and_scored(copied, turned)
    responses = count(copied, "responses")

    told = viva("refine", copied, "--json").json()
    assert told["exam_before"] == before.id
    dropped = {each["stem"]: each["reason"] for step in told["steps"] for each in step["dropped"]}
    assert set(turned) <= dropped.keys()
    after = read_exam(copied / "exam.jsonl")
    assert after.id == told["exam_after"] != before.id
    assert count(copied, "responses") == responses
    assert read_exam(copied / f"exam.{before.id}.jsonl") == before
    assert viva("exam", "lint", copied).code == 0

    again = viva("refine", copied, "--rounds", "1")
    assert again.code == 0, again.err
    assert "Ended: " in again.out

    report = viva("report", copied)
    assert report.code == 0, report.err
    assert 'id="refinement"' in (copied / "report.html").read_text("utf-8")


def test_new_items_or_why_there_are_none(copied: Path) -> None:
    """The harbour's exam has taken all that was accepted, and all its chunks are read."""
    before = read_exam(copied / "exam.jsonl")
    sat_and_scored(copied, [before.items[0].item.stem])
    told = viva("refine", copied, "--replenish", "--rounds", "1", "--json", folder=copied.parent).json()
    added = [each["item_id"] for step in told["steps"] for each in step["added"]]
    assert not {shown.item.id for shown in before.items} & set(added)
    assert added or any("no accepted item and no unread source" in note for note in told["notes"])


def test_what_cannot_be_refined_is_said(copied: Path, tmp_path: Path) -> None:
    for arguments, said in (
        ([tmp_path / "nowhere"], "nowhere"),
        ([copied, "--method", "guinet2024"], "leave it out"),
        ([copied, "--quantile=0.2"], "leave it out"),
        ([copied, "--dry-run"], "viva write RUN"),
    ):
        done = viva("refine", *arguments)
        assert (done.code, done.out) == (2, ""), arguments
        assert said in done.err
        assert "Traceback" not in done.err
