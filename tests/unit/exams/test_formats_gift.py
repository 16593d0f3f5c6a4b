"""Moodle's GIFT, read as Moodle reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from viva.core.errors import UsageError
from viva.core.records import Distractor, ExamItem
from viva.exams.formats import export_exam, import_exam

MOODLE = Path(__file__).parents[2] / "data" / "exams" / "moodle.gift"


def only(text: str, folder: Path) -> ExamItem:
    (path := folder / "a.gift").write_text(text, encoding="utf-8")
    read = import_exam(path)
    assert read.problems == ()
    (shown,) = read.exam.items
    return shown


def test_choices_and_short_answers_are_taken_and_the_others_named_with_the_reason() -> None:
    read = import_exam(MOODLE)
    assert [shown.item.stem for shown in read.exam.items] == [
        "How many litres does the tank hold: ?",
        "Which pump runs at {idle} = 900 rpm\nor less?",
        "Who signs the logbook?",
        "The Alma was _____ in 1971.",
        "Which sign closes a set: \\ or }?",
    ]
    assert [str(problem) for problem in read.problems] == [
        "line 22: a true-false question",
        "line 24: a numerical question: its answers are ranges",
        "line 26: a matching question",
        "line 31: an essay: it names no answer",
        "line 33: a description, not a question",
        "line 35: none of its options is fully right",
    ]


def test_tags_feedback_weights_and_categories_are_read() -> None:
    tank, pump, logbook, *_, sign = import_exam(MOODLE).exam.items
    assert tank.options == ("400 litres", "40 litres", "4 000 litres")
    assert tank.item.reference_answer == "The plate on the tank says 400 litres."
    assert tank.item.distractors[0] == Distractor(text="40 litres", reason="That is the reserve.")
    assert (pump.options, pump.key_position) == (("Bilge ~ pump", "Fire pump", "Cooling pump"), 2)
    assert (tank.item.topic, pump.item.topic) == ("", "$course$/Engine room/Pumps")
    assert logbook.item.is_open
    assert logbook.item.reference_answer == "the mate / the first mate"
    assert sign.options == ("}", "\\", "#")


def test_questions_stand_as_they_stood_when_they_go_back(tmp_path: Path) -> None:
    read = import_exam(MOODLE)
    export_exam(read.exam, path := tmp_path / "back.gift", "gift")
    taken = [block for block in blocks(MOODLE) if block.startswith(("//", "Who", "The Alma", "Which"))]
    assert [block for block in blocks(path) if not block.startswith("$CATEGORY")] == taken
    assert import_exam(path).exam == read.exam


def blocks(path: Path) -> list[str]:
    return [block.strip() for block in path.read_text(encoding="utf-8").split("\n\n")]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Which?{=a =b ~c}", "2 of its options are right"),
        ("Which?{=a ~%50%b ~c}", "one of its options is partly right"),
        ("Which?{~a ~b}", "none of its options is fully right"),
        ("Which?{=a ~b", "its braces do not match"),
        ("Which} {=a ~b", "its braces do not match"),
        ("::name::{=a ~b}", "there is no question"),
        ("Which?{=a ~}", "one of its options is empty"),
        ("Which?{=a ~b ~b}", "two of its options are the same"),
        ("Which?{= ~}", "there is no right answer"),
        ('[html]<img src\\="x.png"> Which?{=a ~b}', "it needs a picture or a recording"),
    ],
)
def test_what_cannot_be_graded_is_refused_with_the_reason(text: str, reason: str, tmp_path: Path) -> None:
    (path := tmp_path / "a.gift").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as refused:
        import_exam(path)
    assert reason in refused.value.problem


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Which?{~[html]<b>a</b> =[plain]<b>b</b>}", ("a", "<b>b</b>")),
        ("[markdown]Which?{~*a* =b}", ("*a*", "b")),
        ("Which?{~a\\nb =c}", ("a\nb", "c")),
        ("Which?{~\\\\n =c}", ("\\n", "c")),
        ("Which?{\r\n~a\r\n=c # yes\r\n}", ("a", "c")),
        ("Which?{~50% of it =%100%all}", ("50% of it", "all")),
        ("Which?{\n// a comment\n~a\n=c\n}", ("a", "c")),
        ("::A \\:\\: b::Which?{~a =c}", ("a", "c")),
        ("Which?{=[unknown]a ~b}", ("[unknown]a", "b")),
    ],
)
def test_the_grammar_s_corners(text: str, options: tuple[str, ...], tmp_path: Path) -> None:
    assert only(text, tmp_path).options == options
