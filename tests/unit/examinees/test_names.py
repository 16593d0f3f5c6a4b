"""Two examinees never bear one name: an edited system is another version, a namesake bears the words it goes by."""

from __future__ import annotations

from pathlib import Path

import pytest

from viva.core.errors import UsageError
from viva.core.settings import Settings
from viva.examinees.specs.names import told_apart
from viva.examinees.specs.parse import parse_spec, parse_specs
from viva.examinees.specs.records import Spec


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(path: str, letter: str) -> Spec:
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"def answer(question):\n    return {letter!r}\n")
    return parse_spec(f"{path}:answer", Settings())


def names(*specs: Spec, known: tuple[Spec, ...] = ()) -> list[str]:
    found = told_apart(list(specs), [spec.examinee for spec in known])
    assert [spec.examinee.id for spec in found] == [spec.examinee.id for spec in specs]
    return [spec.examinee.name for spec in found]


def test_an_edited_system_is_a_version_of_its_own_and_so_is_its_component() -> None:
    first = written("rag.py", "A")
    second = written("rag.py", "B")
    (told,) = told_apart([second], [first.examinee])
    assert told.examinee.name == "rag:answer (version 2)"
    assert told.examinee.components == {"system": "rag:answer (version 2)"}
    third = written("rag.py", "C")
    assert names(third, known=(first, told)) == ["rag:answer (version 3)"]


def test_who_is_known_keeps_the_name_it_was_given_first() -> None:
    first, second = written("rag.py", "A"), written("rag.py", "B")
    (told,) = told_apart([second], [first.examinee])
    assert names(second, first, known=(first, told)) == ["rag:answer (version 2)", "rag:answer"]


def test_two_files_of_one_name_are_told_apart_by_their_paths() -> None:
    assert names(written("one/rag.py", "A"), written("two/rag.py", "A")) == [
        "rag:answer",
        "rag:answer (two/rag.py:answer)",
    ]


def test_a_name_that_was_given_twice_stands_with_what_it_names() -> None:
    written("a.py", "A"), written("b.py", "B")
    specs = [parse_spec(f"mine={file}.py:answer", Settings()) for file in "ab"]
    assert names(*specs) == ["mine", "mine (b.py:answer)"]


def test_names_that_differ_in_case_alone_are_no_two_names() -> None:
    written("a.py", "A")
    specs = [parse_spec(f"{name}=a.py:answer", Settings()) for name in ("Mine", "mine")]
    assert names(*specs) == ["Mine", "mine (a.py:answer)"]


def test_a_panel_file_names_nobody_like_another_but_for_the_case(folder: Path) -> None:
    Path("panel.yaml").write_text("examinees:\n- {name: Ours, reference: bm25}\n- {name: ours, reference: dense}\n")
    with pytest.raises(UsageError, match="two examinees are called “ours”, apart from upper and lower case: “Ours”"):
        parse_specs("panel.yaml", Settings())


def test_a_member_of_a_grid_whose_file_was_edited_shares_no_component_with_the_one_before(folder: Path) -> None:
    Path("panel.yaml").write_text("examinees:\n- {name: ours, python: 'rag.py:build', grid: {k: [1, 2]}}\n")
    Path("rag.py").write_text("def build(k):\n    return lambda question: 'A'\n")
    before = parse_specs("panel.yaml", Settings())
    Path("rag.py").write_text("def build(k):\n    return lambda question: 'B'\n")
    after = told_apart(parse_specs("panel.yaml", Settings()), [spec.examinee for spec in before])
    assert [spec.examinee.name for spec in after] == ["ours,k=1 (version 2)", "ours,k=2 (version 2)"]
    assert [spec.examinee.components for spec in after] == [
        {"system": "ours (version 2)", "k": level} for level in "12"
    ]


def test_long_words_behind_a_name_are_cut_at_their_beginning() -> None:
    long = "a" * 100
    written("rag.py", "A")
    found = names(written("rag.py", "A"), written(f"{long}/rag.py", "B"))[1]
    assert len(found) < 100
    assert found.endswith("/rag.py:answer)")
    assert "…" in found
