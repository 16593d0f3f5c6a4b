"""Conversations of other tools' files: an item for each turn that has an answer, after the turns before it."""

import json
from pathlib import Path

import pytest
from exams_by_hand import exam_item

from viva.core.records import Exam, ExamItem, ItemKind, Turn
from viva.exams.diff import exam_diff
from viva.exams.file import read_exam_file, with_id, write_exam
from viva.exams.formats import export_exam, import_exam, lost
from viva.exams.formats.conversations import turns_in

FIRST, SAID, SECOND, THEN = "How large is the tank?", "30 litres.", "And its colour?", "Red."
CHAT = [
    {"role": "user", "content": FIRST},
    {"role": "assistant", "content": SAID},
    {"role": "user", "content": SECOND},
]
BEFORE = (Turn(role="user", text=FIRST), Turn(role="assistant", text=SAID))


def after(before: tuple[Turn, ...] = BEFORE, stem: str = SECOND) -> ExamItem:
    shown = exam_item(stem, ["Red.", "Blue.", "Green."])
    return with_id(shown.model_copy(update={"item": shown.item.model_copy(update={"history": before})}))


LANGCHAIN = [{"type": "human", "data": {"content": FIRST}}, {"type": "ai", "data": {"content": SAID}}]
CONSTRUCTED = [
    {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "HumanMessage"], "kwargs": {"content": FIRST}},
    {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "AIMessage"], "kwargs": {"content": SAID}},
]


@pytest.mark.parametrize(
    "cell",
    [
        [{"role": "system", "content": "Be brief."}, *CHAT[:2]],
        json.dumps(CHAT[:2]),
        str(CHAT[:2]),
        [{"from": "human", "value": FIRST}, {"from": "gpt", "value": SAID}],
        [{"content": FIRST, "type": "human"}, {"content": SAID, "type": "ai", "tool_calls": None}],
        LANGCHAIN,
        CONSTRUCTED,
        [[FIRST, SAID]],
        [FIRST, SAID],
        [{"question": FIRST, "answer": SAID}],
        [{"input": FIRST, "output": SAID}],
        [{"role": "user", "content": [{"type": "text", "text": FIRST}]}, CHAT[1]],
        f"User: {FIRST}\nAssistant: {SAID}",
        {"messages": CHAT[:2]},
    ],
)
def test_messages_are_read_in_the_forms_that_tools_have(cell: object) -> None:
    assert turns_in(cell) == BEFORE


@pytest.mark.parametrize("cell", ["They spoke of it.", [{"speaker": "Tom", "said": "x"}], [7], 7])
def test_what_names_no_speaker_is_no_conversation(cell: object) -> None:
    with pytest.raises(ValueError, match="its conversation"):
        turns_in(cell)


COQA = {
    "data": [
        {
            "story": "The tank holds 30 litres. It is red.",
            "questions": [{"input_text": FIRST}, {"input_text": SECOND}, {"input_text": "Who built it?"}],
            "answers": [{"input_text": SAID}, {"input_text": THEN}, {"input_text": "unknown"}],
        }
    ]
}
QUAC = {
    "data": [
        {
            "paragraphs": [
                {
                    "context": "The tank holds 30 litres. It is red. CANNOTANSWER",
                    "qas": [
                        {
                            "question": FIRST,
                            "followup": "y",
                            "answers": [{"text": "x"}],
                            "orig_answer": {"text": SAID},
                        },
                        {"question": SECOND, "followup": "n", "answers": [{"text": THEN}]},
                        {"question": "Who built it?", "followup": "n", "answers": [{"text": "CANNOTANSWER"}]},
                    ],
                }
            ]
        }
    ]
}
ANSWERED = [*CHAT, {"role": "assistant", "content": THEN}]
PROMPTFOO = f"""
prompts: ["{{% for each in _conversation %}}{{{{ each.output }}}}{{% endfor %}} {{{{question}}}}"]
tests:
  - {{vars: {{question: "{FIRST}"}}, assert: [{{type: equals, value: "{SAID}"}}]}}
  - {{vars: {{question: "{SECOND}"}}, assert: [{{type: equals, value: "{THEN}"}}]}}
"""
WHOLE = {
    "chat": [("a.jsonl", {"messages": [*ANSWERED, {"role": "user", "content": "Who built it?"}]})],
    "chat of ShareGPT": [
        ("a.json", {"conversations": [{"from": m["role"], "value": m["content"]} for m in ANSWERED]}),
    ],
    "coqa": [("a.json", COQA)],
    "coqa of Hugging Face": [
        ("a.jsonl", {"story": "s", "questions": [FIRST, SECOND], "answers": {"input_text": [SAID, THEN]}}),
    ],
    "quac": [("a.json", QUAC)],
    "quac of Hugging Face": [
        (
            "a.jsonl",
            {
                "context": "s",
                "questions": [FIRST, SECOND],
                "followups": [0, 1],
                "answers": {"texts": [["x"], ["y"]]},
                "orig_answers": {"texts": [SAID, THEN]},
            },
        ),
    ],
    "ragas": [("a.jsonl", {"user_input": [{"type": m["role"], "content": m["content"]} for m in ANSWERED]})],
    "deepeval": [("a.json", [{"scenario": "s", "expected_outcome": "It is known.", "turns": ANSWERED}])],
    "langsmith": [("a.jsonl", {"inputs": {"messages": ANSWERED}, "outputs": {}})],
    "promptfoo": [("a.yaml", PROMPTFOO)],
}


@pytest.mark.parametrize("kind", WHOLE)
def test_each_answered_turn_of_a_conversation_is_asked_after_those_before_it(kind: str, tmp_path: Path) -> None:
    for name, value in WHOLE[kind]:
        (tmp_path / name).write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    found = import_exam(tmp_path / WHOLE[kind][0][0])
    assert found.format == kind.partition(" ")[0]
    first, second = (shown.item for shown in found.exam.items)
    assert (first.stem, first.key, first.history, first.kind) == (FIRST, SAID, (), ItemKind.SINGLE_HOP)
    assert (second.stem, second.key, second.history, second.turn) == (SECOND, THEN, BEFORE, 2)
    assert second.kind is ItemKind.FOLLOW_UP


def test_a_turn_without_an_answer_and_answers_that_nobody_stated_are_counted(tmp_path: Path) -> None:
    for name in ("chat", "coqa", "quac"):
        path = tmp_path / WHOLE[name][0][0]
        path.write_text(json.dumps(WHOLE[name][0][1]), encoding="utf-8")
        told = [str(problem) for problem in import_exam(path).problems]
        assert "turn 3: " in told[0]
        assert "reference answer" in told[0] or "without an answer" in told[0]
        assert [line for line in told[1:] if "are taken as the right answer" in line] == told[1:]
        assert len(told) == (2 if name == "chat" else 1)


LAST = {
    "qa": {"question": SECOND, "answer": THEN, "history": CHAT[:2]},
    "giskard": {
        "question": SECOND,
        "reference_answer": THEN,
        "reference_context": "It is red.",
        "conversation_history": CHAT[:2],
    },
    "ragas": {"user_input": [{"type": m["role"], "content": m["content"]} for m in CHAT], "reference": THEN},
    "deepeval": {"turns": CHAT, "expected_outcome": THEN},
    "langsmith": {"inputs": {"messages": CHAT}, "outputs": {"message": {"role": "assistant", "content": THEN}}},
    "langfuse": {"input": CHAT, "expectedOutput": {"role": "assistant", "content": THEN}},
}


@pytest.mark.parametrize("kind", LAST)
def test_a_row_with_an_answer_of_its_own_asks_its_last_question(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f"{json.dumps(LAST[kind])}\n", encoding="utf-8")
    found = import_exam(path)
    (shown,) = found.exam.items
    assert (found.format, found.problems) == (kind, ())
    assert (shown.item.stem, shown.item.key, shown.item.history) == (SECOND, THEN, BEFORE)


@pytest.mark.parametrize("column", ["history", "messages"])
def test_a_question_without_an_answer_is_left_out_and_its_history_is_not_asked(column: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    rows = [{"question": q, "answer": a, column: CHAT[:2]} for q, a in (("Which?", ""), (SECOND, THEN))]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    found = import_exam(path, "qa")
    assert [shown.item.stem for shown in found.exam.items] == [SECOND]
    assert found.reasons == {"there is no right answer": 1}


def test_the_same_words_after_another_conversation_are_another_question(tmp_path: Path) -> None:
    rows = [{"question": SECOND, "answer": text, "history": [["Which?", text]]} for text in ("Red.", "Blue.")]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    assert len(import_exam(path).exam.items) == 2


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *(("viva", "a.jsonl"), ("qa", "a.jsonl"), ("qa", "a.csv"), ("csv", "a.csv")),
        *(("ragas", "a.jsonl"), ("ragas", "a.csv"), ("deepeval", "a.json"), ("deepeval", "a.csv")),
    ],
)
@pytest.mark.parametrize("shows_options", [True, False])
def test_a_conversation_comes_back_from_each_format_that_has_a_place(
    kind: str, name: str, shows_options: bool, tmp_path: Path
) -> None:
    shown = after() if shows_options else with_id(exam_item(SECOND, [THEN]))
    item = shown.item.model_copy(update={"history": BEFORE})
    exam = Exam.of([with_id(shown.model_copy(update={"item": item})), exam_item("Why?", ["So."])])
    export_exam(exam, tmp_path / name, kind)
    found = import_exam(tmp_path / name)
    assert (found.exam, found.format, found.problems) == (exam, kind, ())
    assert lost(exam, kind) == []


def test_a_task_has_no_place_for_a_conversation() -> None:
    assert lost(Exam.of([after(), after(())]), "lm-eval") == ["1 question (open, or after a conversation): left out"]


def test_an_edited_conversation_is_noticed_and_told(tmp_path: Path) -> None:
    exam, path = Exam.of([after()]), tmp_path / "exam.jsonl"
    write_exam(exam, path)
    assert not read_exam_file(path).is_edited
    path.write_text(path.read_text(encoding="utf-8").replace(SAID, "40 litres."), encoding="utf-8")
    edited = read_exam_file(path)
    assert edited.is_edited
    (changed,) = exam_diff(exam, edited.exam).changed
    assert [(each.what, each.after) for each in changed.changes] == [
        ("conversation", f"User: {FIRST} | Assistant: 40 litres.")
    ]
