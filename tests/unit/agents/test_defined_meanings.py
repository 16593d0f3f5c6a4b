"""Beside what a term means stands what other terms of its class mean, if the corpus says it of them alone."""

from __future__ import annotations

import asyncio

import pytest
from by_hand import all_near, bank, document, source

from viva.agents.offline.bank import DEFINED, MEANING, Bank
from viva.agents.offline.bank_building import build_bank
from viva.agents.offline.defined import DefinedTerms
from viva.agents.offline.defined_meanings import DefinedMeanings
from viva.agents.offline.distractors import OfflineDistractorWriter
from viva.agents.offline.embedding import Embed
from viva.agents.offline.expert import OfflineExpert
from viva.agents.offline.oral.units import OfflineOralUnits
from viva.agents.offline.pool import Wrong
from viva.agents.offline.writer import OfflineQuestionWriter, OfflineUnitExtractor
from viva.agents.roles import Source
from viva.core.records import Chunk

KEY = "Keel rot is a disorder that softens oak planks under the waterline."
MAST_SCAB = "Mast scab is a disorder that covers bronze bolts with green blisters."
DECK_ITCH = "Deck itch is a condition that splits teak boards along their grain."
SAIL_BLIGHT = "Sail blight is a disease that bleaches canvas seams in strong sunlight."
ALL = (KEY, MAST_SCAB, DECK_ITCH, SAIL_BLIGHT)


def known(*lines: str, elsewhere: str = "", embed: Embed = all_near) -> tuple[Bank, DefinedMeanings]:
    sources = [source("\n\n".join(lines), "hull.md", "Hulls")]
    sources += [source(elsewhere, "quay.md", "Quays")] if elsewhere else []
    found = bank(*sources)
    return found, DefinedMeanings(found, DefinedTerms(found, embed))


def beside(*others: str, key: str = KEY, elsewhere: str = "") -> list[str]:
    _, meanings = known(key, *others, elsewhere=elsewhere)
    return [wrong.text for wrong in meanings.beside(0)]


SCAB_IS = "A disorder that covers bronze bolts with green blisters"


def test_the_meanings_of_other_terms_of_the_class_stand_beside_it_wherever_they_are_told() -> None:
    assert beside(MAST_SCAB) == [SCAB_IS]
    assert beside(elsewhere=MAST_SCAB) == [SCAB_IS]
    assert len(beside(MAST_SCAB, DECK_ITCH, SAIL_BLIGHT)) == 3


def test_a_wrong_meaning_says_of_which_term_the_documents_give_it() -> None:
    _, meanings = known(KEY, MAST_SCAB)
    assert [wrong.reason for wrong in meanings.beside(0)] == ["The documents say so of “mast scab” (“Hulls”)."]


REFUSED = {
    "another class": "A hull brush is a tool that scrapes green blisters off bronze bolts.",
    "a class itself": "A disease is a disorder that covers bronze bolts with green blisters.",
    "a kind of it": "Dry keel rot is a disorder that covers bronze bolts with green blisters.",
    "defined by it": "Mast scab is a disorder that covers each keel with green blisters.",
    "another number": "Mast scabs are disorders that cover bronze bolts with green blisters.",
    "said of a group": "Mast scab is one of a group of disorders that cover bronze bolts with blisters.",
    "much longer": MAST_SCAB.removesuffix(".") + " " + "and brass hinges with thick layers of salt " * 2 + "too.",
}


@pytest.mark.parametrize("other", REFUSED.values(), ids=REFUSED.keys())
def test_a_meaning_that_may_be_right_or_is_seen_to_be_wrong_is_left_out(other: str) -> None:
    assert beside(other) == []


def test_what_the_corpus_says_of_the_key_as_well_is_not_wrong() -> None:
    assert beside(MAST_SCAB, "Keel rot covers many bronze bolts with green blisters in spring.") == []


def test_two_names_of_one_thing_do_not_stand_beside_one_another() -> None:
    assert beside(MAST_SCAB, "Keel rot, also called mast scab, is found in old yards.") == []


def test_a_name_within_another_is_no_second_name() -> None:
    assert beside(MAST_SCAB, "Keel rot, also called young keel rot, is found in old yards.") == [SCAB_IS]


def test_a_term_is_taken_once() -> None:
    again = "Old shipwrights say that deck itch is a disorder that eats copper sheets in brown spots."
    twice, _ = known(
        KEY, DECK_ITCH, MAST_SCAB, "Deck itch is a disorder that eats copper sheets in brown spots.", again
    )
    assert [entry.definition.term for entry in twice.defined].count("deck itch") == 2
    assert len(DefinedMeanings(twice, DefinedTerms(twice, all_near)).beside(0)) == 2


def test_what_everybody_knows_is_not_asked() -> None:
    logs = [source(f"Deck hand {n} speaks of keel rot at noon.", f"log {n}.md") for n in range(9)]

    def with_logs(many: int) -> list[Wrong]:
        found = bank(source(f"{KEY}\n\n{MAST_SCAB}", "hull.md"), *logs[:many])
        return DefinedMeanings(found, DefinedTerms(found, all_near)).beside(0)

    assert len(with_logs(2)) == 1
    assert with_logs(9) == []


@pytest.mark.parametrize(
    "line",
    [
        "Keel rot is the tendency of oak planks to soften under the waterline.",  # what is thought or felt
        "Keel rot happens when oak planks soften slowly under the waterline.",
        "Keel rot -- a disorder that softens oak planks under the waterline.",
        "Keel rot is a disorder that softens some planks -- the oak planks of old yards.",
    ],
)
def test_what_is_no_whole_meaning_of_a_thing_that_can_be_shown_is_not_asked(line: str) -> None:
    found = asked(line, *ALL[1:])
    assert "What is keel rot?" not in found


def read(*lines: str) -> tuple[Bank, Source]:
    whole = document("\n\n".join(lines), "hull.md", "Hulls")
    chunk = Chunk.of(whole, 0, len(whole.text), 100)
    return build_bank([whole], [chunk], phrase_keys=False, embed=all_near), Source(chunk, whole)


def asked(*lines: str) -> dict[str, str]:
    """The questions on definitions, each with its form."""
    found, _ = read(*lines)
    questions = [q for of_chunk in found.facts.values() for fact in of_chunk for q in fact.questions]
    return {q.stem: q.form for q in questions if q.form in {DEFINED, MEANING}}


def test_of_a_definition_its_meaning_is_asked_where_three_others_can_stand_beside_it() -> None:
    found = asked(*ALL)
    assert found == dict.fromkeys(
        ("What is keel rot?", "What is mast scab?", "What is deck itch?", "What is sail blight?"), MEANING
    )
    assert MEANING not in asked(*ALL[:3]).values()


def test_an_article_is_kept_and_a_plural_asked_as_one() -> None:
    whole = "A keel worm is a disorder that softens oak planks under the waterline."
    assert "What is a keel worm?" in asked(whole, *ALL[1:])
    many = [line.replace(" is a ", "s are ").replace("disorder that", "disorders that") for line in ALL]
    assert all(not stem.startswith("What is ") for stem in asked(*many))


def test_the_question_goes_through_the_cast_and_the_expert_arrives_at_its_key() -> None:
    found, of = read(*ALL)

    async def written() -> tuple[str, str, list[str]]:
        units = await OfflineUnitExtractor(found).extract(of)
        unit = next(one for one in units if one.statement == KEY)
        draft = await OfflineQuestionWriter(found).write(unit, of, None, None)
        assert draft is not None
        answer = await OfflineExpert(found).answer(draft.stem, draft.answer_form, of)
        assert answer is not None
        assert answer.text == draft.key
        writer = OfflineDistractorWriter(found, Near(), options=4, seed=1)
        wrong = await writer.write(draft, of, 0, None)
        return draft.stem, draft.key, [one.text for one in wrong or ()]

    stem, key, wrong = asyncio.run(written())
    assert (stem, key) == ("What is keel rot?", "A disorder that softens oak planks under the waterline")
    assert sorted(wrong) == [
        "A condition that splits teak boards along their grain",
        "A disease that bleaches canvas seams in strong sunlight",
        SCAB_IS,
    ]


def test_an_oral_examination_knows_the_definition_by_its_term() -> None:
    found, of = read(*ALL)
    units = asyncio.run(OfflineOralUnits(found).extract(of))
    assert [unit.keyword for unit in units] == ["Keel rot", "Mast scab", "Deck itch", "Sail blight"]


class Near:
    """All texts are alike."""

    name = fingerprint = "near"
    dimensions = 2

    def embed(self, texts: list[str]) -> object:
        return all_near(texts)

    def count_tokens(self, text: str) -> int:
        return len(text.split())
