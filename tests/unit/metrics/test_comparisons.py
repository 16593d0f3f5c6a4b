"""Pairs: whose comparison a pair is, and that verdict, interval and p-value say the same."""

from __future__ import annotations

from itertools import combinations

import pytest
from by_hand import exam

from viva.core.records import Examinee, Grade
from viva.core.scores import ExamineeScore
from viva.core.scores_pairs import Comparison, Family, Pairs, PairVerdict, pair_sentence
from viva.metrics.comparisons import comparisons

EXAM = exam(100)
# of 100 questions both have 63, the first alone 18, the second alone 3
MINE = [True] * 81 + [False] * 19
OTHER = [True] * 63 + [False] * 18 + [True] * 3 + [False] * 16


def row(name: str, *, failed: int = 0, **given: object) -> ExamineeScore:
    who = Examinee.model_validate({"id": name, "name": name, "spec": name, **given})
    return ExamineeScore.model_validate(
        {
            "examinee": who,
            "asked": 100,
            "graded": 100,
            "correct": 0,
            "accuracy": None,
            "ability": None,
            "failures": {"raised": failed} if failed else {},
            "no_choice": 0,
            "retrieval": None,
        }
    )


def grades(**right: list[bool]) -> list[Grade]:
    return [
        Grade(response_id=f"{name}{n}", examinee_id=name, item_id=shown.item.id, score=float(own[n]))
        for name, own in right.items()
        for n, shown in enumerate(EXAM.items)
    ]


def compared(beside: list[ExamineeScore], named: tuple[tuple[str, str], ...] = ()) -> tuple[Comparison, ...]:
    """My system and the other one, beside so many that answer in different ways."""
    answers = {each.examinee.id: [(n * (k + 3)) % 7 > 2 for n in range(100)] for k, each in enumerate(beside)}
    rows = [row("mine"), row("other"), *beside]
    return comparisons(rows, EXAM, grades(mine=MINE, other=OTHER, **answers), None, named)


def of_two(found: tuple[Comparison, ...]) -> Comparison:
    pair = Pairs(found).between("mine", "other")
    assert pair is not None
    return pair


def test_the_verdict_on_two_systems_of_ones_own_is_the_same_beside_any_number_of_references() -> None:
    alone = of_two(compared([]))
    assert (alone.verdict, alone.only_first, alone.only_second) == (PairVerdict.BETTER, 18, 3)
    assert alone.p_adjusted == alone.p_value == pytest.approx(0.00149, abs=1e-5)
    for count in (1, 5, 16):
        panel = [row(f"panel{n}", reference=True) for n in range(count)]
        marks = [row("oracle", components={"retriever": "oracle"}), row("made", manufactured="a reference system")]
        assert of_two(compared([*panel, *marks, row("down", failed=21)])) == alone


def test_systems_of_ones_own_are_adjusted_among_themselves_and_a_named_pair_is_tested_alone() -> None:
    more = [row(f"own{n}") for n in range(6)]
    among, named = of_two(compared(more)), of_two(compared(more, (("other", "mine"),)))
    assert (among.family, among.adjusted_over) == (Family.OWN, 28)
    assert among.p_adjusted > among.p_value
    assert (named.family, named.adjusted_over, named.p_adjusted) == (Family.NAMED, 1, named.p_value)
    assert {each.adjusted_over for each in compared(more, (("other", "mine"),))} == {1, 27}


def test_one_system_of_ones_own_is_compared_with_references_without_the_pairs_among_these() -> None:
    beside = [row(f"panel{n}", reference=True) for n in range(5)] + [row("down", failed=21)]
    answers = {each.examinee.id: [(n * (k + 3)) % 7 > 2 for n in range(100)] for k, each in enumerate(beside)}
    found = comparisons([row("mine"), *beside], EXAM, grades(mine=MINE, **answers), None)
    own = [each for each in found if "mine" in (each.first_id, each.second_id)]
    assert {(each.family, each.adjusted_over) for each in own} == {(Family.AGAINST, 6)}
    assert {(each.family, each.adjusted_over) for each in found if each not in own} == {(Family.OTHERS, 15)}


def test_an_interval_holds_zero_where_two_are_not_told_apart_and_nowhere_else() -> None:
    seen = set()
    for first, second in combinations(range(0, 30, 2), 2):
        mine = [True] * second + [False] * first + [True] * 20 + [False] * (80 - first - second)
        other = [False] * second + [True] * first + [True] * 20 + [False] * (80 - first - second)
        for beside in ([], [row(f"own{n}") for n in range(4)]):
            answers = {each.examinee.id: [n % 3 == 0 for n in range(100)] for each in beside}
            rows = [row("mine"), row("other"), *beside]
            pair = of_two(comparisons(rows, EXAM, grades(mine=mine, other=other, **answers), None))
            seen.add(pair.verdict)
            apart = pair.verdict is not PairVerdict.NOT_TOLD_APART
            assert pair.low >= 0 if apart else pair.low <= 0 <= pair.high
            assert (pair.verdict is PairVerdict.NOT_TOLD_APART) == (pair.p_adjusted >= 0.05)
            assert pair.low <= pair.difference <= pair.high
    assert seen == {PairVerdict.BETTER, PairVerdict.NOT_TOLD_APART}


def test_a_pair_turned_round_says_the_same_of_the_other() -> None:
    found = of_two(compared([])).model_copy(update={"probability_better": 0.99})
    back = found.turned()
    assert (back.verdict, back.only_first, back.only_second) == (PairVerdict.WORSE, 3, 18)
    assert (back.low, back.high, back.probability_better) == (-found.high, -found.low, pytest.approx(0.01))
    assert back.turned() == found
    assert pair_sentence(found.model_copy(update={"probability_better": 0.97}), "A", "B") == (
        "A is better than B: +15 points (95%: +6 to +23); of 100 questions A alone has 18 right, B alone 3; "
        "p\u00a0=\u00a00.001. On further questions like these A is ahead with probability 97%."
    )
    told = pair_sentence(back, "B", "A")
    assert told.startswith("B is worse than A: \u221215 points (95%: \u221223 to \u22126)")
    assert told.endswith("A is ahead with probability over 99%.")


def test_a_probability_is_given_only_where_it_is_high_and_the_pair_is_told_apart() -> None:
    found = of_two(compared([])).model_copy(update={"probability_better": 0.97})
    told = pair_sentence(found.model_copy(update={"verdict": PairVerdict.NOT_TOLD_APART}), "A", "B")
    assert told.startswith("A and B are not told apart: +15 points")
    assert "probability" not in told
    assert "probability" not in pair_sentence(found.model_copy(update={"probability_better": 0.94}), "A", "B")


def test_a_sentence_on_a_pair_has_one_p_value_and_says_what_it_is_adjusted_for() -> None:
    of_three = {"p_adjusted": 0.26, "adjusted_over": 3, "design_effect": 1.3}
    told = pair_sentence(of_two(compared([])).model_copy(update=of_three), "A", "B")
    assert "; p\u00a0=\u00a00.26, adjusted for 3 pairs and documents (design effect 1.3)." in told


def test_a_pair_of_an_earlier_version_keeps_its_adjusted_p_value_and_gets_its_own() -> None:
    stored = of_two(compared([])).model_dump(mode="json")
    for name in ("p_adjusted", "family", "verdict"):
        del stored[name]
    opened = Comparison.model_validate({**stored, "p_value": 0.112, "adjusted_over": 153})
    assert "(95% of this pair alone: +6 to +23)" in pair_sentence(opened, "A", "B")
    assert (opened.p_adjusted, opened.verdict) == (0.112, PairVerdict.NOT_TOLD_APART)
    assert opened.p_value == pytest.approx(0.00149, abs=1e-5)
