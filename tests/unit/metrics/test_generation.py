"""Exact match, ROUGE and BLEU against the libraries and by hand."""

from __future__ import annotations

import sys

import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from viva.core.errors import UsageError
from viva.metrics.generation import best_of, bleu, exact_match, rouge, sentence_bleu
from viva.metrics.overlap import token_f1

WORDS = st.lists(st.sampled_from("the pump is off Valve_2 closed, not. 3.5 bar".split()), max_size=12).map(" ".join)


def test_case_punctuation_and_articles_are_no_mismatch() -> None:
    assert exact_match("The pump, off!", "pump off")
    assert not exact_match("the pump is on", "the pump is off")


@given(WORDS, WORDS)
def test_rouge_is_the_librarys_on_ascii_texts(text: str, reference: str) -> None:
    found = rouge(text, reference)
    expected = RougeScorer(["rouge1", "rouge2", "rougeL"]).score(reference, text)
    for mine, theirs in ((found.one, "rouge1"), (found.two, "rouge2"), (found.longest, "rougeL")):
        assert (mine.precision, mine.recall, mine.f1) == pytest.approx(tuple(expected[theirs]))


def test_rouge_by_hand() -> None:
    # Lin (2004), 3.1: "police killed the gunman" against two candidates
    reference = "police killed the gunman"
    assert rouge("police kill the gunman", reference).longest.f1 == pytest.approx(3 / 4)
    assert rouge("the gunman kill police", reference).longest.f1 == pytest.approx(2 / 4)
    assert rouge("the gunman kill police", reference).two.recall == pytest.approx(1 / 3)


def test_letters_beyond_ascii_count() -> None:
    assert rouge("Die Prüfung läuft", "die prüfung läuft").one.f1 == 1
    assert rouge("клапан закрыт", "клапан открыт").one.f1 == 0.5


def test_nothing_in_common_scores_nothing() -> None:
    assert rouge("", "").one.f1 == rouge("a", "").one.f1 == 0


def test_bleu_is_sacrebleus() -> None:
    texts = ["the pump is off at three bar", "valves are checked in June"]
    references = [["the pump was off at three bar", "a pump is off"], ["valves are checked in May", "see June"]]
    streams = list(map(list, zip(*references, strict=True)))
    assert bleu(texts, references) == pytest.approx(sacrebleu.corpus_bleu(texts, streams).score / 100)
    assert sentence_bleu(texts[0], references[0]) == pytest.approx(
        sacrebleu.sentence_bleu(texts[0], references[0]).score / 100
    )


def test_texts_may_have_different_numbers_of_references() -> None:
    texts, one = ["the pump is off at three bar", "valves are checked in June"], "the pump was off at three bar"
    repeated = bleu(texts, [[one, one], ["valves are checked in May", "see June"]])
    assert bleu(texts, [[one], ["valves are checked in May", "see June"]]) == pytest.approx(repeated)


def test_the_same_text_is_perfect_and_another_is_not() -> None:
    text = "the pump is switched off at three bar"
    assert bleu([text], [[text]]) == pytest.approx(1)
    assert sentence_bleu("off", ["off"]) == pytest.approx(1)
    assert sentence_bleu("nothing alike here", [text]) < 0.1


def test_the_best_reference_counts() -> None:
    assert best_of(token_f1, "three bar", ["2 bar", "three bar"]) == 1
    assert best_of(exact_match, "three bar", ["2 bar", "4 bar"]) == 0


def test_bad_arguments_are_refused_in_words() -> None:
    with pytest.raises(UsageError, match="no reference"):
        best_of(token_f1, "a", [])
    with pytest.raises(UsageError, match="1 texts"):
        bleu(["a"], [])
    with pytest.raises(UsageError, match="0 texts"):
        bleu([], [])
    with pytest.raises(UsageError, match="has no reference"):
        sentence_bleu("a", [])


def test_a_library_that_is_not_installed_is_named_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rouge_score.rouge_scorer", None)
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics.bleu", None)
    with pytest.raises(UsageError, match=r"rouge-score.*'\.\[text-metrics\]'"):
        rouge("a", "a")
    with pytest.raises(UsageError, match=r"sacrebleu.*'\.\[text-metrics\]'"):
        sentence_bleu("a", ["a"])
