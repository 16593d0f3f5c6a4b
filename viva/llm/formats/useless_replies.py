"""Replies that hold no answer, whatever was asked: in a row they end the run, with the words of the last."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass

from viva.core.calls import Outcome, Reply
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
