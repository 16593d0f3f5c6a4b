"""Question banks: a query with its questions, from TQA's JSON, JSONL, CSV, and every exam format viva imports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.notes import Note, NoteCode
from viva.core.records import ExamItem
from viva.core.records.articles import BankQuery, BankQuestion, QuestionBank
from viva.core.tables import Row, json_lines, parse_json
from viva.exams.articles.rows import (
    HELP,
    inner_suffix,
    read_rows,
    refuse_repeats,
    text_in,
    text_of,
    texts_in,
)
from viva.exams.formats import import_exam
from viva.storage.corpus.source import storable

_QUERY = ("query_id", "doc_id", "topic_id")
_TITLE = ("query", "query_title", "title", "doc_title", "topic")
_STEM = ("question", "stem")
_FORMS = "A table or JSONL with query_id, question and key; TQA's JSON; or an exam that viva exam import reads."
_WRONG = tuple(f"distractor_{n}" for n in range(1, 10))


def read_bank(path: Path | str) -> QuestionBank:
    """The bank of a file, as `bank_and_notes` without queries of articles."""
    return bank_and_notes(path)[0]


def bank_and_notes(
    path: Path | str, named: Callable[[], Sequence[str]] = tuple
) -> tuple[QuestionBank, tuple[Note, ...]]:
    """The bank of a file, and notes on what was made of it.

    TQA's JSON is known by its lessons, a table or JSONL by a query's id in its first row (docs/articles.md); anything
    else is an exam in a format that `viva exam import` reads, each topic of which is a query. The questions of an
    exam without topics are put to articles for every query: those that `named` gives. UsageError: it cannot be read,
    holds no question, a name stands for two things, or there is neither a topic nor a query.
    """
    path = Path(path)
    if path.is_dir():
        raise UsageError(f"{path} is a folder.", next_step="Name the file that holds the question bank.")
    kind, notes = _kind(path), tuple[Note, ...]()
    if kind == "tqa":
        queries = _tqa(path)
    elif kind == "rows":
        queries = _gathered([question for row in read_rows(path, _rows_of) for question in row])
    else:
        queries, notes = _of_exam(path, named)
    queries = [query for query in queries if query.questions]
    if not queries:
        raise UsageError(f"{path} holds no question.", next_step=HELP)
    refuse_repeats([query.id for query in queries], "the query", path)
    for asked in [queries[:1]] if kind == "exam" else [queries]:
        refuse_repeats([q.id for query in asked for q in query.questions], "the question", path)
    return QuestionBank.of(queries), notes


def with_keys(bank: QuestionBank) -> QuestionBank:
    """The questions whose answers can be verified: nobody can be right about one without a key."""
    kept = [
        query.model_copy(update={"questions": tuple(question for question in query.questions if question.key)})
        for query in bank.queries
    ]
    return QuestionBank.of([query for query in kept if query.questions])


def _kind(path: Path) -> str:
    text, suffix = text_of(path), inner_suffix(path)
    if not text.strip():
        raise UsageError(f"{path} is empty.", allowed=_FORMS, next_step=HELP)
    if suffix == ".json":
        try:
            value = parse_json(text)
        except ValueError as error:
            raise UsageError(f"{path} cannot be read: it is {error}.", next_step=HELP) from error
        first = value[0] if isinstance(value, list) and value else None
        if isinstance(first, dict) and "questions" in first and "lessonName" in first:
            return "tqa"
        return "rows" if isinstance(first, dict) and any(name in first for name in _QUERY) else "exam"
    first_line = text.lstrip().split("\n", 1)[0]
    if suffix in {".csv", ".tsv"}:
        names = {cell.strip(' "\r').casefold() for cell in first_line.split("\t" if suffix == ".tsv" else ",")}
        return "rows" if names & set(_QUERY) else "exam"
    _, row = next(json_lines(first_line), (1, None))
    return "rows" if isinstance(row, dict) and any(name in row for name in _QUERY) else "exam"


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


# --- TQA ----------------------------------------------------------------------------------------------------


def _tqa(path: Path) -> list[BankQuery]:
    """Lessons of the Textbook Question Answering data (Kembhavi et al. 2017): questions that need no diagram."""
    lessons = parse_json(text_of(path))
    found: list[BankQuery] = []
    for number, lesson in enumerate(lessons if isinstance(lessons, list) else [], start=1):
        try:
            found.append(_lesson(lesson))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(
                f"{path}, lesson {number} is not as TQA writes it ({type(error).__name__}: {error}).", next_step=HELP
            ) from error
    return found


def _lesson(lesson: Mapping[str, object]) -> BankQuery:
    asked = lesson["questions"]
    if not isinstance(asked, dict):
        raise TypeError("its questions are no object")
    plain = asked.get("nonDiagramQuestions", {})
    questions = [q for identity, told in plain.items() if (q := _told(str(identity), told)) is not None]
    return BankQuery(id=text_in(lesson, "globalID"), title=text_in(lesson, "lessonName"), questions=tuple(questions))


def _told(identity: str, told: Mapping[str, Mapping[str, str]]) -> BankQuestion | None:
    stem = storable(told["beingAsked"]["processedText"]).strip()
    choices = {letter: storable(c["processedText"]).strip() for letter, c in dict(told["answerChoices"]).items()}  # type: ignore[index]
    right = str(told["correctAnswer"]["processedText"]).strip()
    options = list(dict.fromkeys(choices.values()))
    # a matching or fill-in question has its answer in words, not as a letter
    key = choices.get(right.casefold(), right if right in options or not options else "")
    return BankQuestion(id=identity, stem=stem, options=tuple(options), key=key) if stem and key else None


# --- exams --------------------------------------------------------------------------------------------------


def _of_exam(path: Path, named: Callable[[], Sequence[str]]) -> tuple[list[BankQuery], tuple[Note, ...]]:
    """An exam as a bank: each topic is a query; without any topic, all questions are asked about each query."""
    items = _imported(path)
    titled = [shown for shown in items if shown.item.topic]
    without = len(items) - len(titled)
    if titled:
        note = Note(code=NoteCode.WITHOUT_TOPIC, names=(path.name,), count=without)
        asked = [(shown.item.topic, shown.item.topic, _asked_openly_or_not(shown)) for shown in titled]
        return _gathered(asked), (note,) if without else ()
    queries = named()
    if not queries:
        raise UsageError(
            f"{path}: its questions have no topic, so it is not known what articles they are about.",
            next_step=f"Give each a topic, a table with a column query_id, or articles that are there. {HELP}",
        )
    questions = tuple(map(_asked_openly_or_not, items))
    note = Note(code=NoteCode.ALL_ASKED, names=(path.name,), count=without, of=len(queries))
    return [BankQuery(id=query, title=query, questions=questions) for query in queries], (note,)


def _imported(path: Path) -> Sequence[ExamItem]:
    """The items of an exam. UsageError says what a question bank is: there is no --format to name here."""
    try:
        return import_exam(path).exam.items
    except UsageError as error:
        raise UsageError(error.problem, allowed=_FORMS, next_step=HELP) from error


def _asked_openly_or_not(shown: ExamItem) -> BankQuestion:
    item = shown.item
    options = () if item.is_open else shown.options
    return BankQuestion(id=item.id, stem=item.stem, options=options, key=item.key, reference=item.reference_answer)
