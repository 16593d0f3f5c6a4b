"""EXAM mode: every question of a query is put to every text that somebody wrote or collected for it.

A text is a paragraph, or an article as a whole. Equal texts are read once, whoever brought them; what was read is
kept in the folder, so that an interrupted reading goes on where it was.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from viva.agents.article_roles import AnswerVerifier, ArticleRater, ArticleReader
from viva.core.errors import RoleFailed, UsageError
from viva.core.ids import content_hash
from viva.core.records.articles import Article, BankQuestion, Paragraph, QuestionBank, QuestionFound, Verification
from viva.exams.articles.gradings import Grader, Gradings
from viva.graphs.context import Watcher, unwatched
from viva.storage.record_log import RecordLog

READINGS = "readings.jsonl"
"""What readers found in texts."""
BATCH = 64
"""Readings that are begun, and recorded, together."""
WHOLE = "\n\n"


@dataclass(frozen=True)
class Readers:
    """Who reads: a reader whose answers somebody verifies, or a rater."""

    verification: Verification
    reader: ArticleReader | None = None
    verifier: AnswerVerifier | None = None
    rater: ArticleRater | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Whatever changes the readings."""
        return tuple(role.name for role in (self.reader, self.verifier, self.rater) if role is not None)

    async def put(self, query_id: str, question: BankQuestion, text: Paragraph) -> QuestionFound:
        """One question to one text; what a role could not do is a grade of None with the reason."""
        at = QuestionFound(query_id=query_id, question_id=question.id, text_id=text.id)
        try:
            if self.rater is not None:
                rated = await self.rater.rate(question, text.text)
                told = {"grade": rated.grade, "confidence": float(rated.grade), "quote": rated.quote}
                return at.model_copy(update=told)
            if self.reader is None or self.verifier is None:
                raise AssertionError("a reader is verified by somebody")
            said = await self.reader.answer(question, text.text)
            right = bool(said.text) and await self.verifier.verify(question, said)
        except RoleFailed as failed:
            return at.model_copy(update={"reason": failed.code})
        told = {"answer": said.text, "grade": int(right), "confidence": said.confidence, "quote": said.quote}
        return at.model_copy(update=told)


@dataclass
class ArticleReading:
    """The reading of some articles, ready to go on from what the log holds."""

    bank: QuestionBank
    articles: Sequence[Article]
    gold: Sequence[Article]
    readers: Readers
    log: RecordLog[QuestionFound]
    whole: bool = False
    """whether an article is read as one text"""
    watch: Watcher = unwatched
    asked: Sequence[str] = ()
    """systems that stand in the table, with an article or without"""
    found: dict[tuple[str, str, str], QuestionFound] = field(default_factory=dict)
    """by query, question and text"""

    def texts(self, article: Article) -> tuple[Paragraph, ...]:
        """What of an article is read: its paragraphs that hold anything, or all of them as one."""
        kept = tuple(each for each in article.paragraphs if each.text.strip())
        return (Paragraph.of(WHOLE.join(each.text for each in kept)),) if self.whole and kept else kept

    @cached_property
    def work(self) -> list[tuple[str, BankQuestion, Paragraph]]:
        """Every question with every text of its query, each once, in the bank's order."""
        by_query: dict[str, dict[str, Paragraph]] = {}
        for article in (*self.articles, *self.gold):
            texts = by_query.setdefault(article.query_id, {})
            for text in self.texts(article):
                if texts.setdefault(text.id, text).text != text.text:
                    raise UsageError(
                        f"Under the name “{text.id}” articles for “{article.query_id}” hold two texts.",
                        allowed="One text per name.",
                    )
        return [
            (query.id, question, text)
            for query in self.bank.queries
            for text in by_query.get(query.id, {}).values()
            for question in query.questions
        ]

    async def read(self) -> None:
        """Read what is not read yet. Interrupted, it keeps every batch that was read."""
        done = 0
        for start in range(0, len(self.work), BATCH):
            batch = self.work[start : start + BATCH]
            keyed = [(_reading_key(self.readers.names, q, text.text), query, q, text) for query, q, text in batch]
            kept = {key: found for key, *_ in keyed if (found := self.log.find(key)) is not None}
            new = [each for each in keyed if each[0] not in kept]
            tasks = (self.readers.put(query, q, text) for _, query, q, text in new)
            said = await asyncio.gather(*tasks, return_exceptions=True)
            fresh = {key: each for (key, *_), each in zip(new, said, strict=True) if isinstance(each, QuestionFound)}
            # a failure is not kept: the next reading tries again
            self.log.add([(key, found) for key, found in fresh.items() if found.grade is not None])
            for ended in said:
                if isinstance(ended, BaseException):
                    raise ended
            for key, query, question, text in keyed:
                found = (kept.get(key) or fresh[key]).model_copy(
                    update={"query_id": query, "question_id": question.id, "text_id": text.id}
                )
                self.found[query, question.id, text.id] = found
            done += len(batch)
            self.watch("read articles", done, len(self.work))

    # --- what it came to --------------------------------------------------------------------------------------

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """All who stand in the table, sorted."""
        return tuple(sorted({*self.asked, *(article.system for article in self.articles)}))

    @property
    def surest(self) -> bool:
        """Whether an article's answer is that of its surest paragraph.

        Ratings, and articles read as a whole, answer what any of their texts answers.
        """
        return not self.whole and self.readers.verification is not Verification.RATING

    def gradings(self) -> Gradings:
        """Graded texts and who brought them, as stored gradings have them. Failures have no grade."""
        grader = Grader(self.bank, "the articles")
        for (query, text), own in self._by_text().items():
            sure, gold = _confidences(own), (query, text.id) in self._golden
            grader.add(query, text.id, _grades(own), [], text.text, confidences=sure, gold=gold)
        for system in self.systems:
            grader.stands(system)
        for article in self.articles:
            grader.returned(article.system, article.query_id, self._ranked(article))
        return grader.gathered()

    def _ranked(self, article: Article) -> list[tuple[int, str]]:
        ids = [text.id for text in self.texts(article)]
        return list(enumerate(dict.fromkeys((*ids, *article.missing)), start=1))

    @cached_property
    def _golden(self) -> frozenset[tuple[str, str]]:
        return frozenset((article.query_id, text.id) for article in self.gold for text in self.texts(article))

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

    def _by_text(self) -> dict[tuple[str, Paragraph], list[QuestionFound]]:
        by_text: dict[tuple[str, Paragraph], list[QuestionFound]] = {}
        for query, question, text in self.work:
            by_text.setdefault((query, text), []).append(self.found[query, question.id, text.id])
        return by_text

    def exported(self) -> Iterator[dict[str, object]]:
        """What was graded, as rows of a file that `viva exam-articles --gradings` reads."""
        ranks: dict[tuple[str, str], list[list[object]]] = {}
        for article in sorted(self.articles, key=lambda each: each.system):
            for rank, passage in self._ranked(article):
                ranks.setdefault((article.query_id, passage), []).append([article.system, rank])
        for (query, text), own in self._by_text().items():
            row: dict[str, object] = {"query_id": query, "paragraph_id": text.id, "grades": _grades(own)}
            if self.surest:
                row["confidences"] = _confidences(own)
            if (query, text.id) in self._golden:
                row["gold"] = True
            yield {**row, "rankings": ranks.pop((query, text.id), []), "text": text.text}
        for (query, passage), returned in ranks.items():
            # nobody has its text
            yield {"query_id": query, "paragraph_id": passage, "grades": {}, "rankings": returned}


def _grades(found: Sequence[QuestionFound]) -> dict[str, object]:
    return {each.question_id: each.grade for each in found}


def _confidences(found: Sequence[QuestionFound]) -> dict[str, object]:
    """Of answers that were graded, where there is any."""
    return {each.question_id: each.confidence for each in found if each.grade is not None and each.confidence}


def _reading_key(roles: Iterable[str], question: BankQuestion, text: str) -> str:
    """The key of a reading: who reads and checks, and all that they are shown."""
    shown = (question.stem, question.key, question.reference, *question.options)
    return content_hash("reading", *roles, "|", *shown, "|", text)
