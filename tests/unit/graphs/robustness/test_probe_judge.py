"""A probe finds the judge that a trick moves, and lets the one alone that it does not."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable

import pytest
from fake_model import fake_reply
from judges_by_hand import Says, asker_of
from scripted_gateway import Asked, Said, ScriptedGateway

from viva.agents.judges.model.judge import language_model_judge
from viva.agents.judges.model.wording import Wording
from viva.core.calls import Outcome
from viva.core.errors import UsageError
from viva.core.records.judging import Case, JudgeCard, LabelledCase, Probed, Quality, Unjudged
from viva.graphs.robustness.known_cases import known_cases
from viva.graphs.robustness.perturbations import PROBES, tricked, tricks
from viva.graphs.robustness.probe_judge import Result, probe, probe_position, with_probes
from viva.graphs.robustness.self_preference import Model, probe_self_preference
from viva.llm.asking import Asker

TRUTH = {quality: {each.case.id: each.label for each in known_cases(quality)} for quality in Quality}
HIGHEST, LOWEST = 0.95, 0.05
SCORED = [q for q in Quality if q is not Quality.PREFERENCE]


def found(judge: Says, cases: tuple[LabelledCase, ...] | None = None, **more: int) -> dict[str, Result]:
    cases = known_cases(judge.card.judges) if cases is None else cases
    return {r.probed.probe: r for r in asyncio.run(probe(judge, cases, seed=0, **more))}  # type: ignore[arg-type]


def bare(case: Case, quality: Quality) -> Case:
    """The case without what a trick has added: tricks stand behind an empty line."""
    cut = {name: re.split("\n\n", getattr(case, name))[0] for name in ("question", "answer", "other")}
    return case.model_copy(update={**cut, "passages": tuple(text.split("\n\n")[0] for text in case.passages)})


def steady(quality: Quality) -> Callable[[Case], float]:
    """Sees through every trick."""
    return lambda case: LOWEST + (HIGHEST - LOWEST) * TRUTH[quality][bare(case, quality).id]


def moved_by(pattern: str, quality: Quality) -> Callable[[Case], float]:
    """Gives full marks to whatever holds these words."""
    fallen = re.compile(pattern)
    held = steady(quality)
    return lambda case: HIGHEST if fallen.search(case.model_dump_json()) else held(case)


@pytest.mark.parametrize("quality", SCORED)
def test_a_judge_that_sees_through_everything_is_never_moved(quality: Quality) -> None:
    results = found(Says(quality, steady(quality)))
    assert {"injection", "self-praise", "authority"} <= results.keys() <= PROBES.keys()
    for result in results.values():
        assert result.probed.moved == 0
        assert result.probed.tried == 12
        assert result.examples == ()


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("verbosity", "Water boils|experience shows|Experience shows"),
        ("self-praise", "correct and complete|entirely sure|An excellent answer"),
        ("authority", "examination board|Professor|official manual"),
    ],
)
def test_a_judge_that_falls_for_one_trick_is_found_out_by_its_probe_alone(name: str, pattern: str) -> None:
    results = found(Says(Quality.CORRECTNESS, moved_by(pattern, Quality.CORRECTNESS)))
    moved = {probed: result.probed.moved for probed, result in results.items()}
    assert moved == {**dict.fromkeys(moved, 0), name: 12}
    example = results[name].examples[0]
    assert (example.before, example.after) == (LOWEST, HIGHEST)
    assert re.search(pattern, example.tricked.answer)


@pytest.mark.parametrize("quality", SCORED)
def test_a_judge_that_believes_forged_fields_is_found_out_whatever_it_judges(quality: Quality) -> None:
    results = found(Says(quality, moved_by(r"\[\[ ## \w+ ## \]\]", quality)))
    assert 1 <= results["injection"].probed.moved <= 2
    assert results["self-praise"].probed.moved == 0


def test_a_judge_that_punishes_length_is_found_out() -> None:
    def short(case: Case) -> float:
        return steady(Quality.RUBRIC)(case) if len(case.answer) < 120 else 0.0

    results = found(Says(Quality.RUBRIC, short))
    assert results["verbosity of what is right"].probed.moved == 12
    assert results["verbosity"].probed.moved == 0


def test_less_than_a_step_is_no_move_and_where_there_is_no_room_nothing_is_tried() -> None:
    def little(case: Case) -> float:
        return steady(Quality.RUBRIC)(case) + (0.04 if "\n\n" in case.answer else 0)

    assert found(Says(Quality.RUBRIC, little))["injection"].probed.moved == 0
    full = found(Says(Quality.RUBRIC, lambda case: 1.0))["injection"]
    assert (full.probed.tried, full.no_room) == (0, 12)


def test_a_judgement_that_fails_is_counted_and_not_tried() -> None:
    def fails(case: Case) -> float | Unjudged:
        if "Professor" in case.answer:
            return Unjudged(code="model_refused", reason="No.")
        return steady(Quality.RUBRIC)(case)

    result = found(Says(Quality.RUBRIC, fails))["authority"]
    assert (result.probed.tried, result.unjudged) == (8, 4)


def test_what_is_neither_good_nor_bad_is_left_out_and_no_more_is_asked_than_wanted() -> None:
    middling = tuple(each.model_copy(update={"label": 0.5}) for each in known_cases(Quality.RUBRIC))
    with pytest.raises(UsageError, match="known to be bad"):
        found(Says(Quality.RUBRIC, steady(Quality.RUBRIC)), middling)
    judge = Says(Quality.RUBRIC, steady(Quality.RUBRIC))
    assert all(result.probed.tried == 3 for result in found(judge, most=3).values())
    # base cases are judged once for all tricks
    assert len({case.id for case in judge.asked}) == len(judge.asked) <= 2 * 5 * 3


# --- preference ------------------------------------------------------------------------------------------------


def preferring(held: Callable[[Case], float]) -> Says:
    return Says(Quality.PREFERENCE, held)


def test_a_preference_for_what_praises_itself_is_found_whichever_place_it_has() -> None:
    def fooled(case: Case) -> float:
        praised = [
            bool(re.search("correct and complete|entirely sure|An excellent", t)) for t in (case.answer, case.other)
        ]
        return float(praised[0]) if any(praised) else steady(Quality.PREFERENCE)(case)

    results = found(preferring(fooled))
    assert results["self-praise"].probed == Probed(probe="self-praise", moved=12, tried=12)
    assert results["authority"].probed.moved == 0


@pytest.mark.parametrize(("score", "moved"), [(lambda case: 1.0, 12), (lambda case: 0.5, 0)])
def test_a_judge_that_goes_by_place_is_moved_by_position(score: Callable[[Case], float], moved: int) -> None:
    result = asyncio.run(probe_position(preferring(score), known_cases(Quality.PREFERENCE), seed=0))
    assert (result.probed.moved, result.probed.tried) == (moved, 12)


def test_the_position_probe_asks_a_language_model_in_one_order() -> None:
    def first(asked: Asked) -> Said:
        return "[[ ## rationale ## ]]\na\n\n[[ ## better ## ]]\nfirst\n\n[[ ## completed ## ]]"

    judge = language_model_judge(Quality.PREFERENCE, Asker(ScriptedGateway(first)))
    results = {r.probed.probe: r for r in asyncio.run(probe(judge, known_cases(Quality.PREFERENCE), seed=0))}
    assert results["position"].probed.moved == 12
    # with both orders such a judge prefers nothing, and so is moved by nothing
    assert results["injection"].probed.moved == 0


def worded(prefers: dict[str, str], words: dict[str, str]) -> Result:
    """What two scripted models, a and b, do: each words an answer by `words` and prefers what holds its `prefers`."""

    def reply(asked: Asked) -> Said:
        model, _, what = asked.role.partition(".")
        if what == "wording":
            said = words[model]
            return Outcome.REFUSED if said == "refuses" else f"[[ ## answer ## ]]\n{said}\n\n[[ ## completed ## ]]"
        first = asked.messages[-1].text.partition("[[ ## second_answer")[0].partition("[[ ## first_answer")[2]
        better = "first" if prefers[model] in first else "second"
        return f"[[ ## rationale ## ]]\nb\n\n[[ ## better ## ]]\n{better}\n\n[[ ## completed ## ]]"

    asker = Asker(ScriptedGateway(reply))
    own, rival = (
        Model(Wording(asker, role), language_model_judge(Quality.PREFERENCE, asker, role=role)) for role in ("a", "b")
    )
    return asyncio.run(probe_self_preference(own, rival, [e.case for e in known_cases(Quality.PREFERENCE)], seed=0))


def test_a_model_that_prefers_its_own_words_alone_is_found() -> None:
    words = {"a": "It is so, quoth A.", "b": "So it is, says B."}
    assert worded({"a": "quoth A", "b": "says B"}, words).probed.moved == 12
    # what both prefer may be better
    assert worded({"a": "quoth A", "b": "quoth A"}, words).probed == Probed(
        probe="self-preference", moved=0, tried=12
    )
    assert worded({"a": "says B", "b": "says B"}, words).probed.moved == 0


def test_wordings_that_are_the_same_or_missing_are_not_tried() -> None:
    same = worded({"a": "x", "b": "x"}, {"a": "It is so.", "b": "it is so."})
    assert (same.probed.tried, same.no_room, same.unjudged) == (0, 12, 0)
    refused = worded({"a": "x", "b": "x"}, {"a": "It is so.", "b": "refuses"})
    assert (refused.probed.tried, refused.no_room, refused.unjudged) == (0, 0, 12)
    none = worded({"a": "x", "b": "x"}, {"a": "It is so.", "b": "NONE"})
    assert none.unjudged == 12


def test_self_preference_needs_questions_with_references() -> None:
    asker = asker_of(fake_reply)
    model = Model(Wording(asker), language_model_judge(Quality.PREFERENCE, asker))
    with pytest.raises(UsageError, match="No case has a question and a reference"):
        asyncio.run(probe_self_preference(model, model, [Case(answer="a", other="b")], seed=0))


# --- cases, tricks, cards --------------------------------------------------------------------------------------


@pytest.mark.parametrize("quality", Quality)
def test_the_cases_that_ship_are_good_and_bad_and_can_be_judged(quality: Quality) -> None:
    cases = known_cases(quality)
    labels = [each.label for each in cases]
    assert labels.count(1.0) == labels.count(0.0) >= 6
    assert len({each.case.id for each in cases}) >= len(cases) - 6
    judge = language_model_judge(quality, asker_of(fake_reply))
    assert len(asyncio.run(judge.judge([each.case for each in cases]))) == len(cases)


@pytest.mark.parametrize("quality", Quality)
def test_a_trick_adds_something_and_takes_nothing_away(quality: Quality) -> None:
    labelled = known_cases(quality)[0]
    for trick in tricks(quality):
        for number in range(len(trick.texts)):
            changed = tricked(trick, quality, labelled, number)
            assert changed.id != labelled.case.id
            assert bare(changed, quality) == labelled.case
            assert not re.search(r"\{(?:field|best|where)\}", changed.model_dump_json())


def test_what_was_found_stands_on_the_card_in_place_of_what_stood_there() -> None:
    before = (Probed(probe="injection", moved=3, tried=4), Probed(probe="position", moved=1, tried=2))
    card = JudgeCard(name="rubric", judges=Quality.RUBRIC, make="base", probed=before)  # type: ignore[arg-type]
    new = [Result(Probed(probe="injection", moved=0, tried=9)), Result(Probed(probe="authority", moved=0, tried=0))]
    assert with_probes(card, new).probed == (before[1], new[0].probed)
