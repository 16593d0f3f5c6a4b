"""What is wrong with the wording of a stem or a key, as far as a rule can tell.

The rules follow the item-writing guidelines of Haladyna, Downing & Rodriguez (2002), those on the stem and on
clues to the right answer, and what a question written from a text must not do: speak of that text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from viva.core.text.languages.phrase_lookup import phrases
from viva.core.text.languages.phrases import Phrases
from viva.core.text.overlap import content_words, plain, plain_words, within

LONGEST_STEM, LONGEST_KEY = 400, 160
"""Characters."""
BEYOND = 4
"""What is this many times too long is no longer read: it may have been made to keep the rules busy."""
_FEWEST_WORDS = {True: 3, False: 2}
"""Of a stem, in languages with rules and without: "Linux nedir?" asks what "What is Linux?" asks."""
_FEWEST_SIGNS = 4
"""Of a stem in a script that puts no space between words."""
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")
_ENDS = ("?", "？", "؟")
_GREEK_END = re.compile(r"[\u0370-\u03ff].*[;\u037e]$", re.DOTALL)
_PLACEHOLDER = re.compile(
    r"\[(?:blank|placeholder|answer|insert\b[^\]]*|(?:topic|subject|name|term) here)\]|<(?:insert"
    r"|placeholder)\b[^>]*>|\blorem ipsum\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"`[^`]*`|“[^”]*”|„[^“”]*[“”]|«[^»]*»|\"[^\"]*\"")
_TWICE = re.compile(r"(?<![\w.'-])([^\W\d_]{2,}) \1(?![\w.'-])")
_PARTICLE = 3
"""Letters. In a language without rules a longer word may well stand twice: many form the plural or stress so."""
_HALF_OPEN = re.compile(r"[(\[][^()\[\]]{1,20},[^()\[\]]{1,20}[)\]]")
_SMILEY = re.compile(r"[:;]-?[()]")
_STATEMENT = re.compile(r"\bwhich (?:of these )?statements?\b", re.IGNORECASE)
_PAIRS = (("(", ")"), ("[", "]"), ("«", "»"), ("“", "”"))


@dataclass(frozen=True)
class Defect:
    """A rule that is broken: the code it is counted under, and in words what must change."""

    code: str
    reason: str


def stem_defect(stem: str, language: str) -> Defect | None:
    """The first rule that the stem breaks."""
    return next(stem_defects(stem, language), None)


def key_defect(key: str, stem: str, language: str) -> Defect | None:
    """The first rule that the key breaks."""
    return next(key_defects(key, stem, language), None)


def stem_defects(stem: str, language: str) -> Iterator[Defect]:
    """Every rule that the stem breaks; of an empty one, only that."""
    asked, known = plain(stem), phrases(language)
    if not asked:
        yield Defect("no_stem", "There is no question.")
        return
    if not (asked.endswith(_ENDS) or _GREEK_END.search(asked)):
        yield Defect("not_a_question", "The stem must be one full question ending with “?”.")
    if len(asked) > LONGEST_STEM:
        yield Defect("too_long", f"The stem may have {LONGEST_STEM} characters at most.")
    if len(asked) > BEYOND * LONGEST_STEM:
        return
    if _is_too_short(asked, known is not None):
        yield Defect("too_short", "The stem must say what it asks about.")
    slip = _slip(asked, known)
    if slip:
        yield Defect("broken_wording", slip)
    if known:
        yield from _by_phrase(asked, known)


def key_defects(key: str, stem: str, language: str) -> Iterator[Defect]:
    """Every rule that the key breaks; of an empty one, only that."""
    answer, known = plain(key), phrases(language)
    if not answer:
        yield Defect("no_key", "There is no intended answer.")
        return
    if len(answer) > LONGEST_KEY:
        yield Defect("key_too_long", f"The key may have {LONGEST_KEY} characters at most.")
    if len(answer) > BEYOND * LONGEST_KEY or len(stem) > BEYOND * LONGEST_STEM:
        return
    if known and known.catch_all.search(answer):
        yield Defect("catch_all_key", "The key must be an answer of its own.")
    if within(answer, stem):
        yield Defect("key_in_stem", f"The stem gives its answer away: it contains “{answer}”.")
    elif known and _words_within(answer, stem, language):
        yield Defect("key_words_in_stem", f"The stem gives its answer away: it has every word of “{answer}”.")


def unchecked(language: str) -> tuple[str, ...]:
    """Codes of the rules, those on options too, that do not exist for a language."""
    if phrases(language):
        return ()
    return (*(code for code, _, _ in _RULES), *_NEED_WORDS)


def asks_for_statement(stem: str) -> bool:
    """Whether it asks which statement is correct: it names a topic, and what is asked stands in the options."""
    return bool(_STATEMENT.search(stem))


_SCOPE = re.compile(r"^In (?:the context of )?[“A-Z].*?[”)][,:] ")


def unscoped(stem: str) -> str:
    """What a stem asks, without the scope that the offline cast names before it: 'In the context of “Leave”, ...'."""
    return _SCOPE.sub("", stem)


_NEED_WORDS = ("catch_all_key", "key_words_in_stem", "catch_all_option", "absolute_giveaway", "cue_in_stem")


def _by_phrase(stem: str, known: Phrases) -> Iterator[Defect]:
    for code, phrase_of, reason in _RULES:
        found = phrase_of(known).search(stem)
        if found:
            yield Defect(code, reason.format(found[found.lastindex or 0].strip(" ,?")))


_RULES: tuple[tuple[str, Callable[[Phrases], re.Pattern[str]], str], ...] = (
    (
        "speaks_of_document",
        lambda known: known.document,
        "The stem speaks of a text (“{}”), and the reader knows of none.",
    ),
    (
        "leans_on_options",
        lambda known: known.options,
        "The stem must be a full question without its options too: not “{}”.",
    ),
    (
        "asks_negatively",
        lambda known: known.negative,
        "The stem must ask for what is so, not for what is not: not “{}”.",
    ),
    (
        "pronoun_without_antecedent",
        lambda known: known.pronoun,
        "The stem must name its subject: nothing says what “{}” means.",
    ),
    (
        "asks_two_things",
        lambda known: known.two_things,
        "The stem must ask for one thing: leave “{}” to another question.",
    ),
)


def _is_too_short(stem: str, known: bool) -> bool:
    unspaced = len(_UNSPACED.findall(stem))
    if unspaced:
        return unspaced + len(plain_words(_UNSPACED.sub(" ", stem))) < _FEWEST_SIGNS
    return len(plain_words(stem)) < _FEWEST_WORDS[known]


def _slip(stem: str, known: Phrases | None) -> str:
    """What is broken, in words; "" where nothing is."""
    placeholder = _PLACEHOLDER.search(stem)
    if placeholder:
        return f"The stem still holds the placeholder “{placeholder[0]}”."
    bare = _HALF_OPEN.sub(" ", _QUOTED.sub(" ", _SMILEY.sub(" ", stem)))
    for twice in _TWICE.finditer(bare):
        word = twice[1]
        doubtful = word in known.function_words - known.twice if known else len(word) <= _PARTICLE
        if word.islower() and doubtful:
            return f"The stem says “{word}” twice in a row."
    for opening, closing in _PAIRS:
        if bare.count(opening) != bare.count(closing):
            return f"The stem opens or closes a “{opening}{closing}” without the other."
    if bare.count('"') % 2 and not re.search(r"\d\"", bare):
        return "The stem opens or closes a quotation without the other."
    return ""


def _words_within(key: str, stem: str, language: str) -> bool:
    """Whether a key of several content words has none that the stem has not, and no relation."""
    known, mine = phrases(language), content_words(key, language)
    relations = set(plain_words(key)) & (known.relations if known else frozenset())
    return len(mine) > 1 and set(mine) <= set(content_words(stem, language)) and relations <= set(plain_words(stem))
