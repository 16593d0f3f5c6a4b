"""Distractors are distinct and shaped like the key; the option judge solves the item without knowing the key."""

from __future__ import annotations

import asyncio
from typing import Any, get_args

import pytest
from asked import Says
from by_hand import distractors, draft, source
from by_id import by_id

from viva.agents.language_model.corpus import CorpusSearch
from viva.agents.language_model.critics.item_reviewer import ModelItemReviewer
from viva.agents.language_model.critics.review_brief import brief
from viva.agents.language_model.distractors import ModelDistractorWriter, WrongOption
from viva.agents.roles import Source
from viva.agents.rules.critics import OptionFormCritic, best_set
from viva.core.records import Distractor, Draft, ItemKind, Recall, Verdict
from viva.core.settings import Settings

FACT = "The lock gate closes 35 minutes before low water."
HERE = source(FACT)
KEY = "35 minutes"
DRAFT = draft(HERE, FACT, "How long before low water does the lock gate close?", KEY)
NOBODY = CorpusSearch({}, {})
REFUSED = Verdict(
    critic="options", passed=False, reason="“36 minutes” is right too.", code="second_key", blames="options"
)


def written(
    *texts: str,
    attempt: int = 0,
    of: Draft = DRAFT,
    options: int = 4,
    feedback: Verdict | None = None,
    refused: tuple[str, ...] = (),
    corpus: CorpusSearch = NOBODY,
) -> tuple[list[str] | None, Says]:
    wrong = [WrongOption(text=text, why_wrong=f"not {text}", mistake="haste") for text in texts]
    model = Says(distractors={"rationale": "All are minutes.", "distractors": wrong})
    writer = ModelDistractorWriter(model, Settings(options=options), corpus)
    made = asyncio.run(writer.write(of, HERE, attempt, feedback, distractors(*refused)))
    return None if made is None else [d.text for d in made], model


def chosen(*texts: str, of: Draft = DRAFT) -> list[str]:
    return [wrong.text for wrong in best_set(distractors(*texts), of, 3)]


def test_distractors_are_kept_in_the_models_order_with_two_to_spare() -> None:
    six = ("15 minutes", "48 minutes", "53 minutes", "59 minutes", "64 minutes", "69 minutes")
    assert written(*six)[0] == [*six[:5]]
    assert written(*six, options=3)[0] == [*six[:4]]
    assert written(*six[:3])[0] == [*six[:3]]


def test_each_distractor_says_why_it_is_wrong_and_which_mistake_leads_to_it() -> None:
    wrong = [WrongOption(text=f"{n} minutes.", why_wrong=f"It is\n not {n}.", mistake="haste") for n in (18, 27, 49)]
    model = Says(distractors={"rationale": "", "distractors": wrong})
    made = asyncio.run(ModelDistractorWriter(model, Settings(), NOBODY).write(DRAFT, HERE, 0, None))
    assert made is not None
    assert made[0] == Distractor(text="18 minutes", reason="It is not 18.", mistake="haste")


@pytest.mark.parametrize(
    "unusable", ["35 minutes", "The 35 Minutes.", "", "All of the above", "none of these", "x" * 200, "15 minutes."]
)
def test_what_may_not_stand_beside_the_key_is_passed_over_while_there_are_others(unusable: str) -> None:
    good = ["15 minutes", "48 minutes", "53 minutes"]
    assert chosen(*written(good[0], unusable, *good[1:])[0] or ()) == good


def test_of_a_set_that_breaks_a_rule_the_form_critic_says_which() -> None:
    texts, _ = written("15 minutes", "All of the above", "48 minutes")
    assert texts is not None
    verdict = asyncio.run(OptionFormCritic().judge(DRAFT, distractors(*texts), HERE))
    assert not verdict.passed
    assert verdict.blames == "options"


def test_too_few_are_none() -> None:
    assert written("15 minutes", "45 minutes", "35 minutes")[0] is None
    assert written()[0] is None


def test_of_spare_ones_those_are_chosen_whose_length_gives_nothing_away() -> None:
    long = "as long as the harbour master thinks fit"
    assert chosen(long, "15 minutes", "48 minutes", "53 minutes") == ["15 minutes", "48 minutes", "53 minutes"]


def test_of_sets_that_are_nearly_as_good_the_first_is_chosen_and_the_writers_first_option_with_it() -> None:
    systems = ("the respiratory system", "the digestive system", "the endocrine system")
    of = DRAFT.model_copy(update={"key": "the renal system"})
    assert chosen(*systems, "the cardiovascular system", "the skeletal system", of=of) == [*systems]


def test_of_fewer_than_are_wanted_all_are_chosen() -> None:
    assert chosen("15 minutes", "45 minutes") == ["15 minutes", "45 minutes"]


def test_a_first_set_is_asked_for_without_a_word_of_refusal() -> None:
    _, model = written("1 day", "2 days", "3 days")
    assert set(model.asked[0][1]) == {"source", "passage", "question", "key", "answer_form", "how_many"}
    assert model.heard("how_many") == "5"


def test_a_later_set_is_another_question_to_the_model_and_says_why_the_last_was_refused() -> None:
    _, model = written("1 day", "2 days", "3 days", attempt=2, feedback=REFUSED, refused=("36 minutes", "a day"))
    assert "- 36 minutes\n- a day" in model.heard("refused")
    assert model.heard("attempt") == "3"
    assert "“36 minutes” is right too." in model.heard("feedback")
    assert model.heard("feedback").startswith("<<<feedback ")


def test_what_readers_without_documents_answer_is_shown_unless_it_is_the_key() -> None:
    guessed = Recall(known=False, answer="", guesses=("35 minutes", "an hour", "half an hour"))
    _, model = written("1 day", "2 days", "3 days", of=DRAFT.model_copy(update={"recall": guessed}))
    assert "- an hour\n- half an hour" in model.heard("guesses")
    assert "35" not in model.heard("guesses")
    assert model.heard("guesses").startswith("<<<guesses ")
    right = DRAFT.model_copy(update={"recall": guessed.model_copy(update={"guesses": ("35 minutes",)})})
    assert "guesses" not in written("1 day", "2 days", "3 days", of=right)[1].asked[0][1]


def test_what_the_library_says_of_like_things_is_shown_so_that_nothing_need_be_invented() -> None:
    bridge = source("The bridge closes 45 minutes before low water.", "bridge.md", "Bridge")
    corpus = CorpusSearch(by_id([HERE.document, bridge.document]), by_id([HERE.chunk, bridge.chunk]))
    _, model = written("1 day", "2 days", "3 days", corpus=corpus)
    assert bridge.chunk.text in model.heard("nearby")
    assert FACT not in model.heard("nearby")


# --- the judge -----------------------------------------------------------------------------------------------

OTHERS = ("15 minutes", "45 minutes", "55 minutes")


def judged(
    best: str,
    *,
    also: tuple[str, ...] = (),
    elsewhere: tuple[str, ...] | None = None,
    others: tuple[str, ...] = OTHERS,
    quote: str = FACT,
    corpus: CorpusSearch = NOBODY,
    of: Draft = DRAFT,
) -> tuple[Verdict, Says]:
    """`best`, `also`, `elsewhere` are options themselves, put into the letters they were shown under; or letters."""
    model = Says()
    shown: list[str] = []

    async def ask(role: str, signature: Any, **inputs: object) -> Any:
        shown.extend(line for line in str(inputs["options"]).splitlines() if line[1:3] == ". ")
        letters = {line[3:]: line[0] for line in shown}
        said: dict[str, Any] = {"quote": quote, "rationale": "It says so.", "best_option": letters.get(best, best)}
        said["also_correct"] = [letters[text] for text in also]
        said |= {"edits": [], "natural": 5, "worth": 5, "change": "NONE"}
        if "hidden" in signature.output_fields:
            said |= {"stated": True, "defensible": [], "odd": [], "tempting": [], "hidden": 5}
        if elsewhere is not None:
            said["supported_elsewhere"] = [letters[text] for text in elsewhere]
        if "other_answer" in signature.output_fields:
            said["other_answer"] = "NONE"
        model._replies["item"] = [said]
        return await Says.ask(model, role, signature, **inputs)

    model.ask = ask  # type: ignore[method-assign]
    *_, verdict = asyncio.run(ModelItemReviewer(model, Settings(), corpus).review(of, distractors(*others), HERE))
    assert sorted(line[3:] for line in shown) == sorted([of.key, *others])
    return verdict, model


@pytest.mark.parametrize(
    ("best", "also", "code", "blames"),
    [
        (KEY, (), "", "options"),
        (KEY, (KEY,), "", "options"),
        (KEY, ("45 minutes",), "second_key", "options"),
        ("15 minutes", (), "key_disputed", "key"),
        ("N", (), "no_key", "key"),
    ],
)
def test_an_item_passes_where_the_key_and_nothing_else_is_found_right(
    best: str, also: tuple[str, ...], code: str, blames: str
) -> None:
    verdict, _ = judged(best, also=also)
    assert (verdict.passed, verdict.code, verdict.blames) == (not code, code, blames)
    trial = verdict.trials[0]
    assert (trial.with_evidence, trial.picked, trial.tried) == (True, int(best == KEY), 1)


def test_the_distractor_writer_is_told_which_option_is_right_too() -> None:
    verdict, _ = judged(KEY, also=("45 minutes",))
    assert "“45 minutes”" in verdict.reason
    assert "It says so." in verdict.reason


@pytest.mark.parametrize("best", ["15 minutes", "N"])
def test_of_a_doubted_key_the_expert_learns_the_passages_words_and_no_option(best: str) -> None:
    verdict, _ = judged(best, quote="the lock gate closes 35 minutes before LOW water")
    assert FACT[:-1] in verdict.reason
    invented, _ = judged(best, quote="15 minutes is right, 35 minutes is not, says the harbour master.")
    for told in (verdict, invented):
        assert "15 minutes" not in told.reason
        assert "It says so." not in told.reason


def elsewhere(text: str = "The tide is low 45 minutes later in winter.") -> tuple[CorpusSearch, Source]:
    other = source(text, "winter.md", "Winter")
    return CorpusSearch(by_id([HERE.document, other.document]), by_id([HERE.chunk, other.chunk])), other


def test_an_option_that_another_document_supports_is_right_too() -> None:
    corpus, other = elsewhere()
    verdict, model = judged(KEY, elsewhere=("45 minutes",), corpus=corpus)
    assert other.chunk.text in model.heard("elsewhere")
    assert model.heard("elsewhere").startswith("<<<elsewhere ")
    assert (verdict.code, verdict.blames) == ("supported_elsewhere", "options")
    assert judged(KEY, elsewhere=(), corpus=corpus)[0].passed


def test_where_no_document_speaks_of_an_option_nothing_more_is_read() -> None:
    corpus, _ = elsewhere()
    _, model = judged(KEY, others=("15 minutes", "48 minutes", "55 minutes"), corpus=corpus)
    assert "elsewhere" not in model.asked[0][1]


@pytest.mark.parametrize("count", [2, 3, 5])
def test_items_of_any_number_of_options_can_be_judged(count: int) -> None:
    assert judged(KEY, others=tuple(f"{n}5 minutes" for n in (1, 2, 4, 5, 6)[:count]))[0].passed


# --- where nothing answers the question ----------------------------------------------------------------------

SAYS_SO = "The documents do not say."
ABSENT = DRAFT.model_copy(update={"kind": ItemKind.UNANSWERABLE, "key": SAYS_SO, "reference_answer": SAYS_SO})


def test_the_writer_of_values_is_shown_the_fact_and_no_key_and_the_facts_own_value_tempts_first() -> None:
    values = ("35 minutes", "15 minutes", "45 minutes", "as long as the tide takes to fall")
    texts, model = written(*values, of=ABSENT)
    assert chosen(*texts or (), of=ABSENT) == [*values[:3]]
    assert set(model.asked[0][1]) == {"source", "passage", "question", "fact", "answer_form", "how_many"}
    assert FACT in model.heard("fact")


@pytest.mark.parametrize("unusable", [SAYS_SO, "None of the above", "35 minutes."])
def test_among_values_nothing_may_repeat_another_option_or_speak_of_them(unusable: str) -> None:
    texts, _ = written("35 minutes", unusable, "15 minutes", "45 minutes", of=ABSENT)
    assert chosen(*texts or (), of=ABSENT) == ["35 minutes", "15 minutes", "45 minutes"]


@pytest.mark.parametrize(
    ("values", "passes"),
    [
        (("35 minutes", "15 minutes", "45 minutes"), True),
        (("35 minutes", "15 minutes", "0.25 hours"), False),
        (("35 minutes", "15 minutes", "All of the above"), False),
    ],
)
def test_the_form_of_that_key_is_not_held_against_it_but_values_are_against_each_other(
    values: tuple[str, ...], passes: bool
) -> None:
    verdict = asyncio.run(OptionFormCritic().judge(ABSENT, distractors(*values), HERE))
    assert verdict.passed == passes
    assert passes or verdict.blames == "options"
    plain = asyncio.run(
        OptionFormCritic().judge(DRAFT.model_copy(update={"key": SAYS_SO}), distractors(*values), HERE)
    )
    assert not plain.passed


def test_who_finds_none_of_the_values_supported_picks_the_option_that_says_so_and_has_no_other_word_for_it() -> None:
    verdict, _ = judged(SAYS_SO, of=ABSENT, quote="NONE")
    assert verdict.passed
    assert verdict.trials[0].picked == 1
    letters = get_args(brief(4, absent=True).signature.output_fields["best_option"].annotation)
    assert letters == ("A", "B", "C", "D")
    assert "N" in get_args(brief(4).signature.output_fields["best_option"].annotation)


def test_the_judge_reads_the_passages_that_a_search_for_the_question_finds() -> None:
    corpus, other = elsewhere()
    _, model = judged(SAYS_SO, of=ABSENT, corpus=corpus)
    assert other.chunk.text in model.heard("passage")
    # and none of them twice
    assert "elsewhere" not in model.asked[0][1]


@pytest.mark.parametrize(("best", "also"), [("45 minutes", ()), (SAYS_SO, ("45 minutes",))])
def test_a_value_that_finds_support_shows_that_the_question_is_answered(best: str, also: tuple[str, ...]) -> None:
    verdict, _ = judged(best, also=also, of=ABSENT)
    assert (verdict.passed, verdict.code, verdict.blames) == (False, "key_disputed", "key")
    assert verdict.trials[0].picked == 0
    assert "45 minutes" not in verdict.reason
