"""Whether a sentence is none that can be asked about: torn by extraction, a label, a story's actor."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from viva.agents.offline.text.grammar import FINITE, Token, bare_name
from viva.agents.offline.text.vocabulary import Vocabulary

_OWNERS = frozenset({"persons", "providers", "patients", "doctors", "infants", "mothers", "adults", "womens"})
"""Before a singular noun, a genitive that lost its apostrophe: 'the persons skin'."""
_OPENING = 8


def is_torn(tokens: Sequence[Token], vocabulary: Vocabulary) -> bool:
    """Words that extraction spoilt, a heading that lost its line ('Expenses Employees claim'), a story's actor."""
    words = [token.text for token in tokens if not token.code]
    if any(word.lower() in vocabulary.spoilt for word in words) or _has_passing_name(words, vocabulary):
        return True
    return (
        _repeats_itself([word.lower() for word in words[:12]])
        or any(a.text in _OWNERS and b.tag == "NN1" for a, b in pairwise(tokens))
        or _lacks_article(tokens, vocabulary)
        or any(_opens_after_heading(a, b, vocabulary) for a, b in pairwise(tokens[:5]))
    )


def _lacks_article(tokens: Sequence[Token], vocabulary: Vocabulary) -> bool:
    """'Positive security model is ...', 'Diet Must limit ...': a note or a label, no sentence."""
    verb = next((n for n, t in enumerate(tokens[:_OPENING]) if t.tag in FINITE), None)
    if not verb or tokens[verb].tag in {"VVB", "VBB", "VHB", "VDB"} or tokens[verb].text == "are":
        return False
    named = next((n for n in range(1, verb + 1) if tokens[n].tag in {"PRF", "PRP"}), verb)
    noun = tokens[named - 1]
    if any(t.code or t.tag not in {"AJ0", "AJC", "NN1", "VVN", "VVG", "NN0", "UNC"} for t in tokens[:named]):
        return False
    return noun.text.islower() and noun.lemma.lower() in vocabulary.countable


def _has_passing_name(words: Sequence[str], vocabulary: Vocabulary) -> bool:
    """A story's actor is called by one name: 'Maria', not 'Maria Lopez'."""
    around = ["", *words, ""]
    return any(
        word in vocabulary.passing and not around[n][:1].isupper() and not around[n + 2][:1].isupper()
        for n, word in enumerate(words)
    )


def _opens_after_heading(before: Token, token: Token, vocabulary: Vocabulary) -> bool:
    if token.tag != "NN2" or not token.text[:1].isupper() or token.code or before.tag in {"AT0", "PRP", "PRF"}:
        return False
    return bare_name(token.text) not in vocabulary.names


def _repeats_itself(words: Sequence[str]) -> bool:
    """'Nephrotic Syndrome Nephrotic syndrome is ...': the heading, then the sentence."""
    return any(
        words[at : at + size] == words[at + size : at + 2 * size]
        for size in (1, 2, 3, 4)
        for at in range(len(words) - 2 * size + 1)
    )
