"""What is read first covers topics, clusters and documents; the order hangs on the seed, and is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from by_hand import document

from viva.core.blueprint import Blueprint
from viva.core.records import Chunk, Document, ItemKind
from viva.graphs.authoring.chunk_pairs import linked_chunks
from viva.graphs.authoring.clusters import MOST_CLUSTERS, clustered, clusters_wanted
from viva.graphs.authoring.sampling import Sample, chunks_read, drawn, recalled, walking_order

SUBJECTS = {
    "harbour": "The quay and the pier shelter boats, and a crane lifts crates from the hold onto the quay each tide.",
    "bakery": "The oven bakes bread and rolls, and a baker kneads dough with flour and yeast before the oven is hot.",
    "clinic": "The nurse gives a vaccine and the doctor reads the pulse, and a patient waits with a fever.",
}
HOP = Blueprint.read("kind.multi-hop=0.2,kind.unanswerable=0.2")


def chunk(of: Document, start: int = 0, end: int | None = None, twin: str | None = None) -> Chunk:
    return Chunk.of(of, start, len(of.text) if end is None else end, 20, twin)


def corpus(per_subject: int = 12, topics: bool = False) -> tuple[list[Chunk], dict[str, Document]]:
    documents = [
        document(
            f"{text} Number {subject}{n}. They call it Pair{n}.",
            f"{subject}-{n}.md",
            f"{subject} {n}",
            subject if topics else "",
        )
        for subject, text in SUBJECTS.items()
        for n in range(per_subject)
    ]
    return [chunk(d) for d in documents], {d.id: d for d in documents}


def order(chunks: Sequence[Chunk], documents: dict[str, Document], given: str = "", seed: int = 0) -> list[str]:
    found: list[str] = drawn(chunks, documents, Blueprint.read(given), seed)["order"]
    return found


def sample(chunks: Sequence[Chunk], documents: dict[str, Document], blueprint: Blueprint = HOP) -> Sample:
    return recalled(drawn(chunks, documents, blueprint, 0), {c.id: c for c in chunks}, documents)


def test_texts_on_one_subject_share_a_cluster_named_by_its_words() -> None:
    texts = [f"{text} Number {n}." for text in SUBJECTS.values() for n in range(12)]
    found = clustered(texts, 0)
    assert len(SUBJECTS) <= len(found.names) <= clusters_wanted(36)
    for subject in range(3):
        assert not set(found.of[subject * 12 : subject * 12 + 12]) & set(found.of[subject * 12 + 12 :])
    assert any(word in found.names[found.of[0]] for word in ("quay", "pier", "crane", "boats"))


def test_clusters_are_the_same_each_time() -> None:
    texts = [f"{text} Number {n}." for text in SUBJECTS.values() for n in range(12)]
    assert clustered(texts, 3).of == clustered(texts, 3).of


def test_there_are_as_many_clusters_as_the_rule_says() -> None:
    assert [clusters_wanted(n) for n in (0, 3, 7, 8, 100, 1000, 10**6)] == [1, 1, 1, 2, 7, 22, MOST_CLUSTERS]


@pytest.mark.parametrize("texts", [["a"], ["", "", ""], ["."] * 20, ["same words here"] * 20, ["1 2 3"] * 9])
def test_texts_that_nothing_tells_apart_are_one_cluster(texts: list[str]) -> None:
    found = clustered(texts, 0)
    assert set(found.of) == {0}
    assert len(found.vectors) == len(texts)


@pytest.mark.parametrize(
    "texts", [[""], ["Word."], ["", "Two words.", "..."], ["是的。水在流动。"] * 12, ["x y z " * 30]]
)
def test_poor_corpora_are_walked_whole(texts: list[str]) -> None:
    documents = {d.id: d for d in (document(f"{text}{' ' * n}", f"{n}.md") for n, text in enumerate(texts))}
    chunks = [chunk(d) for d in documents.values()]
    found = drawn(chunks, documents, HOP, 0)
    assert sorted(found["order"]) == sorted(c.id for c in chunks)


def test_every_chunk_comes_once_and_repeats_come_last() -> None:
    chunks, documents = corpus()
    twins = [c.model_copy(update={"duplicate_of": chunks[0].id}) for c in chunks[5:9]]
    chunks[5:9] = twins
    found = order(chunks, documents)
    assert sorted(found) == sorted(c.id for c in chunks)
    assert set(found[-4:]) == {c.id for c in twins}


def test_a_small_beginning_covers_clusters_and_documents() -> None:
    chunks, documents = corpus()
    found = drawn(chunks, documents, Blueprint(), 0)
    clusters = len(found["clusters"])
    assert {found["cluster_of"][i] for i in found["order"][:clusters]} == set(range(clusters))


def test_one_long_document_does_not_crowd_out_the_others() -> None:
    long = document("The tide turns and the boats leave the quay. " * 40, "long.md")
    short = [document(f"The tide turns at pier {n} and boats leave.", f"{n}.md") for n in range(9)]
    chunks = [*(chunk(long, n, n + 60) for n in range(0, 900, 60)), *(chunk(d) for d in short)]
    of = {c.id: c.document_id for c in chunks}
    found = walking_order(chunks, dict.fromkeys(of, ""), dict.fromkeys(of, 0), Blueprint(), 0)
    assert len({of[i] for i in found[:10]}) == 10


def test_topics_get_turns_by_their_size_or_by_the_blueprint() -> None:
    chunks, documents = corpus(topics=True)
    chunks = chunks[:30]  # 12 of the harbour, 12 of the bakery, 6 of the clinic
    topic = {c.id: documents[c.document_id].topic for c in chunks}
    by_size = Counter(topic[i] for i in order(chunks, documents)[:10])
    assert by_size == {"harbour": 4, "bakery": 4, "clinic": 2}
    by_share = Counter(topic[i] for i in order(chunks, documents, "topic.clinic=0.6,topic.bakery=0")[:10])
    assert by_share == {"clinic": 6, "harbour": 4}
    assert len(order(chunks, documents, "topic.clinic=1")) == 30


def test_another_seed_makes_another_order_and_the_same_one_the_same() -> None:
    chunks, documents = corpus()
    assert order(chunks, documents, seed=1) != order(chunks, documents, seed=2)
    assert order(chunks, documents, seed=1) == order(chunks, documents, seed=1)


def test_the_order_does_not_hang_on_the_order_of_the_chunks() -> None:
    chunks, documents = corpus(topics=True)
    topic = {c.id: documents[c.document_id].topic for c in chunks}
    cluster = {c.id: n % 4 for n, c in enumerate(chunks)}
    there = walking_order(chunks, topic, cluster, Blueprint(), 0)
    assert there == walking_order(chunks[::-1], topic, cluster, Blueprint(), 0)


def linked(*texts: str, **of_one: Any) -> list[tuple[int, int]]:
    """Places of the linked texts, each a document of its own unless `whole` is given."""
    documents = [document(text, f"{n}.md", title=f"Text {n}") for n, text in enumerate(texts)]
    chunks = [chunk(d) for d in documents]
    found = clustered(texts, 0)
    pairs = linked_chunks(chunks, found.of, found.vectors, 0)
    place = {c.id: n for n, c in enumerate(chunks)}
    return [tuple(sorted((place[a], place[b]))) for a, b in pairs]  # type: ignore[misc]


def test_chunks_that_name_what_few_others_name_are_linked_the_rarest_first() -> None:
    found = linked(
        "The ship called Morven Tern and the yard at Strandmoor are old.",
        "They say the Morven Tern sails at noon.",
        "Call the function read_tide_gauge before the alarm.",
        "An error in read_tide_gauge stops the pump.",
        "Nothing here is linked to anything.",
    )
    assert set(found) == {(0, 1), (2, 3)}


def test_what_everybody_names_links_nobody() -> None:
    assert linked(*(f"They say that Skerrow owns boat {n}." for n in range(7))) == []


def test_overlapping_chunks_and_repeats_make_no_pair() -> None:
    whole = document("We met Ada Byron there. " * 4)
    one, over, apart = chunk(whole, 0, 48), chunk(whole, 24, 72), chunk(whole, 72, 96)
    twin = apart.model_copy(update={"id": "twin", "duplicate_of": apart.id})
    found = clustered(["", "", "", ""], 0)
    pairs = linked_chunks([one, over, apart, twin], found.of, found.vectors, 0)
    assert {frozenset(pair) for pair in pairs} == {frozenset({one.id, apart.id}), frozenset({over.id, apart.id})}


def test_a_form_that_is_filled_in_twice_makes_no_pair() -> None:
    form = (
        "Below signs Ada Byron that the boat was looked over from bow to stern, that no water stood in the bilge,"
        " that every line was found dry and stowed, and that the {} was handed to the officer of the watch"
        " before he left."
    )
    first, second = document(form.format("key"), "a.md"), document(form.format("log"), "b.md")
    own = document("We met Ada Byron there; she had sailed to the north before anybody else had heard of it.", "c.md")
    chunks = [chunk(each, 0, len(each.text)) for each in (first, second, own)]
    found = clustered(["", "", ""], 0)
    pairs = {frozenset(pair) for pair in linked_chunks(chunks, found.of, found.vectors, 0)}
    assert frozenset({chunks[0].id, chunks[1].id}) not in pairs
    assert frozenset({chunks[0].id, chunks[2].id}) in pairs


def test_sources_of_every_kind_can_be_found_by_their_ids() -> None:
    chunks, documents = corpus(topics=True)
    found = sample(chunks, documents)
    by_id = {c.id: c for c in chunks}
    for kind, ids in found.of_kind.items():
        sources = [found.source(id_, by_id, documents) for id_ in ids]
        assert [(source.id, source.kind) for source in sources] == [(id_, kind) for id_ in ids]
        assert {len(source.parts) for source in sources} == {2 if kind is ItemKind.MULTI_HOP else 1}
        assert [found.topic(id_) for id_ in ids] == [source.document.topic for source in sources]
    assert len(found.of_kind[ItemKind.SINGLE_HOP]) == len(found.of_kind[ItemKind.UNANSWERABLE]) == 36


def test_what_is_asked_in_vain_is_asked_about_other_chunks_than_those_whose_facts_are_asked_for_first() -> None:
    found = sample(*corpus())
    asked, in_vain = (found.chunks_in[kind] for kind in (ItemKind.SINGLE_HOP, ItemKind.UNANSWERABLE))
    half = len(asked) // 2
    assert set(in_vain[:half]).isdisjoint(asked[:half])
    assert sorted(in_vain) == sorted(asked)


def test_pairs_are_looked_for_only_where_the_blueprint_wants_them() -> None:
    chunks, documents = corpus()
    assert not sample(chunks, documents, Blueprint()).of_kind[ItemKind.MULTI_HOP]


def test_kinds_are_mixed_in_their_shares() -> None:
    chunks, documents = corpus()
    found = sample(chunks, documents)
    mixed = [found.kind_of[id_] for id_ in found.mixed(HOP.kinds)]
    assert Counter(kind.value for kind in mixed[:10]) == {"single-hop": 6, "multi-hop": 2, "unanswerable": 2}
    assert mixed[-1] is ItemKind.SINGLE_HOP
    assert len([kind for kind in mixed if kind is ItemKind.SINGLE_HOP]) == 36


def test_chunks_that_are_passed_over_are_in_no_source_and_all_others_are() -> None:
    chunks, documents = corpus()
    over = {chunks[0].id: "links alone", chunks[5].id: "code alone"}
    made = drawn(chunks, documents, HOP, 0, passed_over=over)
    found = recalled(made, {c.id: c for c in chunks}, documents)
    assert made["passed_over"] == over
    assert set(found.of_kind[ItemKind.SINGLE_HOP]) == {c.id for c in chunks} - over.keys()
    assert not over.keys() & {chunk_id for own in found.chunks_of.values() for chunk_id in own}


def test_an_exam_of_a_sample_says_so() -> None:
    chunks, documents = corpus()
    of_some = recalled(drawn(chunks[:10], documents, Blueprint(), 0), {c.id: c for c in chunks}, documents)
    assert "from 10 of the 36 chunks" in of_some.notes[0]
    assert sample(chunks, documents).notes == ()


def test_of_more_chunks_than_are_read_some_are_drawn_of_every_topic_in_its_share() -> None:
    documents = [
        Document.of(f"Text {n}.", path=f"{n}.md", title="T", topic="rare" if n < 30 else "usual", format="md")
        for n in range(3000)
    ]
    chunks = {c.id: c for c in map(chunk, documents)}
    by_id = {d.id: d for d in documents}
    read = chunks_read(chunks, by_id, 0, most=300)
    topics = Counter(by_id[each.document_id].topic for each in read)
    assert topics == {"rare": 30, "usual": 297}
    assert [c.id for c in read] == [id_ for id_ in chunks if id_ in {c.id for c in read}]
    backwards = dict(reversed(chunks.items()))
    assert read == chunks_read(backwards, by_id, 0, most=300)[::-1]
    assert read != chunks_read(chunks, by_id, 1, most=300)
    assert chunks_read(chunks, by_id, 0, most=3000) == list(chunks.values())


def test_clusters_are_not_named_by_function_words_of_any_known_language() -> None:
    german = [
        f"Die Pumpe {n} von der Werft liegt auf dem Deck und wird von der Mannschaft gepflegt." for n in range(6)
    ]
    french = [f"Le bateau {n} de la flotte est dans le port et la voile est sur le pont." for n in range(6)]
    english = [f"The sail {n} of the ship is in the harbour, which is not on the coast." for n in range(6)]
    spanish = [f"El ancla {n} de los barcos está en el muelle y las velas son de la tripulación." for n in range(6)]
    names = {word for name in clustered([*german, *french, *english, *spanish], 0).names for word in name.split(", ")}
    assert names
    assert not names & set(
        "die der von und auf dem wird le la de est dans et sur the of is in which not el los en las".split()
    )
