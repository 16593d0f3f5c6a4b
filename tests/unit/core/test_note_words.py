"""Notes in words: every code has a sentence made of its values, whoever is named in them."""

from __future__ import annotations

import json

import pytest

from tests.support.report_data import build
from viva.core.note_words import names_of, note_sentence, scores_notes, worded
from viva.core.notes import Note, NoteCode
from viva.core.scores import Scores

FULL = {
    "examinees": ("a", "b"),
    "others": ("c",),
    "names": ("reader", "bm25"),
    "count": 3,
    "of": 40,
    "reason": "too few.",
    "sentence": "As it was said.",
}
FIGURES = {"accuracy": 0.9, "answered": 0.95, "person_fit": -4.0, "gain": 0.02, "low": 0.01, "high": 0.03}


@pytest.mark.parametrize("code", NoteCode)
def test_every_code_has_a_sentence(code: NoteCode) -> None:
    said = note_sentence(Note.model_validate({**FULL, "figures": FIGURES, "code": code}))
    assert said.endswith(".")
    assert not said.endswith("..")
    assert "{" not in said
    assert "None" not in said.replace("None of its", "")


# a name may look like a place to be filled in
NAMES = {"a": "Ada", "b": "{names}"}
APART = Note(
    code=NoteCode.SECOND_DIMENSION,
    examinees=("a",),
    others=("b",),
    figures={"gain": 0.0214, "low": 0.01, "high": 0.03},
)


@pytest.mark.parametrize(
    ("note", "said"),
    [
        (
            Note(code=NoteCode.PERFECT_SCORE, examinees=("a",)),
            "Ada has a perfect score: above what this exam measures.",
        ),
        (
            Note(code=NoteCode.PERFECT_SCORE, examinees=("a", "b")),
            "Ada and {names} have a perfect score: above what this exam measures.",
        ),
        (
            Note(code=NoteCode.SET_ASIDE, count=1, reason="most miss it"),
            "1 question of the plain tier set aside before scoring: most miss it.",
        ),
        (
            Note(code=NoteCode.SAMPLED_UNGRADED, examinees=("new",), count=5, figures={"raised": 5}),
            "None of its responses could be graded (5 raised): nothing was measured.",
        ),
        (
            Note(
                code=NoteCode.FAILED_WRONG,
                examinees=("a",),
                count=4,
                of=12,
                figures={"accuracy": 2 / 3, "answered": 1},
            ),
            "Failures count as wrong answers: its accuracy is 67%. Of those it answered, 100% are right.",
        ),
        (
            Note(code=NoteCode.OPEN_UNGRADED, count=1, of=16, reason="refused."),
            "1 of 16 open answers were not graded (refused); ",
        ),
        (
            Note(code=NoteCode.MANUFACTURED, count=3, of=10),
            "3 of these 10 examinees were manufactured: viva set them beside the 7 ",
        ),
        (
            Note(
                code=NoteCode.SAMPLED,
                examinees=("a",),
                count=5,
                of=40,
                figures={"accuracy": 0.7, "low": 0.6, "high": 0.8},
            ),
            "asked 5 of 40 questions and is not on the leaderboard. Its accuracy on all of them is estimated at 70% ",
        ),
        (Note(code=NoteCode.FAULTS_DRAWN, count=500, of=12000), "judged on 500 of 12000 examinees"),
        (
            APART,
            "Systems have different strengths: Ada on the one side, {names} on the other.",
        ),
    ],
)
def test_examinees_are_called_by_name_and_counts_agree(note: Note, said: str) -> None:
    assert said in note_sentence(note, NAMES)


def test_of_many_examinees_some_are_named_and_the_rest_counted() -> None:
    note = Note(code=NoteCode.NO_RIGHT_ANSWER, examinees=tuple("abcde"))
    assert note_sentence(note, limit=3).startswith("a, b and 3 more have no right answer")
    assert note_sentence(note).startswith("a, b, c, d and e have no right answer")


def test_a_file_for_readers_has_codes_values_and_sentences_and_is_read_again() -> None:
    scores = build(items=8).scores
    text = scores.model_dump_json(context=worded(names_of(scores)))
    assert [note["sentence"] for note in json.loads(text)["notes"]] == list(scores_notes(scores))
    assert [note["code"] for note in json.loads(text)["notes"]] == [note.code.value for note in scores.notes]
    assert scores_notes(Scores.model_validate_json(text)) == scores_notes(scores)
    kept = scores.model_dump(mode="json")
    assert not any("sentence" in note for note in kept["notes"])
    assert Scores.model_validate(kept) == scores


def test_notes_of_an_earlier_version_were_sentences_and_say_themselves() -> None:
    stored = build(items=8).scores.model_dump(mode="json")
    assert stored["measurement"]
    stored["notes"] = ["A fit {did} not converge.", "Ada failed."]
    for told, held in (("", None), ("One ability does not do.", "One ability does not do.")):
        stored["measurement"] |= {"dimension_note": told, "notes": ["open questions: 3"]}
        earlier = Scores.model_validate(stored)
        assert scores_notes(earlier) == tuple(stored["notes"])
        assert earlier.measurement is not None
        note = earlier.measurement.dimension_note
        assert (note and note_sentence(note)) == held


def test_a_note_whose_code_viva_no_longer_writes_says_its_sentence_or_its_code() -> None:
    for sentence, said in (("Judged on some.", "Judged on some."), ("", "viva noted here: dependence_drawn.")):
        note = Note.model_validate({"code": "dependence_drawn", "count": 9, "of": 10, "sentence": sentence})
        assert said in note_sentence(note)


def test_scores_with_adaptive_sittings_of_an_earlier_version_open_with_their_estimates() -> None:
    stored = build(items=8).scores.model_dump(mode="json")
    del stored["sampled"]
    who, near = stored["examinees"][0]["examinee"], {"value": 0.7, "low": 0.6, "high": 0.8}
    step = {"item_id": "x", "phase": "adaptive", "right": True, "ability": 0.1, "se": 0.9}
    sitting = {
        "examinee": who,
        "asked": 5,
        "items": 40,
        "ungraded": 0,
        "no_choice": 0,
        "drawn": 3,
        "reason": "budget",
    }
    stored["adaptive"] = [{**sitting, "ability": near, "ability_se": 0.3, "accuracy": near, "path": [step]}]
    figures = {"accuracy": 0.7, "low": 0.6, "high": 0.8}
    stored["notes"] = [{"code": "adaptive", "examinees": ["a"], "count": 5, "of": 40, "figures": figures}]
    scores = Scores.model_validate(stored)
    assert [(each.asked, each.accuracy and each.accuracy.value) for each in scores.sampled] == [(5, 0.7)]
    assert "a was asked 5 of 40 questions" in scores_notes(scores)[0]
    assert Scores.model_validate_json(scores.model_dump_json()) == scores
