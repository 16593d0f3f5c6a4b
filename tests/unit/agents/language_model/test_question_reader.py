"""A question is rated, and tried, by a reader who has neither documents nor its answer."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from asked import Says
from by_hand import draft, source

from viva.agents.language_model.critics.question_reader import Fault, ModelQuestionReader
from viva.core.errors import RoleFailed
from viva.core.records import BloomLevel, Draft, ItemKind, Recall, Turn, Verdict
from viva.core.settings import Settings

FACT = "The lock gate closes 35 minutes before low water."
DRAFT = draft(source(FACT), FACT, "How long before low water does the lock gate close?", "35 minutes")
GOOD = {
    "rationale": "It asks for a time.",
    "known": False,
    "answer": "NONE",
    "guesses": ["an hour"],
    "stand_alone": 5,
    "specificity": 5,
    "usefulness": 4,
    "natural": 5,
    "faults": [],
    "reworded": "NONE",
    "bloom": ["apply", "remember"],
}


def read(of: Draft = DRAFT, settings: Settings | None = None, **more: Any) -> tuple[Recall, list[Verdict], Says]:
    model = Says(question={**GOOD, **more})
    reader = ModelQuestionReader(
        model, settings or Settings(audience="apprentice pilots"), ["Harbour rules", "Tides"]
    )
    recall, verdicts = asyncio.run(reader.read(of))
    return recall, list(verdicts), model


def rated(**more: Any) -> dict[str, Verdict]:
    return {verdict.critic: verdict for verdict in read(**more)[1]}


def test_it_reads_question_form_and_audience_and_neither_the_passage_nor_the_answer() -> None:
    _, _, model = read()
    assert model.roles == ["judge.question"]
    assert set(model.asked[0][1]) == {"audience", "question", "answer_form"}
    assert FACT not in str(model.asked)
    assert DRAFT.key not in str(model.asked)
    assert "apprentice pilots: Harbour rules; Tides" in model.heard("audience")


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (ItemKind.MULTI_HOP, "two documents on purpose"),
        (ItemKind.FOLLOW_UP, "follows on a conversation on purpose"),
        (ItemKind.UNANSWERABLE, ""),
    ],
)
def test_it_is_shown_what_is_no_fault_of_a_question_of_its_kind(kind: ItemKind, told: str) -> None:
    history = (Turn(role="user", text="Is there a gate?"), Turn(role="assistant", text="There is."))
    shown = history if kind is ItemKind.FOLLOW_UP else ()
    _, verdicts, model = read(DRAFT.model_copy(update={"kind": kind, "history": shown}))
    assert ("kind" in model.asked[0][1]) is bool(told)
    assert told in str(model.asked[0][1].get("kind", ""))
    assert ("Is there a gate?" in model.heard("question")) is bool(shown)
    assert len(verdicts) == 4


# --- what it would answer ------------------------------------------------------------------------------------


def test_what_it_guesses_is_kept_without_marks_each_once_and_three_at_most() -> None:
    recall, *_ = read(guesses=["30 minutes.", "**60 minutes**", "30 minutes", "none", "", "90 minutes", "2 hours"])
    assert recall == Recall(known=False, answer="", guesses=("30 minutes", "60 minutes", "90 minutes"))


@pytest.mark.parametrize(
    ("known", "answer", "kept"), [(True, "35 minutes.", "35 minutes"), (True, "NONE", ""), (False, "35 minutes", "")]
)
def test_an_answer_counts_as_known_where_it_is_given_and_firm(*, known: bool, answer: str, kept: str) -> None:
    recall, *_ = read(known=known, answer=answer)
    assert (recall.known, recall.answer) == (bool(kept), kept)


# --- how it rates --------------------------------------------------------------------------------------------


def test_one_call_gives_four_verdicts_each_under_its_own_name() -> None:
    verdicts = rated()
    assert list(verdicts) == ["stand alone", "specificity", "usefulness", "natural"]
    assert all(verdict.passed and not verdict.code for verdict in verdicts.values())
    assert [verdict.score for verdict in verdicts.values()] == [1.0, 1.0, 0.75, 1.0]
    assert verdicts["natural"].bloom == (BloomLevel.REMEMBER, BloomLevel.APPLY)


@pytest.mark.parametrize(
    ("low", "code"),
    [
        ({"stand_alone": 3}, "not_stand_alone"),
        ({"specificity": 2}, "unspecific"),
        ({"usefulness": 2}, "not_useful"),
        ({"natural": 3}, "not_natural"),
    ],
)
def test_what_is_below_its_threshold_fails_under_its_own_code_and_nothing_else_does(
    low: dict[str, Any], code: str
) -> None:
    (name,) = (name.replace("_", " ") for name in low)
    verdicts = rated(**low)
    assert {n: v.code for n, v in verdicts.items() if not v.passed} == {name: code}
    assert verdicts[name].blames == "question"
    assert "It asks for a time." in verdicts[name].reason


@pytest.mark.parametrize("rating", ["usefulness", "natural"])
def test_what_the_reader_would_drop_for_any_rating_is_given_up(rating: str) -> None:
    faults = [Fault(rating="specificity", change="Say at which tide."), Fault(rating=rating, change="Drop it.")]
    verdicts = rated(**{"specificity": 3, rating: 2, "faults": faults})
    assert [name for name, verdict in verdicts.items() if verdict.final] == [rating]
    assert not any(verdict.final for verdict in rated(specificity=3, faults=faults[:1]).values())


def test_a_question_that_somebody_might_ask_once_passes_with_a_lower_score_unless_the_reader_would_drop_it() -> None:
    might = rated(usefulness=3, faults=[Fault(rating="usefulness", change="Ask when it opens.")])["usefulness"]
    assert (might.passed, might.score) == (True, 0.5)
    dropped = rated(usefulness=3, faults=[Fault(rating="usefulness", change="Drop it.")])["usefulness"]
    assert (dropped.passed, dropped.final, dropped.code) == (False, True, "not_useful")


def test_each_criterion_that_failed_is_named_with_what_would_raise_it_and_no_other() -> None:
    faults = [
        Fault(rating="stand_alone", change="Name the lock."),
        Fault(rating="specificity", change="Say at which tide."),
        Fault(rating="usefulness", change="Ask for what a pilot needs."),
    ]
    verdicts = rated(stand_alone=3, specificity=2, faults=faults)
    assert verdicts["stand alone"].reason == "rated 3 of 5, 4 is wanted. Name the lock."
    assert verdicts["specificity"].reason == "rated 2 of 5, 4 is wanted. Say at which tide."
    assert verdicts["usefulness"].passed


def test_a_reader_that_names_no_change_is_quoted_once_after_what_usually_helps() -> None:
    verdicts = rated(stand_alone=3, natural=2)
    assert verdicts["stand alone"].reason.endswith("Name in full what it is about. It asks for a time.")
    assert verdicts["natural"].reason.endswith("calling things by their names.")


@pytest.mark.parametrize("off", [{"stand_alone": 0}, {"usefulness": 6}, {"natural": 9}, {"natural": -1}])
def test_a_rating_off_the_scale_is_no_rating(off: dict[str, Any]) -> None:
    with pytest.raises(RoleFailed) as failed:
        read(**off)
    assert failed.value.code == "rating_off_scale"


def test_the_threshold_is_a_setting() -> None:
    assert all(verdict.passed for verdict in read(settings=Settings(min_rating=2), stand_alone=2, natural=2)[1])


def test_a_reason_is_one_line_of_bounded_length() -> None:
    reason = rated(rationale="why\n\u202enot " * 9999, stand_alone=1)["stand alone"].reason
    assert len(reason) < 700
    assert "\n" not in reason
    assert "\u202e" not in reason


@pytest.mark.parametrize(
    ("natural", "reworded", "edits"),
    [
        (4, "When does the gate close?", 1),
        (3, "“When does the gate close?”", 1),
        (5, "When does the gate close?", 0),
        (3, "NONE", 0),
    ],
)
def test_what_is_not_natural_comes_in_the_readers_own_words(natural: int, reworded: str, edits: int) -> None:
    verdict = rated(natural=natural, reworded=reworded)["natural"]
    assert [edit.new for edit in verdict.edits] == ["When does the gate close?"] * edits
