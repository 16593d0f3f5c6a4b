"""--judge, --qualities and --pair from the command line, the environment and the run folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from view_run import made_run

from viva.api.settings import settings_of_run
from viva.cli.run.options import ScoreOptions
from viva.cli.run.stages import walk_stage
from viva.cli.settings import chosen_settings, option_of, settings_of
from viva.core.errors import UsageError
from viva.core.gone import check_command_line
from viva.core.records import Run
from viva.graphs.context import RunContext
from viva.graphs.grading.graders import judge_of
from viva.storage.runs import RunStore

GIVEN = ScoreOptions(run=Path())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "run"


@pytest.fixture
def store(folder: Path) -> RunStore:
    run = Run(id="r", documents_folder="d", corpus_fingerprint="f", settings={})
    return RunStore.create_or_open(folder, database_url=None, run=run)


def test_the_judge_is_kept_by_its_name_and_comes_back(folder: Path, store: RunStore) -> None:
    context = RunContext(folder, settings_of(chosen_settings(replace(GIVEN, judge="rubric"))))
    context.remember()
    context.close()
    assert store.latest_result("options")["judge"] == "rubric"  # type: ignore[index]
    assert settings_of_run(folder, chosen_settings(GIVEN), option_of).judge == "rubric"


def test_a_run_of_an_earlier_version_with_several_judges_opens_and_grades_with_one(
    folder: Path, store: RunStore
) -> None:
    store.add_result("options", {"judge": ["offline", "rubric"], "judge_repeats": 3, "items": 12})
    settings = settings_of_run(folder, chosen_settings(GIVEN), option_of)
    assert settings.items == 12
    with pytest.raises(UsageError, match=r"Several judges of one run .* are gone"):
        judge_of(RunContext(folder, settings))
    assert settings_of_run(folder, chosen_settings(replace(GIVEN, judge="offline")), option_of).judge == "offline"


def test_the_environment_names_a_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIVA_JUDGE", "rubric")
    assert settings_of({}).judge == "rubric"
    monkeypatch.setenv("VIVA_JUDGE", '["offline", "rubric"]')
    with pytest.raises(UsageError, match=r"VIVA_JUDGE is .* Several judges of one run"):
        settings_of({})


@pytest.mark.parametrize("name", ["../x", "", "No Such"])
def test_what_cannot_be_a_name_is_refused_in_words(name: str) -> None:
    with pytest.raises(UsageError, match=r"--judge is .* not a possible name of a judge"):
        settings_of({"judge": name})


@pytest.mark.parametrize("line", ["score run --judge offline --judge=rubric", "run docs --judge-repeats 3"])
def test_a_second_judge_and_repeats_are_refused_with_what_to_do_instead(line: str) -> None:
    with pytest.raises(UsageError, match="score a copy of the run with each judge"):
        check_command_line(line.split())
    check_command_line("score run --judge offline".split())


def test_qualities_are_separated_by_commas_kept_with_the_run_and_taken_back_by_none(
    folder: Path, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = RunContext(
        folder, settings_of(chosen_settings(replace(GIVEN, qualities="relevance, faithfulness,relevance")))
    )
    context.remember()
    context.close()
    assert store.latest_result("options")["qualities"] == ["relevance", "faithfulness"]  # type: ignore[index]
    assert settings_of_run(folder, chosen_settings(GIVEN), option_of).qualities == ("relevance", "faithfulness")
    assert settings_of_run(folder, chosen_settings(replace(GIVEN, qualities="none")), option_of).qualities == ()
    monkeypatch.setenv("VIVA_QUALITIES", "relevance")
    assert settings_of({}).qualities == ("relevance",)
    with pytest.raises(UsageError, match=r"--qualities is '\.\./x', which is not a possible name of a judge"):
        settings_of({"qualities": "relevance,../x"})


def test_a_named_pair_is_kept_with_the_run_and_taken_back_by_none(folder: Path, store: RunStore) -> None:
    context = RunContext(folder, settings_of(chosen_settings(replace(GIVEN, pair=["a vs b, k=3"]))))
    context.remember()
    context.close()
    assert settings_of_run(folder, chosen_settings(GIVEN), option_of).pairs == ("a vs b, k=3",)
    context = RunContext(folder, settings_of_run(folder, chosen_settings(replace(GIVEN, pair=["none"])), option_of))
    context.remember()
    context.close()
    assert settings_of_run(folder, chosen_settings(GIVEN), option_of).pairs == ()


@pytest.mark.parametrize("wrong", [{"judge": "nobody"}, {"qualities": "nobody"}])
def test_a_judge_that_is_not_there_is_refused_before_the_run_keeps_its_name(
    wrong: dict[str, str], folder: Path, store: RunStore
) -> None:
    with pytest.raises(UsageError, match="no judge called 'nobody'"):
        walk_stage(replace(GIVEN, run=folder, **wrong), "score")
    assert store.latest_result("options") is None


def test_a_pair_with_a_system_that_took_no_exam_is_refused_before_the_run_keeps_it(folder: Path) -> None:
    made_run(folder, "students", open_items=0)
    with RunStore.open(folder) as store:
        first = store.examinees()[0]
        store.add_examinee(first.model_copy(update={"id": "absent", "name": "absent"}))
        with pytest.raises(UsageError, match="does not name two systems that have taken the exam"):
            walk_stage(replace(GIVEN, run=folder, pair=[f"{first.name} vs absent"]), "score")
        assert store.latest_result("options") is None
