"""Rows of any tool are questions by the usual names of their columns; a row that is none is named with its reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from viva.core.errors import UsageError
from viva.core.records import ExamItem
from viva.exams.formats import Imported, export_exam, import_exam
from viva.exams.formats.columns import see

CHOICE = ("litres", "tonnes", "knots")


def taken(tmp_path: Path, *rows: object, name: str = "a.jsonl", kind: str | None = None) -> Imported:
    path = tmp_path / name
    told = (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows)
    path.write_text("\n".join(told), encoding="utf-8")
    return import_exam(path, kind)


def only(found: Imported) -> ExamItem:
    (shown,) = found.exam.items
    return shown


@pytest.mark.parametrize(
    "row",
    [
        {"question": "What?", "options": list(CHOICE), "answer": "tonnes"},
        {"question": "What?", "options": list(CHOICE), "answer": 1},
        {"question": "What?", "options": dict(zip("ABC", CHOICE, strict=True)), "answer": "B"},
        {"question": "What?", "choices": {"text": list(CHOICE), "label": ["1", "2", "3"]}, "answerKey": "2"},
        {"question": "What?", "options": "litres|tonnes|knots", "answer": "Tonnes "},
        {"Question": "What?", "A": "litres", "B": "tonnes", "C": "knots", "D": "", "Correct": "B"},
        {"question": "What?", "option_1": "litres", "option_2": "tonnes", "option_3": "knots", "answer": 2},
        {"question": "What?", "answer0": "litres", "answer1": "tonnes", "answer2": "knots", "label": "1"},
        {"question": "What?", "correct_answer": "tonnes", "distractor1": "litres", "distractor2": "knots"},
        {"question": "What?", "correct_answer": "tonnes", "incorrect_answers": ["litres", "knots"]},
    ],
)
def test_options_make_a_question_of_multiple_choice(row: dict[str, object]) -> None:
    seen = see(row)
    assert (seen.stem, seen.key) == ("What?", "tonnes")
    assert {wrong.text for wrong in seen.wrong} == {"litres", "knots"}


@pytest.mark.parametrize(
    ("row", "key", "reference", "contexts"),
    [
        ({"question": "q", "answers": {"text": ["12", "twelve"], "answer_start": [0, 9]}}, "12", "12 / twelve", ()),
        ({"question": "q", "answer": {"value": "12", "aliases": ["twelve"]}}, "12", "12 / twelve", ()),
        ({"question": "q", "ground_truth": "['12', '12']", "contexts": "['a', 'b']"}, "12", "12", ("a", "b")),
        (
            {"question": "q", "answer": 12, "context": {"title": ["t"], "sentences": [["a.", " b."]]}},
            "12",
            "12",
            ("a. b.",),
        ),
        ({"question": "q", "answer": False, "context": {"contexts": ["a"], "labels": ["x"]}}, "No", "No", ("a",)),
        (
            {"query": "q", "response": "said", "expected": "12", "passages": [{"page_content": "a"}]},
            "12",
            "12",
            ("a",),
        ),
        ({"messages": "q", "question": "q", "answer": "12", "retrieved_contexts": ["not these"]}, "12", "12", ()),
    ],
)
def test_answers_and_contexts_are_read_in_the_forms_that_data_sets_have(
    row: dict[str, object], key: str, reference: str, contexts: tuple[str, ...]
) -> None:
    seen = see(row)
    assert (seen.stem, seen.key, seen.reference, seen.contexts) == ("q", key, reference, contexts)


def test_evidence_is_the_sentence_that_holds_the_answer() -> None:
    paragraph = "The Alma has two tanks. Its day tank holds 30 litres. The other holds 90 litres."
    answers = {"text": ["30 litres"], "answer_start": [paragraph.index("30 litres")]}
    for each in (answers, [{"text": "30 litres", "answer_start": answers["answer_start"][0]}]):
        seen = see({"question": "How much?", "context": paragraph, "answers": each})
        assert seen.contexts == ("Its day tank holds 30 litres.",)
    misplaced = {"text": ["30 litres"], "answer_start": [1]}
    assert see({"question": "How much?", "context": paragraph, "answers": misplaced}).contexts == (paragraph,)


def test_every_row_that_is_left_out_is_counted_and_named(tmp_path: Path) -> None:
    found = taken(
        tmp_path,
        {"question": "How much?", "answer": "12"},
        {"question": "Why?", "answer": " "},
        "{not json",
        [1],
        {"question": "  how MUCH?", "answer": "12"},
        {"question": "How much?", "answer": "13"},
        {"question": [{"role": "assistant", "content": "b"}], "answer": "c"},
        {"question": "And then?", "answer": "c", "chat_history": "They spoke of it."},
        {"question": "Which?", "options": ["a", "b"], "answer": "z"},
        {"question": "Which?", "options": ["a", "a"], "answer": "a"},
        {"question": ["x"], "answer": {"a": {"b": 1}}},
    )
    assert [shown.item.stem for shown in found.exam.items] == ["How much?"]
    told = [str(problem) for problem in found.problems]
    assert told[:5] == [
        "line 2: there is no right answer",
        told[1],
        "line 4: is no JSON object",
        "line 5: repeats an earlier question, that of line 1: left out",
        "line 6: contradicts an earlier question, that of line 1: its answer is “12” there, “13” here: left out",
    ]
    assert told[1].startswith("line 3: is no JSON")
    assert [line.partition(":")[0] for line in told] == [f"line {n}" for n in range(2, 12)]
    assert found.reasons["there is no right answer"] == 1
    assert sum(found.reasons.values()) == 10


def closed(question: str, answer: str, *wrong: str) -> dict[str, object]:
    return {"question": question, "correct_answer": answer, "incorrect_answers": list(wrong)}


@pytest.mark.parametrize(
    ("again", "said"),
    [
        (
            closed("how  much?", "11 L", "10 l", "15 l"),
            "contradicts an earlier question, that of line 1: its answer is",
        ),
        (
            closed("How much?", "11 l", "12 l", "13 l"),
            "contradicts an earlier question, that of line 1: its answer is",
        ),
        (
            closed("How much?", "99 l", "10 l", "98 l"),
            "contradicts an earlier question, that of line 1: its answer is",
        ),
        (
            {"question": "How much?", "answer": "15 l"},
            "contradicts an earlier question, that of line 1: its answer is",
        ),
        (closed("How much?", "10 l", "15 l", "11 l"), "repeats an earlier question, that of line 1: left out"),
        (closed("How much?", "10 l", "12 l", "13 l"), "repeats an earlier question, that of line 1: left out"),
    ],
)
def test_multiple_choice_asked_before_with_this_answer_or_one_that_is_wrong_here_is_left_out_and_named(
    again: dict[str, object], said: str, tmp_path: Path
) -> None:
    found = taken(tmp_path, closed("How much?", "10 l", "11 l", "15 l"), again)
    assert only(found).item.key == "10 l"
    (problem,) = found.problems
    assert str(problem).startswith(f"line 2: {said}")


@pytest.mark.parametrize(
    "other",
    [
        closed("Which of these is true?", "Oil floats.", "Iron floats.", "Sand floats."),
        closed("Which of these is false?", "Tides fall.", "Tides rise.", "Tides turn."),
        {"question": "Which of these is true?", "answer": "Tides rise."},
    ],
)
def test_multiple_choice_of_the_same_words_and_other_options_is_another_question(
    other: dict[str, object], tmp_path: Path
) -> None:
    found = taken(tmp_path, closed("Which of these is true?", "Tides rise.", "Tides sink.", "Iron floats."), other)
    assert (len(found.exam.items), found.problems) == (2, ())


def test_one_message_is_a_question() -> None:
    one = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What?"}]
    assert see({"inputs": {"messages": one}, "outputs": {"answer": "x"}}).stem == "What?"


@pytest.mark.parametrize("question", ["ما سعة الخزان؟", "מה קיבולת המיכל?", "油箱容量是多少？"])
def test_questions_of_any_script_go_through(question: str, tmp_path: Path) -> None:
    row = {"question": question, "answer": "٣٠ لتر", "contexts": [question]}
    exam = taken(tmp_path, row).exam
    assert exam.items[0].item.stem == question
    for name in ("b.csv", "b.jsonl", "b.tsv"):
        export_exam(exam, tmp_path / name, "qa")
        assert import_exam(tmp_path / name).exam.id == exam.id


def test_promptfoo_states_answers_by_assertions(tmp_path: Path) -> None:
    told = """
defaultTest: {vars: {lang: en}}
tests:
  - vars: {question: "How much?", expected: "30 litres"}
    assert: [{type: contains, value: "{{expected}}"}]
  - vars: {q: "Who?"}
    assert: [{type: contains-any, value: [Ada, the cook]}, {type: llm-rubric, value: is polite}]
  - vars: {question: "Why?"}
    assert: [{type: llm-rubric, value: is polite}]
"""
    found = taken(tmp_path, told, name="a.yaml")
    keys = [(shown.item.stem, shown.item.reference_answer) for shown in found.exam.items]
    assert keys == [("How much?", "30 litres"), ("Who?", "Ada / the cook")]
    assert [str(problem) for problem in found.problems] == ["test 3: there is no right answer"]
    table = taken(tmp_path, "question,__expected\nHow much?,icontains: 30 litres\n", name="a.csv")
    assert (table.format, only(table).item.key) == ("promptfoo", "30 litres")
    with pytest.raises(UsageError, match="no plain YAML"):
        taken(tmp_path, "tests: !!python/object:os.system [x]", name="b.yaml")


def test_spans_of_a_trace_are_a_question_with_the_passages_that_were_retrieved(tmp_path: Path) -> None:
    told = {"input.value": "How much?", "output.value": "30"}
    listed = [{"key": name, "value": {"stringValue": value}} for name, value in told.items()]
    root = {"traceId": "t", "spanId": "1", "attributes": listed}
    packet = {"resourceSpans": [{"scopeSpans": [{"spans": [root]}]}]}
    held = {"retrieval": {"documents": [{"document": {"content": "It holds 30."}}]}, "input": {"value": "30?"}}
    child = {"context": {"trace_id": "t", "span_id": "2"}, "parent_id": "1", "attributes": held}
    found = taken(tmp_path, packet, child)
    assert found.format == "openinference"
    assert only(found).item.stem == "How much?"
    assert json.loads(only(found).item.provenance.original)["retrieved_contexts"] == ["It holds 30."]
    assert "review it" in str(found.problems[-1])


def test_a_table_without_question_and_answer_is_refused_with_its_columns(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Columns or fields: colour, size") as refused:
        taken(tmp_path, "colour,size\nred,3\n", name="a.csv")
    assert "question and answer" in refused.value.next_step


def test_what_is_read_alone_is_not_written(tmp_path: Path) -> None:
    found = taken(tmp_path, {"question": "How much?", "answer": "12"})
    with pytest.raises(UsageError, match="The format trec is read, and not written"):
        export_exam(found.exam, tmp_path / "b.json", "trec")
