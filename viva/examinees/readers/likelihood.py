"""Choice by log-likelihood: the option that a causal language model finds likeliest after the question.

As lm-evaluation-harness does it (its multiple_choice tasks): the option follows "Question: ...\\nAnswer:" after one
blank; `acc` compares log-likelihoods as they are, `acc_norm` per character of the option, `acc_bytes` per byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from viva.core.records import Turn, WorkedExample
from viva.examinees.answering import Answer, NoAnswerError
from viva.examinees.readers.reading import bounded
from viva.examinees.specs.records import ScoreName

MOST_NEW_TOKENS = 160
"""Of an answer in words."""
_DECIMALS = 4
"""Of what is compared; further ones depend on the machine and on its threads."""
_PASSAGE = "Passage: {text}\n\n"
_QUESTION = "Question: {stem}\nAnswer:"


class CausalLanguageModel(Protocol):
    """A model that says how likely a text is after another, and how that goes on."""

    async def log_likelihoods(self, context: str, continuations: Sequence[str]) -> list[float]:
        """ln P(continuation | context) of each, natural logarithm. BadAnswerError where there is none."""

    async def continued(self, context: str) -> str:
        """What comes next, greedily, at most MOST_NEW_TOKENS tokens."""


class LikelihoodReader:
    """Chooses by log-likelihood; answers an open question by going on writing."""

    reads_history = True

    def __init__(self, model: CausalLanguageModel, score: ScoreName = "acc_norm") -> None:
        self._model = model
        self._score = score

    async def choose(
        self,
        stem: str,
        options: Sequence[str],
        texts: Sequence[str],
        examples: Sequence[WorkedExample],
        history: Sequence[Turn] = (),
    ) -> Answer:
        """The likeliest option; the first among equals. `meta` tells the score of each."""
        context = prompt_of(stem, texts, examples, history)
        found = await self._model.log_likelihoods(context, [f" {option}" for option in options])
        scores = np.round(np.array(found) / lengths_of(options, self._score), _DECIMALS)
        choice = int(np.argmax(scores))
        told = " ".join(f"{score:.{_DECIMALS}f}" for score in scores)
        return Answer(text=options[choice], choice=choice, meta={self._score: told})

    async def tell(
        self,
        question: str,
        texts: Sequence[str],
        examples: Sequence[WorkedExample],
        history: Sequence[Turn] = (),
    ) -> Answer:
        """What the model writes, up to the end of its paragraph. NoAnswerError where that is nothing."""
        said = await self._model.continued(prompt_of(question, texts, examples, history))
        text = said.strip().partition("\n\n")[0].partition("\nQuestion:")[0].strip()
        if not text:
            raise NoAnswerError("The model ended where its answer was to begin.")
        return Answer(text=bounded(text))


def prompt_of(
    stem: str, texts: Sequence[str], examples: Sequence[WorkedExample], history: Sequence[Turn] = ()
) -> str:
    """Solved questions, passages, the conversation, the question.

    Whoever reads no passages is shown none in the examples either.
    """
    solved = (
        f"{_PASSAGE.format(text=e.context) if texts else ''}{_QUESTION.format(stem=e.stem)} "
        f"{e.options[e.key_position]}\n\n"
        for e in examples
    )
    passages = (_PASSAGE.format(text=text) for text in texts)
    said = (f"Question: {turn.text}\n" if turn.role == "user" else f"Answer: {turn.text}\n\n" for turn in history)
    return "".join([*solved, *passages, *said, _QUESTION.format(stem=stem)])


def lengths_of(options: Sequence[str], score: ScoreName) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """By what log-likelihoods are divided: 1, or the option's characters or UTF-8 bytes, its blank not counted."""
    match score:
        case "acc":
            return np.ones(len(options))
        case "acc_norm":
            return np.array([float(max(1, len(option))) for option in options])
        case "acc_bytes":
            return np.array([float(max(1, len(option.encode("utf-8", "replace")))) for option in options])
