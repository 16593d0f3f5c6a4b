"""Is A better than B, and why: the toy RAG of the pumps, made worse in its retriever, and only reworded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pump_run import pump_context, pump_exam, sit_all

from viva.cli.inspect import compare
from viva.core.errors import UsageError
from viva.core.scores_pairs import CAUSES, EvidenceAmong, PairVerdict
from viva.graphs import results
from viva.reports.sections.pairs import PairView, reason_sentences

SYSTEMS = ("finds", "finds_less", "reworded")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("pumps")
    context = pump_context(found, *SYSTEMS, exam=pump_exam(36))
    sit_all(context)
    results.score(context)
    context.close()
    return found


def test_a_worse_retriever_is_worse_and_retrieval_is_named_for_the_questions_lost(folder: Path) -> None:
    context = pump_context(folder, *SYSTEMS)
    found = results.compare_systems(context, "finds_less", "finds")
    lost = [each for each in found.parted if each.right == found.second.id]
    assert found.comparison.verdict is PairVerdict.WORSE
    assert len(lost) == 12
    assert sum(CAUSES.get(each.evidence) == "retrieval" for each in lost) == 11
    assert reason_sentences(found) == (
        (
            "Of 12 questions that finds alone has right, the evidence was among the passages of finds alone in 11 "
            "(retrieval), among the passages of both in 1 (reading)."
        ),
    )
    assert found.first_usage
    assert found.second_usage
    assert (found.first_usage.tokens, found.second_usage.cost) == (90, 0.002)
    assert {(row.level, row.items) for row in found.levels} == {("topic 0", 18), ("topic 1", 18)}
    assert sum(row.first * row.items for row in found.levels) == 21
    view = PairView.of(found, pump_exam(36))
    assert [number for number, *_ in view.parted][:3] == [3, 6, 7]
    context.close()


def test_a_reworded_system_is_not_told_apart(folder: Path) -> None:
    context = pump_context(folder, *SYSTEMS)
    found = results.compare_systems(context, "REWORDED", "finds")
    assert found.comparison.verdict is PairVerdict.NOT_TOLD_APART
    assert [(each.right == found.first.id, each.evidence) for each in found.parted] == [
        (True, EvidenceAmong.BOTH),
        (False, EvidenceAmong.BOTH),
    ]
    for names in (("finds", "finds"), ("finds", "found")):
        with pytest.raises(UsageError, match=r"finds, reworded and finds_less|not with itself"):
            results.compare_systems(context, *names)
    context.close()


def test_the_command_shows_the_same_record(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compare(folder, "finds_less", "finds", json=True)
    told = json.loads(capsys.readouterr().out)
    compare(folder, "finds_less", "finds", json=False)
    shown = " ".join(capsys.readouterr().out.split())
    assert told["verdict"].startswith("finds_less is worse than finds: ")
    assert (len(told["parted"]), told["comparison"]["verdict"]) == (12, "worse")
    for sentence in (told["verdict"], *told["why"], *told["usage"]):
        assert " ".join(sentence.split()) in shown
    assert "How many litres of water does pump 3 move per minute?" in shown
    assert "finds │ retrieval" in shown
    assert "and 2 more" in shown
