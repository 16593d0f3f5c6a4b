"""A gate in Python and on the command line: a system made worse is found with few questions, and the cause named."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from pump_rags import fact
from pump_run import pump_context, pump_exam
from typer.testing import CliRunner

import viva
from viva.cli.main import app

ASKED: list[str] = []
Answer = Callable[[str, list[str] | None], dict[str, object]]


def rag(shift: int = 0, *, reworded: bool = False, failing: int = 0) -> Answer:
    """A system that reads one document: the right one, or with a `shift` that of another pump."""

    def answer(question: str, options: list[str] | None = None) -> dict[str, object]:
        ASKED.append(question)
        number = int(re.findall(r"pump (\d+)", question)[0])
        if failing and number % failing == 0:
            raise RuntimeError("the index is gone")
        passage = fact(number + shift)
        litres = re.findall(r"\d+ litres", passage)[0]
        near = litres if litres in (options or []) else (options or ["nothing"])[0]
        return {"text": f"It moves {near} a minute." if reworded else near, "passages": [passage]}

    return answer


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> viva.Run:
    monkeypatch.chdir(tmp_path)
    with closing(pump_context(tmp_path / "run", exam=pump_exam(60))):
        pass
    found = viva.open_run(tmp_path / "run")
    found.gate(base=rag(), save="baseline.json")
    ASKED.clear()
    return found


def test_a_broken_retriever_is_a_regression_by_retrieval_after_few_questions(run: viva.Run) -> None:
    found = run.gate(broken=rag(shift=1), baseline="base")
    assert found.verdict == "regress"
    assert (len(found.newly_wrong), found.of) == (5, 60)
    assert found.asked <= 15
    assert {each["why"] for each in found.newly_wrong} == {"retrieval"}
    assert found.low > 0
    assert "retrieval 5" in found.text()
    asked = len(ASKED)
    again = run.gate(broken=rag(shift=1), baseline="base")
    assert (again.verdict, again.asked, len(ASKED)) == ("regress", found.asked, asked)
    run.gate(broken=rag(shift=1), baseline="base", again=True)
    assert len(ASKED) == 2 * asked


def test_a_system_that_words_its_answers_otherwise_passes(run: viva.Run) -> None:
    found = run.gate(reworded=rag(reworded=True), baseline="base", max_drop=5)
    assert (found.verdict, found.drop, found.newly_wrong) == ("pass", 0, [])
    assert found.high < 5
    short = run.gate(reworded=rag(reworded=True), baseline="base")
    assert (short.verdict, short.more_needed) == ("undecided", 4)
    assert "64 questions are needed" in short.notes[0]


def test_the_baseline_itself_passes_without_a_question(run: viva.Run) -> None:
    found = run.gate(base=rag(), baseline="base")
    assert (found.verdict, found.asked, ASKED) == ("pass", 0, [])
    with pytest.raises(viva.UsageError, match="is the baseline itself"):
        run.gate(base=rag(), baseline="base", again=True)


def test_a_file_that_cannot_be_written_is_refused_before_a_question(run: viva.Run) -> None:
    with pytest.raises(viva.UsageError, match="its folder is not there"):
        run.gate(other=rag(shift=1), save="nowhere/baseline.json")
    assert ASKED == []


def test_failures_count_as_wrong_answers_and_are_said(run: viva.Run) -> None:
    found = run.gate(failing=rag(failing=3), baseline="base")
    assert found.verdict == "regress"
    assert {each["why"] for each in found.newly_wrong} == {"failed"}
    assert any("failed on 5 of" in note and "the index is gone" in note for note in found.notes)


def sat_repeatedly(run: viva.Run, source: str, *names: str) -> None:
    """Let functions of a file, which know how often they were asked a question, sit three times."""
    head = f"from collections import Counter\n{SYSTEM}\nSHIFT = 0\ntimes = Counter()\n"
    Path("moody.py").write_text(head + source, "utf-8")
    systems = [part for name in names for part in ("-e", f"{name}=moody.py:{name}")]
    done = CliRunner().invoke(app, ["sit", str(run.folder), "--repeats", "3", *systems])
    assert done.exit_code == 0, done.output


def gated(run: viva.Run, name: str, *options: str) -> dict[str, Any]:
    """The JSON of a gate of a function of that file."""
    done = CliRunner().invoke(app, ["gate", str(run.folder), "-e", f"{name}=moody.py:{name}", "--json", *options])
    assert done.exit_code in {0, 4, 5}, done.output
    return dict(json.loads(done.stdout))


def test_of_answers_on_several_occasions_the_mean_counts_for_candidate_and_baseline(run: viva.Run) -> None:
    # late is wrong the first time alone, early right the first time alone
    source = """
def late(question, options):
    times["late", question] += 1
    return answer(question, options) if times["late", question] > 1 else {"text": "none"}

def early(question, options):
    times["early", question] += 1
    return answer(question, options) if times["early", question] == 1 else {"text": "none"}
"""
    sat_repeatedly(run, source, "late", "early")
    better, worse = gated(run, "late", "--baseline", "early"), gated(run, "early", "--baseline", "late")
    assert (better["verdict"], worse["verdict"]) == ("pass", "regress")
    for found, sign in ((better, -1), (worse, 1)):
        assert found["drop"] == pytest.approx(sign * 100 / 3)
        assert found["answers"] == found["baseline_answers"] == found["kept"] == 3 * found["asked"]
        assert (len(found["newly_wrong"]), found["newly_right"])[sign < 0] == found["asked"]
    told = f"the mean counts: {better['answers']} answers of late and {better['answers']} of early."
    assert any(told in note for note in better["notes"])
    recorded = run.gate("late=moody.py:late", save="late.json")
    assert recorded.notes[0].startswith("recorded: 180 answers of late (67% right)")


def test_failures_of_all_occasions_count_and_the_cause_is_that_of_answers_like_the_mean(run: viva.Run) -> None:
    source = """
def failing(question, options):
    times["failing", question] += 1
    # fewer in a row than end a sitting
    if times["failing", question] == 3 and int(re.findall(r"pump (\\d+)", question)[0]) % 4:
        raise RuntimeError("the third time")
    return answer(question, options)

def losing(question, options):
    times["losing", question] += 1
    number = int(re.findall(r"pump (\\d+)", question)[0])
    litres, other = 7 * number + 3, number + (times["losing", question] > 1)
    passage = f"Pump {other} moves {7 * other + 3} litres of water per minute."
    return {"text": f"{litres} litres" if other == number else "none", "passages": [passage]}
"""
    sat_repeatedly(run, source, "failing", "losing")
    failing = gated(run, "failing", "--baseline", "base")
    assert failing["drop"] > 0
    assert failing["failures"] > 0
    told = f"It failed {failing['failures']} times, in {failing['answers']} answers, counted as wrong answers."
    assert any(told in note and "the third time" in note for note in failing["notes"])
    losing = gated(run, "losing", "--baseline", "base")
    assert losing["verdict"] == "regress"
    assert {each["why"] for each in losing["newly_wrong"]} == {"retrieval"}


def test_who_was_asked_by_a_gate_alone_is_on_no_leaderboard(run: viva.Run) -> None:
    run.gate(broken=rag(shift=1), baseline="base")
    names = [row["system"] for row in run.score(manufactured=False).leaderboard.rows()]
    assert names == ["base"]


def test_an_exam_that_takes_the_place_of_another_is_said_at_once_and_the_other_is_kept(
    run: viva.Run, capsys: pytest.CaptureFixture[str]
) -> None:
    run.exam.write("exam.jsonl")
    exam, other = viva.Exam.read("exam.jsonl"), Path("quiz.csv")
    other.write_text("question,answer\nWhat moves?,The pump\n", "utf-8")
    for _ in range(2):
        exam.gate(rag(), baseline="baseline.json", out="ci")
        assert "another exam" not in capsys.readouterr().err
    before = viva.open_run("ci").exam.record
    with pytest.raises(viva.UsageError, match="No baseline"):
        viva.Exam.read(other).gate(rag(), out="ci")
    assert f"had another exam before: exam.{before.id}.jsonl" in capsys.readouterr().err
    viva.Exam.read(f"ci/exam.{before.id}.jsonl").gate(rag(), baseline="baseline.json", out="ci")
    assert viva.open_run("ci").exam.record == before


def test_an_exam_file_and_a_saved_baseline_are_enough(run: viva.Run) -> None:
    run.exam.write("exam.jsonl")
    exam = viva.Exam.read("exam.jsonl")
    found = exam.gate(rag(shift=1), baseline="baseline.json", out="ci")
    assert (found.verdict, found.of) == ("regress", 60)
    # the file has no documents to point into; its questions have the texts of their evidence
    assert {each["why"] for each in found.newly_wrong} == {"retrieval"}
    scores = {shown.item.id: 1.0 for shown in exam.record.items}
    Path("scores.json").write_text(json.dumps(scores), "utf-8")
    assert exam.gate(rag(shift=1), baseline="scores.json", out="ci").verdict == "regress"


def test_a_verdict_is_the_same_with_and_without_other_systems_in_the_run(run: viva.Run) -> None:
    alone = run.gate(broken=rag(shift=1), baseline="base")
    run.examine(other=rag(shift=2), third=rag(reworded=True), manufactured=False)
    beside = run.gate(second=rag(shift=1), baseline="base")
    assert (alone.verdict, alone.asked) == (beside.verdict, beside.asked)


def test_a_baseline_that_will_not_do_is_a_sentence(run: viva.Run) -> None:
    for baseline, content, told in (
        ("nobody", None, "one of: base"),
        ("nowhere.json", None, "is not there"),
        ("other.json", {"some other item": 1}, "another exam"),
        ("newer.json", {"schema": "viva-gate", "version": 9}, "Take a newer viva"),
        ("scores.json", {"examinees": [], "comparisons": []}, "scores of whole systems"),
        ("list.json", [1], "no baseline that can be read"),
        ("beyond.json", {"some item": 7}, "no baseline that can be read"),
    ):
        if content is not None:
            Path(baseline).write_text(json.dumps(content), "utf-8")
        with pytest.raises(viva.UsageError, match=told):
            run.gate(broken=rag(shift=1), baseline=baseline)
    assert not ASKED


def test_what_cannot_be_a_gate_is_a_sentence(run: viva.Run) -> None:
    with pytest.raises(viva.UsageError, match="No baseline is named"):
        run.gate(rag())
    with pytest.raises(viva.UsageError, match="for one system, and 2 are named"):
        run.gate(one=rag(), two=rag(shift=1), baseline="base")
    for wrong in ({"max_drop": 0}, {"alpha": 1}, {"power": 0}):
        with pytest.raises(viva.UsageError, match=r"Above 0|above 0"):
            run.gate(rag(), baseline="base", **wrong)
    with closing(pump_context(Path("one"), exam=pump_exam(1))):
        pass
    one = viva.open_run("one")
    one.gate(base=rag(), save="one.json")
    with pytest.raises(viva.UsageError, match=r"has 1 question .* too few"):
        one.gate(broken=rag(shift=1), baseline="base")


def test_reports_for_ci_escape_what_answers_and_questions_hold(run: viva.Run) -> None:
    found = run.gate(**{"a<b>&\x07]]>": rag(shift=1)}, baseline="base")
    suite = ElementTree.fromstring(found.junit())
    case = suite.find("testcase")
    assert case is not None
    assert case.get("name") == "a<b>&]]> against base"
    assert case.find("failure") is not None
    assert suite.get("failures") == "1"
    lines = found.annotations().splitlines()
    assert len(lines) == 1 + len(found.newly_wrong)
    assert lines[0].startswith("::error title=viva gate%3A regress::")
    assert "95%25" in lines[0]


SYSTEM = """
import re

def answer(question, options=None):
    number = int(re.findall(r"pump (\\d+)", question)[0]) + SHIFT
    litres = f"{7 * number + 3} litres"
    return {"text": litres if litres in (options or []) else (options or ["none"])[0]}

"""


@pytest.fixture
def exam(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an exam file, its baseline, a system as good as this and a worse one."""
    from viva.exams.file import write_exam

    monkeypatch.chdir(tmp_path)
    write_exam(pump_exam(60), Path("exam.jsonl"))
    for name, shift in (("good", 0), ("worse", 1)):
        Path(f"{name}.py").write_text(f"SHIFT = {shift}\n{SYSTEM}", "utf-8")
    ids = [question.id for question in viva.Exam.read("exam.jsonl")]
    Path("baseline.json").write_text(json.dumps(dict.fromkeys(ids, 1)), "utf-8")
    return tmp_path


def test_the_exit_code_is_the_verdict(exam: Path) -> None:
    for options, code in (
        (["-e", "worse.py:answer"], 4),
        (["-e", "good.py:answer"], 5),
        (["-e", "good.py:answer", "--undecided", "pass"], 0),
        (["-e", "good.py:answer", "--undecided", "fail"], 4),
        (["-e", "good.py:answer", "--max-drop", "5"], 0),
    ):
        done = CliRunner().invoke(app, ["gate", "--exam", "exam.jsonl", "--baseline", "baseline.json", *options])
        assert done.exit_code == code, done.output


def test_the_command_writes_what_a_ci_reads(exam: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    options = ["--github", "--out", "run", "--junit", "run/junit.xml", "-e", "worse.py:answer"]
    done = CliRunner().invoke(app, ["gate", "--exam", "exam.jsonl", "--baseline", "baseline.json", *options])
    assert "::error title=viva gate%3A regress::" in done.stdout
    assert Path("summary.md").read_text("utf-8").startswith("## ")
    assert ElementTree.parse("run/junit.xml").getroot().get("failures") == "1"


def pytest_says(*arguments: str) -> str:
    """What pytest prints with the plugin, in this folder; the exit code comes last."""
    # where viva is installed with its entry point, the plugin is there already
    named = [] if entry_points(group="pytest11", name="viva") else ["-p", "viva.pytest_plugin"]
    command = [sys.executable, "-m", "pytest", *named, "-p", "no:cacheprovider", "-q", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path.cwd())
    return f"{done.stdout}{done.stderr} exit {done.returncode}"


@pytest.mark.slow
def test_pytest_holds_a_gate_and_asks_question_by_question(exam: Path) -> None:
    told = pytest_says("--viva", "exam.jsonl", "--viva-system", "worse.py:answer", "--viva-baseline", "baseline.json")
    assert "regress: worse:answer is worse than baseline" in told
    assert told.endswith("exit 1")
    told = pytest_says("--viva", "exam.jsonl", "--viva-system", "good.py:answer", "--viva-each")
    assert "60 passed" in told
    assert "needs a system" in pytest_says("--viva", "exam.jsonl")


@pytest.mark.slow
def test_a_test_of_ones_own_asks_for_an_accuracy(exam: Path) -> None:
    Path("test_rag.py").write_text(
        """
import pytest, viva
from good import answer
from worse import answer as worse


@pytest.mark.viva(exam="exam.jsonl", min_accuracy=0.8)
def test_good(viva_exam):
    assert viva_exam.examine(answer).accuracy.value == 1


@pytest.mark.viva(exam="exam.jsonl", min_accuracy=0.8)
def test_worse(viva_exam):
    viva_exam.examine(worse)


def test_plain():
    assert viva.Exam.read("exam.jsonl").examine(mine=answer)["mine"].accuracy.low > .8
""",
        "utf-8",
    )
    told = pytest_says()
    assert "1 failed, 2 passed" in told
    assert "its lower end has to reach 0.8" in told


def test_the_plugin_imports_nothing_heavy_at_the_start_of_pytest() -> None:
    code = (
        "import sys, viva.pytest_plugin\n"
        "print(sorted({'numpy', 'pydantic', 'rich', 'viva.api', 'viva.core'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_gate_begins_without_what_only_scores_and_graphs_need() -> None:
    code = (
        "import sys, viva.api.gate, viva.api.runs, viva.api.stages, viva.exams.formats\n"
        "own = {'core.scores', 'graphs.grading.grade_open', 'storage.corpus.read', 'examinees.specs.panel_file'}\n"
        "others = {'scipy', 'langgraph', 'langsmith', 'langchain_core', 'jinja2'}\n"
        "print(sorted((others | {f'viva.{each}' for each in own}) & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.slow
@pytest.mark.parametrize(("system", "code"), [("worse.py:answer", 4), ("good.py:answer", 0)])
def test_the_steps_of_the_action_run_as_plain_shell(exam: Path, system: str, code: int) -> None:
    root = Path(__file__).parents[3]
    action = yaml.safe_load((root / ".github/actions/viva-gate/action.yml").read_text("utf-8"))
    flow = yaml.safe_load((root / "examples/ci/gate.yml").read_text("utf-8"))
    given = {name: each.get("default", "") for name, each in action["inputs"].items()}
    used = next(step for step in flow["jobs"]["gate"]["steps"] if "viva-gate" in step.get("uses", ""))
    assert set(used["with"]) <= set(given)
    given |= {**used["with"], "system": system}
    program = exam / "bin/viva"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m viva "$@"\n', "utf-8")
    program.chmod(0o755)
    around = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "GITHUB_STEP_SUMMARY": "summary.md"}
    for step in action["runs"]["steps"]:
        values = {
            name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: str(given[found[1]]), text)
            for name, text in step.get("env", {}).items()
        }
        assert "${{" not in step["run"]
        done = subprocess.run(
            ["bash", "-e", "-c", step["run"]], env={**around, **values}, capture_output=True, text=True, check=False
        )
    assert done.returncode == code, done.stderr
    assert ElementTree.parse("viva-gate.xml").getroot().get("failures") == str(int(code == 4))
    assert "against baseline" in Path("summary.md").read_text("utf-8")
