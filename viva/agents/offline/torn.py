"""Whether a sentence is none that can be asked about: torn, a label, of a story's actor or an example."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from viva.agents.offline import leaning
from viva.agents.offline.text.grammar import FINITE, NOUN, Token, bare_name
from viva.agents.offline.text.vocabulary import Vocabulary
from viva.core.markup import dialect_of, heading_lines
from viva.core.records import Document

_OWNERS = frozenset({"persons", "providers", "patients", "doctors", "infants", "mothers", "adults", "womens"})
"""Before a singular noun, a genitive that lost its apostrophe: 'the persons skin'."""
_OPENING = 8
_CODE = re.compile(r"(`+)([^`\n]+)\1")
_FEW, _SHARE = 3, 15
"""Documents that may share an example: one in so many, three at most."""
_MANY = 40
"""Documents from which on it tells something that only one of them uses a name."""


def example_names(documents: Sequence[Document]) -> dict[str, frozenset[str]]:
    """By document id: words that few documents have in code and no heading has; of many, those that no other has.

    Where such a word is a name in code, it is taken for one of the pages' own examples: nothing is asked about it.
    """
    words = {d.id: _words(d.text) for d in documents}
    code = {d.id: _in_code(d.text) for d in documents}
    used = Counter(word for found in words.values() for word in found)
    coded = Counter(word for found in code.values() for word in found)
    headings = "\n".join(line for d in documents for line in (d.title, *heading_lines(d.text, dialect_of(d.format))))
    headed, named = _words(headings), _in_code(headings)
    alone, few = int(len(words) >= _MANY), min(_FEW, len(words) // _SHARE)
    return {
        id_: frozenset(w for w in found - headed if used[w] <= alone)
        | frozenset(w for w in code[id_] - named if coded[w] <= few)
        for id_, found in words.items()
    }


def _in_code(text: str) -> frozenset[str]:
    return _words(" ".join(span.group(2) for span in _CODE.finditer(text)))


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text))


def cannot_be_asked_about(
    tokens: Sequence[Token], vocabulary: Vocabulary, examples: frozenset[str] = frozenset()
) -> bool:
    """Words that extraction spoilt, a heading that lost its line ('Expenses Employees claim'), a story's actor.

    `examples`: names that this document knows, and few or no others.
    """
    words = [token.text for token in tokens if not token.code]
    if any(word.lower() in vocabulary.spoilt for word in words) or _has_passing_name(words, vocabulary):
        return True
    if any(examples.intersection(re.findall(r"\w+", token.text)) for token in tokens if token.code):
        return True
    return (
        # emphasis that ends in another sentence
        any(word.strip("_") != word for word in (*words, *(token.text for token in tokens[:1])))
        or _has_short_name(tokens, vocabulary)
        or _repeats_itself([word.lower() for word in words[:12]])
        or any(a.text in _OWNERS and b.tag == "NN1" for a, b in pairwise(tokens))
        or _lacks_article(tokens, vocabulary)
        or any(_opens_after_heading(a, b, vocabulary) for a, b in pairwise(tokens[:5]))
        or any(_is_article_after_label(a, b) for a, b in pairwise(tokens[1:5]))
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


def _has_short_name(tokens: Sequence[Token], vocabulary: Vocabulary) -> bool:
    """'The Council meets monthly': it stands for a longer name, the Digital Council, that was told before."""
    around = [*tokens, None]
    return any(
        before.text.casefold() in {"the", "all"}
        and not token.code
        and bare_name(token.text) in vocabulary.heads
        and not leaning.is_known_definite(token.text.casefold())
        and (after is None or not after.text[:1].isupper())
        for before, token, after in zip(tokens, tokens[1:], around[2:], strict=False)
    )


def _opens_after_heading(before: Token, token: Token, vocabulary: Vocabulary) -> bool:
    if token.tag != "NN2" or not token.text[:1].isupper() or token.code or before.tag in {"AT0", "PRP", "PRF"}:
        return False
    return bare_name(token.text) not in vocabulary.names


def _is_article_after_label(article: Token, after: Token) -> bool:
    """'Description A token has ...': a label that lost its mark."""
    noun = after.tag in NOUN | {"AJ0", "VVB"} and after.text.islower()
    return article.text in {"A", "An", "The", "All", "Each", "Every", "Any"} and not article.code and noun


def _repeats_itself(words: Sequence[str]) -> bool:
    """'Nephrotic Syndrome Nephrotic syndrome is ...': the heading, then the sentence."""
    return any(
        words[at : at + size] == words[at + size : at + 2 * size]
        for size in (1, 2, 3, 4)
        for at in range(len(words) - 2 * size + 1)
    )
