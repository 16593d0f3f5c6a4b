"""Who is set beside a user's own system: when, with what marks, and at what price to it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from pump_run import PUMPS, pump_context, question, sit_all

from viva.core.errors import UsageError
from viva.core.notes import Note, NoteCode
from viva.core.records import Exam
from viva.core.scores import Scores
from viva.examinees.manufactured import AblationSpec, ablation, reference_specs
from viva.graphs import results, stages
from viva.graphs.context import RunContext
from viva.graphs.diagnosis.diagnose import diagnose_run
from viva.graphs.engines.local import LocalEngine
from viva.graphs.sitting import reference_examinees


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "calls"
    file.touch()
    monkeypatch.setenv("PUMP_LOG", str(file))
    return file


def asked(log: Path) -> int:
    return len(log.read_text().splitlines())


async def beside(context: RunContext) -> None:
    """Those set beside sit."""
    for place in reference_examinees.call(context):
        await LocalEngine(context).sit_reference(place)


def scored(context: RunContext) -> Scores:
    """Everybody sits, those set beside too, and is scored."""
    sit_all(context)
    asyncio.run(beside(context))
    results.score(context)
    found = results.scores_of(context.store, context.folder)
    context.close()
    return found


def contexts(context: RunContext) -> list[tuple[str, str | None]]:
    """The ablations that sit beside."""
    sit_all(context)
    seats = reference_examinees.reference_examinees_of(context, stages.exam_of(context.store, context.folder))
    context.close()
    return [(seat.context, seat.reader) for seat in seats if isinstance(seat, AblationSpec)]


def test_the_references_are_those_of_the_docs() -> None:
    from viva.core.settings import Settings

    names = [spec.examinee.name for spec in reference_specs(Settings())]
    assert len(names) == len(set(names)) == 20
    assert {"closed-book+lexical", "oracle+embedding", "bm25+lexical", "hybrid-rerank+embedding,k=20"} <= set(names)
    # with another usual number of passages they are the same systems
    other = reference_specs(Settings(passages=3))
    assert [spec.examinee.id for spec in other] == [spec.examinee.id for spec in reference_specs(Settings())]


def test_one_system_alone_gets_an_ability_and_company_that_is_marked(tmp_path: Path) -> None:
    found = scored(pump_context(tmp_path / "run", "drowns", manufactured=True))
    rows = {row.examinee.name: row for row in found.examinees}
    assert rows["drowns"].ability is not None
    assert [name for name, row in rows.items() if not row.examinee.manufactured] == ["drowns"]
    assert Note(code=NoteCode.MANUFACTURED, count=24, of=25) in found.notes
    # what was planted shows in the company: the evidence alone is read, anything beside it drowns it
    assert rows["drowns, oracle"].accuracy.value == 1.0  # type: ignore[union-attr]
    assert rows["drowns, distracted"].accuracy.value == 0.0  # type: ignore[union-attr]
    assert rows["drowns, oracle"].examinee.components == {"system": "drowns", "context": "oracle"}


def test_a_system_that_takes_no_passages_has_its_own_read_by_the_reference_readers(log: Path, tmp_path: Path) -> None:
    found = scored(pump_context(tmp_path / "run", "overlooks", manufactured=True))
    rows = {row.examinee.name: row for row in found.examinees}
    assert asked(log) == PUMPS
    assert rows["overlooks, its passages + lexical"].accuracy.value == 1.0  # type: ignore[union-attr]
    assert rows["overlooks, its passages + lexical"].examinee.components == {
        "retriever": "that of overlooks",
        "reader": "lexical",
        "context": "own",
    }


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("drowns", {("none", None), ("shuffled", None), ("distracted", None), ("oracle", None)}),
        ("takes_none", {(c, r) for c in ("own", "distracted") for r in ("lexical", "embedding")}),
        ("says_nothing_of_passages", set()),
    ],
)
def test_variants_are_those_that_the_system_allows(
    name: str, expected: set[tuple[str, str | None]], tmp_path: Path
) -> None:
    found = contexts(pump_context(tmp_path / "run", name, manufactured=True))
    assert len(found) == len(expected)
    assert set(found) == expected


@pytest.mark.parametrize(
    ("names", "settings"),
    [
        (("drowns",), {"manufactured": False}),
        (("bm25+lexical",), {}),
        (("drowns", *(f"bm25+lexical,k={n}" for n in range(1, 8))), {}),
    ],
)
def test_nobody_is_set_beside_who_has_company_or_wants_none(
    names: tuple[str, ...], settings: dict[str, bool], tmp_path: Path
) -> None:
    context = pump_context(tmp_path / "run", *names, **{"manufactured": True, **settings})
    assert not reference_examinees.company_wanted(context, context.store.latest_exam())
    assert reference_examinees.call(context) == []
    context.close()


def test_the_panel_is_company_enough(tmp_path: Path) -> None:
    context = pump_context(tmp_path / "run", "drowns", manufactured=True)
    context.settings = context.settings.model_copy(update={"examinees": (*context.settings.examinees, "panel")})
    assert not reference_examinees.company_wanted(context, context.store.latest_exam())
    context.close()


def test_a_variant_is_asked_no_more_than_was_agreed_and_nobody_twice(log: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    wanted = {"manufactured": True, "ablation_questions": 3}
    found = scored(pump_context(folder, "drowns", **wanted))
    assert asked(log) == PUMPS + 4 * 3
    rows = {row.examinee.name: row for row in found.examinees}
    assert rows["drowns, closed book"].asked == 3
    assert scored(pump_context(folder, "drowns", **wanted)) is not None
    assert asked(log) == PUMPS + 4 * 3


def test_a_diagnosis_asks_nothing_that_a_variant_has_answered_and_the_other_way_round(
    log: Path, tmp_path: Path
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    scored(pump_context(first, "finds_nothing", manufactured=True))
    diagnose_run(pump_context(first, "finds_nothing"))
    # the exam, four variants, own, oracle among distractors, again
    assert asked(log) == PUMPS * 8
    sit_all(context := pump_context(second, "finds_nothing"))
    context.close()
    diagnose_run(pump_context(second, "finds_nothing"))
    scored(pump_context(second, "finds_nothing", manufactured=True))
    assert asked(log) == PUMPS * 16


def test_who_is_asked_for_later_is_no_longer_manufactured(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    scored(pump_context(folder, "drowns", manufactured=True))
    found = scored(pump_context(folder, "bm25+lexical"))
    asked_for = {row.examinee.name for row in found.examinees if not row.examinee.manufactured}
    assert asked_for == {"drowns", "bm25+lexical"}


def test_what_will_be_asked_is_said_before(tmp_path: Path) -> None:
    context = pump_context(tmp_path / "run", "drowns", "takes_none", manufactured=True)
    company, drowns, takes_none = reference_examinees.budget(context, diagnosis=True)
    assert "20 reference systems" in company
    assert f"{4 * PUMPS} questions with its passages exchanged (4 times {PUMPS}), and 6 for each of at most" in drowns
    assert f"takes_none is asked, beyond the exam, at most {PUMPS} questions again" in takes_none
    # a sitting diagnoses nobody
    assert len(reference_examinees.budget(context, diagnosis=False)) == 2
    context.close()


def test_what_was_asked_already_is_not_announced_again(tmp_path: Path) -> None:
    context = pump_context(tmp_path / "run", "drowns", manufactured=True)
    company, own = reference_examinees.budget(context, diagnosis=True)
    sit_all(context)
    # it has sat, and nobody was set beside it yet
    assert reference_examinees.budget(context, diagnosis=True) == [company, own]
    asyncio.run(beside(context))
    (diagnosed,) = reference_examinees.budget(context, diagnosis=True)
    assert diagnosed.startswith(f"drowns is asked, beyond the exam, at most 6 for each of at most {PUMPS} wrong")
    assert reference_examinees.budget(context, diagnosis=False) == []
    context.store.add_exam(Exam(id="another", items=(question(20), question(21))))
    assert len(reference_examinees.budget(context, diagnosis=True)) == 2
    context.close()


def test_an_ablation_is_known_by_its_system_and_what_was_changed(tmp_path: Path) -> None:
    context = pump_context(tmp_path / "run", "drowns", "breaks")
    one, other = context.candidates.specs
    ids = {
        ablation(one, "none").examinee.id,
        ablation(one, "oracle").examinee.id,
        ablation(other, "none").examinee.id,
    }
    assert len(ids) == 3
    assert ablation(one, "none").examinee.id == ablation(one, "none").examinee.id
    assert "drowns" in ablation(one, "none").examinee.manufactured
    context.close()


def test_what_is_recorded_of_an_ablation_is_what_it_was_handed(tmp_path: Path) -> None:
    context = pump_context(tmp_path / "run", "drowns", manufactured=True)
    sit_all(context)
    seat = ablation(context.candidates.specs[0], "oracle")
    exam = stages.exam_of(context.store, context.folder)
    handed = reference_examinees.interventions(context.store, context.index, seat.of, exam, context.settings.seed)
    candidate = reference_examinees.ablated(context.candidates, context.settings, seat, handed)
    answer = asyncio.run(candidate.answer_item(question(1)))
    assert [passage.text for passage in answer.passages] == [question(1).item.evidence[0].quote]
    with pytest.raises(UsageError, match="exam items only"):
        asyncio.run(candidate.answer("What?", ("a", "b")))
    context.close()
