"""An examinee is named in one line; a line that names none says what would."""

from __future__ import annotations

from pathlib import Path

import pytest

from viva.core.errors import UsageError
from viva.core.settings import Settings
from viva.examinees.specs.parse import default_panel, parse_spec
from viva.examinees.specs.records import READERS, RETRIEVERS, CallableSpec, ReferenceSpec

SETTINGS = Settings(worked_examples=4, passages=5, chunk_tokens=254)


def reference(text: str) -> ReferenceSpec:
    spec = parse_spec(text, SETTINGS)
    assert isinstance(spec, ReferenceSpec)
    return spec


@pytest.mark.parametrize(
    ("text", "retriever", "reader", "k", "chunk", "examples", "name"),
    [
        ("bm25", "bm25", "lexical", 5, 254, 0, "bm25+lexical,k=5"),
        ("hybrid-rerank+embedding", "hybrid-rerank", "embedding", 5, 254, 0, "hybrid-rerank+embedding,k=5"),
        ("dense+lexical,k=3", "dense", "lexical", 3, 254, 0, "dense+lexical,k=3"),
        (
            "oracle+embedding,examples=2,k=1,chunk=128",
            "oracle",
            "embedding",
            1,
            128,
            2,
            "oracle+embedding,chunk=128,examples=2,k=1",
        ),
        (" hybrid+lexical , k=9 ", "hybrid", "lexical", 9, 254, 0, "hybrid+lexical,k=9"),
        ("Our baseline=bm25,k=2", "bm25", "lexical", 2, 254, 0, "Our baseline"),
    ],
)
def test_a_reference_system_is_read(
    text: str, retriever: str, reader: str, k: int, chunk: int, examples: int, name: str
) -> None:
    spec = reference(text)
    assert (spec.retriever, spec.reader, spec.k, spec.chunk, spec.examples) == (retriever, reader, k, chunk, examples)
    assert (spec.examinee.name, spec.examinee.spec) == (name, text)


def test_a_reference_system_names_every_component_of_its_ability() -> None:
    assert reference("bm25,k=3").examinee.components == {
        "retriever": "bm25",
        "reader": "lexical",
        "examples": "0",
        "k": "3",
        "chunk": str(Settings().chunk_tokens),
    }


def test_the_same_system_has_the_same_id_and_any_other_another() -> None:
    assert reference("bm25").examinee.id == reference("bm25+lexical,k=5").examinee.id
    others = ["bm25,k=3", "bm25,chunk=128", "bm25,examples=2", "dense", "bm25+embedding", "mine=bm25"]
    assert len({reference(text).examinee.id for text in ["bm25", *others]}) == 1 + len(others)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "bm25+gpt",
        "elastic+lexical",
        "bm25+lexical+more",
        "bm25,k",
        "bm25,k=",
        "bm25,k=three",
        "bm25,k=-1",
        "bm25,k=²",
        "bm25,k=0",
        "bm25,k=101",
        "bm25,chunk=31",
        "bm25,examples=21",
        "bm25,size=3",
        "=bm25",
        "mine=",
        ":answer",
        "file.py:",
    ],
)
def test_a_line_that_names_no_examinee_is_refused_with_what_is_allowed(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_spec(text, SETTINGS)
    assert caught.value.allowed
    assert text in caught.value.problem


def test_more_worked_examples_than_are_set_aside_are_refused_with_the_option_to_set() -> None:
    with pytest.raises(UsageError) as caught:
        parse_spec("bm25,examples=5", SETTINGS)
    assert "the exam has 4" in caught.value.problem
    assert "--worked-examples 5" in caught.value.next_step


def test_a_function_of_a_file_or_module_is_read(tmp_path: Path) -> None:
    file = tmp_path / "my_rag.py"
    file.write_text("def answer(question): return 'A'\n")
    found = [parse_spec(text, SETTINGS) for text in (f"{file}:answer", f"mine={file}:answer", "package.rag:reply")]
    assert all(isinstance(spec, CallableSpec) for spec in found)
    assert [(s.module, s.function) for s in found if isinstance(s, CallableSpec)] == [
        (str(file), "answer"),
        (str(file), "answer"),
        ("package.rag", "reply"),
    ]
    assert [s.examinee.name for s in found] == ["my_rag:answer", "mine", "package.rag:reply"]


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="which does not exist"):
        parse_spec(f"{tmp_path / 'missing.py'}:answer", SETTINGS)


def test_an_edited_file_is_another_system(tmp_path: Path) -> None:
    file = tmp_path / "my_rag.py"
    ids = []
    for answer in ("A", "B", "A"):
        file.write_text(f"def answer(question): return '{answer}'\n")
        ids.append(parse_spec(f"{file}:answer", SETTINGS).examinee.id)
    assert ids[0] == ids[2] != ids[1]


def test_the_panel_has_every_retriever_with_every_reader_once() -> None:
    panel = [spec for spec in default_panel(SETTINGS) if isinstance(spec, ReferenceSpec)]
    plain = [(spec.retriever, spec.reader) for spec in panel if not spec.examples]
    assert sorted(plain) == sorted((retriever, reader) for retriever in RETRIEVERS for reader in READERS)
    assert {spec.examples for spec in panel} == {0, 4}
    assert len({spec.examinee.id for spec in panel}) == len(panel) == 16
    assert len(default_panel(Settings(worked_examples=0))) == 12


@pytest.mark.parametrize(
    "flag", ["--token abc123def456ghi789", "--api-key hunter2hunter2", "--password=hunter2hunter"]
)
def test_a_key_among_a_programs_words_is_refused_and_not_repeated(flag: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_spec(f"command:python prog.py {flag}", Settings())
    assert "looks like a key" in str(refused.value)
    assert flag.split()[-1] not in str(refused.value)
