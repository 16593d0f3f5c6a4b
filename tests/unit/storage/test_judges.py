"""Judges on disk: installed whole or not at all, found by name, listed with what is wrong with those that are not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from viva.core.errors import UsageError
from viva.core.records.judging import JudgeCard, Make, Measured, Quality
from viva.storage.judges import (
    all_judges,
    find_judge,
    install_program,
    joined,
    judges_folder,
    remember,
)

PROGRAM = json.dumps({"instructions": "Judge.", "demos": [{"answer": "a\u2028b", "score": 0.5}]}, ensure_ascii=False)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VIVA_JUDGES", str(tmp_path / "judges"))
    return tmp_path / "judges"


def card(name: str = "mine", make: Make = Make.TUNED, **more: object) -> JudgeCard:
    return JudgeCard(name=name, judges=Quality.CORRECTNESS, make=make, model="fake:x", **more)


def measured(estimate: float, data: str = "mine/dev", statistic: str = "spearman") -> Measured:
    bounds = {"low": estimate - 0.1, "high": estimate + 0.1}
    return Measured(data=data, data_fingerprint="f", statistic=statistic, estimate=estimate, labels=40, **bounds)


def test_a_tuned_judge_is_found_as_it_was_installed(folder: Path) -> None:
    done = install_program(card(), PROGRAM)
    found = find_judge("mine")
    assert found == done
    assert found.card == card()
    assert json.loads(found.program) == json.loads(PROGRAM)
    assert [each.name for each in folder.iterdir()] == ["mine.json"]


def test_a_judge_of_the_same_name_gives_way(folder: Path) -> None:
    install_program(card(), PROGRAM)
    install_program(card(optimizer="GEPA"), PROGRAM)
    assert find_judge("mine").card.optimizer == "GEPA"
    assert len(all_judges()[0]) == 1


def test_a_tuned_judge_of_an_earlier_version_is_read_and_a_trained_one_refused_in_words(folder: Path) -> None:
    file = install_program(card(), PROGRAM).file
    stored = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({**stored, "weights": ""}), "utf-8")
    assert find_judge("mine").card == card()
    trained = {**stored["card"], "name": "trained", "make": "local"}
    told = {"card": trained, "program": None, "weights": "trained@0123456789abcdef"}
    (folder / "trained.json").write_text(json.dumps(told), "utf-8")
    with pytest.raises(UsageError, match=r"Judges with trained weights are gone.*correctness-offline"):
        find_judge("trained")
    assert [each.file.name for each in all_judges()[1]] == ["trained.json"]


def test_figures_of_a_judge_are_kept_together_by_its_stamp() -> None:
    base = card("correctness", Make.BASE, prompt="p")
    remember(base.model_copy(update={"measured": (measured(0.5), measured(0.4, "mine/old"))}))
    remember(base.model_copy(update={"measured": (measured(0.6),)}))
    remember(base.model_copy(update={"prompt": "edited", "measured": (measured(0.9),)}))
    kept = {each.card.prompt: [m.estimate for m in each.card.measured] for each in all_judges()[0]}
    assert kept == {"p": [0.4, 0.6], "edited": [0.9]}
    with pytest.raises(UsageError, match="no judge called 'correctness'"):
        find_judge("correctness")


def test_of_two_cards_the_later_figure_of_the_same_labels_stays() -> None:
    earlier = card(measured=(measured(0.5), measured(0.2, statistic="kendall")))
    later = card(measured=(measured(0.7),))
    assert [(each.statistic, each.estimate) for each in joined(earlier, later).measured] == [
        ("kendall", 0.2),
        ("spearman", 0.7),
    ]


def test_a_card_of_an_earlier_version_is_read_without_its_probes(folder: Path) -> None:
    file = install_program(card(), PROGRAM).file
    stored = json.loads(file.read_text("utf-8"))
    stored["card"]["probed"] = [{"probe": "injection", "moved": 1, "tried": 9}]
    file.write_text(json.dumps(stored), "utf-8")
    assert find_judge("mine").card == card()


def test_an_interrupted_installation_leaves_what_was_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_program(card(optimizer="first"), PROGRAM)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        install_program(card(optimizer="second"), PROGRAM)
    assert find_judge("mine").card.optimizer == "first"
    assert len(all_judges()[0]) == 1
    assert all_judges()[1] == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda told: {**told, "card": {**told["card"], "name": "other"}}, "its card is that of other"),
        (lambda told: {**told, "program": None}, "a tuned judge has a program"),
        (lambda told: {"card": {**told["card"], "make": "base"}, "program": {}}, "not installed"),
        (lambda told: {**told, "surprise": 1}, "surprise"),
        (lambda told: {}, "card"),
        (lambda told: [], "holds no judge"),
    ],
)
def test_a_file_that_is_no_judge_is_listed_with_the_reason_and_not_used(
    folder: Path, change: object, said: str
) -> None:
    install_program(card("good"), PROGRAM)
    file = install_program(card(), PROGRAM).file
    file.write_text(json.dumps(change(json.loads(file.read_text("utf-8")))), encoding="utf-8")
    found, unusable = all_judges()
    assert [each.card.name for each in found] == ["good"]
    assert len(unusable) == 1
    assert said in unusable[0].reason
    with pytest.raises(UsageError, match="Tune it again"):
        find_judge("mine")


@pytest.mark.parametrize("name", ["../mine", "Mine", "", "measured.correctness.0", "a/b", ".mine"])
def test_no_name_leads_out_of_the_folder(folder: Path, name: str) -> None:
    install_program(card(), PROGRAM)
    with pytest.raises(UsageError, match="There is no judge called"):
        find_judge(name)


def test_a_name_that_is_kept_for_figures_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot be called"):
        install_program(card("measured.correctness"), PROGRAM)


def test_a_folder_that_cannot_be_written_is_told_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("VIVA_JUDGES", str(tmp_path / "file" / "judges"))
    with pytest.raises(UsageError, match="VIVA_JUDGES=FOLDER"):
        install_program(card(), PROGRAM)


def test_without_the_variable_judges_are_in_the_users_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VIVA_JUDGES")
    assert judges_folder().parts[-2:] == ("viva", "judges")
