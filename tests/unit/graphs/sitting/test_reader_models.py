"""Language models that examinees read with are looked at before a run begins, with or without models of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from viva.core.errors import UsageError
from viva.core.settings import Settings
from viva.graphs.context import RunContext


def context(folder: Path, *examinees: str, **settings: object) -> RunContext:
    return RunContext(folder, Settings(examinees=examinees).model_copy(update=settings))


def test_a_reader_that_can_be_asked_needs_no_model_for_the_roles(tmp_path: Path) -> None:
    context(tmp_path, "bm25+fake:any", "dense:lsa+lexical").candidates.check()


@pytest.mark.parametrize(
    ("spec", "settings", "said"),
    [
        ("bm25+nosuch:model", {}, "no provider of models"),
        ("bm25+openai:some-model", {}, "cannot be used"),
        ("bm25+openai:some-model", {"base_url": "no address"}, "--base-url"),
    ],
)
def test_a_reader_that_cannot_be_asked_stops_the_run_before_it_begins(
    spec: str, settings: dict[str, object], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UsageError, match=said):
        context(tmp_path, spec, **settings).candidates.check()


def test_a_reader_without_a_price_does_not_go_with_a_limit_of_money(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    asked = {"base_url": "http://127.0.0.1:9/v1", "max_cost": 1.0}
    with pytest.raises(UsageError, match="no price is known for openai:mine"):
        context(tmp_path, "bm25+openai:mine", **asked).candidates.check()
    context(tmp_path, "bm25+openai:mine", **asked, price=("openai:mine=1,2",)).candidates.check()
