"""Whether what a definition says tells its term from others, and of which genus it is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from viva.agents.offline import leaning
from viva.agents.offline.genus import DOING, FORM_OF, UNSORTED
from viva.agents.offline.grammar import NOUN, Token
from viva.agents.offline.words import content_words

ARTICLES = frozenset({"a", "an", "the"})
EVALUATIVE = frozenset(
    "good bad nice great common simple bit sign very useful poor better best natural popular special minor"
    " major key reasonable valid important critical essential crucial vital primary main leading powerful effective"
    " valuable frequent second third first fundamental only concern target cornerstone topic alternative choice"
    " candidate challenge risk advantage disadvantage responsibility priority detail new recent modern typical"
    " possible potential serious next last same similar easy hard difficult ideal excellent perfect spiritual"
    " certain particular such another other way result example reason cause problem issue attempt goal idea lot"
    " most more less complication member aspect source subject core bedrock heart standard popular pro pros"
    " mistake reminder job following legendary foundation significant matter question answer thing trend mixture"
    " one successful reliable".split()
)
_TELLING = 5
"""Content words that a definition must have for it to fit one thing."""
_ROOT = 4


_APART = frozenset(
    "of that which who whose where when in for used by with from caused characterized characterised involving to"
    " containing consisting made designed based between located found marked occurring".split()
)


_AFTER_GENUS = _APART | {"on", "at"}


_ITS_OWN = frozenset("it its they their them itself themselves".split())


_VAGUE = frozenset("various several certain variety numerous something things occasionally".split())


_PEOPLE = frozenset("we us our you your one one's one’s".split())
"""Whom a definition may speak of: 'memory aids that help us organize information'."""


_DANGLING = frozenset("and or of the a an to in on at by for with from as that which who than is are was be".split())


_COMPARES = frozenset("broader narrower wider other rather instead".split())


_MARKS = re.compile(r"[()\[\]{}<>=:;“”\"*|…?#—]|https?|e\.g|i\.e")


_ANY_DISORDER = frozenset(
    word
    for each in "rare genetic inherited hereditary chronic progressive neurological disorder disease condition"
    " syndrome affects primarily mainly usually almost exclusively equally males females children infants newborn"
    " girls boys adolescent childhood adults people months old begins develops occurs often age years body group"
    " pediatric degenerative involves brain spinal cord nerve nerves nervous system central cells"
    " typically takes long features congenital birth before after first common person women men symptoms different"
    " parts causes caused developmental delay problems".split()
    for word in content_words(each)
)
"""Words that any illness is defined with: of whom it befalls and when, there are many."""


_DISTINCT = 4


def is_checkable(meaning: Sequence[Token]) -> bool:
    """Whether the words can be understood alone, say something checkable, affirm it, and end where they should."""
    if _leans(meaning):
        return False
    said = {t.text.lower() for t in meaning}
    words = " ".join(t.text for t in meaning)
    if (
        leaning.mentions_place_in_document(words)
        or leaning.is_unsure(meaning)
        or said & _VAGUE
        or meaning[-1].text.lower() in _DANGLING
    ):
        return False
    if said & {"not", "also", "no", "never"} or (said & _COMPARES and "than" not in said):
        return False
    # 'joined in a long': the noun was cut off
    torn = meaning[-1].tag in {"AJ0", "AT0"} and meaning[-2].tag in {"AT0", "AJ0"}
    return not torn and not any(_MARKS.search(t.text) for t in meaning)


def _leans(meaning: Sequence[Token]) -> bool:
    """Whether a word points out of the definition: to people, and to nouns of its own, it may point."""
    kept = [t for n, t in enumerate(meaning) if t.text not in _PEOPLE and not (n > 2 and t.text in _ITS_OWN)]
    return leaning.leans(kept, frozenset(t.lemma.lower() for t in meaning))


def genus_of(predicate: Sequence[Token]) -> str | None:
    """The noun before what sets the thing apart; of 'a form of psychotherapy' psychotherapy."""
    if len(predicate) < 3:
        return None
    if predicate[0].tag == "VVG":
        return DOING
    start = 1 if predicate[0].text.lower() in ARTICLES else 0
    at = next((n for n, _ in enumerate(predicate) if n > start and _ends_genus(predicate, n)), None)
    if at is None or at > 8:
        return None
    opening = predicate[start:at]
    noun = opening[-1]
    if any(t.tag in {"PRP", "PRF", "TO0"} or t.text in {"to", "of"} for t in opening):
        return None  # 'present in the stool'
    if any({t.text.lower(), t.lemma.lower()} & EVALUATIVE for t in opening) or noun.lemma.lower() in UNSORTED:
        return None
    if noun.lemma.lower() in FORM_OF and predicate[at].text == "of":
        return genus_of(predicate[at + 1 :])
    apart = any(t.text.lower() in _APART or t.tag in {"VVN", "VVG"} for t in predicate[at:])
    return noun.lemma.lower() if apart else None


def _ends_genus(tokens: Sequence[Token], n: int) -> bool:
    token = tokens[n]
    ends = token.text.lower() in _AFTER_GENUS or token.tag in {"VVN", "VVG", "PRP", "PRF"} or token.text == ","
    return ends and tokens[n - 1].tag in NOUN


def has_distinct(meaning: str, least: int) -> bool:
    """Whether so many of its words are none that every illness is defined with: of few, other terms fit them too."""
    return sum(word not in _ANY_DISORDER for word in set(content_words(meaning))) >= least


def tells(term: str, meaning: str) -> bool:
    """Whether the meaning says enough, and does not give the term away."""
    said = set(content_words(meaning))
    if len(said) < _TELLING or not has_distinct(meaning, _DISTINCT):
        return False
    return not gives_away(term, meaning)


def gives_away(term: str, meaning: str) -> bool:
    """Whether term and meaning share a root, or the meaning spells the term's initials."""
    parts = [part for word in content_words(term) for part in re.split(r"[-/]", word)]
    own = {part[:_ROOT] for part in parts if len(part) > 2}
    # 'the cerebral cortex and the basal ganglia' spell out 'corticobasal'
    if any(len(word) >= _ROOT and word[:_ROOT] in part[1:] for word in content_words(meaning) for part in parts):
        return True
    said = {part[:_ROOT] for word in content_words(meaning) for part in re.split(r"[-/]", word)}
    if not own or own & said:
        return True
    letters = re.sub(r"[^a-z]", "", term.lower())
    short = len(term) <= 6 and sum(letter.isupper() for letter in term) > 1
    return short and set(letters) <= {w[0].lower() for w in re.findall(r"[A-Za-z]+", meaning)}
