"""Which sentences lean on their neighbours and so cannot be asked about alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from viva.agents.offline.text.grammar import NOUN, Token

_LEANING_START = frozenset(
    "this that these those it its they their he she his her him we our i my here such another"
    " other others both either neither one some several few none any same however therefore"
    " thus hence but and or so also then instead otherwise finally first second third secondly firstly"
    " similarly likewise furthermore moreover additionally besides nevertheless nonetheless meanwhile"
    " conversely alternatively again yes no not now note notice see once"
    " yet still even only perhaps maybe unfortunately currently sometimes usually often actually"
    " basically consequently accordingly where which who what why how please let suppose consider given"
    " example examples rather there there's there’s i.e e.g".split()
)
_LEANING_ANYWHERE = frozenset(
    "this these those i we our us my me he she him above below following former latter"
    " previous previously earlier later here today currently now recently"
    " presently nowadays respectively resulting you your yours yourself such author authors"
    " foo bar baz spam eggs ham abstract rationale appendix paragraph thereof then thereby example"
    " examples".split()
)
_PRONOUN = frozenset({"it", "they", "them", "its", "their", "itself", "themselves", "one", "ones", "that"})
# definite nouns that everybody knows without having been told which
_KNOWN_DEFINITE = frozenset(
    "interpreter compiler user users server client browser internet network kernel world web public"
    " community language government body brain blood heart skin liver operating-system application"
    " attacker runtime company organisation organization country cooperative staff weather"
    " crew eye eyes ear ears nose mouth tongue hands feet lungs kidney kidneys stomach bladder bowel spine"
    " bloodstream nerves muscles bones joints head neck chest abdomen environment person individual mind past future"
    " self".split()
)
_GENERIC = frozenset(
    "problem reason solution approach result idea change issue option value argument parameter object"
    " function method class module code implementation name type file string list item element feature"
    " syntax semantics behavior case way thing point difference advantage disadvantage"
    " alternative step goal purpose intent intention system process information data number set group"
    " kind part version note question answer mechanism concept decision choice requirement rule statement"
    " expression process technique functionality procedure protection medicine drug device tool"
    " test study model theory researcher client page flag field record entry support output message".split()
)
# 'the concrete implementation': an adjective does not yet say which
_TOLD_BEFORE = frozenset(
    "implementation solution approach result idea change issue option value argument specification case proposal"
    " vulnerability tissue sample signal message".split()
)
OF_SEVERAL = frozenset(
    "new old same second first third last next other proposed extra additional remaining corresponding main provided"
    " given specified specific associated passed-in relevant required desired resulting chosen actual".split()
)
"""'the main exceptions': an adjective that tells one from others that were told of before."""
_COMPARED_WITH = frozenset("over than to instead rather from".split())
_AFTER = {"so": re.compile("do|does|did|done|doing"), "question": re.compile("in")}
"""'Before doing so', 'the package in question': told before."""
_COUNTED_VAGUELY = frozenset("number variety range series lot couple kind sort host".split())
_VAGUE = frozenset(
    "likely probably perhaps maybe possibly presumably various several certain some many few other different"
    " similar multiple numerous appropriate adequate proper suitable thing things stuff".split()
)


def leans_at_start(tokens: Sequence[Token]) -> bool:
    """Whether the sentence opens with a word that points back."""
    if not tokens:
        return True
    first = tokens[0].text.lower()
    return first in _LEANING_START or (tokens[0].text[:1].islower() and not tokens[0].code)


def leans(tokens: Sequence[Token], known: frozenset[str] = frozenset()) -> bool:
    """Whether some word in the sentence can only be understood from outside it.

    `known` holds lower-case nouns that the question's scope makes definite ('the generator' in a
    question scoped to "Enhanced Generators").
    """
    for number, token in enumerate(tokens):
        word = token.text.lower().removesuffix("'s").removesuffix("’s")
        if token.code:
            if len(word) <= 2 or re.search(r"\b(?:foo|bar|baz|spam|eggs|ham|quux)\b", word):
                return True
            continue
        if word in _LEANING_ANYWHERE and not _is_numbered_name(tokens, number):
            return True
        if word in _PRONOUN and not _is_relative_that(tokens, number):
            return True
        if word == "their" and not _has_plural(tokens[:number]):
            return True
        if word == "both" and number + 1 < len(tokens) and tokens[number + 1].tag == "NN2":
            return True  # 'both values': which two was told before
        if word == "the" and _is_bare_definite(tokens, number, known):
            return True
        if token.lemma.lower() in {"prefer", "differ"} and not _is_compared(tokens):
            return True  # 'most people prefer the first': to what was told before
        if token.lemma.lower() in {"start", "begin"} and number + 1 < len(tokens) and tokens[number + 1].text == "by":
            return True  # a step of what was told before
        if word in _AFTER and number and _AFTER[word].fullmatch(tokens[number - 1].text.lower()):
            return True
    return False


def _is_compared(tokens: Sequence[Token]) -> bool:
    """Whether it says with what; 'to' of an infinitive says nothing."""
    pairs = zip(tokens, [*tokens[1:], None], strict=True)
    return any(
        token.text.lower() in _COMPARED_WITH and not (token.text == "to" and after and after.tag == "VVI")
        for token, after in pairs
    )


def _has_plural(tokens: Sequence[Token]) -> bool:
    return any(t.tag == "NN2" or t.text in {"and", "people", "who", "each", "every", "any"} for t in tokens)


def _is_numbered_name(tokens: Sequence[Token], at: int) -> bool:
    """'PEP 302' names something; 'this PEP' does not."""
    return at + 1 < len(tokens) and tokens[at + 1].tag == "CRD" and tokens[at].text[:1].isupper()


def _is_relative_that(tokens: Sequence[Token], at: int) -> bool:
    word = tokens[at].text.lower()
    if word in {"its", "their", "itself", "themselves"}:
        return at > 1
    return word == "that" and at > 0 and tokens[at].tag != "DT0"


def _is_bare_definite(tokens: Sequence[Token], at: int, known: frozenset[str]) -> bool:
    """'the argument' with nothing that says which argument."""
    noun = at + 1
    words = []
    while noun < len(tokens) and tokens[noun].tag in NOUN | {"AJ0", "ORD", "CRD", "AJS", "AJC", "VVN"}:
        words.append(tokens[noun])
        noun += 1
    if not words or any(word.code or word.tag == "NP0" for word in words):
        return False
    after = tokens[noun] if noun < len(tokens) else None
    if after is not None and (after.tag in {"PRF", "PNQ"} or after.text in {"that", "which", "who", "where", "'s"}):
        return False
    if after is not None and (after.code or after.tag == "NP0"):
        return False
    last = words[-1]
    if words[0].tag == "AJC":
        return True  # 'the longer it becomes, the more ...'
    if any(other.lemma.lower() == last.lemma.lower() for other in tokens[:at]):
        return False
    if len(words) == 1:
        noun_itself = last.lemma.lower()
        return noun_itself not in _KNOWN_DEFINITE and (noun_itself not in known or noun_itself in _GENERIC)
    if last.lemma.lower() in _TOLD_BEFORE and all(
        w.tag in {"AJ0", "AJS", "ORD", "VVN"} or w.text in {"default", "error"} for w in words[:-1]
    ):
        return True
    if words[0].text.lower() == "first" and after and (after.tag in {"VVN", "VVD", "TO0"} or after.text == "in"):
        return False  # 'the first hospice in the United States'
    return words[0].text.lower() in OF_SEVERAL


def is_vague(tokens: Sequence[Token]) -> bool:
    """Whether the words state nothing checkable ('several', 'likely', 'probably')."""
    words = [token.text.lower() for token in tokens]
    counted = any(first in _COUNTED_VAGUELY and second == "of" for first, second in pairwise(words))
    return counted or any(word in _VAGUE for word in words)


def is_known_definite(noun: str) -> bool:
    """Whether everybody knows which one 'the' noun is."""
    return noun in _KNOWN_DEFINITE


def mentions_place_in_document(text: str) -> bool:
    """Whether the words speak of the document instead of its subject."""
    return bool(
        re.search(
            r"\b(?:the|this|following|preceding|previous|next) (?:document|text|passage|section|page|chapter|article|"
            r"paragraph|table|figure|excerpt|proposal|author)s?\b"
            r"|\blines? \d|\b(?:above|below)\b(?! (?:zero|\d))|\bsee (?:also )?\b",
            text,
            re.IGNORECASE,
        )
    )


def names_something(stem: str) -> bool:
    """Whether a stem holds a name, an identifier or a number that pins down what it is about."""
    words = stem.rstrip("?").split()[1:]
    return any(re.search(r"[A-Z]|_|\(\)|[a-z]\.\w", word) for word in words)
