"""Multiple-choice tasks of lm-evaluation-harness 0.4: a YAML task and its documents in JSON Lines beside it.

https://github.com/EleutherAI/lm-evaluation-harness, docs/task_guide.md. Templates that only name fields of a
document are read; none is run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from viva.core.errors import UsageError
from viva.core.records import Distractor, Exam, ExamItem
from viva.core.tables import BadRow, Row, read_text
from viva.core.text.overlap import caseless
from viva.exams.file import compact
from viva.exams.formats.base import Read, Seen
from viva.exams.formats.rows import RowFormat, plain_yaml, read_records, text_of, texts_of, write_rows

if TYPE_CHECKING:
    from jinja2 import nodes

NAME = "lm-eval"
_STEMS = ("question", "query", "stem", "question_stem", "input", "prompt")
_CHOICES = ("choices", "options", "endings")
_TARGETS = ("answer", "gold", "label", "target", "answerKey", "answer_idx", "answer_index")
_CONTEXTS = ("support", "context", "passage")
_OURS: Row = {"doc_to_text": "Question: {{question}}\nAnswer:", "doc_to_choice": "choices", "doc_to_target": "answer"}
_MEAN: Row = {"aggregation": "mean", "higher_is_better": True}
_NEXT = "A task with code of its own cannot be imported; its documents alone can, as JSON Lines."


def read(path: Path, text: str) -> Read:
    """The questions of a task, or of documents alone. UsageError: the task's documents are not beside it."""
    task: Row = {}
    if path.suffix in (".yaml", ".yml"):
        task = _task_of(text)
        path = path.with_name(_documents(task))
        text = read_text(path)

    def record(doc: Row | BadRow) -> Row | BadRow:
        return doc if isinstance(doc, BadRow) else {"task": task or _guessed(doc), "doc": doc}

    return _FORMAT.take(((where, record(doc)) for where, doc in read_records(text, "jsonl")), "jsonl")


def write(exam: Exam, path: Path) -> dict[Path, str]:
    """The task file and its documents. They are run in their folder: lm_eval --tasks NAME.yaml --model ..."""
    documents = path.with_suffix(".jsonl")
    held = Exam(id=exam.id, items=tuple(filter(can_hold, exam.items)), examples=exam.examples)
    rows = _FORMAT.rows(held)
    if any(row["task"] != rows[0]["task"] for row in rows):
        # one file can have one task only
        rows = _PLAIN.rows(held)
    task = rows[0]["task"] if rows else _OURS
    docs = [_flat(row["doc"]) for row in rows]
    return {
        path.with_suffix(".yaml"): _task_text(task if isinstance(task, dict) else _OURS, exam.id, documents.name),
        documents: write_rows(docs, "jsonl"),
    }


def can_hold(shown: ExamItem) -> bool:
    """Whether there is a choice to make, by the question alone."""
    return not shown.item.is_open and not shown.item.history


def _see(row: Row) -> Seen:
    task, doc = row.get("task"), row.get("doc")
    if not isinstance(doc, dict) or not isinstance(task, dict):
        raise ValueError("no record")  # noqa: TRY004 - the file is wrong, not our call
    stem = _stem_field(str(task.get("doc_to_text", "")), doc)
    options, labels = _options(task, doc)
    target = task.get("doc_to_target")
    position = position_of(value_of(target, doc) if isinstance(target, str) else target, options, labels)
    wrong = tuple(Distractor(text=text) for n, text in enumerate(options) if n != position)
    return Seen(
        stem=text_of(doc, stem),
        key=options[position],
        wrong=wrong,
        position=position,
        reference=text_of(doc, "reference"),
        contexts=texts_of(doc, "contexts") or tuple(filter(None, [text_of(doc, *_CONTEXTS)])),
        topic=text_of(doc, "topic"),
    )


def _show(shown: ExamItem) -> Row:
    item = shown.item
    doc = {
        "question": item.stem,
        "choices": list(shown.options),
        "answer": shown.key_position,
        "reference": item.reference_answer,
        "contexts": list(item.contexts) or [span.quote for span in item.evidence],
        "topic": item.topic,
    }
    return {"task": _OURS, "doc": doc}


_FORMAT = RowFormat(NAME, _see, _show, ("doc", "viva"))
_PLAIN = RowFormat("", _see, _show, ("doc", "viva"))
"""gives back no record as it came"""


def _guessed(doc: object) -> Row:
    """The task of documents that come alone, by the usual names of fields."""
    named = doc if isinstance(doc, dict) else {}

    def first(names: tuple[str, ...]) -> str:
        return next((name for name in names if name in named), names[0])

    return {"doc_to_text": first(_STEMS), "doc_to_choice": first(_CHOICES), "doc_to_target": first(_TARGETS)}


def _documents(task: Row) -> str:
    """The name of the task's file of documents. UsageError unless it lies beside the task."""
    kwargs = task.get("dataset_kwargs")
    files = kwargs.get("data_files") if isinstance(kwargs, dict) else None
    if isinstance(files, dict):
        files = files.get(str(task.get("test_split"))) or next(iter(files.values()), None)
    if isinstance(files, list) and len(files) == 1:
        files = files[0]
    if not isinstance(files, str) or Path(files).name != files:
        raise UsageError(
            f"The task's questions are not in a file beside it (dataset_path {task.get('dataset_path')!r}).",
            next_step="Save them as JSON Lines beside it and name the file in dataset_kwargs: data_files: test.",
        )
    return files


def _stem_field(template: str, doc: Row) -> str:
    named = [template] if template in doc else [name for name in fields_named(template) if name in doc]
    named = [name for name in named if isinstance(doc[name], str)]
    if not named:
        raise ValueError("its doc_to_text names no field that holds text")
    return next((name for name in _STEMS if name in named), named[-1])


def _options(task: Row, doc: Row) -> tuple[list[str], list[str]]:
    """The texts to choose from, and the labels a target may name them by."""
    choice = task.get("doc_to_choice")
    labels: list[str] = []
    value = value_of(choice, doc) if isinstance(choice, str) else choice
    if isinstance(choice, list) and all(isinstance(text, str) and len(text) == 1 for text in choice):
        # letters: what they stand for is in the field that doc_to_text lists
        labels = [str(text) for text in choice]
        value = next((doc[name] for name in _CHOICES if doc.get(name)), None)
    if isinstance(value, dict):
        labels = labels or _labels(value)
        value = value.get("text")
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value) or not value:
        raise ValueError("its choices are no list of texts")
    return [str(text) for text in value], labels or _labels(doc.get("choices"))


def _labels(choices: object) -> list[str]:
    told = choices.get("label") if isinstance(choices, dict) else None
    return [str(label) for label in told] if isinstance(told, list) else []


def position_of(value: object, options: Sequence[str], labels: Sequence[str]) -> int:
    """The option that a label, a text or a position from 0 names. ValueError where it names none."""
    if isinstance(value, str):
        told = value.strip()
        names = labels or [chr(ord("A") + n) for n in range(min(len(options), 26))]
        named = next((side.index(word) for side, word in ((names, told), (options, value)) if word in side), None)
        value = named if named is not None else int(told) if told.isascii() and told.isdigit() else value
        if isinstance(value, str):
            folded = [caseless(each) for each in (*options, value)]
            value = folded.index(folded[-1]) if folded.count(folded[-1]) == 2 else value
    elif not isinstance(value, bool) and str(value) in labels:
        value = labels.index(str(value))
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < len(options):
        raise ValueError("its target is none of its choices")
    return value


def _flat(doc: object) -> Row:
    """A document whose fields have one type in all documents, as the loader of data sets wants it."""
    flat = dict(doc) if isinstance(doc, dict) else {}
    if "viva" in flat:
        flat["viva"] = compact(flat["viva"])
    return flat


# --- the task file ----------------------------------------------------------------------------------------


def _task_of(text: str) -> Row:
    """The fields of a task. UsageError where it is no task of multiple choice, or needs code of its own."""
    task = plain_yaml(text, "The task", _NEXT)
    if not isinstance(task, dict) or not {"doc_to_text", "doc_to_choice", "doc_to_target"} <= task.keys():
        raise UsageError(
            "It is no task of multiple choice.",
            allowed="A task names doc_to_text, doc_to_choice and doc_to_target.",
            next_step="If its documents are a file, import that file.",
        )
    return task


def _task_text(task: Row, exam_id: str, documents: str) -> str:
    """A task as lm_eval runs it in the folder it stands in: the given fields, and what they leave open."""
    fields: Row = {
        "task": f"viva_{exam_id}",
        "dataset_path": "json",
        "output_type": "multiple_choice",
        "test_split": "test",
        **task,
        "dataset_kwargs": {"data_files": {task.get("test_split") or "test": documents}},
    }
    # per character too: options differ in length, and the longer one is the less likely
    fields.setdefault("metric_list", [{"metric": name, **_MEAN} for name in ("acc", "acc_norm")])
    fields.setdefault("metadata", {"version": 1.0})
    return yaml.safe_dump(fields, sort_keys=False, allow_unicode=True, width=10_000)


# --- templates ----------------------------------------------------------------------------------------------


_STRIPS = ("strip", "lstrip", "rstrip")
_MOST = 10_000


def value_of(template: str, doc: Mapping[str, object]) -> object:
    """The value of a field's name, or of a template that is one expression of fields; else its text.

    ValueError, in words, where it does more than name fields.
    """
    if template in doc:
        return doc[template]
    parts = [part for output in _outputs(template) for part in output.nodes]
    if len(parts) == 1:
        return _value(parts[0], doc)
    return "".join(str(_value(part, doc)) for part in parts)


def fields_named(template: str) -> list[str]:
    """The fields a template names, in order. ValueError where it cannot be read."""
    from jinja2 import nodes

    names = [name for output in _outputs(template) for name in output.find_all(nodes.Name)]
    return list(dict.fromkeys(name.name for name in names))


def _outputs(template: str) -> list[nodes.Output]:
    from jinja2 import Environment, TemplateError, nodes

    if len(template) > _MOST:
        raise ValueError(f"a template of more than {_MOST:,} characters")
    try:
        body = Environment(autoescape=True).parse(template).body
    except (TemplateError, RecursionError) as error:
        raise ValueError(f"a template that cannot be read: {template[:60]!r}") from error
    outputs = [node for node in body if isinstance(node, nodes.Output)]
    if len(outputs) < len(body):
        raise ValueError(f"a template that does more than name fields: {template[:60]!r}")
    return outputs


def _value(node: nodes.Node, doc: Mapping[str, object]) -> object:
    from jinja2 import nodes

    match node:
        case nodes.TemplateData(data=text):
            return text
        case nodes.Const(value=value):
            return value
        case nodes.Name(name=name) if name in doc:
            return doc[name]
        case nodes.List(items=items):
            return [_value(item, doc) for item in items]
        case nodes.Getattr(node=of, attr=name):
            return _part(_value(of, doc), name)
        case nodes.Getitem(node=of, arg=arg):
            return _part(_value(of, doc), _value(arg, doc))
        case nodes.Call(node=nodes.Getattr(node=of, attr=name), args=args, kwargs=[], dyn_args=None, dyn_kwargs=None):
            return _called(_value(of, doc), name, [_value(arg, doc) for arg in args])
    raise ValueError("its template names a field that is not there, or does more than name fields")


def _part(of: object, name: object) -> object:
    if isinstance(of, Mapping) and name in of:
        return of[name]
    if isinstance(of, list) and isinstance(name, int) and -len(of) <= name < len(of):
        return of[name]
    raise ValueError(f"its template names a field that is not there: {str(name)[:60]!r}")


def _called(of: object, name: str, args: list[object]) -> object:
    if isinstance(of, str) and name in _STRIPS and not args:
        return getattr(of, name)()
    if isinstance(of, list) and name == "index" and len(args) == 1 and args[0] in of:
        return of.index(args[0])
    raise ValueError(f"its template does more than name fields: {name}()")
