"""One review reads the whole item: whether its key alone is right, what leads to it, and whether anybody asks so."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from asked import Says
from by_hand import distractors, draft, source
from by_id import by_id

from viva.agents.language_model.corpus import CorpusSearch
from viva.agents.language_model.critics.item_reviewer import ModelItemReviewer
from viva.agents.language_model.critics.review_brief import SuggestedEdit
from viva.core.errors import RoleFailed
from viva.core.ids import seeded_order
from viva.core.records import Draft, ItemKind, Recall, Turn, Verdict
from viva.core.settings import Settings

FACT = "The lock gate closes 35 minutes before low water."
HERE = source(FACT)
DRAFT = draft(HERE, FACT, "How long before low water does the lock gate close?", "35 minutes")
WRONG = ("15 minutes", "45 minutes", "55 minutes")
GOOD = {
    "quote": FACT,
    "rationale": "All are alike.",
    "stated": True,
    "also_correct": [],
    "defensible": [],
    "odd": [],
    "tempting": [],
    "edits": [],
    "hidden": 5,
    "natural": 5,
    "worth": 5,
    "change": "NONE",
}
SPARE = (*WRONG, "65 minutes", "25 minutes")


def lettered(*wrong: str) -> dict[str, str]:
    order = seeded_order([DRAFT.key, *wrong], 0, "review", DRAFT.id)
    return {text: letter for letter, text in zip("ABCDEF", order, strict=False)}


LETTERS = lettered(*WRONG)


def verdicts(
    of: Draft = DRAFT, *others: str, wrong: tuple[str, ...] = WRONG, **more: Any
) -> tuple[tuple[Verdict, ...], Says]:
    """All verdicts, in a corpus of the passage and these others."""
    model = Says(item={**GOOD, "best_option": lettered(*wrong)[DRAFT.key], **more})
    corpus = [HERE, *(source(text, f"{n}.md") for n, text in enumerate(others))]
    search = CorpusSearch(by_id(each.document for each in corpus), by_id(each.chunk for each in corpus))
    reviewer = ModelItemReviewer(model, Settings(audience="pilots"), search, ["Tides"])
    return asyncio.run(reviewer.review(of, distractors(*wrong), HERE)), model


def reviewed(of: Draft = DRAFT, *others: str, **more: Any) -> tuple[Verdict, Says]:
    """The verdict on the whole item."""
    (*_, verdict), model = verdicts(of, *others, **more)
    return verdict, model


def spared(**more: Any) -> Verdict:
    """The verdict on an item with two options to spare, which faults of these others."""
    place = lettered(*SPARE)
    named = {
        name: [place[text] for text in value] if isinstance(value, tuple) else value for name, value in more.items()
    }
    return reviewed(wrong=SPARE, **named)[0]


def letters(model: Says) -> dict[str, str]:
    return {line[3:]: line[0] for line in model.heard("options").splitlines() if line[1:3] == ". "}


def test_the_reviewer_reads_passage_and_audience_and_is_not_told_the_key() -> None:
    verdict, model = reviewed()
    assert model.roles == ["judge.item"]
    assert letters(model) == LETTERS
    assert "key" not in model.asked[0][1]
    assert FACT in model.heard("passage")
    assert "pilots: Tides" in model.heard("audience")
    assert verdict.passed
    assert [(t.with_evidence, t.picked, t.tried) for t in verdict.trials] == [(True, 1, 1)]


def test_what_else_is_said_counts_for_nothing_where_another_key_was_found() -> None:
    verdict, _ = reviewed(best_option=LETTERS["15 minutes"], natural=1, hidden=1)
    assert (verdict.code, verdict.blames, verdict.slight, verdict.guessable) == ("key_disputed", "key", False, False)


@pytest.mark.parametrize(
    ("rated", "code", "slight"),
    [
        ({"worth": 3}, "", False),
        ({"worth": 2}, "not_worth_asking", False),
        ({"natural": 3}, "contrived", True),
        ({"natural": 2}, "contrived", False),
        ({"natural": 3, "worth": 1}, "contrived", False),
    ],
)
def test_what_nobody_would_ask_or_print_is_the_writers_fault_and_the_worst_is_not_borne(
    *, rated: dict[str, int], code: str, slight: bool
) -> None:
    verdict, _ = reviewed(**rated, change="Ask for the tide.")
    assert (verdict.code, verdict.slight) == (code, slight)
    assert not code or (verdict.blames, verdict.reason.endswith("Ask for the tide.")) == ("question", True)


def test_what_an_editor_would_change_goes_with_a_verdict_that_passes_without_marks() -> None:
    said = [
        SuggestedEdit(old="15 minutes", new="a **quarter** of an hour"),
        SuggestedEdit(old="low water", new="NONE"),
    ]
    verdict, _ = reviewed(natural=4, edits=said)
    assert (verdict.passed, verdict.score) == (True, 0.75)
    assert [(edit.old, edit.new) for edit in verdict.edits] == [
        ("15 minutes", "a quarter of an hour"),
        ("low water", ""),
    ]
    failed, _ = reviewed(worth=2, edits=said)
    assert (failed.passed, failed.edits) == (False, ())


@pytest.mark.parametrize(("old", "new"), [("NONE", "NONE"), ("", ""), ("low water", "low water"), ("at all", "NONE")])
def test_an_editors_change_of_nothing_is_no_edit(old: str, new: str) -> None:
    assert reviewed(edits=[SuggestedEdit(old=old, new=new)])[0].edits == ()


def test_a_finished_item_that_the_reviewer_would_drop_is_given_up() -> None:
    assert reviewed(worth=1, change="Drop it.")[0].final
    verdict, _ = reviewed(natural=3, change="Drop it.")
    assert (verdict.final, verdict.slight) == (True, False)


@pytest.mark.parametrize(("hidden", "led"), [(5, False), (4, False), (3, False), (2, True), (1, True)])
def test_a_key_that_an_outsider_is_led_to_marks_the_item_and_no_other_options_are_asked_for(
    *, hidden: int, led: bool
) -> None:
    verdict, _ = reviewed(hidden=hidden, change="Give “low water” to another.")
    assert (verdict.passed, verdict.slight, verdict.guessable) == (True, False, led)
    assert (verdict.code, verdict.blames) == ("", "options")
    assert verdict.score == (hidden - 1) / 4


def test_of_two_sound_items_the_one_whose_ratings_lack_less_together_scores_higher() -> None:
    def score(**ratings: int) -> float | None:
        verdict, _ = reviewed(**ratings)
        assert verdict.passed
        return verdict.score

    assert score(hidden=4) == score(natural=4) == score(worth=4) == 0.75
    assert score(hidden=4, natural=4) == score(worth=3) == 0.5
    # four points are all that the scale of doubts counts
    assert score(hidden=3, natural=4, worth=4) == score(hidden=2, natural=4, worth=3) == 0


def test_the_options_that_tempt_most_are_named_in_the_reviewers_order() -> None:
    verdict, _ = reviewed(tempting=[LETTERS["55 minutes"], LETTERS["15 minutes"]])
    assert verdict.tempting == ("55 minutes", "15 minutes")


def test_odd_options_are_named_where_there_are_no_others() -> None:
    place = LETTERS
    # the key itself is never odd
    assert reviewed(odd=[place["35 minutes"]])[0].passed
    verdict, _ = reviewed(odd=[place["15 minutes"], place["55 minutes"]])
    assert (verdict.passed, verdict.slight, verdict.guessable) == (False, True, True)
    assert "“15 minutes”" in verdict.reason
    assert "“55 minutes”" in verdict.reason
    assert "“45 minutes”" not in verdict.reason


# --- options to spare, and faithfulness ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "faults",
    [
        {"odd": ("15 minutes", "45 minutes")},
        {"defensible": ("55 minutes",), "odd": ("25 minutes",)},
        {"also_correct": ("15 minutes",), "defensible": ("15 minutes", "45 minutes")},
    ],
)
def test_options_with_a_fault_give_way_to_spare_ones_and_nothing_else_is_said_of_them(
    faults: dict[str, tuple[str, ...]],
) -> None:
    verdict = spared(**faults, change="Replace it.")
    named = {text for texts in faults.values() for text in texts}
    assert (verdict.passed, verdict.guessable, verdict.disputable) == (True, False, False)
    assert set(verdict.unfit) == named


def test_where_too_few_are_left_an_option_that_is_right_too_is_never_used_and_others_are_asked_for() -> None:
    verdict = spared(also_correct=("15 minutes", "45 minutes", "55 minutes"))
    assert (verdict.code, verdict.blames) == ("second_key", "options")
    assert set(verdict.unfit) == {"15 minutes", "45 minutes", "55 minutes"}
    borne = spared(also_correct=("15 minutes",), odd=("45 minutes", "55 minutes"), change="Give other figures.")
    assert (borne.code, borne.slight, borne.unfit) == ("given_away", True, ("15 minutes",))


def test_the_passage_must_say_all_of_the_key_or_the_expert_is_asked_again_with_its_words() -> None:
    (faithful, _), _ = verdicts()
    assert (faithful.critic, faithful.passed, faithful.score) == ("faithfulness", True, 1.0)
    (faithful, whole), _ = verdicts(stated=False)
    assert (faithful.passed, faithful.code, faithful.blames) == (False, "unfaithful", "key")
    assert f"“{FACT}”" in faithful.reason
    assert whole.passed


def test_nothing_is_said_of_the_faithfulness_of_a_key_that_was_not_picked() -> None:
    (verdict,), _ = verdicts(best_option=LETTERS["15 minutes"], stated=False)
    assert verdict.code == "key_disputed"


def test_what_a_conversation_answered_before_must_be_stated_too() -> None:
    history = (Turn(role="user", text="Where is the gate?"), Turn(role="assistant", text="At Quillon Ness."))
    follow_up = DRAFT.model_copy(update={"history": history, "kind": ItemKind.FOLLOW_UP})
    (faithful, _), _ = verdicts(follow_up, conversation_stated=True)
    assert faithful.passed
    (faithful, _), _ = verdicts(follow_up, conversation_stated=False)
    assert (faithful.code, faithful.blames) == ("unfaithful_history", "question")


def test_where_no_other_option_could_help_what_leads_to_the_key_is_marked_and_not_mended() -> None:
    marked, _ = reviewed(hidden=2)
    assert (marked.passed, marked.slight, marked.guessable) == (True, False, True)
    # an option that nobody would choose, or that can be defended, can be replaced, whatever is said
    assert reviewed(hidden=2, odd=[LETTERS["15 minutes"]])[0].slight
    assert reviewed(defensible=[LETTERS["45 minutes"]])[0].slight


def test_what_everybody_knows_is_given_up_where_the_reviewer_would_drop_it() -> None:
    verdict, _ = reviewed(hidden=1, change="Drop it.")
    assert (verdict.code, verdict.blames, verdict.final) == ("common_knowledge", "question", True)
    assert not reviewed(hidden=2, change="Drop it.")[0].final


# --- what other places, and readers without documents, say ---------------------------------------------------

OTHER = "Leave early, for the lock gate closes half an hour before low water."
ELSEWHERE = {"supported_elsewhere": [], "other_answer": "NONE"}


def test_an_answer_that_is_quoted_from_elsewhere_sends_the_question_back_with_its_words() -> None:
    words = "closes half an hour before low water"
    verdict, model = reviewed(DRAFT, OTHER, **{**ELSEWHERE, "other_answer": words})
    assert (verdict.passed, verdict.code, verdict.blames) == (False, "contradicted", "question")
    assert f"“{words}” Name the condition" in verdict.reason
    assert OTHER in model.heard("elsewhere")
    assert FACT not in model.heard("elsewhere")


@pytest.mark.parametrize("quoted", ["NONE", "", "closes an hour before low water", "closes 35 minutes before"])
def test_an_answer_that_no_other_place_gives_in_these_words_contradicts_nothing(quoted: str) -> None:
    verdict, _ = reviewed(DRAFT, OTHER, **{**ELSEWHERE, "other_answer": quoted})
    assert (verdict.passed, verdict.code) == (True, "")


def test_an_option_that_is_right_elsewhere_is_replaced_before_the_question_is_blamed() -> None:
    said = {"supported_elsewhere": [LETTERS["45 minutes"]], "other_answer": "half an hour"}
    verdict, _ = reviewed(DRAFT, OTHER, **said)
    assert (verdict.code, verdict.blames) == ("supported_elsewhere", "options")


@pytest.mark.parametrize("others", [(), ("The bridge over the lock is painted red.",)])
def test_where_nothing_else_speaks_of_it_the_passage_is_read_alone(others: tuple[str, ...]) -> None:
    assert "elsewhere" not in reviewed(DRAFT, *others)[1].asked[0][1]


@pytest.mark.parametrize("same", [True, False])
def test_what_a_reader_recalled_is_known_where_the_reviewer_finds_it_the_same_as_the_key(*, same: bool) -> None:
    recall = Recall(known=True, answer="some 35 min", guesses=("an hour", "half an hour"))
    verdict, model = reviewed(DRAFT.model_copy(update={"recall": recall}), same_answer=same)
    assert "- an hour\n- half an hour" in model.heard("guesses")
    assert "some 35 min" in model.heard("recalled")
    assert (verdict.passed, verdict.known) == (True, same)


def test_what_only_guesses_is_shown_and_knows_nothing() -> None:
    recall = Recall(known=False, answer="", guesses=("an hour",))
    verdict, model = reviewed(DRAFT.model_copy(update={"recall": recall}))
    assert "recalled" not in model.asked[0][1]
    assert not verdict.known


def test_it_is_shown_what_is_no_fault_of_a_question_of_its_kind() -> None:
    assert "kind" not in reviewed()[1].asked[0][1]
    assert "two documents" in reviewed(DRAFT.model_copy(update={"kind": ItemKind.MULTI_HOP}))[1].heard("kind")


def test_a_rating_off_the_scale_is_no_rating() -> None:
    with pytest.raises(RoleFailed, match="hidden 9"):
        reviewed(hidden=9)
    with pytest.raises(RoleFailed, match="natural 0"):
        reviewed(natural=0)


def test_an_option_that_holds_besides_the_key_is_a_slight_fault_that_makes_the_item_disputable() -> None:
    place = LETTERS
    verdict, _ = reviewed(defensible=[place["45 minutes"], place["35 minutes"]], change="Give another hour.")
    assert (verdict.passed, verdict.slight, verdict.code) == (False, True, "disputable")
    assert (verdict.guessable, verdict.disputable) == (False, True)
    assert "“45 minutes” can be defended" in verdict.reason
    assert verdict.reason.endswith("Give another hour.")


@pytest.mark.parametrize(
    ("kind", "natural", "passes"),
    [("single-hop", 4, True), ("single-hop", 3, False), ("multi-hop", 3, True), ("multi-hop", 2, False)],
)
def test_a_contrived_question_is_the_writers_fault_for_no_option_mends_it(
    *, kind: str, natural: int, passes: bool
) -> None:
    verdict, _ = reviewed(DRAFT.model_copy(update={"kind": ItemKind(kind)}), natural=natural)
    assert (verdict.passed, verdict.slight, verdict.guessable, verdict.disputable) == (
        passes,
        natural == 3 and not passes,
        False,
        False,
    )
    assert passes or (verdict.code, verdict.blames) == ("contrived", "question")
    # borne one day, it is in reserve for what else is wrong with it
    place = LETTERS
    worse, _ = reviewed(natural=1, hidden=2, defensible=[place["45 minutes"]])
    assert (worse.code, worse.guessable, worse.disputable) == ("contrived", True, True)
    assert verdict.score == (natural - 1) / 4
