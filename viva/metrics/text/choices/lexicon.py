"""The words of all languages as patterns, for text without case and accents in which characters stand for options."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from viva.core.text.patterns import late_pattern
from viva.metrics.text.choices.language import ChoiceWords, Script
from viva.metrics.text.choices.languages_east import EASTERN
from viva.metrics.text.choices.languages_germanic import GERMANIC
from viva.metrics.text.choices.languages_others import OTHERS
from viva.metrics.text.choices.languages_romance import ROMANCE
from viva.metrics.text.choices.plain import CUE, folded, in_one_form

LANGUAGES = (*GERMANIC, *ROMANCE, *OTHERS, *EASTERN)
OPTION = "[\ue000-\uf001\uf010-\uf02f]"
"""A character that stands for an option, or for what is named in the place of one."""

_EDGES = {
    Script.LATIN: ("(?<![a-z\u00df-\u024f])", "(?![a-z\u00df-\u024f])"),
    Script.CYRILLIC: ("(?<![\u0400-\u052f])", "(?![\u0400-\u052f])"),
    # what is written in one with the word that follows: and, so, by, for, the
    Script.ARABIC: ("(?<![\u0620-\u064a])[وفبلك]?(?:ال|لل)?", "(?![\u0620-\u064a])"),
    Script.UNSPACED: ("", ""),
}
_ADVERB = (
    r"clearly|definitely|most likely|probably|therefore|thus|indeed|simply|actually|likely|surely|certainly|obviously"
    r"|still|then|hence|just|without (?:a )?doubt|undoubtedly|both|correct|right"
    r"|wahrscheinlich|eindeutig|wohl|vermutlich|definitiv|somit|daher|also|klar|für"
    r"|probablement|clairement|donc|certainement|bien|sans doute|évidemment"
    r"|probablemente|claramente|seguramente|sin duda|entonces|con"
    r"|probabilmente|chiaramente|quindi|sicuramente|provavelmente|certamente|com"
    r"|waarschijnlijk|duidelijk|dus|zeker|voor|for"
)
_ADVERB_CYRILLIC = r"вероятно|скорее всего|очевидно|именно|однозначно|следующий"
_ADVERB_EAST = r"应该|應該|显然|顯然|就是|就|明らかに|おそらく|たぶん|बिल्कुल|संभवतः|निश्चित रूप से"
_GAP = r"[\s,]+[^\s.!?;:\ue000-\uf8ff]{1,30}"
_GAP_UNSPACED = r"[^.!?;。\n\ue000-\uf8ff]{0,14}?"
_MARKS = "\\s\"'(\\[{"


@cache
def words(field: str, *scripts: Script) -> str:
    """The alternatives of a field in all languages, or in those of some scripts."""
    return _by_script(
        {language: getattr(language, field) for language in LANGUAGES if language.script in (scripts or Script)}
    )


def _by_script(alternatives: Mapping[ChoiceWords, str]) -> str:
    """One group for each script: a place in a text is looked at once for all its languages."""
    groups: dict[Script, list[str]] = {}
    for language, each in alternatives.items():
        if each:
            groups.setdefault(language.script, []).append(each)
    return "|".join(_bounded(script, "|".join(dict.fromkeys(each))) for script, each in groups.items()) or "(?!)"


def _bounded(script: Script, alternatives: str) -> str:
    before, after = _EDGES[script]
    return f"{before}(?:{folded(in_one_form(alternatives))}){after}"


def listed(field: str, number: int) -> str:
    """The alternatives of one place in a field that lists words in order."""
    entries = {language: getattr(language, field).split(";") for language in LANGUAGES}
    return _by_script({language: each[number] for language, each in entries.items() if number < len(each)})


def pattern(text: str) -> re.Pattern[str]:
    """Give a pattern for one line or many; the text that it is searched in has no upper case."""
    return late_pattern(text)


SPACED = (Script.LATIN, Script.CYRILLIC, Script.ARABIC)
_FILLERS = "|".join(
    (
        # a letter alone may be an option's
        rf"(?:{words('article')})(?<![^a-z][a-z])|(?:{words('article')})(?=\s\S|\s+$)",
        words("option"),
        r"(?<![a-z])(?:l|d|un|dell|all|nell)'",
        _bounded(Script.LATIN, _ADVERB),
        _bounded(Script.CYRILLIC, _ADVERB_CYRILLIC),
        _bounded(Script.UNSPACED, _ADVERB_EAST),
    )
)
ADVERBS = pattern(rf"(?:{words('thinks')}|{_FILLERS})")
"""Words that may stand between the beginning of a statement and its option, and change nothing."""
_FILL = rf"(?:\s*(?:{_FILLERS}|[:]|-(?=\s))){{0,4}}\s*"
_LINK = r"[:=]|->|-(?=\s)"
_LINKED = (
    rf"(?:(?:{words('answer', *SPACED)}|{words('option', *SPACED)})(?:{_GAP}){{0,7}}?"
    rf"\s*(?:{words('copula', *SPACED)}|{_LINK})"
    rf"|(?:{_bounded(Script.LATIN, 'ans|odp|rép|resp')})\."
    rf"|(?:{words('answer', Script.UNSPACED)}|{words('option', Script.UNSPACED)}){_GAP_UNSPACED}"
    rf"(?:{words('copula', Script.UNSPACED)}|{_LINK})"
    rf"|(?<![a-z])(?:{words('right')})(?: one)?\s*(?::|is(?![a-z])|->)"
    rf"|(?:^|(?<=[\n.,;]\s))(?:{words('right')})\s-(?=\s)|{CUE})"
)
_CALLED = rf"\s+(?:{words('right')}|{words('option')}|(?<![a-z])(?:final\w*|definitiv\w*)(?![a-z]))"
_BARE = rf"(?:(?:{words('answer', *SPACED)})(?:{_CALLED}){{0,2}}|(?:{words('answer', Script.UNSPACED)}))"
_CHOOSES = rf"(?:{words('chooses')})"
_POINTS = rf"(?:{words('points')}|{words('remains')})"

LINKED_CUES = pattern(rf"(?:{_LINKED}){_FILL}")
"""Introduces a final statement: "the answer is", "answer:"."""
LETTER_CUES = pattern(
    rf"(?:{_LINKED}|{_CHOOSES}|{_POINTS}|{words('it_is')}|{words('hence')}[,:]?|{_BARE}(?=\s*[\"'(\[]?[^\W\d_](?![^\W\d_]))){_FILL}"
)
"""May stand in front of a letter that is an option, even a small one."""
NOUN = pattern(rf"(?:{words('option')}|{words('answer')})\s*(?:(?:no\.?|nr\.?|number|n°|numero|№|#)\s*)?")
OPTION_NOUN = pattern(rf"(?:{words('option')})\s*(?:(?:no\.?|nr\.?|number|numero|nummer|№|#)\s*)?")
NOUN_AFTER = pattern(rf"\s?(?:{words('option_after')})")

HEADINGS = pattern(rf"(?m)^(?:[^\s.:!?;]{{1,15}} ){{0,3}}(?:{words('answer')}):?$\n(?=\S)")
"""A line that says no more than that the answer follows."""
ENDS_LINKED = pattern(rf"(?P<cue>{_LINKED})(?:{_FILL}[{_MARKS}]*){{1,2}}$")
ENDS_BARE = pattern(rf"(?P<cue>{_BARE})(?:{_FILL}[{_MARKS}]*){{1,2}}$")
OWN = pattern(r"(?<![a-z])(?:my|mein\w*|ma|mon|mi|la mia|mia|minha|mijn)(?![a-z])|мой|我的|私の|제|मेरा")
ENDS_CHOOSING = pattern(rf"(?P<cue>{_CHOOSES}){_FILL}[{_MARKS}]*$")
ENDS_POINTING = pattern(rf"(?P<cue>{_POINTS}){_FILL}[{_MARKS}]*$")
ENDS_HENCE = pattern(
    rf"(?:^|[\s,.:;(])?(?P<cue>{words('hence')})[,、:]?(?:\s*(?:{words('it_is')}|{words('article')}))?{_FILL}[{_MARKS}]*$"
)
ENDS_IT_IS = pattern(rf"(?P<cue>{words('it_is')}){_FILL}[{_MARKS}]*$")
CORRECTS = pattern(
    rf"(?:{words('corrects')})[\s,.:!;-]*(?:(?:{words('it_is')}|{words('answer')})[\s:]*)*(?:{words('article')})?[{_MARKS}]*$"
)
ENDS_BREAK = pattern(
    rf"(?:{words('breaks')}|[,;.])[\s,]*(?:(?:{words('it_is')})\s*|(?:{words('corrects')})[\s,]*|(?:sim|si)(?:\s|$))*(?:{words('article')})?[{_MARKS}]*$"
)

BREAKS = pattern(rf"[,、;:()]|\s-\s|->|(?:{words('breaks')})")
RIGHT = pattern(words("right"))
WRONG = pattern(rf"{words('wrong')}|[✗✘❌✖🚫]")
_NEGATES = f"{words('negates')}|{words('negates_before')}"
NEGATES = pattern(_NEGATES)
NEGATES_AFTER = pattern(words("negates"))
EXCLUDES = pattern(words("excludes"))
EXCLUDES_AFTER = pattern(rf"^[\s\"')\]]*(?:{words('excludes_after')})")
CHOSEN = pattern(rf"^[\s\"')\]]*(?:{words('chosen')})")
DISBELIEVES = pattern(words("disbelieves"))
HEDGES = pattern(words("hedges"))
UNSURE = pattern(words("unsure"))
REFUSES = pattern(words("refuses"))
NONE_OF = pattern(words("none_of"))
NAMELY = pattern(
    r"^[\s\"'(,]*(?:(?<![a-z])(?:namely|i\.?e\.?|that is|so|or|thus|therefore|hence|d\.?h\.?|namlich|und zwar|also"
    r"|soit|c'est-a-dire|es decir|o sea|cioe|ossia|ou seja|isto e|namelijk|oftewel)(?![a-z])"
    r"|то есть|а именно|即|也就是|つまり|すなわち|즉|أي|यानी|अर्थात)?[\s,:]*"
    rf"(?:{words('article')})?[\s\"'(,]*$"
)
"""Between a name for an option and the option itself."""
RELATIVE = pattern(
    r"^\s*(?:(?:[a-z]{1,6}) )?(?:who|whom|whose|which|that|where|welche\w*|deren|dessen|qui|que|dont"
    r"|lequel|laquelle|quien|cual|cuyo|che|quale|qual|cujo"
    r"|die|der|das|wie|котор\w*|чей)(?![a-z])"
)
SEEMS = pattern(
    r"(?<![a-z])(?:seems?|looks?|appears?|scheint|scheinen|semble|parece|parecen|sembra|lijkt)(?![a-z])|кажется|似乎|看起来|看起來|よう(?:です|に見え)|보입|يبدو|लगता"
)
WHETHER = pattern(words("whether"))
TOO = pattern(rf"^\W*(?:\w+ )?(?:{words('too')})")
YES = pattern(words("yes"))
NO = pattern(words("no"))
ENDS = pattern(
    rf"^[\"')\]}} ]*(?:{words('ends')})?[\"')\]}}]* ?(?:$|[.,;:!?。、|/(\[\n]|-\s|->"
    rf"|(?:{words('because')})|(?:{words('corrects')}))"
)
"""What may follow an option that is all a clause says."""
EITHER = words("either")
BOTH = words("both")
NAMED = pattern(rf"(?:{words('named')})s?\.?\s*$")
LAST_NEGATOR = pattern(
    rf"[\s,(]*(?:(?:{words('breaks')})\s*)?"
    rf"(?:{words('negates', *SPACED)}|{words('negates_before')}|{words('excludes')}|不是|而不是|而非|并非|並非)"
    rf"\s*(?:{words('article')}|{words('option')}|\s)*[{_MARKS}]*$"
)
"""A negation that belongs to the option behind it."""
