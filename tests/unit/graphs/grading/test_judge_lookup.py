"""A judge is found by its name, and what was found out about it is kept where that judge is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from viva.agents.judges.local.storing import read_card, write_card
from viva.agents.judges.model.compiled import Compiled
from viva.agents.judges.model.judge import stamped
from viva.core.errors import UsageError
from viva.core.records.judging import JudgeCard, Make, Probed, Quality
from viva.graphs.grading.judge_lookup import is_taken, named_judge, names_at_hand
from viva.llm.embeddings import SentenceTransformerEmbedder
from viva.storage.judges import all_judges, find_judge, install_program, install_weights

FOUND = (Probed(probe="injection", moved=1, tried=9),)


@pytest.fixture(autouse=True)
def judges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VIVA_JUDGES", str(tmp_path / "judges"))
    return tmp_path / "judges"


@pytest.mark.parametrize("quality", Quality)
def test_the_name_of_a_quality_is_its_base_judge_and_with_a_suffix_one_without_a_model(quality: Quality) -> None:
    base, offline, local = (named_judge(f"{quality.value}{end}") for end in ("", "-offline", "-local"))
    assert [each.quality for each in (base, offline, local)] == [quality] * 3
    assert [each.make for each in (base, offline, local)] == [Make.BASE, Make.OFFLINE, Make.LOCAL]
    assert [each.asks_a_model for each in (base, offline, local)] == [True, False, False]
    assert named_judge(quality.value.replace("_", "-")) == base


NOBODY = ("", "corectness", "correctness-", "-offline", "correctness-tuned", "../x", "CORRECTNESS")


@pytest.mark.parametrize("name", NOBODY)
def test_a_name_that_nobody_has_is_refused_in_words(name: str) -> None:
    with pytest.raises(UsageError, match="no judge called"):
        named_judge(name)


def test_an_offline_judge_needs_no_door_and_what_is_found_of_it_is_kept(minilm: SentenceTransformerEmbedder) -> None:
    named = named_judge("correctness-offline")
    judge = named.without_model(minilm)
    assert judge.card.judges is Quality.CORRECTNESS
    named.keep(judge.card.model_copy(update={"probed": FOUND}))
    assert [each.card.probed for each in all_judges()[0]] == [FOUND]
    with pytest.raises(UsageError, match="no judge of rubric"):
        named_judge("rubric-offline").without_model(minilm)


def test_the_default_judge_of_correctness_is_named_and_needs_no_door(minilm: SentenceTransformerEmbedder) -> None:
    named = named_judge("correctness-default")
    assert (named.quality, named.make, named.asks_a_model) == (Quality.CORRECTNESS, Make.BLEND, False)
    card = named.without_model(minilm).card
    assert (card.name, card.make) == (named.name, Make.BLEND)
    assert named.name in names_at_hand()
    assert is_taken(named.name)


def test_what_is_found_of_a_tuned_judge_is_kept_with_its_program(judges: Path) -> None:
    program = Compiled("Judge by the tide.")
    install_program(stamped(Quality.RUBRIC, program), program.to_json())
    named = named_judge("rubric-tuned")
    assert (named.quality, named.make, named.asks_a_model) == (Quality.RUBRIC, Make.TUNED, True)
    assert named.installed is not None
    named.keep(named.installed.card.model_copy(update={"probed": FOUND}))
    kept = find_judge("rubric-tuned")
    assert kept.card.probed == FOUND
    assert Compiled.from_json(kept.program) == program


def test_what_is_found_of_a_local_judge_is_kept_with_its_weights(judges: Path, tmp_path: Path) -> None:
    trained = tmp_path / "trained"
    trained.mkdir()
    (trained / "weights.safetensors").write_bytes(b"weights")
    card = JudgeCard(
        name="correctness-local", judges=Quality.CORRECTNESS, make=Make.LOCAL, content="0123456789abcdef"
    )
    write_card(trained, card)
    install_weights(card, trained)
    named = named_judge("correctness-local")
    assert named.installed is not None
    named.keep(card.model_copy(update={"probed": FOUND}))
    kept = find_judge("correctness-local")
    assert kept.card.probed == FOUND
    assert kept.weights is not None
    assert (kept.weights / "weights.safetensors").read_bytes() == b"weights"
    assert read_card(kept.weights).probed == FOUND


def test_what_is_found_of_a_base_judge_is_kept_by_model() -> None:
    for model in ("fake:any", "fake:other", "fake:any"):
        named_judge("rubric").keep(stamped(Quality.RUBRIC).model_copy(update={"model": model, "probed": FOUND}))
    assert [each.card.model for each in all_judges()[0]] == ["fake:any", "fake:other"]


@pytest.mark.parametrize("name", ["correctness-local", "correctness-offline"])
def test_figures_kept_of_a_judge_that_ships_install_nobody_and_it_stays_usable(
    name: str, minilm: SentenceTransformerEmbedder
) -> None:
    card = named_judge(name).without_model(minilm).card
    for _ in range(2):
        named = named_judge(name)
        assert named.installed is None
        assert named.without_model(minilm).card.content == card.content
        named.keep(card.model_copy(update={"probed": FOUND}))
    assert [each.card.name for each in all_judges()[0] if each.card.probed] == [name]


def test_who_finds_nobody_is_told_the_judges_that_ship_and_those_installed() -> None:
    install_program(stamped(Quality.RUBRIC, Compiled("Judge.")), Compiled("Judge.").to_json())
    with pytest.raises(UsageError, match="no judge called 'nobody'") as refused:
        named_judge("nobody")
    for known in ("correctness,", "correctness-offline", "correctness-local", "faithfulness-local", "rubric-tuned"):
        assert known in str(refused.value)
    assert "rubric-local" not in str(refused.value)


def test_names_of_judges_that_need_no_installing_are_taken_and_others_are_free() -> None:
    for name in (*names_at_hand(), "stand-alone", "offline", "shipped", "faithfulness-local", "rubric-offline"):
        assert is_taken(name), name
    for name in ("harbour", "correctness-tuned", "my-correctness-local", "correctness-gpt-4o"):
        assert not is_taken(name), name
