"""EXAM mode: every question of a query is put to every text that was written or collected for it.

A text is a paragraph, or an article as a whole. Equal texts are read once, whoever brought them; what was read is
kept in the folder, so that an interrupted reading goes on where it was.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from viva.agents.language_model.articles import ArticleGrader
from viva.core.errors import RoleFailed, UsageError
from viva.core.ids import content_hash
from viva.core.records.articles import Article, BankQuestion, Paragraph, QuestionBank, QuestionFound
from viva.exams.articles.gradings import Grader, Gradings
from viva.graphs.context import Watcher, unwatched
from viva.storage.record_log import RecordLog

READINGS = "readings.jsonl"
"""What readers found in texts."""
BATCH = 64
"""Readings that are begun, and recorded, together."""
WHOLE = "\n\n"


@dataclass
class ArticleReading:
    """The reading of some articles, ready to go on from what the log holds."""

    bank: QuestionBank
    articles: Sequence[Article]
    gold: Sequence[Article]
    grader: ArticleGrader
    log: RecordLog[QuestionFound]
    whole: bool = False
    """whether an article is read as one text"""
    watch: Watcher = unwatched
    found: dict[tuple[str, str, str], QuestionFound] = field(default_factory=dict)
    """by query, question and text"""

    def texts(self, article: Article) -> tuple[Paragraph, ...]:
        """What of an article is read: its paragraphs that hold anything, or all of them as one."""
        kept = tuple(each for each in article.paragraphs if each.text.strip())
        return (Paragraph.of(WHOLE.join(each.text for each in kept)),) if self.whole and kept else kept

    @cached_property
    def _texts(self) -> dict[str, dict[str, Paragraph]]:
        """The texts of each query, each once. UsageError where two have one name."""
        by_query: dict[str, dict[str, Paragraph]] = {}
        for article in (*self.articles, *self.gold):
            texts = by_query.setdefault(article.query_id, {})
            for text in self.texts(article):
                if texts.setdefault(text.id, text).text != text.text:
                    raise UsageError(
                        f"Under the name “{text.id}” articles for “{article.query_id}” hold two texts.",
                        allowed="One text per name.",
                    )
        return by_query

    async def read(self) -> None:
        """Read what is not read yet. Interrupted, it keeps every batch that was read."""
        work = [
            (_reading_key(self.grader.names, question, text.text), query.id, question, text)
            for query in self.bank.queries
            for text in self._texts.get(query.id, {}).values()
            for question in query.questions
        ]
        for start in range(0, len(work), BATCH):
            batch = work[start : start + BATCH]
            kept = {key: found for key, *_ in batch if (found := self.log.find(key)) is not None}
            new = [each for each in batch if each[0] not in kept]
            tasks = (self._put(query, question, text) for _, query, question, text in new)
            said = await asyncio.gather(*tasks, return_exceptions=True)
            fresh = {key: each for (key, *_), each in zip(new, said, strict=True) if isinstance(each, QuestionFound)}
            # a failure is not kept: the next reading tries again
            self.log.add([(key, found) for key, found in fresh.items() if found.grade is not None])
            for ended in said:
                if isinstance(ended, BaseException):
                    raise ended
            for key, query, question, text in batch:
                at = {"query_id": query, "question_id": question.id, "text_id": text.id}
                found = (kept.get(key) or fresh[key]).model_copy(update=at)
                self.found[query, question.id, text.id] = found
            self.watch("read articles", start + len(batch), len(work))

    async def _put(self, query_id: str, question: BankQuestion, text: Paragraph) -> QuestionFound:
        """One question to one text; what the model could not do is a grade of None with the reason."""
        at = QuestionFound(query_id=query_id, question_id=question.id, text_id=text.id)
        try:
            found = await self.grader.grade(question, text.text)
        except RoleFailed as failed:
            return at.model_copy(update={"reason": failed.code})
        return at.model_copy(update={"answer": found.answer, "grade": found.grade, "quote": found.quote})

    # --- what it came to --------------------------------------------------------------------------------------

    def gradings(self) -> Gradings:
        """Graded texts and who brought them, as stored gradings have them. Failures have no grade."""
        grader, ranks = Grader(self.bank, "the articles"), dict[tuple[str, str], list[tuple[str, int]]]()
        golden = {(article.query_id, text.id) for article in self.gold for text in self.texts(article)}
        for article in self.articles:
            grader.add_system(article.system)
            ids = [text.id for text in self.texts(article)]
            for rank, text in enumerate(dict.fromkeys((*ids, *article.missing)), start=1):
                ranks.setdefault((article.query_id, text), []).append((article.system, rank))
        for query in self.bank.queries:
            for text in self._texts.get(query.id, {}):
                at, grades = (query.id, text), {q.id: self.found[query.id, q.id, text].grade for q in query.questions}
                grader.add(*at, grades, ranks.pop(at, ()), gold=at in golden)
        for at, returned in ranks.items():
            # it has no text
            grader.add(*at, {}, returned)
        return grader.gathered()

    def quotes(self, at_least: int) -> dict[str, str]:
        """By 'question / text': the words that an answer rests on."""
        return {
            f"{each.question_id} / {each.text_id}": each.quote
            for each in self.found.values()
            if each.grade is not None and each.grade >= at_least and each.quote
        }

    @property
    def failures(self) -> Mapping[str, int]:
        """Why questions could not be graded, and how often."""
        return dict(sorted(Counter(each.reason for each in self.found.values() if each.grade is None).items()))

    @property
    def empty(self) -> Mapping[str, int]:
        """Articles without a text, by system."""
        return Counter(article.system for article in self.articles if not self.texts(article) and not article.missing)


def _reading_key(names: Iterable[str], question: BankQuestion, text: str) -> str:
    """The key of a reading: who reads and checks, and all that they are shown."""
    shown = (question.stem, question.key, question.reference, *question.options)
    return content_hash("reading", *names, "|", *shown, "|", text)
