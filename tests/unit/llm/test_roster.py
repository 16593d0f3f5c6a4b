"""Which model plays which role."""

from __future__ import annotations

import pytest

from viva.core.errors import UsageError
from viva.llm.roster import ROLES, ModelName, parse_roster


def test_one_model_plays_every_role_and_its_subroles() -> None:
    roster = parse_roster(["openai:gpt-4o-mini"])
    assert {roster.of(role) for role in (*ROLES, "judge.relevance")} == {ModelName("openai", "gpt-4o-mini")}


@pytest.mark.parametrize("texts", [["a:x,judge=b:y"], ["a:x", "judge=b:y"], ["judge=b:y", "a:x"]])
def test_a_role_of_its_own_model_leaves_the_others_with_the_usual_one(texts: list[str]) -> None:
    roster = parse_roster(texts)
    assert str(roster.of("judge.groundedness")) == "b:y"
    assert str(roster.of("writer")) == "a:x"
    assert len(roster.models) == 2


def test_model_names_keep_their_own_colons_and_slashes() -> None:
    assert parse_roster(["ollama:llama3.1:8b"]).of("writer") == ModelName("ollama", "llama3.1:8b")
    assert parse_roster(["bedrock:us.anthropic.claude-v2:0"]).of("expert").model == "us.anthropic.claude-v2:0"


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (["gpt-4o-mini"], "names no model"),
        (["openai:"], "names no model"),
        (["OpenAI:gpt"], "names no model"),
        (["a:x,b:y"], "two models for all roles"),
        (["a:x,boss=b:y"], "“boss”"),
        (["a:x,writer=b:y,writer=c:z"], "two models for the role"),
        (["writer=b:y"], "No model was given for the role “units”"),
        ([""], "names no model"),
    ],
)
def test_what_cannot_be_read_is_said_with_what_is_allowed(texts: list[str], says: str) -> None:
    with pytest.raises(UsageError) as told:
        parse_roster(texts)
    assert says in told.value.problem
    assert "PROVIDER:MODEL" in told.value.allowed


@pytest.mark.parametrize(
    "texts", [["judge=b:y", "a:x"], ["a:x,judge=b:y,writer=a:x"], ["writer=a:x,a:x", "judge=b:y"]]
)
def test_rosters_that_mean_the_same_are_written_the_same(texts: list[str]) -> None:
    assert parse_roster(texts).canonical == ["a:x", "judge=b:y"]
    assert parse_roster(parse_roster(texts).canonical) == parse_roster(["a:x,judge=b:y"])


def test_the_examiner_is_played_by_the_writers_model_unless_it_has_one_of_its_own() -> None:
    assert str(parse_roster(["a:x,writer=b:y"]).of("examiner")) == "b:y"
    assert str(parse_roster(["a:x,writer=b:y,examiner=c:z"]).of("examiner")) == "c:z"
    assert parse_roster(["a:x,writer=b:y,examiner=b:y"]).canonical == ["a:x", "writer=b:y"]
