"""A report comes out of whatever a run may end with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from bs4 import BeautifulSoup
from report_data import build, systems

from viva.api.leaderboard import leaderboard
from viva.core.accounts import Funnel, SystemUsage
from viva.core.estimates import Estimate, OutsideAbility
from viva.core.records import Exam, Examinee, Failure, FailureKind
from viva.core.scores import RetrieverScore, Scores
from viva.core.scores_pairs import PairVerdict, RetrieverPair
from viva.metrics.score import score_exam
from viva.reports.data import ReportData
from viva.reports.headline import headline
from viva.reports.html import render_report
from viva.reports.plots.systems import ability_forest
from viva.reports.sections.items import in_context
from viva.reports.sections.systems import system_rows


def _soup(data: ReportData) -> BeautifulSoup:
    return BeautifulSoup(render_report(data), "html.parser")


def test_one_examinee_has_a_headline_and_no_pairs() -> None:
    soup = _soup(build(examinees=systems()[4:5]))
    assert soup.h1.get_text().startswith("bm25+lexical answers")
    assert soup.find(id="pairs") is None
    assert soup.find(id="plot-ability") is None
    assert "Abilities were not estimated" in soup.select_one("#leaderboard").get_text()
    assert "no curves" in soup.select_one("#exam").get_text()


@pytest.mark.parametrize(
    ("right", "title"),
    [
        (True, "Every system is right on all questions: they tell none apart"),
        (False, "No system is right on any question"),
    ],
)
def test_where_no_question_tells_systems_apart_the_report_says_only_that(right: bool, title: str) -> None:
    data = build(examinees=systems()[4:7], items=20)
    chosen = {shown.item.id: (shown.key_position + (not right)) % len(shown.options) for shown in data.exam.items}
    responses = {
        item: tuple(each.model_copy(update={"choice": chosen[item], "failure": None}) for each in own)
        for item, own in data.responses.items()
    }
    flat = [each for own in responses.values() for each in own]
    scores = score_exam(data.exam, systems()[4:7], flat, seed=7)
    soup = _soup(replace(data, responses=responses, scores=scores))
    assert soup.h1.get_text() == title
    assert not soup.select(
        "#pairs, #components, #reliability, .detectable, #plot-information, #plot-ability, #curve-item"
    )
    assert "no question tells two systems apart" in soup.select_one("#measurement").get_text()
    sentences = leaderboard(scores).notes
    assert f"{title}." in sentences
    assert not any(word in " ".join(sentences) for word in ("must differ", "Reliability", "told apart:", "perfect"))


def test_an_ability_that_the_exam_does_not_measure_is_an_arrow_at_the_edge() -> None:
    rows = system_rows(build(items=20).scores)
    outside = OutsideAbility("below", -1.0)
    moved = [replace(rows[0], score=rows[0].score.model_copy(update={"ability": outside})), *rows[1:]]
    figure = ability_forest(moved)
    assert figure
    found = [
        (x, trace["error_x"]["array"][place])
        for trace in figure["data"]
        for place, (x, symbol) in enumerate(zip(trace["x"], trace["marker"]["symbol"], strict=True))
        if symbol == "triangle-left" and trace["y"][place] == 0
    ]
    ((edge, reach),) = found
    assert edge + reach == pytest.approx(-1.0, abs=1e-3)
    assert edge < min(x for trace in figure["data"] for x in trace["x"] if x is not None and x != edge)


def test_a_report_of_few_questions_opens_with_their_number_and_not_with_a_system() -> None:
    soup = _soup(build(items=12))
    assert soup.h1.get_text() == "12 questions: too few to tell systems apart"
    assert "right" in soup.select_one("#result .finding p").get_text()


def test_usage_retrievers_and_the_reasons_of_a_pair_are_shown_where_there_are_any() -> None:
    data = build(examinees=systems()[4:7], items=20)
    used = SystemUsage(
        answers=20, counted=20, input_tokens=400, output_tokens=12, cost=0.002, first_s=3.0, p50_s=0.12, p95_s=1.4
    )
    rows = [row.model_copy(update={"usage": used}) for row in data.scores.examinees]
    alone = [
        RetrieverScore(
            examinee=Examinee(id=name, name=name, spec=name),
            asked=20,
            failures={"raised": 2},
            retrieval=rows[0].retrieval and rows[0].retrieval.model_copy(update={"ndcg": Estimate(0.5, 0.25, 0.75)}),
            usage=None,
        )
        for name in ("ours", "theirs")
    ]
    pair = RetrieverPair(
        first_id="ours",
        second_id="theirs",
        measure="MRR",
        questions=20,
        difference=0.2,
        low=0.1,
        high=0.3,
        p_value=0.01,
        p_adjusted=0.01,
        adjusted_over=1,
        verdict=PairVerdict.BETTER,
    )
    told = {"examinees": tuple(rows), "retrievers": tuple(alone), "retriever_pairs": (pair,)}
    soup = _soup(replace(data, scores=data.scores.model_copy(update=told)))
    # from 20 questions on a system opens it
    assert "right" in soup.h1.get_text()
    board = soup.select_one("#leaderboard thead").get_text()
    assert "Tokens" in board
    assert "Cost" in board
    cells = soup.select_one("#leaderboard tbody tr").get_text()
    assert all(figure in cells for figure in ("412", "$0.0020", "120 ms", "p95 1.4 s", "first 3.0 s"))
    retrievers = soup.select_one("#retrievers").get_text()
    assert "0.50 (0.25 to 0.75)" in retrievers
    assert "ours finds more than theirs by MRR (+0.20, +0.10 to +0.30" in retrievers
    pairs = soup.select_one("#pairs")
    assert "alone has right, the evidence was among the passages of" in pairs.get_text()
    assert "An answer takes 412 tokens" in pairs.get_text()
    assert "topic: " in pairs.select_one("details tbody").get_text()
    assert pairs.select_one("details a")["href"].startswith("#item-")


def test_an_exam_that_retrievers_alone_took_opens_with_the_first_of_them() -> None:
    data = build(examinees=systems()[4:5], items=20)
    found = data.scores.examinees[0].retrieval
    assert found
    alone = RetrieverScore(
        examinee=Examinee(id="ours", name="ours", spec="ours"),
        asked=20,
        failures={},
        retrieval=found.model_copy(update={"ndcg": Estimate(0.5, 0.25, 0.75)}),
        usage=None,
    )
    told = {"examinees": (), "comparisons": (), "groups": (), "effects": (), "retrievers": (alone,)}
    soup = _soup(replace(data, scores=data.scores.model_copy(update=told)))
    assert soup.h1.get_text() == "ours, a retriever, reaches nDCG@5 0.50"


def test_without_passages_the_retrieval_columns_say_so() -> None:
    soup = _soup(build(passages=False, items=12))
    assert "no retrieval figures" in soup.select_one("#leaderboard").get_text()
    assert "Recall" not in soup.select_one("#leaderboard thead").get_text()


def test_failures_alone_give_a_report_that_says_so() -> None:
    soup = _soup(build(all_fail=True, items=8))
    assert soup.h1.get_text() == "No answer could be graded"
    assert {row.td.get_text()[0] for row in soup.select("#leaderboard tbody tr")} == {"F", "R"}
    assert all("ungraded" in row.get_text() for row in soup.select("details.item summary"))


def test_without_rejections_the_section_says_so() -> None:
    data = build(items=10)
    funnel = data.funnel.model_copy(
        update={"units": data.funnel.units - sum(data.funnel.rejected.values()), "rejected": {}}
    )
    assert (
        "No draft was rejected"
        in _soup(replace(data, funnel=funnel, rejections=())).select_one("#rejected").get_text()
    )


def test_without_topics_there_is_no_grid_of_them() -> None:
    soup = _soup(build(topics=False, items=20))
    assert "All questions share one topic" in soup.select_one("#topics").get_text()


def test_references_alone_lead_the_headline() -> None:
    soup = _soup(build(examinees=systems()[:4], items=20))
    assert soup.h1.get_text().startswith("oracle+")


def test_systems_without_common_questions_have_places_by_group_and_are_not_compared() -> None:
    data = build(examinees=systems()[4:8], items=60)
    names = [each.examinee.name for each in data.scores.examinees]
    halves = {name: place % 2 for place, name in enumerate(names)}
    ids = {each.examinee.id: each.examinee.name for each in data.scores.examinees}
    kept = {
        shown.item.id: tuple(r for r in data.responses[shown.item.id] if halves[ids[r.examinee_id]] == n % 2)
        for n, shown in enumerate(data.exam.items)
    }
    flat = [response for own in kept.values() for response in own]
    scores = score_exam(data.exam, [each.examinee for each in data.scores.examinees], flat, seed=7)
    rows = system_rows(scores)
    assert [row.place for row in rows] == ["A1", "A2", "B1", "B2"]
    assert len({halves[row.name] for row in rows[:2]}) == 1
    assert scores.measurement is not None
    assert scores.measurement.detectable.questions == 30
    soup = _soup(replace(data, responses=kept, scores=scores))
    assert soup.h1.get_text().startswith(rows[0].name)
    assert "not all systems had the same" in soup.h1.get_text()
    result = " ".join(soup.select_one("#result").get_text().split())
    assert "No graded question is common to it and" in result
    assert "places count within each group" in soup.select_one("#leaderboard").get_text()
    assert "With 30 common questions, two systems near" in soup.select_one(".detectable").get_text()


def test_one_system_of_the_user_s_leads_the_headline_before_better_references() -> None:
    given = [each.model_copy(update={"reference": True}) for each in systems()[5:12]]
    mine = systems()[4]
    soup = _soup(build(examinees=[mine, *given], items=60))
    title = soup.h1.get_text()
    assert title.startswith(f"{mine.name} answers ")
    assert title.endswith("% of the questions")
    result = " ".join(soup.select_one("#result").get_text().split())
    assert "Of 7 other systems it is" in result
    assert "The best of the others is" in result


def _told(*right: Callable[[int], bool | None]) -> tuple[str, str]:
    """Title and result of systems a, b, c, by whether each is right on the nth of 40 questions; None: not asked."""
    given = [each.model_copy(update={"name": name}) for each, name in zip(systems()[4:], "abc", strict=False)]
    data = build(examinees=given, items=40)
    responses = {
        shown.item.id: tuple(
            one.model_copy(update={"choice": (shown.key_position + (not asked)) % 4, "failure": None})
            for is_right, one in zip(right, data.responses[shown.item.id], strict=True)
            if (asked := is_right(n)) is not None
        )
        for n, shown in enumerate(data.exam.items)
    }
    flat = [response for own in responses.values() for response in own]
    soup = _soup(replace(data, responses=responses, scores=score_exam(data.exam, given, flat, seed=7)))
    return soup.h1.get_text(), " ".join(soup.select_one("#result").get_text().split())


def test_systems_with_the_same_share_right_share_the_lead() -> None:
    title, result = _told(lambda n: n % 4 != 0, lambda n: n % 4 != 1, lambda n: n % 2 == 0)
    assert title == "a and b share the lead with 75% right"
    assert "a and b each answered 30 of 40 questions correctly: 75% (95% interval" in result
    assert "The runner-up is c. a and c are not told apart" in result
    assert "The leader" not in result


def test_all_that_share_the_lead_are_named_below_the_title() -> None:
    title, result = _told(lambda n: n % 2 == 0, lambda n: n % 2 == 1, lambda n: n < 20)
    assert title == "3 systems share the lead with 50% right"
    assert "a, b and c each answered 20 of 40 questions" in result
    assert "runner-up" not in result


def test_counts_and_intervals_of_a_shared_lead_are_told_where_they_are_the_same() -> None:
    title, result = _told(lambda n: n % 4 != 0, lambda n: n % 4 != 0 if n < 20 else None, lambda n: n % 2 == 0)
    assert title == "a and b share the lead with 75% right"
    assert "a and b have the same share right: 75%." in result


@pytest.mark.parametrize(
    ("every", "told"), [(3, "Guessing gives 25%: this exam cannot tell them from a guesser."), (2, "25%.")]
)
def test_of_a_shared_lead_it_is_told_whether_guessers_have_as_much(every: int, told: str) -> None:
    _, result = _told(*[lambda n: n % every == 0] * 2, lambda n: n % 5 == 0)
    assert told in result
    assert ("guesser" in result) == (every == 3)


def test_fewer_right_than_a_guesser_has_is_no_doubt_about_guessing_but_about_the_letters() -> None:
    _, result = _told(*[lambda n: n == 0] * 2, lambda n: n == 1)
    assert "Guessing gives 25%, which is more: see whether the letters" in result
    assert "cannot tell" not in result.partition("The runner-up")[0]


def test_systems_that_fail_on_different_questions_are_not_right_on_the_same_ones() -> None:
    data = build(examinees=systems()[4:6], items=20)
    failed = Failure(kind=FailureKind.RAISED, detail="503")
    responses = {
        shown.item.id: tuple(
            one.model_copy(update={"choice": None, "text": "", "failure": failed})
            if n == place
            else one.model_copy(update={"choice": shown.key_position, "failure": None})
            for place, one in enumerate(data.responses[shown.item.id])
        )
        for n, shown in enumerate(data.exam.items)
    }
    flat = [response for own in responses.values() for response in own]
    scores = score_exam(data.exam, [each.examinee for each in data.scores.examinees], flat, seed=7)
    title = _soup(replace(data, responses=responses, scores=scores)).h1.get_text()
    assert title.endswith("share the lead with 95% right")


@pytest.mark.parametrize(
    ("kept", "told"),
    [(0, None), (15, "is handed the evidence of 15 of 20 questions"), (20, "is handed the evidence,")],
)
def test_of_an_oracle_it_is_told_for_how_many_questions_there_is_evidence(kept: int, told: str | None) -> None:
    data = build(items=20)
    items = tuple(
        shown if n < kept else shown.model_copy(update={"item": shown.item.model_copy(update={"evidence": ()})})
        for n, shown in enumerate(data.exam.items)
    )
    changed = replace(data, exam=data.exam.model_copy(update={"items": items}))
    (found,) = [each for each in headline(changed, system_rows(changed.scores)).sentences if "For the range" in each]
    assert ("oracle" in found) == (told is not None)
    assert told is None or told in found


def test_a_lead_is_not_shared_where_common_questions_tell_the_two_apart() -> None:
    # both are right on half of 28, but where both were asked one nearly always beats the other
    early = lambda n: n >= 14 if n < 28 else None  # noqa: E731
    late = lambda n: n >= 26 if n >= 12 else None  # noqa: E731
    title, _ = _told(early, late, lambda n: n % 5 == 0)
    assert title == "a is best: 50% right, +75 points on the runner-up"
    title, result = _told(late, early, lambda n: n % 5 == 0)
    assert title == "a has most right, 50%, but b is better on the questions that both had"
    assert "a is worse than b" in result


def test_an_empty_exam_that_nobody_sat_still_has_a_page() -> None:
    data = build(items=5)
    scores = Scores(
        exam_id="none",
        examinees=(),
        items=(),
        effects=(),
        groups=(),
        comparisons=(),
        baselines={},
        key_positions=(),
        residual_sd=None,
        notes=(),
    )
    funnel = Funnel(chunks=1, units=0, accepted=0, rejected={}, not_asked=0, in_exam=0, examples=0, left_out={})
    empty = replace(
        data,
        scores=scores,
        exam=Exam(id="none", items=()),
        funnel=funnel,
        rejections=(),
        responses={},
        times=(),
        exclusions=(),
    )
    soup = _soup(empty)
    assert "The exam is empty" in soup.get_text()
    assert "No system sat this exam" in soup.get_text()
    assert "Every file and row took part" in soup.get_text()


def test_a_document_that_is_missing_or_changed_leaves_the_quote_alone() -> None:
    data = build(items=5)
    (span,) = data.exam.items[0].item.evidence
    document = data.documents[span.document_id]
    changed = document.model_copy(update={"text": "x" * len(document.text)})
    assert in_context(span, None).path == ""
    assert (in_context(span, changed).before, in_context(span, changed).quote) == ("", span.quote)
    assert in_context(span, document).before.endswith(document.text[span.start - 20 : span.start])
    assert "not part of the report" in _soup(replace(data, documents={})).select_one("details.item").get_text()


def test_another_cast_is_not_said_to_have_cost_nothing() -> None:
    data = build(items=5)
    run = data.run.model_copy(update={"settings": {**data.run.settings, "model": '["openai:small"]'}})
    told = _soup(replace(data, run=run)).select_one("#cost").get_text()
    assert "cost 0" not in told
    assert "is not known" in told
