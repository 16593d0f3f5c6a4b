"""Yes and no: what a question asks to be affirmed, and whether a text affirms or denies it."""

from __future__ import annotations

import re

from viva.core.text.words import content_words

_ASKED = re.compile(
    r"^(?:and |but |so |then |in [^,]{1,60}, |according to [^,]{1,80}, |under [^,]{1,60}, |if [^,]{1,90}, )?(?:is"
    r"|are|was|were"
    r"|am|do|does|did|can|could|may|might|must|shall|should|will|would|has|have|had|need|needs|isn't|aren't|don't"
    r"|doesn't"
    r"|can't|ist|sind|war|waren|darf|dürfen|kann|können|muss|müssen|soll|sollen|hat|haben|wird|werden|gibt es"
    r"|est-ce que"
    r"|est-il|est-elle|sont-ils|peut-on|faut-il|doit-on|y a-t-il|a-t-il"
    r"|(?:le|la|les|l'|un|une|ce|cette|ces)\s?[^,?]{1,60}?\b(?:est|sont|a|ont|peut|peuvent|doit|doivent)-(?:t-)?(?:il|elle)s?"
    r"|¿?\s?(?:es|está|son|puede|pueden|debe"
    r"|deben|hay"
    r"|se puede|tiene|tienen))\b",
    re.IGNORECASE,
)
_WHAT_IN_GERMAN = re.compile(
    r"was\s+(?!(?:the|an?|it|he|she|there|this|that|these|those|his|her|its|their|any|every|each|all|no)\b)(?=.*?\b(?:der"
    r"|das|den|dem|des|die|ein|eine[mnrs]?|im|am|zur|zum|für|ist|sind|wird|man|bei|von|mit|und|sich|auf|nicht|es|ich"
    r"|wir|sie|kostet|kosten|bedeutet|passiert|geschieht|heißt)\b)",
    re.IGNORECASE,
)
OR_WORD = re.compile(r"\b(?:or|oder|ou)\b", re.IGNORECASE)
_YES = re.compile(
    r"^\W*(?:the (?:short )?answer is:? |answer:? )?(?:yes|yeah|yep|correct|true|indeed|certainly|absolutely"
    r"|of course|affirmative"
    r"|it (?:is|does|can|may|must|has|will)(?!\s*(?:not|n't))\b\.?$|ja|jawohl|richtig|oui|si|sí|vrai|verdadero|да"
    r"|是|はい|네|نعم|हाँ)(?!\w)",
    re.IGNORECASE,
)
_NO = re.compile(
    r"^\W*(?:the (?:short )?answer is:? |answer:? )?(?:no(?! (?:one|more|longer|less|fewer|doubt|later|earlier)\b)"
    r"|nope|false|incorrect"
    r"|not at all|never|negative|nein|falsch|non|faux|falso|нет|不是|不|否|いいえ|아니요|لا|नहीं)(?!\w)",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:no|not|never|none|nobody|nothing|neither|nor|cannot|without|n't|[a-z]+n't|isnt|doesnt|dont|cant"
    r"|unnecessary|needless"
    r"|unneeded|forbidden|prohibited|banned|disallowed|denied|exempt(?:ed)?|refused|impossible|unable|excluded"
    r"|lacks?|fails?"
    r"|nicht|kein(?:e[nmr]?)?|nie|niemals|ohne|verboten|untersagt|unzulässig|ne|n'|pas|jamais|aucune?|sans"
    r"|interdite?s?|nunca|ninguna?|sin|prohibid[oa]s?)\b",
    re.IGNORECASE,
)
_NOT_NEGATION = re.compile(
    r"\b(?:not only|no matter|no doubt|not just|whether or not|or not|no (?:more|less|fewer|later|earlier"
    r"|longer) than"
    r"|not (?:more|less|fewer|later|earlier) than|without (?:delay|exception|fail))\b",
    re.IGNORECASE,
)


_NEEDED = re.compile(r"\b(?:requir(?:es?|ed|ing)|needed|necessary|mandatory|obligatory|compulsory)\b", re.IGNORECASE)
_PERMISSION = re.compile(
    r"(?:may|can|could|(?:is|are) .*\b(?:allowed|permitted)|darf|dürfen|peut-on|puede|se puede)\b", re.IGNORECASE
)
_CONDITION = re.compile(
    r"^\W*(?:only|nur|seulement|uniquement|sólo|solo|solamente)\b|\b(?:only|nur|seulement|uniquement|sólo|solamente)\s+"
    r"(?:without|if|when|where|after|ohne|wenn|falls|sans|si|sin|cuando)\b",
    re.IGNORECASE,
)
"""A condition, which is neither yes nor no."""
_OPTIONAL = re.compile(
    r"\b(?:optional|voluntary|freiwillig|facultati(?:f|ve)|opcional|voluntari[oa])\b", re.IGNORECASE
)
_ALLOWED = re.compile(
    r"\b(?:allowed|permitted|erlaubt|gestattet|zulässig|autorisée?s?|permise?s?|admise?s?|permitid[oa]s?"
    r"|verboten|untersagt|unzulässig|forbidden|prohibited|banned|interdite?s?|prohibid[oa]s?)\b",
    re.IGNORECASE,
)
_DUTY = re.compile(
    r"\b(?:must|have to|has to|need to|needs to|shall|müssen|muss|doit|doivent|deben?)\b", re.IGNORECASE
)
_MAY = re.compile(r"\b(?:may|can|allowed|permitted|darf|dürfen|peut|peuvent|pueden?)\b", re.IGNORECASE)


def asks_yes_or_no(question: str) -> bool:
    """Tell whether a question is answered by yes or no; "is it A or B?" is not."""
    last = re.split(r"(?<=[.!])\s+", question.strip())[-1]
    return bool(_ASKED.match(last)) and not OR_WORD.search(last) and not _WHAT_IN_GERMAN.match(last)


def denials(text: str) -> int:
    """Count the negations of a text; "no more than" and the like are none."""
    return len(_NEGATION.findall(_NOT_NEGATION.sub(" ", text)))


def polarity_of(text: str, question: str) -> int:
    """1 where a text affirms what is asked, -1 where it denies it, 0 where it cannot be known.

    A leading yes or no counts; else a sentence that repeats most of the question, by its negations.
    """
    text = text.strip()
    if _NO.match(text):
        return -1
    if _YES.match(text):
        return 1
    first = re.split(r"(?<=[.!?])\s+|\n", text)[0]
    if _CONDITION.search(first):
        return 0
    if _NEEDED.search(question) and _OPTIONAL.search(first) and not denials(first):
        return -1
    asks_permission = _PERMISSION.match(question.strip()) is not None
    if asks_permission and _ALLOWED.search(first):
        return -1 if denials(first) % 2 else 1
    asked, statement = _stems(question), _stems(first)
    denied, asked_denied = denials(first), denials(question)
    if asks_permission and _DUTY.search(first):
        # what has to be otherwise may not be so
        return 0 if denied or _MAY.search(first) else -1
    covers = len(statement & asked) >= 0.7 * len(asked) > 0
    if not statement or (len(statement - asked) > max(2, len(statement) // 2) and not covers):
        return 0
    if denied % 2 != asked_denied % 2:
        return -1
    # without a negation only what says the same again affirms it: a contrary may stand for a "not"
    return 1 if denied == 0 and (covers or len(statement & asked) >= 0.6 * len(statement)) else 0


def _stems(text: str) -> set[str]:
    return set(content_words(_NEEDED.sub("need", text)))


def is_negated(text: str, start: int) -> bool:
    """Tell whether a negation comes right before a place in a text: "it is not 30", "never 30"."""
    before = _NOT_NEGATION.sub(lambda m: " " * len(m.group()), text[max(0, start - 40) : start])
    clause = re.split(r"[.;:,!?\n]|\b(?:but|rather it|it is|sondern|mais|sino)\b", before)[-1]
    return bool(
        re.search(
            r"(?:\b(?:not|never|n't|[a-z]+n't|isnt|nor|neither|instead of|rather than|other than|except|nicht"
            r"|kein(?:e[nrms]?)?|pas|jamais"
            r"|nunca|no es|statt)\s+(?:\w+\s+){0,2}\W*)$",
            clause,
            re.IGNORECASE,
        )
    )
