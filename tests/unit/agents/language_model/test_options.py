"""Distractors are distinct and shaped like the key; the option judge solves the item without knowing the key."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from asked import Says
from by_hand import distractors, draft, source

from viva.agents.language_model.distractors import ModelDistractorWriter, WrongOption
from viva.agents.language_model.options import ModelOptionCritic
from viva.agents.language_model.wording import OptionFormCritic, stands_out
from viva.core.records import Distractor, Draft, Verdict
from viva.core.settings import Settings

FACT = "The lock gate closes 35 minutes before low water."
HERE = source(FACT)
KEY = "35 minutes"
DRAFT = draft(HERE, FACT, "How long before low water does the lock gate close?", KEY)


def written(*texts: str, attempt: int = 0, of: Draft = DRAFT, options: int = 4) -> tuple[list[str] | None, Says]:
    wrong = [WrongOption(text=text, why_wrong=f"not {text}") for text in texts]
    model = Says(distractors={"rationale": "All are minutes.", "distractors": wrong})
    made = asyncio.run(ModelDistractorWriter(model, Settings(options=options)).write(of, HERE, attempt))
    return None if made is None else [d.text for d in made], model


def test_as_many_distractors_as_are_wanted_are_kept_in_the_models_order() -> None:
    assert written("15 minutes", "45 minutes", "53 minutes", "55 minutes")[0] == [
        "15 minutes",
        "45 minutes",
        "53 minutes",
    ]
    assert written("15 minutes", "45 minutes", options=3)[0] == ["15 minutes", "45 minutes"]


def test_each_distractor_says_why_it_is_wrong() -> None:
    wrong = [WrongOption(text=f"{n} minutes.", why_wrong=f"It is\n not {n}.") for n in (1, 2, 3)]
    model = Says(distractors={"rationale": "", "distractors": wrong})
    made = asyncio.run(ModelDistractorWriter(model, Settings()).write(DRAFT, HERE, 0))
    assert made is not None
    assert made[0] == Distractor(text="1 minutes", reason="It is not 1.")


@pytest.mark.parametrize(
    "unusable",
    [
        "35 minutes",
        "The 35 Minutes.",
        "35 minutes before low water",
        "",
        "All of the above",
        "none of these",
        "A and B",
        "x" * 200,
    ],
)
def test_what_may_not_stand_beside_the_key_is_passed_over(unusable: str) -> None:
    assert written("15 minutes", unusable, "45 minutes", "53 minutes")[0] == [
        "15 minutes",
        "45 minutes",
        "53 minutes",
    ]


def test_a_distractor_that_repeats_another_is_passed_over() -> None:
    assert written("15 minutes", "15 Minutes.", "45 minutes", "53 minutes")[0] == [
        "15 minutes",
        "45 minutes",
        "53 minutes",
    ]


def test_too_few_usable_ones_are_none() -> None:
    assert written("15 minutes", "45 minutes", "35 minutes")[0] is None
    assert written()[0] is None


def test_of_spare_ones_those_are_kept_whose_length_gives_nothing_away() -> None:
    long = "as long as the harbour master thinks fit"
    assert written(long, "15 minutes", "45 minutes", "55 minutes")[0] == ["15 minutes", "45 minutes", "55 minutes"]


def test_a_later_attempt_is_another_question_to_the_model() -> None:
    first, second = (written("1 day", "2 days", "3 days", attempt=n)[1].asked[0][1] for n in (0, 1))
    assert (first["attempt"], second["attempt"]) == ("1", "2")
    assert first["how_many"] == "5"


# --- form, by rule -------------------------------------------------------------------------------------------


def formed(*texts: str, key: str = KEY) -> Verdict:
    of = DRAFT.model_copy(update={"key": key})
    return asyncio.run(OptionFormCritic().judge(of, distractors(*texts), HERE))


@pytest.mark.parametrize(
    ("key", "others", "code"),
    [
        (KEY, ("15 minutes", "45 minutes", "55 minutes"), ""),
        (KEY, ("15 minutes", "45 minutes", "45 Minutes."), "options_overlap"),
        (
            "because the tide runs out of the inner basin by then",
            ("for safety", "to save oil", "by law"),
            "key_stands_out",
        ),
        (
            "by law",
            ("because the tide runs out by then",) * 1 + ("so that no ship grounds on the sill",),
            "key_stands_out",
        ),
        ("7", ("12", "105", "8,000"), ""),
    ],
)
def test_options_that_repeat_one_another_or_show_the_key_by_length_fail(
    key: str, others: tuple[str, ...], code: str
) -> None:
    verdict = formed(*others, key=key)
    assert (verdict.passed, verdict.code) == (not code, code)


def test_nothing_stands_out_alone() -> None:
    assert not stands_out("a key of some length", [])


# --- the judge -----------------------------------------------------------------------------------------------

OTHERS = ("15 minutes", "45 minutes", "55 minutes")


def judged(best: str, *, also: bool = False, others: tuple[str, ...] = OTHERS) -> tuple[Verdict, Says]:
    """`best` is the option itself, put into the letter it was shown under; or a letter."""
    model = Says()
    shown: list[str] = []

    async def ask(role: str, signature: Any, **inputs: object) -> Any:
        shown.extend(line for line in str(inputs["options"]).splitlines() if line[1:3] == ". ")
        letters = {line[3:]: line[0] for line in shown}
        said = {"rationale": "It says so.", "best_option": letters.get(best, best), "also_correct": also}
        return await Says(options=said).ask(role, signature, **inputs)

    model.ask = ask  # type: ignore[method-assign]
    verdict = asyncio.run(ModelOptionCritic(model, Settings()).judge(DRAFT, distractors(*others), HERE))
    assert sorted(line[3:] for line in shown) == sorted([KEY, *others])
    return verdict, model


@pytest.mark.parametrize(
    ("best", "also", "code"),
    [(KEY, False, ""), (KEY, True, "second_key"), ("15 minutes", False, "key_disputed"), ("N", False, "no_key")],
)
def test_an_item_passes_where_the_key_and_nothing_else_is_found_right(best: str, also: bool, code: str) -> None:
    verdict, _ = judged(best, also=also)
    assert (verdict.passed, verdict.code) == (not code, code)


@pytest.mark.parametrize("count", [2, 3, 5])
def test_items_of_any_number_of_options_can_be_judged(count: int) -> None:
    assert judged(KEY, others=tuple(f"{n}5 minutes" for n in (1, 2, 4, 5, 6)[:count]))[0].passed
