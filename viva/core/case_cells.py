"""The texts of a case in tables of people and of tools: the usual names of columns, and what cells say.

Names are those of viva, ragas, deepeval, TruLens, LangSmith, Langfuse and usual data sets.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Mapping, Sequence

from viva.core.records.judging import Case
from viva.core.tables import parse_json

USUAL = {
    "question": "question query user_input message input inputs prompt frage pregunta".split(),
    "answer": (
        "answer response student_answer prediction sentence2 output outputs actual_output model_answer "
        "generated_answer model_output completion generation antwort réponse respuesta"
    ).split(),
    "reference": (
        "reference gold ground_truth reference_answer expected expected_answer sentence1 expected_output "
        "reference_output reference_outputs correct_answer target_answer gold_answer ground_truths expected_response "
        "referenz musterlösung référence referencia"
    ).split(),
    "passages": (
        "passages passage retrieved_contexts retrieval_context contexts context knowledge evidence "
        "retrieved_documents source_documents documents"
    ).split(),
    "other": "other answer_b other_answer response_b".split(),
}
"""By field of a case, the usual names of its column, the likeliest first."""
_OF_A_SYSTEM = frozenset(
    "retrieved_contexts retrieval_context retrieved_documents source_documents documents".split()
)
OF_EXAM = {
    "question": (
        *"stem question question_text user_query query_text".split(),
        *USUAL["question"],
        *"q text soru вопрос سؤال 问题 質問".split(),
    ),
    "answer": (
        *"key reference_answer correct_answer expected_output answers answer_text generation_gt solution".split(),
        *USUAL["reference"],
        *"correct correct_option answerkey answer_key answer_idx answer_index".split(),
        *USUAL["answer"],
        *"target label cop final_answer a".split(),
        *"ответ إجابة 答案 回答 答え".split(),
    ),
    "passages": (
        *"reference_contexts reference_context ground_truth_contexts ground_truth_context gold_contexts".split(),
        *"gold_context golden_context source_context source_contexts supporting_text support quote".split(),
        *"evidence_quote positive_passages article story".split(),
        *(name for name in USUAL["passages"] if name not in _OF_A_SYSTEM),
    ),
    "options": "options choices endings candidates answer_options answer_choices".split(),
    "wrong": ("distractors incorrect_answers incorrect_options wrong_answers wrong_options false_answers".split()),
    "topic": "topic category subject".split(),
    "language": "language lang".split(),
    "history": (
        *"conversation_history chat_history dialogue_history dialog_history message_history history".split(),
        *"previous_turns context_turns conversation conversations dialogue dialog messages turns".split(),
    ),
}
"""By part of a question of an exam, the usual names of its column: what an answer is in an exam, is the right one."""
TEXTS = tuple(USUAL)
LONGEST_TEXT = 100_000
"""Characters of a text that is judged."""
LONGEST_PASSAGE = 1_000_000
_TEXT_OF_PASSAGE = ("page_content", "text", "content", "passage")
_OF_LISTS = frozenset("text answer_start label labels title sentences contexts value aliases".split())
"""Fields of objects that data sets have for a list: they are one value."""
_OUTER = frozenset({"input", "inputs", "output", "outputs"})
_SPOKEN_BY = {"question": ("user", "human"), "answer": ("assistant", "ai")}


def even_name(name: str) -> str:
    """A name of a column without case, signs and spaces: as names are compared."""
    return re.sub(r"[\W_]+", "", name.casefold())


def opened(row: Mapping[str, object], depth: int = 4) -> dict[str, object]:
    """The row with `outer.inner` for what is within its objects, those in JSON too."""
    found: dict[str, object] = {}
    for name, value in row.items():
        inner = object_in(value) if isinstance(value, str) and value.lstrip()[:1] == "{" else value
        if isinstance(inner, dict) and inner and depth and not inner.keys() <= _OF_LISTS:
            found |= {f"{name}.{key}": each for key, each in opened(inner, depth - 1).items()}
        else:
            found[name] = value
    return found


def cell_of(cells: Mapping[str, object], field: str, names: Mapping[str, Sequence[str]] = OF_EXAM) -> str | None:
    """The column of an opened row that is named best as the field and is not empty; None where there is none.

    Names outside objects go before those within; within an object that is named as another field, none is taken.
    """
    places = {even_name(name): place for place, name in enumerate(names[field])}
    best: tuple[int, int] | None = None
    found = None
    for name, value in cells.items():
        if value in (None, "", [], {}):
            continue
        above, last = _parts(name)
        of_other = bool(above) and field in ("question", "answer") and not _is_named(above, field, names)
        place = places.get(even_name(last if above else name))
        alone = above and sum(each.startswith(f"{name.rpartition('.')[0]}.") for each in cells) == 1
        if place is None and alone and _is_named(above, field, names):
            place = len(places)
        rank = None if place is None else (2 if of_other else 1 if above else 0, place)
        if rank and (best is None or rank < best):
            best, found = rank, name
    return found


def _parts(name: str) -> tuple[list[str], str]:
    """What a name of a column is within, and its own name: `inputs.question`, or `input_question` as of a table."""
    if "." in name:
        *above, last = name.split(".")
        return above, last
    outer, _, last = name.partition("_")
    return ([outer], last) if last and outer in _OUTER else ([], name)


def _is_named(above: Sequence[str], field: str, names: Mapping[str, Sequence[str]]) -> bool:
    known = {even_name(each) for each in names[field]}
    return any(even_name(part) in known for part in above)


def case_in(row: Mapping[str, object], columns: Mapping[str, str]) -> Case:
    """The case of a flattened row. ValueError, in words, for a cell that holds no text or too long a one."""
    texts = {name: _text(name, columns[name], row) for name in TEXTS if name != "passages" and name in columns}
    passages = _passages(columns["passages"], row) if "passages" in columns else ()
    return Case(**texts, passages=passages)


def has_text(case: Case, field: str) -> bool:
    """Whether the case has anything in this field."""
    value = getattr(case, field)
    return any(each.strip() for each in value) if isinstance(value, tuple) else bool(value.strip())


def text_of_cell(row: Mapping[str, object], column: str) -> str:
    """A cell as text, '' for none. ValueError, in words, for a list or an object."""
    value = row.get(column)
    if value is None and (inner := [name for name in row if name.startswith(f"{column}.")]):
        raise ValueError(f"{column} is no text, but an object with {', '.join(inner[:5])}")
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, dict | list):
        kind = f"a list of {len(value)}" if isinstance(value, list) else "an object"
        raise ValueError(f"{column} is no text, but {kind}")  # noqa: TRY004 - the file is wrong, not our call
    return value.strip() if isinstance(value, str) else json.dumps(value)


def _text(field: str, column: str, row: Mapping[str, object]) -> str:
    value = row.get(column)
    if isinstance(value, str) and field == "reference":
        value = _listed(column, value)
    if isinstance(value, list):
        row = {**row, column: _one_of(field, value)}
    text = text_of_cell(row, column)
    _check_length(column, text, LONGEST_TEXT)
    return text


def _one_of(field: str, value: list[object]) -> object:
    """The text that a list stands for: a message of its speaker, several wordings of a reference, or its only one."""
    if is_conversation(value):
        said = [each.get("content") for each in value if isinstance(each, dict) and _speaks(each, field)]
        if field == "question" and len(said) > 1:
            raise ValueError(f"its question is a conversation of {len(said)} turns, and one question is judged")
        return said[-1] if said else None
    if field == "reference" and value and all(isinstance(each, str) for each in value):
        return " / ".join(map(str, value))
    if len(value) > 1:
        raise ValueError(f"its {field} is a list of {len(value)}: a row holds one, so write a row for each")
    return value[0] if value else None


def is_conversation(value: object) -> bool:
    """Whether it is a list of messages, as chats have them."""
    return isinstance(value, list) and bool(value) and all(isinstance(m, dict) and "content" in m for m in value)


def _speaks(message: Mapping[str, object], field: str) -> bool:
    return message.get("role", message.get("type")) in _SPOKEN_BY.get(field, ())


def _passages(column: str, row: Mapping[str, object]) -> tuple[str, ...]:
    value = row.get(column)
    if isinstance(value, str):
        value = _listed(column, value)
    if not isinstance(value, list):
        value = [text_of_cell(row, column)]
    texts = [_passage(column, each) for each in value]
    for text in texts:
        _check_length(column, text, LONGEST_PASSAGE)
    return tuple(text for text in texts if text)


def _passage(column: str, value: object) -> str:
    if isinstance(value, dict):
        value = next((value[name] for name in _TEXT_OF_PASSAGE if name in value), value)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{column} holds what is no text")  # noqa: TRY004 - the file is wrong, not our call
    return value.strip()


def _listed(column: str, cell: str) -> object:
    """The list that a cell of CSV shows, as JSON, as Python or as deepeval does; else the cell."""
    if cell.lstrip().startswith("["):
        for read in (parse_json, ast.literal_eval):
            try:
                value: object = read(cell.strip())
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                continue
            if isinstance(value, list) and all(isinstance(each, str | dict) for each in value):
                return value
    return cell.split("|") if column.casefold() == "retrieval_context" else cell


def _check_length(column: str, text: str, most: int) -> None:
    if len(text) > most:
        raise ValueError(f"{column} has {len(text):,} characters, and at most {most:,} are judged")


def object_in(cell: object) -> object:
    """What a text says in JSON, if that is an object or a list of messages; "" of no text; None of another one."""
    if cell is None or cell == "":
        return ""
    if isinstance(cell, str) and cell.lstrip()[:1] in ("{", "["):
        try:
            cell = parse_json(cell, constants=True)
        except ValueError:
            return None
    return cell if isinstance(cell, dict) or is_conversation(cell) else None
