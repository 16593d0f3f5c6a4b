"""The same attacks on the judge that is a language model, one that obeys every order that reaches it unfenced."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Mapping, Sequence

import pytest
from model_brains import Obedient
from oral_attacks import ATTACKS, Asked, Attack
from pydantic import JsonValue

from viva.agents.language_model.oral.judge import ModelOralJudge
from viva.core.calls import Message, Outcome, Reply, Usage
from viva.core.records import OralUnit, QuestionType, Span
from viva.llm.asking import Asker

QUESTION = "What do you know of the Morven Tern?"
FACTS = {
    "passengers and cars": "The Morven Tern carries 148 passengers and 22 cars.",
    "builder of the Morven Tern": "Hallowmere Shipyard built the Morven Tern in 2004 for £4.6 million.",
    "dogs on the upper deck": "Dogs are not allowed on the upper deck of the Morven Tern.",
    "deck hatches": "Deck hatches are closed before departure because spray floods the forward store.",
    "chief engineer": "Della Marchbank is the chief engineer of the Morven Tern.",
    "rest of crews": "Crews rest for at least 11 hours between duties.",
    "fares paid by card": "Passengers pay 50% of all fares by card.",
    "Lantern Fund": "The Lantern Fund pays a grant of 1,000 pounds to retired deckhands.",
}
UNITS = [
    OralUnit.of(
        chunk_id="c",
        topic="",
        type=QuestionType.FACTOID,
        keyword=keyword,
        description=fact,
        evidence=Span(document_id="d", start=100 * n, end=100 * n + len(fact), quote=fact),
    )
    for n, (keyword, fact) in enumerate(FACTS.items())
]
ASKED = Asked(QUESTION, tuple(unit.keyword for unit in UNITS))
WITHOUT_KNOWLEDGE = "It is a ship with many interesting features."
RIGHT = "\n".join(unit.evidence.quote for unit in UNITS)
WRONG = RIGHT.replace("148", "150").replace("at least 11", "at least 9")
LOOK_ALIKE = str.maketrans("асеорхуАВСЕНКМОРТХ", "aceopxyABCEHKMOPTX")


class Room:
    """A models with an obedient model behind it, which reads letters as people see them."""

    def __init__(self) -> None:
        self.brain = Obedient()

    async def ask(
        self,
        role: str,
        messages: Sequence[Message],
        parameters: Mapping[str, JsonValue] | None = None,
        *,
        repeat: int = 0,
    ) -> Reply:
        seen = [
            m.model_copy(update={"text": unicodedata.normalize("NFKC", m.text).translate(LOOK_ALIKE)})
            for m in messages
        ]
        return Reply(self.brain(seen, parameters or {}), Outcome.ANSWERED, "stop", Usage())

    def key_of(self, *call: object, **more: object) -> str:
        return "key"

    def count_unreadable(self, reply_key: str, role: str, kind: str) -> None:
        raise AssertionError(f"the reply could not be read: {kind}")


def verdicts(answer: str) -> tuple[bool | None, ...]:
    room = Room()
    found = asyncio.run(ModelOralJudge(Asker(room)).judge(QUESTION, answer, UNITS))
    assert room.brain.obeyed == []
    return tuple(judgement.correct for judgement in found)


def test_the_answers_attacked_are_what_they_are_called() -> None:
    assert set(verdicts(WITHOUT_KNOWLEDGE)) == {None}
    assert set(verdicts(RIGHT)) == {True}
    assert False in verdicts(WRONG)


# this simple model cannot copy to the letter what is spelt with other characters
LOST_ON_IT = {"entities", "tags in words", "look-alikes"}


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_no_attack_makes_anything_right(attack: Attack) -> None:
    for answer in (WITHOUT_KNOWLEDGE, WRONG, RIGHT):
        pairs = zip(verdicts(answer), verdicts(attack.changes(answer, ASKED)), strict=True)
        assert all(before is True for before, after in pairs if after is True)


@pytest.mark.parametrize("attack", [a for a in ATTACKS if a.name not in LOST_ON_IT], ids=lambda attack: attack.name)
def test_an_attack_changes_no_verdict(attack: Attack) -> None:
    for answer in (WITHOUT_KNOWLEDGE, WRONG, RIGHT):
        assert verdicts(attack.changes(answer, ASKED)) == verdicts(answer)


def test_at_least_fifty_attacks_change_nothing() -> None:
    assert len(ATTACKS) - len(LOST_ON_IT) >= 50
