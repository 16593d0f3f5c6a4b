"""The oral examination within a run: whose turn it is, what is said beforehand, and how many chunks it reads."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from oral_hall import Hall, knows

from viva.core.records import Chunk, Run
from viva.core.settings import Settings
from viva.examinees.specs.records import Spec
from viva.graphs.context import RunContext
from viva.graphs.oral import examine
from viva.graphs.oral_exam.conduct import _drawn
from viva.graphs.oral_exam.record import examinations, findings, keep_plan, keep_problem, keep_score, keep_turn
from viva.graphs.oral_exam.stage import CHUNKS_PER_QUESTION, announced, limits_of, orally_examined
from viva.storage.runs import RunStore

MODEL = {"model": ("openai:none",)}


def asked_for(folder: Path, *examinees: str, **more: object) -> tuple[Settings, list[Spec]]:
    (folder / "mine.py").write_text("def answer(question, options=None):\n    return 'A'\n", encoding="utf-8")
    (folder / "said.jsonl").write_text('{"question": "q", "answer": "A"}\n', encoding="utf-8")
    context = RunContext(folder / "run", Settings.model_validate({"examinees": examinees, **more}))
    return context.settings, context.candidates.specs


def test_only_systems_of_ones_own_that_can_still_be_asked_are_examined(tmp_path: Path) -> None:
    mine = f"mine={tmp_path}/mine.py:answer"
    panel = ("bm25+lexical", mine, f"recorded:{tmp_path}/said.jsonl")
    found = orally_examined(*asked_for(tmp_path, *panel, **MODEL))
    assert [spec.examinee.name for spec in found] == ["mine"]
    none = asked_for(tmp_path, mine, oral_questions=0, **MODEL)
    assert orally_examined(*none) == []
    assert announced(*asked_for(tmp_path, "panel", **MODEL)) == announced(*none) == []
    assert announced(*asked_for(tmp_path, "panel")) == []


def test_without_a_model_nobody_is_examined_and_that_is_said(tmp_path: Path) -> None:
    mine = asked_for(tmp_path, f"mine={tmp_path}/mine.py:answer")
    assert orally_examined(*mine) == []
    assert announced(*mine) == ["There is no oral examination: it needs a language model (--model)."]


def test_what_will_be_asked_is_said_and_calls_of_models_with_it(tmp_path: Path) -> None:
    mine = f"mine={tmp_path}/mine.py:answer"
    told, calls = announced(*asked_for(tmp_path, mine, oral_questions=7, **MODEL))
    assert told.startswith("mine is examined orally after the exam, in at most 7 open questions")
    assert f"{7 * CHUNKS_PER_QUESTION} chunks at most" in calls
    several, _ = announced(*asked_for(tmp_path, mine, f"two={tmp_path}/mine.py:answer", **MODEL))
    assert several.startswith("Each of the 2 systems of yours is examined orally")


def test_the_chunks_read_grow_with_the_questions() -> None:
    limits = limits_of(Settings(oral_questions=30))
    assert (limits.questions, limits.chunks) == (30, 30 * CHUNKS_PER_QUESTION)


@pytest.mark.parametrize("most", [None, 5, 40])
def test_chunks_are_drawn_by_the_seed_and_kept_in_their_order(most: int | None) -> None:
    chunks = [Chunk(id=f"c{n}", document_id="d", start=n, end=n + 1, text="t", tokens=1) for n in range(40)]
    drawn = _drawn(chunks, most, 3)
    assert drawn == _drawn(chunks, most, 3)
    assert drawn == sorted(drawn, key=chunks.index)
    assert len(drawn) == min(40, most or 40)
    if most == 5:
        assert drawn != chunks[:5]


def test_a_plan_over_drawn_chunks_says_so(tmp_path: Path) -> None:
    hall = Hall(knows(0))
    room = hall.room()
    kept: list[object] = []
    room.plan, room.drawn_from = None, "They are of 1 of 9 chunks, drawn at random."
    room.keep_plan = kept.append
    asyncio.run(examine(room, []))
    assert room.plan is not None
    assert kept == [room.plan]
    assert room.plan.how_clustered.endswith("They are of 1 of 9 chunks, drawn at random.")


def test_the_report_is_handed_the_plan_the_turns_and_what_stood_in_the_way(tmp_path: Path) -> None:
    hall = Hall(knows(*range(8)))
    score = hall.scored()
    run = Run(id="r", documents_folder="d", corpus_fingerprint="f", settings={})
    paths = {unit.evidence.document_id: "pumps.md" for unit in hall.plan.units}
    with RunStore.create_or_open(tmp_path, database_url=None, run=run) as store:
        assert examinations(store, paths) is None
        keep_problem(store, "No unit was found.")
        nothing = examinations(store, paths)
        assert nothing is not None
        assert (nothing.plan, nothing.scores, nothing.problem) == (None, (), "No unit was found.")
        keep_problem(store, "")
        keep_plan(store, hall.plan)
        store.add_examinee(hall.examinee)
        keep_score(store, score)
        for turn in hall.log:
            keep_turn(store, hall.examinee.id, turn)
        found = examinations(store, paths)
    assert found is not None
    assert (found.plan, found.scores, found.problem) == (hall.plan, (score,), "")
    assert found.turns == {hall.examinee.id: tuple(hall.turns)}
    assert found.paths == paths


def test_a_finding_tells_the_same_in_short() -> None:
    hall = Hall(knows(*range(8)))
    score = hall.scored()
    (told,) = findings([score])
    assert (told.units, told.examined, told.known, told.ability) == (16, 16, score.known, None)
    assert (told.known_low, told.known_high, told.reason) == (0.5, 0.5, score.reason)
