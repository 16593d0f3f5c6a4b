"""A judge is found by its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from viva.agents.judges.model.compiled import Compiled
from viva.agents.judges.model.judge import stamped
from viva.core.errors import UsageError
from viva.core.records.judging import Make, Quality
from viva.graphs.grading.judge_list import found_judges
from viva.graphs.grading.judge_lookup import is_taken, named_judge, names_at_hand
from viva.llm.embeddings import SentenceTransformerEmbedder
from viva.storage.judges import install_program


@pytest.fixture(autouse=True)
def judges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VIVA_JUDGES", str(tmp_path / "judges"))
    return tmp_path / "judges"


@pytest.mark.parametrize("quality", Quality)
def test_the_name_of_a_quality_is_its_base_judge_and_with_a_suffix_one_without_a_model(quality: Quality) -> None:
    base, offline = named_judge(quality.value), named_judge(f"{quality.value}-offline")
    assert [each.quality for each in (base, offline)] == [quality] * 2
    assert [each.make for each in (base, offline)] == [Make.BASE, Make.OFFLINE]
    assert [each.asks_a_model for each in (base, offline)] == [True, False]
    assert named_judge(quality.value.replace("_", "-")) == base


NOBODY = ("", "corectness", "correctness-", "-offline", "correctness-tuned", "../x", "CORRECTNESS")


@pytest.mark.parametrize("name", NOBODY)
def test_a_name_that_nobody_has_is_refused_in_words(name: str) -> None:
    with pytest.raises(UsageError, match="no judge called"):
        named_judge(name)


def test_an_offline_judge_needs_no_model_and_is_of_some_qualities(minilm: SentenceTransformerEmbedder) -> None:
    assert named_judge("correctness-offline").without_model(minilm).card.judges is Quality.CORRECTNESS
    with pytest.raises(UsageError, match="no judge of rubric"):
        named_judge("rubric-offline").without_model(minilm)


GONE = ("correctness-default", "correctness-local", "faithfulness_local", "answerability-local")


@pytest.mark.parametrize("name", GONE)
def test_a_judge_of_an_earlier_version_is_refused_with_what_to_use_instead(name: str) -> None:
    with pytest.raises(UsageError, match=r"gone.*use .*correctness-offline"):
        named_judge(name)
    with pytest.raises(UsageError, match="gone"):
        found_judges(name)


def test_a_tuned_judge_is_found_with_its_program() -> None:
    program = Compiled("Judge by the tide.")
    install_program(stamped(Quality.RUBRIC, program), program.to_json())
    named = named_judge("rubric-tuned")
    assert (named.quality, named.make, named.asks_a_model) == (Quality.RUBRIC, Make.TUNED, True)
    assert named.installed is not None
    assert Compiled.from_json(named.installed.program) == program


def test_who_finds_nobody_is_told_the_judges_that_ship_and_those_installed() -> None:
    install_program(stamped(Quality.RUBRIC, Compiled("Judge.")), Compiled("Judge.").to_json())
    with pytest.raises(UsageError, match="no judge called 'nobody'") as refused:
        named_judge("nobody")
    for known in ("correctness,", "correctness-offline", "rubric-tuned"):
        assert known in str(refused.value)
    assert "rubric-offline" not in str(refused.value)


def test_names_of_judges_that_need_no_installing_are_taken_and_others_are_free() -> None:
    for name in (*names_at_hand(), "stand-alone", "offline", "faithfulness-local", "rubric-offline"):
        assert is_taken(name), name
    for name in ("harbour", "correctness-tuned", "my-correctness-local", "correctness-gpt-4o"):
        assert not is_taken(name), name
