"""Question banks: a query with its questions, from a table, JSONL or viva's own exams."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.notes import Note, NoteCode
from viva.core.records import ExamItem
from viva.core.records.articles import BankQuery, BankQuestion, QuestionBank
from viva.core.tables import Row, parse_json
from viva.exams.articles.rows import (
    HELP,
    inner_suffix,
    read_rows,
    refuse_repeats,
    text_in,
    text_of,
    texts_in,
)
from viva.exams.file import read_exam
from viva.storage.corpus.source import storable

_QUERY = ("query_id", "doc_id", "topic_id")
_TITLE = ("query", "query_title", "title", "doc_title", "topic")
_STEM = ("question", "stem")
_FORMS = "A table or JSONL with query_id, question and key; or the exam.jsonl of a run."
_WRONG = tuple(f"distractor_{n}" for n in range(1, 10))


def read_bank(path: Path | str) -> tuple[QuestionBank, tuple[Note, ...]]:
    """The bank of a file, and notes on what was made of it.

    An exam.jsonl of viva has no query ids: each of its topics is a query. UsageError: it cannot be read, holds no
    question, or a name stands for two things.
    """
    path = Path(path)
    if path.is_dir():
        raise UsageError(f"{path} is a folder.", next_step="Name the file that holds the question bank.")
    if _is_exam(path):
        queries, notes = _of_exam(path)
    else:
        queries, notes = _gathered([question for row in read_rows(path, _rows_of) for question in row]), ()
    queries = [query for query in queries if query.questions]
    if not queries:
        raise UsageError(f"{path} holds no question.", next_step=HELP)
    refuse_repeats([query.id for query in queries], "the query", path)
    refuse_repeats([question.id for query in queries for question in query.questions], "the question", path)
    return QuestionBank.of(queries), notes


def with_keys(bank: QuestionBank) -> QuestionBank:
    """The questions whose answers can be verified: nobody can be right about one without a key."""
    kept = [
        query.model_copy(update={"questions": tuple(question for question in query.questions if question.key)})
        for query in bank.queries
    ]
    return QuestionBank.of([query for query in kept if query.questions])


def _is_exam(path: Path) -> bool:
    """Whether a file holds an exam of viva, and not rows that name their queries."""
    text = text_of(path)
    if not text.strip():
        raise UsageError(f"{path} is empty.", allowed=_FORMS, next_step=HELP)
    if inner_suffix(path) in {".csv", ".tsv", ".json"}:
        return False
    try:
        row = parse_json(text.lstrip().split("\n", 1)[0])
    except ValueError as error:
        raise UsageError(f"{path} cannot be read: it is {error}.", next_step=HELP) from error
    return not (isinstance(row, dict) and any(name in row for name in _QUERY))


# --- tables and JSONL ---------------------------------------------------------------------------------------

_Asked = tuple[str, str, BankQuestion]


def _rows_of(row: Row) -> list[_Asked]:
    """The questions of a row: one, or a query with a list of (id, question) and no keys."""
    query = text_in(row, *_QUERY)
    if not query:
        raise ValueError(f"it names no query ({', '.join(_QUERY)})")
    title = text_in(row, *_TITLE) or query
    listed = row.get("questions")
    if isinstance(listed, list):
        return [(query, title, _pair(each)) for each in listed]
    return [(query, title, _question(row, query))]


def _pair(value: object) -> BankQuestion:
    if not isinstance(value, list) or len(value) != 2 or not all(isinstance(each, str) for each in value):
        raise ValueError("one of its questions is no pair of id and question")
    identity, stem = (storable(each).strip() for each in value)
    if not stem or not identity:
        raise ValueError("one of its questions is empty")
    return BankQuestion(id=identity, stem=stem)


def _question(row: Row, query: str) -> BankQuestion:
    stem = text_in(row, *_STEM)
    if not stem:
        raise ValueError("there is no question")
    options, key = _options(row)
    reference = text_in(row, "reference", "reference_answer")
    identity = text_in(row, "id", "question_id", "qid") or content_hash("bank question", query, stem, key, *options)
    return BankQuestion(id=identity, stem=stem, options=tuple(options), key=key or reference, reference=reference)


def _options(row: Row) -> tuple[list[str], str]:
    """Options and key; the key among the options, if there are any."""
    options = texts_in(row, "options") or texts_in(row, "choices")
    key = row.get("answer", row.get("key"))
    wrong = [text for name in _WRONG if (text := text_in(row, name))]
    if isinstance(key, int) and not isinstance(key, bool):
        if not options or not 0 <= key < len(options):
            raise ValueError(f"there is no option {key}")
        return options, options[key]
    found = text_in(row, "key", "answer")
    if wrong:
        if not found:
            raise ValueError("it has distractors and no key")
        # in an order that does not give the key away
        options = sorted([found, *wrong], key=lambda text: content_hash("option", text))
    if options and found and found not in options:
        raise ValueError("its key is none of its options")
    if len(set(options)) < len(options):
        raise ValueError("two of its options are the same")
    return options, found


def _gathered(asked: Sequence[_Asked]) -> list[BankQuery]:
    titles: dict[str, str] = {}
    questions: dict[str, list[BankQuestion]] = {}
    for query, title, question in asked:
        titles.setdefault(query, title)
        questions.setdefault(query, []).append(question)
    return [BankQuery(id=query, title=titles[query], questions=tuple(own)) for query, own in questions.items()]


# --- exams --------------------------------------------------------------------------------------------------


def _of_exam(path: Path) -> tuple[list[BankQuery], tuple[Note, ...]]:
    """An exam as a bank: each topic is a query. UsageError where no question has a topic."""
    items = read_exam(path).items
    titled = [shown for shown in items if shown.item.topic]
    if not titled:
        raise UsageError(
            f"{path}: its questions have no topic, so it is not known what articles they are about.",
            next_step=f"Give each a topic, or a table with a column query_id. {HELP}",
        )
    without = len(items) - len(titled)
    note = Note(code=NoteCode.WITHOUT_TOPIC, names=(path.name,), count=without)
    asked = [(shown.item.topic, shown.item.topic, _asked_openly_or_not(shown)) for shown in titled]
    return _gathered(asked), (note,) if without else ()


def _asked_openly_or_not(shown: ExamItem) -> BankQuestion:
    item = shown.item
    options = () if item.is_open else shown.options
    return BankQuestion(id=item.id, stem=item.stem, options=options, key=item.key, reference=item.reference_answer)
