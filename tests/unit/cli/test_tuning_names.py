"""`viva tune`: names that could never be reached are refused; plan and report say what happened and nothing else."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
import typer
from rich.console import Console
from tunable_judge import write_cases
from typer.testing import CliRunner

from viva.cli.tune import screen
from viva.cli.tune.commands import tune
from viva.cli.tune.names import check_name, usual_name
from viva.core.errors import UsageError
from viva.core.records.judging import Quality
from viva.core.tuning import AdoptionDecision, Agreement, Cost, Data, Figure, TuningReport

COLUMNS = ("--columns", "question=asked,reference=gold,answer=said,label=people", "--label-range", "0-100")
app = typer.Typer(pretty_exceptions_enable=False)
app.command()(tune)


@pytest.mark.parametrize("name", ["correctness", "correctness-offline", "faithfulness-local", "stand-alone"])
def test_a_name_of_a_judge_that_needs_no_installing_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="which is the name of a judge that comes with viva") as refused:
        check_name(name, "correctness-local")
    assert check_name(f"my-{name}") in str(refused.value)


def test_a_trained_judge_may_take_the_place_of_the_one_that_ships_and_a_tuned_one_not() -> None:
    assert check_name("correctness-local", "correctness-local") == "correctness-local"
    with pytest.raises(UsageError, match="comes with viva"):
        check_name("correctness-local")


@pytest.mark.parametrize("words", [["local", "correctness"], ["correctness", "--model", "fake:x"]])
def test_both_kinds_of_tuning_refuse_such_a_name(words: list[str], tmp_path: Path) -> None:
    labels = write_cases(tmp_path / "lengths.csv", 50)
    given = [*words, "--data", str(labels), *COLUMNS, "--name", "correctness-offline", "--dry-run"]
    with pytest.raises(UsageError, match="--name is 'correctness-offline'"):
        CliRunner().invoke(app, given, catch_exceptions=False)


def test_the_plan_of_a_training_tells_steps_and_no_calls(tmp_path: Path) -> None:
    labels = write_cases(tmp_path / "lengths.csv", 80)
    given = ["local", "correctness", "--data", str(labels), *COLUMNS, "--dry-run"]
    told = CliRunner().invoke(app, given, catch_exceptions=False).stdout
    # 32 cases to learn from are 2 batches of 16, twice
    assert "It would train for 4 steps on this machine, without a model." in told
    assert "call" not in told


def test_a_figure_without_an_interval_has_its_reason_beside_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr(screen, "wide_console", lambda: Console(file=out, width=200, highlight=False))
    same = "Every resample gives the same, so that nothing is known of its interval."
    figures = (
        Figure(name="mcc", estimate=1.0, undefined=same),
        Figure(name="spearman", estimate=-0.00001, low=-0.1, high=0.1),
        Figure(name="accuracy", estimate=1.0, undefined=same),
    )
    base = Agreement(cases=4, groups=4, unjudged=0, figures=figures)
    data = Data.model_construct(name="d", columns={}, rows=9, groups=9, train=3, validation=2, test=4)
    report = TuningReport(
        judge="j",
        quality=Quality.CORRECTNESS,
        model="",
        optimizer="local training",
        seed=0,
        statistic="spearman",
        data=data.model_copy(
            update={"fingerprint": "f", "merged": 0, "taken_out": 0, "test_name": "t", "test_fingerprint": "f"}
        ),
        base=base,
        decision=AdoptionDecision(adopted=False, why="No."),
        cost=Cost(seconds=1.0),
    )
    screen.print_report(report, Path(), as_json=False)
    assert f"  mcc, accuracy: e{same[1:]}" in out.getvalue()
    assert "-:" not in out.getvalue()
    assert "-0.000" not in out.getvalue()


def test_a_tuned_judge_is_named_after_its_model_and_never_like_one_at_hand() -> None:
    assert usual_name(Quality.RUBRIC, "openai:gpt-4o-mini") == "rubric-gpt-4o-mini"
    assert usual_name(Quality.CORRECTNESS, "ollama:offline") == "correctness-offline-tuned"
