"""A blueprint on the command line or in the environment becomes one setting, or a sentence."""

from __future__ import annotations

import pytest

from viva.cli.settings import settings_of
from viva.core.errors import UsageError


def test_one_blueprint_makes_one_run_however_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    inline = settings_of({"blueprint": "kind.multi-hop=0.1, bloom.Apply=.30"}).blueprint
    monkeypatch.setenv("VIVA_BLUEPRINT", '{"bloom": {"apply": 0.3}, "kind": {"multi-hop": 0.1}}')
    assert settings_of({}).blueprint == inline == '{"bloom": {"apply": 0.3}, "kind": {"multi-hop": 0.1}}'


def test_without_a_blueprint_there_is_none() -> None:
    assert settings_of({}).blueprint == ""


def test_what_is_no_blueprint_is_told() -> None:
    with pytest.raises(UsageError, match=r"remember, understand"):
        settings_of({"blueprint": "bloom.recall=0.3"})


def test_an_audience_without_words_is_told() -> None:
    with pytest.raises(UsageError, match="--audience"):
        settings_of({"audience": ""})
