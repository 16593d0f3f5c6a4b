"""Plain claims of the corpus: sentences that can be read alone and that an exchange turns into the contrary."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from viva.agents.offline import leaning
from viva.agents.offline.contrasts import Turned, is_denial, turned
from viva.agents.offline.grammar import FINITE, Token
from viva.agents.offline.patterns.base import Reading, is_plain
from viva.agents.offline.prose import Sentence

_FEWEST, _MOST = 7, 28
"""Words."""
_LONGEST = 158
"""Characters: an option may have 160."""
_OF_ONE_STUDY = re.compile(
    r"\b(?:stud(?:y|ies)|surveys?|researche?r?s?|trials?|participants?|respondents|reviewers?|found|reports?|reported"
    r"|revealed|recommends?|et al|identified|experts?|scientists?)\b",
    re.IGNORECASE,
)
_PAST = frozenset({"VVD", "VBD", "VHD", "VDD"})
_HEADED = re.compile(r"[a-z] (?:[A-Z][a-z]+ )*(?:A|An|The|In|To|For|Most|Some|Many|When|If|Because|Having|Having) ")
"""'Cushing's Syndrome Most cases of': a heading that lost its line."""
_LOOSE = re.compile(
    r"^All "
    r"|\b(?:always|never|everyone|nobody|completely|entirely|website|information|discusse[ds]|described|considered"
    r"|best|worst|good|bad|wants?|must|will|page|book|call|contact|cost|pay|insurance|plan|in addition|in turn"
    r"|indeed|overall|however)\b"
    r"|\b(?!here|there|forth)[a-z]{4,}(?:with|particularly|especially)\b"
    r"|\bfewer\b(?!.*\bthan\b)|, so\b|\bthus\b|\bterms,|\bdie (?:before|after|by|within)\b|\bha(?:s|ve) been\b"
    r"|[a-z]\.\d|\beffective\b|\b(?:over|under)(?:stat|estimat|emphasi)\w+|\bby definition\.|\b(?:is|are)\.$"
    r"|\d\.\d\.$|[,:;]\.$|(?:includes?|when|based on|with|by|of|to)\.$|[/%&#@]",
    re.IGNORECASE,
)
"""What claims too much to be believed of an option, is no fact of the subject, or was cut short."""
_REPEATED = re.compile(r"^(?:\S+ ){0,4}?([A-Za-z]{5,})(?: \S+){0,3}? (?:\S+-)?\1\b", re.IGNORECASE)
"""'Anemia and Erythropoietin Anemia is': a heading before its sentence."""
_PART = re.compile(r"^(?:One|Two|Three|Most|Some|Many|Half) of the ")
_OF_WHAT = re.compile(
    r"^(?:In (?:chronic|severe|mild|acute) forms, |Early |The )?(?:symptoms?|signs?|onset|treatment|surgery|attacks?"
    r"|episodes?|diagnosis|prognosis|cases|patients|death|older)\b(?! of)"
    r"|\baffected (?:child|infant|individual|person|people)",
    re.IGNORECASE,
)
"""'Symptoms usually appear ...': of which disease, a sentence before says."""
_DEFINITE = re.compile(r"^(?:The|A|An) ([a-z]+) (?:[a-z]+ly )?(?:is|are|has|have|[a-z]+(?<!ou)s)\b")
_DANGLING = re.compile(
    r"^\d+(?:\.\d+| \d)|\bVerify that\b|\bf[fil]{1,2} [a-z]{3,}"
    r"|^(?:[Tt]he |[Ww]hen the |[Ll]arge numbers of )?(?:white|red) blood cells\b"
    r"|\b[Tt]heir?\b"
    r"|\b(?:the|these|this) (?:disorder|disease|condition|syndrome|infection|tumor)s?\b(?! (?:of|called|known))"
    r"|^(?:Disability|Progression|Weakness|Healing|Users|The reason|The food|Generally|Arms|Legs)\b"
    r"|\b(?:complications?|symptoms?|signs?|causes?|treatments?|features?)\.$"
    r"|\bthe (?:food|patient|health care provider|skin tissue)\b|(?<!,)(?<! of)(?<! in)(?<! is) the first part\b"
    r"|^The (?:small|large) intestine (?:usually |is |and )?(?:swells|heals|filled|anus)\b"
    r"|^(?:Males|Females|Men|Women|Boys|Girls|Children|Adults) are (?:more|less) (?:\w+ )?affected"
    r"|\b(?:is|are) (?:common|rare) in (?:adolescents|adults|children|infants|men|women)\b"
)
"""What it is, of which the text speaks, another sentence says: 'The white blood cells cause chronic inflammation.'"""
_GLUED = re.compile(
    r"^(?:[A-Z][a-z]{3,} ){2,}[A-Z]?[a-z]{3,}(?:ive|al|ic|ed) [a-z]|^[A-Z]{2,} [A-Z][a-z]+ [a-z]+ \w+ is\b"
)
"""'Radioiodine Therapy Radioactive iodine': a heading that ran into its sentence."""
_PARTS = frozenset("hypothalamus hippocampus amygdala thalamus cerebellum cortex pancreas colon".split())
_CLAUSED = re.compile(r"\b(?:that|who|which|whose|where|when|because|so)\b")


@dataclass(frozen=True)
class Claim:
    """A sentence at [start, end) of its document that `turned` contradict, the surest first."""

    text: str
    document_id: str
    chunk_id: str
    start: int
    end: int
    turned: tuple[Turned, ...]
    nouns: frozenset[str] = frozenset()
    """what it speaks of: its nouns in the singular, lower case"""
    repeats_its_term: bool = False
    """whether it repeats a word of its term, or everybody knows the term, so that it is seen to be so"""
    term: str = ""
    """the term that it says something of, if it says what a term is"""
    was_turned: bool = False
    """whether a set shows it turned already, so that as a key it would tell that set's wrong option"""

    @property
    def may_be_key(self) -> bool:
        """Whether it says what is so, as the turned ones beside it do, and does not show it by its words."""
        return not (is_denial(self.text) or self.repeats_its_term or self.was_turned)


def nouns_of(tokens: Sequence[Token]) -> frozenset[str]:
    """The plain nouns of a sentence that could be its topic."""
    return frozenset(
        t.lemma.lower()
        for t in tokens
        if t.tag in {"NN1", "NN2"} and t.text.islower() and t.lemma.isalpha() and not leaning.is_generic(t)
    )


def contradictions(
    plain: Sentence, tokens: Sequence[Token], known: frozenset[str], widespread: frozenset[str] = frozenset()
) -> tuple[Turned, ...]:
    """How a sentence can be turned; none where it is no plain claim that can be read alone. English only.

    `widespread`: nouns of so many documents that alone they do not tell which things are meant.
    """
    text = plain.text
    if plain.illustrates or not text.endswith(".") or len(text) > _LONGEST:
        return ()
    if not _FEWEST <= len(text.split()) <= _MOST or _is_loose(text):
        return ()
    if tokens[0].lemma.lower() in widespread and tokens[1].tag in FINITE:
        return ()  # 'Permissions are directly assigned': where, another sentence says
    found = tuple(turned(text))
    return found if found and _stands_alone(text, tuple(tokens), known) else ()


def _is_loose(text: str) -> bool:
    if (
        _LOOSE.search(text)
        or _OF_ONE_STUDY.search(text)
        or _HEADED.search(text)
        or _REPEATED.search(text)
        or _PART.match(text)
        or _OF_WHAT.search(text)
        or _DANGLING.search(text)
        or _GLUED.search(text)
    ):
        return True
    if leaning.mentions_place_in_document(text):
        return True
    # of which 'the disease' is said stands elsewhere
    definite = _DEFINITE.match(text)
    return bool(
        definite
        and text.startswith("The")
        and definite[1] not in _PARTS
        and not leaning.is_known_definite(definite[1])
    )


def _stands_alone(text: str, tokens: tuple[Token, ...], known: frozenset[str]) -> bool:
    body = tokens[:-1] if tokens[-1].text == "." else tokens
    reading = Reading(text, body, known)
    if not is_plain(reading) or reading.leans(body) or any(t.tag in _PAST for t in body):
        return False
    if body[-1].tag in {"AJ0", "AT0", "PRP", "CJC"}:
        return False
    verb = next((n for n, t in enumerate(body) if t.tag in FINITE), None)
    if (
        not verb
        or all(t.tag == "AV0" for t in body[:verb])
        or body[0].tag in {"VVN", "VVI", "TO0"}
        or body[0].tag in FINITE
    ):
        return False
    if is_denial(text) and _CLAUSED.search(text):
        return False  # 'memories that are not real': the denial is not what the sentence says
    return not reading.is_contextual(body[:verb])
