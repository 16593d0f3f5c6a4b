"""The final reader: the fault of each chosen question; what it does not say clearly counts for nothing."""

from __future__ import annotations

import asyncio

from asked import Says
from by_hand import distractors, document, item
from by_id import by_id

from viva.agents.language_model.corpus import CorpusSearch
from viva.agents.language_model.critics.final_reader import ModelFinalReader
from viva.agents.roles import ChosenItem
from viva.core.records import Chunk, Span, Turn
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
    reader = ModelFinalReader(model, Settings(audience="pump drivers"), CorpusSearch({}, {}), ["Pumps"])
    chosen = [ChosenItem(ITEM, "Pump 1 moves 1 litre.")] * 4 + [ChosenItem(ITEM, "", "Pumps are slow.")]
    found = asyncio.run(reader.read(chosen))
    assert found == ["", "An option is padded.", None, None, None]
    assert model.roles == ["judge.exam"]
    assert "pump drivers: Pumps" in model.heard("audience")
    for words in ("Question 5: ", "There are two.", f"key: {ITEM.key}", "other options: 7 bar; 9 bar", "no passage"):
        assert words in model.heard("questions")
    assert model.heard("questions").count("guessed: Pumps are slow.") == 1
    assert model.heard("questions").count("passage: Pump 1 moves 1 litre.") == 4


def test_it_reads_what_a_search_for_question_and_options_finds_in_other_places_than_the_evidence() -> None:
    texts = (
        "Pump 1 moves 1 litre.",
        "Pump 1 runs at 9 bar in spring.",
        "Paint dries.",
        "Pump 2 moves 7 litres at 7 bar.",
    )
    documents = [document(text, f"{n}.md") for n, text in enumerate(texts)]
    chunks = [Chunk.of(each, 0, len(each.text), 9) for each in documents]
    corpus = CorpusSearch(by_id(documents), by_id(chunks))
    evidence = Span(document_id=documents[0].id, start=0, end=len(texts[0]), quote=texts[0])
    model = Says(exam={"verdicts": []})
    asked = ChosenItem(ITEM.model_copy(update={"evidence": (evidence,)}), texts[0])
    asyncio.run(ModelFinalReader(model, Settings(), corpus).read([asked]))
    found = [line for line in model.heard("questions").splitlines() if line.startswith("elsewhere: ")]
    assert len(found) == 2
    assert all(text in "".join(found) for text in (texts[1], texts[3]))
