"""Exams written in formats of evaluation tools and data sets, as these tools read them.

LangSmith, Langfuse and Giskard keep metadata, promptfoo too; readers of SQuAD and BEIR pass over fields they do not
know. The item travels there, as `viva`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256
from itertools import groupby
from pathlib import Path

import yaml

from viva.core.records import Exam, ExamItem, ItemKind
from viva.core.tables import Row
from viva.exams.file import compact
from viva.exams.formats import columns
from viva.exams.formats.judged_sets import judged_format
from viva.exams.formats.rows import RowFormat, write_rows

Writer = Callable[[Exam, Path], dict[Path, str]]


def _asked(shown: ExamItem) -> Row:
    return {name: value for name, value in columns.show(shown).items() if name in ("question", "options")}


def _show_langsmith(shown: ExamItem) -> Row:
    told = columns.show(shown)
    return {
        "inputs": _asked(shown),
        "outputs": {"answer": told["answer"]},
        "metadata": {"contexts": told["contexts"]},
    }


def _show_langfuse(shown: ExamItem) -> Row:
    told = columns.show(shown)
    return {
        "id": shown.item.id,
        "input": _asked(shown),
        "expectedOutput": {"answer": told["answer"]},
        "metadata": {"contexts": told["contexts"]},
    }


def _show_giskard(shown: ExamItem) -> Row:
    told = columns.show(shown)
    contexts = told["contexts"] if isinstance(told["contexts"], list) else []
    options = {"options": told["options"]} if "options" in told else {}
    return {
        "id": shown.item.id,
        "question": told["question"],
        "reference_answer": told["answer"],
        "reference_context": "\n\n".join(f"Document {n}: {text}" for n, text in enumerate(contexts)),
        "conversation_history": [],
        "metadata": {"question_type": "simple", "topic": shown.item.topic, **options},
    }


def _show_squad(shown: ExamItem) -> Row:
    """A row as `shapes.squad_rows` yields them."""
    item = shown.item
    context = "\n\n".join(item.contexts or [span.quote for span in item.evidence])
    answerable = item.key and item.kind is not ItemKind.UNANSWERABLE
    answers = [{"text": item.key, "answer_start": context.find(item.key)}] if answerable else []
    return {"id": item.id, "question": item.stem, "answers": answers, "context": context, "title": item.topic}


def _show_promptfoo(shown: ExamItem) -> Row:
    """A row as `shapes.promptfoo_rows` yields them."""
    item = shown.item
    context = "\n\n".join(item.contexts or [span.quote for span in item.evidence])
    return {
        "question": item.stem,
        **({"context": context} if context else {}),
        **({"reference": [item.key]} if item.key else {}),
    }


def _show_judged(shown: ExamItem) -> Row:
    """A row as `judged_sets.beir_rows` yields them."""
    item = shown.item
    texts = dict.fromkeys(item.contexts or [span.quote for span in item.evidence])
    answer = {"answer": item.reference_answer or item.key} if item.key else {}
    named = {"documents": [_named(text) for text in texts], "contexts": list(texts)}
    return {"id": item.id, "question": item.stem, **answer, **named}


def _named(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:12]


_ENDS_OF_LINES = re.compile(r"\\x85|\\u202[89]")
_INNER = ("metadata", "viva")
LANGSMITH = RowFormat("langsmith", columns.see, _show_langsmith, _INNER)
LANGFUSE = RowFormat("langfuse", columns.see, _show_langfuse, _INNER)
GISKARD = RowFormat("giskard", columns.see, _show_giskard, _INNER)
SQUAD = RowFormat("squad", columns.see, _show_squad, ("viva",))
PROMPTFOO = RowFormat("promptfoo", columns.see, _show_promptfoo, ("viva",))
BEIR = judged_format("beir", _show_judged)


def write_records(format: RowFormat) -> Writer:  # noqa: A002
    """Write JSON Lines, or one array where the file is named .json."""

    def write(exam: Exam, path: Path) -> dict[Path, str]:
        return {path: format.write(exam, "json" if path.suffix.casefold() == ".json" else "jsonl")}

    return write


def write_squad(exam: Exam, path: Path) -> dict[Path, str]:
    """Write the questions in their order; those in a row with the same title are an article, so with the context."""
    data: list[Row] = []
    for title, rows in groupby(SQUAD.rows(exam), lambda row: row.get("title")):
        paragraphs = [
            {"context": context, "qas": [_of_paragraph(row) for row in asked]}
            for context, asked in groupby(rows, lambda row: row.get("context"))
        ]
        data.append({"title": title, "paragraphs": paragraphs})
    return {path: write_rows([{"version": "v2.0", "data": data}], "jsonl")}


def _of_paragraph(row: Row) -> Row:
    asked = {name: value for name, value in row.items() if name not in ("context", "title")}
    return {**asked, "is_impossible": not row.get("answers")}


def write_promptfoo(exam: Exam, path: Path) -> dict[Path, str]:
    """Write a test for each question: its answer is asserted to be in the output."""
    tests = []
    for row in PROMPTFOO.rows(exam):
        right, whole = row.get("reference"), row.get("viva")
        values = right if isinstance(right, list) else [right] if right else []
        one = len(values) == 1
        told = {"type": "icontains" if one else "icontains-any", "value": values[0] if one else values}
        test: Row = {"vars": {name: each for name, each in row.items() if name not in ("reference", "viva")}}
        test |= {"assert": [told]} if values else {}
        tests.append({**test, **({"metadata": {"viva": compact(whole)}} if whole else {})})
    # PyYAML takes these for ends of lines, unless they are escaped
    plain = not any(_ENDS_OF_LINES.search(str(test)) for test in tests)
    value = {"description": "written by viva", "prompts": ["{{question}}"], "tests": tests}
    return {path: yaml.safe_dump(value, allow_unicode=plain, sort_keys=False, width=2**20)}


def write_beir(exam: Exam, folder: Path) -> dict[Path, str]:
    """Write a folder: queries.jsonl, the contexts as corpus.jsonl, and qrels/test.tsv."""
    queries, corpus, judged = [], dict[str, Row](), ["query-id\tcorpus-id\tscore"]
    for row, shown in zip(BEIR.rows(exam), exam.items, strict=True):
        if not has_contexts(shown):
            continue
        kept = {name: row[name] for name in ("answer", "viva") if name in row}
        queries.append({"_id": str(row.get("id", shown.item.id)), "text": row.get("question"), "metadata": kept})
        named, contexts = _list(row.get("documents")), _list(row.get("contexts"))
        if contexts and len(named) != len(contexts):
            named = [_named(str(text)) for text in contexts]
        corpus |= {str(n): {"_id": n, "title": "", "text": text} for n, text in zip(named, contexts, strict=False)}
        judged += [f"{queries[-1]['_id']}\t{name}\t1" for name in named]
    return {
        folder / "corpus.jsonl": write_rows(list(corpus.values()), "jsonl"),
        folder / "queries.jsonl": write_rows(queries, "jsonl"),
        folder / "qrels" / "test.tsv": "".join(f"{line}\n" for line in judged),
    }


def has_contexts(shown: ExamItem) -> bool:
    """Tell whether the question has a document that is relevant to it."""
    return bool(shown.item.contexts or shown.item.evidence or _list(BEIR.rows(Exam.of([shown]))[0].get("documents")))


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
