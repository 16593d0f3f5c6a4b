"""Header fields are facts of their document, where they are short, plain answers."""

from __future__ import annotations

import pytest
from by_hand import bank, document, source

from viva.agents.offline.header_questions import header_fields

HEADER = "Author: Ada Brannoch\nStatus: Final\nCreated: 14-Mar-1992\n\nPumps move water.\n"


def fields(text: str) -> dict[str, str]:
    return {field.name: field.value for field in header_fields(document(text))}


def test_fields_are_found_with_their_exact_place() -> None:
    pump = document(HEADER)
    found = header_fields(pump)
    assert [(f.name, f.value) for f in found] == [
        ("Author", "Ada Brannoch"),
        ("Status", "Final"),
        ("Created", "14-Mar-1992"),
    ]
    assert [pump.text[f.start : f.end] for f in found] == HEADER.splitlines()[:3]


def test_a_field_list_of_restructured_text_is_a_header_too() -> None:
    assert fields(":Author: Ada Brannoch\n:Status: Final\n\nText.") == {"Author": "Ada Brannoch", "Status": "Final"}


@pytest.mark.parametrize(
    "text",
    [
        "Author: Ada Brannoch\n\nOne field makes no header.",
        "Pumps move water.\nValves stop it.\n",
        "",
    ],
)
def test_where_there_is_no_header_there_are_no_fields(text: str) -> None:
    assert fields(text) == {}


@pytest.mark.parametrize(
    "line",
    [
        "Title: Pumps",
        "Version: 12",
        "Url: https://pumps.example",
        "Mail: ada@pumps.example",
        "Purpose: to move water out of the bilge by day and by night",
        "Names: Ada, Ruan",
    ],
)
def test_a_value_that_is_no_plain_answer_is_not_asked(line: str) -> None:
    assert fields(f"{line}\nAuthor: Ada Brannoch\n\nText.") == {"Author": "Ada Brannoch"}


def test_a_field_that_differs_between_documents_is_asked_about_its_document() -> None:
    sources = [
        source(f"Author: {name}\nStatus: Final\n\nPumps move water.\n", f"{name}.md", f"Plan {n}")
        for n, name in enumerate(["Ada Brannoch", "Ruan Sayle", "Quill Dunlin", "Tamsin Roe"])
    ]
    known = bank(*sources)
    found = [q for s in sources for fact in known.facts[s.chunk.id] for q in fact.questions]
    assert [(q.stem, q.key) for q in found] == [
        ("What is the author of “Plan 0”?", "Ada Brannoch"),
        ("What is the author of “Plan 1”?", "Ruan Sayle"),
        ("What is the author of “Plan 2”?", "Quill Dunlin"),
        ("What is the author of “Plan 3”?", "Tamsin Roe"),
    ]
