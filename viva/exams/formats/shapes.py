"""Files of evaluation tools and data sets whose questions are not one a row: they are made rows with usual columns.

SQuAD (https://rajpurkar.github.io/SQuAD-explorer), rows of Hugging Face's viewer, promptfoo's tests
(https://www.promptfoo.dev/docs/configuration/test-cases) and spans of OpenInference (Phoenix, or OTLP in JSON).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from viva.core.case_cells import cell_of, opened
from viva.core.tables import BadRow, Row, form_of, json_lines, likely_delimiter, read_text
from viva.exams.formats.rows import Placed, read_records

_RIGHT = (
    *("equals", "contains", "icontains", "similar", "factuality", "model-graded-factuality", "starts-with"),
    *("rouge-n", "bleu", "levenshtein", "gleu", "meteor"),
)
"""Of promptfoo's assertions, those whose value is what a right answer says."""
_PREFIX = re.compile(r"([a-z][a-z-]*)(?:\([\d.,\s]*\))?\s*:\s*(.*)", re.DOTALL)
_CONVERSATION = "_conversation"
_FIELD = re.compile(r"\{\{\s*([\w.]+)\s*\}\}")
_ASKED = ("id", "question", "answers", "history")
"""Fields of a question of SQuAD that are read."""
_DOCUMENT = re.compile(r"retrieval\.documents\.(\d+)\.document\.content")


# --- SQuAD, Hugging Face ------------------------------------------------------------------------------------


def is_squad(value: object) -> bool:
    """Tell whether it is a data set in SQuAD's JSON."""
    data = value.get("data") if isinstance(value, dict) else None
    return isinstance(data, list) and bool(data) and isinstance(data[0], dict) and "paragraphs" in data[0]


def squad_rows(value: object) -> Placed:
    """A row for each question of each paragraph."""
    data = value.get("data", []) if isinstance(value, dict) else []
    for a, article in enumerate(data, start=1):
        paragraphs = article.get("paragraphs") if isinstance(article, dict) else None
        for p, paragraph in enumerate(paragraphs if isinstance(paragraphs, list) else (), start=1):
            asked = paragraph.get("qas") if isinstance(paragraph, dict) else None
            for q, question in enumerate(asked if isinstance(asked, list) else (), start=1):
                where = f"article {a}, paragraph {p}, question {q}"
                if not isinstance(question, dict):
                    yield where, BadRow("is no JSON object")
                elif question.get("is_impossible") and not question.get("viva"):
                    yield where, BadRow("is marked as without an answer (is_impossible)")
                else:
                    row = {name: question[name] for name in _ASKED if name in question}
                    whole = {"viva": question["viva"]} if "viva" in question else {}
                    yield where, {**row, "context": paragraph.get("context"), "title": article.get("title"), **whole}


def viewer_rows(value: object) -> list[object] | None:
    """The rows of an answer of Hugging Face's data set viewer; None where it is none."""
    rows = value.get("rows") if isinstance(value, dict) else None
    if not isinstance(rows, list) or not all(isinstance(each, dict) and "row" in each for each in rows):
        return None
    return [each["row"] for each in rows]


# --- promptfoo ----------------------------------------------------------------------------------------------


def is_promptfoo(value: object) -> bool:
    """Tell whether it is a configuration of promptfoo."""
    return isinstance(value, dict) and "tests" in value and not {"doc_to_text", "doc_to_target"} & value.keys()


def promptfoo_rows(path: Path, value: object) -> Placed:
    """A row for each test: its variables, and the answer that its assertions state."""
    config = value if isinstance(value, dict) else {}
    tests = config.get("tests")
    common = config.get("defaultTest")
    if isinstance(tests, str):
        yield from _tests_of(path, tests)
        return
    follows = _CONVERSATION in str(config.get("prompts"))
    said: dict[str, list[Row]] = defaultdict(list)
    for number, test in enumerate(tests if isinstance(tests, list) else (), start=1):
        where = f"test {number}"
        if isinstance(test, str):
            yield from _tests_of(path, test)
        elif not isinstance(test, dict):
            yield where, BadRow("is no test with vars")
        else:
            row = _promptfoo_row(test, common if isinstance(common, dict) else {})
            named = _mapping(test.get("metadata")).get("conversationId")
            yield where, _continued(row, said[str(named)]) if follows or named else row


def _continued(row: Row, said: list[Row]) -> Row:
    """The row after what was said in its conversation before, to which it is added; as promptfoo's _conversation."""
    before = [*said]
    asked = cell_of(row, "question")
    answers = row.get("reference")
    said += [{"input": row[asked], "output": answers[0] if isinstance(answers, list) else answers}] if asked else []
    return row if _CONVERSATION in row or not before else {**row, _CONVERSATION: before}


def _tests_of(path: Path, named: str) -> Placed:
    name = named.removeprefix("file://")
    if Path(name).name != name or not name.endswith((".csv", ".jsonl", ".json")):
        yield f"tests: {named}", BadRow("is no .csv, .json or .jsonl beside the file")
        return
    text = read_text(path.with_name(name))
    form = form_of(Path(name).suffix, text)
    for where, row in read_records(text, form, likely_delimiter(text) if form == "csv" else ","):
        tested = isinstance(row, dict) and isinstance(row.get("vars"), dict)
        yield f"{name}, {where}", _promptfoo_row(row, {}) if tested and isinstance(row, dict) else row


def _promptfoo_row(test: Row, common: Row) -> Row:
    variables = {**_mapping(common.get("vars")), **_mapping(test.get("vars"))}
    asserted = [*_listed(test.get("assert")), *_listed(common.get("assert"))]
    values = [_filled(each.get("value"), variables) for each in asserted if each.get("type") in _RIGHT]
    options = [each.get("value") for each in asserted if each.get("type") in ("contains-any", "icontains-any")]
    every = [each.get("value") for each in asserted if each.get("type") in ("contains-all", "icontains-all")]
    values += [each for value in options for each in (value if isinstance(value, list) else [value])]
    values += [", ".join(map(str, value)) for value in every if isinstance(value, list)]
    whole = {name: value for name, value in _mapping(test.get("metadata")).items() if name == "viva"}
    if not values:
        return {**_single_question(variables), **whole}
    rest = {name: value for name, value in variables.items() if name != cell_of(variables, "answer")}
    return {**_single_question(rest), "reference": values, **whole}


def _single_question(variables: Row) -> Row:
    """The variables; the only one that holds text is the question, whatever its name."""
    texts = [name for name, value in variables.items() if isinstance(value, str)]
    if cell_of(variables, "question") is None and len(texts) == 1:
        return {("question" if name == texts[0] else name): value for name, value in variables.items()}
    return variables


def expected_row(row: Row) -> Row:
    """A row of promptfoo's table of tests: `__expected` states the answer."""
    values = []
    for name, value in row.items():
        if not name.startswith("__expected") or not isinstance(value, str) or not value.strip():
            continue
        prefix = _PREFIX.fullmatch(value.strip())
        if prefix is None or prefix[1] in (*_RIGHT, "contains-any", "icontains-any"):
            values.append(prefix[2].strip() if prefix else value)
    kept = {name: value for name, value in row.items() if not name.startswith("__")}
    return {**_single_question(kept), **({"reference": values} if values else {})}


def _filled(value: object, variables: Row) -> object:
    if not isinstance(value, str):
        return value
    return _FIELD.sub(lambda found: str(variables.get(found[1], found[0])), value)


def _mapping(value: object) -> Row:
    return value if isinstance(value, dict) else {}


def _listed(value: object) -> list[Row]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


# --- spans of OpenInference ---------------------------------------------------------------------------------


def is_span(row: Mapping[str, object]) -> bool:
    """Tell whether a record is a span, or a packet of spans."""
    names = set(row)
    flat = any(name.startswith("attributes.") for name in names)
    nested = "attributes" in names and bool(
        names & {"context", "span_id", "span_kind", "trace_id", "parent_id", "name"}
    )
    return flat or nested or "resourceSpans" in names


def span_rows(text: str) -> Placed:
    """A row for each trace: what its first span was asked and answered, and the passages that were retrieved."""
    traces: dict[str, list[tuple[str, Row]]] = defaultdict(list)
    for number, value in json_lines(text):
        if isinstance(value, BadRow):
            yield f"line {number}", value
            continue
        for span in _spans(value):
            flat = _flat(span)
            alone = f"line {number}"
            traces[_first(flat, "context.trace_id", "trace_id", "traceId") or alone].append((alone, flat))
    for spans in traces.values():
        known = {_first(span, "context.span_id", "span_id", "spanId") for _, span in spans}
        roots = [
            each
            for each in spans
            if _first(each[1], "parent_id", "parentSpanId", "parent_span_id") not in known - {""}
        ]
        where, root = (roots or spans)[0]
        yield where, _trace_row(root, [span for _, span in spans])


def _trace_row(root: Row, spans: Sequence[Row]) -> Row:
    asked, said = (
        _told(root.get(f"{name}.value"), field) for name, field in (("input", "question"), ("output", "answer"))
    )
    meta = opened({"metadata": root.get("metadata")}) | {n: v for n, v in root.items() if n.startswith("metadata.")}
    known = {name.rpartition(".")[2]: value for name, value in meta.items() if value is not None}
    reference = next(
        (known[n] for n in ("reference", "ground_truth", "expected", "expected_output") if n in known), None
    )
    passages = [text for span in spans for text in _documents(span)]
    row = {"question": asked, "response": said, "retrieved_contexts": list(dict.fromkeys(passages))}
    return {**row, **({"reference": reference} if reference is not None else {})}


def _told(value: object, field: str) -> object:
    """The text of what went in or out, which may be an object in JSON."""
    cells = opened({field: value})
    if set(cells) == {field}:
        return value
    inner = {name.partition(".")[2]: each for name, each in cells.items()}
    named = cell_of(inner, field)
    return inner[named] if named else value


def _documents(span: Row) -> list[str]:
    found = {int(m[1]): str(value) for name, value in span.items() if (m := _DOCUMENT.fullmatch(name))}
    listed = span.get("retrieval.documents")
    if isinstance(listed, str) and listed.startswith("["):
        listed = next((value for _, value in json_lines([listed])), None)
    for each in listed if isinstance(listed, list) else ():
        text = opened(each).get("document.content") if isinstance(each, dict) else None
        found |= {len(found): text} if isinstance(text, str) else {}
    return [found[number] for number in sorted(found)]


def _spans(value: object) -> Iterator[Row]:
    if not isinstance(value, dict):
        return
    if "resourceSpans" not in value:
        yield value
        return
    for resource in _listed(value["resourceSpans"]):
        for scope in _listed(resource.get("scopeSpans")):
            yield from _listed(scope.get("spans"))


def _flat(span: Row) -> Row:
    """Attributes by their dotted names, whether they are nested, dotted or listed as OTLP does."""
    attributes = span.get("attributes")
    if isinstance(attributes, list):
        attributes = {
            str(each.get("key")): next(iter(_mapping(each.get("value")).values()), None)
            for each in _listed(attributes)
        }
    flat = _dotted({**span, "attributes": attributes})
    return {name.removeprefix("attributes."): value for name, value in flat.items()}


def _dotted(value: Mapping[str, object], above: str = "", depth: int = 8) -> Row:
    found: Row = {}
    for name, inner in value.items():
        place = f"{above}.{name}" if above else str(name)
        found |= _dotted(inner, place, depth - 1) if isinstance(inner, dict) and inner and depth else {place: inner}
    return found


def _first(flat: Row, *names: str) -> str:
    return next((str(flat[name]) for name in names if flat.get(name)), "")
