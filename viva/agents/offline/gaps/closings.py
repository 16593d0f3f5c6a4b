"""Completions of the plain tier: the phrase that closes a sentence is left out, and asked for.

No rule can know that a phrase of another sentence is wrong here: each says of itself that it is plain (`Tier.PLAIN`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from viva.agents.offline.distractors.likeness import OF_MUCH
from viva.agents.offline.gaps.proposal import Proposal
from viva.agents.offline.leaning import OF_SEVERAL
from viva.agents.offline.text.grammar import FINITE, NOUN, Token
from viva.agents.offline.text.phrases import NOUN_PHRASE, PURPOSE, Phrase, phrases_from
from viva.core.records import CLOSING_PHRASE, BloomLevel, QuestionType
from viva.core.text.words import content_words

_WORDS = range(1, 13)
_LEFT = 3
"""Content words of the statement that is left, at least: fewer fit too much."""
_NEAR = 3
"""Words before the gap that must not praise: 'can be helpful in ____' holds of much."""
_BEFORE = frozenset({"PRP", "PRF", "VVZ", "VVD", "VVB", "VVI", "VVN", "VBZ", "VBB", "VBD", "TO0"})
"""Tags of the word before a noun phrase that is whole: after 'and' it was cut off a list, after '-ing' off a name."""
_NO_VERB_AFTER = frozenset({"AT0", "DT0", "DPS", "POS"})
_IDIOMATIC = frozenset("default general particular practice fact place turn time part hand mind example".split())
"""Nouns that make an adverb with the preposition before them: 'by default' is no answer to 'by ____'."""
_LEAD_TO_A_NOUN = frozenset("lead due contribute relate refer amount respond access".split())
_MANY = {"object:be", f"{PURPOSE}:adjective"}
_KINDS = {
    "clause:because": (QuestionType.CAUSE, BloomLevel.UNDERSTAND),
    "clause:if": (QuestionType.CONDITION, BloomLevel.REMEMBER),
    "clause:when": (QuestionType.CONDITION, BloomLevel.REMEMBER),
    "clause:so-that": (QuestionType.PURPOSE, BloomLevel.UNDERSTAND),
    PURPOSE: (QuestionType.PURPOSE, BloomLevel.UNDERSTAND),
}


def closings(text: str, tokens: Sequence[Token]) -> Iterator[Proposal]:
    """'S V to its end' -> 'Which words complete this statement: “S V ____”?'"""
    phrase = closing_phrase(text, tokens)
    # what something is, or is easy to do, has a hundred true completions
    if phrase is None or phrase.form in _MANY or phrase.text.casefold() in _IDIOMATIC:
        return
    whole = text[tokens[0].start : tokens[-1].end]
    left, key = whole[: -len(phrase.text)].rstrip(), whole[-len(phrase.text) :]
    asked, answered = set(content_words(left)), set(content_words(key))
    if len(asked) < _LEFT or answered <= asked or OF_MUCH.search(" ".join(left.split()[-_NEAR:])):
        return
    kind, level = _KINDS.get(":".join(phrase.form.split(":")[:2]), (QuestionType.FACTOID, BloomLevel.REMEMBER))
    stem = f"Which words complete this statement: “{left} ____”?"
    yield Proposal(stem, key, phrase.form, kind, level, CLOSING_PHRASE, 0.2)


def closing_phrase(text: str, tokens: Sequence[Token]) -> Phrase | None:
    """The longest whole phrase after the verb that the sentence ends with."""
    verb = next((n for n, token in enumerate(tokens) if token.tag in FINITE), len(tokens))
    if any(token.tag == "CJS" for token in tokens[1:verb]):
        return None  # 'tuples, if they hold ...': the verb of the statement is still to come
    for at in range(verb + 1, len(tokens)):
        rest = text[tokens[at].start : tokens[-1].end]
        if len(rest.split()) not in _WORDS:
            continue
        for phrase in phrases_from(text, tuple(tokens), at):
            if phrase.text.casefold() == rest.casefold():
                before = tokens[at - 1]
                if _points_back(rest) or _lacks_verb(tokens[:at]):
                    return None
                if phrase.form != NOUN_PHRASE:
                    return Phrase(f"{phrase.form}:{_sort(before)}" if phrase.form == PURPOSE else phrase.form, rest)
                if before.tag in _BEFORE and before.text != "per" and not _in_a_name(tokens, at):
                    return Phrase(f"object:{_governor(before)}", rest)
    return None


def _points_back(phrase: str) -> bool:
    """'The provided text', 'the specified trait', 'others': which one was told before."""
    lowered = phrase.lower()
    return lowered in {"others", "both", "each"} or not OF_SEVERAL.isdisjoint(re.findall(r"\bthe ([\w-]+)", lowered))


def _lacks_verb(before: Sequence[Token]) -> bool:
    """'Tests fail when something in | the test function panics': the phrase has taken the clause's verb with it."""
    joins = [n for n, token in enumerate(before) if token.tag in {"CJS", "PNQ"}]
    return bool(joins) and not any(token.tag in FINITE or token.tag == "VVG" for token in before[joins[-1] + 1 :])


def _governor(token: Token) -> str:
    """What stands before the gap: phrases that stood after the same preposition fit it, or after some verb."""
    return token.text.casefold() if token.tag in {"PRP", "PRF", "TO0"} else _sort(token)


def _sort(token: Token) -> str:
    """'the best way ____', 'it helps ____', 'it is hard ____': what an infinitive depends on."""
    if token.tag in NOUN:
        return "noun"
    if token.tag.startswith("AJ"):
        return "adjective"
    if token.tag[:2] in {"VB", "VV"}:
        return "be" if token.tag[:2] == "VB" else "verb"
    return "other"


def _in_a_name(tokens: Sequence[Token], at: int) -> bool:
    """'End of | Year Awards', 'all the join | handles': what stands before the gap belongs to the name."""
    if at < 2:
        return False
    before = tokens[at - 2]
    if tokens[at - 1].tag == "VVI" and before.text == "to" and at > 2 and tokens[at - 3].lemma in _LEAD_TO_A_NOUN:
        return True  # 'can lead to account | takeover'
    torn = tokens[at - 1].tag.startswith("VV") and (
        before.tag in _NO_VERB_AFTER or before.text.endswith(("'s", "’s"))
    )
    return torn or (tokens[at].text[:1].isupper() and before.text[:1].isupper())
