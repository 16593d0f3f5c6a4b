"""What RUN/scores.json says of the exam as a measure: the figures of the fit, each check or why there is none."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from by_hand import exam, response

from viva.core.notes import Note, NoteCode
from viva.core.records import Examinee, Response
from viva.core.scores import Measurement, Scores, places
from viva.metrics.irt import Fit
from viva.metrics.irt.fit.estimation import fit
from viva.metrics.irt.model.curves import probability_3pl, test_information
from viva.metrics.score import score_exam

ITEMS, SPOILED = 60, 7
EXAM = exam(ITEMS)
LEVELS = {"small": -1.0, "large": 0.2, "huge": 1.2}


def examinees(count: int) -> list[Examinee]:
    names = list(LEVELS)
    return [
        Examinee(id=f"e{n:02d}", name=f"e{n}", spec="s", components={"reader": names[n % 3], "k": str(n % 2)})
        for n in range(count)
    ]


def answers(count: int, seed: int = 2) -> list[Response]:
    """By the model; question SPOILED has its first distractor for a key, as the able know."""
    draw = np.random.default_rng(seed)
    theta, b = np.array([LEVELS[e.components["reader"]] for e in examinees(count)]), draw.normal(0, 0.8, ITEMS)
    right = draw.random((count, ITEMS)) < probability_3pl(theta, np.full(ITEMS, 1.5), b, np.full(ITEMS, 0.25))
    right[:, SPOILED] = theta < 0
    return [
        response(each.id, shown, shown.key_position if right[n, j] else (shown.key_position + 1) % 4)
        for n, each in enumerate(examinees(count))
        for j, shown in enumerate(EXAM.items)
    ]


@cache
def scored(count: int = 30) -> Scores:
    return score_exam(EXAM, examinees(count), answers(count), seed=0)


def measured(count: int = 30) -> Measurement:
    found = scored(count).measurement
    assert found is not None
    return found


def own_fit(count: int = 30) -> Fit:
    given = {(r.examinee_id, r.item_id): r.choice for r in answers(count)}
    rows = [[given[e.id, s.item.id] == s.key_position for s in EXAM.items] for e in examinees(count)]
    components = {name: [e.components[name] for e in examinees(count)] for name in ("k", "reader")}
    return fit(np.array(rows, dtype=float), components=components, examinees=[e.id for e in examinees(count)])


def test_information_is_that_of_the_items_and_of_the_exam() -> None:
    found, its = scored(), own_fit()
    curve = measured().curve
    whole = test_information([point.ability for point in curve], its.a, its.b, its.c)
    assert [point.information for point in curve] == pytest.approx(whole)
    assert [point.se for point in curve] == pytest.approx(whole**-0.5)
    mean = test_information(its.theta, its.a, its.b, its.c).mean()
    assert sum(item.information or 0 for item in found.items) == pytest.approx(mean)
    for group in {group.attribute for group in measured().groups}:
        assert sum(each.share for each in measured().groups if each.attribute == group) == pytest.approx(1)


def test_the_range_that_is_measured_well_holds_the_standard_error_it_names() -> None:
    found, its = measured(), own_fit()
    assert found.ranges
    for each in found.ranges:
        assert (its.standard_error([each.low + 1e-6, each.high - 1e-6]) <= found.se_below + 1e-4).all()
        assert each.least_se <= found.se_below
    assert 0 < found.inside <= 30
    assert found.best_se == pytest.approx(float(its.standard_error([found.best])[0]))


def test_the_smallest_difference_that_shows_stands_in_abilities_and_in_shares() -> None:
    found, its = measured().detectable, own_fit()
    ends = [found.middle - found.ability / 2, found.middle + found.ability / 2]
    low, high = its.expected_score(ends)
    assert found.detectable
    assert found.score == pytest.approx(float(high - low))


def test_every_examinee_has_an_expected_score_with_an_interval_and_in_the_order_of_ability() -> None:
    rows = scored().examinees
    expected = [row.expected_score for row in rows if row.expected_score]
    assert len(expected) == 30
    assert all(0 <= each.low <= each.value <= each.high <= 1 for each in expected)
    assert [each.value for each in expected] == sorted((each.value for each in expected), reverse=True)


def test_contrasts_are_all_pairs_of_levels_adjusted_together() -> None:
    found, its = measured(), own_fit()
    assert "max-t over all 4 contrasts" in found.adjustment
    assert {(c.component, c.level, c.reference) for c in found.contrasts} == {
        (c.component, c.level, c.reference) for c in its.contrasts()
    }
    for each in found.contrasts:
        alone = its.contrast(each.component, each.level, each.reference)
        assert each.difference == pytest.approx(alone.estimate)
        assert each.high - each.low > alone.high - alone.low
        assert each.p_value >= alone.p_value - 1e-3
        assert each.score.low < each.score.value < each.score.high


def test_a_wrong_key_is_flagged_and_comes_first() -> None:
    first = measured().flags[0]
    assert (first.item_id, first.kind) == (EXAM.items[SPOILED].item.id, "wrong key")


def test_what_could_not_be_made_says_why() -> None:
    assert "at least 200" in measured().not_made["score_fit"]
    few = measured(12).not_made
    assert "fewer than 20" in few["dependence"]
    assert "contrasts" not in few


def test_whom_a_second_ability_sets_apart_is_noted_first() -> None:
    draw, many, sheet = np.random.default_rng(0), exam(160), examinees(24)
    one, other = draw.normal(0, 1, 24), np.where(np.arange(24) % 2, 1.0, -1.0)
    z = one[:, None] + 1.5 * other[:, None] * np.where(np.arange(160) % 2, 1.0, -1.0) + draw.normal(0, 1, 160)
    right = draw.random(z.shape) < 1 / (1 + np.exp(-z))
    given = [
        response(each.id, shown, shown.key_position if right[n, j] else (shown.key_position + 1) % 4)
        for n, each in enumerate(sheet)
        for j, shown in enumerate(many.items)
    ]
    found = score_exam(many, sheet, given, seed=0)
    assert found.measurement is not None
    (note,) = [note for note in found.notes if note.code is NoteCode.SECOND_DIMENSION]
    assert found.notes[0] == found.measurement.dimension_note == note
    gain = found.measurement.second_dimension
    assert gain is not None
    assert note.figures == {"gain": gain.value, "low": gain.low, "high": gain.high}
    halves = [[int(who[1:]) % 2 for who in some] for some in (note.examinees, note.others)]
    assert sorted(halves) == [[0, 0, 0], [1, 1, 1]]


def test_who_misses_the_easy_and_gets_the_hard_is_noted() -> None:
    sheet, easy = answers(30), np.argsort([item.parameters.difficulty for item in scored().items if item.parameters])
    wrong = {EXAM.items[place].item.id for place in easy[: ITEMS // 2]}
    mixed = [
        response(r.examinee_id, shown, (shown.key_position + (shown.item.id in wrong)) % 4)
        if r.examinee_id == "e05"
        else r
        for r, shown in zip(sheet, EXAM.items * 30, strict=True)
    ]
    found = score_exam(EXAM, examinees(30), mixed, seed=0)
    (fit,) = [row.person_fit for row in found.examinees if row.examinee.id == "e05"]
    assert fit is not None
    assert Note(code=NoteCode.STRAY, examinees=("e05",), figures={"person_fit": fit}) in found.notes


def test_without_abilities_there_is_no_measurement() -> None:
    alone = score_exam(EXAM, examinees(1), answers(1), seed=0)
    assert alone.measurement is None
    assert alone.examinees[0].expected_score is None
    assert all(item.information is None for item in alone.items)


def test_scores_of_an_earlier_version_are_still_read() -> None:
    stored: dict[str, Any] = json.loads(scored().model_dump_json())
    for row in stored["examinees"]:
        del row["expected_score"]
    for row in stored["items"]:
        del row["information"]
    del stored["measurement"]
    earlier = Scores.model_validate(stored)
    assert earlier.measurement is None
    assert [row.ability for row in earlier.examinees] == [row.ability for row in scored().examinees]


def test_the_file_holds_no_number_that_is_none() -> None:
    def refuse(name: str) -> None:
        raise AssertionError(name)

    stored = json.loads(scored().model_dump_json(), parse_constant=refuse)
    assert Scores.model_validate(stored) == scored()


def test_examinees_of_the_same_answers_share_a_place_whatever_their_names() -> None:
    sheet = answers(3)
    same = [r.model_copy(update={"examinee_id": "e09", "id": r.id + "-"}) for r in sheet if r.examinee_id == "e01"]
    twin = Examinee(id="e09", name="a twin", spec="s", components=examinees(3)[1].components)
    same = [r.model_copy(update={"id": Response.id_of("e09", s)}) for r, s in zip(same, EXAM.items, strict=True)]
    rows = score_exam(EXAM, [*examinees(3), twin], [*sheet, *same], seed=0).examinees
    by_name = dict(zip([row.examinee.name for row in rows], places(rows), strict=True))
    assert by_name["a twin"] == by_name["e1"]
    others = sum(place < by_name["e1"] for place in by_name.values())
    assert by_name["e1"] == others + 1
    assert len(set(by_name.values())) == 3


def test_places_ignore_what_rounding_adds() -> None:
    rows = scored(3).examinees
    nudged = [
        row.model_copy(update={"accuracy": replace(row.accuracy, value=share)})
        for row, share in zip(rows, (0.5 + 4e-16, 0.5, 0.1), strict=True)
        if row.accuracy
    ]
    assert places(nudged) == (1, 1, 3)
