"""The line to one model: who answers at its other end, how well, and when its useless replies end the run."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from viva.core.calls import TRANSIENT, Outcome, Reply
from viva.core.errors import ModelAway, UsageError
from viva.llm.calls import CallFailed, Provider, ProviderError
from viva.llm.limits import AdaptiveLimit, Pacing
from viva.llm.roster import ModelName
from viva.llm.untrusted import one_line

_LONGEST_REFUSAL, _LONGEST_WORDS = 300, 200
_SORRY = r"(?:(?:i\W?m |i am )?(?:very |so )?sorry|unfortunately|i apologi[sz]e|as an ai\b[^.,]*)"
_CANNOT = r"(?:can(?:no|['’])?t|can not|(?:am|['’]m) (?:not able|unable) to|won['’]t|must decline to)"
_REFUSAL = re.compile(
    rf"\W*{_SORRY}?\W*(?:but )?i ?{_CANNOT} (?:to )?(?:assist|help|comply|fulfill?|do that|continue with)\b"
    r"|\W*(?:es )?tut mir leid\W.{0,20}\b(?:dabei|damit|das)\b.{0,30}\bnicht\b"
    r"|\W*(?:je suis )?désolée?\W.{0,20}\bne (?:peux|puis) pas\b.{0,20}\b(?:aider|répondre)"
    r"|\W*lo siento\W.{0,20}\bno puedo (?:ayudar|cumplir)",
    re.IGNORECASE,
)
_KINDS = {
    Outcome.TOOL_CALL: (
        "a tool call in place of words",
        "Switch its tools off at the server; another model may help.",
    ),
    Outcome.REFUSED: ("a refusal", "It refuses what viva asks; another model may help."),
    Outcome.TRUNCATED: (
        "cut off at the limit of its length",
        "Allow longer replies (VIVA_MAX_REPLY_TOKENS): a model that reasons first needs several thousand tokens.",
    ),
    Outcome.EMPTY: ("empty", "The server's own log may tell why; another model may help."),
}


def useless_kind(reply: Reply) -> Outcome | None:
    """The kind of a reply that holds no answer whatever was asked; a refusal may come as an answer's words."""
    if reply.outcome is Outcome.ANSWERED and len(reply.text) < _LONGEST_REFUSAL and _REFUSAL.match(reply.text):
        return Outcome.REFUSED
    return reply.outcome if reply.outcome in _KINDS else None


@dataclass
class UselessReplies:
    """How many replies in a row were of one useless kind."""

    kind: Outcome | None = None
    count: int = 0
    _counted_at: float = 0.0

    def add(self, reply: Reply, sent_at: float, *, lengthened: bool) -> None:
        """Take note of a reply to a request sent at this moment (time.monotonic).

        Of replies that were cut off at the usual length, those that were on their way together count as one: each
        is asked for again with more room, and that may do.
        """
        kind = useless_kind(reply)
        if kind is not self.kind:
            self.kind, self.count = kind, 0
        together = self.count and kind is Outcome.TRUNCATED and not lengthened and sent_at < self._counted_at
        if kind and not together:
            self.count += 1
            self._counted_at = time.monotonic()

    def are_too_many(self, reply: Reply, most: int) -> bool:
        """Whether this reply is one of so many in a row."""
        return self.count >= most and useless_kind(reply) is not None

    def words(self, reply: Reply) -> tuple[str, str]:
        """What to say of them, with the words of the last, and what to do."""
        kind, next_step = _KINDS[useless_kind(reply) or Outcome.EMPTY]
        last = one_line(reply.text, _LONGEST_WORDS)
        quoted = f"The last: “{last}”" if last else "The last had no words."
        return f"{self.count} replies in a row without an answer, each {kind}. {quoted}", next_step


OUTAGE = 3
"""Calls in a row that fail although retried: the server is away, and the run stops rather than lose more."""
REFUSALS = 8
"""Requests in a row that a model which has answered before calls invalid, or its replies of one useless kind."""


@dataclass
class ModelLane:
    """One model: its provider, and the limits kept towards it."""

    provider: Provider
    limit: AdaptiveLimit
    pace: Pacing
    answered: int = 0
    failed: int = 0
    """requests that brought no reply"""
    in_vain: int = 0
    """calls in a row that failed although retried, or were invalid"""
    useless: UselessReplies = field(default_factory=UselessReplies)

    def heard(self, role: str, reply: Reply, *, more_tokens: int) -> None:
        """The model has spoken; it took so many tokens more than expected."""
        self.answered += 1
        self.in_vain = 0
        self.limit.answered(role, reply.latency_s)
        self.pace.correct(more_tokens)

    @property
    def model(self) -> str:
        """The model in words."""
        name = f"{self.provider.name}:{self.provider.model}"
        return f"{name} at {self.provider.endpoint}" if self.provider.endpoint else name

    def given_up(self, error: ProviderError, last: Sequence[tuple[int, int]]) -> Exception:
        """What a call that failed for good means for its caller: one call lost, or the whole run at an end.

        `last` is how many had been answered and had failed when each of its last two requests was begun.
        """
        if error.outcome is Outcome.DENIED:
            return UsageError(
                f"{self.model} refuses to be asked: {error.detail}",
                next_step="See that the key, the account and the model's name are right; what was done is kept.",
            )
        if error.outcome in TRANSIENT or error.outcome is Outcome.INVALID:
            self.in_vain += 1
        answered, failed = last[0]
        # while it tried in vain nobody was answered, and others failed too: it is not the call
        away = self.answered == answered and self.failed - failed > len(last)
        if error.outcome in TRANSIENT and (away or self.in_vain >= OUTAGE):
            return ModelAway(f"{self.model} does not answer ({error.detail}).")
        if error.outcome is Outcome.INVALID and self.in_vain >= (REFUSALS if self.answered else OUTAGE):
            return UsageError(
                f"{self.model} takes no request of this form{' any more' if self.answered else ''}: {error.detail}",
                next_step="Some models refuse a temperature (--temperature default) or so long a reply "
                "(VIVA_MAX_REPLY_TOKENS).",
            )
        return CallFailed(error.outcome, error.detail)

    def gave_nothing(self, reply: Reply) -> UsageError:
        """That the run ends with this reply, which is as useless as those before it."""
        problem, next_step = self.useless.words(reply)
        return UsageError(f"{self.model} gave {problem}", next_step=next_step)


OpenLane = Callable[[ModelName], ModelLane]
