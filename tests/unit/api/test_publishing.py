"""A published exam: one file that a gate reads by itself, without the questions that are held back."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pump_rags import fact
from pump_run import pump_context, pump_exam
from typer.testing import CliRunner

import viva
from viva.cli.main import app
from viva.core.errors import UsageError
from viva.core.records import Exam, ItemKind, Turn
from viva.exams.file import compact, with_id, write_exam
from viva.exams.published import Publication, chosen_secret, published_text, read_publication

Answer = Callable[[str, list[str] | None], str]


def rag(right: Callable[[int], bool] = lambda _: True) -> Answer:
    """A system that knows the facts of these pumps, and for others names the first wrong option."""

    def answer(question: str, options: list[str] | None = None) -> str:
        number = int(re.findall(r"pump (\d+)", question)[0])
        litres = re.findall(r"\d+ litres", fact(number))[0]
        return litres if right(number) else next(each for each in options or [] if each != litres)

    return answer


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> viva.Run:
    monkeypatch.chdir(tmp_path)
    with closing(pump_context(tmp_path / "run", exam=pumps(60))):
        pass
    return viva.open_run(tmp_path / "run")


def pumps(count: int) -> Exam:
    return Exam.of([with_id(each) for each in pump_exam(count).items])


def ask(run: viva.Run, **systems: Answer) -> None:
    """Put all questions to the systems, and score nothing."""
    for name, system in systems.items():
        run.gate(**{name: system}, save="answers.json", again=True)


@pytest.mark.slow
def test_parameters_and_their_scale_are_published(run: viva.Run) -> None:
    run.examine(base=rag(), half=rag(lambda n: n % 2 == 0), third=rag(lambda n: n % 3 == 0), manufactured=False)
    run.exam.publish("pumps.jsonl", secret=0.2)
    exam = viva.Exam.read("pumps.jsonl")
    assert exam.published is not None
    assert exam.published.scale is not None
    assert exam.published.scale.systems == 3
    assert {each.item_id for each in exam.published.parameters} == {each.id for each in exam}


def test_a_gate_needs_the_published_file_alone(run: viva.Run) -> None:
    ask(run, base=rag())
    made = run.exam.publish("pumps.jsonl", licence="CC-BY-4.0", secret=0.2, baseline="base")
    assert (made.record["questions"], made.record["held_back"]) == (48, 12)
    exam = viva.Exam.read("pumps.jsonl")
    assert exam.published is not None
    assert (exam.published.licence, exam.published.held_back, exam.notes) == ("CC-BY-4.0", 12, ())
    assert exam.record.id in exam.published.canary
    assert (exam.published.scale, exam.published.parameters) == (None, ())
    Path("worse.py").write_text("def answer(question, options):\n    return 'none'\n", "utf-8")
    done = CliRunner().invoke(app, ["gate", "--exam", "pumps.jsonl", "-e", "worse.py:answer"])
    assert done.exit_code == 4, done.output
    assert "worse than base" in done.output
    assert exam.gate(rag(), out="ci", max_drop=10).verdict == "pass"
    assert exam.published.canary in viva.open_run("ci").exposure().text()


def test_the_same_exam_is_published_as_the_same_bytes(run: viva.Run) -> None:
    for name in ("one.jsonl", "two.jsonl"):
        run.exam.publish(name, secret=0.2)
    assert Path("one.jsonl").read_bytes() == Path("two.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("pump 7 move", "pump 7 lift", "was altered"),
        ('"licence":"CC0"', '"licence":"mine"', "was altered"),
        ('"held_back":3', '"held_back":4', "was altered"),
        ('"version":2', '"version":1', "was altered"),
        ('"version":2', '"version":3', "version 3; this viva reads up to version 2"),
        ('"publication":', '"publicity":', "was altered"),
        ("\n", "\r\n", ""),
    ],
)
def test_an_altered_file_and_one_of_a_newer_version_are_sentences(
    run: viva.Run, before: str, after: str, problem: str
) -> None:
    run.exam.publish("pumps.jsonl", licence="CC0", secret=0.05)
    text = Path("pumps.jsonl").read_text("utf-8")
    assert before in text
    Path("pumps.jsonl").write_bytes(text.replace(before, after).encode())
    if not problem:
        assert len(viva.Exam.read("pumps.jsonl")) == 57
        return
    with pytest.raises(viva.UsageError, match=problem):
        viva.Exam.read("pumps.jsonl")
    for command in (["gate", "--exam"], ["sit"]):
        done = CliRunner().invoke(app, [*command, "pumps.jsonl", "-e", "my_rag.py:answer"])
        assert isinstance(done.exception, viva.UsageError)
        assert problem in str(done.exception)


@pytest.mark.parametrize("line", ["[1]", "5", "no JSON", '{"kind":"baseline"}', '{"kind":"parameters","b":"x"}'])
def test_a_line_that_cannot_be_read_is_a_sentence_even_with_the_right_hash(line: str) -> None:
    first, *rest = [*published_text(pumps(2), Publication(canary="c", held_back=0)).splitlines(), line]
    header = json.loads(first)
    del header["publication"]["sha256"]
    header["publication"]["sha256"] = hashlib.sha256("\n".join((compact(header), *rest)).encode()).hexdigest()
    with pytest.raises(viva.UsageError, match="is no published exam that can be read"):
        read_publication("\n".join((compact(header), *rest)), "pumps.jsonl")


def test_nothing_but_a_published_exam_is_written_over(run: viva.Run) -> None:
    write_exam(pumps(2), "exam.jsonl")
    Path("notes.txt").write_bytes(b"\xff notes")
    kept = {path: path.read_bytes() for path in (Path("exam.jsonl"), Path("notes.txt"), Path("run/run.sqlite"))}
    for path, content in kept.items():
        with pytest.raises(viva.UsageError, match="exists already"):
            run.exam.publish(path)
        assert path.read_bytes() == content
    run.exam.publish("pumps.jsonl")
    run.exam.publish("pumps.jsonl", licence="CC0")
    published = viva.Exam.read("pumps.jsonl").published
    assert published
    assert published.licence == "CC0"


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"secret": 2}, "The share to hold back is 2"),
        ({"secret": -0.1}, "The share to hold back is -0.1"),
        ({"secret": 0.001}, "of 60 questions that is none"),
        ({"licence": "CC0\nMIT"}, "The licence holds control characters"),
        ({"licence": "\udcff"}, "The licence holds control characters"),
        ({"licence": " "}, "The licence is empty"),
        ({"baseline": ""}, "No system called"),
        ({"baseline": "nobody"}, "No system called"),
    ],
)
def test_what_cannot_be_published_so_is_refused_before_a_file_is_written(
    run: viva.Run, given: dict[str, Any], problem: str
) -> None:
    with pytest.raises(viva.UsageError, match=problem):
        run.exam.publish("pumps.jsonl", **given)
    assert not Path("pumps.jsonl").exists()


def test_what_is_held_back_leaves_the_run_by_no_export(run: viva.Run) -> None:
    done = CliRunner().invoke(app, ["exam", "publish", "run", "pumps.jsonl", "--secret", "0.2", "--json"])
    assert json.loads(done.output)["held_back"] == 12
    published = {each.id for each in viva.Exam.read("pumps.jsonl")}
    secret = [each.text for each in run.exam if each.id not in published]
    run.exam.write("exam.jsonl")
    done = CliRunner().invoke(app, ["exam", "export", "run", "--format", "csv", "--out", "quiz.csv"])
    assert "Held back: 12 questions." in done.output
    # without a share, those that are held back stay so
    run.exam.publish("again.jsonl")
    for file in ("pumps.jsonl", "exam.jsonl", "quiz.csv", "again.jsonl"):
        assert not [text for text in secret if text in Path(file).read_text("utf-8")]
    assert len(run.exam) == 60


def test_a_question_that_was_published_is_never_held_back_later(run: viva.Run) -> None:
    run.exam.publish("first.jsonl", secret=0.1)
    found = run.exam.publish("second.jsonl", secret=0.3)
    assert found.record["held_back"] == 6
    assert "12 questions fewer than asked" in found.text()
    assert Path("first.jsonl").read_bytes() == Path("second.jsonl").read_bytes()


def test_what_could_not_be_written_may_be_held_back_later(run: viva.Run) -> None:
    with pytest.raises(UsageError):
        run.exam.publish("no-folder/pumps.jsonl")
    assert run.exam.publish("pumps.jsonl", secret=0.2).record["held_back"] == 12


def test_the_share_is_of_each_kind_and_spares_what_other_questions_show() -> None:
    items = [*pumps(40).items]
    for n in range(20):
        first = items[n + 20].item.stem
        kind = {"kind": ItemKind.FOLLOW_UP, "history": (Turn(role="user", text=first),)}
        items[n] = items[n].model_copy(update={"item": items[n].item.model_copy(update=kind)})
    shown = {each.item.id for each in items[20:]}
    assert not shown & set(chosen_secret(Exam.of(items), 0.5, ()))
    items[:20] = [
        each.model_copy(update={"item": each.item.model_copy(update={"history": ()})}) for each in items[:20]
    ]
    chosen = set(chosen_secret(Exam.of(items), 0.2, ()))
    assert (len(chosen), len(chosen & shown)) == (8, 4)
    assert chosen == set(chosen_secret(Exam.of(items[::-1]), 0.2, ()))


def test_inflated_scores_on_published_questions_are_shown_with_an_interval(run: viva.Run) -> None:
    run.exam.publish("pumps.jsonl", secret=0.5)
    numbers = [int(re.findall(r"pump (\d+)", each.text)[0]) for each in viva.Exam.read("pumps.jsonl")]
    # one has learned the published questions, the other knows as many of both
    ask(run, learned=rag(lambda n: n in numbers or n % 2 == 0), honest=rag(lambda n: n % 3 > 0))
    done = CliRunner().invoke(app, ["exam", "exposure", "run"])
    assert re.search(r"learned: published questions inflated by \d+ points \(\d+ to \d+\)", done.output)
    assert "honest: published questions and those held back are not told apart" in done.output
    systems = {each["system"]: each for each in run.exposure().record["systems"]}
    assert systems["learned"]["difference"]["low"] > 0
    assert (systems["learned"]["put"], len(systems["learned"]["days"])) == (60, 1)


def test_questions_that_were_put_too_often_are_retired(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_exam(pumps(60), "pumps.jsonl")
    viva.Exam.read("pumps.jsonl").gate(first=rag(lambda n: n % 2 == 0), save="first.json", out="run")
    run = viva.open_run("run")
    ask(run, mine=rag())
    with pytest.raises(viva.UsageError, match="60 of 60 questions would be retired"):
        run.exam.retire(1)
    with pytest.raises(viva.UsageError, match="A number from 1"):
        run.exam.retire(0)
    assert run.exam.retire(2).record["retired"] == {}
    found = run.gate(broken=rag(lambda n: False), baseline="mine")
    assert found.asked < 60
    done = CliRunner().invoke(app, ["exam", "retire", "run", "--after", "2", "--by", "Ada", "--json"])
    retired = json.loads(done.output)["retired"]
    assert set(retired.values()) == {3}
    assert len(retired) == found.asked
    assert not retired.keys() & {each.id for each in run.exam}
    assert len(run.exam) == 60 - found.asked
