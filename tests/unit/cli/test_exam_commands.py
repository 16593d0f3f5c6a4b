"""`viva exam ...`: each command on a real run folder and on real files, with its exit code and its JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from by_hand import document
from click.testing import Result
from exams_by_hand import exam_item, sound_exam, sound_item
from typer.testing import CliRunner

from viva.cli.main import app
from viva.core.errors import UsageError
from viva.core.records import Chunk, Exam, KnowledgeUnit, Rejection, Step, Trial, Verdict
from viva.core.settings import Settings
from viva.exams.file import read_exam, write_exam
from viva.exams.review import Decision, Edit, ReviewLog
from viva.graphs.authoring.account import funnel_of
from viva.graphs.context import RunContext
from viva.storage.lock import run_lock
from viva.storage.runs import RunStore

DOCUMENT = document("The tug pulls 20 tonnes. The ferry was launched in 1920.", "harbour/tugs.md")
CHUNK = Chunk.of(DOCUMENT, 0, len(DOCUMENT.text), 12)
HOSTILE = "What does the tug \x1b[31m[red]Pike[/red] pull at most?"

Invoke = Callable[..., Result]


def invoke(*arguments: object, lines: str = "") -> Result:
    done = CliRunner().invoke(app, ["exam", *map(str, arguments)], input=lines)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def told(*arguments: object, lines: str = "") -> dict[str, object]:
    found = json.loads(invoke(*arguments, "--json", lines=lines).stdout)
    assert isinstance(found, dict)
    return found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An exam of three sound items, in viva's own format."""
    write_exam(sound_exam(3), tmp_path / "exam.jsonl")
    return tmp_path / "exam.jsonl"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run whose exam has two sound items from one chunk, where a third was rejected and a fourth never asked."""
    context = RunContext(tmp_path / "run", Settings())
    context.bind(tmp_path, "fingerprint")
    context.store.add_corpus([DOCUMENT], [CHUNK], [])
    items = [sound_item(n, trials=(Trial(reader="lexical", with_evidence=False, picked=1, tried=3),)) for n in (0, 1)]
    rest = KnowledgeUnit.of(CHUNK, "The tug is old.", items[0].item.evidence[0])
    verdict = Verdict(critic="wording", passed=False, reason="it leaks", code="answer leak")
    steps = [Step(chunk_id=CHUNK.id, number=0, role="chair", input="", output="", duration_s=0)]
    rejections = [Rejection.of(rest, None, verdict)]
    context.store.finish_chunk(CHUNK.id, [shown.item for shown in items], rejections, steps, units=4)
    context.store.add_exam(Exam.of(items))
    context.close()
    return tmp_path / "run"


def latest(run: Path) -> Exam:
    with RunStore.open(run) as store:
        found = store.latest_exam()
    assert found is not None
    return found


# --- stats ------------------------------------------------------------------------------------------------


def test_stats_of_a_run_say_where_the_candidates_went(run: Path) -> None:
    said = invoke("stats", run).stdout
    assert "Candidates: 3 = 2 accepted + 1 rejected + 0 failed" in said
    assert "rejected: 1 answer leak" in said
    assert "Solved by lexical blind: 33%" in said
    found = told("stats", run)
    assert found["candidates"] == 3
    assert found["items"] == 2


def test_stats_of_a_file_say_that_the_candidates_are_not_known(file: Path) -> None:
    said = invoke("stats", file).stdout
    assert "Candidates: not known" in said
    assert "longest option" in said
    assert "By type: factoid 3 (100%)." in said
    found = told("stats", file)
    assert found["funnel"] is None
    assert found["chance"] == 0.25


# --- diff -------------------------------------------------------------------------------------------------


def test_diff_is_told_in_lines_and_ends_with_0_whether_the_exams_differ_or_not(file: Path, run: Path) -> None:
    done = invoke("diff", file, run)
    assert done.exit_code == 0
    assert "0 added, 1 removed, 2 changed, 0 the same." in done.stdout
    assert "trials: none -> “lexical blind 1/3”" in done.stdout
    same = invoke("diff", file, file)
    assert same.exit_code == 0
    assert "The two exams are equal." in same.stdout
    assert told("diff", file, file)["equal"] is True


# --- lint -------------------------------------------------------------------------------------------------


def test_lint_ends_with_2_where_there_are_errors_and_with_0_where_there_are_none(file: Path, tmp_path: Path) -> None:
    assert invoke("lint", file).exit_code == 0
    bad = exam_item("According to the passage, what does the tug Pike pull?", ["35 tonnes", "42 tonnes", "28 tonnes"])
    write_exam(Exam.of([sound_item(0), bad]), tmp_path / "bad.jsonl")
    done = invoke("lint", tmp_path / "bad.jsonl")
    assert done.exit_code == 2
    assert bad.item.stem in done.stdout
    assert "0 warnings" in done.stdout
    found = CliRunner().invoke(app, ["exam", "lint", str(tmp_path / "bad.jsonl"), "--json"])
    assert found.exit_code == 2
    assert json.loads(found.stdout)["findings"][0]["numbers"] == [2]


def test_lint_reads_what_others_wrote(tmp_path: Path) -> None:
    (tmp_path / "quiz.txt").write_text(
        "stem,key,distractor_1,distractor_2\nWhat does the tug Pike pull?,35 tonnes,42 tonnes,All of the above\n",
        encoding="utf-8",
    )
    done = invoke("lint", tmp_path / "quiz.txt", "--format", "csv")
    assert done.exit_code == 2
    assert "error" in done.stdout


# --- import and export ------------------------------------------------------------------------------------


def test_export_and_import_give_the_exam_back(run: Path, tmp_path: Path) -> None:
    done = invoke("export", run, "--format", "csv", "--out", out := tmp_path / "quiz.csv")
    assert f"Wrote the exam of 2 questions to {out} (table with a row per question (.csv))." in done.stdout
    invoke("import", out, "--out", tmp_path / "back.jsonl")
    assert [s.item.stem for s in read_exam(tmp_path / "back.jsonl").items] == [s.item.stem for s in latest(run).items]


def test_an_export_of_several_files_writes_over_none_of_them(file: Path) -> None:
    before = file.read_bytes()
    with pytest.raises(UsageError, match=r"exam\.jsonl exists already"):
        invoke("export", file, "--format", "lm-eval", "--out", file.with_name("exam.yaml"))
    assert {path.name: path.read_bytes() for path in file.parent.iterdir()} == {"exam.jsonl": before}


def test_import_names_what_it_could_not_take(tmp_path: Path) -> None:
    (quiz := tmp_path / "quiz.csv").write_text(
        "stem,key,distractor_1\nWhat does the tug pull?,35 tonnes,42 tonnes\nWhich is right?,one,one\n",
        encoding="utf-8",
    )
    done = invoke("import", quiz, "--out", tmp_path / "exam.jsonl")
    assert done.exit_code == 0
    assert "1 questions of" in done.stdout
    assert "Left out or changed (1):" in done.stdout
    with pytest.raises(UsageError, match="exists already"):
        invoke("import", quiz, "--out", quiz)
    again = told("import", quiz, "--out", tmp_path / "again.jsonl")
    assert len(again["problems"]) == 1  # type: ignore[arg-type]
    assert again["format"] == "csv"


def test_a_format_nobody_knows_is_refused_with_those_that_are(file: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="ragas"):
        invoke("export", file, "--format", "papyrus", "--out", tmp_path / "x")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("command", ["stats", "lint", "review"])
def test_what_holds_no_exam_is_a_usage_error(command: str, tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nowhere.jsonl"):
        with pytest.raises(UsageError):
            invoke(command, place)


def test_nothing_from_a_file_reaches_the_terminal_unseen(tmp_path: Path) -> None:
    write_exam(Exam.of([exam_item(HOSTILE, ["35 tonnes", "4\x1b]0;x\x07 tonnes"])]), tmp_path / "exam.jsonl")
    write_exam(sound_exam(1), tmp_path / "other.jsonl")
    said = "".join(
        CliRunner().invoke(app, ["exam", *command], input="a\n").output
        for command in (
            ["stats", str(tmp_path / "exam.jsonl")],
            ["lint", str(tmp_path / "exam.jsonl")],
            ["diff", str(tmp_path / "exam.jsonl"), str(tmp_path / "other.jsonl")],
            ["review", str(tmp_path / "exam.jsonl")],
        )
    )
    assert "\x1b" not in said
    assert "\x07" not in said
    assert "\\x1b[31m[red]Pike[/red]" in said


# --- review -----------------------------------------------------------------------------------------------


def test_a_review_of_a_file_ends_in_a_new_file_with_the_decisions_in_it(file: Path) -> None:
    before = read_exam(file)
    said = invoke(
        "review", file, "--reviewer", "ada", lines="a fine\nr two options are right\ne\nstem\nWho mended it?\na\n"
    )
    after = read_exam(file.with_name("exam.reviewed.jsonl"))
    assert "2 accepted (1 of them edited), 1 rejected, 0 undecided" in said.stdout
    assert [shown.item.stem for shown in after.items] == [before.items[0].item.stem, "Who mended it?"]
    assert [(r.decision, r.by, r.note) for r in after.items[0].item.provenance.reviews] == [("accept", "ada", "fine")]
    edited, accepted = after.items[1].item.provenance.reviews
    assert (edited.decision, edited.before) == ("edit", before.items[2].item.id)
    assert accepted.decision == "accept"
    assert read_exam(file) == before


def test_a_review_shows_what_a_person_needs_to_decide(run: Path) -> None:
    said = invoke("review", run, lines="").stdout
    shown = latest(run).items[0]
    assert "Question 1 of 2, 0 decided" in said
    assert shown.item.stem in said
    assert f"* A) {shown.item.key}" in said
    assert f"  B) {shown.options[1]}" in said
    assert shown.item.evidence[0].quote in said
    assert "readers: lexical 1/3 blind" in said


def test_a_review_goes_on_where_it_was_left(file: Path) -> None:
    first = invoke("review", file, lines="s\nr\nq\n").stdout
    assert "0 accepted (0 of them edited), 1 rejected, 2 undecided" in first
    assert not file.with_name("exam.reviewed.jsonl").exists()
    second = invoke("review", file, lines="a\n").stdout
    assert "Question 1 of 3, 1 decided" in second
    assert "Question 2 of 3" not in second
    third = invoke("review", file, lines="a\n").stdout
    assert "Question 3 of 3, 2 decided" in third
    assert len(read_exam(file.with_name("exam.reviewed.jsonl")).items) == 2


def test_the_end_of_the_answers_is_a_pause_and_finish_makes_the_exam_as_it_stands(file: Path) -> None:
    assert told("review", file, lines="r\n") == {
        "questions": 3,
        "accepted": 0,
        "edited": 0,
        "rejected": 1,
        "undecided": 2,
        "log": str(file.with_name("exam.reviews.jsonl")),
        "exam": None,
    }
    done = told("review", file, "--finish")
    assert done["exam"] == str(file.with_name("exam.reviewed.jsonl"))
    assert len(read_exam(file.with_name("exam.reviewed.jsonl")).items) == 2


def test_an_edit_survives_a_pause_and_is_not_yet_a_decision(file: Path) -> None:
    first, _, _ = read_exam(file).items
    invoke("review", file, lines="e\nB\n77 tonnes\n")
    said = invoke("review", file, lines="").stdout
    assert "Question 1 of 3, 0 decided" in said
    assert "  B) 77 tonnes" in said
    assert f"option, before: {first.options[1]}" in said


@pytest.mark.parametrize("mine", [["a"], ["e", "stem", "Which did Ada word?"]])
def test_who_decides_on_what_another_has_reworded_meanwhile_is_shown_it_and_records_nothing(
    mine: list[str], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = read_exam(file).items[0].item
    log = ReviewLog(file.with_name("exam.reviews.jsonl"))
    edit = Edit(field="stem", before=first.stem, after="Which did Ben word?")
    made = Decision(item=first.id, decision="edit", by="ben", at="2026-01-01T00:00:00+00:00", edit=edit)
    lines = iter([*mine, "q"])

    def answer(*_: object) -> str:
        if not log.read():
            log.append(made)
        return next(lines)

    monkeypatch.setattr("viva.cli.exam.review.answer", answer)
    said = invoke("review", file, "--reviewer", "ada").stdout
    assert "Meanwhile ben decided “edit”" in said
    assert "Which did Ben word?" in said.split("Meanwhile")[1]
    assert log.read() == [made]


def test_an_edit_is_checked_by_the_rules_at_once(file: Path) -> None:
    said = invoke("review", file, lines="e\nstem\nAccording to the passage, what does the tug pull?\nq\n").stdout
    clean, warned = said.split("Question 1 of 3")[1:]
    assert "!" not in clean
    assert "   ! " in warned


def test_what_cannot_be_an_edit_is_said_and_nothing_is_decided(file: Path) -> None:
    first, second, _ = read_exam(file).items
    refused = [
        ("e\nZ\n", "This question has no part 'Z'."),
        (f"e\nA\n{first.options[1]}\n", "is another option of this question already"),
        ("e\nstem\nWhat\x07?\n", "control characters"),
        ("e\n\n", ""),
        ("e\nstem\n\n", ""),
        ("what?\n", "a accept, e edit, r reject"),
        ("\n", "a accept, e edit, r reject"),
    ]
    for lines, reason in refused:
        assert reason in invoke("review", file, lines=lines).stdout
    assert not file.with_name("exam.reviews.jsonl").exists()
    assert second.item.stem not in invoke("review", file, lines="zz\n").stdout


def test_a_review_of_a_run_makes_its_next_exam(run: Path) -> None:
    before = latest(run)
    said = invoke("review", run, "--reviewer", "ada", lines="r\na\n").stdout
    after = latest(run)
    assert f"The reviewed exam: {run / 'exam.jsonl'}" in said
    assert [shown.item.id for shown in after.items] == [before.items[1].item.id]
    assert after.id != before.id
    assert (run / "reviews.jsonl").exists()
    assert read_exam(run / "exam.jsonl") == after
    # nothing is left to ask, and nothing is taken twice
    again = told("review", run)
    assert (again["questions"], again["accepted"]) == (1, 1)
    assert latest(run) == after


def test_a_review_that_takes_nothing_out_is_kept_with_the_questions(run: Path) -> None:
    invoke("review", run, "--reviewer", "ada", lines="a\na\n")
    assert [shown.item.provenance.reviews[-1].by for shown in latest(run).items] == ["ada", "ada"]
    assert read_exam(run / "exam.jsonl") == latest(run)


def test_the_funnel_counts_what_a_person_took_out(run: Path) -> None:
    context = RunContext(run, Settings())
    before = funnel_of(context.store)
    context.close()
    invoke("review", run, "--reviewer", "ada", lines="r\na\n")
    context = RunContext(run, Settings())
    after = funnel_of(context.store)
    context.close()
    assert after.in_exam == before.in_exam - 1
    assert after.left_out["rejected by a person"] == 1


def test_a_run_that_another_process_works_on_keeps_its_exam_and_the_decisions(run: Path) -> None:
    before = latest(run)
    with run_lock(run), pytest.raises(UsageError, match="works on the run folder"):
        invoke("review", run, lines="r\na\n")
    assert latest(run) == before
    invoke("review", run)
    assert len(latest(run).items) == 1


def test_who_decides_is_the_user_of_the_environment_unless_told(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "grace")
    invoke("review", file, lines="r\n")
    invoke("review", file, "--reviewer", "ada", lines="a\n")
    log = [json.loads(line) for line in file.with_name("exam.reviews.jsonl").read_text("utf-8").splitlines()]
    assert [line["by"] for line in log] == ["grace", "ada"]
