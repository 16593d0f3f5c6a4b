"""A blueprint is the same however it is written, and what cannot be one is told with what could."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viva.core.blueprint import Blueprint, Facet
from viva.core.errors import UsageError
from viva.core.records import ItemKind

INLINE = "kind.multi-hop=0.1, bloom.apply=0.3,topic.Billing=0.5"
TOML = "[kind]\nmulti-hop = 0.1\n[bloom]\napply = 0.3\n[topic]\nBilling = 0.5\n"
JSON = '{"topic": {"Billing": 0.5}, "bloom": {"Apply": 0.3}, "kind": {"multi_hop": 0.1}}'


def test_one_blueprint_in_three_forms_is_one(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(TOML, encoding="utf-8")
    (tmp_path / "plan.json").write_text(JSON, encoding="utf-8")
    files = [Blueprint.read(str(tmp_path / name)) for name in ("plan.toml", "plan.json")]
    forms = [*files, Blueprint.read(INLINE), Blueprint.read(JSON), Blueprint.read(Blueprint.read(INLINE).canonical)]
    assert {form.canonical for form in forms} == {
        '{"bloom": {"apply": 0.3}, "kind": {"multi-hop": 0.1}, "topic": {"Billing": 0.5}}'
    }


def test_no_blueprint_is_an_empty_one() -> None:
    assert Blueprint.read("").canonical == Blueprint.read("{}").canonical == ""
    assert Blueprint().kinds == {kind: float(kind is ItemKind.SINGLE_HOP) for kind in ItemKind}


def test_a_topic_may_hold_dots_and_equals_signs() -> None:
    assert Blueprint.read("topic.v1.2=beta=0.5").shares == {Facet.TOPIC: {"v1.2=beta": 0.5}}


def test_single_hop_has_what_the_other_kinds_leave() -> None:
    left = Blueprint.read("kind.multi-hop=0.2,kind.unanswerable=0.1")
    assert left.kinds[ItemKind.SINGLE_HOP] == pytest.approx(0.7)
    told = Blueprint.read("kind.multi-hop=0.2,kind.unanswerable=0.1,kind.single-hop=0.7")
    assert told.canonical == left.canonical
    assert Blueprint.read("kind.multi-hop=1").kinds[ItemKind.SINGLE_HOP] == 0
    alone = Blueprint.read("kind.follow-up=1")
    assert (alone.main, alone.kinds[ItemKind.SINGLE_HOP]) == (ItemKind.FOLLOW_UP, 0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("colour.red=0.5", "topic, type, bloom, difficulty, kind"),
        ("bloom.recall=0.5", "remember, understand, apply, analyze, evaluate, create"),
        ("type.essay=0.5", "definition, quantity, date"),
        ("difficulty.impossible=0.5", "easy, medium, hard"),
        ("kind.three-hop=0.5", "single-hop, multi-hop, unanswerable, follow-up"),
        ("bloom.apply=30", "number from 0 to 1"),
        ("bloom.apply=-0.1", "number from 0 to 1"),
        ("bloom.apply=nan", "number from 0 to 1"),
        ("bloom.apply=most", "number from 0 to 1"),
        ('{"bloom": {"apply": true}}', "number from 0 to 1"),
        ('{"bloom": {"apply": "0.3"}}', "number from 0 to 1"),
        ("bloom.apply=0.6,bloom.create=0.5", "sum to 1.1"),
        ("bloom.apply=0.1,bloom.apply=0.2", "twice"),
        ('{"bloom": {"apply": 0.1, "Apply": 0.2}}', "twice"),
        ('{"bloom": {"apply": 0.1, "apply": 0.2}}', "twice"),
        ("bloom=0.5", "facet.level=share"),
        ("topic.=0.5", "facet.level=share"),
        ('{"topic": {" ": 0.5}}', "without a name"),
        ('{"bloom": 0.5}', "not one table"),
        ('{"bloom"', "no JSON"),
        ("nowhere.toml", "cannot be read"),
        ("nowhere", "cannot be read"),
        ("kind.single-hop=0.5,kind.multi-hop=0.2", "need not be named"),
    ],
)
def test_what_cannot_be_a_blueprint_is_told_with_what_could(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Blueprint.read(text)


def test_a_file_that_is_no_table_of_shares_is_told(tmp_path: Path) -> None:
    for name, content in {"a.toml": "= 3", "b.json": "[1]", "c.toml": "\udcff", "d.json": "[" * 100_000}.items():
        (tmp_path / name).write_bytes(content.encode("utf-8", "surrogateescape"))
        with pytest.raises(UsageError, match=r"no TOML|no table|not text in UTF-8|nested too deeply|no JSON"):
            Blueprint.read(str(tmp_path / name))
    with pytest.raises(UsageError, match="cannot be read"):
        Blueprint.read(str(tmp_path / "folder.toml"))


def test_a_topic_that_no_document_is_about_is_told_with_those_there_are() -> None:
    blueprint = Blueprint.read("topic.Billing=0.5")
    blueprint.check_topics(["Billing", ""])
    with pytest.raises(UsageError, match=r"'Billing'.*Safety, Tides"):
        blueprint.check_topics(["Tides", "Safety", ""])
    with pytest.raises(UsageError, match="name no topics"):
        blueprint.check_topics([""])


@given(st.lists(st.integers(0, 20), min_size=1, max_size=6), st.integers(0, 300))
def test_wanted_items_sum_to_the_shares_and_are_within_one_of_each(parts: list[int], size: int) -> None:
    levels = ["remember", "understand", "apply", "analyze", "evaluate", "create"]
    total = max(sum(parts), 1)
    shares = {level: part / total for level, part in zip(levels, parts, strict=False)}
    wanted = Blueprint.read(json.dumps({"bloom": shares})).wanted(Facet.BLOOM, size)
    assert all(abs(wanted[level] - share * size) < 1 for level, share in shares.items())
    assert sum(wanted.values()) == (size if sum(parts) else 0)
