"""Readers pick what the passages support, and guess evenly where there are none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from viva.agents.readers.option_reading import EmbeddingReader, LexicalReader
from viva.core.records import WorkedExample
from viva.llm.embeddings import SentenceTransformerEmbedder
from viva.metrics.text.cosines import Vectors

CASES = [
    (
        "How many vehicles does the Sundray Heron carry?",
        ("30 vehicles", "48 vehicles", "60 vehicles", "75 vehicles"),
        "The Sundray Heron carries 48 vehicles. The Morven Tern carries 30 vehicles.",
        1,
    ),
    (
        "Where are the spare keys kept?",
        ("Under the chart table", "Behind the bar", "In a sealed box on the bridge", "In the lamp room"),
        "Spare keys are kept in a sealed box on the bridge. Lamps hang in the lamp room.",
        2,
    ),
    (
        "Why does the bow door stay closed?",
        (
            "Because spray damages the seals",
            "Because the crew sleeps",
            "Because tickets are sold",
            "Because lamps are lit",
        ),
        "The bow door stays closed because spray damages the seals. The crew sleeps ashore.",
        0,
    ),
    (
        "Who founded the ferry co-operative?",
        ("Ruan Sayle", "Quill Dunlin", "Tamsin Roe", "Ada Brannoch"),
        "Ada Brannoch founded the ferry co-operative. Ruan Sayle repaired the engines.",
        3,
    ),
]


def even(word: str) -> float:
    return 1.0


@pytest.mark.parametrize(("stem", "options", "passage", "key"), CASES)
def test_the_lexical_reader_picks_the_supported_option(
    stem: str, options: tuple[str, ...], passage: str, key: int
) -> None:
    read = LexicalReader(even).read(stem, options, (passage,))
    assert read.choice == key
    assert read.because in passage


@pytest.mark.parametrize(("stem", "options", "passage", "key"), CASES)
def test_the_embedding_reader_picks_the_supported_option(
    stem: str, options: tuple[str, ...], passage: str, key: int, minilm: SentenceTransformerEmbedder
) -> None:
    assert EmbeddingReader(minilm).read(stem, options, (passage,)).choice == key


def test_the_embedding_reader_understands_what_is_said_in_other_words(minilm: SentenceTransformerEmbedder) -> None:
    passage = "The vessel's kitchen prepares warm food until nine in the evening."
    options = ("It sails to Ellery", "It cooks hot meals", "It stores ropes", "It rents bicycles")
    assert EmbeddingReader(minilm).read("What does the ship's galley do?", options, (passage,)).choice == 1


@pytest.mark.parametrize("passages", [(), ("Rust eats old pipes.",)])
def test_without_support_the_guess_favours_no_position(passages: tuple[str, ...]) -> None:
    reader = LexicalReader(even, seed=7)
    options = ("alpha", "beta", "gamma", "delta")
    counts = Counter(reader.read(f"Which one is number {n}?", options, passages).choice for n in range(400))
    # binomial(400, 1/4): four standard deviations around 100
    assert all(65 <= counts[position] <= 135 for position in range(4))


def test_a_guess_hangs_on_the_seed_and_the_stem_alone() -> None:
    options = ("alpha", "beta", "gamma", "delta")
    stems = [f"Which one is number {n}?" for n in range(40)]

    def guesses(seed: int) -> list[int]:
        return [LexicalReader(even, seed).read(stem, options, ()).choice for stem in stems]

    assert guesses(1) == guesses(1)
    assert guesses(1) != guesses(2)


def test_a_guess_gives_no_reason() -> None:
    assert LexicalReader(even).read("Which?", ("a", "b"), ()).because == ""


def test_worked_examples_change_the_setting_to_the_one_that_answers_them() -> None:
    # one sentence holds most of the stem and half of an option, the other little of the stem and all of an option
    context = "The Corran crane lifts barrels onto the quay. The Corran crane stands by paint, ropes and tar."
    stem, options = "What does the Corran crane lift onto a windy quay?", ("six barrels", "paint, ropes and tar")
    reader = LexicalReader(even)
    assert reader.read(stem, options, (context,)).choice == 0
    example = WorkedExample(stem=stem, options=options, key_position=1, context=context)
    assert reader.read(stem, options, (context,), (example,)).choice == 1


def test_examples_that_every_setting_answers_leave_the_first() -> None:
    stem, options, passage, key = CASES[0]
    example = WorkedExample(stem=stem, options=options, key_position=key, context=passage)
    asked, among, read, _ = CASES[1]
    reader = LexicalReader(even)
    assert reader.read(asked, among, (read,), (example,)) == reader.read(asked, among, (read,))


def test_the_embedding_reader_learns_from_examples_too(minilm: SentenceTransformerEmbedder) -> None:
    context = "The Corran crane lifts cargo. Paint, ropes and tar lie in a store."
    stem, options = "What does the Corran crane lift?", ("paint, ropes and tar", "Ashore")
    reader = EmbeddingReader(minilm)
    choices = {
        key: reader.read(
            stem, options, (context,), (WorkedExample(stem=stem, options=options, key_position=key, context=context),)
        ).choice
        for key in (0, 1)
    }
    assert choices == {0: 0, 1: 1}


class Elsewhere:
    """The model on another machine: the seventh decimal of a vector is another one, whenever it is asked."""

    def __init__(self, embedder: SentenceTransformerEmbedder, seed: int) -> None:
        self._embedder, self._draw = embedder, np.random.default_rng(seed)
        self.name, self.fingerprint, self.dimensions = "elsewhere", "elsewhere", embedder.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        exact = self._embedder.embed(texts).astype(np.float64)
        return (exact + self._draw.uniform(-2e-7, 2e-7, size=exact.shape)).astype(np.float32)

    def count_tokens(self, text: str) -> int:
        return self._embedder.count_tokens(text)


def test_the_last_digits_of_vectors_change_no_score_of_the_embedding_reader(
    minilm: SentenceTransformerEmbedder,
) -> None:
    passages = [passage for _, _, passage, _ in CASES]
    answers = [
        [
            EmbeddingReader(Elsewhere(minilm, seed)).read(stem, options, read)
            for stem, options, _, _ in CASES
            for read in (passages, ())
        ]
        for seed in range(3)
    ]
    assert answers[0] == answers[1] == answers[2]
