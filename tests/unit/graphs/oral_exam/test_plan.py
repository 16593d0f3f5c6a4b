"""The plan of an oral examination: each unit once, in clusters of what lies together, named by their centres."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from by_hand import WordEmbedder
from oral_hall import pump_units, pumps

from viva.core.records import OralUnit, QuestionType, Span
from viva.graphs.oral_exam import plan
from viva.graphs.oral_exam.plan import distinct, make_plan

WORDS = WordEmbedder().embed
SUBJECTS = ("engine boat harbour diesel", "herring fish market crate", "lamp tower light glass")


def unit(text: str, at: int = 0) -> OralUnit:
    span = Span(document_id=f"d{at}", start=0, end=len(text), quote=text)
    return OralUnit.of(
        chunk_id="c", topic="t", type=QuestionType.NAME, keyword=text.split()[0], description=text, evidence=span
    )


def in_subjects(each: int) -> list[OralUnit]:
    return [
        unit(f"{subject} number{n}{kind} {subject}", n) for n in range(each) for kind, subject in enumerate(SUBJECTS)
    ]


def kept(*texts: str, embed: plan.Embed = WORDS) -> list[str]:
    return [each.description for each in distinct([unit(text, n) for n, text in enumerate(texts)], embed)[0]]


def test_what_two_chunks_say_in_the_same_words_is_one_unit() -> None:
    assert kept("The lock closes at noon.", "The lock closes at noon", "A crane lifts 15 tonnes.") == [
        "The lock closes at noon.",
        "A crane lifts 15 tonnes.",
    ]


def alike(texts: Sequence[str]) -> np.ndarray:
    """As a model that takes all for the same."""
    return np.ones((len(texts), 1), dtype=np.float32)


def test_another_number_or_a_denial_is_another_unit_however_near_the_meaning() -> None:
    texts = (
        "The deep water mooring of the outer basin takes vessels of up to 38 metres in length at any tide.",
        "The deep water mooring of the outer basin takes vessels of up to 48 metres in length at any tide.",
        "Berths do not float.",
        "Berths float.",
    )
    assert kept(*texts, embed=alike) == list(texts)


def test_nearly_the_same_words_of_one_meaning_are_one_unit() -> None:
    first = "The deep water mooring of the outer basin takes vessels of up to 38 metres in length."
    assert kept(first, first.replace("takes", "accepts"), embed=alike) == [first]


def test_units_of_one_subject_lie_in_one_cluster_and_the_choice_is_told() -> None:
    plan = make_plan(in_subjects(12), WordEmbedder().embed, seed=0)
    by_id = {each.id: each for each in plan.units}
    found = [{by_id[i].keyword for i in each.unit_ids} for each in plan.clusters]
    assert sorted(map(sorted, found)) == [["engine"], ["herring"], ["lamp"]]
    assert {each.name for each in plan.clusters} == {"engine", "herring", "lamp"}
    assert "3 clusters" in plan.how_clustered
    assert "silhouette" in plan.how_clustered
    assert set(plan.map) == set(by_id)


def test_every_unit_is_in_one_cluster_and_numbers_are_places() -> None:
    plan = make_plan(in_subjects(9), WordEmbedder().embed, seed=0)
    listed = [i for each in plan.clusters for i in each.unit_ids]
    assert sorted(listed) == sorted(each.id for each in plan.units)
    assert [each.number for each in plan.clusters] == list(range(len(plan.clusters)))


def test_the_same_units_give_the_same_plan() -> None:
    units = in_subjects(10)
    assert make_plan(units, WordEmbedder().embed, seed=0) == make_plan(units, WordEmbedder().embed, seed=0)


@pytest.mark.parametrize("count", [1, 2, 7])
def test_few_units_are_one_cluster(count: int) -> None:
    plan = make_plan(pump_units(pumps(count)), WordEmbedder().embed, seed=0)
    assert len(plan.clusters) == 1
    assert len(plan.units) == count


def test_units_beyond_what_can_be_clustered_go_to_the_nearest_centre(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "MOST_CLUSTERED", 30)
    made = make_plan(in_subjects(20), WordEmbedder().embed, seed=0)
    by_id = {each.id: each.keyword for each in made.units}
    assert [len({by_id[i] for i in each.unit_ids}) for each in made.clusters] == [1, 1, 1]
    assert "30 of them by the nearest centre" in made.how_clustered


def test_there_is_no_plan_over_nothing() -> None:
    with pytest.raises(ValueError, match="units"):
        make_plan([], WordEmbedder().embed, seed=0)
