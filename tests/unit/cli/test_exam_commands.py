"""`viva exam ...`: each command on a real run folder and on real files, with its exit code and its JSON."""

from __future__ import annotations

import csv
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
from viva.exams.review import Decision, Edit, ReviewLog, edited
from viva.graphs.authoring.account import funnel_of
from viva.graphs.context import RunContext
from viva.storage.lock import run_lock
from viva.storage.runs import RunStore

DOCUMENT = document("The tug pulls 20 tonnes. The ferry was launched in 1920.", "harbour/tugs.md")
CHUNK = Chunk.of(DOCUMENT, 0, len(DOCUMENT.text), 12)
HOSTILE = "What does the tug \x1b[31m[red]Pike[/red] pull at most?"

Invoke = Callable[..., Result]


def invoke(*arguments: object) -> Result:
    done = CliRunner().invoke(app, ["exam", *map(str, arguments)])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def told(*arguments: object) -> dict[str, object]:
    found = json.loads(invoke(*arguments, "--json").stdout)
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
    assert f"Wrote the exam of 2 questions to {out} (table with a row per question (.csv, .tsv))." in done.stdout
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
    assert "Left out or changed: 1 (two of its options are the same: 1)." in done.stdout
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
        CliRunner().invoke(app, ["exam", *command]).output
        for command in (
            ["stats", str(tmp_path / "exam.jsonl")],
            ["lint", str(tmp_path / "exam.jsonl")],
            ["diff", str(tmp_path / "exam.jsonl"), str(tmp_path / "other.jsonl")],
        )
    )
    assert "\x1b" not in said
    assert "\x07" not in said
    assert "\\x1b[31m[red]Pike[/red]" in said


# --- review -----------------------------------------------------------------------------------------------

ADA = ("--reviewer", "ada")


def decided(place: Path, *rows: dict[str, str]) -> Path:
    """A file as the export writes it, with these cells of its first rows filled in."""
    path = place.parent / "decisions.csv"
    invoke("review", place, "--export", path)
    with path.open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    for row, cells in zip(table, rows, strict=False):
        assert cells.keys() <= row.keys()
        row.update(cells)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, table[0])
        writer.writeheader()
        writer.writerows(table)
    return path


def test_a_review_of_a_file_ends_in_a_new_file_with_the_decisions_in_it(file: Path) -> None:
    before = read_exam(file)
    rows = (
        {"decision": "accept", "note": "fine"},
        {"decision": "reject", "note": "two options are right"},
        {"decision": "Accept", "stem": "Who mended it?"},
    )
    said = invoke("review", file, *ADA, "--import", decided(file, *rows))
    after = read_exam(file.with_name("exam.reviewed.jsonl"))
    assert "2 accepted (1 of them edited), 1 rejected, 0 undecided" in said.stdout
    assert [shown.item.stem for shown in after.items] == [before.items[0].item.stem, "Who mended it?"]
    assert [(r.decision, r.by, r.note) for r in after.items[0].item.provenance.reviews] == [("accept", "ada", "fine")]
    reworded, accepted = after.items[1].item.provenance.reviews
    assert (reworded.decision, reworded.before) == ("edit", before.items[2].item.id)
    assert accepted.decision == "accept"
    assert read_exam(file) == before


def test_the_file_shows_what_a_person_needs_to_decide(run: Path) -> None:
    invoke("review", run, "--export", path := run.parent / "a.jsonl")
    first = json.loads(path.read_text("utf-8").splitlines()[0])
    item = latest(run).items[0].item
    assert (first["item"], first["stem"], first["key"]) == (item.id, item.stem, item.key)
    assert first["wrong_1"] == item.distractors[0].text
    assert first["evidence"] == item.evidence[0].quote


def test_a_question_of_any_part_of_which_the_text_was_changed_is_edited_and_undecided(file: Path) -> None:
    cells = {"key": "77 tonnes", "wrong_2": "78 tonnes", "reference": "It pulls 77."}
    assert told("review", file, "--import", decided(file, cells)) == {
        "questions": 3,
        "accepted": 0,
        "edited": 0,
        "rejected": 0,
        "undecided": 3,
        "log": str(file.with_name("exam.reviews.jsonl")),
        "exam": str(file.with_name("exam.reviewed.jsonl")),
    }
    item = read_exam(file.with_name("exam.reviewed.jsonl")).items[0].item
    assert (item.key, item.distractors[1].text, item.reference_answer) == ("77 tonnes", "78 tonnes", "It pulls 77.")


def test_a_file_can_be_filled_in_and_imported_step_by_step(run: Path) -> None:
    path = decided(run, {"decision": "reject"})
    invoke("review", run, "--import", path)
    path.write_text(
        path.read_text("utf-8").replace(
            f"{latest(run).items[0].item.id},,", f"{latest(run).items[0].item.id},accept,"
        )
    )
    invoke("review", run, *ADA, "--import", path)
    assert [shown.item.provenance.reviews[-1].by for shown in latest(run).items] == ["ada"]
    lines = (run / "reviews.jsonl").read_text("utf-8").splitlines()
    invoke("review", run, *ADA, "--import", path)
    assert (run / "reviews.jsonl").read_text("utf-8").splitlines() == lines


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ({"decision": "maybe"}, "line 3: “maybe” is not a decision"),
        ({"item": "nothing"}, "line 3: “nothing” is not a question of this exam"),
        ({"wrong_1": "1911"}, "line 3: “1911” is another option of this question already"),
        ({"stem": "What\x07?"}, "line 3: The new wording holds control characters"),
    ],
)
def test_a_file_with_one_wrong_row_changes_nothing(cells: dict[str, str], reason: str, file: Path) -> None:
    second = read_exam(file).items[1].item
    cells = {name: text.replace("1911", second.key) for name, text in cells.items()}
    path = decided(file, {"decision": "reject"}, cells)
    with pytest.raises(UsageError, match=reason.replace("1911", second.key)):
        invoke("review", file, "--import", path)
    assert not file.with_name("exam.reviews.jsonl").exists()
    assert not file.with_name("exam.reviewed.jsonl").exists()


def test_two_questions_cannot_get_the_same_wording(tmp_path: Path) -> None:
    first = sound_item(0)
    second = edited(first, Edit(field="stem", before=first.item.stem, after="How much is it?"))
    write_exam(Exam.of([first, second]), path := tmp_path / "exam.jsonl")
    with pytest.raises(UsageError, match="two questions the same wording"):
        invoke("review", path, "--import", decided(path, {}, {"stem": first.item.stem}))


def test_decisions_of_the_viewer_are_taken_without_a_file(file: Path) -> None:
    first = read_exam(file).items[0].item
    log = ReviewLog(file.with_name("exam.reviews.jsonl"))
    log.append(Decision(item=first.id, decision="reject", by="ben", at="2026-01-01T00:00:00+00:00"))
    assert "1 rejected, 2 undecided" in invoke("review", file).stdout
    assert len(read_exam(file.with_name("exam.reviewed.jsonl")).items) == 2


def test_a_review_without_decisions_names_the_viewer_and_the_file(file: Path) -> None:
    with pytest.raises(UsageError, match=r"viva view RUN\) or in a file \(viva exam review RUN --export"):
        invoke("review", file)
    with pytest.raises(UsageError, match="both given"):
        invoke("review", file, "--export", "a.csv", "--import", "a.csv")


def test_a_review_of_a_run_makes_its_next_exam(run: Path) -> None:
    before = latest(run)
    said = invoke(
        "review", run, *ADA, "--import", decided(run, {"decision": "reject"}, {"decision": "accept"})
    ).stdout
    after = latest(run)
    assert f"The reviewed exam: {run / 'exam.jsonl'}" in said
    assert [shown.item.id for shown in after.items] == [before.items[1].item.id]
    assert [shown.item.provenance.reviews[-1].by for shown in after.items] == ["ada"]
    assert after.id != before.id
    assert read_exam(run / "exam.jsonl") == after
    again = told("review", run)
    assert (again["questions"], again["accepted"]) == (1, 1)
    assert latest(run) == after


def test_the_funnel_counts_what_a_person_took_out(run: Path) -> None:
    context = RunContext(run, Settings())
    before = funnel_of(context.store)
    context.close()
    invoke("review", run, "--import", decided(run, {"decision": "reject"}))
    context = RunContext(run, Settings())
    after = funnel_of(context.store)
    context.close()
    assert after.in_exam == before.in_exam - 1
    assert after.left_out["rejected by a person"] == 1


def test_a_run_that_another_process_works_on_keeps_its_exam_and_the_decisions(run: Path) -> None:
    before, path = latest(run), decided(run, {"decision": "reject"})
    with run_lock(run), pytest.raises(UsageError, match="works on the run folder"):
        invoke("review", run, "--import", path)
    assert latest(run) == before
    invoke("review", run)
    assert len(latest(run).items) == 1


def test_who_decides_is_the_user_of_the_environment_unless_the_file_or_an_option_names_one(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGNAME", "grace")
    one, other = (shown.item.id for shown in latest(run).items)
    path = run.parent / "own.csv"
    for rows, options in ((f"{one},accept,", ()), (f"{one},reject,", ADA), (f"{other},accept,eve", ADA)):
        path.write_text(f"item,decision,by\n{rows}\n", "utf-8")
        invoke("review", run, *options, "--import", path)
    log = [json.loads(line) for line in (run / "reviews.jsonl").read_text("utf-8").splitlines()]
    assert [line["by"] for line in log] == ["grace", "ada", "eve"]
