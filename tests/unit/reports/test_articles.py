"""The report of articles: whatever systems, banks and articles say is escaped, and nothing runs or is fetched."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from viva.core.notes import NoteCode
from viva.core.records.articles import BankQuery, BankQuestion, QuestionBank, Verification
from viva.core.records.judging import JudgeCard, Make, Measured, Quality
from viva.core.scores_articles import ArticleScores, Leakage
from viva.exams.articles.gradings import Grader
from viva.metrics.articles.leaderboards import LeaderboardRow, agreement, told
from viva.metrics.articles.scores import Graded, Wanted, article_scores
from viva.reports import articles
from viva.reports.articles import render_articles
from viva.reports.sections.article_words import (
    agreed,
    headline,
    queries_to_differ,
    told_best,
    told_pairs,
    told_unanswered,
)

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>"
BANK = QuestionBank.of(
    [
        BankQuery(
            id=EVIL,
            title=f"title {EVIL}",
            questions=(
                BankQuestion(id=f"q1 {EVIL}", stem=f"What? {EVIL}", key=EVIL),
                BankQuestion(id="q2", stem="Why?"),
            ),
        ),
        BankQuery(id="q", title="plain", questions=(BankQuestion(id="q3", stem="Who?", key="Ada"),)),
    ]
)


def scores(**changed: object) -> ArticleScores:
    grader = Grader(BANK, "test")
    grader.add(EVIL, f"p {EVIL}", {f"q1 {EVIL}": 1, "q2": 0}, [[f"s {EVIL}", 1], ["other", 1]])
    grader.add("q", "p2", {"q3": 1}, [["other", 1]])
    grader.add("q", "p3", {"q3": 0}, [[f"s {EVIL}", 1]])
    found = grader.gathered()
    given: dict[str, object] = {
        "quotes": {f"q1 {EVIL} / p {EVIL}": f"quoted {EVIL}"},
        "leaks": [Leakage(question_id=EVIL, where=EVIL, what="question", quote=EVIL)],
        "unknown": [EVIL],
        "failures": {"model_refused": 2},
        **changed,
    }
    graded = Graded(
        BANK,
        found.passages,
        found.grades,
        found.runs,
        1,
        f"reader {EVIL}",
        Verification.KEY,
        **given,  # type: ignore[arg-type]
    )
    return article_scores(graded, Wanted(depths=(1,)))


def test_nothing_of_others_is_markup_and_no_script_may_run() -> None:
    page = render_articles(scores(), BANK)
    assert "<script" not in page.lower()
    assert "<img" not in page.lower()
    assert "&lt;script&gt;alert(1)" in page
    assert "default-src &#39;none&#39;" in page
    assert "http://" not in page
    assert "https://" not in page


def test_each_question_shows_who_answers_it_with_the_words() -> None:
    page = render_articles(scores(), BANK)
    assert "quoted &lt;script" in page
    assert "No system's article answers it" in page
    assert "model_refused" in page


def test_the_same_scores_give_the_same_page() -> None:
    assert render_articles(scores(), BANK) == render_articles(scores(), BANK)


def test_scores_survive_their_file(tmp_path: Path) -> None:
    found = scores()
    file = tmp_path / "scores.json"
    file.write_text(found.model_dump_json(), encoding="utf-8")
    assert ArticleScores.model_validate_json(file.read_text(encoding="utf-8")) == found


def test_what_nobody_answers_and_how_boards_agree_are_sentences() -> None:
    assert told_unanswered(scores()) == "No system's article answers 1 of 3 questions."
    same = {f"s{n}": LeaderboardRow(float(n), 0.6) for n in range(5)}
    sentences = agreed(told("A", "B", agreement(same, same, seed=0, resamples=50)))
    assert "Spearman 1.000" in sentences[0]
    flat = {name: LeaderboardRow(1.0) for name in same}
    assert "no correlation" in agreed(told("A", "B", agreement(same, flat, seed=0, resamples=50)))[0]


def test_abilities_stand_on_the_scale_of_item_response_theory() -> None:
    found = {row.system: row for row in scores().systems}
    better, worse = found["other"].ability, found[f"s {EVIL}"].ability
    assert better is not None
    assert worse is not None
    assert better.theta > worse.theta
    difficulties = {outcome.question_id: outcome.difficulty for outcome in scores().outcomes}
    both, one, nobody = (difficulties[name] for name in (f"q1 {EVIL}", "q3", "q2"))
    assert both is not None
    assert one is not None
    assert nobody is not None
    assert both < one < nobody
    assert np.isfinite(better.se)


def test_the_best_is_named_and_how_many_others_it_surely_beats() -> None:
    found = scores()
    assert told_best(found) == "other answers most: EXAM 0.750, but this exam cannot tell it from any other."
    clear = found.model_copy(update={"differences": (found.differences[0].model_copy(update={"adjusted": 0.01}),)})
    assert told_best(clear) == "other answers most: EXAM 0.750, ahead of the other."
    assert told_best(found.model_copy(update={"systems": found.systems[:1]})) == "other reaches EXAM 0.750."
    nobody = found.systems[0].model_copy(update={"exam": found.systems[0].exam.model_copy(update={"value": 0.0})})
    assert told_best(found.model_copy(update={"systems": (nobody,)})) == "No system's articles answer any question."


def test_too_few_queries_to_tell_systems_apart_are_said() -> None:
    assert "it takes 6 at least, and there are 2." in told_pairs(scores())
    assert "with 2 no p-value lies under 2/2^2 = 0.500;" in told_pairs(scores())
    assert [queries_to_differ(pairs) for pairs in (1, 3, 190)] == [6, 7, 13]


def test_a_pair_has_its_interval_in_the_report_and_a_dash_where_it_shows_no_spread() -> None:
    found = scores()
    pair = found.differences[0].model_copy(update={"queries": 2, "low": 0.123, "high": 0.456})
    flat = pair.model_copy(update={"low": None, "high": None})
    shown, dashed = (render_articles(found.model_copy(update={"differences": (p,)}), BANK) for p in (pair, flat))
    assert "+0.123 to +0.456" in shown
    assert '<td class="num">–</td><td class="num">p' in dashed
    assert '<td class="num">–</td><td class="num">p' not in shown


def test_leaderboards_too_short_for_intervals_say_why_there_is_none() -> None:
    three = {f"s{n}": LeaderboardRow(float(n)) for n in range(3)}
    text = " ".join(agreed(told("A", "B", agreement(three, three, seed=0, resamples=50))))
    assert "No intervals. 3 systems are too few for a standard error." in text
    assert "Systems drawn anew: no intervals. " in text
    six = {f"s{n}": LeaderboardRow(float(n)) for n in range(6)}
    text = " ".join(agreed(told("A", "B", agreement(six, six, seed=0, resamples=50))))
    assert "No intervals. The order is the same throughout" in text
    other = {**six, "s0": LeaderboardRow(1.5)}
    text = " ".join(agreed(told("A", "B", agreement(six, other, seed=0, resamples=50))))
    assert "no interval" not in text.casefold()
    assert "(95%: " in text


def test_the_judge_is_named_with_its_agreement_with_people_on_the_page_and_in_the_file() -> None:
    measured = Measured(
        data="saf", data_fingerprint="f", statistic="spearman", estimate=0.62, low=0.58, high=0.66, labels=1200
    )
    card = JudgeCard(name="correctness-offline", judges=Quality.CORRECTNESS, make=Make.OFFLINE, measured=(measured,))
    found = scores(judge=card).model_copy(update={"verification": Verification.JUDGE})
    page = render_articles(found, BANK)
    assert "by the judge correctness-offline" in headline(found)
    assert "with people: Spearman 0.62 (95% 0.58 to 0.66; 1,200 labels of saf)." in page
    assert ArticleScores.model_validate_json(found.model_dump_json()).judge == card
    bare = found.model_copy(update={"judge": card.model_copy(update={"measured": ()})})
    assert "with people: not measured." in render_articles(bare, BANK)
    assert "with people" not in render_articles(scores(), BANK)


def alone(*passages: tuple[str, list[list[object]]], failed: int = 0) -> ArticleScores:
    """Scores of passages, each answering all of `q`, with who returned it."""
    grader = Grader(BANK, "test")
    for name, returned in passages:
        grader.add("q", name, {"q3": 1}, returned)
    if failed:
        grader.stands("silent")
    found = grader.gathered()
    graded = Graded(
        BANK, found.passages, found.grades, found.runs, 1, "r", Verification.KEY, failed={"silent": failed}
    )
    return article_scores(graded, Wanted(depths=(1,)))


def test_a_query_is_shown_with_all_its_questions_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(articles, "LISTED_QUESTIONS", 2)
    found = scores()
    # those of one query need not stand together
    first, second, third = found.outcomes
    page = render_articles(found.model_copy(update={"outcomes": (first, third, second)}), BANK)
    assert "1 of 2 questions answered" in page
    assert "and 1 more queries" in page
    assert "plain" not in page


def test_n_exam_of_a_system_measured_by_its_own_paragraphs_alone_is_no_figure_but_a_reason() -> None:
    found = alone(("p", [["ada", 1]]))
    assert [row.n_exam for row in found.systems] == [None]
    assert found.not_made["n-EXAM"].code is NoteCode.MEASURED_BY_ITSELF
    assert "n-EXAM counts" not in headline(found)
    page = render_articles(found, BANK)
    assert '<th scope="col" class="num">n-EXAM</th>' not in page
    assert "measured by itself" in page
    # other texts were graded, or another system returned one
    for others in ([], [["bell", 1]]):
        assert "n-EXAM" not in alone(("p", [["ada", 1]]), ("p2", others)).not_made


def test_a_system_that_failed_on_all_queries_has_exam_0_and_neither_ability_nor_error() -> None:
    found = alone(("p", [["ada", 1]]), ("p2", [["bell", 1]]), failed=2)
    silent = next(row for row in found.systems if row.system == "silent")
    assert silent.exam is not None
    assert (silent.exam.value, silent.exam.se, silent.ability) == (0.0, None, None)
    assert found.not_made["ability of silent"].code is NoteCode.FAILED_THROUGHOUT
    assert all(row.ability for row in found.systems if row.system != "silent")
    partly = alone(("p", [["ada", 1]]), ("p2", [["bell", 1]]), failed=1)
    assert all(row.ability for row in partly.systems)


def test_where_everything_is_answered_it_is_said_so() -> None:
    found = scores()
    answered = tuple(each for each in found.outcomes if each.answered_by)
    assert told_unanswered(found.model_copy(update={"outcomes": answered})).startswith("Every question is answered")
