"""`hf:` models: an instruct model of Hugging Face's transformers, run in this process. Nothing is downloaded."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from viva.core.calls import Call, Outcome, Reply, Usage
from viva.core.errors import UsageError
from viva.llm.calls import ProviderError
from viva.llm.causal_models import longest_of, model_at, tokenizer_at
from viva.llm.embedding_models import find_local
from viva.llm.embeddings import quiet

BATCH = 8
"""Conversations that are continued at once."""
_GATHER_S = 0.02
"""Seconds that a call waits for others to share its batch."""
_USUAL_REPLY = 1024
_KNOWN = {"temperature", "top_p", "max_tokens", "seed"}


@dataclass(frozen=True)
class _Waiting:
    call: Call
    reply: asyncio.Future[Reply]


class InProcessProvider:
    """One instruct model on the GPU, where torch finds one, else on the CPU; calls that wait are batched.

    At temperature 0 replies are greedy, and in another batch the last digits of floats may differ, and with them a
    reply; what was answered stays in the ledger. Replies that are drawn share no batch. No code of a model is run.
    """

    name = "hf"
    endpoint = ""

    def __init__(self, model: str) -> None:
        self.model = model
        self._path = find_local(model, "instruct model")
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="viva-hf")
        self._waiting: list[_Waiting] = []
        self._at_work: asyncio.Task[None] | None = None
        if not getattr(self._tokenizer, "chat_template", None):
            raise UsageError(
                f"The model {model} has no chat template: it was not trained to follow instructions.",
                allowed="An instruct or chat model, such as Qwen/Qwen3-1.7B.",
            )

    async def complete(self, call: Call) -> Reply:
        """The model's reply. ProviderError for a prompt that leaves no room, or a parameter that it has not."""
        if unknown := sorted(call.parameters.keys() - _KNOWN):
            raise ProviderError(Outcome.INVALID, f"a model run in process has no parameter {', '.join(unknown)}")
        waiting = _Waiting(call, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        if self._at_work is None or self._at_work.done():
            self._at_work = asyncio.create_task(self._work())
        return await waiting.reply

    async def aclose(self) -> None:
        """Stop after the batch at hand."""
        if self._at_work is not None:
            self._at_work.cancel()
        self._worker.shutdown(wait=False, cancel_futures=True)

    async def _work(self) -> None:
        """Batch after batch, of calls with the same parameters, the oldest first, while any wait."""
        await asyncio.sleep(_GATHER_S)
        while waiting := [each for each in self._waiting if not each.reply.done()]:
            # who has given up waiting is not worked for; drawn replies come each from a generator of its own
            first = waiting[0].call
            most = BATCH if _greedy(first) else 1
            batch = [each for each in waiting if each.call.parameters == first.parameters][:most]
            self._waiting = [each for each in waiting if each not in batch]
            loop = asyncio.get_running_loop()
            try:
                found = await loop.run_in_executor(self._worker, self._replies, [each.call for each in batch])
            except Exception as error:  # noqa: BLE001 - see below
                # a template's own errors, memory, broken weights: whatever it is, every call of the batch must end
                told = error if isinstance(error, UsageError) else _failed(error)
                found = [told] * len(batch)
            for each, reply in zip(batch, found, strict=True):
                if each.reply.done():
                    continue
                if isinstance(reply, Exception):
                    each.reply.set_exception(reply)
                else:
                    each.reply.set_result(reply)

    def _replies(self, calls: Sequence[Call]) -> list[Reply | Exception]:
        prompts = [self._prompt(call) for call in calls]
        wanted = int(str(calls[0].parameters.get("max_tokens") or _USUAL_REPLY))
        found: list[Reply | Exception] = [_too_long(len(prompt), self._longest) for prompt in prompts]
        fitting = [n for n, prompt in enumerate(prompts) if len(prompt) < self._longest]
        # beside a longer prompt a short one would have less room for its reply than alone
        roomy = max((len(prompts[n]) for n in fitting), default=0) + wanted <= self._longest
        for group in [fitting] if roomy and fitting else [[n] for n in fitting]:
            said = self._continued([prompts[n] for n in group], wanted, calls[group[0]])
            for n, reply in zip(group, said, strict=True):
                found[n] = reply
        return found

    def _prompt(self, call: Call) -> list[int]:
        messages = [{"role": m.role, "content": m.text} for m in call.messages]
        # a model that thinks aloud would spend its reply on it; templates that know no such switch pass it over
        text = self._tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, tokenize=False, enable_thinking=False
        )
        return [int(token) for token in self._tokenizer.encode(text, add_special_tokens=False, verbose=False)]

    def _continued(self, prompts: Sequence[Sequence[int]], wanted: int, call: Call) -> list[Reply]:
        import torch

        width = max(map(len, prompts))
        room = min(wanted, self._longest - width)
        shown = torch.full((len(prompts), width), self._pad, dtype=torch.long)
        seen = torch.zeros_like(shown)
        for row, mask, prompt in zip(shown, seen, prompts, strict=True):
            row[width - len(prompt) :] = torch.tensor(prompt)
            mask[width - len(prompt) :] = 1
        with torch.inference_mode(), quiet():
            said = self._model.generate(
                shown.to(self._model.device),
                attention_mask=seen.to(self._model.device),
                max_new_tokens=max(1, room),
                pad_token_id=self._pad,
                **_sampling(call),
            )
        return [self._reply(len(prompt), row[width:].tolist()) for prompt, row in zip(prompts, said, strict=True)]

    def _reply(self, read: int, tokens: Sequence[int]) -> Reply:
        ends = next((n for n, token in enumerate(tokens) if token in self._ends), None)
        kept = tokens if ends is None else tokens[:ends]
        text = str(self._tokenizer.decode(kept, skip_special_tokens=True)).strip()
        outcome = Outcome.TRUNCATED if ends is None else Outcome.ANSWERED if text else Outcome.EMPTY
        usage = Usage(read, len(kept))
        return Reply(text, outcome, "length" if ends is None else "stop", usage, cost=0.0)

    @cached_property
    def _ends(self) -> frozenset[int]:
        """Tokens that end a reply."""
        named = self._model.generation_config.eos_token_id
        listed = named if isinstance(named, list) else [named]
        return frozenset(int(token) for token in (*listed, self._tokenizer.eos_token_id) if token is not None)

    @cached_property
    def _pad(self) -> int:
        own = self._tokenizer.pad_token_id
        return int(own if own is not None else next(iter(sorted(self._ends)), 0))

    @cached_property
    def _longest(self) -> int:
        """Tokens of prompt and reply together."""
        return longest_of(self._model, self._tokenizer)

    @cached_property
    def _tokenizer(self) -> Any:
        return tokenizer_at(self._path)

    @cached_property
    def _model(self) -> Any:
        import torch

        found = model_at(self._path)
        return found.to("cuda") if torch.cuda.is_available() else found


def _sampling(call: Call) -> dict[str, Any]:
    """Greedy, or drawn by the call's own seed (its repeat is another call), as it or the model's maker says."""
    import torch

    if _greedy(call):
        # a model's own settings for sampling would be warned of
        return {"do_sample": False, "num_beams": 1, "temperature": None, "top_p": None, "top_k": None}
    torch.manual_seed(int(call.key[:15], 16))
    if "temperature" not in call.parameters:
        return {}
    temperature, top_p = (float(str(call.parameters.get(name, 1.0))) for name in ("temperature", "top_p"))
    return {"do_sample": True, "temperature": temperature, "top_p": top_p}


def _greedy(call: Call) -> bool:
    """Whether the likeliest token is wanted; without a temperature the model's own settings hold."""
    return float(str(call.parameters.get("temperature", 1.0))) <= 0


def _too_long(tokens: int, longest: int) -> ProviderError:
    return ProviderError(Outcome.TOO_LONG, f"the prompt has {tokens} tokens, the model takes {longest}")


def _failed(error: Exception) -> ProviderError:
    said = " ".join(str(error).split())[:200]
    return ProviderError(Outcome.INVALID, f"the model could not reply: {said}")
