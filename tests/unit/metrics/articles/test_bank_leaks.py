"""Leaks of a question bank: questions word by word, and keys beside most of their question's words."""

from __future__ import annotations

from viva.metrics.articles.bank_leaks import leaks
from viva.metrics.text.rouge import rouge1_f1

QUESTION = ("q1", "When does the lock gate close before low water?", "35 minutes")


def found(text: str, *, keys: bool = True) -> list[str]:
    return [leak.what for leak in leaks([QUESTION], [("prompt.md", text)], keys=keys)]


def test_a_question_is_found_whatever_its_case_and_punctuation() -> None:
    assert found("Be sure to say: when does the lock gate close, before low water.") == ["question"]


def test_a_key_is_a_leak_only_beside_its_questions_words() -> None:
    assert found("When the lock gate does close, it is 35 minutes before low water.") == ["answer key"]
    assert found("Answer within 35 minutes.") == []


def test_in_an_article_an_answer_is_no_leak() -> None:
    assert found("The lock gate does close 35 minutes before low water, when it is due.", keys=False) == []


def test_a_short_question_is_no_proof() -> None:
    assert list(leaks([("q", "Who rang?", "")], [("p", "who rang")], keys=True)) == []


def test_rouge_1_counts_words_in_common() -> None:
    assert rouge1_f1(["lock", "gate", "red"], ["lock", "gate", "gate", "blue"]) == 4 / 7
    assert rouge1_f1([], ["lock"]) == 0
