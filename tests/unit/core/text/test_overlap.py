"""Token F1 and n-gram overlap behave as SQuAD's and as sets do."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viva.core.text.overlap import ngram_jaccard, normalised_tokens, token_f1


def test_tokens_lose_case_punctuation_and_articles() -> None:
    assert normalised_tokens("The “U.S.” Navy, a fleet (in $)!") == ("us", "navy", "fleet", "in")


def test_f1_counts_shared_tokens_with_repeats() -> None:
    assert token_f1("the red red pump", "red pump house") == pytest.approx(2 / 3)
    assert token_f1("Paris.", "paris") == 1.0
    assert token_f1("Paris", "London") == 0.0


def test_texts_without_tokens_equal_each_other_only() -> None:
    assert token_f1("the", "...") == 1.0
    assert token_f1("", "pump") == 0.0
    assert ngram_jaccard("", "a") == 1.0
    assert ngram_jaccard("", "pump") == 0.0


def test_jaccard_is_the_share_of_common_ngrams() -> None:
    assert ngram_jaccard("one two three four", "two three four five", n=3) == pytest.approx(1 / 3)
    assert ngram_jaccard("one two", "one two", n=3) == 1.0
    assert ngram_jaccard("one two", "two one", n=2) == 0.0
    assert ngram_jaccard("one two", "two one", n=1) == 1.0


@settings(max_examples=40)
@given(st.text(max_size=40), st.text(max_size=40), st.integers(1, 4))
def test_both_are_symmetric_shares_and_one_for_a_text_and_itself(first: str, second: str, n: int) -> None:
    assert token_f1(first, second) == token_f1(second, first)
    assert ngram_jaccard(first, second, n) == ngram_jaccard(second, first, n)
    assert 0 <= token_f1(first, second) <= 1
    assert 0 <= ngram_jaccard(first, second, n) <= 1
    assert token_f1(first, first) == 1.0
    assert ngram_jaccard(first, first, n) == 1.0
