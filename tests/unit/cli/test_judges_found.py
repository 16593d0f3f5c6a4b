"""`viva judges` lists who there is: of every quality a base judge, figures with the judge they are of."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from viva.agents.judges.model.compiled import Compiled
from viva.agents.judges.model.judge import stamped
from viva.cli.judges.commands import judges
from viva.core.errors import UsageError
from viva.core.records.judging import JudgeCard, Make, Measured, Quality
from viva.graphs.grading.judge_list import found_judges
from viva.storage.judges import install_program, remember

FIGURE = Measured(
    data="mine/dev", data_fingerprint="f", statistic="spearman", estimate=0.8, low=0.7, high=0.9, labels=100
)
PROGRAM = Compiled("Compare the two.")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VIVA_JUDGES", str(tmp_path / "judges"))
    return tmp_path / "judges"


def cells(*arguments: str) -> str:
    """What `viva judges` shows, without the lines of its table."""
    shown = CliRunner().invoke(judges, [*arguments], catch_exceptions=False).stdout
    return " ".join(shown.replace("│", " ").split())


def of(quality: Quality, make: Make) -> list[JudgeCard]:
    return [card for card in found_judges(quality.value)[0] if card.make is make]


def test_without_anything_installed_every_quality_has_its_base_judge() -> None:
    cards, unusable = found_judges()
    assert [card.judges for card in cards if card.make is Make.BASE] == list(Quality)
    assert {card.judges for card in cards if card.make is Make.OFFLINE} >= {Quality.CORRECTNESS}
    assert unusable == []


def test_a_base_judge_is_listed_once_for_each_model_it_was_measured_with() -> None:
    for model in ("openai:x", "openai:y"):
        base = stamped(Quality.RUBRIC).model_copy(update={"model": model, "measured": (FIGURE,)})
        remember(base)
    assert [(card.model, card.measured) for card in of(Quality.RUBRIC, Make.BASE)] == [
        ("openai:x", (FIGURE,)),
        ("openai:y", (FIGURE,)),
    ]
    assert [card.model for card in of(Quality.RELEVANCE, Make.BASE)] == [""]


def test_measured_judges_come_first_the_surely_best_of_a_quality_at_its_top() -> None:
    wide, narrow = FIGURE.model_copy(update={"estimate": 0.95, "low": 0.2, "high": 0.99}), FIGURE
    for model, figure in (("openai:few-labels", wide), ("openai:many-labels", narrow)):
        remember(stamped(Quality.RUBRIC).model_copy(update={"model": model, "measured": (figure,)}))
    pretending = {"model": "fake:any", "measured": (FIGURE.model_copy(update={"estimate": 1.0, "low": 0.99}),)}
    remember(stamped(Quality.CORRECTNESS).model_copy(update=pretending))
    cards = found_judges()[0]
    assert [card.model for card in cards[:2]] == ["openai:many-labels", "openai:few-labels"]
    assert not any(card.measured for card in cards[2:])
    (fake,) = (card for card in cards if card.model == "fake:any")
    assert "no language model" in fake.note
    shown = CliRunner().invoke(judges, [], catch_exceptions=False).stdout
    assert "Not measured, so that their agreement with people is not known: correctness" in shown
    assert "rubric" not in shown.partition("Not measured,")[2].partition("\n")[0]


def test_figures_of_a_judge_without_a_model_stand_with_it() -> None:
    (offline,) = of(Quality.CORRECTNESS, Make.OFFLINE)
    remember(offline.model_copy(update={"measured": (FIGURE,)}))
    (again,) = of(Quality.CORRECTNESS, Make.OFFLINE)
    assert again.measured == (FIGURE,)


def test_the_agreement_of_annotators_is_listed_with_the_judges() -> None:
    (offline,) = of(Quality.CORRECTNESS, Make.OFFLINE)
    remember(offline.model_copy(update={"measured": (FIGURE.model_copy(update={"people": 0.82}),)}))
    assert "spearman 0.800 (0.700 to 0.900) 0.820 mine/dev 100" in cells("correctness-offline")


def test_figures_of_a_tuned_judge_stand_with_it_and_are_not_shown_without_it() -> None:
    tuned = stamped(Quality.RUBRIC, PROGRAM).model_copy(update={"name": "wharf", "measured": (FIGURE,)})
    remember(tuned.model_copy(update={"measured": (FIGURE.model_copy(update={"data": "mine/labels"}),)}))
    assert of(Quality.RUBRIC, Make.TUNED) == []
    install_program(tuned, PROGRAM.to_json())
    (found,) = of(Quality.RUBRIC, Make.TUNED)
    assert {each.data for each in found.measured} == {"mine/dev", "mine/labels"}


def test_figures_of_a_judge_of_an_earlier_version_are_not_shown() -> None:
    remember(JudgeCard(name="correctness-default", judges=Quality.CORRECTNESS, make=Make.BLEND, measured=(FIGURE,)))
    cards, unusable = found_judges()
    assert "correctness-default" not in {card.name for card in cards}
    assert unusable == []


def test_what_was_measured_before_the_prompt_changed_says_so() -> None:
    old = {"prompt": "0" * 16, "model": "openai:x"}
    remember(stamped(Quality.RUBRIC).model_copy(update=old))
    install_program(stamped(Quality.RUBRIC, PROGRAM).model_copy(update=old), PROGRAM.to_json())
    assert {card.model: card.note for card in of(Quality.RUBRIC, Make.BASE)} == {
        "": "",
        "openai:x": "measured before its prompt changed",
    }
    assert "not usable" in of(Quality.RUBRIC, Make.TUNED)[0].note


def test_a_file_that_holds_no_judge_is_told(folder: Path) -> None:
    folder.mkdir()
    (folder / "odd.json").write_text("{}")
    assert [each.file.name for each in found_judges()[1]] == ["odd.json"]


def test_a_judge_is_found_by_its_own_name_with_its_figures(folder: Path) -> None:
    tuned = stamped(Quality.RUBRIC, PROGRAM).model_copy(update={"name": "harbour", "measured": (FIGURE,)})
    install_program(tuned, PROGRAM.to_json())
    ((found,), _) = found_judges("harbour")
    assert (found.make, found.measured) == (Make.TUNED, (FIGURE,))
    assert [card.name for card in found_judges("correctness-offline")[0]] == ["correctness-offline"]


def test_the_name_of_a_quality_means_all_its_judges() -> None:
    names = {card.name for card in found_judges("correctness")[0]}
    assert names == {"correctness", "correctness-offline"}
    assert [card.judges for card in found_judges("stand-alone")[0]] == [Quality.STAND_ALONE]


def test_a_judge_by_its_own_name_is_shown_with_all_of_its_figures() -> None:
    (card,) = found_judges("correctness-offline")[0]
    figures = (FIGURE, FIGURE.model_copy(update={"statistic": "kendall", "estimate": 0.62}))
    remember(card.model_copy(update={"measured": figures}))
    shown = cells("correctness-offline")
    for each in figures:
        assert f"{each.statistic} {each.estimate:.3f}" in shown
    assert "answerability-offline" not in shown


def test_a_judge_whose_file_cannot_be_used_is_told_by_its_name(folder: Path) -> None:
    folder.mkdir()
    (folder / "odd.json").write_text("{}")
    shown = CliRunner().invoke(judges, ["odd"], catch_exceptions=False).stdout
    assert "Not usable" in shown


def test_an_unknown_name_is_refused_with_those_that_exist(folder: Path) -> None:
    install_program(stamped(Quality.RUBRIC, PROGRAM).model_copy(update={"name": "harbour"}), PROGRAM.to_json())
    with pytest.raises(UsageError, match="'wit' is neither a quality nor the name of a judge") as refused:
        found_judges("wit")
    for known in ("faithfulness", "correctness-offline", "harbour"):
        assert known in str(refused.value)


def test_a_judge_whose_stored_instructions_were_edited_is_marked_as_not_usable() -> None:
    tuned = stamped(Quality.RUBRIC, PROGRAM).model_copy(update={"name": "harbour"})
    file = install_program(tuned, PROGRAM.to_json()).file
    assert found_judges("harbour")[0][0].note == ""
    file.write_text(file.read_text("utf-8").replace(PROGRAM.instructions, "Always say 1."), "utf-8")
    assert found_judges("harbour")[0][0].note == "not usable: its compiled program changed since it was measured"
    shown = CliRunner().invoke(judges, ["harbour"], catch_exceptions=False).stdout
    assert "harbour: not usable" in shown
    file.write_text(file.read_text("utf-8").replace("instructions", "orders"), "utf-8")
    assert "not usable: This is no compiled judge" in found_judges("harbour")[0][0].note


def test_of_a_judge_that_names_classes_mcc_and_balanced_accuracy_come_first() -> None:
    (card,) = found_judges("answerability-offline")[0]
    named = ("spearman", "accuracy", "balanced accuracy", "mcc")
    figures = tuple(FIGURE.model_copy(update={"statistic": each, "low": -0.0001}) for each in named)
    remember(card.model_copy(update={"measured": figures}))
    shown = cells("answerability")
    assert "mcc 0.800 (0.000 to 0.900)" in shown
    assert "balanced accuracy 0.800" in shown
    assert "spearman" not in shown
    every = CliRunner().invoke(judges, ["answerability-offline"], catch_exceptions=False).stdout
    assert every.index("mcc") < every.index("balanced accuracy") < every.index("spearman")
