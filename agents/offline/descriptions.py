"""What a sentence says of a thing it names, as words that can stand for the name: 'the ferry launched in 1998'."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from viva.agents.offline import leaning
from viva.agents.offline.bank import Bank
from viva.agents.offline.grammar import FINITE_BE, NOUN, Clause, Token, is_plural, tag, text_of
from viva.agents.offline.header import header_fields
from viva.agents.offline.patterns.base import Reading, is_plain, is_statement_of_fact, plain_clause
from viva.agents.offline.prose import Sentence, sentences
from viva.agents.offline.statements import statement
from viva.agents.offline.words import content_words
from viva.agents.roles import Source

_SHORTEST, _LONGEST = 4, 14
"""Words of a description that says enough and can stand inside a question."""
_TELLING = 3
"""Content words that a description must hold besides the noun."""
_SUBJECT = 4
_SORTS = 5
"""Different words that must stand before a noun in the corpus for it to be a sort of thing: 'test', never 'heron'."""
_SETS_APART = frozenset("that which who where for used of in between from with by on to".split())
# what many things are: 'the rare disease', 'the most common type'
_SHARED = frozenset(
    "rare common main major key important primary typical usual frequent most best first-line good new simple way"
    " serious popular powerful similar type kind form complication cause symptom sign example part one result goal"
    " reason problem process attempt step step-by-step issue term word measure treatment tool".split()
)
_ASIDE = frozenset("also only usually often sometimes generally typically mainly still again".split())
_ANY = frozenset(
    "person people individual patient user man woman child doctor team group company study provider each every"
    " all any"
    " further other another considerable additional new old large larger small smaller different resulting many"
    " much various evidence research effectiveness discussion method way approach problem".split()
)
_DATED = re.compile(r"^(Created|Published|Issued|Accepted|Approved|Built|Launched|Founded)$")
_LABEL = re.compile(r"^(([A-Z]{2,6})[ -]\d+)\b")


@dataclass(frozen=True)
class Description:
    """`words` say of `name` what the sentence at [start, end) of its document says of it."""

    name: str
    words: str
    statement: str
    start: int
    end: int


def descriptions(source: Source, bank: Bank) -> list[Description]:
    """All that the chunk's sentences and header offer, in order. English sentences only."""
    found = list(_from_header(source))
    for sentence in _sentences(source.document.text):
        if sentence.start < source.chunk.start or sentence.end > source.chunk.end:
            continue
        plain = statement(sentence, source.document.title)
        for name, words in _of_sentence(plain, bank):
            found.append(Description(name, words, plain.text, sentence.start, sentence.end))
    return found


@lru_cache(maxsize=64)
def _sentences(text: str) -> tuple[Sentence, ...]:
    """Of a whole document, which is read once for all its chunks."""
    return tuple(sentences(text))


def _from_header(source: Source) -> Iterator[Description]:
    """'Created: 14-Jul-2000' in the header of PEP 205 -> 'the PEP that was created on 14-Jul-2000'."""
    label = _LABEL.match(source.document.title)
    if label is None:
        return
    for entry in header_fields(source.document):
        inside = source.chunk.start <= entry.start and entry.end <= source.chunk.end
        if inside and _DATED.match(entry.name) and re.search(r"\d", entry.value):
            on = "in" if re.fullmatch(r"\d{4}", entry.value) else "on"
            words = f"the {label.group(2)} that was {entry.name.lower()} {on} {entry.value}"
            told = f"{label.group(1)} was {entry.name.lower()} {on} {entry.value}."
            yield Description(label.group(1), words, told, entry.start, entry.end)


def _of_sentence(plain: Sentence, bank: Bank) -> Iterator[tuple[str, str]]:
    """(name, words) for 'S is a Y that Z', 'The S module does Z'."""
    tokens = tag(plain)
    tokens = tokens[:-1] if tokens and tokens[-1].text in {".", "!"} else tokens
    reading = Reading(plain.text, tokens)
    body = plain_clause(reading, tokens) if is_plain(reading) else None
    if body is None or not is_statement_of_fact(body):
        return
    subject = [t for t in body.subject if t.tag != "AV0"]
    subject = subject[1:] if subject and subject[0].tag == "AT0" else subject
    if not _is_name(subject):
        return
    words = _defined(plain.text, body) or _doing(plain.text, body, subject, bank)
    if words and _tells(words, text_of(plain.text, subject)):
        yield text_of(plain.text, subject), words


def _is_name(subject: Sequence[Token]) -> bool:
    """Whether the subject names one thing, or one sort of thing, rare enough to be looked up."""
    if (
        not 1 <= len(subject) <= _SUBJECT
        or is_plural(subject)
        or any(t.tag in {"PRF", "PRP", "POS"} for t in subject)
    ):
        return False
    if any(t.text.lower() in {"and", "or"} | _SHARED | _ANY or t.text.endswith(("'s", "’s")) for t in subject):
        return False
    if any(t.code or t.tag == "NP0" for t in subject):
        return len(subject[0].text) > 2 or len(subject) > 1
    return len(subject) > 1 and not leaning.is_generic(subject[0])


def _defined(text: str, body: Clause) -> str:
    """'S is a Y that Z' -> 'the Y that Z'."""
    predicate = body.predicate
    if predicate[0].text not in {"is", "was"} or len(predicate) < _SHORTEST or predicate[1].tag != "AT0":
        return ""
    said = predicate[2:]
    noun = next((n for n, t in enumerate(said) if t.tag in NOUN), None)
    if noun is None or leaning.is_vague(said) or any(t.text.lower() in _SHARED for t in said[: noun + 1]):
        return ""
    apart = any(t.text in _SETS_APART or t.tag == "VVN" for t in said[noun:])
    return f"the {text_of(text, said)}" if apart else ""


def _doing(text: str, body: Clause, subject: Sequence[Token], bank: Bank) -> str:
    """'The S module does Z' -> 'the module that does Z'."""
    predicate, verb = body.predicate, body.predicate[0]
    passive = verb.text in {"is", "was"} and len(predicate) > 1 and predicate[1].tag == "VVN"
    if not passive and (verb.tag not in {"VVZ", "VVD", "VHZ", "VHD"} or verb.tag in FINITE_BE):
        return ""
    noun = _sort(subject, bank)
    aside = any(t.text.lower() in _ASIDE for t in predicate)
    return f"the {noun} that {text_of(text, predicate)}" if noun and not aside else ""


def _sort(subject: Sequence[Token], bank: Bank) -> str:
    """The noun that says what it is: of 'hot-work permit' permit, of 'PEP 412' PEP, of 'Safety Panel' panel."""
    if all(t.tag == "NP0" and not t.code for t in subject) and not subject[0].text.isupper():
        called = _called(" ".join(t.text for t in subject), bank)
        if called:
            return called
    if len(subject) < 2:
        return ""
    if subject[-1].tag == "CRD" and subject[0].text.isupper() and len(subject) == 2:
        return subject[0].text
    noun = subject[0] if subject[-1].code else subject[-1]
    plain = noun.text.isalpha() and not noun.code and noun.tag in {"NN1", "NP0"} and not leaning.is_generic(noun)
    return noun.text.lower() if plain and _is_sort(noun.text.lower(), bank) else ""


def _called(name: str, bank: Bank) -> str:
    """The noun of 'The Morven Tern is the regular vessel on Route 1', wherever in the corpus a sentence says so."""
    rarest = min(content_words(name), key=lambda word: len(bank.postings.get(word, ())), default="")
    said = re.compile(rf"(?:The )?{re.escape(name)} (?:is|was) (?:an?|the) ")
    for n in bank.postings.get(rarest, ()):
        opening = said.match(bank.sentences[n])
        if opening:
            rest = bank.sentences[n][opening.end() :]
            tokens = tag(Sentence(rest, 0, len(rest), ()))
            first = next((at for at, t in enumerate(tokens) if t.tag in NOUN), None)
            if first is not None and not any(t.tag in {"PRP", "PRF"} for t in tokens[:first]):
                last = next((at for at in range(first, len(tokens)) if tokens[at].tag not in NOUN), len(tokens)) - 1
                if tokens[last].text.islower() and tokens[last].text not in _SHARED:
                    return tokens[last].text
    return ""


def _is_sort(noun: str, bank: Bank) -> bool:
    """Whether the corpus speaks of several things of this name, each told apart by a word before it."""
    before: set[str] = set()
    for word in dict.fromkeys(content_words(noun)):
        for n in bank.postings.get(word, ()):
            before.update(
                m.group(1).lower() for m in re.finditer(rf"\b([\w-]{{4,}}) {re.escape(noun)}\b", bank.sentences[n])
            )
            if len(before) >= _SORTS:
                return True
    return False


def _tells(words: str, name: str) -> bool:
    """Whether a description is short, whole, and says enough to find what it describes without its name."""
    said = words.split()
    if not _SHORTEST <= len(said) <= _LONGEST or re.search(r"[,;:()]", words):
        return False
    telling = set(content_words(words)) - set(content_words(said[1]))
    if len(telling) < _TELLING or telling & set(content_words(name)) - set(content_words(said[1])):
        return False
    return bool(re.search(r"[\w)]$", words)) and not leaning.mentions_place_in_document(words)
