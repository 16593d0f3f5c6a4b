"""Open answers graded for faithfulness and relevance: what judges are handed, what is kept, and what is shown."""

from __future__ import annotations

import asyncio
import io
import json
from pathlib import Path

import pytest
from by_hand import WordEmbedder
from judges_by_hand import Says
from rich.console import Console
from view_run import FACT, made_run

from viva.api.leaderboard import leaderboard
from viva.cli.settings import settings_of
from viva.core.errors import UsageError
from viva.core.notes import NoteCode
from viva.core.records import Exam, Failure, FailureKind, Grade, Quality, Response, Unjudged
from viva.core.scores import Scores
from viva.core.scores_open import QualityFindings
from viva.core.settings import Settings
from viva.graphs import results
from viva.graphs.context import RunContext
from viva.graphs.grading.grade_open import grade_exam, grade_open, judged
from viva.graphs.grading.graders import further_judges, judge_of
from viva.reports.sections.open_answers import open_context
from viva.storage.judges import VARIABLE
from viva.storage.runs import RunStore
from viva.viewer.loaded_run import LoadedRun
from viva.viewer.pages.items import item_page
from viva.viewer.pages.systems import system_page
from viva.viewer.query import Query

BOTH = ("faithfulness", "relevance")
HALF = Says(Quality.CORRECTNESS, lambda case: 0.5, "half")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run in which two systems answered three open questions and three others; the second showed no passages."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "judges"))
    folder = made_run(tmp_path / "run", units=6, items=6, open_items=3)
    with RunStore.open(folder) as store:
        silent = store.examinees()[1].model_copy(update={"id": "silent", "name": "silent"})
        store.add_examinee(silent)
        timed_out = Failure(kind=FailureKind.TIMED_OUT, detail="30 s")
        for n, shown in enumerate(exam_of(store).items):
            said = Response(
                id=Response.id_of("silent", shown), examinee_id="silent", item_id=shown.item.id, text="35 minutes"
            )
            store.add_responses([said.model_copy(update={"failure": timed_out, "text": ""}) if n == 0 else said])
    return folder


def exam_of(store: RunStore) -> Exam:
    exam = store.latest_exam()
    assert exam is not None
    return exam


def graded(folder: Path, *judges: Says) -> None:
    with RunStore.open(folder) as store:
        exam = exam_of(store)
        for judge in judges:
            asyncio.run(grade_open(store, exam, store.responses_to(exam.items), judge, lambda done, of: None))


def scored(folder: Path, qualities: tuple[str, ...] = BOTH) -> Scores:
    context = RunContext(folder, Settings(qualities=qualities))
    try:
        results.score(context)
        return results.scores_of(context.store, folder)
    finally:
        context.close()


def faithful(**says: float) -> Says:
    """Scores answers by the system's first passage; refuses without any."""
    return Says(Quality.FAITHFULNESS, lambda case: says.get(case.passages[0][:3], 0.25), "faithful")


RELEVANT = Says(Quality.RELEVANCE, lambda case: 0.75, "relevant")


def test_faithfulness_is_held_against_the_systems_own_passages_and_relevance_against_the_question(
    folder: Path,
) -> None:
    by_passages, by_question = faithful(), Says(Quality.RELEVANCE, lambda case: 1.0, "relevant")
    graded(folder, by_passages, by_question)
    assert {case.passages for case in by_passages.asked} == {(f"{FACT} ",)}
    assert not any(case.passages for case in by_question.asked)
    assert not any(case.reference or case.key for case in (*by_passages.asked, *by_question.asked))
    assert all(case.question for case in (*by_passages.asked, *by_question.asked))


def test_each_judge_grades_once_and_the_grades_of_correctness_stay(folder: Path) -> None:
    graded(folder, HALF, faithful())
    again = faithful()
    graded(folder, again)
    assert again.asked == []
    with RunStore.open(folder) as store:
        responses = store.responses_to(exam_of(store).items)
        scores = {each.score for each in judged(store, responses).values() if isinstance(each, Grade)}
    assert scores == {0.5}


def test_the_scores_have_means_with_intervals_and_what_is_not_graded_by_reason(folder: Path) -> None:
    doubtful = Says(Quality.RELEVANCE, lambda case: Unjudged(code="model_unreadable", reason="?"), "doubtful")
    graded(folder, HALF, faithful(The=0.75), doubtful)
    by_quality = {found.quality: found for found in scored(folder).qualities}
    faithfulness = {each.examinee_id: each for each in by_quality[Quality.FAITHFULNESS].systems}
    mean = faithfulness["e0"].mean_score
    assert mean is not None
    assert (mean.value, faithfulness["e0"].graded, faithfulness["e0"].ungraded) == (0.75, 3, {})
    assert 0 < mean.low < 0.75 < mean.high < 1
    assert faithfulness["silent"].mean_score is None
    assert faithfulness["silent"].ungraded == {"no_passages": 2, "timed out": 1}
    assert by_quality[Quality.RELEVANCE].systems[0].ungraded == {"model_unreadable": 3}
    kept = json.loads((folder / "scores.json").read_text("utf-8"))["qualities"]
    assert [each["card"]["name"] for each in kept] == ["faithful", "doubtful"]


def test_an_answer_that_says_nothing_is_irrelevant_and_claims_nothing(folder: Path) -> None:
    with RunStore.open(folder) as store:
        empty = store.examinees()[0].model_copy(update={"id": "empty", "name": "empty"})
        store.add_examinee(empty)
        for each in store.responses_of("e0"):
            shown = next(shown for shown in exam_of(store).items if shown.item.id == each.item_id)
            id_ = Response.id_of("empty", shown)
            store.add_responses([each.model_copy(update={"id": id_, "examinee_id": "empty", "text": " \n"})])
    graded(folder, HALF, faithful(), RELEVANT)
    faithfulness, relevance = (
        next(each for each in found.systems if each.examinee_id == "empty") for found in scored(folder).qualities
    )
    assert (faithfulness.graded, faithfulness.ungraded) == (0, {"no_claims": 3})
    assert relevance.mean_score is not None
    assert relevance.mean_score.value == 0


def test_no_rank_accuracy_or_ability_changes_and_scores_of_earlier_versions_open(folder: Path) -> None:
    graded(folder, HALF)
    before = scored(folder, ())
    stored = before.model_dump(mode="json")
    del stored["qualities"]
    assert Scores.model_validate(stored) == before
    assert NoteCode.NO_OPEN_ANSWERS not in {each.code for each in before.notes}
    graded(folder, faithful(), RELEVANT)
    assert scored(folder).model_copy(update={"qualities": ()}) == before


def test_terminal_and_report_show_a_table_of_its_own_with_the_judges(folder: Path) -> None:
    graded(folder, HALF, faithful(), RELEVANT)
    found, out = scored(folder), io.StringIO()
    leaderboard(found).print(Console(file=out, width=200, highlight=False))
    board = out.getvalue().partition("Further qualities of open answers")[2]
    assert "0.25 (" in board
    assert "Judge faithful graded 6 of 9 open answers for faithfulness." in board
    assert "Its agreement with people: not measured." in board
    assert "Not graded for faithfulness, silent: 2 (the system returned no passages), 1 (timed out)." in board
    shown = open_context(found)
    assert shown["qualities"] == ["faithfulness", "relevance"]
    assert [row.name for row in shown["quality_rows"]] == [row.examinee.name for row in found.examinees]
    page = LoadedRun(folder)
    item = next(shown.item.id for shown in page.state().exam.items if shown.item.is_open)  # type: ignore[union-attr]
    assert {each.further for each in item_page(page, page.state(), item, "Ada")["answers"]} >= {
        "faithfulness 0.25, relevance 0.75"
    }
    rows = system_page(page, page.state(), "silent", Query({}))["slice"].rows
    assert "faithfulness not graded (the system returned no passages), relevance 0.75" in {e.further for e in rows}
    page.close()


def test_without_open_answers_a_note_says_that_there_was_nothing_to_grade(tmp_path: Path) -> None:
    closed = made_run(tmp_path / "run", items=3, open_items=0)
    found = scored(closed)
    assert found.qualities == ()
    (note,) = [each for each in found.notes if each.code is NoteCode.NO_OPEN_ANSWERS]
    assert note.names == BOTH


def test_rules_grade_the_systems_that_somebody_named_and_a_quality_no_longer_named_is_not_shown(folder: Path) -> None:
    def exam_graded(qualities: tuple[str, ...]) -> tuple[QualityFindings, ...]:
        context = RunContext(folder, Settings(qualities=qualities))
        context.__dict__["embedder"] = WordEmbedder()
        asyncio.run(grade_exam(context, ["e0", "silent"]))
        context.close()
        return scored(folder, qualities).qualities

    both, one = exam_graded(BOTH), exam_graded(("relevance",))
    assert [found.card.name for found in both] == ["faithfulness-offline", "relevance-offline"]
    by_id = {each.examinee_id: each for each in both[0].systems}
    assert (by_id["e0"].graded, by_id["silent"].ungraded["no_passages"]) == (3, 2)
    assert by_id["e1"].ungraded == {"not graded": 3}
    assert one == both[1:]


# --- who grades ---------------------------------------------------------------------------------------------


def test_rules_judge_where_the_run_has_no_model_and_its_model_where_it_has_one(tmp_path: Path) -> None:
    def cards(settings: Settings) -> dict[str, tuple[str, bool]]:
        judges = further_judges(RunContext(tmp_path, settings))
        return {quality.value: (each.card.name, each.card.asks_a_model) for quality, each in judges.items()}

    offline = {"faithfulness": ("faithfulness-offline", False), "relevance": ("relevance-offline", False)}
    assert cards(Settings(qualities=BOTH)) == offline
    mixed = Settings(qualities=("faithfulness-offline", "relevance"), model=("openai:gpt-4o-mini",))
    assert cards(mixed) == {"faithfulness": offline["faithfulness"], "relevance": ("relevance", True)}
    assert cards(Settings()) == {}


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("correctness", "a judge of correctness.*--judge NAME"),
        ("usefulness", "a judge of usefulness"),
        ("relevance,relevance-offline", "two judges of relevance"),
        ("nobody", "no judge called 'nobody'"),
    ],
)
def test_a_quality_that_cannot_be_graded_so_is_refused_in_words(names: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"(?s){message}"):
        further_judges(RunContext(tmp_path, settings_of({"qualities": names})))


def test_who_names_it_as_the_judge_of_correctness_is_told_the_option(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--qualities relevance-offline"):
        judge_of(RunContext(tmp_path, Settings(judge="relevance-offline")))
