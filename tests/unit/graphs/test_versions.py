"""A system that was edited between two sittings stands twice, and nobody takes the one for the other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pump_run import PUMPS, pump_context, sit_all

from viva.core.errors import UsageError
from viva.graphs import results, stages
from viva.graphs.context import RunContext
from viva.graphs.diagnosis.diagnose import diagnose_run
from viva.graphs.diagnosis.peer_responses import diagnoses_of

BEFORE, AFTER = "def answer(question):\n    return 'A'\n", "def answer(question):\n    return 'B'\n"


@pytest.fixture
def context(tmp_path: Path) -> RunContext:
    """Of a run in which a system sat, and was edited afterwards."""
    file = tmp_path / "rag.py"
    file.write_text(BEFORE)
    first = pump_context(tmp_path / "run", "bm25+lexical", examinees=("bm25+lexical", f"{file}:answer"))
    sit_all(first)
    first.close()
    file.write_text(AFTER)
    return pump_context(tmp_path / "run", "bm25+lexical", examinees=("bm25+lexical", f"{file}:answer"))


def test_leaderboard_and_scores_file_name_the_versions_apart(context: RunContext) -> None:
    sit_all(context)
    results.score(context)
    rows = {row.examinee.name: row for row in results.scores_of(context.store, context.folder).examinees}
    assert set(rows) == {"bm25+lexical", "rag:answer", "rag:answer (version 2)"}
    assert rows["rag:answer"].asked == rows["rag:answer (version 2)"].asked == PUMPS
    systems = {row.examinee.components.get("system") for row in rows.values()} - {None}
    assert systems == {"rag:answer", "rag:answer (version 2)"}
    told = json.loads((context.folder / "scores.json").read_text())
    assert {row["examinee"]["name"] for row in told["examinees"]} == set(rows)
    context.close()


def test_a_diagnosis_of_what_was_edited_says_that_it_has_not_sat(context: RunContext) -> None:
    context.close()
    with pytest.raises(UsageError) as caught:
        diagnose_run(_alone(context))
    assert "It was changed since it sat: what sat is “rag:answer”." in str(caught.value)
    assert "viva sit" in caught.value.next_step


def test_each_version_has_a_diagnosis_under_its_own_name(context: RunContext, tmp_path: Path) -> None:
    sit_all(context)
    context.close()
    diagnose_run(_alone(context))
    (tmp_path / "rag.py").write_text(BEFORE)
    again = pump_context(tmp_path / "run", "bm25+lexical", examinees=(f"{tmp_path / 'rag.py'}:answer",))
    diagnose_run(again)
    names = [found.examinee.name for found in diagnoses_of(again.store, stages.exam_of(again.store, again.folder))]
    assert names == ["rag:answer", "rag:answer (version 2)"]
    again.close()


def _alone(context: RunContext) -> RunContext:
    """The edited system and nobody else."""
    return pump_context(context.folder, "bm25+lexical", examinees=context.settings.examinees[1:])
