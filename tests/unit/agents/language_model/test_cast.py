"""The cast is wired with a prompt and a signature for every role, and costs nothing to import."""

from __future__ import annotations

import subprocess
import sys

import pytest
from asked import Says

from viva.agents.language_model import critics, distractors, expert, options, units, writer
from viva.agents.language_model.asks import Brief
from viva.agents.language_model.cast import language_model_cast
from viva.core.settings import Settings
from viva.prompts import prompt

BRIEFS = [
    units.BRIEF,
    writer.BRIEF,
    writer.REVISION,
    expert.BRIEF,
    critics.ANSWERABILITY,
    critics.STAND_ALONE,
    critics.SPECIFICITY,
    critics.RELEVANCE,
    critics.GROUNDEDNESS,
    critics.FAITHFULNESS,
    distractors.BRIEF,
    options.brief(4),
]


def test_importing_the_cast_imports_neither_dspy_nor_numpy() -> None:
    code = (
        "import sys; import viva.agents.language_model.cast\n"
        "print(sorted({'dspy', 'numpy', 'torch', 'langgraph', 'sqlalchemy'} & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[]"


@pytest.mark.parametrize("brief", BRIEFS, ids=lambda brief: f"{brief.prompt} {len(brief.reads)}")
def test_a_signature_bears_the_prompts_words_and_names_every_field_that_they_speak_of(brief: Brief) -> None:
    signature = brief.signature
    assert signature.instructions == prompt(brief.prompt)
    assert list(signature.input_fields) == list(brief.reads)
    assert list(signature.output_fields) == list(brief.gives)
    for field in brief.gives:
        assert field in signature.instructions
    # one class each: DSPy's predictors are kept by it
    assert brief.signature is signature


@pytest.mark.parametrize("brief", BRIEFS, ids=lambda brief: f"{brief.prompt} {len(brief.reads)}")
def test_a_verdict_is_never_asked_for_before_its_reason(brief: Brief) -> None:
    given = list(brief.gives)
    verdicts = [n for n, (kind, _) in enumerate(brief.gives.values()) if kind is not str]
    reasons = [n for n, name in enumerate(given) if name in {"rationale", "quote"}]
    assert not reasons or min(reasons) == 0 < min(verdicts)


def test_every_role_is_one_that_a_model_can_be_chosen_for() -> None:
    assert {brief.role.partition(".")[0] for brief in BRIEFS} == {"units", "writer", "expert", "judge", "distractors"}


def test_the_cast_has_a_player_for_every_role() -> None:
    cast = language_model_cast(Says(), Settings())
    assert cast.name == "language-model"
    assert len({critic.name for critic in (*sum((*cast.screen, *cast.draft_critics), ()), *cast.option_critics)}) == 9
