"""Evidence leads to its words in the document, and the viewer shows the place, for each type of file that is read."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

import pytest
from bs4 import BeautifulSoup, SoupStrainer

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))

from files_of_types import TYPES, Fact, written
from viewing import viewing

import viva
from viva.api.exams import Question
from viva.core.records import Document
from viva.storage.corpus.read import LOADERS
from viva.storage.runs import RunStore


def answer(question: str, options: list[str]) -> str:
    return options[0]


@dataclass(frozen=True)
class Viewed:
    """A run on a file of each type with a question on each of its facts, and the address of its viewer."""

    facts: dict[str, list[Fact]]
    questions: list[Question]
    documents: dict[str, Document]
    address: str


@pytest.fixture(scope="module")
def viewed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Viewed]:
    folder = tmp_path_factory.mktemp("types")
    docs, out, own = folder / "docs", folder / "run", folder / "own.jsonl"
    docs.mkdir()
    facts = written(docs)
    asked = [
        {"question": f"{name} {n}?", "answer": "a", "options": ["a", "b"], "contexts": [fact.words], "source": path}
        for name, each in facts.items()
        for n, fact in enumerate(each)
        for path in [f"{name}{fact.path}"]
    ]
    own.write_text("\n".join(map(json.dumps, asked)), "utf-8")
    run = viva.Exam.read(own).examine(mine=answer, docs=docs, out=out, manufactured=False).run
    with RunStore.open(out) as store:
        documents = {document.id: document for document in store.documents()}
    with viewing(out) as address:
        yield Viewed(facts, list(run.exam), documents, address)


def test_a_file_of_each_type_that_is_read_is_looked_at() -> None:
    assert set(TYPES) == set(LOADERS)


@pytest.mark.parametrize("suffix", TYPES)
def test_evidence_leads_to_its_words_and_the_viewer_marks_them_at_their_place(suffix: str, viewed: Viewed) -> None:
    name = f"manual{suffix}"
    questions = [each for each in viewed.questions if each.text.startswith(f"{name} ")]
    assert len(questions) == len(viewed.facts[name])
    for fact, question in zip(viewed.facts[name], questions, strict=True):
        (span,) = question.shown.item.evidence
        document = viewed.documents[span.document_id]
        assert (document.path, document.text[span.start : span.end]) == (f"{name}{fact.path}", fact.words)
        with urlopen(f"{viewed.address}/run/0/items/{question.id}") as page:
            (figure,) = BeautifulSoup(page.read(), "html.parser", parse_only=SoupStrainer("figure")).select("figure")
        caption, passage = figure.figcaption, figure.blockquote
        assert caption is not None
        assert passage is not None
        assert passage.mark is not None
        assert caption.text == ", ".join(filter(None, (document.path, fact.place)))
        assert (passage.mark.text, passage.text) == (fact.words, document.text)
