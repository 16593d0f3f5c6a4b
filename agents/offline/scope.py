"""What a document takes as known, and how a question names the document that it is about."""

from __future__ import annotations

import re
from collections import Counter

from viva.agents.offline import leaning
from viva.core.records import Document

_KNOWN_AFTER = 4
_KNOWN_AFTER_IN_SHORT = 2
_SHORT_WORDS = 1500
"""A noun used this often in a (short) document is one of its subjects: a question scoped to it may say 'the'."""
_TITLE_FIELDS = frozenset({"title", "focus", "name"})
_SCOPE = re.compile(r"^In (?:the context of )?[“A-Z].*?[”)],? ")
_LABELLED_TITLE = re.compile(r"^([A-Z]{2,6}[ -]\d+)\s*[:–—-]\s*(.+)$")


def known_nouns(document: Document) -> frozenset[str]:
    """Words that the document is about: those of its title, and those it keeps using."""
    words = [word.lower() for word in re.findall(r"[A-Za-z]{4,}", document.text)]
    enough = _KNOWN_AFTER_IN_SHORT if len(words) < _SHORT_WORDS else _KNOWN_AFTER
    title = {word.lower() for word in re.findall(r"[A-Za-z]{3,}", document.title)}
    return frozenset({word for word, count in Counter(words).items() if count >= enough} | title)


def needs_scope(stem: str, document: Document) -> bool:
    """Whether a stem names nothing by which its subject could be looked up."""
    return not leaning.names_something(stem) and document.title.lower() not in stem.lower()


def has_scope(document: Document) -> bool:
    """Whether the document's title says what it is about (a row's or record's number does not)."""
    return "#" not in document.path or not {name.casefold() for name in document.metadata}.isdisjoint(_TITLE_FIELDS)


def scope_of(title: str) -> str:
    """A title as a scope: 'PEP 205 (Weak References)', or in quotes without the site's name."""
    title = re.sub(r"\\?[`*]+", "", title)
    labelled = _LABELLED_TITLE.match(title)
    return f"{labelled.group(1)} ({labelled.group(2)})" if labelled else quoted_title(title)


def unscoped(stem: str) -> str:
    """What a stem asks, without the scope named before it."""
    return _SCOPE.sub("", stem)


def quoted_title(title: str) -> str:
    """A title in quotes, unless it begins with a label such as 'PEP 205'."""
    return title if _LABELLED_TITLE.match(title) else f"“{re.split(r' [|·»] ', title)[0]}”"
