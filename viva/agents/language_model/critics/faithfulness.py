"""Faithfulness: the share of an answer's claims that the source supports. Of copied sentences a rule can tell."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Annotated

from pydantic import BaseModel, Field

from viva.agents.language_model.asks import READS, Asks, Brief, passage
from viva.agents.language_model.context import place_of, shown
from viva.agents.language_model.critics.grounds import negated
from viva.agents.language_model.evidence import EvidenceFinder, bare_sentence, sentences
from viva.agents.language_model.replies import LONGEST_REASON
from viva.agents.roles import Source
from viva.core.errors import RoleFailed
from viva.core.records import Draft, ExpertAnswer, ItemKind, Verdict, as_conversation
from viva.core.settings import Settings
from viva.core.text.languages.phrase_lookup import phrases
from viva.core.text.overlap import stemmed
from viva.llm.untrusted import one_line

_POINTING = frozenset("it its this that these those they them their he she his her him there such latter".split())
_MOST_NAMED = 2
_EDGES = ".,;:!?()[]'\"“”«»"
# words that, beside the key, make it say more or less than the sentence does; without accents, as they are compared
_BESIDE = frozenset(
    "about almost approximately around below above over under nearly roughly least most than to or and between until"
    " except unless only - etwa rund fast uber unter mindestens hochstens als bis oder und ausser nur environ presque"
    " moins plus que ou et sauf seulement unos casi cerca menos mas o y hasta excepto solo sobre".split()
)


_TURNING = frozenset(
    "not no never neither nor none without cannot only except unless if when whenever where wherever while until till"
    " after before since provided whether but or than may might must should shall can could would need about almost"
    " approximately around over under nearly roughly least most less more fewer all every each any some both either"
    " above below usually often sometimes".split()
)
"""English words that change what a sentence claims, where they are added or left out."""
_SHARED = 0.5
"""Share of a sentence's words that must be in the source's sentence, in its order."""


class Claim(BaseModel):
    """One statement of an answer, held against the passage."""

    claim: str = Field(description="one short sentence")
    evidence: str = Field(description="the words of the passage that support it, or what is missing")
    supported: bool


BRIEF = Brief(
    role="judge.faithfulness",
    prompt="judge_faithfulness",
    reads={
        **READS,
        "question": "as a user asks it",
        "answer": "in a few words",
        "reference": "the answer in one or two sentences",
    },
    gives={"claims": (Annotated[list[Claim], Field(min_length=1)], "all statements of answer and reference")},
)


_EARLIER = {"conversation": "what was asked and answered before; the question follows on it"}
_CLAIMS = {
    "earlier_claims": (
        Annotated[list[Claim], Field(min_length=1)],
        "all statements of the assistant's answer in the conversation, held against the passage like the others",
    )
}
FOLLOWING = replace(BRIEF, reads={**BRIEF.reads, **_EARLIER}, gives={**BRIEF.gives, **_CLAIMS})
"""Of a follow-up: the answer that was given before must be supported as well."""


class FaithfulnessCritic:
    """Passes an answer of whose claims the source supports a share of `settings.min_faithfulness` or more."""

    name = "faithfulness"

    def __init__(self, asks: Asks, settings: Settings) -> None:
        self._asks = asks
        self._least = settings.min_faithfulness

    async def judge(self, draft: Draft, answer: ExpertAnswer | None, source: Source) -> Verdict:  # noqa: ARG002
        """No call for what is copied. RoleFailed where the model finds no claim to take a share of."""
        if draft.kind is ItemKind.UNANSWERABLE:
            return Verdict(critic=self.name, passed=True, reason="It claims nothing that a passage could support.")
        if copied(draft.key, draft.reference_answer, source, draft) and _all_copied(draft, source):
            return Verdict(critic=self.name, passed=True, reason="The passage says so in these words.", score=1.0)
        answered = {"question": draft.stem, "answer": draft.key, "reference": draft.reference_answer}
        if draft.history:
            conversation = {"conversation": as_conversation(draft.stem, draft.history)}
            said = await FOLLOWING.ask(self._asks, {**passage(source), **answered, **conversation})
            invented = [claim for claim in said.earlier_claims if not claim.supported]
            if invented or not said.earlier_claims:
                return self._unsupported_before(invented)
        else:
            said = await BRIEF.ask(self._asks, {**passage(source), **answered})
        if not said.claims:
            raise RoleFailed("no_claims", "The faithfulness judge found no claim in the answer.")
        unsupported = [claim for claim in said.claims if not claim.supported]
        share = (len(said.claims) - len(unsupported)) / len(said.claims)
        passed = share >= self._least
        doubts = "; ".join(f"{one_line(c.claim, 200)}: {one_line(c.evidence, 200)}" for c in unsupported)
        reason = f"{share:.0%} of {len(said.claims)} claims are supported."
        return Verdict(
            critic=self.name,
            passed=passed,
            reason=f"{reason} Not: {one_line(doubts, LONGEST_REASON)}" if unsupported else reason,
            code="" if passed else "unfaithful",
            blames="key",
            score=share,
        )

    def _unsupported_before(self, claims: Sequence[Claim]) -> Verdict:
        doubts = one_line("; ".join(f"{c.claim}: {c.evidence}" for c in claims), LONGEST_REASON)
        told = f"The passage does not support the first answer. {doubts} Let it say what the passage says."
        return Verdict(critic=self.name, passed=False, reason=told, code="unfaithful_history", score=0.0)


def _all_copied(draft: Draft, source: Source) -> bool:
    """Tell whether the assistant's earlier turns are made of sentences of the source, or nearly so."""
    evidence = EvidenceFinder(source)
    said = [sentence for turn in draft.history if turn.role == "assistant" for sentence in sentences(turn.text)]
    return all(evidence.states(sentence) or _keeps_close(sentence, source, draft) for sentence in said)


def copied(key: str, reference: str, source: Source, draft: Draft | None = None) -> bool:
    """Tell whether the reference is made of sentences of the source, and one of them holds the key for what it is.

    Whole sentences keep their negations and conditions; names may take the place of "it" and the like, and words of
    the draft's question may be put in or left out. A key says less than its sentence where that denies something, or
    where "about", "at least", "or", "to" and the like adjoin it: then a judge must read both.
    """
    evidence, said = EvidenceFinder(source), sentences(reference)
    if not said or not all(
        evidence.states(sentence)
        or _named_in_full(sentence, source)
        or (draft is not None and _keeps_close(sentence, source, draft))
        for sentence in said
    ):
        return False
    return any(
        not negated(sentence) and (_holds(sentence, key) or _inflects(sentence, key, draft)) for sentence in said
    )


def _inflects(sentence: str, key: str, draft: Draft | None) -> bool:
    """Tell whether the content words of an English key follow each other in the sentence, in any form.

    No word that changes a claim may be between or next to them.
    """
    known = phrases("en")
    if draft is None or draft.language != "en" or known is None:
        return False
    among = _words(sentence)
    meaning = [n for n, word in enumerate(among) if word not in known.function_words]
    stems = [stemmed(among[n], known.endings) for n in meaning]
    wanted = [stemmed(word, known.endings) for word in _words(key) if word not in known.function_words]
    starts = (
        [n for n in range(len(stems) - len(wanted) + 1) if stems[n : n + len(wanted)] == wanted] if wanted else []
    )
    ends = [(meaning[n], meaning[n + len(wanted) - 1] + 1) for n in starts]
    turning, beside = _TURNING - set(_words(key)), _BESIDE - set(_words(key))
    return any(
        turning.isdisjoint(among[max(0, start - 2) : end + 1])
        and beside.isdisjoint(among[max(0, start - 1) : end + 1])
        for start, end in ends
    )


def _keeps_close(sentence: str, source: Source, draft: Draft) -> bool:
    """Tell whether it is an English sentence of the source with words of question and place put in or left out.

    The order is kept, and no word that changes a claim is among those put in or left out.
    """
    known = phrases(draft.language)
    if draft.language != "en" or known is None:
        return False
    words, asked = _words(sentence), {*_words(draft.asked), *_words(draft.subject), *_words(place_of(source))}
    return any(
        _takes_from(_words(stated), words, asked, known.function_words)
        for part in source.parts
        for stated in sentences(shown(Source(part.chunk, part.document)).text)
    )


def _takes_from(stated: list[str], words: list[str], asked: Collection[str], function_words: Collection[str]) -> bool:
    """Tell whether the words are those stated, in order, but for words of the question and function words.

    None that changes a claim is left out, and no word that carries meaning is moved or replaced: "in winter" and
    "refuses to" change a claim, too, and the question may name two things, or figures, in another order.
    """
    matches = SequenceMatcher(None, stated, words, autojunk=False).get_opcodes()
    changed = [(set(stated[a:b]), set(words[c:d])) for tag, a, b, c, d in matches if tag != "equal"]
    dropped, added = ({word for change in changed for word in change[side]} for side in (0, 1))
    meant = {*stated, *words} - set(function_words)
    return (
        sum(d - c for tag, _, _, c, d in matches if tag == "equal") >= _SHARED * len(words)
        and (dropped | added) & meant <= set(asked)
        and added & _TURNING <= set(asked)
        and _TURNING.isdisjoint(dropped)
        and meant.isdisjoint(dropped & added)
        and not any(old & meant and new & meant for old, new in changed)
    )


def _named_in_full(sentence: str, source: Source) -> bool:
    """Whether it is a sentence of the source in which names, of the source or its place, stand for pointing words.

    All else must be equal, in its order.
    """
    words = _words(sentence)
    known = {*_words(shown(source).text), *_words(place_of(source))}
    return source.second is None and any(_fills(_words(told), words, known) for told in sentences(shown(source).text))


def _fills(told: list[str], words: list[str], known: set[str]) -> bool:
    """Whether the words are those told, but that one pointing word or two gave way to known ones."""
    matches = SequenceMatcher(None, told, words, autojunk=False).get_opcodes()
    changed = [(told[a:b], words[c:d]) for tag, a, b, c, d in matches if tag != "equal"]
    return 1 <= len(changed) <= _MOST_NAMED and all(
        old and new and _POINTING.issuperset(old) and known.issuperset(new) for old, new in changed
    )


def _holds(sentence: str, key: str) -> bool:
    """Whether the words of the key stand in the sentence in a row, and nothing beside them changes their sense."""
    words, among = _words(key), _words(sentence)
    ends = [(n, n + len(words)) for n in range(len(among) - len(words) + 1) if among[n : n + len(words)] == words]
    beside = [{*among[max(0, start - 1) : start], *among[end : end + 1]} for start, end in ends]
    return bool(words) and any(_BESIDE.isdisjoint(neighbours) for neighbours in beside)


def _words(text: str) -> list[str]:
    """Words as they are compared; signs inside and before them count: 1.5 is not 15, and -5 not 5."""
    words = (word.strip(_EDGES) for word in bare_sentence(text).split())
    return [word for word in words if word and word not in {"a", "an", "the"}]
