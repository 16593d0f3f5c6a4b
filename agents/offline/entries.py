"""Lists with labelled entries, '- **Rug pull**: A server changes its tools after approval.': a glossary in place.

What each label stands for is said beside it, and the labels of one list are of one kind: they are wrong options for
one another. English only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from viva.agents.offline.genus import DOING, HAPPENING, QUOTED
from viva.agents.offline.glossary import Definition
from viva.agents.offline.grammar import FINITE, NOUN, Token, is_noun_phrase, tag, text_of, uncapitalised
from viva.agents.offline.meanings import is_checkable, tells
from viva.agents.offline.prose import Sentence, plain_sentence
from viva.agents.offline.vocabulary import Vocabulary

_ENTRY = re.compile(
    r"^(?P<indent>[ \t]*)(?:[-*+•]|\d{1,2}[.)])[ \t]+\*\*(?P<label>[^*\n]{3,60}?)(?:\*\*[ \t]*[:.–—-]+|[:.]\*\*)"
    r"[ \t]+(?P<said>\S[^\n]*)$",
    re.MULTILINE,
)
_HEADING = re.compile(r"^#{1,6}\s|^[=\-~^]{4,}\s*$", re.MULTILINE)
_VERBS = frozenset("VVB VVI VVZ VVD VM0 VBB VDB VHB VVN TO0".split())
_ASIDE = frozenset("VVZ VVD VVN VM0 VBZ VHZ PRP CJS AV0".split())
"""What opens words that say something of a thing which they leave out: 'Requires ...', 'Vulnerable to ...'."""
_PAST = frozenset({"VVD", "VBD", "VHD", "VDD"})
_FEWEST = 4
"""Entries of a list from which on each has three others to stand beside it."""
_LONGEST_LABEL = 5
_FEWEST_WORDS, _MOST_WORDS = 5, 30
_FEWEST_QUOTED = 8
"""Words, and marks, of an explanation that is given word for word."""
_NO_LABEL = re.compile(
    r"^(?:how|why|what|when|where|who|step|note|example|important|warning|tip|rule|description|purpose|use|implementation"
    r"|mechanism|pattern|assertion|impact|risk|mitigation|pros?|cons?|result|reason|input|output)\b"
    r"|[`{}<>=:;!?\"“”,]|\b(?:is|are|not|your|don't|doesn't)\b",
    re.IGNORECASE,
)


_TELLS_ITS_SORT = re.compile(
    r"^(?:A|An|The) |, ?(?:enabling|allowing|causing|leading|exposing|letting|resulting)\b"
    r"|\b(?:causing|allowing|enabling|leading to|exposing)\b"
)
"""Of other words nobody can tell whether an attack, a measure or an incident is meant: any label fits them."""


@dataclass(frozen=True)
class Entry:
    """What a list says of one of its labels; offsets into the document's text. `place` is the list's own number."""

    definition: Definition
    statement: str
    start: int
    end: int
    place: int


@lru_cache(maxsize=8)
def entries(text: str) -> tuple[Entry, ...]:
    """All labelled entries, in order. Lists of fewer than four are left out."""
    found: list[Entry] = []
    for place, matches in enumerate(_lists(text)):
        read = [entry for match in matches if (entry := _entry(match, place)) is not None]
        found += read if len(read) >= _FEWEST else []
    return tuple(found)


def _lists(text: str) -> Iterator[list[re.Match[str]]]:
    """Runs of labelled entries of one indent, under one heading."""
    run: list[re.Match[str]] = []
    for match in _ENTRY.finditer(text):
        between = text[run[-1].end() : match.start()] if run else ""
        if run and (match["indent"] != run[-1]["indent"] or _HEADING.search(between) or _is_paragraph(between)):
            yield run
            run = []
        run.append(match)
    if run:
        yield run


def _is_paragraph(between: str) -> bool:
    """Whether prose that is no part of an entry stands between two of them."""
    return any(line[:1].strip() and not re.match(r"[-*+•]|\d{1,2}[.)]", line) for line in between.splitlines())


def _entry(match: re.Match[str], place: int) -> Entry | None:
    label = re.sub(r" \([^)]*\)", "", match["label"]).strip(" .:")
    said = re.split(r"(?<=[a-z)])(?<! vs)(?<! etc)(?<!e\.g)[.!?](?=\s|$)", match["said"].strip(), maxsplit=1)[0]
    said = said.rstrip(" .")
    words = label.split()
    if not 1 <= len(words) <= _LONGEST_LABEL or _NO_LABEL.search(label) or not label[0].isupper():
        return None
    if not _is_noun_phrase(label):
        return None
    plain = plain_sentence(f"{said}.")
    definition = _definition(label, plain)
    if definition is None:
        return None
    start = match.start("label") - 2
    return Entry(definition, f"{label}: {plain.text}", start, match.start("said") + len(said), place)


def _definition(label: str, plain: Sentence) -> Definition | None:
    """The label with what is said of it, as words that can stand in 'What is the term for ...?' or after 'when'."""
    tokens = tag(plain, Vocabulary())
    tokens = tokens[:-1] if tokens and tokens[-1].text == "." else tokens
    if len(tokens) < 2:
        return None
    genus, meaning = _worded(plain.text, tokens)
    if genus == QUOTED and (not _TELLS_ITS_SORT.search(meaning) or _is_fragment(tokens) or _is_example(tokens)):
        return Definition(label, meaning, genus, plural=False, named=False, telling=False)
    whole = _FEWEST_WORDS <= len(tokens) <= _MOST_WORDS and is_checkable(tokens) and _explains(tokens)
    return Definition(label, meaning, genus, plural=False, named=False, telling=whole and tells(label, meaning))


def _is_fragment(tokens: Sequence[Token]) -> bool:
    """'Coarse roles allowing lateral abuse' hints at its label, and says what else it may be."""
    return len(tokens) < _FEWEST_QUOTED


def _is_example(tokens: Sequence[Token]) -> bool:
    """'An endpoint that answers differently leaks names': one thing that happens, told by a verb of its own."""
    opens = tokens[0].text in {"A", "An", "The"}
    # 'emails leaks names': no noun stands in the plural before another
    verbs = sum(
        (t.tag in FINITE and before.text not in {"and", "or"}) or (before.tag, t.tag) == ("NN2", "NN2")
        for before, t in pairwise(tokens)
    )
    return opens and verbs > sum(t.text in {"that", "which", "who", "where", "when"} for t in tokens)


def _is_noun_phrase(label: str) -> bool:
    """Whether a label names something: 'Service mesh', not 'Identify sources'."""
    tokens = tag(plain_sentence(label[0].lower() + label[1:]), Vocabulary())
    # a verb of the tagger's that a noun follows may still be an order
    return bool(tokens) and tokens[-1].tag in NOUN | {"VVG"} and tokens[0].tag not in _VERBS | {"PRP"}


def _explains(tokens: Sequence[Token]) -> bool:
    """Whether the words say what something is or does, not what it requires, and are no bare list."""
    if tokens[0].tag in _ASIDE | _VERBS or tokens[0].text.lower() in {"only", "generally", "always", "typically"}:
        return False
    if tokens[0].tag == "AJ0" and tokens[1].tag in {"TO0", "PRP"}:
        return False
    if any(t.tag in _PAST for t in tokens) or any(re.search(r"\d{4}", t.text) for t in tokens):
        return False  # tells of an incident
    comma = next((n for n, t in enumerate(tokens) if t.text == ","), len(tokens))
    return any(t.tag in {"PRP", "PRF", "TO0"} or t.tag.startswith("VV") for t in tokens[:comma])


def _worded(text: str, tokens: Sequence[Token]) -> tuple[str, str]:
    """The genus and the words: a gerund and a clause can stand in a question, all else is quoted."""
    said = text_of(text, tokens)
    lowered = uncapitalised(text, tokens)
    if tokens[0].tag == "VVG":
        return DOING, said[0].lower() + said[1:]
    verb = next((n for n, t in enumerate(tokens[:12]) if t.tag in FINITE), None)
    article = tokens[0].text in {"A", "An", "The"}
    if article and verb and is_noun_phrase(tokens[:verb]) and not lowered.startswith("the "):
        return HAPPENING, lowered
    return QUOTED, said
