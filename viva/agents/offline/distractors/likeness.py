"""How like two options are in form: what must be alike, what may differ, and what would set one apart."""

from __future__ import annotations

import re
from collections.abc import Set

from viva.agents.offline.text.expressions import MONTHS, code_kind
from viva.core.text.words import content_words

NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
NUMBER_WORDS = "one two three four five six seven eight nine ten eleven twelve".split()
NUMERIC = frozenset({"quantity", "money", "time"})
"""Families of forms whose answers are compared by value."""
TYPED = NUMERIC | {"date", "id", "field"}
"""Families whose members are alike by their form alone."""
_OPENINGS = (
    "so that",
    *"in on at under inside with using through via for from as by to it they because if unless".split(),
    *"when before after until once".split(),
)
_TIMES = frozenset({"when", "before", "after", "until", "once"})
_FUNCTION = (
    "of|in|for|with|on|to|from|by|at|between|among|through|into|that|which|who|where|when|and|or|as|under|about"
)
_HEAD_ENDS = re.compile(rf",| (?:{_FUNCTION})\b| \w+(?:ed|ing|known|found|made|given) (?:{_FUNCTION}|an?|the)\b")
_OF_WHAT = frozenset(
    "form type kind sort class group set number series variety piece example collection range".split()
)
_PEOPLE = re.compile(
    r"(?:(?<!l)ists?|icians?|people|persons?|wom[ae]n|\bm[ae]n|child(?:ren)?|individuals?|patients?|clients?|users?|"
    r"participants?|attackers?|providers?|researchers?|students?|workers?|teachers?|members?|doctors?|nurses?|"
    r"surgeons?|developers?|administrators?|parents?|adults?|authors?)$"
)
_SINGULAR_S = re.compile(r"(?:ss|us|is|ics|as|os)$")
_PLURALS = frozenset("people children men women data bacteria criteria phenomena media mice feet teeth".split())
_DATED = re.compile(r"(?<!\d)(?:18|19|20)\d\d(?!\d)")
_UNDATED = re.compile(rf"(?!(?:{'|'.join(MONTHS)}|{'|'.join(month[:3] for month in MONTHS)})\b)\b[A-Za-z]+|\d{{5}}")
"""A word that is no month, or a long number, as in '2400 litres'."""
_MODAL = re.compile(r"\b(?:may|might|can|could|must|should|will|would)\b")

OF_MUCH = re.compile(
    r"\b(?:useful|helpful|important|easier|easily|common(?:ly)?|typical(?:ly)?|usual(?:ly)?|often|help|helps|designed)\b"
    r"| (?:too|as well)$"
)
"""What praises, or says what is so mostly, holds of much else."""


def shape(text: str) -> str:
    """How an option opens, whether it is one word or several, a list or not: options must be alike in it."""
    lowered = text.lower()
    opening = next((o for o in _OPENINGS if lowered.startswith(o + " ")), "")
    opening = "when" if opening in _TIMES else opening
    if opening in {"by", "through", "via"}:
        opening += "-ing" if re.match(r"\w+ing\b", lowered[len(opening) + 1 :]) else ""
    if text[:1].isdigit():
        opening = "0"
    words = text.split()
    size = "word" if len(words) == 1 else "words"
    kind = code_kind(text) if len(words) == 1 else None
    kept = kind if kind in {"function", "exception", "dunder", "option", "constant"} else ""
    return f"{opening}|{size}|{kept}|{is_list(text)}"


def is_list(text: str) -> bool:
    """Whether the option names several things side by side."""
    return bool(re.search(r", .*\b(?:and|or)\b", text))


def head_word(text: str) -> str:
    """The noun that says what kind of thing a noun phrase names, in lower case: 'drug' in 'a kind of drug'."""
    bare = re.sub(r"^(?:an?|the) ", "", text.lower())
    stretch = _HEAD_ENDS.split(bare, maxsplit=1)[0]
    head = re.sub(r"\W+$", "", stretch.split()[-1]) if stretch.split() else ""
    of = re.match(r" of (.+)", bare[len(stretch) :])
    return head_word(of.group(1)) if of and head in _OF_WHAT else head


def is_person(text: str) -> bool:
    """Whether a noun phrase names people, by its head's ending."""
    return bool(_PEOPLE.search(head_word(text)))


def is_name(text: str) -> bool:
    """Whether a phrase of several words is a proper name: all its words but the function words carry capitals."""
    words = [word for word in text.split() if not re.fullmatch(rf"(?i:{_FUNCTION}|an?|the|and|or)", word)]
    return len(words) > 1 and all(word[:1].isupper() for word in words)


def is_plural(text: str) -> bool:
    """Whether a noun phrase is plural, by its head's ending."""
    head = head_word(text)
    return head in _PLURALS or (head.endswith("s") and not _SINGULAR_S.search(head))


def traits(text: str, asked: Set[str] = frozenset()) -> frozenset[str]:
    """What can be seen of an option without understanding it. `asked`: the stem's content words."""
    words = text.split()
    article = words[0].lower() if words and words[0].lower() in {"a", "an", "the"} else ""
    seen = {
        "article": bool(article),
        "definite": article == "the",
        "plural": is_plural(text),
        "of": " of " in text,
        "joined": " and " in text or " or " in text,
        "comma": "," in text,
        "relative": bool(re.search(r" (?:that|which|who|where) ", text)),
        "name": any(word[:1].isupper() for word in words[1:]) or text[:2].isupper(),
        "digit": any(char.isdigit() for char in text),
        "dot": bool(re.search(r"\w\.\w", text)),
        "underscore": "_" in text,
        "dunder": "__" in text,
        "camel": bool(re.search(r"[a-z][A-Z]", text)),
        "call": text.endswith("()"),
        "file": bool(re.search(r"\.\w{1,4}$", text)),
        "hyphen": "-" in text,
        "round": bool(re.search(r"(?:0|5)(?:\D|$)", text)) and bool(NUMBER.search(text)),
        "rounder": bool(re.search(r"00(?:\D|$)", text)),
        "modal": bool(_MODAL.search(text)),
        "gerund": bool(words) and words[0].lower().endswith("ing"),
        "pronoun": bool(re.search(r"\b(?:it|its|they|their|them)\b", text.lower())),
        "mostly": bool(OF_MUCH.search(text)),
        "negated": bool(re.search(r"\b(?:not|no|never|without|cannot)\b", text.lower())),
    }
    repeated = {f"repeats {word}" for word in content_words(text) if word in asked}
    return frozenset({name for name, present in seen.items() if present} | repeated)


def size(text: str, form: str) -> float:
    """What a test-wise reader would compare options by: a number's value, a year, else the length of the text."""
    kind = form.split(":")[0]
    numbers = [float(m.group().replace(",", "")) for m in NUMBER.finditer(text)]
    if kind == "date":
        year = next((n for n in numbers if n >= 1800), 0.0)
        month = next((n for n, name in enumerate(MONTHS) if re.search(rf"\b{name[:3]}(?:{name[3:]})?\b", text)), 0)
        iso = re.match(r"\d{4}-(\d\d)", text)
        month = int(iso[1]) - 1 if iso else month
        return year * 12 + month
    if kind in NUMERIC:
        if numbers:
            return numbers[0]
        worded = re.search(rf"\b(?:{'|'.join(NUMBER_WORDS)})\b", text.lower())
        return 1.0 + NUMBER_WORDS.index(worded.group()) if worded else 0.0
    return float(len(text))


def measured_as(key: str, form: str) -> str:
    """The form whose sizes are compared: a header's field that holds nothing but a date since 1800 is a date."""
    return "date" if form.startswith("field:") and _DATED.search(key) and not _UNDATED.search(key) else form


def reshaped(option: str, key: str, form: str) -> str:
    """The option with the key's capital or lack of it, and its full stop; a quantity with the key's own unit."""
    if form.split(":")[0] == "quantity":
        return _with_unit_of(option, key)
    option = option.rstrip(". ") + ("." if key.endswith(".") else "")
    if not option or not key or code_kind(option.split(" ")[0].rstrip(",")) not in {"word", "class", None}:
        return option
    first = option.split(" ")[0]
    if key[0].isupper() and re.fullmatch(r"[a-z]+(?:[-'’][a-z]+)*,?", first):
        return option[0].upper() + option[1:]
    if key[0].islower() and first[1:].islower() and key.split(" ")[0].isalpha():
        return option[0].lower() + option[1:]
    return option


def _with_unit_of(option: str, key: str) -> str:
    mine, theirs = NUMBER.search(option), NUMBER.search(key)
    if mine is None or theirs is None:
        return option
    return key[: theirs.start()] + mine.group() + key[theirs.end() :]
