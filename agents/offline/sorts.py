"""Things of one sort in a corpus: what could be asked of one of them could be asked of another."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from viva.agents.offline.bank import Bank
from viva.agents.offline.grammar import NOUN, tag
from viva.agents.offline.phrases import NOUN_PHRASE
from viva.agents.offline.prose import Sentence
from viva.agents.offline.words import content_words
from viva.core.records import Document

_IS_A = re.compile(r"^(?:The |An? )?(\w[\w'’.-]*(?: [\w'’.-]+){0,3}?) (?:is|was) (?:an?|the) (.+)$")
_ACTS = re.compile(r"^(The )?([A-Z][a-z]+(?: [A-Z][a-z]+){1,2}) ([a-z]{4,}(?:s|ed))\b")
_DOES_ANYTHING = frozenset(
    "does includes provides allows uses used makes needs requires lists contains seems becomes gives".split()
)
_LABEL = re.compile(r"^([A-Z]{2,6}[ -]\d+)\b")
_TITLE_WORDS = 4
TITLE = "title"
"""The sort of what is a document's title and no more: only its header can be asked of its siblings."""
_QUESTION = re.compile(
    r"^(?:what|how|why|when|who|which|where|about|introduction|your|the|a|an)\b|[?:!,()]", re.IGNORECASE
)
_POINTS = re.compile(
    r"(?:this|that|these|those|one|each|every|any|some|another|there|it|he|she|both|no)\b", re.IGNORECASE
)
_ANY = frozenset(
    "state study tendency field branch practice ability measure technique element event feature area program use"
    " part form type kind way example result number set group person one case time process thing sort cause symptom"
    " person people method approach problem issue goal reason idea name word term".split()
)
_FEWEST = 2
"""Sentences that must name a thing for it to be one that the corpus speaks of."""


@dataclass(frozen=True)
class Sorts:
    """Names by sort, each list in the corpus's order."""

    names: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, documents: Sequence[Document], bank: Bank) -> Sorts:
        """Read titles, 'X is a Y', identifiers beside their noun, and labels with a number."""
        found: dict[str, dict[str, None]] = defaultdict(dict)
        for sort, name in (
            *_titled(documents),
            *_said(bank.sentences),
            *_labelled(bank),
            *_compounds(bank),
            *_acting(bank.sentences),
        ):
            if len(name) > 2 and _is_spoken_of(name, bank):
                found[sort][name] = None
        return cls({sort: tuple(names) for sort, names in found.items() if len(names) > 1})

    @cached_property
    def of_name(self) -> dict[str, tuple[str, ...]]:
        """The sorts of each name, lower case."""
        sorts: dict[str, list[str]] = defaultdict(list)
        for sort, names in self.names.items():
            for name in names:
                sorts[name.lower()].append(sort)
        return {name: tuple(of_it) for name, of_it in sorts.items()}

    @cached_property
    def _by_word(self) -> dict[str, list[str]]:
        words: dict[str, list[str]] = defaultdict(list)
        for name in self.of_name:
            words[name.split(" ")[0]].append(name)
        return words

    def in_text(self, text: str) -> list[str]:
        """The names that stand in a text, lower case, the longest first."""
        low = text.lower()
        first = {word.rstrip("?,.'") for word in re.findall(r"[^\s“”()]+", low)}
        near = (name for word in sorted(first) for name in self._by_word.get(word, ()))
        return sorted((name for name in near if _names(name, low)), key=lambda name: (-len(name), name))

    def siblings(self, name: str, *, titles: bool) -> list[str]:
        """Other names of the same sorts; of titles where `titles`, else of things."""
        return list(
            dict.fromkeys(
                other
                for sort in self.of_name.get(name.lower(), ())
                for other in self.names[sort]
                if other.lower() != name.lower() and (titles or not sort.startswith(TITLE))
            )
        )


def _names(name: str, low: str) -> bool:
    return bool(re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\w)", low))


def _titled(documents: Sequence[Document]) -> Iterable[tuple[str, str]]:
    """Documents of one topic whose titles are names: 'Acromegaly', 'PEP 205'."""
    for document in documents:
        label = _LABEL.match(document.title)
        if label:
            yield f"label:{re.sub(r'[ -]?[0-9]+', '', label.group(1))}", label.group(1)
        elif len(document.title.split()) <= _TITLE_WORDS and not _QUESTION.search(document.title):
            yield f"{TITLE}:{document.topic}:{document.format}", document.title


def _said(sentences: Sequence[str]) -> Iterable[tuple[str, str]]:
    """Each thing with what it is said to be."""
    for sentence in sentences:
        said = said_to_be(sentence)
        if said:
            yield f"is a:{said[0]}", said[1]


def said_to_be(sentence: str) -> tuple[str, str] | None:
    """'Codeine is an opioid with relatively low potency' -> (opioid, Codeine)."""
    match = _IS_A.match(sentence)
    if match is None or not re.match(r"[A-Z]|\w+[_.]", match.group(1)) or _POINTS.match(match.group(1)):
        return None
    rest = match.group(2)
    tokens = tag(Sentence(rest, 0, len(rest), ()))[:8]
    first = next((n for n, t in enumerate(tokens) if t.tag in NOUN), None)
    if first is None or any(t.tag in {"PRP", "PRF", "CJC", "TO0"} for t in tokens[:first]):
        return None
    last = next((n for n in range(first, len(tokens)) if tokens[n].tag not in NOUN), len(tokens)) - 1
    noun = tokens[last]
    named = noun.tag == "NN1" and noun.text.islower() and noun.text not in _ANY
    return (noun.text, match.group(1)) if named else None


def _acting(sentences: Sequence[str]) -> Iterable[tuple[str, str]]:
    """'The Morven Tern carries ...', 'The Sundray Heron carries ...': names written alike that do the same."""
    for sentence in sentences:
        match = _ACTS.match(sentence)
        if match and match.group(3) not in _DOES_ANYTHING and not _POINTS.match(match.group(2)):
            yield f"does:{match.group(3)}:{match.group(1) or ''}{len(match.group(2).split())}", match.group(2)


def _labelled(bank: Bank) -> Iterable[tuple[str, str]]:
    """Identifiers whose sentence says what they are (`code:word:module`), and labels (`id:Form SF`)."""
    for form, candidates in bank.candidates.items():
        parts = form.split(":")
        if (parts[0] == "code" and len(parts) > 2) or parts[0] == "id":
            for candidate in candidates:
                yield form, candidate.text


def _compounds(bank: Bank) -> Iterable[tuple[str, str]]:
    """'hull warranty', 'engine warranty': two nouns, of which the second says what it is."""
    for candidate in bank.candidates.get(NOUN_PHRASE, ()):
        words = re.sub(r"^(?:The|An?) ", "", candidate.text).split(" ")
        if len(words) == 2 and all(re.fullmatch(r"[A-Za-z][a-z-]{2,}", w) for w in words) and words[1] not in _ANY:
            name = f"{words[0].lower()} {words[1]}"
            tokens = tag(Sentence(name, 0, len(name), ()))
            if [t.tag for t in tokens] == ["NN1", "NN1"] and words[1].islower():
                yield f"sort of:{words[1]}", name


def _is_spoken_of(name: str, bank: Bank) -> bool:
    words = content_words(name)
    rarest = min(words, key=lambda word: (len(bank.postings.get(word, ())), word), default="")
    held = (bank.sentences[n] for n in bank.postings.get(rarest, ()))
    for count, _ in enumerate((s for s in held if _names(name.lower(), s.lower())), start=1):
        if count >= _FEWEST:
            return True
    return False
