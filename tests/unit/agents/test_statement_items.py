"""Four statements on one topic, one as it stands: how the sets are made, and what the committee makes of them."""

from __future__ import annotations

import asyncio
from itertools import combinations

import pytest

from tests.support.by_hand import WordEmbedder, all_near
from viva.agents.offline.bank import STATEMENT, Bank
from viva.agents.offline.bank_building import build_bank
from viva.agents.offline.cast import offline_cast
from viva.agents.offline.claims import Claim
from viva.agents.offline.contrasts import Turned, is_denial, turned
from viva.agents.offline.critics import UniquenessCritic
from viva.agents.offline.readers import LexicalReader
from viva.agents.offline.statement_sets import statement_sets
from viva.agents.offline.statement_topics import subject_of, topic_of
from viva.agents.roles import Source
from viva.agents.rules.wording import stem_defect
from viva.core.records import Chunk, Distractor, Document, Draft
from viva.core.settings import Settings
from viva.graphs.chair import accepted
from viva.graphs.open_items import can_be_open
from viva.graphs.repeats import without_repeats

_TEXT = """# Kidney Stones

Kidney stones are caused by high levels of calcium and oxalate in the urine.

Overweight people are more likely to get a kidney stone than people of normal weight.

Hemodialysis is not a cure for damaged kidneys and their failure in old age.

Chronic reflux of urine is most commonly diagnosed during childhood by a specialist.

Cystinuria is an inherited disorder that fills the kidneys with cystine crystals.

Every person should drink water. It may help. They say so often.
"""


def _document() -> Document:
    return Document.of(_TEXT, path="stones.md", title="Kidney Stones", format="md")


def _bank(document: Document) -> tuple[Bank, Source]:
    chunk = Chunk.of(document, 0, len(document.text), 100)
    return build_bank([document], [chunk], plain=False), Source(chunk, document)


def _draft() -> tuple[Bank, Source, Draft, tuple[Distractor, ...]]:
    document = _document()
    bank, source = _bank(document)
    cast = offline_cast(bank, WordEmbedder(), Settings())

    async def write() -> tuple[Draft, tuple[Distractor, ...]]:
        unit = next(u for u in await cast.units.extract(source) if u.statement in bank.opposed)
        draft = await cast.writer.write(unit, source, None, None)
        assert draft is not None
        wrong = await cast.distractors.write(draft, source, 0, None)
        assert wrong is not None
        return draft, wrong

    return bank, source, *asyncio.run(write())


def test_a_document_of_plain_claims_gives_one_set_on_its_title() -> None:
    bank, _ = _bank(_document())
    found = list(statement_sets(bank.claims, bank.titles))
    assert [one.stem for one in found] == ["Which statement on the topic of “Kidney Stones” is correct?"]
    assert len({claim.text for claim in found[0].claims}) == 4


def test_the_key_stands_in_the_document_and_no_option_but_the_key_does() -> None:
    _, _, draft, wrong = _draft()
    assert draft.key in _TEXT
    assert all(each.text not in _TEXT for each in wrong)
    assert all(
        f"“{sentence}”" in each.reason for each in wrong for sentence in [each.reason.split("“")[1].split("”")[0]]
    )
    assert all(each.reason.split("“")[1].split("”")[0] in _TEXT for each in wrong)


def test_no_option_denies_and_none_is_much_longer_than_another() -> None:
    _, _, draft, wrong = _draft()
    options = [draft.key, *(each.text for each in wrong)]
    assert not any(is_denial(option) for option in options)
    assert max(map(len, options)) <= 1.5 * min(map(len, options))
    assert len({each.mistake for each in wrong}) == 3


def test_the_committee_accepts_it_and_refuses_a_true_statement_as_a_wrong_option() -> None:
    bank, source, draft, wrong = _draft()
    cast = offline_cast(bank, WordEmbedder(), Settings())

    async def judged() -> list[bool]:
        answer = await cast.expert.answer(draft.stem, draft.answer_form, source)
        told = [
            await critic.judge(draft, answer, source)
            for panel in (*cast.screen, *cast.draft_critics)
            for critic in panel
        ]
        told += [await critic.judge(draft, wrong, source) for critic in (*cast.option_critics, *cast.solvers)]
        return [one.passed for one in told]  # type: ignore[union-attr]

    assert all(asyncio.run(judged()))
    true = next(one.claim.text for one in bank.opposed[draft.key])
    said = asyncio.run(UniquenessCritic(bank).judge(draft, (Distractor(text=true), *wrong[1:]), source))
    assert (said.passed, said.code) == (False, "second_key")


def test_the_lexical_reader_tells_the_statement_from_its_contradictions_by_the_words() -> None:
    _, source, draft, wrong = _draft()
    reader = LexicalReader(lambda _: 1.0)
    shown = [*(each.text for each in wrong), draft.key]
    answer = reader.read(draft.stem, shown, [source.text])
    assert answer.choice == 3
    assert answer.because == draft.key
    assert set(reader.read(draft.stem, shown, []).scores) == {0.0}


def test_no_sentence_is_shown_in_two_sets() -> None:
    documents = [
        _document(),
        Document.of(_TEXT.replace("Kidney Stones", "Stones") + "\nMore.", path="b.md", title="Kidneys", format="md"),
    ]
    chunks = [Chunk.of(document, 0, len(document.text), 100) for document in documents]
    bank = build_bank(documents, chunks, plain=False)
    sets = [set(one.claims) for one in statement_sets(bank.claims, bank.titles)]
    assert all(one.isdisjoint(other) for one, other in combinations(sets, 2))


def _claim(n: int, *others: str) -> Claim:
    words = f"alpha{n} beta{n} gamma{n} delta{n} epsilon{n}"
    turned_into = tuple(Turned(f"{other} holds {words}.", f"term{n} / {other}", other) for other in others)
    return Claim(f"Term{n} holds {words}.", "d", "c", n * 100, n * 100 + 50, turned_into, term=f"term{n}")


def test_a_claim_is_turned_twice_at_most_of_another_term_if_there_is_one_and_is_no_key_then() -> None:
    claims = [_claim(n, f"other{n}", f"another{n}", f"third{n}", f"fourth{n}") for n in range(3)]
    claims += [_claim(n) for n in range(3, 9)]
    found = list(statement_sets(claims, {"d": "Terms"}))
    shown = [opposed.turned.text for one in found for opposed in one.wrong]
    assert len(found) == 2
    assert len(set(shown)) == len(shown) == 6
    keys = {one.key.text for one in found}
    assert len(keys) == 2
    assert keys.isdisjoint(opposed.claim.text for one in found for opposed in one.wrong)


def test_the_bank_asks_for_a_statement_in_no_other_way() -> None:
    bank, _ = _bank(_document())
    patterns = [question.pattern for facts in bank.facts.values() for fact in facts for question in fact.questions]
    assert patterns.count(STATEMENT) == 1


def test_a_title_that_asks_or_names_no_subject_is_no_topic() -> None:
    assert topic_of("Session Management Cheat Sheet") == "Session Management"
    assert topic_of("What Is Memory?") == ""
    assert topic_of("") == ""


def test_two_questions_of_one_topic_with_other_keys_are_no_repeats_and_need_their_options() -> None:
    _, _, draft, wrong = _draft()
    first = accepted(draft, wrong, (), topic="", cast="offline")
    other = draft.model_copy(update={"key": "Cystine crystals dissolve in alkaline urine within a few days."})
    second = accepted(other, wrong, (), topic="", cast="offline").model_copy(update={"id": "other", "evidence": ()})
    kept, _ = without_repeats([first, second], None)
    assert len(kept) == 2
    assert not can_be_open(first)


_APART = {
    "Agnosia": "Agnosia is a chronic disorder of the recognition of objects and persons.",
    "Gaucher Disease": "Gaucher disease is caused by a deficiency of the enzyme glucocerebrosidase.",
    "Kennedy's Disease": "Kennedy's disease is an inherited motor neuron disease that affects males.",
    "Headache": "Women are more likely than men to have migraine headaches in summer.",
}


def _apart() -> list[Document]:
    return [
        Document.of(f"# {title}\n\n{text}\n", path=f"{n}.md", title=title, format="md")
        for n, (title, text) in enumerate(_APART.items())
    ]


def test_claims_left_over_come_together_and_their_topics_are_named() -> None:
    documents = _apart()
    chunks = [Chunk.of(document, 0, len(document.text), 100) for document in documents]
    bank = build_bank(documents, chunks, plain=False)
    assert list(statement_sets(bank.claims, bank.titles)) == []
    found = list(statement_sets(bank.claims, bank.titles, WordEmbedder().embed))
    topics = "“Agnosia”, “Gaucher Disease”, “Headache” and “Kennedy's Disease”"
    assert [one.stem for one in found] == [f"Which statement on the topics of {topics} is correct?"]
    assert {claim.text for claim in found[0].claims} == set(_APART.values())
    assert stem_defect(found[0].stem, "en") is None


def test_a_question_for_a_topic_names_the_topic() -> None:
    assert subject_of("What Is Memory?") == "Memory"
    assert subject_of("Why Is Research Important?") == ""


@pytest.mark.parametrize(
    "text",
    [
        "The white blood cells cause chronic inflammation with high levels of proteins.",
        "Red blood cells are found in large amounts in the damaged arteries.",
        "Multiple sclerosis in infants is rare as the disorder is an inherited disease.",
        "Males are more severely affected than females.",
        "1.2.2 Verify that when dynamically building links, untrusted data is encoded.",
    ],
)
def test_a_claim_whose_subject_another_sentence_tells_is_refused(text: str) -> None:
    document = Document.of(f"# Some Subject\n\n{text}\n", path="a.md", title="Some Subject", format="md")
    bank, _ = _bank(document)
    assert bank.claims == []
    assert turned(text)


def test_no_two_wrong_statements_stand_together_in_two_sets() -> None:
    claims = [_claim(n, f"other{n}") for n in range(3)] + [_claim(n) for n in range(3, 9)]
    assert len(list(statement_sets(claims, {"d": "Terms"}))) == 1
    told_of_others = [_claim(n, f"other{n}", f"another{n}") for n in range(3)] + claims[3:]
    assert len(list(statement_sets(told_of_others, {"d": "Terms"}))) == 2


@pytest.mark.parametrize(("others", "shown"), [(1, True), (8, False)])
def test_what_everybody_knows_of_is_shown_in_no_plain_contrary(others: int, shown: bool) -> None:
    more = [
        Document.of(f"Cystinuria is treated on ward {n}.", path=f"{n}.md", title=f"W{n}", format="md")
        for n in range(others)
    ]
    documents = [_document(), *more]
    chunks = [Chunk.of(each, 0, len(each.text), 100) for each in documents]
    bank = build_bank(documents, chunks, plain=False, embed=all_near)
    wrong = {opposed.turned.text for found in bank.opposed.values() for opposed in found}
    assert wrong
    assert any(text.startswith("Cystinuria is an acquired") for text in wrong) is shown
