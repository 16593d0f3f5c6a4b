"""What is wrong with a set of options, as far as a rule can tell: what repeats, and what points to the key.

Source: the guidelines on writing the choices in Haladyna, Downing & Rodriguez (2002): one right answer,
independent and parallel options of about equal length, no clues by specific determiners, by words of the stem or
by grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, takewhile

from viva.core.text.languages.phrase_lookup import phrases
from viva.core.text.overlap import content_words, ngram_jaccard, plain, plain_words
from viva.metrics.item_writing.quantities import numeric_value, same_quantity
from viva.metrics.item_writing.wording import BEYOND, LONGEST_KEY, LONGEST_STEM, Defect

STANDS_OUT = 1.8
"""A key this many times as long as the mean distractor, or as short, is found without reading."""
ALIKE = 0.75
"""Jaccard similarity of word pairs from which on two options differ in too little to be read apart."""
_SLIGHT = 10
"""Characters by which lengths may always differ: 'hypnosis' beside 'mindful awareness'."""
_LONG_ENOUGH = 4
"""Letters of a word that would be noticed in stem and key."""
_SENTENCE = 3
"""Words from which on "always" is a claim: "always" alone answers "how often"."""
_ARTICLES = frozenset({"a", "an", "the"})
_NEGATORS = frozenset({"not", "no", "non"})
_EMPTY_VERBS = frozenset("become make take give keep get put come use happen cause have".split())
"""Of English, without their endings: they say nothing of what is asked, and so are no clue."""
_ROOT = 4
"""Letters of a root that two English words must share to be kin: "long" and "longer"."""
_SUFFIXES = frozenset(
    "e s es d ed er ers est ing ings ly ness ment ments al ally ic ical ous ive ity y ies or ors ance ence able ful"
    " less ion ions ation ations ant ent".split()
)
_LATIN = frozenset({"ion", "ions", "ation", "ations", "ant", "ent", "al", "ive"})
"""Suffixes that need a longer root: "portion" is no kin of "port"."""


def options_defect(stem: str, key: str, distractors: Sequence[str], language: str) -> Defect | None:
    """The first rule that the options break."""
    return next(options_defects(stem, key, distractors, language), None)


def options_defects(stem: str, key: str, distractors: Sequence[str], language: str) -> Iterator[Defect]:
    """Every rule that the options break. An open question, which has no distractors, breaks none."""
    others = [plain(other) for other in distractors]
    if not others:
        return
    answer = plain(key)
    if len(stem) > BEYOND * LONGEST_STEM:
        return
    if max(map(len, (answer, *others))) > BEYOND * LONGEST_KEY:
        yield Defect("option_too_long", f"An option may have {LONGEST_KEY} characters at most.")
        return
    yield from _each(others, language)
    yield from _pairs([answer, *others], language)
    yield from _clues(plain(stem), answer, others, language)


def value_defects(stem: str, key: str, distractors: Sequence[str], language: str) -> Iterator[Defect]:
    """Of those, the rules that wrong options must keep among themselves, whatever the key looks like.

    The key of an unanswerable item is a sentence among values: nothing about its form is held against it. It gives
    nothing away in an exam that shows the same sentence as a wrong option of other items.
    """
    found = options_defects(stem, key, distractors, language)
    return (defect for defect in found if defect.code in _OF_VALUES)


_OF_VALUES = frozenset(
    {"option_too_long", "empty_option", "catch_all_option", "options_overlap", "options_too_alike"}
)


def _each(others: Sequence[str], language: str) -> Iterator[Defect]:
    for other in others:
        if not other:
            yield Defect("empty_option", "An option is empty.")
        elif is_catch_all(other, language):
            yield Defect(
                "catch_all_option", f"“{other}” speaks of the other options; it must be an answer of its own."
            )


def _pairs(options: Sequence[str], language: str) -> Iterator[Defect]:
    for first, second in combinations(options, 2):
        if same_option(first, second, language):
            yield Defect("options_overlap", f"“{first}” and “{second}” say the same.")
        elif ngram_jaccard(first, second, 2) >= ALIKE and _signs(first) == _signs(second):
            yield Defect("options_too_alike", f"“{first}” and “{second}” differ in too little to be read apart.")


def _signs(option: str) -> list[str]:
    """The operators in it: "<>" and "!=" have no word that they could differ in."""
    return re.findall(r"[<>=!~^&|*/+-]+", option)


def _clues(stem: str, key: str, others: Sequence[str], language: str) -> Iterator[Defect]:
    if stands_out(key, others):
        yield Defect("key_stands_out", "The key stands out by its length.")
    form = _odd_form(key, others, language)
    if form:
        yield Defect("key_differs_in_form", f"The key stands out by its form: {form}.")
    if len(others) > 1 and is_crossing(key, others, language):
        yield Defect("key_is_crossing", "The key shares one part with one option and another part with another one.")
    claim = _giveaway(key, others, language)
    if claim:
        yield Defect("absolute_giveaway", f"“{claim}” gives a wrong option away: the key claims nothing so absolute.")
    cue = _cue(stem, key, others, language)
    if cue:
        yield Defect("cue_in_stem", f"Of all options only the key takes up a word of the stem: “{cue}”.")
    if language == "en" and _article_tells(stem, key, others):
        yield Defect("article_cue", "The article before the blank fits some options only; write “a(n)”.")


def stands_out(key: str, others: Sequence[str]) -> bool:
    """Whether the key is over 1.8 times as long as the others are in the mean, or they as it."""
    if not others:
        return False
    mean = sum(map(len, others)) / len(others)
    long, short = max(len(key), mean), min(len(key), mean)
    return long - short > _SLIGHT and long > STANDS_OUT * short


def is_crossing(key: str, others: Sequence[str], language: str) -> bool:
    """Whether the key shares different words with two others, and more with all of them than any of them does.

    So it can be told by who knows nothing. Words that all options have count for nothing; where all combinations of
    two parts are there, each option shares as much as the key.
    """
    words = [set(content_words(option, language)) for option in (key, *others)]
    common = set.intersection(*words)
    own = [each - common for each in words]
    shared = [sum(len(each & other) for m, other in enumerate(own) if m != n) for n, each in enumerate(own)]
    parts = {frozenset(own[0] & other) for other in own[1:]} - {frozenset()}
    differ = any(first - second and second - first for first, second in combinations(parts, 2))
    return differ and shared[0] > max(shared[1:])


def is_catch_all(option: str, language: str) -> bool:
    """Whether an option speaks of the other options instead of answering. False in a language without rules."""
    known = phrases(language)
    return known is not None and bool(known.catch_all.search(plain(option)))


def same_answer(first: str, second: str) -> bool:
    """Whether two answers are equal but for case, English articles, white space, and what ends a sentence.

    Signs inside count: neither "1.5" and "15" nor "C" and "C++" are the same.
    """
    return _without_articles(first) == _without_articles(second)


def same_option(first: str, second: str, language: str = "en") -> bool:
    """Whether two options say the same, or one contains what the other says, so that both may be right.

    Case, articles and punctuation count for nothing, signs do ("C", "C++"); amounts are compared by value
    ("2 hours", "120 minutes"; "50%", "0.5") and are not distinct where one may be the other rounded. "mutable" and
    "not mutable" are opposites, though one contains the other.
    """
    amounts = numeric_value(first, language), numeric_value(second, language)
    if amounts[0] and amounts[1]:
        return same_quantity(amounts[0], amounts[1])
    known = phrases(language)
    a, b = (_bare(text, known.articles if known else _ARTICLES) for text in (first, second))
    if a == b:
        return True
    long, short = (a, b) if len(a) > len(b) else (b, a)
    at = f" {long} ".find(f" {short} ") if short else -1
    if at < 0:
        return False
    left_over = {*long[:at].split(), *long[at + len(short) :].split()}
    return not left_over & (known.negators if known else _NEGATORS)


def _bare(text: str, articles: frozenset[str]) -> str:
    """Lower-case words without articles; a sign is kept where it belongs to a word, as in "C++", "-5" and "<="."""
    words = re.findall(r"(?<!\w)[-−+](?=\d)[\w.%]+|[\w.%]+(?:\+\+|#|\*)?|[<>=!~^&|*/+-]+", plain(text).casefold())
    kept = [word.rstrip(".") for word in words if word not in articles and word not in {"-", "/"}]
    return " ".join(kept) or " ".join(words)


def _without_articles(text: str) -> str:
    words = text.casefold().rstrip(" .!").split()
    return " ".join(word for word in words if word not in _ARTICLES) or " ".join(words)


def _odd_form(key: str, others: Sequence[str], language: str) -> str:
    """How the key is written and no other option is, where the others are written alike; "" where it is not so."""
    if len(others) < 2:
        return ""
    for form in (_opening, _amount, _first_letter, _full_stop):
        mine, theirs = form(key, language), {form(other, language) for other in others}
        if len(theirs) == 1 and mine and mine not in theirs and "" not in theirs:
            return f"it {mine}, and each of the others {theirs.pop()}"
    return ""


def _opening(option: str, language: str) -> str:
    known = phrases(language)
    if known is None:
        return ""
    name = next((name for name, opens in known.openings if opens.search(option)), None)
    if name is None:
        return "opens otherwise"
    return f"opens with {name}" if name else ""


def _amount(option: str, language: str) -> str:
    amount = numeric_value(option, language)
    if amount is None:
        return "is no amount"
    return f"is an amount of {amount.dimension}" if amount.dimension else "is a number"


def _first_letter(option: str, language: str) -> str:  # noqa: ARG001 - one of the forms
    """How the first letter of a plain word is written; a name such as iPhone or os.path has its own ways."""
    first = option.split(" ", 1)[0]
    if not first[:1].isalpha() or re.search(r"[\d_.()]|\w[A-Z]", first):
        return ""
    return "begins with a capital letter" if first[0].isupper() else "begins with a small letter"


def _full_stop(option: str, language: str) -> str:  # noqa: ARG001 - one of the forms
    return "ends with a full stop" if option.endswith(".") else "ends without a full stop"


def _giveaway(key: str, others: Sequence[str], language: str) -> str:
    """The absolute claim of a distractor beside a key without one, or the sweeping one of all distractors."""
    known = phrases(language)
    if known is None or known.sweeping.search(key):
        return ""
    for other in others:
        claim = known.absolute.search(other)
        if claim and len(other.split()) >= _SENTENCE:
            return claim[0]
    claims = [known.sweeping.search(other) for other in others if len(other.split()) >= _SENTENCE]
    return claims[0][0] if len(claims) == len(others) > 1 and claims[0] and all(claims) else ""


def _cue(stem: str, key: str, others: Sequence[str], language: str) -> str:
    """A content word of the key that the stem has too, or one of its root, where no distractor has such a word."""
    if phrases(language) is None:
        return ""
    asked = _noticed(stem, language)
    if any(_kin(asked, _noticed(other, language), language) for other in others):
        return ""
    return next((word for word in _parted(key) if _kin(asked, _noticed(word, language), language)), "")


def _noticed(text: str, language: str) -> set[str]:
    words = (word for part in _parted(text) for word in content_words(part, language))
    told = {word for word in words if len(word) >= _LONG_ENOUGH and word.isalpha()}
    return {word for word in told if word.removesuffix("e") not in _BARE_VERBS} if language == "en" else told


def _parted(text: str) -> list[str]:
    """Its words, parted at hyphens too."""
    return [part for word in plain_words(text) for part in word.split("-") if part]


_BARE_VERBS = frozenset(verb.removesuffix("e") for verb in _EMPTY_VERBS)


def _kin(these: set[str], those: set[str], language: str) -> bool:
    """Whether some word stands in both, or in English two words of one root do."""
    return bool(these & those) or (language == "en" and any(_one_root(a, b) for a in these for b in those))


def _one_root(first: str, second: str) -> bool:
    root = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
    ends = {first[root:], second[root:]} - {""}
    return root >= _ROOT + bool(ends & _LATIN) and ends <= _SUFFIXES


def _article_tells(stem: str, key: str, others: Sequence[str]) -> bool:
    """Whether “a ____” or “an ____” fits the key and not every other option."""
    blank = re.search(r"\b(an?) (?:_{2,}|…{2,}|\.{4,})", stem, re.IGNORECASE)
    if not blank:
        return False
    vowel = [option[:1].casefold() in set("aeiou") for option in (key, *others)]
    wanted = blank[1].casefold() == "an"
    return vowel[0] == wanted and not all(v == wanted for v in vowel)
