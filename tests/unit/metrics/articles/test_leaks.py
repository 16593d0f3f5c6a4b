"""Leaks of a question bank: questions that an article repeats word by word."""

from __future__ import annotations

from viva.core.records.articles import BankQuestion
from viva.metrics.articles.leaks import leaks

QUESTION = BankQuestion(id="q1", stem="When does the lock gate close before low water?", key="35 minutes")


def test_a_question_is_found_whatever_its_case_and_punctuation() -> None:
    (leak,) = leaks([QUESTION], "ada", "Be sure to say: when does the lock gate close, before low water.")
    assert (leak.question_id, leak.where) == ("q1", "ada")
    assert leak.quote == "when does the lock gate close before low water"


def test_an_answer_is_no_leak() -> None:
    assert not list(leaks([QUESTION], "ada", "The lock gate does close 35 minutes before low water, when it is due."))


def test_a_short_question_is_no_proof() -> None:
    assert not list(leaks([BankQuestion(id="q", stem="Who rang?")], "ada", "Who rang? I do not know."))
