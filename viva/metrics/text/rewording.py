"""What a new wording of a statement changes in it: figures, names, negations, words, their order.

Only what cannot change a fact may differ: articles, spelling, numbers in words or digits, amounts in another unit,
contractions, some synonyms, a clause at the other end of its sentence. All else counts as a change.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from viva.metrics.text.equality.quantities import Reading, UnitValue, Value, ValueRange
from viva.metrics.text.equality.values import as_read, values

_SIGN = re.compile(
    r"(?<![\w)])[-+±](?=\s?\d)|[€$£¥](?=\s?\d)|(?<=\d)\s?[€%‰°]"
    r"|(?<=[\w)\]])\s*(?:[<>!=]=|[<>≤≥≠])(?=\s*[\w(])|(?<=\w)(?:\+\+|#)(?!\w)"
    r"|(?<=\d)\s?[numkMGTµ]?(?:W|Hz|B|b|V|A|g|m|s|J|Pa)\b"
)
_OF_AMOUNTS = re.compile(r"[€$£¥%‰°\w]+")
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*(?:_\w+)*|_+\w+")
_PHRASES = {
    r"(\w+)n['’]t\b": r"\1 not",
    r"\bcannot\b": "can not",
    r"\bca not\b": "can not",
    r"\bwo not\b": "will not",
    r"\b(?:has|have) to\b|\b(?:is|are) (?:required|obliged) to\b": "must",
    r"\b(?:is|are) able to\b": "can",
    r"\b(?:is|are) (?:allowed|permitted) to\b": "may",
    r"\bin order to\b": "to",
    r"\bas well as\b": "and",
    r"\bprior to\b": "before",
    r"\bought to\b": "should",
    r"\bdue to the fact that\b": "because",
    r"\bin the event that\b": "if",
    r"\b(?:at present|at the present time)\b": "currently",
    r"\bwith the exception of\b": "except",
    r"\buntil such time as\b": "until",
    r"\bby means of\b": "by",
}
_IGNORED = frozenset("a an the that which who also then thus hence therefore moreover furthermore".split())
_GROUPS = (
    "is are am be/use utilize utilise employ/show display demonstrate exhibit/begin start commence/end finish"
    "/need require/allow permit/buy purchase/help assist/big large/quickly rapidly/often frequently"
    "/approximately roughly about/each every/must shall/obtain get/was were/has have possess/do does"
    "/choose select/build construct/whole entire/near close/provide give offer furnish"
    "/try attempt endeavor endeavour/many numerous/enough sufficient/change modify/send transmit/stay remain"
    "/keep retain/notify tell/same identical/now currently/part portion/relocate move/reside live/depart leave"
    "/previous earlier"
)
"""Words of one meaning, many from the Federal Plain Language Guidelines ("Use simple words and phrases", 2011)."""
_SAME = {word: group.split()[0] for group in _GROUPS.split("/") for word in group.split()}
_MOVABLE = frozenset(
    "if when while because since after before unless until although though where once in on at by with during under"
    " for".split()
)
"""Words that begin a clause or a phrase which may be at either end of its sentence."""
_BRITISH = re.compile(r"(?:is|iz)(?=(?:e[sd]?|ing|ation|ations)$)|(?<=[bdlmnv]o)u(?=r)")
_LEAST_BLOCK = 2
Token = str | Value


def difference(before: str, after: str) -> str:
    """Say in words what the new wording changes; "" where it states the same by rule."""
    # signs of amounts may be words in the other wording: values know both
    old, new = ([sign for sign in signs(text) if not _OF_AMOUNTS.fullmatch(sign)] for text in (before, after))
    if old != new:
        return f"the signs {' '.join(old) or '(none)'} became {' '.join(new) or '(none)'}"
    mine, theirs = _tokens(before), _tokens(after)
    if _equal(mine, theirs) or _is_moved_clause(mine, theirs):
        return ""
    return _first_change(mine, theirs)


def signs(text: str) -> list[str]:
    """Give the signs of numbers, amounts and comparisons, which letters and digits do not show."""
    plain = text.translate(str.maketrans("−–", "--"))
    return [match[0].strip() for match in _SIGN.finditer(plain)]


def _tokens(text: str) -> list[Token]:
    """Give words and values in order, without words that change no fact."""
    plain = " ".join(text.replace("’", "'").split())
    for pattern, phrase in _PHRASES.items():
        plain = re.sub(pattern, phrase, plain, flags=re.IGNORECASE)
    read, at, found = as_read(plain), 0, list[Token]()
    for value in values(plain):
        found += _words(read[at : value.start])
        found.append(value)
        at = value.end
    return [*found, *_words(read[at:])]


def _words(text: str) -> list[str]:
    words = (_folded(word) for word in _WORD.findall(text))
    return [word for word in words if word not in _IGNORED]


def _folded(word: str) -> str:
    word = word.casefold()
    plain = _BRITISH.sub("", word)
    if plain.isalpha() and len(plain) > len("was") + 1 and plain[-1] == "s" and plain[-2] not in "su":
        plain = plain[:-1]
    return _SAME.get(word) or _SAME.get(plain, plain)


def _equal(mine: Sequence[Token], theirs: Sequence[Token]) -> bool:
    return len(mine) == len(theirs) and all(map(_same, mine, theirs))


def _same(one: Token, other: Token) -> bool:
    if isinstance(one, Value) and isinstance(other, Value):
        if one.text == other.text:
            return True
        return one.bound == other.bound and any(_alike(a, b) for a in one.readings for b in other.readings)
    return isinstance(one, str) and one == other


def _alike(one: Reading, other: Reading) -> bool:
    """Tell whether two readings are one amount, to the digit: a rounded figure is another one."""
    if isinstance(one, UnitValue) and isinstance(other, UnitValue):
        near = abs(one.value - other.value) <= 1e-9 * max(abs(one.value), abs(other.value), 1)
        return one.dimension == other.dimension and near
    if isinstance(one, ValueRange) and isinstance(other, ValueRange):
        return _alike(one.low, other.low) and _alike(one.high, other.high)
    return type(one) is type(other) and one == other


def _is_moved_clause(mine: Sequence[Token], theirs: Sequence[Token]) -> bool:
    """Tell whether one is the other with its first or last clause at the other end."""
    if len(mine) != len(theirs):
        return False
    for cut in range(_LEAST_BLOCK, len(mine) - _LEAST_BLOCK + 1):
        begins = mine[0] in _MOVABLE or mine[cut] in _MOVABLE
        if begins and _equal([*mine[cut:], *mine[:cut]], theirs):
            return True
    return False


def _first_change(mine: Sequence[Token], theirs: Sequence[Token]) -> str:
    one, other = ([_shown(token) for token in tokens] for tokens in (mine, theirs))
    if sorted(one) == sorted(other):
        return "its parts are in another order"
    for kind, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        old, new = " ".join(one[a:b]), " ".join(other[c:d])
        if kind == "delete":
            return f"“{old}” was taken out"
        if kind == "insert":
            return f"“{new}” was added"
        if kind == "replace":
            return f"“{old}” became “{new}”"
    return "its figures or units differ"


def _shown(token: Token) -> str:
    return token.text if isinstance(token, Value) else token
