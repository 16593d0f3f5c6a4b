"""Formulas of MathML and of Word, and raised signs, on one line: 1/2, 10^3, x_i, √(a + b); and styles that raise."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

_DEEPEST = 60
"""Terms in terms; of what lies deeper the signs are read one after the other."""
_MOST = 2_000
_ONE = re.compile(r"(?:\d+(?:[.,]\d+)*|[^\W\d_]+|\([^()]*\))\Z")
_UNSEEN = dict.fromkeys(range(0x2061, 0x2065))
"""Signs of what is applied or multiplied, which nobody sees."""
_INFIX = frozenset("=<>≤≥≈≠±×·+−-→∈")
_UNREAD = {"annotation", "annotation-xml", "mphantom"}
Parts = Callable[[Any], Sequence[Any]]
SLASHES = ("/", "\u2044")
_RAISABLE = re.compile(r"[^\W_]|\)")
_POWER = re.compile(
    r"(?!(?:st|nds?|rd|th|e|er|es|re|ère|ème|nde|o|os|a|as|r|me|mes|mme|mmes|mlle|lle|lles|bis|ter|tm|sm)\b)"
    r"[-+−–(]?[^\W_]",
    re.IGNORECASE,
)
_ABBREVIATED = re.compile(r"[^\W\d_]{2}\Z")
"""The end of a word: letters that stand raised behind it belong to it."""
_ONE_TERM = re.compile(r"[-+−–]?\w+[-+−–]?\Z|\(")


def mathml(tag: Any) -> str:
    """What a <math> says."""
    return " ".join(_term(tag, _html_parts, 0).split())


def omml(element: Any) -> str:
    """What an m:oMath of Word says."""
    return " ".join(_term(element, _word_parts, 0).split())


def _html_parts(tag: Any) -> list[Any]:
    from bs4.element import NavigableString, Tag

    return [
        p for p in islice(tag.contents, _MOST) if isinstance(p, Tag) or (type(p) is NavigableString and p.strip())
    ]


def _word_parts(element: Any) -> list[Any]:
    return list(islice(element, _MOST))


_WORDS_NAMES = {"f": "mfrac", "sSup": "msup", "sSub": "msub", "sSubSup": "msubsup", "d": "mfenced", "rad": "mroot"}
_WORDS_PROPERTIES = ("Pr", "ctrlPr")


def _name(part: Any) -> str:
    name = str(getattr(part, "name", None) or getattr(part, "tag", "")).rpartition("}")[2].rpartition(":")[2]
    return _WORDS_NAMES.get(name, name)


def _term(part: Any, parts_of: Parts, depth: int) -> str:
    name = _name(part)
    if isinstance(part, str) or not name:
        return " ".join(str(part).translate(_UNSEEN).split())
    if name in _UNREAD or name.endswith(_WORDS_PROPERTIES):
        return ""
    if name == "t" and parts_of is _word_parts:
        return str(part.text or "")
    if depth > _DEEPEST:
        return ""
    told = [(_name(each), _term(each, parts_of, depth + 1)) for each in parts_of(part)]
    terms = [(kind, text) for kind, text in told if text or not kind.endswith((*_WORDS_PROPERTIES, "annotation"))]
    return _composed(name, [text for _, text in terms], [kind for kind, _ in terms])


def _composed(name: str, texts: list[str], kinds: list[str]) -> str:
    match name, texts:
        case "mfrac", [above, below]:
            return f"{_whole(above)}/{_whole(below)}"
        case "msup", [base, raised]:
            return f"{_whole(base)}^{_whole(raised)}" if raised not in {"′", "'", "″"} else base + raised
        case (("msub" | "munder"), [base, low]):
            return f"{base}_{_whole(low)}" if low else base
        case "mover", [base, above]:
            return base if len(above) < 2 and not above.isalnum() else f"{base}^{_whole(above)}"
        case (("msubsup" | "munderover"), [base, low, raised]):
            big = " " if name == "munderover" else ""
            return f"{base}_{_whole(low)}^{_whole(raised)}{big}"
        case "msqrt", _:
            return f"√{_whole(_row(texts, kinds))}"
        case "mroot", [base, index]:
            # Word's has the index first
            base, index = (index, base) if kinds and kinds[0] == "deg" else (base, index)
            return f"{_whole(base)}^(1/{index})" if index else f"√{_whole(base)}"
        case "mfenced", _:
            return f"({', '.join(texts)})"
        case "mtable", _:
            return "; ".join(texts)
        case "mtr", _:
            return ", ".join(texts)
        case "mspace", _:
            return " "
        case "mo", [sign] if sign in _INFIX:
            return f" {sign} "
    return _row(texts, kinds)


def _row(texts: list[str], kinds: list[str]) -> str:
    row = ""
    for kind, text in zip(kinds, texts, strict=True):
        # 2 1/2 is no 21/2; a sign before all else is no operator
        apart = kind == "mfrac" and row[-1:].isdigit() and text[:1].isdigit()
        row += f" {text}" if apart else (text.strip() if not row.strip() and kind == "mo" else text)
    return row


def _whole(text: str) -> str:
    text = text.strip()
    return text if _ONE.match(text) or len(text) < 2 else f"({text})"


def around_raised(text: str, raised: str) -> tuple[str, str]:
    """The signs before and behind it that something is raised at the end of a text: "10^6", but "5th"."""
    if not (_RAISABLE.search(text[-1:]) and _POWER.match(raised)):
        return "", ""
    if raised.isalpha() and _ABBREVIATED.search(text[-2:]):
        return "", ""
    return ("^", "") if _ONE_TERM.match(raised) else ("^(", ")")


def with_raised(parts: Iterable[tuple[bool, str]]) -> str:
    """The parts of a line as one text, of which some are raised: 10^3, 5th, 3 1/2."""
    grouped = [(raised, "".join(text for _, text in each)) for raised, each in groupby(parts, itemgetter(0))]
    text = ""
    for (raised, part), (_, behind) in zip(grouped, [*grouped[1:], (False, "")], strict=False):
        if raised and part.isdigit() and behind.startswith(SLASHES):
            text += f"{' ' if text[-1:].isdigit() else ''}{part}"
        else:
            before, after = around_raised(text, part.strip()) if raised else ("", "")
            text += f"{before}{part}{after}"
    return text


# --- styles -----------------------------------------------------------------------------------------------


RAISED = re.compile(r"vertical-align\s*:\s*(?:super|text-top)|(?<![\w-])top\s*:\s*-0?\.\d+em", re.IGNORECASE)
STRUCK = re.compile(r"text-decoration[\w-]*\s*:[^;]*line-through", re.IGNORECASE)
_CLASS = re.compile(r"(?:\A|,)\s*[a-z]*\.([\w-]+)\s*(?=,|\Z)")
_LONGEST_SHEET, _LONGEST_RULE = 500_000, 3_000


def class_styles(sheet: str) -> dict[str, str]:
    """Styles that a sheet gives to classes whose text is struck out or raised."""
    found: dict[str, str] = {}
    for rule in sheet[:_LONGEST_SHEET].split("}"):
        before, _, style = rule[-_LONGEST_RULE:].rpartition("{")
        if STRUCK.search(style) or RAISED.search(style):
            selectors = before.rpartition("{")[2].rpartition("*/")[2]
            for name in _CLASS.findall(selectors.rpartition(";")[2]):
                found[name] = f"{found.get(name, '')};{style}"
    return found
