"""`viva exam-articles` and `viva agree` on real files: exit codes, JSON, files written, sentences for bad input."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from click.testing import Result
from exams_by_hand import sound_exam
from rich.console import Console
from typer.testing import CliRunner

from viva.api.articles import articles_result
from viva.cli.main import app
from viva.core.errors import UsageError
from viva.core.records import Exam
from viva.core.scores_articles import ArticleScores
from viva.exams.file import write_exam

DATA = Path(__file__).parents[2] / "data" / "articles"
EXAMPLES = Path(__file__).parents[3] / "examples" / "articles"
STORED = ("exam-articles", DATA / "bank.csv", "--gradings", DATA / "gradings.jsonl")
MODEL = ("--model", "fake:any")
RUN = ("--run", DATA / "run.trec", "--passages", DATA / "passages.jsonl")


def invoke(*arguments: object) -> Result:
    done = CliRunner().invoke(app, [str(each) for each in arguments])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def refused(*arguments: object) -> UsageError:
    with pytest.raises(UsageError) as found:
        invoke("exam-articles", *arguments)
    return found.value


def test_a_model_reads_the_examples_and_leaves_scores_and_a_report(tmp_path: Path) -> None:
    given = [EXAMPLES / "bank.csv", "--articles", EXAMPLES / "systems", "--gold", EXAMPLES / "gold", *MODEL]
    found = json.loads(invoke("exam-articles", *given, "--out", tmp_path, "--json").stdout)
    assert {row["system"]: row["skipped"] for row in found["systems"]} == {"digest": 0, "skimmer": 0, "rambler": 1}
    assert found["reader"] == "fake:any"
    assert found["normalised_by"] == "what the gold articles answer"
    assert (tmp_path / "report.html").is_file()
    assert json.loads((tmp_path / "scores.json").read_text(encoding="utf-8")) == found
    shown = invoke("exam-articles", *given, "--out", tmp_path).stdout
    assert "digest" in shown


def test_stored_gradings_need_no_reading(tmp_path: Path) -> None:
    found = json.loads(invoke(*STORED, "--out", tmp_path, "--json").stdout)
    assert [(row["system"], row["exam"]["value"]) for row in found["systems"]] == [
        ("ada", 0.5),
        ("bell", 0.25),
        ("coil", 0.0),
    ]
    assert found["verification"] == "rating"
    missed = {o["question_id"]: o["pooled"] for o in found["outcomes"] if not o["answered_by"]}
    assert missed == {"lock/colour": False, "lock/built": True, "pier/keeper": False}
    assert next(o for o in found["outcomes"] if o["question_id"] == "lock/closes")["answered_by"] == {
        "ada": "p1",
        "bell": "p1",
    }


def test_gradings_that_do_not_say_how_they_were_made_come_with_a_note(tmp_path: Path) -> None:
    (note,) = json.loads(invoke(*STORED, "--out", tmp_path, "--json").stdout)["notes"]
    assert "does not say how it was graded" in note["sentence"]
    assert "grade 4 or more" in note["sentence"]
    assert "Note: " in invoke(*STORED, "--out", tmp_path).stdout
    assert "does not say how it was graded" in (tmp_path / "report.html").read_text(encoding="utf-8")
    told = json.loads(invoke(*STORED, "--min-grade", 3, "--out", tmp_path, "--json").stdout)
    assert (told["at_least"], told["notes"]) == (3, [])


def test_a_trec_run_is_read_with_its_passages_and_paid_once(tmp_path: Path) -> None:
    arguments = ["exam-articles", DATA / "bank.csv", *RUN, "--verify", "rating", *MODEL, "--out", tmp_path, "--json"]
    first = invoke(*arguments).stdout
    (row,) = json.loads(first)["systems"]
    assert (row["system"], row["passages_ungraded"]) == ("ada", 1)
    events = (tmp_path / "events.jsonl").read_text(encoding="utf-8")
    assert events.count("\n") == 10  # four questions to two passages, two to one
    assert invoke(*arguments).stdout == first
    assert (tmp_path / "events.jsonl").read_text(encoding="utf-8") == events


def test_two_leaderboards_agree_as_they_do(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("system,exam\nada,.9\nbell,.5\ncoil,.1\n", encoding="utf-8")
    (tmp_path / "ranks.json").write_text('{"ada": 1, "bell": 2, "coil": 3}', encoding="utf-8")
    found = json.loads(invoke("agree", tmp_path / "a.csv", tmp_path / "ranks.json", "--json").stdout)
    assert (found["spearman"], found["kendall"], found["systems"]) == (pytest.approx(1), pytest.approx(1), 3)
    assert "Spearman 1.000" in invoke("agree", tmp_path / "a.csv", tmp_path / "ranks.json").stdout


def test_what_systems_call_themselves_does_nothing_to_the_terminal(tmp_path: Path) -> None:
    row = {"system": "evil\x1b[31m", "query_id": "lock", "text": "The lock gate is red."}
    (tmp_path / "a.jsonl").write_text(json.dumps(row), encoding="utf-8")
    given = [DATA / "bank.csv", "--articles", tmp_path / "a.jsonl", *MODEL]
    shown = invoke("exam-articles", *given, "--out", tmp_path / "o").stdout
    assert "\x1b" not in shown
    assert "\\x1b" in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (MODEL, "no article to judge"),
        (["--run", DATA / "run.trec", *MODEL], "needs the texts of its passages"),
        (["--passages", DATA / "passages.jsonl", "--articles", EXAMPLES, *MODEL], "needs the texts of its passages"),
        (["--run", DATA, "--passages", DATA / "passages.jsonl", *MODEL], "is a folder"),
        (["--verify", "hope"], "--verify is 'hope'"),
        (["--official", "nowhere.csv"], "no file nowhere.csv"),
        (["--gradings", DATA / "gradings.jsonl", "--gold", EXAMPLES / "gold"], "--gradings and --gold are both"),
        (["--gradings", DATA / "gradings.jsonl", "--max-calls", 0], "--gradings and --max-calls are both given"),
        (["--gradings", DATA / "gradings.jsonl", "--whole"], "--gradings and --whole are both given"),
    ],
)
def test_what_cannot_be_done_is_said(arguments: list[object], said: str, tmp_path: Path) -> None:
    assert said in str(refused(DATA / "bank.csv", *arguments, "--out", tmp_path / "out"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--articles", EXAMPLES / "systems"], "Reading articles without a language model is gone"),
        (["--reader", "lexical"], "--reader is gone: articles are read by a language model alone"),
        (["--verify", "judge"], "--verify judge is gone: answers are verified by the bank's keys"),
        (["--judge=correctness-offline"], "--judge is gone"),
        (["--examinee", "bm25"], "--examinee is gone: articles are read from files"),
        (["--tokens", 20], "--paragraphs"),
        (["--no-abilities"], "leave the option out"),
    ],
)
def test_what_is_gone_is_said_with_what_to_use_instead(arguments: list[object], said: str, tmp_path: Path) -> None:
    assert said in refused(DATA / "bank.csv", *arguments, "--out", tmp_path / "o").problem


def test_random_orders_of_ties_are_gone() -> None:
    with pytest.raises(UsageError, match="--breaks is gone"):
        invoke("agree", "a.csv", "b.csv", "--breaks", "10")


@pytest.mark.parametrize(("text", "said"), [("", "is empty"), ("foo,bar\n1,2\n", "names no query")])
def test_a_bank_that_is_none_is_said(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "bank.csv").write_text(text, encoding="utf-8")
    error = refused(tmp_path / "bank.csv", "--articles", EXAMPLES / "systems", *MODEL, "--out", tmp_path / "o")
    assert said in error.problem
    assert "docs/articles.md" in error.next_step


def test_an_exam_without_topics_is_no_bank(tmp_path: Path) -> None:
    items = [shown.model_copy(update={"item": shown.item.model_copy(update={"topic": ""})}) for shown in
             sound_exam(3).items]  # fmt: skip
    write_exam(Exam.of(items), tmp_path / "exam.jsonl")
    error = refused(tmp_path / "exam.jsonl", "--articles", EXAMPLES / "systems", *MODEL, "--out", tmp_path / "o")
    assert "its questions have no topic" in error.problem


def test_the_help_says_what_a_model_does_here() -> None:
    shown = " ".join(invoke("exam-articles", "--help").stdout.replace("│", " ").split())
    assert "The language model that reads articles" in shown
    assert "write the exam" not in shown


def test_questions_without_a_key_are_left_out_and_listed_not_counted_as_unanswered(tmp_path: Path) -> None:
    (tmp_path / "bank.csv").write_text(
        "query_id,question,key\nlock,What colour is the lock?,red\nlock,Why?,\npier,When?,\n", encoding="utf-8"
    )
    for query in ("lock", "pier"):
        (tmp_path / "systems" / "ada").mkdir(parents=True, exist_ok=True)
        (tmp_path / "systems" / "ada" / f"{query}.md").write_text("The colour of the lock is red.", encoding="utf-8")
    given = ["exam-articles", tmp_path / "bank.csv", "--articles", tmp_path / "systems", *MODEL, "--json", "--out"]
    found = json.loads(invoke(*given, tmp_path / "o").stdout)
    assert (found["queries"], found["questions"]) == (1, 1)
    assert "2 questions of the bank without a key" in found["unknown"][0]
    rated = json.loads(invoke(*given, tmp_path / "o", "--verify", "rating").stdout)
    assert rated["questions"] == 3


def test_an_official_leaderboard_of_other_systems_is_named_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "board.csv").write_text("system,score\nzoe,1\nyan,2\n", encoding="utf-8")
    shown = invoke(*STORED, "--out", tmp_path / "o", "--official", tmp_path / "board.csv").stdout
    assert "the leaderboard board.csv: it shares 0 systems with this one" in shown


@pytest.mark.parametrize("width", [40, 60, 80])
def test_a_narrow_terminal_cuts_no_figure_and_no_name(width: int, tmp_path: Path) -> None:
    invoke(*STORED, "--out", tmp_path)
    scores = ArticleScores.model_validate_json((tmp_path / "scores.json").read_text(encoding="utf-8"))
    out = StringIO()
    console = Console(file=out, width=width, force_terminal=True, color_system=None)
    articles_result(scores, tmp_path / "r").print(console)
    text = out.getvalue()
    assert "…" not in text
    for row in scores.systems:
        assert row.exam is not None
        assert row.system in text
        assert f"{row.exam.value:.3f}" in text
