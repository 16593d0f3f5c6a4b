"""`viva tune`: names that could never be reached are refused; plan and report say what happened and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer
from tunable_judge import cases, write_cases
from typer.testing import CliRunner

from viva.api.judges.tuning import report_result, write_report
from viva.cli.tune.commands import tune
from viva.core.errors import UsageError
from viva.core.records.judging import Quality
from viva.core.records.tuning import AdoptionDecision, Agreement, Cost, Data, Figure, TuningReport
from viva.graphs.grading.judge_lookup import check_name, usual_name

COLUMNS = ("--columns", "question=asked,reference=gold,answer=said,label=people", "--label-range", "0-100")
DATA = Data(
    name="d",
    fingerprint="f",
    columns={},
    rows=9,
    groups=9,
    train=3,
    validation=2,
    test=4,
    test_groups=4,
    test_name="t",
    test_fingerprint="test cases",
)
REPORT = TuningReport(
    judge="j",
    quality=Quality.CORRECTNESS,
    model="openai:scripted",
    optimizer="GEPA",
    effort="light",
    seed=0,
    statistic="spearman",
    data=DATA,
    base=Agreement(cases=4, groups=4, unjudged=0, figures=()),
    decision=AdoptionDecision(adopted=False, why="No."),
    cost=Cost(seconds=1.0),
)
app = typer.Typer(pretty_exceptions_enable=False)
app.command()(tune)


@pytest.mark.parametrize("name", ["correctness", "correctness-offline", "faithfulness-local", "stand-alone"])
def test_a_name_of_a_judge_that_needs_no_installing_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="which is the name of a judge that comes with viva") as refused:
        check_name(name)
    assert check_name(f"my-{name}") in str(refused.value)


def test_a_tuning_with_such_a_name_is_refused(tmp_path: Path) -> None:
    labels = write_cases(tmp_path / "lengths.csv", 50)
    given = ["correctness", "--data", str(labels), *COLUMNS, "--name", "correctness-offline", "--dry-run"]
    with pytest.raises(UsageError, match="--name is 'correctness-offline'"):
        CliRunner().invoke(app, given, catch_exceptions=False)


def test_a_plan_tells_of_too_few_sources_before_anything_is_paid(tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    rows = [f"{e.case.reference},{e.case.answer},{e.label},{n % 12}" for n, e in enumerate(cases(150))]
    labels.write_text("\n".join(["reference,answer,label,group", *rows]))
    given = ["correctness", "--data", str(labels), "--dry-run"]
    told = " ".join(CliRunner().invoke(app, given, catch_exceptions=False).stdout.split())
    assert re.search(r"\d+ test cases of \d sources are few", told)
    assert "with fewer than 10 sources no judge is adopted" in told


@pytest.mark.parametrize(
    "other",
    [
        ({"model": "openai:other"}, ()),
        ({"data": DATA.model_copy(update={"fingerprint": "g"})}, ()),
        ({}, (0.7,)),
    ],
)
def test_a_tuning_with_another_model_temperature_or_data_has_a_report_of_its_own_and_is_counted(
    tmp_path: Path, other: tuple[dict[str, object], tuple[float, ...]]
) -> None:
    write_report(REPORT, tmp_path, 0.0)
    assert write_report(REPORT, tmp_path, 0.0).earlier == 0
    update, asked = other
    assert write_report(REPORT.model_copy(update=update), tmp_path, *(asked or (0.0,))).earlier == 1
    assert len(list(tmp_path.glob("tuning-*.html"))) == 2


def test_a_figure_without_an_interval_has_its_reason_beside_its_name() -> None:
    same = "Every resample gives the same, so that nothing is known of its interval."
    figures = (
        Figure(name="mcc", estimate=1.0, undefined=same),
        Figure(name="spearman", estimate=-0.00001, low=-0.1, high=0.1),
        Figure(name="accuracy", estimate=1.0, undefined=same),
    )
    base = Agreement(cases=4, groups=4, unjudged=0, figures=figures)
    told = report_result(REPORT.model_copy(update={"base": base}), Path()).text()
    assert f"  mcc, accuracy: e{same[1:]}" in told
    assert "-:" not in told
    assert "-0.000" not in told


def test_annotators_words_and_contradictions_are_shown_with_the_plan(tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    rows = [
        f"{e.case.reference},{e.case.answer},{'pass' if n % 2 else 'fail'},{n % 2}" for n, e in enumerate(cases(60))
    ]
    labels.write_text("\n".join(["reference,answer,label_ada,label_bo", *rows]))
    given = ["correctness", "--data", str(labels), "--dry-run"]
    told = " ".join(CliRunner().invoke(app, given, catch_exceptions=False).stdout.split())
    assert "label=label_ada+label_bo" in told
    assert "Labels in words: fail=0, pass=1." in told
    assert "Annotators, and the cases that they labelled: label_ada (60) and label_bo (60)." in told
    assert "Krippendorff's alpha 1.000" in told
    rows = [f"{row.rsplit(',', 2)[0]},{n % 2}" for n, row in enumerate(rows)]
    labels.write_text("\n".join(["reference,answer,label", *rows, f"{rows[0][:-1]}1"]))
    told = " ".join(CliRunner().invoke(app, given, catch_exceptions=False).stdout.split())
    assert "1 case repeated with different labels and no annotator" in told


def test_people_agree_with_each_other_beside_the_judges() -> None:
    base = Agreement(cases=4, groups=4, unjudged=0, figures=(Figure(name="mcc", estimate=0.5, low=0.4, high=0.6),))
    people = base.model_copy(update={"figures": (Figure(name="mcc", estimate=0.82, low=0.7, high=0.9),)})
    told = report_result(REPORT.model_copy(update={"base": base, "people": people}), Path()).text()
    assert "people, each with the others" in told
    assert re.search(r"mcc.*0\.500 \(0\.400 to 0\.600\).*0\.820 \(0\.700 to 0\.900\)", told)
    assert [each.people for each in base.measured("mine", "f", people)] == [0.82]


def test_a_tuned_judge_is_named_after_its_model_and_never_like_one_at_hand() -> None:
    assert usual_name(Quality.RUBRIC, "openai:gpt-4o-mini") == "rubric-gpt-4o-mini"
    assert usual_name(Quality.CORRECTNESS, "ollama:offline") == "correctness-offline-tuned"
