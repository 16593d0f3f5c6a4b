"""From Python: systems at hand take an exam, in a script or where an event loop runs; errors are sentences."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from pump_run import pump_context

import viva
from viva.core.records import Response

ASKED: list[str] = []


def first(question: str, options: list[str] | None = None) -> dict[str, object]:
    ASKED.append(question)
    return {"text": options[0] if options else "", "passages": ["Pump 1 moves 10 litres."]}


def raising(question: str) -> str:
    raise RuntimeError(f"index is gone: {len(question) and 1}")


@pytest.fixture
def run(tmp_path: Path) -> viva.Run:
    with closing(pump_context(tmp_path / "run")):
        pass
    ASKED.clear()
    return viva.open_run(tmp_path / "run")


def test_importing_viva_imports_nothing_and_offers_the_public_names() -> None:
    code = (
        "import sys, viva\n"
        "assert not {'numpy', 'pydantic', 'rich', 'torch', 'sqlalchemy'} & set(sys.modules)\n"
        "print(' '.join(name for name in dir(viva) if not name.startswith('_')))\n"
        "print(all(getattr(viva, name) for name in viva.__all__))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert {"write_exam", "open_run", "Run", "Exam", "panel", "judge", "grade", "irt", "Result", "UsageError"} <= set(
        told.split()
    )
    assert told.endswith("True\n")
    with pytest.raises(AttributeError, match="no attribute 'wrte_exam'"):
        _ = viva.wrte_exam  # type: ignore[attr-defined]


def test_a_function_takes_the_exam_and_nobody_is_asked_twice(run: viva.Run) -> None:
    scores = run.examine(first=first, other="bm25+lexical", manufactured=False)
    assert (scores["first"].asked, len(ASKED), len(scores)) == (8, 8, 2)
    assert scores["first"].accuracy is not None
    assert scores["first"].accuracy.value == 0.25
    assert [row["system"] for row in scores.leaderboard.rows()][-1] == "first"
    assert "first" in scores.leaderboard.html()
    again = run.examine(first=first, manufactured=False)
    assert len(ASKED) == 8
    assert again["first"].accuracy == scores["first"].accuracy
    assert viva.open_run(run.folder).scores["other"].accuracy == scores["other"].accuracy


def test_it_works_where_an_event_loop_runs_as_in_a_notebook(run: viva.Run) -> None:
    async def cell() -> tuple[object, object]:
        scores = run.examine(first=first, manufactured=False)
        later = await run.examine_async(later=raising, manufactured=False)
        return scores["first"].asked, sum(later["later"].failures.values())

    assert asyncio.run(cell()) == (8, 8)


def test_an_edited_function_is_another_system_and_a_changed_value_around_it_too(run: viva.Run) -> None:
    def made(position: int) -> Callable[[str, list[str]], str]:
        def answer(question: str, options: list[str]) -> str:
            return options[position]

        return answer

    run.examine(mine=made(0), manufactured=False)
    names = [row["system"] for row in run.examine(mine=made(1), manufactured=False).leaderboard.rows()]
    assert {"mine", "mine (version 2)"} == set(names)


def test_a_system_whose_source_is_not_to_be_had_is_said_to_be_kept(run: viva.Run) -> None:
    from langchain_core.runnables import RunnableLambda

    chain = RunnableLambda(str.upper) | RunnableLambda(str.lower)
    run.examine(chain=chain, manufactured=False)
    notes = run.examine(chain=chain, manufactured=False).leaderboard.notes
    assert any("chain: asked 0, kept 8" in note and "cannot be known" in note for note in notes)
    notes = run.examine(chain=chain, again=True, manufactured=False).leaderboard.notes
    assert not any("kept" in note for note in notes)


def test_two_systems_are_compared_by_name_with_one_verdict(run: viva.Run) -> None:
    scores = run.examine(first=first, other="bm25+lexical", manufactured=False)
    found = scores.compare("first", "other")
    assert found.verdict in {"worse", "not told apart"}
    assert found.difference.value == pytest.approx(-0.75)
    assert scores.compare("other", "first").difference.value == -found.difference.value
    assert found.rows()[0]["only other right"] == 6
    assert "Only other" not in found.text()
    assert {row["put down to"] for row in found.rows(len(found.tables) - 1)} == {"retrieval"}
    with pytest.raises(viva.UsageError, match="No scored system is called “nobody”"):
        scores.compare("first", "nobody")


def test_figures_are_those_of_plotly(run: viva.Run) -> None:
    scores = run.examine(first=first, other="bm25+lexical", manufactured=False)
    assert scores.plot.leaderboard().data
    assert scores.plot.pairs().data


def test_a_sample_is_asked_and_estimated(run: viva.Run) -> None:
    found = run.examine_sample(3, first=first)
    assert (found.rows()[0]["asked"], len(ASKED)) == (3, 3)


def test_questions_are_had_by_position_id_and_slice_and_can_be_rejected(run: viva.Run) -> None:
    exam = run.exam
    assert (len(exam), exam[0].id, len(exam[1:3])) == (8, exam[exam[0].id[:8]].id, 2)
    assert exam[0].answer in exam[0].options
    assert len(exam.to_pandas()) == 8
    left = exam.reject(exam[2], note="trivial", by="somebody")
    assert (len(left), len(run.exam)) == (7, 7)
    with pytest.raises(viva.UsageError, match="names 0 questions"):
        left["zzzz"]


def test_an_exam_goes_to_a_file_and_back(run: viva.Run, tmp_path: Path) -> None:
    (file,) = run.exam.write(tmp_path / "exam.jsonl")
    read = viva.Exam.read(file)
    assert [(each.text, each.options) for each in read] == [(each.text, each.options) for each in run.exam]
    with pytest.raises(viva.UsageError, match="no trace"):
        read[0].trace()
    with pytest.raises(viva.UsageError, match="kept in a run"):
        read.reject(read[0])


def test_an_exam_is_checked_compared_and_reviewed_in_a_table(run: viva.Run, tmp_path: Path) -> None:
    exam = run.exam
    assert str(run.folder) in exam.statistics().text()
    assert exam.lint().record["items"] == 8
    assert exam.write_decisions(tmp_path / "decisions.csv").record["undecided"] == 8
    rows = (tmp_path / "decisions.csv").read_text("utf-8").splitlines()
    (tmp_path / "decisions.csv").write_text("\n".join([rows[0], rows[1].replace(",,", ",reject,", 1)]), "utf-8")
    assert exam.review(tmp_path / "decisions.csv", by="somebody").record["rejected"] == 1
    assert "0 added, 1 removed, 0 changed, 7 the same." in exam.diff(run.exam).text()


def test_the_state_of_a_run_has_its_exam_its_scores_and_what_was_spent(run: viva.Run) -> None:
    assert "Leaderboard" not in run.state.text()
    run.examine(raising=raising, manufactured=False)
    found = run.state
    assert found.record["exam"]["items"] == 8
    text = found.text()
    assert [w for w in ("Corpus: ", "Leaderboard", "Failed: raising, 5 questions") if w not in text] == [], text
    assert found.rows()[0]["system"] == "raising"
    assert run.spent.record["per_accepted_item"] is None
    assert run.questions(contains="pump 1").record["items"]


def test_questions_have_a_row_each_with_key_kind_document_and_evidence(run: viva.Run) -> None:
    exam, found = run.exam, run.questions()
    rows = found.rows()
    assert [(row["question"], row["answer"]) for row in rows] == [(each.text, each.answer) for each in exam]
    assert all(rows[0][name] for name in ("options", "type", "kind", "document", "evidence")), rows[0]
    assert (rows[0]["can be guessed"], rows[0]["disputable"]) == (False, False)
    assert len(found.to_pandas()) == len(found.csv().splitlines()) - 1 == len(exam)
    assert str(found).count(exam[0].text) == 1
    assert list(run.questions(contains="no such words").to_pandas().columns) == list(rows[0])


def test_findings_of_lint_have_a_row_each_with_level_rule_and_question(tmp_path: Path) -> None:
    (tmp_path / "exam.csv").write_text("question,answer\nHow long is it?,21 m\nHow long is it now?,22 m\n", "utf-8")
    found = viva.Exam.read(tmp_path / "exam.csv").lint()
    rows = found.rows()
    assert [(row["level"], row["rule"], row["finding"]) for row in rows] == [
        (each["level"], each["code"], each["reason"]) for each in found.record["findings"]
    ]
    assert ("1, 2", "How long is it? / How long is it now?") in {(row["number"], row["question"]) for row in rows}
    assert len(found.to_pandas()) == len(rows)


def test_what_has_no_rows_has_an_empty_table_with_its_columns(run: viva.Run, tmp_path: Path) -> None:
    (tmp_path / "open.csv").write_text("question,answer\nHow long is it?,21 m\n", "utf-8")
    baselines = viva.Exam.read(tmp_path / "open.csv").statistics().to_pandas()
    assert (list(baselines.columns), len(baselines)) == (["answering without reading", "right"], 0)
    assert run.spent.rows() == []
    assert list(run.spent.to_pandas().columns)[:3] == ["role", "model", "calls"]
    assert run.spent.csv().startswith("role,model,calls")
    assert str(run.spent).strip() == f"No language model was used in {run.folder}, so nothing was spent."


def test_a_result_in_sentences_alone_says_so_where_rows_are_wanted(run: viva.Run) -> None:
    with pytest.raises(viva.UsageError, match="this result is in sentences alone"):
        run.exam.diff(run.exam).rows()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "No system is given"),
        ({"mine": 3}, "cannot be asked"),
        ({"mine": "bm25+nobody"}, "READER is one of"),
        ({"mine": first, "timeout_s": -1}, "The argument timeout_s is -1"),
    ],
)
def test_what_cannot_be_examined_is_said_before_anybody_is_asked(
    run: viva.Run, given: dict[str, object], said: str
) -> None:
    with pytest.raises(viva.UsageError, match=said):
        run.examine(**given)
    assert not ASKED


def test_a_folder_without_a_run_and_a_run_without_scores_are_said(run: viva.Run, tmp_path: Path) -> None:
    with pytest.raises(viva.UsageError, match="holds no run"):
        viva.open_run(tmp_path / "nothing")
    with pytest.raises(viva.UsageError, match="no scores yet"):
        _ = run.scores
    with pytest.raises(viva.UsageError, match="was not examined by this Run object"):
        run.diagnose("mine")


def test_questions_of_a_file_are_sat_with_documents_and_without(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/pumps.md").write_text("# Pumps\n\nPump 1 moves 10 litres. Pump 2 moves 20 litres.", "utf-8")
    (tmp_path / "golden.csv").write_text(
        "question,answer,contexts\nHow much does pump 1 move?,10 litres,Pump 1 moves 10 litres.\n"
        "How much does pump 2 move?,20 litres,Pump 2 moves 20 litres.\n",
        "utf-8",
    )
    exam = viva.Exam.read(tmp_path / "golden.csv")
    assert [each.answer for each in exam] == ["10 litres", "20 litres"]
    alone = exam.examine(mine=first, out=tmp_path / "alone", manufactured=False)
    assert alone["mine"].retrieval is None
    assert any("no documents" in note for note in alone.leaderboard.notes)
    found = exam.examine(mine=first, docs=tmp_path / "docs", out=tmp_path / "run", manufactured=False)
    assert found["mine"].retrieval is not None
    assert any("2 of" in note or "Of 2 reference contexts 2 are" in note for note in found.leaderboard.notes)
    with pytest.raises(viva.UsageError, match="are of a run"):
        viva.open_run(tmp_path / "run").exam.examine(mine=first)


def test_responses_are_in_the_folder_for_the_command_line(run: viva.Run) -> None:
    run.examine(first=first, manufactured=False)
    with run.opened() as context:
        responses: list[Response] = context.store.responses()
    assert len(responses) == 8


class Counting:
    """Its number of calls changes as it is asked; its position is what it was made with."""

    def __init__(self, position: int) -> None:
        self.position = position
        self.calls = 0

    def answer(self, question: str, options: list[str]) -> str:
        self.calls += 1
        return options[self.position]


def test_an_object_is_known_by_what_it_was_made_with_not_by_what_changes_as_it_is_asked(run: viva.Run) -> None:
    mine = Counting(0)
    run.examine(mine=mine, manufactured=False)
    assert len(run.examine(mine=mine, manufactured=False)) == 1
    assert len(run.examine(mine=Counting(1), manufactured=False)) == 2


def test_the_name_that_is_given_means_the_version_that_is_given(run: viva.Run) -> None:
    run.examine(mine=Counting(0), manufactured=False)
    scores = run.examine(mine=Counting(1), manufactured=False)
    assert scores["mine"].examinee.name == "mine (version 2)"
    assert any("mine has changed" in note for note in scores.leaderboard.notes)


def test_why_a_system_failed_is_said_with_the_line_of_its_code(run: viva.Run) -> None:
    scores = run.examine(mine=first, boom=raising, manufactured=False)
    notes = "\n".join(scores.leaderboard.notes)
    assert "Failed: boom, 5 questions, raised: " in notes
    assert "index is gone" in notes


def test_an_argument_that_there_is_not_is_said_with_the_one_meant(tmp_path: Path) -> None:
    with pytest.raises(viva.UsageError, match=r"argument itms is not known\. Did you mean items"):
        viva.write_exam(tmp_path, itms=3)


def test_a_pair_that_is_named_with_its_examination_is_tested_alone_also_of_a_new_version(run: viva.Run) -> None:
    run.examine(mine=Counting(0), manufactured=False)
    scores = run.examine(mine=Counting(1), other="bm25+lexical", pairs=["mine vs other"], manufactured=False)
    found = scores.compare("mine", "other").record["comparison"]
    assert (found["family"], found["adjusted_over"]) == ("named", 1)
    # a reference system with a name of the user's own is the user's
    assert not scores["other"].examinee.reference


def test_failures_of_later_occasions_are_counted_and_named_with_those_of_the_first(run: viva.Run) -> None:
    times, asked = Counter[str](), [question.text for question in run.exam]

    def late(question: str, options: list[str]) -> str:
        times[question] += 1
        if question == asked[0] or (question in asked[:3] and times[question] > 1):
            raise RuntimeError("503 upstream")
        return ""

    notes = run.examine(late=late, repeats=2, manufactured=False).leaderboard.notes
    assert any("Failed: late, 4 times on 3 questions, raised: RuntimeError: 503 upstream" in each for each in notes)
