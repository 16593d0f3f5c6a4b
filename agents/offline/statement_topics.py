"""What statements are on: the titles of their documents, and nouns of titles that several of them share."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from viva.agents.offline.claims import Claim
from viva.agents.offline.words import stemmed

_LONGEST_TOPIC, _SHORTEST_TOPIC = 60, 5
_NO_NOUN = re.compile(r"(?:ive|al|ic|ous|ed|able|ary)$")
_LAST = frozenset("disease disorder syndrome system attack".split())
_NO_SUBJECT = _LAST | frozenset(
    "about after before through during within against around behind among"
    " being between causes control facing from great health human management means method methods"
    " model need needs other people problem problems related right should small steps study taking their treatment"
    " types understanding versus where which with without your what know symptoms prevention security secure child"
    " children adult adults women patients testing information introduction approach approaches large complete blood"
    " disorders diseases damage tumors tract abuse sheet cheat sign signs work world choosing making eating drinking"
    " hearing living working using caring person amount number level presence cause result part area"
    " group course complication condition percent everything onset majority inability ability mechanism member"
    " tendency combination population state country general public sample procedure period family month hour week"
    " activity behavior symptom increase decrease access application attack effect individual organ tissue".split()
)
"""Words of titles that name no subject."""
_NO_TOPIC = re.compile(r"\?|cheat ?sheet$|\bpreface\b|\bintroduction\b|^\W|\.pdf$|\d{3}", re.IGNORECASE)


def topics(claims: Sequence[Claim], titles: Mapping[str, str], least: int) -> Iterator[tuple[str, list[Claim]]]:
    """Topics with the claims on them: documents' titles, then words of titles, the rarer first.

    A word needs `least` claims.
    """
    by_document: dict[str, list[Claim]] = defaultdict(list)
    for claim in claims:
        by_document[claim.document_id].append(claim)
    for document_id, held in by_document.items():
        topic = topic_of(titles.get(document_id, ""))
        if topic:
            yield topic, held
    named: dict[str, list[Claim]] = {}
    titled = {stemmed(word.lower()) for title in titles.values() for word in re.findall(r"[A-Za-z]+", title)}
    nouns = {n for claim in claims for n in claim.nouns if len(n) >= _SHORTEST_TOPIC and stemmed(n) in titled}
    nouns -= _NO_SUBJECT
    for word in sorted({*_words_of(titles.values()), *nouns}):
        said = re.compile(rf"\b{re.escape(word)}(?:s|es)?\b", re.IGNORECASE)
        # what is told under the heading "Operant Conditioning" is on conditioning
        headed = {n for n, title in titles.items() if re.fullmatch(rf"(?:\S+ )?{re.escape(word)}", title.lower())}
        named[word] = [claim for claim in claims if claim.document_id in headed or said.search(claim.text)]
    enough = ((word, held) for word, held in named.items() if len(held) >= least)
    yield from sorted(enough, key=lambda entry: (-entry[0].count(" "), len(entry[1]), entry[0]))


def _words_of(titles: Iterable[str]) -> list[str]:
    """Nouns that titles hold, and the pairs of words that titles open with."""
    found: set[str] = set()
    for title in titles:
        words = [word.lower() for word in re.findall(r"[A-Za-z][a-z'’-]+", topic_of(title))]
        found.update(word for word in words if len(word) >= _SHORTEST_TOPIC and not _NO_NOUN.search(word))
        found.update(" ".join(words[:2]) for _ in words[1:2] if words[0] not in _NO_SUBJECT and words[1] in _LAST)
    return sorted(found - _NO_SUBJECT)


def topic_of(title: str) -> str:
    """A title as a topic, its site's name and kind off; '' where it says none."""
    topic = re.sub(r"\s+cheat ?sheet$", "", re.split(r" [|·»] ", title)[0].strip(), flags=re.IGNORECASE)
    topic = re.sub(r"^What I need to know about ", "", topic)
    return "" if _NO_TOPIC.search(topic) or not 3 <= len(topic) <= _LONGEST_TOPIC else topic


def subject_of(title: str) -> str:
    """What a title names among other topics: "What Is Memory?" names Memory."""
    asked = re.fullmatch(r"(?:What (?:Is|Are)|How) (?:an? |the )?([A-Z][\w -]*?)(?: Functions)?\?", title.strip())
    return topic_of(asked[1] if asked else title.split("? ")[0])
