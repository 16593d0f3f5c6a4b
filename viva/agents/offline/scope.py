"""How a question names the document that it is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from viva.agents.offline import leaning
from viva.core.markup import dialect_of, headings_above
from viva.core.records import Document
from viva.core.text.words import content_words, roots
from viva.metrics.item_writing.wording import unscoped

_LONGEST_HEADING = 12
_TOLD_AT_MOST = 0.34
"""Share of a key's words that a scope may hold where there is none that holds none."""
_MARKS = re.compile(r"\\?[`*“”]+|\{#[^}]*\}?")
_TITLE_FIELDS = frozenset({"title", "focus", "name"})
_GAP_AT_END = re.compile(r"“([^“”]*)____”")
_DENIED = re.compile(
    r"\b(?:don[’']?ts?|do not|must not|should not|never do|anti-?patterns?|mistakes?|misconceptions?|myths?"
    r"|pitfalls|incorrect(?:ly)?|common errors|examples?|samples?)\b",
    re.IGNORECASE,
)
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])(?: |$)|\s{2,}\S|\s+$")
_LIST_REACH = 3000
"""Characters before an item in which the line above its list is looked for."""
_ANY_PART = frozenset(
    "introduction overview summary motivation background conclusion conclusions description example examples notes"
    " note contents general details purpose scope faq references usage abstract".split()
)
_LABELLED_TITLE = re.compile(r"^([A-Z]{2,6}[ -]\d+)\s*[:–—-]\s*(.+)$")


def needs_scope(stem: str, document: Document) -> bool:
    """Whether a stem names nothing by which its subject could be looked up."""
    return not leaning.names_something(stem) and document.title.lower() not in stem.lower()


def has_scope(document: Document) -> bool:
    """Whether the document's title says what it is about (a row's or record's number does not)."""
    return "#" not in document.path or not {name.casefold() for name in document.metadata}.isdisjoint(_TITLE_FIELDS)


def scope_of(document: Document, place: int, key: str) -> str:
    """Where a fact stands, as the scope of a question: title and lowest heading that do not tell the key, or ''.

    'PEP 205 (Weak References: Rationale)', or in quotes, without the site's name.
    """
    title = bare_title(document.title) if has_scope(document) else ""
    headings = [name for name in _headings(document, place) if name.casefold() not in title.casefold()]
    for most in (0.0, _TOLD_AT_MOST):
        lowest = next((name for name in headings if _told(name, key) <= most), "")
        parts = [name for name in (title, lowest) if name and _told(name, key) <= most]
        if parts and not _names_no_matter(parts):
            break
    else:
        return ""
    return title_scope(": ".join(parts))


def _names_no_matter(parts: Sequence[str]) -> bool:
    """'Introduction': a part that any document may have."""
    return all(part.casefold() in _ANY_PART for part in parts)


def is_denied(document: Document, place: int) -> bool:
    """Whether a heading above, or the line above its list, says that it does not hold, or is an example."""
    if any(_DENIED.search(name) for name in headings_above(document.text, dialect_of(document.format), place)):
        return True
    lines = document.text[max(place - _LIST_REACH, 0) : place].split("\n")
    if not _ITEM.match(lines[-1]):
        return False
    lead = next((line for line in reversed(lines[:-1]) if line.strip() and not _ITEM.match(line)), "")
    return _DENIED.search(lead) is not None


def named_by_scope(document: Document, place: int) -> frozenset[str]:
    """Words of title and headings above, in lower case, as they stand and in the singular."""
    title = [bare_title(document.title)] if has_scope(document) else []
    words = re.findall(r"[a-z]{3,}", " ".join([*title, *_headings(document, place)]).lower())
    return frozenset({form for word in words for form in (word, word.removesuffix("s"))})


def _headings(document: Document, place: int) -> list[str]:
    """The headings above a place, the lowest first."""
    above = headings_above(document.text, dialect_of(document.format), place)
    return [bare_title(name) for name in reversed(above) if len(name.split()) <= _LONGEST_HEADING]


def title_scope(title: str) -> str:
    """A title as a scope: 'PEP 205 (Weak References)', or in quotes without the site's name."""
    title = bare_title(title)
    labelled = _LABELLED_TITLE.match(title)
    return f"{labelled.group(1)} ({labelled.group(2)})" if labelled else f"“{title}”"


def bare_title(title: str) -> str:
    """Without marks, a heading's own address and the site's name."""
    named = re.split(r" [|·»] | — (?=[^—]*\d[^—]* documentation$)", _MARKS.sub("", title))[0]
    return re.sub(r" #+$", "", named.lstrip(" :#")).rstrip(" :")


def _told(part: str, key: str) -> float:
    """The share of the key's words that a part of the scope holds, in any form."""
    return len(roots(part) & roots(key)) / max(len(roots(key)), 1)


@lru_cache(maxsize=1024)
def asked_words(stem: str) -> frozenset[str]:
    """Content words of what a stem asks, without its scope; a possessive is its noun: 'Rust’s closures'."""
    return frozenset(content_words(re.sub(r"['’]s\b", "", unscoped(stem))))


@lru_cache(maxsize=1024)
def before_gap(stem: str) -> frozenset[str]:
    """The last two content words of a statement before the gap at its end: 'added as guests to ____'."""
    quoted = _GAP_AT_END.search(unscoped(stem))
    return frozenset(content_words(quoted[1])[-2:]) if quoted else frozenset()
