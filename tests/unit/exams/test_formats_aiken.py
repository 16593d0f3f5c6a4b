"""Aiken holds stems, options, keys and their order; what else there is, is said to be lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from drawn_exams import exams
from hypothesis import HealthCheck, assume, given, settings

from viva.core.errors import UsageError
from viva.core.records import Exam
from viva.exams.formats import export_exam, import_exam, lost
from viva.exams.formats.aiken import as_held, can_hold


@given(exam=exams(may_be_open=False))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_stems_options_keys_and_order_come_back(exam: Exam, tmp_path: Path) -> None:
    held = {
        (as_held(shown.item.stem), tuple(map(as_held, shown.options)), shown.key_position): None
        for shown in exam.items
        if can_hold(shown)
    }
    assume(held)
    export_exam(exam, path := tmp_path / "exam.txt", "aiken")
    read = import_exam(path, "aiken")
    assert [(s.item.stem, s.options, s.key_position) for s in read.exam.items] == list(held)
    assert lost(exam, "aiken")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Which?\nA) a\nB) b\n", "there is no line 'ANSWER: X'"),
        ("Which?\nA) a\nB) b\nANSWER: C\n", "its answer is none of its options"),
        ("Which?\nA) a\nC) b\nANSWER: A\n", "option C is out of order"),
        ("Which?\nA) a\nor so\nB) b\nANSWER: A\n", "'or so' is neither an option nor the answer"),
        ("A) a\nB) b\nANSWER: A\n", "there is no question"),
        ("Which?\nA) a\nB) a\nANSWER: A\n", "two of its options are the same"),
    ],
)
def test_what_is_no_question_is_refused_with_the_reason(text: str, reason: str, tmp_path: Path) -> None:
    (path := tmp_path / "a.txt").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as refused:
        import_exam(path, "aiken")
    assert reason in refused.value.problem
