"""What the pages make of what is on record: filters, slices, the picture of a walk, differences, curves."""

from __future__ import annotations

import pytest

from viva.core.errors import UsageError
from viva.core.records import ItemParameters, Step
from viva.viewer.pages.items import curve
from viva.viewer.pages.trace import compared, picture
from viva.viewer.query import Query, Slice, options_of


def step(role: str, number: int = 0) -> Step:
    return Step(chunk_id="c", number=number, unit_id="u", role=role, input="", output="", duration_s=0.1)


@pytest.mark.parametrize("page", ["0", "-1", "x", "1.5", "99999999", "１", "1e3"])
def test_a_page_that_is_none_is_told(page: str) -> None:
    with pytest.raises(UsageError, match="page is"):
        _ = Query({"page": page}).page


def test_a_page_beyond_the_last_is_the_last_and_an_empty_list_has_one() -> None:
    rows = list(range(120))
    assert list(Slice.of(rows, 3).rows) == rows[100:]
    assert (Slice.of(rows, 9).page, Slice.of(rows, 9).pages) == (3, 3)
    assert (Slice.of([], 1).pages, list(Slice.of([], 4).rows)) == (1, [])


def test_a_link_keeps_what_was_asked_and_leaves_out_what_is_empty() -> None:
    query = Query({"q": "a&b=c", "fate": "rejected", "page": "2"})
    assert query.with_(page=3) == "fate=rejected&page=3&q=a%26b%3Dc"
    assert query.with_(page="", q="") == "fate=rejected"
    assert Query({"topic": "t" * 500}).with_(page=2) == f"page=2&topic={'t' * 500}"


def test_a_word_that_no_filter_has_is_told_with_those_it_has() -> None:
    with pytest.raises(UsageError, match="rejected"):
        Query({"fate": "eaten"}).one_of("fate", ["accepted", "rejected"])


def test_choices_are_counted_the_most_frequent_first_and_none_is_no_choice() -> None:
    assert options_of(["b", "a", "", "b", "c", "a", "b"]) == [("b", 3), ("a", 2), ("c", 1)]


def test_the_picture_marks_each_node_with_its_visits_and_draws_the_ways_back() -> None:
    roles = ["question writer", "question reader", "critics"] * 2 + ["chair"]
    drawn = picture([step(role, n) for n, role in enumerate(roles)])
    visits = {box.name: box.visits for box in drawn.boxes}
    assert (visits["write"], visits["criticise"], visits["correct"], visits["end"]) == ("1, 4", "3, 6", "", "7")
    assert len(drawn.back) == 1
    assert drawn.told == "write → screen → criticise → write → screen → criticise → end"


def test_two_attempts_are_compared_word_by_word() -> None:
    assert compared("How long is it?", "How long is the lock?") == [
        ("same", "How long is"),
        ("gone", "it?"),
        ("added", "the lock?"),
    ]
    assert compared("same", "same") == []


def test_a_curve_rises_from_guessing_to_one() -> None:
    known = ItemParameters(
        item_id="i",
        discrimination=2,
        difficulty=0,
        guessing=0.25,
        discrimination_se=0,
        difficulty_se=0,
        guessing_se=0,
    )
    heights = [100 - float(point.split(",")[1]) for point in curve(known).split()]
    assert heights == sorted(heights)
    assert 25 <= heights[0] < 26
    assert heights[20] == pytest.approx(62.5)
    assert heights[-1] > 99
