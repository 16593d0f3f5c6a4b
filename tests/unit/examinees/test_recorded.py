"""Recorded answers in the chair: found by the item's id or the question; a bad file is refused line by line."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from by_hand import item, shown
from specs_by_hand import OPTIONS, STEM, examinee

from viva.core.errors import UsageError
from viva.core.records import ExamItem
from viva.examinees.adapters.recorded import RecordedCandidate
from viva.examinees.answering import Answer, BadAnswerError, KnowsItems, NoAnswerError
from viva.examinees.readers.choosing import posed
from viva.examinees.specs.records import RecordedSpec

ITEM: ExamItem = shown(item(1))


def recorded(tmp_path: Path, *lines: object) -> RecordedCandidate:
    file = tmp_path / "answers.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
    file.write_text("\n".join(texts), encoding="utf-8")
    return RecordedCandidate(RecordedSpec(examinee=examinee(), path=str(file)))


def answer(system: RecordedCandidate, stem: str = STEM) -> Answer:
    return asyncio.run(system.answer(stem, OPTIONS))


def test_an_answer_is_found_by_its_question_in_any_spacing_and_case(tmp_path: Path) -> None:
    row = {
        "question": "how much  does the TANK hold? ",
        "answer": "It holds 30 litres.",
        "passages": [{"text": "30 litres", "id": "p1"}],
        "usage": {"input_tokens": 5, "output_tokens": 2, "cost": 0.1},
        "latency_s": 1.5,
    }
    found = answer(recorded(tmp_path, row))
    assert (found.text, found.choice, found.latency_s) == ("It holds 30 litres.", 1, 1.5)
    assert found.passages[0].source_id == "p1"
    assert found.usage is not None
    assert found.usage.cost == 0.1


def test_the_question_may_be_recorded_as_it_was_posed(tmp_path: Path) -> None:
    assert answer(recorded(tmp_path, {"question": posed(STEM, OPTIONS), "text": "B"})).choice == 1


def test_an_answer_is_found_by_the_items_id_before_its_question(tmp_path: Path) -> None:
    rows = [{"question": ITEM.item.stem, "answer": "A"}, {"item_id": ITEM.item.id, "answer": "B"}]
    system = recorded(tmp_path, *rows)
    assert isinstance(system, KnowsItems)
    assert asyncio.run(system.answer_item(ITEM)).choice == 1
    assert asyncio.run(recorded(tmp_path, rows[0]).answer_item(ITEM)).choice == 0


def test_what_is_not_recorded_is_no_answer(tmp_path: Path) -> None:
    with pytest.raises(NoAnswerError, match="no recorded answer"):
        answer(recorded(tmp_path, {"question": "another?", "answer": "A"}))
    with pytest.raises(NoAnswerError, match="null"):
        answer(recorded(tmp_path, {"question": STEM, "answer": None}))


def test_a_number_that_was_recorded_is_its_text(tmp_path: Path) -> None:
    assert answer(recorded(tmp_path, {"question": STEM, "answer": 30})).text == "30"


def test_other_languages_and_blank_lines_are_read(tmp_path: Path) -> None:
    system = recorded(tmp_path, "\ufeff", {"question": "灯塔在哪里? é", "answer": "المنارة 🗼"}, "")
    # the same letters, written otherwise
    assert answer(system, "灯塔在哪里? e\u0301").text == "المنارة 🗼"


def test_bad_passages_are_a_bad_answer_of_their_question_alone(tmp_path: Path) -> None:
    system = recorded(tmp_path, {"question": STEM, "answer": "A", "passages": 5}, {"question": "two?", "answer": "A"})
    with pytest.raises(BadAnswerError):
        answer(system)
    assert answer(system, "two?").choice == 0


def test_duplicates_are_refused_with_their_lines(tmp_path: Path) -> None:
    rows = [
        {"question": STEM, "answer": "A"},
        {"item_id": "i", "answer": "A"},
        {"question": f" {STEM}", "answer": "B"},
    ]
    with pytest.raises(UsageError, match="line 3 answers the question of line 1 again"):
        recorded(tmp_path, *rows)
    with pytest.raises(UsageError, match="line 2 answers the item_id of line 1 again"):
        recorded(tmp_path, rows[1], rows[1])


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{not json", "line 2 is no JSON: “{not json”"),
        ("[1, 2]", "line 2 is no JSON object"),
        ('{"answer": "A"}', "line 2 names no question and no item_id"),
        ('{"question": 7, "answer": "A"}', "line 2 names no question"),
        ('{"question": "q"}', "line 2 holds no answer"),
        ('{"question": "q", "answer": true}', "line 2 holds an answer that is neither a text nor a finite number"),
        ('{"question": "q", "answer": NaN}', "line 2 holds an answer that is neither a text nor a finite number"),
        ('{"question": "q", "answer": ["A"]}', "line 2 holds an answer that is neither a text nor a finite number"),
        ("[" * 100_000, "line 2 is no JSON"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        recorded(tmp_path, {"question": STEM, "answer": "A"}, line)
    assert words in str(caught.value)


def test_of_many_bad_lines_the_first_are_named_and_the_others_counted(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"line 5 is no JSON.*; and 3 more"):
        recorded(tmp_path, *(["nonsense"] * 8))


def test_a_file_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(UsageError, match="cannot be read"):
            RecordedCandidate(RecordedSpec(examinee=examinee(), path=str(path)))
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="no UTF-8"):
        RecordedCandidate(RecordedSpec(examinee=examinee(), path=str(binary)))
    with pytest.raises(UsageError, match="no recorded answers"):
        recorded(tmp_path)
