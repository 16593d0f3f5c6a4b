"""Offline expert answerer: finds the sentence a stem asks about and reads the answer off it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from viva.agents.offline.bank import Bank
from viva.agents.offline.expressions import expressions
from viva.agents.offline.grammar import tag
from viva.agents.offline.header import header_fields
from viva.agents.offline.prose import Sentence, sentences
from viva.agents.offline.statements import statement
from viva.agents.offline.words import content_words, stemmed
from viva.agents.roles import Source


class OfflineExpert:
    """Answers from the chunk alone; has seen neither key nor options."""

    def __init__(self, bank: Bank) -> None:
        self._bank = bank

    async def answer(self, stem: str, answer_form: str, source: Source) -> str | None:
        """The words of the best-matching sentence that answer the stem; None where no sentence matches."""
        asked = _asked(stem, source)
        if answer_form.startswith("field:"):
            return _field(stem, source)
        plain = [statement(s, source.document.title) for s in _sentences(source)]
        best = max(plain, key=lambda s: (self._covered(asked, s.text), -s.start), default=None)
        if best is None or self._covered(asked, best.text) < 0.5:
            return None
        return _typed(stem, answer_form, best) or _remainder(stem, best.text)

    def _covered(self, asked: Sequence[str], sentence: str) -> float:
        """Share of the stem's words, weighted by how telling they are, that the sentence holds."""
        total = sum(self._bank.weight(word) for word in asked)
        held = set(content_words(sentence))
        return sum(self._bank.weight(word) for word in asked if word in held) / total if total else 0.0


def _asked(stem: str, source: Source) -> list[str]:
    """The stem's content words without those that only name the scope."""
    words = content_words(stem)
    title = set(content_words(source.document.title))
    outside = [word for word in words if word not in title]
    return outside or words


def _sentences(source: Source) -> list[Sentence]:
    return sentences(source.document.text, source.chunk.start, source.chunk.end)


def _field(stem: str, source: Source) -> str | None:
    asked = set(content_words(stem)) - set(content_words(source.document.title))
    named = [entry for entry in header_fields(source.document) if set(content_words(entry.name)) <= asked]
    return named[0].value if len(named) == 1 else None


def _typed(stem: str, form: str, sentence: Sentence) -> str | None:
    wanted = form.replace("interval:", "quantity:")
    if wanted.split(":")[0] not in {"quantity", "money", "time", "date", "version", "id", "code"}:
        return None
    found = [e.text for e in expressions(sentence.text, tag(sentence)) if e.form == wanted]
    fresh = [text for text in found if text.lower() not in stem.lower()]
    return fresh[0] if fresh else None


def _remainder(stem: str, sentence: str) -> str | None:
    """The longest stretch of the sentence that the stem does not repeat."""
    asked = {stemmed(word.lower()) for word in re.findall(r"[\w.'’()-]+", stem)}
    words = sentence.rstrip(".!").split()
    stretches: list[list[str]] = [[]]
    for word in words:
        bare = stemmed(word.strip(".,;:'\"“”").lower())
        if bare in asked and len(bare) > 2:
            stretches.append([])
        else:
            stretches[-1].append(word)
    longest = max(stretches, key=len)
    return " ".join(longest) or None
