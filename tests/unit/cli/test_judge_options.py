"""--judge once or several times, from the command line, the environment and the run folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from viva.cli.run.options import ScoreOptions
from viva.cli.settings import settings_given, settings_of
from viva.core.errors import UsageError
from viva.core.records import Run
from viva.graphs.context import RunContext
from viva.storage.runs import RunStore

GIVEN = ScoreOptions(run=Path())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    run = Run(id="r", documents_folder="d", corpus_fingerprint="f", settings={})
    RunStore.create_or_open(tmp_path / "run", database_url=None, run=run).close()
    return tmp_path / "run"


def remembered(folder: Path, *judges: str) -> object:
    context = RunContext(folder, settings_given(replace(GIVEN, judge=list(judges))))
    try:
        context.remember()
        return context.store.latest_result("options")["judge"]  # type: ignore[index]
    finally:
        context.close()


def test_one_judge_is_kept_by_its_name_and_a_jury_as_a_list_and_both_come_back(folder: Path) -> None:
    assert remembered(folder, "rubric") == "rubric"
    assert settings_given(GIVEN, folder).judge == ("rubric",)
    assert remembered(folder, "offline", "rubric") == ["offline", "rubric"]
    assert settings_given(GIVEN, folder).judge == ("offline", "rubric")


def test_the_environment_names_one_judge_or_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIVA_JUDGE", "rubric")
    assert settings_of({}).judge == ("rubric",)
    monkeypatch.setenv("VIVA_JUDGE", '["offline", "rubric"]')
    assert settings_of({}).judge == ("offline", "rubric")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"judge_repeats": 1}, "--judge-repeats is 1: asking once is the grading itself"),
        ({"judge_repeats": 101}, "--judge-repeats is 101"),
        ({"judge": ("offline", "../x")}, "--judge is '../x'"),
        ({"judge": ()}, "--judge is"),
    ],
)
def test_what_cannot_be_is_refused_in_words(given: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        settings_of(given)


def test_several_judges_in_one_name_are_told_to_be_given_one_by_one() -> None:
    with pytest.raises(UsageError, match="--judge offline --judge rubric"):
        settings_of({"judge": ("offline,rubric",)})
