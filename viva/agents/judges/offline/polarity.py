"""Whether two texts say the opposite: negation, words and their contraries, and claims that are no claims."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from viva.agents.judges.offline.terms import Word, neighbours, words_of

_PAIRS = (
    "increase/decrease rise/fall rise/drop grow/shrink raise/lower gain/lose more/less more/fewer most/least"
    " higher/lower high/low large/small larger/smaller big/small longer/shorter long/short faster/slower fast/slow"
    " early/late earlier/later before/after above/below over/under maximum/minimum atmost/atleast allow/forbid"
    " allow/prohibit allow/ban permit/forbid permit/prohibit permit/ban accept/reject accept/refuse include/exclude"
    " enable/disable open/close open/shut start/stop start/end begin/end first/last left/right inside/outside"
    " internal/external public/private always/never all/none everybody/nobody everyone/nobody with/without"
    " same/different possible/impossible legal/illegal safe/unsafe safe/dangerous valid/invalid mandatory/optional"
    " required/optional compulsory/voluntary required/forbidden active/inactive active/passive visible/invisible"
    " stable/unstable true/false correct/incorrect success/failure succeed/fail pass/fail strengthen/weaken"
    " strong/weak improve/worsen better/worse best/worst positive/negative add/remove attach/detach encrypt/decrypt"
    " encode/decode lock/unlock mutable/immutable ascend/descend arrive/depart import/export upload/download buy/sell"
    " win/lose cheap/expensive cheaper/dearer warm/cold hot/cold wet/dry rare/common shallow/deep narrow/wide"
    " young/old new/old direct/indirect directly/indirectly explicit/implicit synchronous/asynchronous"
    " temporary/permanent seasonal/permanent encourage/discourage deprecated/recommended recommend/discourage"
    " trusted/untrusted benign/malicious expand/contract absorb/release north/south east/west northern/southern"
    " eastern/western upper/lower day/night summer/winter male/female men/women sufficient/insufficient"
    " adequate/inadequate dependent/independent approve/reject advance/retreat harmful/harmless guilty/innocent"
)
_NEGATORS = frozenset(
    "not no never neither nor cannot without none nobody nothing hardly scarcely rarely seldom".split()
)
_SKIPPED = frozenset(
    "be been being is are was were has have had do does did can could may might must shall should will would ever yet"
    " longer any a an the to only always necessarily usually generally normally also so very really actually"
    " even".split()
)
_NOT_NEGATION = re.compile(
    r"\bnot only\b|\bno matter\b|\bno doubt\b|\bnot just\b|\bnot merely\b"
    r"|\bno\.? ?(?=\d)|\bwhether or not\b"
    r"|\bor not\b"
)
_BOUNDS = {
    re.compile(pattern): bound
    for pattern, bound in (
        (r"\b(?:no|not) (?:more|longer|greater|higher|later) than\b|\bat (?:the )?most\b", "atmost"),
        (r"\bup to\b|\ba maximum of\b", "atmost"),
        (r"\b(?:no|not) (?:less|fewer|lower|earlier|shorter) than\b|\bat (?:the )?least\b", "atleast"),
        (r"\ba minimum of\b", "atleast"),
        (r"\bno longer\b", "not"),
        (r"\b(?:does|do|did) not allow\b|\bdisallow\w*\b", "not allow"),
    )
}
_DENIAL = re.compile(
    r"\b(?:it|this|that) (?:is|was)(?:n't| not) (?:true|correct|right|the case|accurate)\b"
    r"|\bit(?:'s| is| was| would be) (?:false|wrong|incorrect|untrue|a myth|inaccurate)\b|\bcontrary to\b",
    re.IGNORECASE,
)
_NO_CLAIM = re.compile(
    r"\b(?:I|we)(?: am|'m| are|'re)? (?:really |simply |honestly |still )?(?:do not|don't|cannot|can't|could not"
    r"|couldn't|am not|'m not|not|are not|have no|have not|haven't) (?:really |actually |currently |exactly )?"
    r"(?:know|sure|certain|say|tell|recall|remember|find|found|have (?:any )?(?:information|knowledge|details|access)"
    r"|aware|information|idea|knowledge|determine|confirm|answer|able|provide|see)\b"
    r"|\b(?:I'm|I am|we are) (?:unsure|unable|uncertain|not (?:sure|certain|aware|able))\b|\bno (?:idea|clue)\b"
    r"|\b(?:documents?|texts?|sources?|passages?|context|materials?|they|it|corpus|information)\b(?: \w+){0,3}? (?:do"
    r"|does|did)(?: not|n't)"
    r" (?:\w+ )?(?:say|state|mention|tell|give|specify|contain|provide|cover|describe|indicate|discuss|explain|list"
    r"|include information)\b"
    r"|\b(?:is|are|was|were)(?: not|n't) (?:\w+ )?(?:mentioned|stated|given|specified|described|covered|discussed"
    r"|known(?! (?:as|for|to)\b))\b"
    r"|\b(?:documents?|texts?|sources?|they) (?:may|might|could|probably|perhaps) (?:\w+ )?(?:say|state|mention|tell"
    r"|give)\b"
    r"|\bno (?:information|mention|details?|data)\b|\bunknown to me\b|\bthere is no way to (?:know|tell)\b",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|possibly|presumably|conceivably|might(?: well)? (?:be|have)|could (?:well )?be"
    r"|may (?:well )?(?:be|have)|I (?:guess|suppose|would guess|imagine|assume)|if I had to guess|my guess|who knows"
    r"|I(?: am|'m) not sure|^not sure|it depends|or so I)\b",
    re.IGNORECASE,
)
_SCOPE = 3
"""Words after a negator among which the negated one is looked for."""


@dataclass(frozen=True)
class Polarity:
    """Which words of a text are affirmed and which denied; contraries share a concept with opposite signs."""

    signs: dict[str, frozenset[int]]
    beside: dict[str, frozenset[str]]
    """words next to the words of a pair of contraries"""
    denied: Counter[str]
    """words that a negator stands before"""
    times: Counter[str]
    """how often each word occurs"""
    whole: bool
    """whether the text denies all that it says: 'it is not true that ...'"""


def opposite(said: str, source: str) -> bool:
    """Whether a rule finds that what is said is the opposite of what the source says."""
    mine, theirs = _polarity(said), _polarity(source)
    if mine.whole != theirs.whole:
        return True
    for concept in mine.signs.keys() & theirs.signs.keys():
        if mine.signs[concept].isdisjoint(theirs.signs[concept]):
            # contraries count where they stand beside the same word: one sentence may speak of day and of night
            one_denies = (concept in mine.denied) != (concept in theirs.denied)
            if one_denies or mine.beside[concept] & theirs.beside[concept]:
                return True
    # 'a port is not a port that ...': said as often, denied once more
    return any(
        mine.times[word] == theirs.times[word] > 1 and mine.denied[word] != theirs.denied[word]
        for word in mine.denied.keys() | theirs.denied.keys()
    )


_CONDITIONAL = re.compile(r"\b(?:may|might|could|perhaps|possibly|depend(?:s|ing|ed)?)\b", re.IGNORECASE)


def claims_nothing(said: str, source: str) -> bool:
    """Whether a part asks, owns up to not knowing, or only supposes what the source states.

    Where the source itself says that something may be or depends, to say so is to claim what it claims.
    """
    if said.rstrip(" \"')]").endswith("?") or _NO_CLAIM.search(said):
        return not _NO_CLAIM.search(source)
    return bool(_HEDGE.search(said)) and not _CONDITIONAL.search(source)


@lru_cache(maxsize=4096)
def _polarity(text: str) -> Polarity:
    plain = _NOT_NEGATION.sub(" ", re.sub(r"\b(\w+)n't\b", r"\1 not", text.replace("cannot", "can not")))
    whole = bool(_DENIAL.search(plain))
    plain = _DENIAL.sub(" ", plain)
    for pattern, bound in _BOUNDS.items():
        plain = pattern.sub(bound, plain)
    words = words_of(plain)
    denied = {at for n, word in enumerate(words) if word.lower in _NEGATORS for at in _scope(words, n)}
    signs: dict[str, set[int]] = {}
    beside: dict[str, set[str]] = {}
    for n, word in enumerate(words):
        if word.lower in _NEGATORS - {"never", "without", "none", "nobody"}:
            continue
        sign = -1 if n in denied else 1
        for concept, side in _CONCEPTS.get(word.key, ((word.key, 1),)):
            if concept and (word.stem or word.key in _CONCEPTS):
                signs.setdefault(concept, set()).add(sign * side)
                beside.setdefault(concept, set()).update(neighbours(words, n, n + 1))
    return Polarity(
        {concept: frozenset(found) for concept, found in signs.items()},
        {concept: frozenset(found) for concept, found in beside.items()},
        Counter(words[n].key for n in sorted(denied)),
        Counter(word.key for word in words),
        whole,
    )


def _scope(words: tuple[Word, ...], at: int) -> list[int]:
    """The first word of content after a negator."""
    for n in range(at + 1, min(at + 1 + _SCOPE + 3, len(words))):
        if words[n].lower not in _SKIPPED and (words[n].stem or words[n].key in _CONCEPTS):
            return [n]
    return []


def _concepts() -> dict[str, tuple[tuple[str, int], ...]]:
    """By word: the pairs of contraries it belongs to, and on which side."""
    table: dict[str, list[tuple[str, int]]] = {}
    for pair in _PAIRS.split():
        first, _, second = pair.partition("/")
        for word, side in ((first, 1), (second, -1)):
            key = words_of(word)[0].key
            table.setdefault(key, [(key, 1)]).append((pair, side))
    return {word: tuple(sides) for word, sides in table.items()}


_CONCEPTS = _concepts()
