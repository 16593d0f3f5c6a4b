"""Whether the words around an option reject it, doubt it, or call it right."""

from __future__ import annotations

from viva.core.text.patterns import late_pattern
from viva.metrics.text.choices import lexicon
from viva.metrics.text.choices.clauses import clause_after, clause_before
from viva.metrics.text.choices.language import Script

_NOT_RIGHT = rf"(?:{lexicon.words('negates')}|{lexicon.words('negates_before')})\s*\S*(?:{lexicon.words('right')})"
_HEADER = late_pattern(
    rf"(?:{lexicon.words('wrong')}|{lexicon.words('excludes')}|{_NOT_RIGHT})[^:\n]{{0,40}}:[\s\"'(\[]*$"
)
_ALL_BUT = late_pattern(
    r"(?<![a-z])(?:every\w*|any\w*|all|alle|toute?s|tous|tod[oa]s|tutt[ei])"
    r"(?: (?:of|the|these|those|other|options?|answers?|choices?|statements?|alternatives?|others|one|antworten"
    r"|optionen|anderen|aussagen|les|autres|reponses|las|los|demas|opciones|respuestas|le|altre|opzioni|risposte|as|outras"
    r"|opcoes|respostas|alternativas)){0,4}"
    r" (?:but|save|except(?: for)?|außer|sauf|excepto|salvo|menos|tranne|eccetto|exceto)\s*(?:the |an? |la |a )?"
    r"(?:option |answer |opcion |antwort |reponse )?[\"'(\[]*$"
)
_CROSS = late_pattern(r"(?:[✗✘❌✖🚫]\ufe0f?|\[\s\])[\s:]*$")
_CHECK = late_pattern(r"(?:[✅✔✓☑👉]\ufe0f?|\[x\])[\s:]*$")
_CHECK_AFTER = late_pattern(r"^[\s:\"')\]-]*[✅✔✓☑]")
_NO_AFTER = late_pattern(r"^[\s:\"')\]-]*no(?![a-z])")
_ASIDE = late_pattern(r"[\s\"')\]]*(?:[:(]|-(?=\s))\s*([^.!?;,()\n]{1,40})")
_NO_ASIDE = late_pattern(r"no(?:t|pe|ne|n|in|e)?(?![a-z])|нет|falsch|faux|不|错|×")
_NOT_ONLY = late_pattern(r"(?<![a-z])not (?:only|just|merely)(?![a-z])")
_QUESTION = late_pattern(r"^[\"')\]\s]*\?")
_BREAK_WORD = late_pattern(lexicon.words("breaks"))
_AND_TOO = late_pattern(r"[\s\"')\]]*(?:\([^()]*\))?(?:[\s,]*(?:(?:and|und|et|y|en|и|和|と)\s)?|\se\s)\s*[\"'(\[]*")
_RIGHT_SOON = late_pattern(
    rf"^\W*(?:[^\s.!?;,]{{1,25}}\s+){{0,4}}?(?:{lexicon.words('right')})"
    rf"|^[^\n.!?;,]{{0,10}}(?:{lexicon.words('right', Script.UNSPACED)})"
)
_ELLIPTIC = late_pattern(
    rf"^\s*(?:{lexicon.words('copula')}|{lexicon.words('yes')}|(?<![a-z])(?:does|do|did|has)(?![a-z]))\s*[.!]?\s*$"
)


def is_header_of_wrong(sentence: str) -> bool:
    """Whether a list of options that are wrong follows."""
    return _HEADER.search(sentence) is not None


def is_rejected(lead: str, clause: str, tail: str) -> bool:
    """Whether an option is called wrong, negated or ruled out. `clause` is the end of what leads to it."""
    if _ALL_BUT.search(lead):
        return not _is_called_wrong(tail)
    if _is_called_wrong(tail) or _CROSS.search(lead) or _HEADER.search(lead):
        return True
    if lexicon.DISBELIEVES.search(lead):
        return True
    if negates(clause):
        return True
    return lexicon.ENDS_LINKED.search(lead) is not None and lexicon.WRONG.search(clause) is not None


def is_left_over(lead: str, tail: str) -> bool:
    """Whether all but an option are called wrong."""
    return _ALL_BUT.search(lead) is not None and _is_called_wrong(tail)


def negates(clause: str) -> bool:
    """Whether a clause rejects the option that it leads to."""
    return bool(lexicon.EXCLUDES.search(clause) or lexicon.NEGATES.search(_NOT_ONLY.sub("", clause)))


def goes_on_rejecting(before: str, lead: str, tail: str) -> bool:
    """Whether the rejection of the option before holds for this one too: "rule out A, and C", "C too"."""
    if is_right_soon(tail):
        return False
    if negates(clause_before(before)) and _AND_TOO.fullmatch(lead):
        return True
    return lexicon.TOO.match(clause_after(tail)) is not None


def _is_called_wrong(tail: str) -> bool:
    near = _NOT_ONLY.sub("", clause_after(tail))
    if lexicon.EXCLUDES_AFTER.match(tail) or _NO_AFTER.match(tail):
        return True
    if lexicon.WRONG.search(near) or lexicon.NEGATES_AFTER.search(near):
        return True
    # "A (wrong)", "A - no", "A: too high"
    aside = _ASIDE.match(tail)
    return aside is not None and bool(lexicon.WRONG.search(aside[1]) or _NO_ASIDE.match(aside[1]))


def is_doubted(lead: str, clause: str, tail: str) -> bool:
    """Whether an option is only one that may be meant, or is asked about."""
    if _QUESTION.match(tail) or lexicon.HEDGES.search(clause) or lexicon.WHETHER.search(clause):
        return True
    if lexicon.HEDGES.search(clause_after(tail)) or lexicon.HEDGES.search(clause_before(lead.rstrip(" ,"))):
        return True
    unsure = lexicon.UNSURE.search(lead)
    if unsure is not None:
        return _BREAK_WORD.search(lead, unsure.end()) is None
    return lexicon.UNSURE.search(tail) is not None


def is_right_soon(tail: str) -> bool:
    """Whether the clause that an option begins calls it right."""
    return _RIGHT_SOON.match(clause_after(tail)) is not None


def is_checked(lead: str, tail: str) -> bool:
    """Whether there is a check mark at an option."""
    return _CHECK.search(lead) is not None or _CHECK_AFTER.match(tail) is not None


def is_elliptic(tail: str) -> bool:
    """Whether a verb is all that follows an option: "A is not right; B is"."""
    return _ELLIPTIC.match(tail) is not None
