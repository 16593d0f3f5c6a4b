"""Articles read question by question: once for equal texts, going on where it stopped, failures as values."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from viva.agents.language_model.articles import TextGrade, is_key
from viva.core.errors import BudgetReached, RoleFailed, UsageError
from viva.core.records.articles import (
    Article,
    BankQuery,
    BankQuestion,
    Paragraph,
    QuestionBank,
    QuestionFound,
    Verification,
)
from viva.core.settings import Settings
from viva.graphs.articles.exam import ArticlePlan, examine_articles
from viva.graphs.articles.read import READINGS, ArticleReading
from viva.metrics.articles.cover import cover
from viva.metrics.articles.exam import Gradebook, exam
from viva.storage.record_log import RecordLog

BANK = QuestionBank.of(
    [
        BankQuery(
            id="lock",
            title="The lock gate",
            questions=(
                BankQuestion(id="colour", stem="What colour is the lock gate painted?", key="red"),
                BankQuestion(id="closes", stem="When does the lock gate close?", key="35 minutes before low water"),
            ),
        ),
        BankQuery(
            id="pier", title="The pier", questions=(BankQuestion(id="long", stem="How long is it?", key="90 m"),)
        ),
    ]
)
RED, BLUE, CLOSES, LONG = "The gate is red.", "The gate is blue.", "It closes 35 minutes before low water.", "90 m."


def article(system: str, query: str, *texts: str) -> Article:
    return Article(system=system, query_id=query, paragraphs=tuple(Paragraph.of(text) for text in texts))


ARTICLES = [
    article("ada", "lock", BLUE, RED, CLOSES),
    article("ada", "pier", LONG),
    article("bell", "lock", RED),
    article("coil", "lock"),
]


class Reader:
    """Answers with what a text says after 'is ' or 'closes '."""

    names: tuple[str, ...] = ("by hand",)

    def __init__(self, fails: Sequence[str] = ()) -> None:
        self.asked: list[tuple[str, str]] = []
        self._fails = fails

    async def grade(self, question: BankQuestion, text: str) -> TextGrade:
        self.asked.append((question.id, text))
        if text in self._fails:
            raise RoleFailed("model_refused", "It would not.")
        about = {"colour": "is ", "closes": "closes ", "long": ""}[question.id]
        if about not in text or (question.id == "long" and text != LONG):
            return TextGrade(0)
        answer = text.split(about)[-1] if about else text
        return TextGrade(int(is_key(question, answer)), answer, text)


def reading(folder: Path, reader: Reader, *, whole: bool = False, gold: Sequence[Article] = ()) -> ArticleReading:
    found = ArticleReading(BANK, ARTICLES, gold, reader, RecordLog(folder / READINGS, QuestionFound), whole=whole)
    asyncio.run(found.read())
    return found


def answered(found: ArticleReading) -> Gradebook:
    gradings = found.gradings()
    return cover(gradings.runs, gradings.grades, at_least=1)


def test_equal_texts_are_read_once_and_nothing_is_read_again(tmp_path: Path) -> None:
    first = Reader()
    reading(tmp_path, first)
    assert len(first.asked) == len(set(first.asked)) == 7
    again = Reader()
    reading(tmp_path, again)
    assert again.asked == []


def test_what_an_earlier_version_read_is_not_read_again(tmp_path: Path) -> None:
    reading(tmp_path, Reader())
    file = tmp_path / READINGS
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    earlier = [{**row, "found": {**row["found"], "confidence": 1.0}} for row in rows]
    file.write_text("".join(json.dumps(row) + "\n" for row in earlier), encoding="utf-8")
    again = Reader()
    reading(tmp_path, again)
    assert again.asked == []


def test_a_torn_line_is_read_again_and_no_other(tmp_path: Path) -> None:
    reading(tmp_path, Reader())
    file = tmp_path / READINGS
    file.write_text(file.read_text(encoding="utf-8")[:-20], encoding="utf-8")
    for expected in (1, 0):
        reader = Reader()
        reading(tmp_path, reader)
        assert len(reader.asked) == expected


def test_a_failure_is_no_grade_is_counted_and_is_tried_again(tmp_path: Path) -> None:
    found = reading(tmp_path, Reader(fails=[LONG]))
    assert found.failures == {"model_refused": 1}
    assert np.isnan(answered(found).right[0, 2])
    reader = Reader()
    assert reading(tmp_path, reader).failures == {}
    assert reader.asked == [("long", LONG)]


def test_a_budget_that_is_reached_ends_the_reading_and_keeps_what_was_read(tmp_path: Path) -> None:
    class Poor(Reader):
        async def grade(self, question: BankQuestion, text: str) -> TextGrade:
            if len(self.asked) == 3:
                raise BudgetReached("No more requests.")
            return await super().grade(question, text)

    with pytest.raises(BudgetReached):
        reading(tmp_path, Poor())
    reader = Reader()
    reading(tmp_path, reader)
    assert len(reader.asked) == 4


def test_an_article_answers_what_any_of_its_paragraphs_does(tmp_path: Path) -> None:
    found = reading(tmp_path, Reader())
    assert exam(answered(found)).values[0].tolist() == [1.0, 1.0]
    assert found.quotes(1)[f"colour / {Paragraph.of(RED).id}"] == RED
    assert f"colour / {Paragraph.of(BLUE).id}" not in found.quotes(1)


def test_an_empty_article_answers_nothing_and_a_missing_one_is_skipped(tmp_path: Path) -> None:
    found = reading(tmp_path, Reader())
    book = answered(found)
    assert book.systems == ("ada", "bell", "coil")
    assert exam(book).values[2].tolist() == [0, 0]
    assert book.skipped.tolist() == [[False, False], [False, True], [True, True]]
    assert dict(found.empty) == {"coil": 1}


def test_a_passage_without_a_text_keeps_its_rank(tmp_path: Path) -> None:
    lacking = Article(system="ada", query_id="pier", paragraphs=(Paragraph.of(LONG),), missing=("p9",))
    found = ArticleReading(BANK, [lacking], (), Reader(), RecordLog(tmp_path / READINGS, QuestionFound))
    asyncio.run(found.read())
    runs = found.gradings().runs
    assert (runs.rank.tolist(), runs.passage.tolist(), runs.ungraded().tolist()) == ([1, 2], [0, -1], [1])


def test_an_article_may_be_read_as_one_text(tmp_path: Path) -> None:
    reader = Reader()
    reading(tmp_path, reader, whole=True)
    assert ("colour", f"{BLUE}\n\n{RED}\n\n{CLOSES}") in reader.asked


def test_gold_paragraphs_are_marked(tmp_path: Path) -> None:
    gradings = reading(tmp_path, Reader(), gold=[article("gold", "lock", CLOSES)]).gradings()
    assert [gradings.passages[n] for n in np.flatnonzero(gradings.gold)] == [Paragraph.of(CLOSES).id]


def test_one_name_for_two_texts_is_refused(tmp_path: Path) -> None:
    twice = [
        Article(system=system, query_id="lock", paragraphs=(Paragraph(id="p", text=text),))
        for system, text in (("ada", RED), ("bell", BLUE))
    ]
    with pytest.raises(UsageError, match="two texts"):
        asyncio.run(ArticleReading(BANK, twice, [], Reader(), RecordLog(tmp_path / READINGS, QuestionFound)).read())


# --- before anything is read --------------------------------------------------------------------------------


def plan(folder: Path, **changed: object) -> ArticlePlan:
    given = {"bank": BANK, "articles": ARTICLES, **changed}
    return ArticlePlan(folder=folder, settings=Settings(model=("openai:none",)), **given)  # type: ignore[arg-type]


def test_a_grade_from_which_to_count_is_no_matter_of_verified_answers(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="right \\(1\\) or not \\(0\\)"):
        examine_articles(plan(tmp_path, at_least=4))


def test_a_bank_without_keys_can_be_rated_alone(tmp_path: Path) -> None:
    bare = QuestionBank.of(
        [
            q.model_copy(update={"questions": tuple(e.model_copy(update={"key": ""}) for e in q.questions)})
            for q in BANK.queries
        ]
    )
    with pytest.raises(UsageError, match="--verify rating"):
        examine_articles(plan(tmp_path, bank=bare))


def test_articles_without_a_text_are_nothing_to_read(tmp_path: Path) -> None:
    empty = [article("ada", "lock", " ")]
    with pytest.raises(UsageError, match="articles are not empty"):
        examine_articles(plan(tmp_path, articles=empty, verification=Verification.RATING))
    lacking = [Article(system="ada", query_id="lock", paragraphs=(), missing=("p9",))]
    with pytest.raises(UsageError, match="--passages has the texts"):
        examine_articles(plan(tmp_path, articles=lacking))
