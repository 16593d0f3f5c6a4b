"""What of an answer counts: capped, long, pasted, empty; and which units it may be about."""

from __future__ import annotations

import pytest
from oral_hall import Hall, fact, pump_units, pumps

from viva.core.records import QuestionForm, UnitStatus
from viva.graphs.oral_exam.answers import COPIED_BESIDE, WORDS_BESIDE, WORDS_PER_UNIT, Listener
from viva.graphs.oral_exam.answers import admits_not_knowing as admits
from viva.graphs.oral_exam.state import Limits
from viva.metrics.text.verbatim import Verbatim, first_words, words_of

SOURCE = pumps(60)
UNITS = pump_units(SOURCE)
IDS = [unit.id for unit in UNITS]
LISTENER = Listener(UNITS, [SOURCE.document.text])


def own_words(count: int) -> str:
    return " ".join(f"word{n}" for n in range(count))


def test_a_plain_answer_counts_whole() -> None:
    heard = LISTENER.hear("?", "It moves 703 litres.", IDS[:1])
    assert (heard.text, heard.counts, heard.flags) == ("It moves 703 litres.", "It moves 703 litres.", ())


@pytest.mark.parametrize("asked", [1, 8])
def test_of_a_long_answer_so_many_words_count_for_each_unit_it_was_invited_to_speak_of(asked: int) -> None:
    allowed = WORDS_PER_UNIT * asked + WORDS_BESIDE
    assert LISTENER.hear("?", own_words(allowed), IDS[:asked]).flags == ()
    heard = LISTENER.hear("?", own_words(allowed + 1), IDS[:asked])
    assert heard.flags == ("long",)
    assert words_of(heard.counts) == words_of(own_words(allowed))


def test_who_quotes_the_sentences_that_were_asked_for_has_not_pasted() -> None:
    said = " ".join(fact(n) for n in range(8))
    assert LISTENER.hear("?", said, IDS[:8]).flags == ()


def test_what_may_be_copied_grows_with_the_sentences_that_the_question_invites_to_tell() -> None:
    sentence = len(words_of(fact(10)))
    assert LISTENER.may_copy(IDS[10:11]) == int(1.5 * sentence) + COPIED_BESIDE
    assert LISTENER.may_copy(IDS[10:30]) == 30 * sentence + COPIED_BESIDE


def test_who_obeys_an_invitation_to_tell_whatever_else_is_known_of_a_subject_loses_nothing() -> None:
    said = " ".join(fact(n) for n in range(16))
    hall = Hall(lambda question: said, units=60, clusters=3, limits=Limits(questions=1))
    standing, _ = hall.examine()
    assert hall.turns[0].flags == ()
    assert sum(status is UnitStatus.CORRECT for status in hall.statuses(standing).values()) == 16


def test_a_question_for_one_unit_invites_to_speak_of_no_other() -> None:
    hall = Hall(lambda question: "", units=16, clusters=1)
    hall.examine()
    invited = {turn.form: len(hall.room().invited(turn)) for turn in hall.turns}
    # a broad question asks for whatever else is known: as many others of its cluster
    assert invited == {QuestionForm.BROAD: 16, QuestionForm.NARROW: 8, QuestionForm.SINGLE: 1}


def test_a_pasted_answer_counts_for_nothing_of_several_and_by_its_first_words_for_one() -> None:
    several, one = (LISTENER.hear("?", SOURCE.document.text, IDS[:asked]) for asked in (8, 1))
    assert several.flags == one.flags == ("pasted",)
    assert several.counts == ""
    assert len(words_of(one.counts)) == LISTENER.may_copy(IDS[:1])
    assert several.text == one.text == SOURCE.document.text


def test_a_paste_between_own_words_is_no_paste_while_it_is_the_lesser_part() -> None:
    said = own_words(600) + " ".join(fact(n) for n in range(8))
    assert "pasted" not in LISTENER.hear("?", said, IDS[:1]).flags


def test_units_an_answer_may_be_about_come_nearest_first() -> None:
    ids = [unit.id for unit in UNITS]
    reached = LISTENER.reached(fact(7, 999), ids, at_most=3)
    assert reached[0] == UNITS[7].id
    assert LISTENER.reached("The weather is fine.", ids, at_most=3) == ()
    assert LISTENER.reached(fact(7), ids, at_most=0) == ()


@pytest.mark.parametrize(
    "said",
    [
        "I don't know.",
        "I do not know who designed the lock gate.",
        "Sorry, I am unable to find any information about this in the documents.",
        "Das sagen die Dokumente nicht.",
        "Les documents ne le disent pas.",
        "No lo sé.",
        "The documents do not mention the lock gate.",
    ],
)
def test_an_answer_that_only_admits_not_knowing_is_told(said: str) -> None:
    assert admits("Who designed the lock gate?", said)


@pytest.mark.parametrize(
    "said",
    [
        "I do not know, but I believe it was Ada Vick.",
        "The documents do not say 1902.",
        "Yes.",
        "Ada Vick.",
        "It is not designed.",
        "I know.",
        "",
    ],
)
def test_an_answer_that_says_anything_is_left_to_the_judge(said: str) -> None:
    assert not admits("Who designed the lock gate?", said)


# --- copied words -----------------------------------------------------------------------------------------


def test_only_runs_of_eight_words_are_copied() -> None:
    known = Verbatim(["one two three four five six seven eight nine ten"])
    assert known.copied_words("one two three four five six seven") == 0
    assert known.copied_words("ONE two, three four five six seven eight!") == 8
    assert known.copied_words("so one two three four five six seven eight nine it is") == 9
    assert known.copied_words("ten nine eight seven six five four three two one") == 0
    assert known.copied_words("") == 0
    assert Verbatim([]).copied_words("one two three four five six seven eight nine") == 0


def test_a_run_does_not_go_from_one_document_into_the_next() -> None:
    known = Verbatim(["one two three four five", "six seven eight nine ten"])
    assert known.copied_words("one two three four five six seven eight nine ten") == 0


def test_texts_without_spaces_have_as_many_words_as_characters() -> None:
    assert len(words_of("水门关闭")) == 4
    assert first_words("水门关闭", 2) == "水门"


def test_the_first_words_are_the_text_up_to_there() -> None:
    assert first_words("One, two; three.", 2) == "One, two;"
    assert first_words("One, two; three.", 3) == "One, two; three."
