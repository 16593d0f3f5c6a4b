"""Parts that share nothing: by content and source, whatever the order of rows; near repeats stay together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from tunable_judge import cases

from viva.core.errors import UsageError
from viva.core.ids import seeded_order
from viva.core.records.judging import Case, LabelledCase
from viva.optimizers.splits import LabelSplit, split


def parts(found: LabelSplit) -> tuple[Sequence[LabelledCase], ...]:
    return found.train, found.validation, found.test


def moved(each: LabelledCase, **update: object) -> LabelledCase:
    return each.model_copy(update={"case": each.case.model_copy(update=update), "group": f"another {each.group}"})


def test_every_case_is_in_one_part_and_the_parts_have_their_shares() -> None:
    every = cases(100)
    found = split(every)
    ids = [each.case.id for part in parts(found) for each in part]
    assert sorted(ids) == sorted(each.case.id for each in every)
    assert [len(part) for part in parts(found)] == [40, 20, 40]
    assert found.groups == 100
    assert found.merged == 0


def test_neither_order_nor_names_of_groups_move_a_case() -> None:
    every = cases(60)
    renamed = [each.model_copy(update={"group": f"g{n}"}) for n, each in enumerate(seeded_order(every, 1))]
    once, again = ([[each.case.id for each in part] for part in parts(split(given))] for given in (every, renamed))
    assert once == again


def test_a_group_is_never_split_apart() -> None:
    every = [each.model_copy(update={"group": str(n % 12)}) for n, each in enumerate(cases(120))]
    found = split(every)
    where = [{each.group for each in part} for part in parts(found)]
    assert not where[0] & where[1]
    assert not where[0] & where[2]
    assert not where[1] & where[2]
    assert found.groups == 12


@pytest.mark.parametrize(
    "near",
    [
        lambda text: text.upper(),
        lambda text: f"  {text}!",
        lambda text: text.replace("says", "writes"),
    ],
)
def test_what_is_nearly_the_same_under_another_name_stays_with_it(near: object) -> None:
    every = cases(40)
    twins = [moved(each, answer=near(each.case.answer)) for each in every]
    found = split([*every, *twins])
    # where whole groups are drawn, what belongs together is one of them
    assert all(set(Counter(each.group for each in part).values()) == {2} for part in parts(found))
    assert found.merged == 40
    given = split(cases(80)[40:], [*every, *twins])
    assert len(given.test) == 2 * given.test_groups == 80


def test_of_a_test_set_of_its_own_nothing_is_learned() -> None:
    every = cases(80)
    test = [moved(each, answer=each.case.answer.upper()) for each in every[:10]]
    found = split(every, [*test, *cases(90)[80:]])
    assert found.taken_out == 10
    left = {each.case.id for each in every[10:]}
    assert {each.case.id for each in (*found.train, *found.validation)} == left
    assert len(found.test) == 20


def test_too_few_sources_are_refused() -> None:
    with pytest.raises(UsageError, match="part has"):
        split([each.model_copy(update={"group": "one article"}) for each in cases(50)])
    with pytest.raises(UsageError, match="part has"):
        split(cases(5))


def test_three_sources_are_enough() -> None:
    every = [each.model_copy(update={"group": str(n % 3)}) for n, each in enumerate(cases(60))]
    assert sorted(len(part) for part in parts(split(every))) == [20, 20, 20]


def test_labels_that_never_differ_are_refused() -> None:
    with pytest.raises(UsageError, match="are 1"):
        split([each.model_copy(update={"label": 1.0}) for each in cases(50)])


def test_texts_without_words_are_told_apart_by_group_alone() -> None:
    signs = [LabelledCase(case=Case(answer="?" * n, reference="!"), label=n % 2, group=str(n)) for n in range(1, 40)]
    with pytest.raises(UsageError, match="1 part of the data"):
        split(signs)


def test_a_test_set_that_holds_all_of_the_data_is_said_to() -> None:
    every = cases(30)
    with pytest.raises(UsageError, match="all 30 cases of --data stand in --test too") as refused:
        split(every, every)
    assert "Leave --test out" in str(refused.value)
    with pytest.raises(UsageError, match="28 cases more stand in --test too"):
        split(every, every[:28])


def test_near_repeats_are_found_in_scripts_without_spaces_too() -> None:
    text = "水箱的容量是三十升它建造于一九九八年位于船的后部"
    twins = [
        LabelledCase(case=Case(answer=f"{text}{more}", reference="水箱的容量"), label=0.5, group=more)
        for more in ("", "了")
    ]
    assert split([*cases(40), *twins]).merged == 1
