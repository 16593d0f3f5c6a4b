"""A statement turned into its contradiction: one side of a contrast exchanged for the other, all else as it was.

Only plain claims are turned. What holds "sometimes", or of "some", holds the other way as well, so a sentence with a
word that leaves room for both is not read. Of a sentence that names both sides nobody knows which to exchange.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from viva.agents.offline.contrast_values import other_values
from viva.agents.offline.patterns.contrast_pairs import CONTRASTS, Contrast
from viva.core.ids import rng

_LEAVES_ROOM = re.compile(
    r"\b(?:can|may|might|could|would|should|some|sometimes|often|many|several|few|also|perhaps|possibly|probably"
    r"|occasionally|frequently|either|neither|nor|both|even|only|vary|varies|variable|depend\w*|various|certain"
    r"|different|other|another|similar(?:ly)?|equal(?:ly)?|same|if|unless|whether|between|without|hardly"
    r"|rather than|instead of|unlike|whereas|while|although|though|but|except|compared|versus|vs|relatively|almost"
    r"|believe[ds]?|thought|suggests?|appears? to|seems?|suspect(?:ed)?|potential(?:ly)?|possible|theor(?:y|ies)"
    r"|hypothes[ie]s|helps?|involved|role|risks?|chances?|important|include|including|such as|like|estimated|shown"
    r"|susceptibility|likelihood of its|its likelihood)\b",
    re.IGNORECASE,
)
"""A claim with one of these need not be false when it is turned, or has two sides already."""
_DENIES = re.compile(r"\b(?:not|no|never|none|nothing|nobody|cannot)\b|n['’]t\b", re.IGNORECASE)
_DENIALS = (
    (re.compile(r"\b([Tt]here is) no (?:known )?(?=cure\b|evidence\b|treatment\b|test\b|way\b)"), r"\1 a "),
    (re.compile(r"\bcannot (?=be\b)"), "can "),
)
_OR_BEFORE = re.compile(r"\b(?:or|and) (?:[a-z]+ly )?$")
"""What is joined to it stays, and is at odds with the other side: 'loosens stool and decreases its flow'."""
_OR_ELSE = re.compile(r"\bor an? |\bare common causes\b")
"""Of 'an increase in the number or a change in the kind' the other half is still true."""
_BECAUSE = re.compile(r"\b(?:because|since|so that)\b")
"""The reason that follows would belong to the other side."""
_OPPOSITES = (("strong", "weak"), ("loose", "solid"), ("loose", "hard"), ("healthy", "sick"), ("full", "empty"))
"""Of 'strong muscles hold better than weak ones' nobody believes the contrary."""
_FORMS = 3
"""Letters by which a form of the exchanged word is known: 'viruses cause viral gastroenteritis'."""
_SHORTEST = 2
"""Letters of a word whose repetition tells nothing: 'in', 'a'."""
_VOWELS = frozenset("aeiouAEIOU")
_SECOND_CLAUSE = re.compile(
    r"\bto allow\b|^(?:When|In|For|After|Before|As)\b|,|\b(?:and|or)\b.*\b(?:not|no|cannot)\b"
)
"""What is denied beside something else, or under a condition, is not all that the sentence says."""


@dataclass(frozen=True)
class Turned:
    """A statement that contradicts the one it was made of; `contrast` names what was exchanged."""

    text: str
    contrast: str
    term: str = ""
    """the term that stands in place of the claim's own, if terms were exchanged"""


_COMPARED = re.compile(
    r"\b(?:more|less|fewer|higher|lower|greater|smaller|stronger|weaker|better|worse|larger|longer)\b"
)


def turned(text: str) -> list[Turned]:
    """Every contradiction of a plain claim that one exchange makes, the surest first."""
    if _LEAVES_ROOM.search(text) or len(_COMPARED.findall(text)) > 1 or _is_self_evident(text):
        return []  # of 'more friends and stronger ties' one turned is at odds with the other
    if _DENIES.search(text):
        return list(_affirmed(text))
    return [*_exchanged(text), *(Turned(other, name) for other, name in other_values(text))]


def _is_self_evident(text: str) -> bool:
    words = set(re.findall(r"[a-z]+", text.lower()))
    return "than" in words and any(words.issuperset(both) for both in _OPPOSITES)


def is_denial(text: str) -> bool:
    """Whether the statement says what is not so: among others that say what is so, that would be seen."""
    return bool(_DENIES.search(text))


def contradicts(text: str, statement: str) -> bool:
    """Whether the statement is the text turned: what says the opposite of a thing does not support it."""
    return any(opposite.text == statement for opposite in turned(text))


def _exchanged(text: str) -> Iterator[Turned]:
    for contrast in CONTRASTS:
        side = _only_side(text, contrast)
        if side is None:
            continue
        said = side.group()
        others = [other for other in contrast.sides if other != said.lower()]
        other = rng(0, "contrast", text).choice(others)
        yield Turned(_with(text, side, other.capitalize() if said[0].isupper() else other), contrast.name)


def _only_side(text: str, contrast: Contrast) -> re.Match[str] | None:
    """Where the one side that the sentence names stands, if it meets the contrast's condition."""
    anywhere = list(re.finditer(_any_of(contrast), text, re.IGNORECASE))
    if len(anywhere) != 1 or not contrast.found.search(text):
        return None
    before, said = text[: anywhere[0].start()], anywhere[0].group()
    if _OR_BEFORE.search(before) or _OR_ELSE.search(text) or _BECAUSE.search(text[anywhere[0].end() :]):
        return None
    first = said.split()[0].lower()
    if len(first) > _SHORTEST and len(re.findall(rf"\b{first}\b", text, re.IGNORECASE)) > 1:
        return None  # 'low levels of X, and low levels of Y': what is left gives it away
    others = re.findall(r"[a-z]{5,}", f"{before} {text[anywhere[0].end() :]}".lower())
    if len(contrast.sides) > 1 and any(word[:_FORMS] == first[:_FORMS] for word in others if len(first) > _FORMS):
        return None
    return anywhere[0]


def _any_of(contrast: Contrast) -> str:
    return rf"(?<![\w-])(?:{'|'.join(map(re.escape, contrast.sides))})(?![\w-])"


def _with(text: str, side: re.Match[str], other: str) -> str:
    """The text with the other side in place of this one, and the article that fits it."""
    before = text[: side.start()]
    article = re.search(r"\b([Aa])n? $", before)
    if article:
        before = before[: article.start()] + article[1] + ("n " if other[0] in _VOWELS else " ")
    return before + other + text[side.end() :]


def _affirmed(text: str) -> Iterator[Turned]:
    """What a denial denies."""
    if len(_DENIES.findall(text)) != 1 or _SECOND_CLAUSE.search(text):
        return
    for denial, affirmed in _DENIALS:
        found = denial.search(text)
        if found:
            yield Turned(denial.sub(affirmed, text), "denied / affirmed")
