"""Collections of information retrieval: queries with the documents that are relevant to them, BEIR's and TREC's.

BEIR (https://github.com/beir-cellar/beir): corpus.jsonl, queries.jsonl and qrels/*.tsv in a folder. TREC: a file of
topics, a file of qrels, and where they are there the documents as corpus.jsonl. AutoRAG: qa.parquet, corpus.parquet.
What has no answer is a question whose retrieval alone is scored.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from viva.core.case_cells import cell_of, opened
from viva.core.errors import UsageError
from viva.core.records import ExamItem
from viva.core.tables import BadRow, Row, json_lines, parquet_rows, parse_json, read_text, tab_lines
from viva.exams.formats.base import Seen
from viva.exams.formats.columns import answers_in, passages_in, show
from viva.exams.formats.rows import Placed, RowFormat

Qrels = dict[str, dict[str, float]]
"""query -> document -> grade, the relevant alone"""
_LONGEST = 2**23
_TOPIC = re.compile(r"<top(?:ic)?\b([^>]*)>(.*?)(?=</top(?:ic)?>|<top(?:ic)?\b|\Z)", re.DOTALL | re.IGNORECASE)
_TAGGED = r"<{0}\b[^>]*>\s*(?:{1}\s*:?)?\s*(.*?)(?=<|\Z)"
RUN_LINE = re.compile(r"\s*(\S+)\s+(?:Q0|0)\s+(\S+)\s+(\d+)\s+([-+\d.eE]+)\s+(\S+)\s*")
"""A line of a run: query, Q0, document, rank, score, name."""


def _see_judged(row: Row) -> Seen:
    contexts = tuple(passages_in(row.get("contexts")))
    wordings = answers_in(row.get("answer"), "answer")
    if not wordings and not contexts and not row.get("documents"):
        raise ValueError("it has no answer, and no document is relevant to it")
    question = row.get("question")
    return Seen(
        stem=question if isinstance(question, str) else "",
        key=wordings[0] if wordings else "",
        reference=" / ".join(wordings),
        contexts=contexts,
        keyless=not wordings,
    )


def judged_format(name: str, written: Callable[[ExamItem], Row] = show) -> RowFormat:
    """The format of such a collection: rows of id, question, answer, documents and contexts."""
    return RowFormat(name, _see_judged, written, ("viva",))


def original_record(shown: ExamItem) -> Row:
    """The record that an imported question came from; {} where there is none."""
    try:
        found = parse_json(shown.item.provenance.original) if shown.item.provenance.original else {}
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def documents_of(shown: ExamItem) -> list[str]:
    """What its collection calls the documents that are relevant to it."""
    named = original_record(shown).get("documents")
    return [each for each in named if isinstance(each, str)] if isinstance(named, list) else []


# --- which it is --------------------------------------------------------------------------------------------


def folder_format(path: Path) -> str:
    """The name of the format of a folder's files; '' where it is none."""
    names = {each.name.casefold() for each in path.iterdir()}
    if "queries.jsonl" in names and ("qrels" in names or _found(path, "qrel")):
        return "beir"
    if _found(path, "qrel") and (_found(path, "topic") or _found(path, "quer")):
        return "trec"
    return "autorag" if any(name.startswith("qa") and name.endswith(".parquet") for name in names) else ""


def _found(path: Path, part: str) -> Path | None:
    """The first file whose name has the part, one for tests before others."""
    named = sorted(each for each in path.iterdir() if each.is_file() and part in each.name.casefold())
    return next((each for each in named if "test" in each.name.casefold()), next(iter(named), None))


# --- reading ------------------------------------------------------------------------------------------------


def beir_rows(folder: Path) -> Placed:
    """A row for each query that has a relevant document."""
    inner = folder / "qrels"
    qrels_file = _found(inner, ".tsv") if inner.is_dir() else _found(folder, "qrel")
    yield from _joined(folder, _queries(folder / "queries.jsonl"), _qrels(qrels_file))


def trec_rows(folder: Path) -> Placed:
    """A row for each topic that has a relevant document."""
    topics = _found(folder, "topic") or _found(folder, "quer")
    yield from _joined(folder, _queries(topics) if topics else iter(()), _qrels(_found(folder, "qrel")))


def autorag_rows(path: Path) -> Placed:
    """The rows of qa.parquet, with the texts of the documents where corpus.parquet is beside it."""
    if path.is_dir():
        path = next(
            each for each in sorted(path.iterdir()) if each.name.startswith("qa") and each.suffix == ".parquet"
        )
    rows = list(parquet_rows(path))
    corpus = path.with_name("corpus.parquet")
    texts = (
        {str(row.get("doc_id")): str(row.get("contents", "")) for _, row in parquet_rows(corpus)}
        if corpus.is_file()
        else {}
    )
    for where, row in rows:
        named = list(dict.fromkeys(_flat(row.get("retrieval_gt"))))
        held = {"documents": named, "contexts": [texts[each] for each in named if each in texts]}
        yield where, {"id": row.get("qid"), "question": row.get("query"), "answer": row.get("generation_gt"), **held}


def _flat(value: object) -> list[str]:
    if isinstance(value, list):
        return [text for each in value for text in _flat(each)]
    return [value] if isinstance(value, str) and value else []


def _joined(folder: Path, queries: Placed, qrels: Qrels) -> Placed:
    wanted = {document for relevant in qrels.values() for document in relevant}
    texts = _texts(folder, wanted)
    for where, query in queries:
        if isinstance(query, BadRow):
            yield where, query
            continue
        relevant = qrels.get(str(query["id"]), {})
        if not relevant:
            # collections judge a part of their queries
            continue
        named = sorted(relevant, key=lambda document: (-relevant[document], document))
        contexts = [texts[each] for each in named if each in texts]
        yield where, {**query, "documents": named, **({"contexts": contexts} if contexts else {})}


def _queries(path: Path) -> Placed:
    text = read_text(path)
    if path.suffix == ".jsonl" or text.lstrip().startswith("{"):
        for number, value in json_lines(text):
            yield f"line {number}", _query(value) if isinstance(value, dict) else BadRow("is no query")
    elif "<top" in text.casefold():
        for number, topic in enumerate(_TOPIC.finditer(text), start=1):
            yield f"topic {number}", _topic(topic[1], topic[2])
    else:
        for number, cells in tab_lines(text):
            yield (
                f"line {number}",
                {"id": cells[0], "question": cells[1]} if len(cells) > 1 else BadRow("is no query"),
            )


def _query(value: Row) -> Row:
    asked = value.get("text", value.get("query", value.get("question")))
    metadata = _mapping(value.get("metadata"))
    answer = opened({name: each for name, each in metadata.items() if name != "viva"})
    named = cell_of(answer, "answer")
    told = value.get("answer", answer[named] if named else None)
    row: Row = {"id": str(value.get("_id", value.get("id", value.get("qid", "")))), "question": asked}
    row |= {"viva": metadata["viva"]} if "viva" in metadata else {}
    return row if told is None else {**row, "answer": told}


def _topic(attributes: str, text: str) -> Row:
    number = re.search(r'number\s*=\s*"?([^"\s>]+)', attributes)
    told = re.search(_TAGGED.format("num", "Number"), text, re.DOTALL | re.IGNORECASE)
    asked = next(
        (
            found[1]
            for tag, word in (("question", ""), ("query", ""), ("title", "Topic"), ("desc", "Description"))
            if (found := re.search(_TAGGED.format(tag, word), text, re.DOTALL | re.IGNORECASE)) and found[1].strip()
        ),
        text if "<" not in text else "",
    )
    identity = number[1] if number else told[1].strip() if told else ""
    return {"id": identity.strip(), "question": " ".join(asked.split())}


def _qrels(path: Path | None) -> Qrels:
    if path is None:
        return {}
    found: Qrels = defaultdict(dict)
    for line in read_text(path).splitlines():
        cells = line.split()
        if len(cells) not in (3, 4):
            continue
        query, document, grade = (cells[0], cells[-2], cells[-1])
        try:
            value = float(grade)
        except ValueError:
            # a heading
            continue
        if value > 0:
            found[query][document] = value
    if not found:
        raise UsageError(
            f"{path} names no relevant document.",
            allowed="Lines of: query, (0,) document, grade.",
            next_step="Name another folder.",
        )
    return found


def corpus_texts(folder: Path, wanted: set[str] | None = None) -> dict[str, str]:
    """Texts of the documents of corpus.jsonl in the folder, by their names; {} where it is not there."""
    path = folder / "corpus.jsonl"
    if not path.is_file():
        return {}
    found = {}
    with path.open(encoding="utf-8-sig", newline="\n") as file:
        for _, value in json_lines(file, longest=_LONGEST):
            if isinstance(value, dict):
                name = str(value.get("_id", value.get("id", value.get("doc_id", ""))))
                if wanted is None or name in wanted:
                    found[name] = str(value.get("text", value.get("contents", "")))
    return found


def _texts(folder: Path, wanted: set[str]) -> Mapping[str, str]:
    try:
        return corpus_texts(folder, wanted)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{folder / 'corpus.jsonl'} cannot be read: {error}.", next_step="Save it as UTF-8."
        ) from error


def _mapping(value: object) -> Row:
    return value if isinstance(value, dict) else {}


# --- runs ---------------------------------------------------------------------------------------------------


def run_rankings(lines: Iterable[str]) -> dict[str, list[str]]:
    """By query, the documents of a run in TREC's format, the best first."""
    ranked: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for line in lines:
        if found := RUN_LINE.fullmatch(line):
            ranked[found[1]].append((int(found[3]), found[2]))
    return {query: [document for _, document in sorted(each)] for query, each in ranked.items()}
