"""The final reader: the fault of each chosen question; what it does not say clearly counts for nothing."""

from __future__ import annotations

import asyncio

from asked import Says
from by_hand import distractors, item

from viva.agents.language_model.critics.final_reader import ModelFinalReader
from viva.core.records import Turn
from viva.core.settings import Settings

ITEM = item(1, stem="How fast is pump 1?").model_copy(
    update={
        "distractors": distractors("7 bar", "9 bar"),
        "history": (Turn(role="user", text="Is there a pump?"), Turn(role="assistant", text="There are two.")),
    }
)


def test_it_reads_conversation_options_key_passage_and_audience_and_gives_the_fault_of_each() -> None:
    said = [
        (1, True, "NONE"),
        (2, False, "An option is padded."),
        (3, False, "NONE"),
        (4, True, "NONE"),
        (4, False, "No."),
        (9, True, "NONE"),
    ]
    verdicts = [type("Verdict", (), {"question": n, "printed": printed, "fault": why}) for n, printed, why in said]
    model = Says(exam={"verdicts": verdicts})
    reader = ModelFinalReader(model, Settings(audience="pump drivers"), ["Pumps"])
    found = asyncio.run(reader.read([(ITEM, "Pump 1 moves 1 litre.")] * 4 + [(ITEM, "")]))
    assert found == ["", "An option is padded.", None, None, None]
    assert model.roles == ["judge.exam"]
    assert "pump drivers: Pumps" in model.heard("audience")
    for words in ("Question 5: ", "There are two.", f"key: {ITEM.key}", "other options: 7 bar; 9 bar", "no passage"):
        assert words in model.heard("questions")
    assert model.heard("questions").count("passage: Pump 1 moves 1 litre.") == 4
