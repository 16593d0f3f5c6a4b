"""The cast is wired with a prompt and a signature for every role, and costs nothing to import."""

from __future__ import annotations

import subprocess
import sys

import pytest
from asked import Says
from by_hand import source

from viva.agents.language_model import distractors, expert, units, writer
from viva.agents.language_model.asks import Brief, passage
from viva.agents.language_model.cast import language_model_cast
from viva.agents.language_model.critics import blind_solver, item_reviewer, question_reader
from viva.agents.roles import Source
from viva.core.records import ItemKind
from viva.core.settings import Settings
from viva.llm.roster import ROLES
from viva.prompts import prompt

BRIEFS = [
    units.BRIEF,
    units.FOLLOWING,
    units.PAIRS,
    *(writer.brief(kind, revision=revision) for kind in ItemKind for revision in (False, True)),
    *(expert.brief(joined=joined, doubted=doubted) for joined in (False, True) for doubted in (False, True)),
    question_reader.brief(),
    question_reader.brief(kind=True),
    *(distractors.brief(absent=absent, redo=redo) for absent in (False, True) for redo in (False, True)),
    distractors.brief(guessed=True),
    distractors.brief(follows=True, nearby=True),
    blind_solver.BRIEF,
    item_reviewer.brief(4),
    item_reviewer.brief(4, elsewhere=True, kind=True, guessed=True, recalled=True),
    item_reviewer.brief(4, elsewhere=True, absent=True),
    item_reviewer.brief(6, kind=True, follows=True),
]


def test_importing_the_cast_imports_neither_dspy_nor_numpy() -> None:
    code = (
        "import sys; import viva.agents.language_model.cast\n"
        "print(sorted({'dspy', 'numpy', 'torch', 'langgraph', 'sqlalchemy', 'bm25s'} & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[]"


@pytest.mark.parametrize("brief", BRIEFS, ids=lambda brief: f"{brief.prompt} {len(brief.reads)}")
def test_a_signature_bears_the_prompts_words_and_names_every_field_that_they_speak_of(brief: Brief) -> None:
    signature = brief.signature
    assert signature.instructions == brief.instructions
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


@pytest.mark.parametrize("brief", BRIEFS, ids=lambda brief: f"{brief.prompt} {len(brief.reads)}")
def test_nobody_writes_question_and_answer_in_one_reply(brief: Brief) -> None:
    assert not {"stem", "question"} & brief.gives.keys() or not {"answer", "key", "reference"} & brief.gives.keys()


def test_every_role_is_one_that_a_model_can_be_chosen_for() -> None:
    assert {brief.role.partition(".")[0] for brief in BRIEFS} == set(ROLES)


def test_the_cast_has_a_player_for_every_role_and_rules_speak_first() -> None:
    cast = language_model_cast(Says(), Settings())
    assert cast.name == "language-model"
    assert [[critic.name for critic in panel] for panel in (*cast.screen, *cast.draft_critics)] == [
        ["wording", "follow-up", "language"],
        ["bare question"],
        ["answerability"],
        ["key", "follow-up", "language", "groundedness"],
        ["one passage"],
    ]
    assert [critic.name for critic in cast.option_critics] == ["option form", "bare search"]
    assert None not in (cast.reviewer, cast.question_reader, cast.blind_solver, cast.final_reader)


def test_a_source_of_two_chunks_is_shown_whole_each_part_under_its_place() -> None:
    first, second = source("Pumps move water.", title="Pumps"), source("Valves stop it.", "v.md", "Valves")
    both = Source(first.chunk, first.document, ItemKind.MULTI_HOP, second)
    told = passage(both)
    assert told["source"] == "Pumps\nValves"
    assert told["passage"] == (
        "Part 1 of 2, from “pumps.md > Pumps”:\nPumps move water.\n\n"
        "Part 2 of 2, from “v.md > Valves”:\nValves stop it."
    )
    assert passage(first) == {"source": "pumps.md > Pumps", "passage": "Pumps move water."}


@pytest.mark.parametrize("brief", BRIEFS, ids=lambda brief: f"{brief.prompt} {len(brief.reads)}")
def test_instructions_are_the_prompt_without_paragraphs_on_inputs_that_are_not_read(brief: Brief) -> None:
    paragraphs = prompt(brief.prompt).split("\n\n")
    left_out = [each for each in paragraphs if each not in brief.instructions.split("\n\n")]
    for each in left_out:
        assert not any(f"`{name}`" in each for name in {*brief.reads, *brief.gives}), each
    assert brief.instructions == "\n\n".join(each for each in paragraphs if each not in left_out)
