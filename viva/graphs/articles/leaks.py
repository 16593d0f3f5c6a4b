"""What is told of articles beside the exam: how near they are to gold ones, and where its questions leaked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from viva.core.records.articles import Article, QuestionBank
from viva.core.scores_articles import Leakage
from viva.metrics.articles.bank_leaks import leaks
from viva.metrics.articles.exam import PerQuery
from viva.metrics.text.rouge import rouge1_f1


def rouge_of(
    bank: QuestionBank, articles: Sequence[Article], gold: Sequence[Article], systems: Sequence[str]
) -> PerQuery:
    """ROUGE-1 F1 of each article against the gold one; a query without a gold article is left out."""
    from viva.agents.offline.articles import lemmas

    def words(article: Article) -> list[str]:
        return [lemma for paragraph in article.paragraphs for lemma in lemmas(paragraph.text)]

    golden = {article.query_id: words(article) for article in gold}
    place = {query.id: n for n, query in enumerate(bank.queries)}
    values = np.full((len(systems), len(place)), np.nan)
    values[:, [place[query] for query in golden]] = 0.0
    for article in articles:
        if article.query_id in golden:
            score = rouge1_f1(words(article), golden[article.query_id])
            values[systems.index(article.system), place[article.query_id]] = score
    return PerQuery(tuple(systems), values)


def leaks_of(bank: QuestionBank, instructions: Mapping[str, str], articles: Sequence[Article]) -> list[Leakage]:
    """Questions and keys in instructions; questions, word by word, in articles. Each once."""
    asked = list(dict.fromkeys((q.id, q.stem, q.key) for query in bank.queries for q in query.questions))
    told = dict(instructions)
    for article in articles:
        if article.instructions:
            told[f"the instructions of {article.system} for “{article.query_id}”"] = article.instructions
    found = [*leaks(asked, told.items(), keys=True)]
    own = {query.id: [(q.id, q.stem, q.key) for q in query.questions] for query in bank.queries}
    for article in articles:
        text = "\n".join(paragraph.text for paragraph in article.paragraphs)
        where = f"the article of {article.system} for “{article.query_id}”"
        found += leaks(own[article.query_id], [(where, text)], keys=False)
    return [Leakage(question_id=e.question_id, where=e.where, what=e.what, quote=e.quote) for e in found]
