"""The report of articles: whatever systems, banks and articles say is escaped, and nothing runs or is fetched."""

from __future__ import annotations

from pathlib import Path

import pytest

from viva.core.notes import NoteCode
from viva.core.records.articles import BankQuery, BankQuestion, QuestionBank, Verification
from viva.core.scores_articles import ArticleScores, Leak
from viva.exams.articles.gradings import Grader
from viva.metrics.articles.leaderboards import agreement
from viva.metrics.articles.scores import Graded, article_scores
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
        "leaks": [Leak(question_id=EVIL, where=EVIL, quote=EVIL)],
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
    return article_scores(graded, (1,))


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
    same = {f"s{n}": float(n) for n in range(5)}
    assert "Spearman 1.000" in agreed(agreement("A", same, "B", same))[0]
    flat = dict.fromkeys(same, 1.0)
    assert "no correlation" in agreed(agreement("A", same, "B", flat))[0]
    other = {**same, "s0": 1.5, "s5": 5.0}
    text = " ".join(agreed(agreement("A", same, "B", other)))
    assert "(95%: " in text
    assert "only in the second: 1." in text


def test_the_best_is_named_and_how_many_others_it_surely_beats() -> None:
    found = scores()
    assert told_best(found) == "other answers most: EXAM 0.750, but this exam cannot tell it from any other."
    clear = found.model_copy(update={"differences": (found.differences[0].model_copy(update={"adjusted": 0.01}),)})
    assert told_best(clear) == "other answers most: EXAM 0.750, ahead of 1 of 1 other."
    assert told_best(found.model_copy(update={"systems": found.systems[:1]})) == "other answers most: EXAM 0.750."
    nobody = found.systems[0].model_copy(update={"exam": found.systems[0].exam.model_copy(update={"value": 0.0})})
    assert told_best(found.model_copy(update={"systems": (nobody,)})) == "No system's articles answer any question."


def test_too_few_queries_to_tell_systems_apart_are_said() -> None:
    assert "2 queries can show none: it takes 6 at least." in told_pairs(scores())
    assert [queries_to_differ(pairs) for pairs in (1, 3, 190)] == [6, 7, 13]


def test_a_pair_has_its_interval_in_the_report_and_a_dash_where_there_is_none() -> None:
    found = scores()
    pair = found.differences[0].model_copy(update={"queries": 2, "low": 0.123, "high": 0.456})
    flat = pair.model_copy(update={"low": None, "high": None})
    shown, dashed = (render_articles(found.model_copy(update={"differences": (p,)}), BANK) for p in (pair, flat))
    assert "+0.123 to +0.456" in shown
    assert '<td class="num">–</td><td class="num">p' in dashed
    assert '<td class="num">–</td><td class="num">p' not in shown


def alone(*passages: tuple[str, list[list[object]]]) -> ArticleScores:
    """Scores of passages, each answering all of `q`, with who returned it."""
    grader = Grader(BANK, "test")
    for name, returned in passages:
        grader.add("q", name, {"q3": 1}, returned)
    found = grader.gathered()
    return article_scores(Graded(BANK, found.passages, found.grades, found.runs, 1, "r", Verification.KEY), (1,))


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
    assert [note.code for note in found.notes] == [NoteCode.MEASURED_BY_ITSELF]
    assert "n-EXAM counts" not in headline(found)
    page = render_articles(found, BANK)
    assert '<th scope="col" class="num">n-EXAM</th>' not in page
    assert "There is no n-EXAM" in page
    # other texts were graded, or another system returned one
    for others in ([], [["bell", 1]]):
        assert alone(("p", [["ada", 1]]), ("p2", others)).notes == ()


def test_where_everything_is_answered_it_is_said_so() -> None:
    found = scores()
    answered = tuple(each for each in found.outcomes if each.answered_by)
    assert told_unanswered(found.model_copy(update={"outcomes": answered})).startswith("Every question is answered")
