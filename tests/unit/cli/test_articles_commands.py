"""`viva exam-articles` and `viva agree` on real files: exit codes, JSON, files written, sentences for bad input."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from click.testing import Result
from exams_by_hand import sound_exam
from file_server import file_server
from rich.console import Console
from typer.testing import CliRunner

from viva.cli.articles.screen import print_scores
from viva.cli.main import app
from viva.core.errors import UsageError
from viva.core.records import Exam
from viva.core.records.judging import JudgeCard, Measured
from viva.core.scores_articles import ArticleScores
from viva.exams.file import read_exam, write_exam
from viva.storage.judges import remember

DATA = Path(__file__).parents[2] / "data" / "articles"
EXAMPLES = Path(__file__).parents[3] / "examples" / "articles"


def invoke(*arguments: object) -> Result:
    done = CliRunner().invoke(app, [str(each) for each in arguments])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def test_the_example_comes_out_in_order_with_a_report(tmp_path: Path) -> None:
    arguments = [
        "exam-articles",
        EXAMPLES / "bank.csv",
        "--articles",
        EXAMPLES / "systems",
        "--gold",
        EXAMPLES / "gold",
    ]
    found = json.loads(invoke(*arguments, "--out", tmp_path / "out", "--json").stdout)
    assert [(row["system"], row["exam"]["value"]) for row in found["systems"]] == [
        ("digest", pytest.approx(0.8)),
        ("skimmer", pytest.approx(4 / 15)),
        ("rambler", 0.0),
    ]
    assert [row["skipped"] for row in found["systems"]] == [0, 0, 1]
    assert (tmp_path / "out" / "report.html").is_file()
    shown = invoke(*arguments, "--out", tmp_path / "out").stdout
    assert "digest" in shown
    assert "ROUGE-1" in shown


def test_stored_gradings_need_no_reading(tmp_path: Path) -> None:
    arguments = [
        "exam-articles",
        DATA / "bank.csv",
        "--gradings",
        DATA / "gradings.jsonl",
        "--out",
        tmp_path,
        "--json",
    ]
    found = json.loads(invoke(*arguments).stdout)
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


SCORED = ("verification", "at_least", "normalised_by", "systems", "differences", "outcomes", "failures", "queries")


def test_gradings_given_back_give_the_same_scores_to_the_last_digit(tmp_path: Path) -> None:
    """Where the surest paragraph is wrong, an article is empty, a query is skipped, a passage has no text."""
    (tmp_path / "bank.csv").write_text(
        (DATA / "bank.csv").read_text(encoding="utf-8") + "keyless,Keyless,k,What has no key?,\n", encoding="utf-8"
    )
    lines = [
        {"system": "ada", "query_id": "lock", "text": "The lock gate is painted blue.\n\nThe paint is red."},
        {"system": "coil", "query_id": "pier", "text": ""},
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    (tmp_path / "own.py").write_text("def answer(question):\n    raise RuntimeError('out')\n", encoding="utf-8")
    gold = {"system": "gold", "query_id": "lock", "text": "The lock gate is painted red."}
    (tmp_path / "gold.jsonl").write_text(json.dumps(gold), encoding="utf-8")
    read = [
        "--articles",
        tmp_path / "a.jsonl",
        "--run",
        f"bell={DATA / 'run.trec'}",
        "--gold",
        tmp_path / "gold.jsonl",
    ]
    read += ["--passages", DATA / "passages.jsonl", "--examinee", f"own={tmp_path / 'own.py'}:answer"]
    begun = ["exam-articles", tmp_path / "bank.csv", "--no-abilities", "--json", "--out"]
    for how in ([], ["--whole"], ["--verify", "rating", "--min-grade", "2"]):
        out = tmp_path / ("out" + "".join(how))
        first = json.loads(invoke(*begun, out, *read, *how).stdout)
        again = json.loads(invoke(*begun, tmp_path / "again", "--gradings", out / "gradings.jsonl").stdout)
        # gold texts are not in the gradings: there is no ROUGE
        rows = [{**row, "rouge": None} for row in first["systems"]]
        assert {**{name: first[name] for name in SCORED}, "systems": rows} == {name: again[name] for name in SCORED}
        assert {row["system"]: row["failed"] for row in again["systems"]}["own"] == again["queries"]
        assert again["notes"] == []
        assert first["reader"] in again["reader"]


def test_gradings_of_which_nobody_says_how_they_were_graded_come_with_a_note(tmp_path: Path) -> None:
    arguments = ["exam-articles", DATA / "bank.csv", "--gradings", DATA / "gradings.jsonl", "--out", tmp_path]
    (note,) = json.loads(invoke(*arguments, "--json").stdout)["notes"]
    assert "does not say how it was graded" in note["sentence"]
    assert "grade 4 or more" in note["sentence"]
    assert "Note: " in invoke(*arguments).stdout
    assert "does not say how it was graded" in (tmp_path / "report.html").read_text(encoding="utf-8")


def graded(folder: Path) -> Path:
    invoke("exam-articles", DATA / "bank.csv", "--run", DATA / "run.trec", "--passages", DATA / "passages.jsonl",
           "--out", folder)  # fmt: skip
    return folder / "gradings.jsonl"


def test_gradings_made_with_other_keys_are_refused(tmp_path: Path) -> None:
    kept = graded(tmp_path / "out")
    (tmp_path / "bank.csv").write_text(
        (DATA / "bank.csv").read_text(encoding="utf-8").replace("red", "green"), encoding="utf-8"
    )
    with pytest.raises(UsageError, match="another question bank, or the bank's questions or keys have changed"):
        invoke("exam-articles", tmp_path / "bank.csv", "--gradings", kept, "--out", tmp_path / "o")


def test_gradings_of_right_and_wrong_are_no_ratings(tmp_path: Path) -> None:
    kept = graded(tmp_path / "out")
    with pytest.raises(UsageError, match="has none: its grades are of answers"):
        invoke("exam-articles", DATA / "bank.csv", "--gradings", kept, "--verify", "rating", "--out", tmp_path / "o")


def test_two_gradings_in_one_file_are_refused(tmp_path: Path) -> None:
    kept = graded(tmp_path / "out").read_text(encoding="utf-8")
    (tmp_path / "both.jsonl").write_text(kept + kept, encoding="utf-8")
    with pytest.raises(UsageError, match="other gradings begin here"):
        invoke("exam-articles", DATA / "bank.csv", "--gradings", tmp_path / "both.jsonl", "--out", tmp_path / "o")


def test_a_system_that_failed_on_every_query_is_shown_in_the_table_and_the_report(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("def answer(question):\n    raise RuntimeError('out')\n", encoding="utf-8")
    run = ["--run", DATA / "run.trec", "--passages", DATA / "passages.jsonl"]
    shown = invoke(
        "exam-articles", DATA / "bank.csv", *run, "--examinee", f"own={tmp_path / 'own.py'}:answer", "--out", tmp_path
    ).stdout
    board = shown.split("Systems", 1)[1].split("EXAM-Cover")[0]
    assert "own" in board
    assert "failed" in board
    assert '<th scope="col" class="num">Failed</th>' in (tmp_path / "report.html").read_text(encoding="utf-8")


def flat_exam(folder: Path) -> Path:
    """An exam of viva in which no question has a topic."""
    items = [shown.model_copy(update={"item": shown.item.model_copy(update={"topic": ""})}) for shown in
             sound_exam(3).items]  # fmt: skip
    write_exam(Exam.of(items), folder / "exam.jsonl")
    return folder / "exam.jsonl"


def test_an_exam_without_topics_asks_every_article_all_of_its_questions_and_says_so(tmp_path: Path) -> None:
    bank = flat_exam(tmp_path)
    first = read_exam(bank).items[0].item
    for query in ("The lock", "pier"):
        (tmp_path / "systems" / "ada").mkdir(parents=True, exist_ok=True)
        (tmp_path / "systems" / "ada" / f"{query}.md").write_text(first.evidence[0].quote, encoding="utf-8")
    arguments = ["exam-articles", bank, "--articles", tmp_path / "systems", "--reader", "oracle"]
    found = json.loads(invoke(*arguments, "--out", tmp_path / "out", "--json").stdout)
    assert (found["queries"], found["questions"]) == (2, 6)
    assert {o["query_id"] for o in found["outcomes"] if o["question_id"] == first.id} == {"The lock", "pier"}
    assert "every article is asked all of its 3 questions" in found["notes"][0]["sentence"]
    again = invoke("exam-articles", bank, "--gradings", tmp_path / "out" / "gradings.jsonl", "--out", tmp_path / "o",
                   "--json")  # fmt: skip
    assert json.loads(again.stdout)["systems"] == found["systems"]
    with pytest.raises(UsageError, match="its questions have no topic"):
        invoke("exam-articles", bank, "--examinee", "bm25", "--documents", DATA, "--out", tmp_path / "o")


def test_a_trec_run_is_read_with_its_passages(tmp_path: Path) -> None:
    arguments = [
        "exam-articles",
        DATA / "bank.csv",
        "--run",
        DATA / "run.trec",
        "--passages",
        DATA / "passages.jsonl",
    ]
    found = json.loads(invoke(*arguments, "--reader", "oracle", "--out", tmp_path, "--json").stdout)
    (row,) = found["systems"]
    assert (row["system"], row["passages_ungraded"]) == ("ada", 1)
    assert row["exam"]["value"] > 0


def test_a_language_model_rates_through_the_door_and_is_paid_once(tmp_path: Path) -> None:
    arguments = ["exam-articles", DATA / "bank.csv", "--run", DATA / "run.trec"]
    arguments += [
        "--passages",
        DATA / "passages.jsonl",
        "--reader",
        "model",
        "--verify",
        "rating",
        "--model",
        "fake:any",
        "--out",
        tmp_path,
        "--json",
    ]
    first = invoke(*arguments).stdout
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
    shown = invoke(
        "exam-articles", DATA / "bank.csv", "--articles", tmp_path / "a.jsonl", "--out", tmp_path / "o"
    ).stdout
    assert "\x1b" not in shown
    assert "\\x1b" in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "no article to judge"),
        (["--run", DATA / "run.trec"], "--passages FILE"),
        (
            ["--gradings", DATA / "gradings.jsonl", "--gold", EXAMPLES / "gold"],
            "--gradings and --gold are both given",
        ),
        (["--verify", "hope"], "--verify is 'hope'"),
        (["--examinee", "bm25"], "--documents"),
        (["--gradings", DATA / "gradings.jsonl", "--normalise", "luck"], "luck"),
        (["--official", "nowhere.csv"], "no file nowhere.csv"),
        (["--gradings", DATA / "gradings.jsonl", "--reader", "oracle"], "--gradings and --reader are both given"),
        (["--gradings", DATA / "gradings.jsonl", "--paragraphs", 3], "--gradings and --paragraphs are both given"),
        (["--gradings", DATA / "gradings.jsonl", "--judge", "rubric"], "--gradings and --judge are both given"),
        (
            ["--gradings", DATA / "gradings.jsonl", "--verify", "judge"],
            "--gradings and --verify judge are both given",
        ),
        (["--gradings", DATA / "gradings.jsonl", "--max-calls", 0], "--gradings and --max-calls are both given"),
        (["--judge", "nope"], "--judge nope has no effect with --verify key"),
        (["--judge", "correctness-offline", "--verify", "rating"], "no effect with --verify rating"),
        (["--verify", "judge", "--judge", "nope", "--articles", EXAMPLES / "systems"], "nope"),
        (["--model", "fake:any"], "--model has no effect, because no language model is asked. The reader is lexical"),
        (["--max-calls", 0], "--max-calls has no effect, because no language model is asked"),
        (["--verify", "judge", "--price", "fake:any=1,1"], "verdicts of the default judge"),
        (["--passages", DATA / "passages.jsonl"], "--passages has no effect without --run"),
        (["--documents", DATA], "--documents has no effect without --examinee"),
        (["--timeout", 3], "--timeout has no effect without --examinee"),
        (["--run", DATA, "--passages", DATA / "passages.jsonl"], "is a folder"),
    ],
)
def test_what_cannot_be_done_is_said(arguments: list[object], said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        invoke("exam-articles", DATA / "bank.csv", *arguments, "--out", tmp_path / "out")


def test_options_about_a_language_model_do_something_where_one_judges(tmp_path: Path) -> None:
    arguments = [
        "exam-articles",
        DATA / "bank.csv",
        "--run",
        DATA / "run.trec",
        "--passages",
        DATA / "passages.jsonl",
    ]
    asked = ["--verify", "judge", "--judge", "correctness", "--model", "fake:any", "--max-calls", 50]
    found = json.loads(invoke(*arguments, *asked, "--out", tmp_path, "--json").stdout)
    assert (found["judge"]["name"], found["judge"]["model"]) == ("correctness", "fake:any")


def test_the_judge_is_named_with_what_is_known_of_it_here_and_when_gradings_are_given_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIVA_JUDGES", str(tmp_path / "judges"))
    arguments = ["exam-articles", DATA / "bank.csv", "--out", tmp_path, "--run", DATA / "run.trec", "--passages"]
    arguments += [DATA / "passages.jsonl", "--verify", "judge"]
    card = JudgeCard.model_validate(json.loads(invoke(*arguments, "--json").stdout)["judge"])
    figure = Measured(
        data="harbour", data_fingerprint="f", statistic="mcc", estimate=0.5, low=0.4, high=0.6, labels=9
    )
    remember(card.model_copy(update={"measured": (figure,)}))
    shown = invoke(*arguments).stdout
    assert "by the judge correctness-offline" in shown
    said = "Agreement of the judge correctness-offline with people: MCC 0.50 (95% 0.40 to 0.60; 9 labels of harbour)"
    assert said in shown
    assert said in (tmp_path / "report.html").read_text(encoding="utf-8")
    back = ["exam-articles", DATA / "bank.csv", "--gradings", tmp_path / "gradings.jsonl", "--out", tmp_path / "o"]
    (kept,) = json.loads(invoke(*back, "--json").stdout)["judge"]["measured"]
    assert kept == figure.model_dump(mode="json")


def refused(*arguments: object) -> UsageError:
    with pytest.raises(UsageError) as found:
        invoke("exam-articles", *arguments)
    return found.value


def test_a_live_system_that_fails_is_to_be_checked(tmp_path: Path) -> None:
    (tmp_path / "rag.py").write_text("def boom(question):\n    raise RuntimeError('out')\n", encoding="utf-8")
    spec = f"{tmp_path / 'rag.py'}:boom"
    error = refused(DATA / "bank.csv", "--examinee", spec, "--out", tmp_path / "o")
    assert error.next_step == f"See what ails it: viva examinee check {spec}"


def test_retrievers_that_find_nothing_are_not_sent_to_passages(tmp_path: Path) -> None:
    error = refused(DATA / "bank.csv", "--examinee", "closed-book", "--documents", DATA, "--out", tmp_path / "o")
    assert "Retrievers found nothing" in error.next_step
    assert "--passages" not in error.next_step


def test_documents_to_collect_from_may_lie_at_an_address(tmp_path: Path) -> None:
    collecting = ["exam-articles", DATA / "bank.csv", "--examinee", "bm25", "--reader", "oracle", "--json"]
    with file_server(EXAMPLES.parent / "handbook") as server:
        there = invoke(*collecting, "--documents", server.url, "--out", tmp_path / "there").stdout
    here = invoke(*collecting, "--documents", EXAMPLES.parent / "handbook", "--out", tmp_path / "here").stdout
    assert json.loads(there)["systems"] == json.loads(here)["systems"]


def test_a_retriever_of_langchain_collects_no_articles_and_that_is_told(tmp_path: Path) -> None:
    panel = tmp_path / "panel.yaml"
    panel.write_text("examinees: [{name: t, reference: {retriever: langchain_community.retrievers:TFIDFRetriever}}]")
    error = refused(DATA / "bank.csv", "--examinee", panel, "--documents", DATA, "--out", tmp_path / "o")
    assert "collects nothing: articles are made by viva's own" in error.problem


def test_texts_that_a_run_lacks_are_looked_for_in_passages(tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_text('{"id": "other", "text": "Of nothing asked."}', encoding="utf-8")
    run = ["--run", DATA / "run.trec", "--passages", tmp_path / "p.jsonl"]
    assert "--passages" in refused(DATA / "bank.csv", *run, "--out", tmp_path / "o").next_step


@pytest.mark.parametrize(("text", "said"), [("", "is empty"), ("foo,bar\n1,2\n", "no format that is known")])
def test_a_bank_that_is_none_says_what_a_bank_is(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "bank.csv").write_text(text, encoding="utf-8")
    error = refused(tmp_path / "bank.csv", "--articles", EXAMPLES / "systems", "--out", tmp_path / "o")
    assert said in error.problem
    assert "query_id, question and key" in error.allowed
    assert "--format" not in str(error)


def test_documents_that_nobody_collects_from_are_refused(tmp_path: Path) -> None:
    (tmp_path / "rag.py").write_text("def ask(question):\n    return 'Red.'\n", encoding="utf-8")
    spec = f"{tmp_path / 'rag.py'}:ask"
    error = refused(DATA / "bank.csv", "--examinee", spec, "--documents", DATA, "--out", tmp_path / "o")
    assert "no system given collects" in error.problem


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
    arguments = ["exam-articles", tmp_path / "bank.csv", "--articles", tmp_path / "systems", "--out", tmp_path / "o"]
    found = json.loads(invoke(*arguments, "--json").stdout)
    assert (found["queries"], found["questions"], found["systems"][0]["exam"]["value"]) == (1, 1, 1.0)
    assert "2 questions of the bank without a key" in found["unknown"][0]
    assert "1 query had no other questions" in found["unknown"][0]
    rated = json.loads(invoke(*arguments, "--verify", "rating", "--json").stdout)
    assert rated["questions"] == 3


def test_articles_without_any_text_are_nothing_to_read(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"system": "ada", "query_id": "lock", "text": ""}', encoding="utf-8")
    with pytest.raises(UsageError, match="No article holds a text"):
        invoke("exam-articles", DATA / "bank.csv", "--articles", tmp_path / "a.jsonl", "--out", tmp_path / "o")


def test_an_official_leaderboard_of_other_systems_is_named_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "board.csv").write_text("system,score\nzoe,1\nyan,2\n", encoding="utf-8")
    arguments = ["exam-articles", DATA / "bank.csv", "--gradings", DATA / "gradings.jsonl", "--out", tmp_path / "o"]
    shown = invoke(*arguments, "--official", tmp_path / "board.csv").stdout
    assert "agreement with board.csv: it shares fewer than two systems" in shown


@pytest.mark.parametrize("width", [40, 60, 80])
def test_a_narrow_terminal_cuts_no_figure_and_no_name(width: int, tmp_path: Path) -> None:
    arguments = ["exam-articles", DATA / "bank.csv", "--gradings", DATA / "gradings.jsonl", "--out", tmp_path]
    invoke(*arguments)
    scores = ArticleScores.model_validate_json((tmp_path / "scores.json").read_text(encoding="utf-8"))
    out = StringIO()
    print_scores(Console(file=out, width=width, force_terminal=True, color_system=None), scores, tmp_path / "r")
    text = out.getvalue()
    assert "…" not in text
    for row in scores.systems:
        assert row.exam is not None
        assert row.system in text
        assert f"{row.exam.value:.3f}" in text
