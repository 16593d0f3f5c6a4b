"""What a sitting asked and what it kept; and --again, after which nothing of the earlier answers is left."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pump_run import pump_context, pump_exam, sit_all

from viva.core.records import Grade
from viva.core.records.labels import Label
from viva.core.settings import Settings
from viva.examinees.specs.parse import parse_spec
from viva.graphs import results, stages
from viva.graphs.sitting.kept_answers import record_sitting, sittings_of

NOW = datetime.now(UTC)
TODAY = f"{NOW.day} {NOW:%b}"


def told(folder: Path, *names: str, again: bool = False) -> list[str]:
    context = pump_context(folder, *names)
    context.again = again
    sit_all(context)
    found = [each.sentence for each in sittings_of(context.store, context.candidates.specs, context.sittings)]
    context.close()
    return found


def test_a_sitting_says_what_it_asked_and_what_it_kept_from_when(tmp_path: Path) -> None:
    assert told(tmp_path, "finds") == ["finds: asked 8, kept 0."]
    assert told(tmp_path, "finds", "reworded") == [
        f"finds: asked 0, kept 8 of {TODAY}.",
        "reworded: asked 8, kept 0.",
    ]


def test_again_asks_anew_and_leaves_nothing_of_the_earlier_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PUMP_LOG", str(tmp_path / "log"))
    told(tmp_path, "wavers", "finds_nothing")
    context = pump_context(tmp_path, "wavers", "finds_nothing")
    store = context.store
    first, other = (store.responses_of(spec.examinee.id) for spec in context.candidates.specs)
    store.add_grades(
        "judge", [Grade(response_id=r.id, examinee_id="e", item_id="i", score=1.0) for r in (first[0], other[0])]
    )
    store.add_labels([Label(response_id=r.id, by="Bo", at="2026-01-01", score=1.0) for r in (first[0], other[0])])
    results.score(context)
    context.close()
    assert told(tmp_path, "wavers", again=True) == ["wavers: asked 8, kept 0."]
    assert (tmp_path / "log").read_text().splitlines().count("wavers") == 16
    context = pump_context(tmp_path, "wavers", "finds_nothing")
    store = context.store
    anew, kept = (store.responses_of(spec.examinee.id) for spec in context.candidates.specs)
    assert [r.id for r in anew] == [r.id for r in first]
    assert [r.latency_s for r in anew] != [r.latency_s for r in first]
    assert kept == other
    assert list(store.grades("judge")) == [label.response_id for label in store.labels()] == [other[0].id]
    assert store.latest_result("scores") is None
    results.score(context)
    context.close()


def test_an_endpoint_without_a_version_may_be_another_and_the_sentence_says_so(tmp_path: Path) -> None:
    context = pump_context(tmp_path, "finds")
    exam, spec = pump_exam(), parse_spec("http://127.0.0.1:1/ask", Settings())
    record_sitting(context.store, spec.examinee.id, exam, asked=8, kept=0)
    ended = record_sitting(context.store, spec.examinee.id, exam, asked=0, kept=8)
    (found,) = sittings_of(context.store, [spec], {spec.examinee.id: ended})
    assert not found.identity_known
    assert found.sentence == (
        f"127.0.0.1:1/ask: asked 0, kept 8 of {TODAY}. Whether the endpoint is still the same system cannot be known "
        "(in a panel file, `version:` tells its versions apart). --again asks anew."
    )
    context.close()


def test_the_days_of_kept_answers_are_told_with_their_year_where_it_is_another(tmp_path: Path) -> None:
    context = pump_context(tmp_path, "finds")
    (spec,) = context.candidates.specs
    kind = f"sitting {spec.examinee.id}"
    for at, asked in (
        ("2024-12-30T10:00:00+00:00", 3),
        ("2025-01-02T10:00:00+00:00", 5),
        ("2025-02-02T10:00:00+00:00", 0),
    ):
        context.store.add_result(kind, {"exam_id": "e", "at": at, "asked": asked, "kept": 1})
    (found,) = sittings_of(context.store, [spec])
    assert found.sentence == "finds: asked 0, kept 1 of 30 Dec 2024 to 2 Jan 2025."
    context.close()


def test_an_interrupted_sitting_is_told_too(tmp_path: Path) -> None:
    context = pump_context(tmp_path, "finds")
    (spec,) = context.candidates.specs

    async def some() -> None:
        stages.call(context)
        exam = pump_exam()
        await stages.sit(context, spec, exam.without({shown.item.id for shown in exam.items[5:]}))

    asyncio.run(some())
    context.close()
    assert told(tmp_path, "finds") == [f"finds: asked 3, kept 5 of {TODAY}."]
