"""Tasks of lm-evaluation-harness: a YAML file whose templates are read as names of fields, and its documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from drawn_exams import exams
from hypothesis import HealthCheck, given, settings

from viva.core.errors import UsageError
from viva.core.records import Exam
from viva.exams.formats import export_exam, import_exam

DATA = Path(__file__).parents[2] / "data" / "exams"
TASK = {
    "dataset_path": "json",
    "dataset_kwargs": {"data_files": {"test": "docs.jsonl"}},
    "test_split": "test",
    "doc_to_text": "question",
    "doc_to_choice": "choices",
    "doc_to_target": "answer",
}


@given(exam=exams(may_be_open=False))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50)
def test_an_exam_of_choices_comes_back_equal(exam: Exam, tmp_path: Path) -> None:
    task, documents = export_exam(exam, tmp_path / "exam.yaml", "lm-eval")
    for path in (task, documents):
        read = import_exam(path)
        assert (read.exam, read.problems) == (exam, ())


def test_an_exported_task_names_what_the_harness_needs(tmp_path: Path) -> None:
    (table := tmp_path / "exam.csv").write_text(
        "stem,key,distractor_1,position\nWhich ferry was built first?,Alma,Bruno,1\n"
        'Who steers by night?,"""Otto"" <the autopilot>",The mate,2\n',
        encoding="utf-8",
    )
    task, documents = export_exam(import_exam(table).exam, tmp_path / "exam.yaml", "lm-eval")
    fields = yaml.safe_load(task.read_text(encoding="utf-8"))
    assert fields["output_type"] == "multiple_choice"
    # the length of an option decides nothing in one of them
    assert [metric["metric"] for metric in fields["metric_list"]] == ["acc", "acc_norm"]
    assert fields["dataset_kwargs"] == {"data_files": {"test": documents.name}}
    docs = [json.loads(line) for line in documents.read_text(encoding="utf-8").splitlines()]
    assert [(doc["question"], doc["choices"][doc["answer"]]) for doc in docs] == [
        ("Which ferry was built first?", "Alma"),
        ("Who steers by night?", '"Otto" <the autopilot>'),
    ]
    assert len({tuple(doc) for doc in docs}) == 1


@pytest.mark.parametrize(
    ("name", "keys"),
    [("lm-arc", ["the head line", "oil pressure"]), ("lm-sciq", ["sea water"]), ("lm-mmlu", ["four", "H"])],
)
def test_a_task_goes_through_viva_and_back_unchanged(name: str, keys: list[str], tmp_path: Path) -> None:
    read = import_exam(DATA / f"{name}.yaml")
    assert [shown.item.key for shown in read.exam.items] == keys
    assert read.problems == ()
    task, documents = export_exam(read.exam, tmp_path / f"{name}.yaml", "lm-eval")
    assert documents.read_bytes() == (DATA / f"{name}.jsonl").read_bytes()
    before, after = (yaml.safe_load((folder / f"{name}.yaml").read_text("utf-8")) for folder in (DATA, tmp_path))
    assert after.pop("dataset_kwargs")["data_files"] == {before["test_split"]: documents.name}
    assert before.pop("dataset_kwargs")
    assert after == before
    assert import_exam(task).exam.id == read.exam.id


def test_questions_of_two_tasks_go_into_one(tmp_path: Path) -> None:
    items = [shown for name in ("lm-arc", "lm-mmlu") for shown in import_exam(DATA / f"{name}.yaml").exam.items]
    task, _ = export_exam(Exam.of(items), tmp_path / "both.yaml", "lm-eval")
    assert import_exam(task).exam == Exam.of(items)


def test_the_passage_of_a_question_is_its_context() -> None:
    (shown,) = import_exam(DATA / "lm-sciq.yaml").exam.items
    assert shown.item.stem == "What cools the engine?"
    assert shown.item.contexts == (" Sea water is pumped through the heat exchanger.",)
    assert shown.options == ("air", "steam", "oil", "sea water")


@pytest.mark.parametrize(
    ("doc", "key"),
    [
        ({"question": "Q?", "choices": ["a", "b"], "answer": 1}, "b"),
        ({"question": "Q?", "choices": ["a", "b"], "answer": "1"}, "b"),
        ({"question": "Q?", "choices": ["a", "b"], "answer": "B"}, "b"),
        ({"question": "Q?", "choices": ["a", "b"], "answer": "a"}, "a"),
        ({"query": "Q?", "choices": ["a", "b"], "gold": 0}, "a"),
        ({"question": "Q?", "options": ["a", "b"], "answer_idx": "B"}, "b"),
        ({"question": "Q?", "choices": {"text": ["a", "b"], "label": ["X", "Y"]}, "answerKey": "Y"}, "b"),
    ],
)
def test_documents_alone_are_read_by_the_usual_names(doc: dict[str, object], key: str, tmp_path: Path) -> None:
    (path := tmp_path / "docs.jsonl").write_text(json.dumps(doc), encoding="utf-8")
    assert [shown.item.key for shown in import_exam(path).exam.items] == [key]


@pytest.mark.parametrize(
    "doc",
    [
        {"question": "Q?", "choices": ["a", "b"], "answer": 2},
        {"question": "Q?", "choices": ["a", "b"], "answer": -1},
        {"question": "Q?", "choices": ["a", "b"], "answer": True},
        {"question": "Q?", "choices": ["a", "b"], "answer": [0, 1]},
        {"question": "Q?", "choices": ["a", "b"]},
        {"question": "Q?", "choices": "ab", "answer": 0},
        {"question": "Q?", "choices": [1, 2], "answer": 0},
        {"question": 7, "choices": ["a", "b"], "answer": 0},
    ],
)
def test_a_document_without_a_stem_or_a_key_is_refused(doc: dict[str, object], tmp_path: Path) -> None:
    (path := tmp_path / "docs.jsonl").write_text(json.dumps(doc), encoding="utf-8")
    with pytest.raises(UsageError, match="holds no question that can be graded"):
        import_exam(path)


@pytest.mark.parametrize(
    "template",
    [
        "{% for i in range(10**9) %}{{ question }}{% endfor %}",
        "{{ question.__class__.__mro__ }}",
        "{{ question | upper }}",
        "{{ cycler.__init__.__globals__ }}",
        "{{ question.format(choices) }}",
        "{{",
        "{{" + "(" * 9_000,
        "x" * 20_000,
    ],
)
@pytest.mark.parametrize("field", ["doc_to_choice", "doc_to_target"])
def test_a_template_that_does_more_than_name_fields_is_not_run(field: str, template: str, tmp_path: Path) -> None:
    (tmp_path / "docs.jsonl").write_text('{"question": "Q?", "choices": ["a", "b"], "answer": 0}', encoding="utf-8")
    (path := tmp_path / "task.yaml").write_text(yaml.safe_dump({**TASK, field: template}), encoding="utf-8")
    with pytest.raises(UsageError, match="holds no question that can be graded"):
        import_exam(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("doc_to_text: !function utils.text\n", "no plain YAML"),
        ("a: !!python/object/apply:os.system [id]\n", "no plain YAML"),
        ("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "references are not read"),
        ("[" * 5_000, "no plain YAML"),
        ("x" * 5_000_000, "longer than"),
        ("just: this\n", "no task of multiple choice"),
        ("- a\n", "no task of multiple choice"),
    ],
)
def test_a_task_that_is_no_plain_data_is_refused(text: str, said: str, tmp_path: Path) -> None:
    (path := tmp_path / "task.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        import_exam(path)


@pytest.mark.parametrize("name", ["../docs.jsonl", "/etc/passwd", "https://example.org/docs.jsonl", ["a", "b"], None])
def test_a_task_reads_no_file_but_one_beside_it(name: object, tmp_path: Path) -> None:
    task = {**TASK, "dataset_kwargs": {"data_files": name}}
    (path := tmp_path / "task.yaml").write_text(yaml.safe_dump(task), encoding="utf-8")
    with pytest.raises(UsageError, match="not in a file beside it"):
        import_exam(path)
