"""A causal language model of Hugging Face's transformers on this machine: log-likelihoods and greedy continuation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import Any
from weakref import WeakValueDictionary

from viva.examinees.answering import BadAnswerError
from viva.examinees.own_loop import in_thread
from viva.examinees.readers.likelihood import MOST_NEW_TOKENS
from viva.llm.causal_models import longest_of, model_at, tokenizer_at
from viva.llm.embedding_models import find_local
from viva.llm.embeddings import quiet

BATCH = 8
"""Texts at once."""

_loaded: WeakValueDictionary[Path, CausalModel] = WeakValueDictionary()


def causal_model(name: str) -> CausalModel:
    """The model; those that read with the same one share it. UsageError if it is not on this machine."""
    path = find_local(name, "causal language model")
    found = _loaded.get(path)
    if found is None:
        found = _loaded[path] = CausalModel(path)
    return found


class CausalModel:
    """One model on the CPU. Texts that are too long lose their beginning. Nothing is downloaded, no code is run.

    One thread of torch for the whole process: so the same machine gives the same bits.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = RLock()

    async def log_likelihoods(self, context: str, continuations: Sequence[str]) -> list[float]:
        """ln P(continuation | context) of each, summed over its tokens, in float32."""
        return await in_thread(lambda: self._log_likelihoods(context, continuations))

    async def continued(self, context: str) -> str:
        """The most likely next token, again and again, at most MOST_NEW_TOKENS times."""
        return await in_thread(lambda: self._continued(context))

    def _log_likelihoods(self, context: str, continuations: Sequence[str]) -> list[float]:
        with self._lock:
            pairs = [self._encoded(context, continuation) for continuation in continuations]
            batches = (pairs[start : start + BATCH] for start in range(0, len(pairs), BATCH))
            return [found for batch in batches for found in self._scored(batch)]

    def _encoded(self, context: str, continuation: str) -> tuple[list[int], int]:
        """The tokens of both together, cut to what the model takes, and how many of them are the continuation's."""
        before = len(self._tokens(context))
        whole = self._tokens(context + continuation)
        scored = len(whole) - before
        if not 0 < scored <= self._longest:
            raise BadAnswerError(
                f"The model's tokenizer makes {scored} tokens of an option; 1 to {self._longest} fit."
            )
        # the last token is only asked for, hence one more than the model takes
        return whole[-(self._longest + 1) :], scored

    def _scored(self, batch: Sequence[tuple[list[int], int]]) -> list[float]:
        import torch

        longest = max(len(tokens) for tokens, _ in batch) - 1
        # a causal model never looks at what stands to the right: any token will do there
        shown = torch.zeros((len(batch), longest), dtype=torch.long)
        for row, (tokens, _) in zip(shown, batch, strict=True):
            row[: len(tokens) - 1] = torch.tensor(tokens[:-1])
        with torch.inference_mode():
            logits = self._model(shown).logits
        found = []
        for row, (tokens, scored) in zip(logits, batch, strict=True):
            end = len(tokens) - 1
            near = torch.log_softmax(row[end - scored : end].float(), dim=-1)
            asked = torch.tensor(tokens[-scored:]).unsqueeze(-1)
            found.append(float(near.gather(-1, asked).sum()))
        return found

    def _continued(self, context: str) -> str:
        import torch

        with self._lock:
            room = max(1, self._longest - MOST_NEW_TOKENS)
            tokens = self._tokens(context)[-room:]
            shown = torch.tensor([tokens])
            with torch.inference_mode(), quiet():
                said = self._model.generate(
                    shown,
                    attention_mask=torch.ones_like(shown),
                    max_new_tokens=min(MOST_NEW_TOKENS, self._longest - len(tokens)) or 1,
                    do_sample=False,
                    num_beams=1,
                    pad_token_id=0,
                )
            return str(self._tokenizer.decode(said[0, len(tokens) :], skip_special_tokens=True))

    def _tokens(self, text: str) -> list[int]:
        # not verbose: a text that is too long is cut, and nothing to be warned of
        return [int(token) for token in self._tokenizer.encode(text, verbose=False)]

    @cached_property
    def _longest(self) -> int:
        """Tokens that the model takes."""
        return longest_of(self._model, self._tokenizer)

    @cached_property
    def _tokenizer(self) -> Any:
        return tokenizer_at(self._path)

    @cached_property
    def _model(self) -> Any:
        import torch

        torch.set_num_threads(1)
        return model_at(self._path)
