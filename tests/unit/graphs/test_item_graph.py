"""One chunk's walk: every way through the graph, every step on record, no unit lost."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import cast as typed

import pytest
from by_hand import source, unit
from fakes import Critic, Options, Writer, cast

from viva.agents.roles import Cast
from viva.core.records import KnowledgeUnit
from viva.graphs.item import Committee, ItemState, graph

HERE = source("Pumps move water. Valves stop it. Tanks hold it. Rust eats it.")
UNITS = [unit(HERE, words) for words in ("Pumps move water.", "Valves stop it.", "Tanks hold it.", "Rust eats it.")]
ROUND = ["question writer", "expert answerer", "critics"]
ENDING = ["distractor writer", "option critics", "chair"]


def walk(of: Cast, *, items: int = 9, revisions: int = 2, redos: int = 2) -> ItemState:
    committee = Committee(of, items, revisions, redos)
    return typed(ItemState, asyncio.run(graph.ainvoke({"source": HERE}, {"recursion_limit": 500}, context=committee)))


def one() -> list[KnowledgeUnit]:
    return UNITS[:1]


def roles(out: ItemState) -> list[str]:
    return [step.role for step in out["steps"]]


def test_a_draft_that_everybody_passes_is_accepted() -> None:
    out = walk(cast(one()))
    assert roles(out) == ["unit extractor", *ROUND, *ENDING]
    (item,) = out["items"]
    assert (item.key, [d.text for d in item.distractors]) == (
        "key of Pumps move water.",
        ["wrong 0a", "wrong 0b", "wrong 0c"],
    )
    assert (item.topic, item.provenance.attempts, item.provenance.cast) == ("pumps", 1, "fake")
    assert out.get("rejections", []) == []


def test_a_draft_that_fails_is_revised_with_the_critics_reason() -> None:
    writer = Writer()
    out = walk(cast(one(), writer=writer, critics=[Critic("strict", "unclear")]))
    assert roles(out) == ["unit extractor", *ROUND, *ROUND, *ENDING]
    assert [verdict.code if verdict else None for verdict in writer.heard] == [None, "unclear"]
    assert out["items"][0].provenance.attempts == 2
    assert "wording 1" in out["items"][0].stem


def test_when_the_revisions_are_used_up_the_unit_is_rejected_with_the_last_reason() -> None:
    out = walk(cast(one(), critics=[Critic("strict", "unclear", "unfaithful", "vague", "never asked")]), revisions=2)
    assert roles(out) == ["unit extractor", *ROUND * 3, "chair"]
    (rejection,) = out["rejections"]
    assert (rejection.verdict.code, rejection.verdict.critic) == ("vague", "strict")
    assert rejection.draft is not None
    assert rejection.draft.attempt == 2


def test_with_no_revisions_the_first_failure_ends_it() -> None:
    out = walk(cast(one(), critics=[Critic("strict", "unclear")]), revisions=0)
    assert roles(out) == ["unit extractor", *ROUND, "chair"]


def test_a_writer_with_no_other_wording_ends_it_with_the_critics_reason() -> None:
    out = walk(cast(one(), writer=Writer(wordings=1), critics=[Critic("strict", "unclear", "unclear")]))
    assert roles(out) == ["unit extractor", *ROUND, "question writer", "chair"]
    assert out["rejections"][0].verdict.code == "unclear"


def test_a_unit_that_nobody_can_ask_about_is_rejected_without_a_draft() -> None:
    out = walk(cast(one(), writer=Writer(wordings=0)))
    (rejection,) = out["rejections"]
    assert (rejection.draft, rejection.verdict.code) == (None, "no_question")


def test_the_first_critic_that_fails_a_draft_ends_the_round() -> None:
    second = Critic("second", "never heard")
    out = walk(cast(one(), critics=[Critic("first", "unclear"), second]), revisions=0)
    assert out["rejections"][0].verdict.critic == "first"
    assert second._script == ["never heard"]


def test_options_that_fail_are_redone() -> None:
    out = walk(cast(one(), option_critics=[Critic("strict", "second_key")]))
    assert roles(out) == ["unit extractor", *ROUND, *ENDING[:2], *ENDING]
    assert [d.text for d in out["items"][0].distractors] == ["wrong 1a", "wrong 1b", "wrong 1c"]


def test_when_the_redos_are_used_up_the_unit_is_rejected() -> None:
    out = walk(cast(one(), option_critics=[Critic("strict", *["second_key"] * 9)]), redos=2)
    assert roles(out) == ["unit extractor", *ROUND, *ENDING[:2] * 3, "chair"]
    assert out["rejections"][0].verdict.code == "second_key"


@pytest.mark.parametrize("lacking", [0, 1])
def test_where_there_are_too_few_options_the_unit_is_rejected(lacking: int) -> None:
    out = walk(cast(one(), options=Options(lacking), option_critics=[Critic("strict", "second_key")]))
    assert out["rejections"][0].verdict.code == "too_few_distractors"
    assert out["rejections"][0].draft is not None


def test_a_unit_begins_afresh_after_another_was_redone_or_rejected() -> None:
    script = ["second_key"] * 3 + ["second_key"]
    out = walk(cast(UNITS[:2], option_critics=[Critic("strict", *script)]), redos=2)
    assert [r.unit.id for r in out["rejections"]] == [UNITS[0].id]
    assert [d.text for d in out["items"][0].distractors] == ["wrong 1a", "wrong 1b", "wrong 1c"]
    assert out["items"][0].provenance.unit_id == UNITS[1].id


def test_a_chunk_stops_when_it_has_its_share_of_items() -> None:
    out = walk(cast(UNITS), items=2)
    assert len(out["items"]) == 2
    assert out["pending"] == UNITS[2:]


def test_a_chunk_without_units_ends_at_once() -> None:
    out = walk(cast([]))
    assert (out["found"], roles(out)) == (0, ["unit extractor"])


def test_every_step_is_on_record_in_order_with_its_verdict() -> None:
    out = walk(cast(one(), critics=[Critic("strict", "unclear")], option_critics=[Critic("picky", "second_key")]))
    steps = out["steps"]
    assert [step.number for step in steps] == list(range(len(steps)))
    assert [(step.role, step.verdict) for step in steps] == [
        ("unit extractor", ""),
        ("question writer", ""),
        ("expert answerer", ""),
        ("critics", "unclear"),
        ("question writer", ""),
        ("expert answerer", ""),
        ("critics", "passed"),
        ("distractor writer", ""),
        ("option critics", "second_key"),
        ("distractor writer", ""),
        ("option critics", "passed"),
        ("chair", ""),
    ]
    assert {step.chunk_id for step in steps} == {HERE.chunk.id}
    assert {step.unit_id for step in steps[1:]} == {UNITS[0].id}
    assert steps[-1].item_id == out["items"][0].id
    assert steps[-1].output == "accepted"
    assert steps[3].output.startswith("strict")
    assert "says unclear" in steps[3].output
    assert all(step.duration_s >= 0 for step in steps)


def test_every_unit_is_accepted_rejected_or_not_asked() -> None:
    critic = Critic("strict", "", "unclear", "unclear", "unclear", "")
    out = walk(cast(UNITS, critics=[critic]), items=2)
    ids = [i.provenance.unit_id for i in out["items"]] + [r.unit.id for r in out["rejections"]]
    assert sorted(ids + [u.id for u in out["pending"]]) == sorted(u.id for u in UNITS)
    assert (out["found"], len(out["items"]), len(out["rejections"]), len(out["pending"])) == (4, 2, 1, 1)


@pytest.mark.parametrize("name", ["item", "run"])
def test_the_picture_in_the_docs_is_the_graph(name: str) -> None:
    from viva.graphs import item, run

    drawn = {"item": item.graph, "run": run.graph}[name].get_graph().draw_mermaid()
    kept = (Path(__file__).parents[3] / "docs" / f"graph-{name}.mmd").read_text(encoding="utf-8")
    assert drawn == kept
