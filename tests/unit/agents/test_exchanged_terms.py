"""What a sentence says of its term, said of another: which sentences, which terms, and what becomes of them."""

from __future__ import annotations

import pytest

from tests.support.by_hand import all_near
from viva.agents.offline.bank import MEANING, STATEMENT, Bank
from viva.agents.offline.bank_building import build_bank
from viva.agents.offline.called import called_in
from viva.agents.offline.exchanges import Exchanges
from viva.agents.offline.grammar import tag
from viva.agents.offline.identities import Identity, identity_in
from viva.agents.offline.prose import plain_sentence
from viva.agents.roles import Source
from viva.core.records import Chunk, Document

_EYE = """# Vision

The pupil is the small opening in the eye through which light passes. Drops widen the pupil.

A lens is a clear structure of the eye that bends light onto the retina.

A cornea is a clear layer of the eye that keeps out dust and germs.

A choroid is a layer of vessels that feeds the back of the eye.

An iris is a coloured muscle of the eye that widens and narrows in bright light.
"""


def _identity(text: str) -> Identity | None:
    return identity_in(text, tag(plain_sentence(text)), frozenset({"pupil"}))


def _bank(text: str, title: str) -> tuple[Bank, Source]:
    document = Document.of(text, path="eye.md", title=title, format="md")
    chunk = Chunk.of(document, 0, len(document.text), 100)
    return build_bank([document], [chunk], plain=False, embed=all_near), Source(chunk, document)


def test_a_sentence_that_says_what_its_term_is_is_read() -> None:
    found = _identity("The pupil is the small opening in the eye through which light passes.")
    assert found is not None
    assert (found.subject, found.genus) == ("the pupil", "opening")
    assert found.can_be_said
    assert not found.plural


@pytest.mark.parametrize(
    "text",
    [
        "The website is a place where people meet and talk about their work.",  # which, another sentence says
        "Coffee is a common drink that people have in the morning.",
        "Sleep is an important part of life that restores the body.",
        "A migraine may be a headache that lasts for several hours or days.",
        "OI is a disorder in which the bones become less dense and break.",  # OI stands for several things
        "Fructose is a sugar found in fruits, fruit juices, and honey.",  # and other sugars are
        "Joshua Foer is a writer who won the memory championships of a country.",
        "The pupil was the small opening in the eye through which light passes.",
    ],
)
def test_a_remark_or_what_another_sentence_tells_is_no_meaning(text: str) -> None:
    found = _identity(text)
    assert found is None or not found.can_be_said


def test_only_the_first_statement_of_a_sentence_says_what_its_term_is() -> None:
    found = _identity("A lens is a clear structure of the eye that bends light, and it is held by threads.")
    assert found is not None
    assert found.text == "A lens is a clear structure of the eye that bends light."


def test_a_name_that_is_written_small_keeps_its_letters() -> None:
    found = _identity("gRPC is a framework of remote calls that uses buffers for the messages of its services.")
    assert found is not None
    assert found.text.startswith("gRPC is a framework")


def test_a_meaning_that_cannot_be_said_still_lends_its_term_to_others() -> None:
    text = _EYE.replace("that keeps out dust", "that often keeps out dust")
    bank, _ = _bank(text, "Vision")
    claims = {claim.term: claim for claim in Exchanges(bank, bank.named, all_near).claims()}
    assert "cornea" not in claims
    assert "cornea" in {one.term for one in claims["lens"].turned}


@pytest.mark.parametrize(
    ("text", "subject", "meaning"),
    [
        (
            "The two halves are joined by a thick band of fibers known as the corpus callosum.",
            "the corpus callosum",
            "a thick band of fibers",
        ),
        ("The middle ear holds a row of three tiny bones called ossicles.", "ossicles", "a row of three tiny bones"),
        (
            "The act of getting information back into awareness is known as retrieval.",
            "retrieval",
            "The act of getting information back into awareness",
        ),
    ],
)
def test_a_sentence_that_gives_a_thing_its_name_is_read(text: str, subject: str, meaning: str) -> None:
    found = called_in(text, tag(plain_sentence(text)))
    assert found is not None
    assert (found.subject, found.meaning) == (subject, meaning)
    assert found.text == text


@pytest.mark.parametrize(
    "text",
    [
        "This is known as retrieval.",
        "The end part of the bowel, called the ileum, is most commonly affected.",  # by what?
        "It holds three tiny bones known as ossicles.",
        "Large files are called archives, and small files are called notes.",  # two names
        "A friend called the police after a long and loud night in the house.",
        "In one study the pupils were joined to a band known as the callosum.",
    ],
)
def test_a_name_of_what_another_sentence_tells_is_not_read(text: str) -> None:
    assert called_in(text, tag(plain_sentence(text))) is None


def test_what_is_said_of_one_term_is_said_of_another_of_its_matter_in_the_same_words() -> None:
    bank, _ = _bank(_EYE, "Vision")
    claims = {claim.text: claim for claim in Exchanges(bank, bank.named, all_near).claims()}
    pupil = claims["The pupil is the small opening in the eye through which light passes."]
    assert pupil.turned
    for one in pupil.turned:
        assert one.text.endswith(" is the small opening in the eye through which light passes.")
        assert one.term != "pupil"


def test_a_term_stands_beside_no_kind_of_itself() -> None:
    text = _EYE.replace("A choroid is", "A pupil reflex is")
    bank, _ = _bank(text, "Vision")
    claims = {claim.term: claim for claim in Exchanges(bank, bank.named, all_near).claims()}
    assert "pupil reflex" not in {one.term for one in claims["pupil"].turned}


def test_a_term_of_which_the_document_does_not_speak_is_not_put_in_place_of_its_own() -> None:
    eye, ear = (
        Document.of(_EYE, path="eye.md", title="Vision", format="md"),
        Document.of(
            "# Hearing\n\nA drum is a thin layer of the ear that trembles with each of the sounds outside.\n",
            path="ear.md",
            title="Hearing",
            format="md",
        ),
    )
    documents = [eye, ear]
    chunks = [Chunk.of(document, 0, len(document.text), 100) for document in documents]
    bank = build_bank(documents, chunks, plain=False, embed=all_near)
    claims = {claim.term: claim for claim in Exchanges(bank, bank.named, all_near).claims()}
    assert "drum" not in {one.term for one in claims["cornea"].turned}
    assert not claims["drum"].turned


def test_what_a_thing_involves_is_said_only_of_another_of_the_same_noun() -> None:
    text = "# Growth\n\n" + "\n\n".join(
        (
            "Motor development involves control of the strength and the speed of all muscles.",
            "Mental development involves control of the speed of thought and of the use of words.",
            "Hypnosis involves control of the attention to sounds and to words in a room.",
        )
    )
    bank, _ = _bank(text, "Childhood")
    claims = {claim.term.lower(): claim for claim in Exchanges(bank, bank.named, all_near).claims()}
    assert [one.term.lower() for one in claims["motor development"].turned] == ["mental development"]
    assert not claims["hypnosis"].turned


def test_what_the_corpus_says_of_the_other_term_as_well_is_not_said_to_be_wrong() -> None:
    plain, _ = _bank(_EYE, "Vision")
    told, _ = _bank(_EYE + "\nLight passes through the small opening behind the cornea of the eye.\n", "Vision")

    def others(bank: Bank) -> set[str]:
        claims = {claim.term: claim for claim in Exchanges(bank, bank.named, all_near).claims()}
        return {one.term for one in claims["pupil"].turned}

    assert "cornea" in others(plain)
    assert "cornea" not in others(told)


def test_a_meaning_that_repeats_its_term_is_no_key_and_is_given_only_to_what_shares_the_word() -> None:
    text = "# Injection\n\n" + "\n\n".join(
        (
            "LDAP injection is an attack on applications that build LDAP statements from input.",
            "OS command injection is an attack on applications that run commands of the host from input.",
            "Code injection is an attack on applications that evaluate strings of input.",
        )
    )
    bank, _ = _bank(text, "Injection")
    claims = {claim.term: claim for claim in Exchanges(bank, bank.named, all_near).claims()}
    assert "LDAP injection" not in claims
    assert claims["Code injection"].may_be_key


_MIND = """# Mind

Empathy is the ability to feel what another sailor feels in a hard hour. Empathy grows with age.

Optimism is the belief that good days follow bad weeks of storm.

Nostalgia is a feeling that pulls old pilots toward harbours of their youth.

Conformity is the tendency to row at the pace of the whole boat.

Fatalism is the view that gales come whatever a captain does.
"""


def test_a_term_that_enough_others_can_stand_beside_is_asked_for_and_its_sentence_stands_in_no_set() -> None:
    bank, _ = _bank(_EYE, "Vision")
    questions = [q for of_chunk in bank.facts.values() for fact in of_chunk for q in fact.questions]
    asked = {q.stem for q in questions if q.form == MEANING}
    assert asked == {"What is a lens?", "What is a cornea?", "What is a choroid?", "What is an iris?"}
    assert not bank.opposed


def test_a_sentence_of_a_set_is_not_asked_for_its_term_as_well() -> None:
    bank, _ = _bank(_MIND, "Mind")
    facts = [fact for of_chunk in bank.facts.values() for fact in of_chunk]
    shown = {claim for opposed in bank.opposed.values() for claim in (one.claim.text for one in opposed)}
    assert shown
    assert all(fact.statement not in shown for fact in facts if fact.questions[0].form != STATEMENT)


def _turned_of(term: str, text: str, *others: str) -> set[str]:
    texts = [(text, "Vision"), *((other, f"Deck {n}") for n, other in enumerate(others))]
    documents = [Document.of(each, path=f"{title}.md", title=title, format="md") for each, title in texts]
    chunks = [Chunk.of(each, 0, len(each.text), 100) for each in documents]
    bank = build_bank(documents, chunks, plain=False, embed=all_near)
    claims = {claim.term.lower(): claim for claim in Exchanges(bank, bank.named, all_near).claims()}
    return {one.term.lower() for one in claims[term].turned} if term in claims else set()


def test_what_everybody_knows_is_put_in_no_other_place_nor_another_in_its_own() -> None:
    often = [f"The cornea of deck hand {n} is red." for n in range(9)]
    assert "cornea" in _turned_of("pupil", _EYE, *often[:2])
    assert "cornea" not in _turned_of("pupil", _EYE, *often)
    assert not _turned_of("cornea", _EYE, *often)


_LOGS = """# Logs

A tide log is a book that keeps the hours of high water.

A deck log is a book that keeps the orders of each watch.
"""


def test_what_is_divided_into_kinds_is_not_said_to_be_one_of_its_noun() -> None:
    assert _turned_of("tide log", _LOGS) == {"deck log"}
    assert _turned_of("tide log", _LOGS + "\nThere are two kinds of deck log on this ship.\n") == set()
    assert _turned_of("tide log", _LOGS + "\nThe deck log is divided into six parts.\n") == set()


def test_what_the_only_thing_of_its_name_involves_is_not_said_of_another() -> None:
    involves = "involves control of the strength and the speed of all muscles."
    alone, named = _identity(f"The pupil {involves}"), _identity(f"Pupil training {involves}")
    assert alone
    assert named
    assert (alone.can_be_said, named.can_be_said) == (False, True)


def test_what_names_a_class_is_not_said_to_be_a_thing() -> None:
    text = "\n\n".join(
        (
            "# Drugs",
            "Agonists are chemicals that mimic messengers at the gate of a cell.",
            "Sleeping medications are chemicals that calm sailors on long night watches.",
        )
    )
    assert _turned_of("agonists", text) == set()
    assert _turned_of("sleeping medications", text) == {"agonists"}
