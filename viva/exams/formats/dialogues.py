"""CoQA (Reddy et al. 2019, https://arxiv.org/abs/1808.07042) and QuAC (Choi et al. 2018, arXiv 1808.07036).

Each question of a dialogue is asked after those before it, with their reference answers, as both data sets do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest

from viva.core.tables import BadRow, Row
from viva.exams.formats.conversations import UNANSWERED, value_of
from viva.exams.formats.rows import Placed

NOT_TOLD = frozenset({"CANNOTANSWER", "unknown"})
"""Answers of QuAC and CoQA to a question that the text does not answer."""


def dialogue_format(value: object) -> str:
    """The name of the data set of which a file or a row is: coqa or quac; '' for neither."""
    data = value.get("data", [value]) if isinstance(value, Mapping) else None
    first = data[0] if isinstance(data, list) and data else None
    if not isinstance(first, Mapping):
        return ""
    if "story" in first and isinstance(value_of(first.get("questions")), list):
        return "coqa"
    if "followups" in first and isinstance(first.get("questions"), list):
        return "quac"
    paragraphs = first.get("paragraphs")
    asked = paragraphs[0].get("qas") if isinstance(paragraphs, list) and paragraphs else None
    return "quac" if isinstance(asked, list) and asked and "followup" in asked[0] else ""


def dialogue_rows(rows: Placed) -> Placed:
    """A row for each question of each dialogue of CoQA or QuAC, in their own JSON or in rows of Hugging Face."""
    for where, row in rows:
        if isinstance(row, BadRow):
            yield where, row
            continue
        for place, text, told in _dialogues(row):
            asked, answers = told
            before: list[dict[str, str]] = []
            for n, (question, answer) in enumerate(zip_longest(asked, answers, fillvalue=""), start=1):
                turn = f"{where}{place}, turn {n}"
                if not answer or answer in NOT_TOLD:
                    yield turn, BadRow(f"is marked as without an answer ({answer})" if answer else UNANSWERED)
                else:
                    yield turn, {"question": question, "answer": answer, "context": text, "history": [*before]}
                before += [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]


def _dialogues(row: Row) -> Iterator[tuple[str, str, tuple[list[str], list[str]]]]:
    """(place, text, (questions, answers)) of each dialogue of a row."""
    paragraphs = row.get("paragraphs")
    if not isinstance(paragraphs, list):
        text = str(row.get("story") or row.get("context") or "")
        told = row.get("orig_answers") or row.get("answers")
        yield "", text, (_texts(row.get("questions")), _texts(told))
        return
    for n, paragraph in enumerate(paragraphs, start=1):
        asked = [each for each in paragraph.get("qas", []) if isinstance(each, dict)]
        answers = [(each.get("orig_answer") or (each.get("answers") or [""])[0]) for each in asked]
        place = f", dialogue {n}" if len(paragraphs) > 1 else ""
        text = str(paragraph.get("context") or "").removesuffix("CANNOTANSWER").strip()
        yield place, text, ([str(each.get("question") or "") for each in asked], _texts(answers))


def _texts(value: object) -> list[str]:
    """The texts of questions or answers: a list of texts, of objects or of lists; an object with lists."""
    value = value_of(value)
    if isinstance(value, Mapping):
        value = next((value[name] for name in ("input_text", "texts", "text") if name in value), [])
        value = [value] if isinstance(value, str) else value
    if not isinstance(value, list):
        return []
    firsts = [each[0] if isinstance(each, list) and each else each for each in value]
    objects = [each if isinstance(each, dict) else {"text": each} for each in firsts]
    return [str(each.get("input_text") or each.get("text") or "") for each in objects]
