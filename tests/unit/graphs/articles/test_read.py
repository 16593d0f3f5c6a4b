"""Articles read question by question: once for equal texts, going on where it stopped, failures as values."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from viva.agents.article_roles import TextAnswer, TextRating
from viva.agents.offline.articles import KeyMatch
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
from viva.exams.articles.gradings import GradedBy, read_gradings
from viva.graphs.articles.collect import TASK
from viva.graphs.articles.exam import examine_articles
from viva.graphs.articles.read import READINGS, ArticleReading, Readers
from viva.graphs.articles.readers import ArticlePlan
from viva.metrics.articles.cover import cover, surest
from viva.metrics.articles.exam import Gradebook, exam
from viva.metrics.articles.scores import Wanted
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
    """Says what a text holds after 'is ' or 'closes '; is sure of what it is told to be sure of."""

    name = "by hand"

    def __init__(self, sure: str = "", fails: Sequence[str] = ()) -> None:
        self.asked: list[tuple[str, str]] = []
        self._sure = sure
        self._fails = fails

    async def answer(self, question: BankQuestion, text: str) -> TextAnswer:
        self.asked.append((question.id, text))
        if text in self._fails:
            raise RoleFailed("model_refused", "It would not.")
        about = {"colour": "is ", "closes": "closes ", "long": ""}[question.id]
        if about not in text or (question.id == "long" and text != LONG):
            return TextAnswer("", 0.0)
        return TextAnswer(text.split(about)[-1] if about else text, 0.9 if text == self._sure else 0.5, text)


def reading(folder: Path, reader: Reader, *, whole: bool = False, gold: Sequence[Article] = ()) -> ArticleReading:
    readers = Readers(Verification.KEY, reader=reader, verifier=KeyMatch())
    found = ArticleReading(BANK, ARTICLES, gold, readers, RecordLog(folder / READINGS, QuestionFound), whole=whole)
    asyncio.run(found.read())
    return found


def answered(found: ArticleReading) -> Gradebook:
    assert found.surest
    gradings = found.gradings()
    return surest(gradings.runs, gradings.grades, gradings.confidences, at_least=1)


def test_equal_texts_are_read_once_and_nothing_is_read_again(tmp_path: Path) -> None:
    first = Reader()
    reading(tmp_path, first)
    assert len(first.asked) == len(set(first.asked)) == 7
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
    book = answered(found)
    assert np.isnan(book.right[0, 2])
    reader = Reader()
    assert reading(tmp_path, reader).failures == {}
    assert reader.asked == [("long", LONG)]


def test_a_budget_that_is_reached_ends_the_reading_and_keeps_what_was_read(tmp_path: Path) -> None:
    class Poor(Reader):
        async def answer(self, question: BankQuestion, text: str) -> TextAnswer:
            if len(self.asked) == 3:
                raise BudgetReached("No more requests.")
            return await super().answer(question, text)

    with pytest.raises(BudgetReached):
        reading(tmp_path, Poor())
    reader = Reader()
    reading(tmp_path, reader)
    assert len(reader.asked) == 4


def test_exam_takes_the_surest_paragraphs_answer_and_cover_any(tmp_path: Path) -> None:
    found = reading(tmp_path, Reader(sure=BLUE))
    book = answered(found)
    assert exam(book).values[0].tolist() == [0.5, 1.0]
    gradings = found.gradings()
    assert exam(cover(gradings.runs, gradings.grades, at_least=1)).values[0].tolist() == [1.0, 1.0]
    assert found.quotes(1)[f"colour / {Paragraph.of(RED).id}"] == RED


def test_gradings_that_are_given_back_hold_how_sure_the_answers_were(tmp_path: Path) -> None:
    found = reading(tmp_path, Reader(sure=BLUE, fails=[LONG]))
    by = GradedBy(bank=BANK.id, reader="by hand", verification=Verification.KEY, at_least=1, surest=True)
    lines = ({"graded_by": by.model_dump(mode="json")}, *found.exported())
    (tmp_path / "g.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    stored = read_gradings(tmp_path / "g.jsonl", BANK)
    again = surest(stored.runs, stored.grades, stored.confidences, at_least=1)
    assert stored.graded_by == by
    # coil's only article was empty: it stands in the table where the file says so
    np.testing.assert_array_equal(again.right, answered(found).right[: len(again.systems)])
    assert exam(again).values[0, 0] == 0.5
    assert exam(cover(stored.runs, stored.grades, at_least=1)).values[0, 0] == 1.0


def test_an_empty_article_answers_nothing_and_a_missing_one_is_skipped(tmp_path: Path) -> None:
    found = reading(tmp_path, Reader())
    book = answered(found)
    assert book.systems == ("ada", "bell", "coil")
    assert exam(book).values[2].tolist() == [0, 0]
    assert book.skipped.tolist() == [[False, False], [False, True], [True, True]]
    assert dict(found.empty) == {"coil": 1}


def test_an_article_may_be_read_as_one_text(tmp_path: Path) -> None:
    reader = Reader()
    found = reading(tmp_path, reader, whole=True)
    assert ("colour", f"{BLUE}\n\n{RED}\n\n{CLOSES}") in reader.asked
    assert not found.surest


def test_gold_paragraphs_are_marked(tmp_path: Path) -> None:
    found = reading(tmp_path, Reader(), gold=[article("gold", "lock", CLOSES)])
    gradings = found.gradings()
    assert [gradings.texts[n] for n in np.flatnonzero(gradings.gold)] == [CLOSES]


def test_one_name_for_two_texts_is_refused(tmp_path: Path) -> None:
    twice = [
        Article(system=system, query_id="lock", paragraphs=(Paragraph(id="p", text=text),))
        for system, text in (("ada", RED), ("bell", BLUE))
    ]
    readers = Readers(Verification.KEY, reader=Reader(), verifier=KeyMatch())
    with pytest.raises(UsageError, match="two texts"):
        asyncio.run(ArticleReading(BANK, twice, [], readers, RecordLog(tmp_path / READINGS, QuestionFound)).read())


class Rater:
    name = "by hand"

    async def rate(self, question: BankQuestion, text: str) -> TextRating:
        return TextRating(5 if "red" in text else 2, text)


def test_ratings_are_grades(tmp_path: Path) -> None:
    found = ArticleReading(
        BANK, ARTICLES, [], Readers(Verification.RATING, rater=Rater()), RecordLog(tmp_path / READINGS, QuestionFound)
    )
    asyncio.run(found.read())
    assert sorted(set(found.gradings().grades.grades.ravel().tolist())) == [-1, 2, 5]
    assert not found.surest


# --- from beginning to end ----------------------------------------------------------------------------------


def plan(folder: Path, **changed: object) -> ArticlePlan:
    return ArticlePlan(folder=folder, bank=BANK, settings=Settings(), articles=ARTICLES, **changed)  # type: ignore[arg-type]


def test_a_grade_from_which_to_count_is_no_matter_of_verified_answers(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="right \\(1\\) or not \\(0\\)"):
        examine_articles(plan(tmp_path, at_least=4), Wanted())


def test_gold_articles_give_rouge_and_normalise(tmp_path: Path) -> None:
    gold = [article("gold", "lock", CLOSES), article("gold", "pier", LONG)]
    scores = examine_articles(plan(tmp_path, gold=gold), Wanted(normalised_by="gold"))
    assert scores.normalised_by == "what the gold articles answer"
    rouge = {row.system: row.rouge.value for row in scores.systems if row.rouge}
    assert rouge["ada"] > rouge["bell"] == rouge["coil"] == 0
    assert [each.second for each in scores.agreements] == ["ROUGE-1 F1"]
    with pytest.raises(UsageError, match="gold"):
        examine_articles(plan(tmp_path), Wanted(normalised_by="gold"))


def test_leaks_are_found_in_prompts_instructions_and_articles(tmp_path: Path) -> None:
    told = article("ada", "lock", RED).model_copy(
        update={"instructions": "When the lock gate does close: 35 minutes before low water."}
    )
    parrot = article("bell", "lock", "What colour is the lock gate painted? It is red.")
    given = plan(tmp_path, instructions={"prompt.md": "Answer this: what colour is the lock gate painted?"})
    scores = examine_articles(given.__class__(**{**given.__dict__, "articles": [told, parrot]}), Wanted())
    assert [(leak.what, leak.where.split(" for ")[0]) for leak in scores.leaks] == [
        ("question", "prompt.md"),
        ("answer key", "the instructions of ada"),
        ("question", "the article of bell"),
    ]


def test_a_live_system_is_asked_for_titles_alone_and_never_twice(tmp_path: Path) -> None:
    system = tmp_path / "own.py"
    system.write_text(
        "import pathlib\n"
        "def answer(question):\n"
        f"    with open({str(tmp_path / 'heard')!r}, 'a') as file: file.write(question + chr(10))\n"
        "    if 'pier' in question: raise RuntimeError('no piers')\n"
        "    return {'text': 'The gate is red.'}\n",
        encoding="utf-8",
    )
    for _ in range(2):
        live = ArticlePlan(tmp_path / "out", BANK, Settings(), examinees=(f"own={system}:answer",))
        scores = examine_articles(live, Wanted())
    (row,) = scores.systems
    assert (row.system, row.skipped, row.failed) == ("own", 1, 1)
    assert "The pier" in scores.unknown[0]
    heard = (tmp_path / "heard").read_text(encoding="utf-8").splitlines()
    assert heard == [TASK.format(title="The lock gate"), *[TASK.format(title="The pier")] * 2]
    assert not any(question.stem in line for query in BANK.queries for question in query.questions for line in heard)


def test_an_article_written_for_another_title_is_not_taken_for_this_ones(tmp_path: Path) -> None:
    system = tmp_path / "own.py"
    said = "'The lock gate is painted ' + ('red.' if 'lock' in question else 'blue.')"
    system.write_text(f"def answer(question):\n    return {said}\n", encoding="utf-8")
    (lock, _) = BANK.queries
    river = QuestionBank.of([lock.model_copy(update={"title": "The river"})])

    def answered(bank: QuestionBank) -> float:
        scores = examine_articles(
            ArticlePlan(tmp_path / "out", bank, Settings(), examinees=(f"own={system}:answer",)), Wanted()
        )
        (row,) = scores.systems
        assert row.exam is not None
        return row.exam.value

    of_the_lock = QuestionBank.of([lock])
    assert [answered(bank) for bank in (of_the_lock, river, of_the_lock)] == [0.5, 0.0, 0.5]


def test_a_live_system_that_fails_on_every_query_stands_in_the_table_with_0(tmp_path: Path) -> None:
    system = tmp_path / "own.py"
    system.write_text("def answer(question):\n    raise RuntimeError('out of order')\n", encoding="utf-8")
    gold = [article("gold", "lock", CLOSES)]
    scores = examine_articles(plan(tmp_path / "out", examinees=(f"own={system}:answer",), gold=gold), Wanted())
    rows = {row.system: row for row in scores.systems}
    own = rows["own"]
    assert own.exam is not None
    assert own.rouge is not None
    assert (own.exam.value, own.rouge.value, own.skipped, own.failed) == (0.0, 0.0, 2, 2)
    assert rows["ada"].failed == 0
    assert rows["ada"].rouge is not None
    assert rows["ada"].rouge.value > 0
    assert {each.second for each in scores.differences} | {each.first for each in scores.differences} >= {"own"}
    assert sum("out of order" in each for each in scores.unknown) == 2
    alone = ArticlePlan(tmp_path / "alone", BANK, Settings(), examinees=(f"own={system}:answer",))
    with pytest.raises(UsageError, match=r"no article to judge .*out of order"):
        examine_articles(alone, Wanted())


def test_reference_retrievers_collect_from_documents(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for name, text in (
        ("lock", "The lock gate closes 35 minutes before low water."),
        ("pier", f"The pier is {LONG}"),
    ):
        (tmp_path / "docs" / f"{name}.txt").write_text(text, encoding="utf-8")
    asked = ArticlePlan(
        tmp_path / "out", BANK, Settings(), examinees=("bm25", "closed-book"), documents=tmp_path / "docs"
    )
    scores = examine_articles(asked, Wanted())
    assert {row.system: (row.empty, bool(row.exam and row.exam.value)) for row in scores.systems} == {
        "bm25": (0, True),
        "closed-book": (2, False),
    }
    with pytest.raises(UsageError, match="--documents"):
        examine_articles(ArticlePlan(tmp_path / "o", BANK, Settings(), examinees=("bm25",)), Wanted())


def test_a_retriever_collects_once_whoever_would_read_and_an_oracle_of_a_panel_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "lock.md").write_text("# The lock gate\n\nThe lock gate is painted red.", encoding="utf-8")
    specs = ("bm25+lexical", "bm25+embedding,k=3", "mine=bm25", "oracle+lexical")
    plan = ArticlePlan(tmp_path / "out", BANK, Settings(), examinees=specs, documents=tmp_path / "docs")
    found = examine_articles(plan, Wanted())
    assert sorted(row.system for row in found.systems) == ["bm25", "mine"]
    assert found.unknown == ("oracle: it knows the evidence of exam items, and a title has none",)


def test_two_systems_of_one_name_are_refused(tmp_path: Path) -> None:
    plan = ArticlePlan(tmp_path, BANK, Settings(), articles=ARTICLES, examinees=("ada=bm25",), documents=tmp_path)
    with pytest.raises(UsageError, match="Two systems are called “ada”"):
        examine_articles(plan, Wanted())


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"reader": "psychic"}, "no reader"),
        ({"reader": "model"}, "No language model"),
        ({"reader": "oracle", "verification": Verification.RATING}, "rates nothing"),
        ({"articles": ()}, "no article to judge"),
        ({"verification": Verification.JUDGE, "judge": "relevance-offline"}, "judges relevance"),
        ({"verification": Verification.JUDGE, "judge": "correctness"}, "asks a language model"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_read(
    changed: dict[str, object], said: str, tmp_path: Path
) -> None:
    given = plan(tmp_path)
    with pytest.raises(UsageError, match=said):
        examine_articles(given.__class__(**{**given.__dict__, **changed}), Wanted())


def test_a_bank_without_keys_can_be_rated_and_not_verified(tmp_path: Path) -> None:
    bare = QuestionBank.of(
        [
            q.model_copy(update={"questions": tuple(e.model_copy(update={"key": ""}) for e in q.questions)})
            for q in BANK.queries
        ]
    )
    given = plan(tmp_path)
    with pytest.raises(UsageError, match="--verify rating"):
        examine_articles(given.__class__(**{**given.__dict__, "bank": bare}), Wanted())
    rated = given.__class__(**{**given.__dict__, "bank": bare, "verification": Verification.RATING})
    assert examine_articles(rated, Wanted()).at_least == 4


def test_exported_rows_are_json(tmp_path: Path) -> None:
    found = reading(tmp_path, Reader())
    rows = [json.loads(json.dumps(row)) for row in found.exported()]
    assert {row["text"] for row in rows} == {RED, BLUE, CLOSES, LONG}
    assert ["bell", 1] in next(row["rankings"] for row in rows if row["text"] == RED)
