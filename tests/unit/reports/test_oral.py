"""The report's section on oral examinations: every figure is the examination's, and nothing of others' is obeyed."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from oral_hall import Failing, Hall, Target, asked_pumps, cast, fact
from report_data import HOSTILE, systems
from report_data import build as built

from viva.core.estimates import Estimate
from viva.core.notes import Note, NoteCode
from viva.core.records import Examinee, OralCluster, OralUnit, UnitStatus
from viva.core.scores_oral import OralAbility, OralScore, RoleUse
from viva.graphs.oral_exam.record import OralExaminations
from viva.graphs.oral_exam.state import Limits
from viva.reports.data import ReportData
from viva.reports.html import render_report
from viva.reports.sections.oral import LISTED, PARTS, oral_figures, oral_parts
from viva.reports.sections.oral_words import FLAGS, FORMS, headline, types_in_words

ROLES = (
    RoleUse(role="examiner", calls=31, tokens=4100, cost=0.0123),
    RoleUse(role="judge.oral", calls=30, tokens=9200, cost=0.05),
    RoleUse(role="examinee", calls=31, tokens=None),
)


@cache
def build(*, asked: bool = False) -> ReportData:
    """A small report; no test changes it."""
    return built(items=6, examinees=systems()[:3], asked=asked)


def partly(question: str) -> str:
    """Knows the even pumps below 20, is wrong on the odd ones, and silent on the rest."""
    told = [fact(n, None if n % 2 == 0 else n + 1) for n in asked_pumps(question) if n < 20]
    return " ".join(told) or "I do not know."


def hall_of(target: Target = partly, *, units: int = 24, limits: Limits | None = None, **more: Any) -> Hall:
    hall = Hall(target, units=units, clusters=3, limits=limits or Limits(), **more)
    places = {unit.id: (n % 5 - 2.0, n // 5 - 2.0) for n, unit in enumerate(hall.plan.units)}
    hall.plan = hall.plan.model_copy(update={"map": places})
    return hall


def examined(hall: Hall, **more: Any) -> OralScore:
    return hall.scored(*ROLES).model_copy(update=more)


def told_of(*halls: Hall, data: ReportData | None = None, problem: str = "", **more: Any) -> ReportData:
    """A report of these halls, which share a plan."""
    scores = tuple(examined(hall, **more) for hall in halls)
    turns = {hall.examinee.id: tuple(hall.turns) for hall in halls}
    paths = {unit.evidence.document_id: "pumps.md" for unit in halls[0].plan.units}
    oral = OralExaminations(halls[0].plan, scores, turns, paths, problem)
    return replace(data or build(), oral=oral)


@cache
def written() -> tuple[OralScore, ReportData, BeautifulSoup]:
    data = told_of(hall_of())
    assert data.oral is not None
    return data.oral.scores[0], data, BeautifulSoup(render_report(data), "html.parser")


def section(page: BeautifulSoup) -> Tag:
    found = page.find(id="oral")
    assert isinstance(found, Tag)
    return found


def table(within: Tag, head: str) -> list[list[str]]:
    """The rows of the table with this column, cell by cell."""
    (found,) = [
        t for t in within.find_all("table") if head in [th.get_text(strip=True) for th in t.select("thead th")]
    ]
    return [
        [cell.get_text(" ", strip=True) for cell in row.find_all(["th", "td"])] for row in found.select("tbody tr")
    ]


def test_without_an_examination_there_is_no_section() -> None:
    page = BeautifulSoup(render_report(build()), "html.parser")
    assert page.find(id="oral") is None
    assert not page.select('nav a[href="#oral"]')


def test_the_section_opens_with_how_much_was_examined_and_known() -> None:
    score, _, page = written()
    assert (score.correct, score.incorrect, score.given_up, score.open) == (10, 10, 4, 0)
    told = section(page).get_text(" ", strip=True)
    assert re.search(r"Examined 100% of 24 units; 42% (?:± \d+|\(95% interval \d+ to \d+\)) known\.", told)
    assert page.select('nav a[href="#oral"]')


def test_bounds_over_all_units_stand_beside_a_share_of_some() -> None:
    data = told_of(hall_of(limits=Limits(questions=2)))
    assert data.oral is not None
    (score,) = data.oral.scores
    assert score.open > 0
    told = headline(score)
    low, high = score.correct / score.units, (score.correct + score.open) / score.units
    assert f"of all units {low:.0%} to {high:.0%} are known" in told
    assert told in section(BeautifulSoup(render_report(data), "html.parser")).get_text(" ", strip=True)


def test_rounds_and_clusters_are_told_to_the_unit() -> None:
    score, _, page = written()
    rounds = table(section(page), "Round")
    assert [list(map(int, row)) for row in rounds] == [
        [r.round, r.questions, r.asked, r.covered, r.correct, r.given_up] for r in score.rounds
    ]
    clusters = table(section(page), "Cluster")
    assert sum(int(row[1]) for row in clusters) == score.units
    assert {row[0]: list(map(int, row[1:6])) for row in clusters} == {
        r.level: [r.units, r.correct, r.incorrect, r.given_up, r.open] for r in score.by_cluster
    }
    shares = [int(row[6].split("%")[0]) for row in clusters]
    assert shares == sorted(shares)


def test_who_was_asked_and_told_nothing_is_not_said_to_be_unexamined_alone() -> None:
    score = examined(hall_of(lambda question: "Yes.", limits=Limits(questions=6)))
    assert score.examined == 0
    assert headline(score) == "Examined 0% of 24 units: 24 were asked for, and no answer told anything of them."
    partly_known = examined(hall_of(limits=Limits(questions=5)))
    assert partly_known.asked_in_vain
    assert f" {partly_known.asked_in_vain} more were asked for in vain." in headline(partly_known)


def test_types_of_question_are_counted() -> None:
    score, _, page = written()
    (row,) = table(section(page), "Type")
    assert row[:6] == ["quantity", "24", "10", "10", "4", "0"]
    assert types_in_words(score) == "Question types: 24 quantity (10 known)."


def test_the_curve_ends_at_what_was_found() -> None:
    score, data, _ = written()
    curve = oral_figures(data, oral_parts(data))["oral-curve-0"]
    ends = {line["name"]: (line["x"][0], line["y"][0], line["x"][-1], line["y"][-1]) for line in curve["data"]}
    asked = score.questions
    assert ends == {"examined": (0, 0, asked, 24), "covered": (0, 0, asked, 20), "known": (0, 0, asked, 10)}


def test_the_map_shows_each_unit_once_with_its_round_and_tells_statuses_apart_by_shape() -> None:
    score, data, _ = written()
    drawn = oral_figures(data, oral_parts(data))["oral-map-0"]["data"]
    assert {trace["name"]: len(trace["x"]) for trace in drawn} == {"known": 10, "answered wrongly": 10, "given up": 4}
    assert len({trace["marker"]["symbol"] for trace in drawn}) == len(drawn)
    texts = [text for trace in drawn for text in trace["text"]]
    (last,) = [text for text in texts if "pump 23" in text]
    rounds = {each.unit_id: each.round for each in score.outcomes}
    assert f"given up in round {rounds[data.oral.plan.units[23].id]}" in last  # type: ignore[union-attr]


def test_units_answered_wrongly_stand_with_source_answer_and_reason() -> None:
    _, _, page = written()
    rows = table(section(page), "Why wrong")
    assert len(rows) == 10
    (of_pump_3,) = [row for row in rows if row[0] == fact(3)]
    assert of_pump_3[1] == f"{fact(3)} pumps.md"
    assert of_pump_3[2].startswith("Pump 3 moves 4 litres asked:")
    assert of_pump_3[3] == "said"


def test_those_given_up_come_before_those_not_examined_and_the_rest_is_counted() -> None:
    limits = Limits(questions=60, flat=0)
    hall = hall_of(lambda question: "I would rather talk of the weather.", units=60, limits=limits)
    data = told_of(hall)
    assert data.oral is not None
    (score,) = data.oral.scores
    assert 0 < score.given_up < LISTED
    page = section(BeautifulSoup(render_report(data), "html.parser"))
    stands = [row[2] for row in table(page, "Stands")]
    assert stands == ["given up"] * score.given_up + ["not examined"] * (LISTED - score.given_up)
    assert f"and {60 - LISTED} more" in page.get_text(" ", strip=True)


def test_every_role_is_told_with_calls_tokens_and_money_and_what_was_not_counted_is_said() -> None:
    data = build(asked=True)
    data = replace(data, run=data.run.model_copy(update={"settings": {**data.run.settings, "model": '["openai:m"]'}}))
    page = section(BeautifulSoup(render_report(told_of(hall_of(), data=data)), "html.parser"))
    assert table(page, "Role") == [
        ["examiner", "31", "4,100", "$0.0123"],
        ["judge.oral", "30", "9,200", "$0.0500"],
        ["examinee", "31", "not counted", "not known"],
    ]
    assert "by rules" not in page.get_text()


def test_where_rules_of_an_earlier_version_judged_it_is_said_that_they_miss_paraphrases() -> None:
    by_rules = tuple(RoleUse(role=role, calls=31, tokens=None) for role in ("examiner", "judge", "examinee"))
    page = BeautifulSoup(render_report(told_of(hall_of(), roles=by_rules)), "html.parser")
    said = section(page).get_text(" ", strip=True)
    assert "An earlier version judged these answers by rules, without a language model." in said
    assert "miss most paraphrases" in said


def test_question_forms_flags_and_contradictions_are_counted_and_explained() -> None:
    score, _, page = written()
    told = dict(
        zip(
            (dt.get_text(strip=True) for dt in section(page).select("dl.outcome dt")),
            (dd.get_text(" ", strip=True) for dd in section(page).select("dl.outcome dd")),
            strict=True,
        )
    )
    for form, count in score.forms.items():
        assert told[f"{form} {count}"] == FORMS[form]
    count = score.flags["does not know"]
    assert FLAGS["does not know"] in told[f"does not know {count}"]
    loud = told_of(hall_of(), contradictions=2, unjudged=3)
    said = section(BeautifulSoup(render_report(loud), "html.parser")).get_text(" ", strip=True)
    assert "contradicted 2" in said
    assert "not judged 3" in said


def test_the_ability_is_told_with_and_without_the_oral_examination() -> None:
    ability = OralAbility(
        alone=Estimate(value=0.5, low=-0.48, high=1.48),
        joined=Estimate(value=0.75, low=0.26, high=1.24),
        units=24,
        items=6,
        linked=False,
        notes=(Note(code=NoteCode.UNITS_DEPEND),),
    )
    page = section(BeautifulSoup(render_report(told_of(hall_of(), ability=ability)), "html.parser"))
    said = page.get_text(" ", strip=True)
    assert "0.8 ± 0.3 (standard error; 95% interval 0.3 to 1.2)" in said
    assert "by the exam alone: 0.5 (−0.5 to 1.5), each on a scale of its own" in said
    assert "the interval is too narrow." in said


def test_all_but_the_first_are_folded_and_beyond_a_number_only_told() -> None:
    halls = []
    for n in range(PARTS + 1):
        hall = hall_of(units=8, limits=Limits(questions=1))
        hall.examinee = Examinee(id=f"e{n}", name=f"system {n}", spec="s")
        halls.append(hall)
    page = section(BeautifulSoup(render_report(told_of(*halls)), "html.parser"))
    folded = page.select("details.oral-part > summary strong")
    assert [name.get_text() for name in folded] == [f"system {n}" for n in range(1, PARTS)]
    assert page.select_one("h3").get_text() == "system 0"  # type: ignore[union-attr]
    (rest,) = [p for p in page.find_all("p", recursive=False) if f"system {PARTS}" in p.get_text()]
    assert "Examined" in rest.get_text()


def test_a_system_that_only_failed_is_told_as_not_examined() -> None:
    def raises(question: str) -> str:
        raise ValueError("no index")

    page = section(BeautifulSoup(render_report(told_of(hall_of(raises))), "html.parser"))
    said = page.get_text(" ", strip=True)
    assert "Examined 0% of 24 units; nothing can be said of what is known." in said
    assert "raised 5: no try" in said
    assert "No answer was judged." in said


def test_what_could_not_be_judged_is_shown_as_not_examined() -> None:
    data = told_of(hall_of(cast=cast(judge=Failing())))
    assert data.oral is not None
    assert all(each.status is UnitStatus.OPEN for each in data.oral.scores[0].outcomes)
    rows = table(section(BeautifulSoup(render_report(data), "html.parser")), "Stands")
    assert {row[2] for row in rows} == {"not examined"}
    assert all("The model refused." in row[4] for row in rows)


def test_what_stood_in_the_way_is_told_even_where_nobody_was_examined() -> None:
    data = replace(build(), oral=OralExaminations(None, (), {}, {}, "No unit of knowledge was found."))
    said = section(BeautifulSoup(render_report(data), "html.parser")).get_text(" ", strip=True)
    assert "No unit of knowledge was found." in said


@pytest.fixture(scope="module")
def hostile() -> BeautifulSoup:
    """All that others write tries to run a script: units, sources, paths, names, questions, answers, reasons."""

    def tainted(unit: OralUnit) -> OralUnit:
        span = unit.evidence.model_copy(update={"quote": unit.evidence.quote + HOSTILE})
        return unit.model_copy(
            update={
                "keyword": unit.keyword + HOSTILE,
                "description": unit.description + HOSTILE,
                "evidence": span,
            }
        )

    hall = hall_of()
    score = examined(hall)
    judged = [
        turn.model_copy(
            update={
                "question": turn.question + HOSTILE,
                "answer": HOSTILE + turn.answer,
                "judgements": tuple(
                    j.model_copy(update={"quote": j.quote + HOSTILE if j.quote else "", "reason": j.reason + HOSTILE})
                    for j in turn.judgements
                ),
            }
        )
        for turn in hall.turns
    ]
    plan = hall.plan.model_copy(
        update={
            "units": tuple(map(tainted, hall.plan.units)),
            "clusters": tuple(
                OralCluster(number=c.number, name=c.name + HOSTILE, unit_ids=c.unit_ids) for c in hall.plan.clusters
            ),
        }
    )
    rows = tuple(row.model_copy(update={"level": row.level + HOSTILE}) for row in score.by_cluster)
    examinee = Examinee(id="e", name=f"mine{HOSTILE}", spec="s")
    score = score.model_copy(update={"by_cluster": rows, "examinee": examinee, "reason": score.reason + HOSTILE})
    paths = {unit.evidence.document_id: f"pumps{HOSTILE}.md" for unit in plan.units}
    oral = OralExaminations(plan, (score,), {"e": tuple(judged)}, paths, HOSTILE)
    return BeautifulSoup(render_report(replace(build(), oral=oral)), "html.parser")


def test_what_others_wrote_is_shown_as_text(hostile: BeautifulSoup) -> None:
    found = section(hostile)
    assert not found.find_all(["script", "img", "iframe", "a"])
    assert not [tag for tag in found.find_all(True) if any(name.startswith("on") for name in tag.attrs)]
    for column in range(4):
        assert "<script>" in table(found, "Why wrong")[0][column]
    assert "<script>" in found.select("h3 bdi")[0].get_text()


def test_labels_reach_the_plots_without_a_tag(hostile: BeautifulSoup) -> None:
    figures = json.loads(hostile.find(id="report-data").string)["figures"]  # type: ignore[union-attr,arg-type]
    own = json.dumps([figures[name] for name in figures if name.startswith("oral-")], ensure_ascii=False)
    assert "&lt;script" in own
    assert "<" not in re.sub(r"</?b>|<br>|<extra></extra>", "", own)
