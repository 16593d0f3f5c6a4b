"""The reviewer knows the key and says what leads an outsider to it; options are mended once, then it is marked."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from asked import Says
from by_hand import distractors, draft, source

from viva.agents.language_model.critics.item_reviewer import ItemReviewer
from viva.core.errors import RoleFailed
from viva.core.records import Draft, ItemKind, Verdict
from viva.core.settings import Settings

FACT = "The lock gate closes 35 minutes before low water."
HERE = source(FACT)
DRAFT = draft(HERE, FACT, "How long before low water does the lock gate close?", "35 minutes")
WRONG = ("15 minutes", "45 minutes", "55 minutes")
HIDDEN = {"rationale": "All are alike.", "hidden": 5, "defensible": [], "odd": [], "natural": 5, "change": "NONE"}


def reviewed(of: Draft = DRAFT, **more: Any) -> tuple[Verdict, Says]:
    model = Says(item={**HIDDEN, **more})
    return asyncio.run(ItemReviewer(model, Settings()).judge(of, distractors(*WRONG), HERE)), model


def letters(model: Says) -> dict[str, str]:
    return {line[3:]: line[0] for line in model.heard("options").splitlines() if line[1:3] == ". "}


def test_the_reviewer_is_told_the_key_by_its_letter_and_sees_no_passage() -> None:
    _, model = reviewed()
    assert model.roles == ["judge.item"]
    assert set(letters(model)) == {"35 minutes", *WRONG}
    assert letters(model)["35 minutes"] in model.heard("key")
    assert not any(FACT in str(shown) for shown in model.asked[0][1].values())


@pytest.mark.parametrize(("hidden", "passes"), [(5, True), (4, True), (3, False), (1, False)])
def test_a_key_that_an_outsider_is_led_to_is_a_slight_fault_of_the_options(*, hidden: int, passes: bool) -> None:
    verdict, _ = reviewed(hidden=hidden, change="Give “low water” to another.")
    assert (verdict.passed, verdict.slight, verdict.guessable) == (passes, not passes, not passes)
    assert (verdict.code, verdict.blames) == ("" if passes else "given_away", "options")
    assert verdict.score == (hidden - 1) / 4
    assert passes or verdict.reason.endswith("All are alike. Give “low water” to another.")


def test_one_odd_option_is_borne_and_two_are_named() -> None:
    place = letters(reviewed()[1])
    assert reviewed(odd=[place["15 minutes"]])[0].passed
    # the key itself is never odd
    assert reviewed(odd=[place["15 minutes"], place["35 minutes"]])[0].passed
    verdict, _ = reviewed(odd=[place["15 minutes"], place["55 minutes"]])
    assert (verdict.passed, verdict.slight) == (False, True)
    assert "“15 minutes”" in verdict.reason
    assert "“55 minutes”" in verdict.reason
    assert "“45 minutes”" not in verdict.reason


def test_a_key_that_stands_beside_every_question_of_its_kind_is_not_reviewed() -> None:
    verdict, model = reviewed(DRAFT.model_copy(update={"kind": ItemKind.UNANSWERABLE}))
    assert (verdict.passed, model.asked) == (True, [])


def test_a_rating_off_the_scale_is_no_rating() -> None:
    with pytest.raises(RoleFailed, match="hidden 9"):
        reviewed(hidden=9)
    with pytest.raises(RoleFailed, match="natural 0"):
        reviewed(natural=0)


def test_an_option_that_holds_besides_the_key_is_a_slight_fault_that_makes_the_item_disputable() -> None:
    place = letters(reviewed()[1])
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
        not passes,
        False,
        False,
    )
    assert passes or (verdict.code, verdict.blames) == ("contrived", "question")
    # borne one day, it is in reserve for what else is wrong with it
    place = letters(reviewed()[1])
    worse, _ = reviewed(natural=1, hidden=2, defensible=[place["45 minutes"]])
    assert (worse.code, worse.guessable, worse.disputable) == ("contrived", True, True)
    assert verdict.score == (natural - 1) / 4
