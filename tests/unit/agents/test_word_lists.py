"""No rule of the offline cast knows the words of one corpus: what no two corpora of different kind hold, is none."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CORPORA = ROOT.parent / "shared/corpora"
READ = frozenset({".md", ".txt", ".rst", ".html", ".xml", ".csv", ".jsonl"})
OTHER_LANGUAGES = "cloze.py"
"""Its lists are German, French, Spanish, Italian, Portuguese and Dutch; the corpora are English."""


TABLES = frozenset({"NUMBER_WORDS", "_NUMBER_WORDS", "_PLURALS", "_NO_PLURAL", "_ABBREVIATION"})
"""Of English itself: no corpus holds every number and every irregular plural, nor the plurals that there are not."""


def statements() -> Iterator[tuple[str, ast.stmt]]:
    """What stands in the modules that write questions, each with the module's name."""
    for module in sorted((ROOT / "viva/agents/offline").rglob("*.py")):
        if module.name == OTHER_LANGUAGES:
            continue
        for statement in ast.parse(module.read_text(encoding="utf-8")).body:
            if not (isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) in TABLES):
                yield module.stem, statement


def lists() -> Iterator[tuple[str, list[str]]]:
    """Every list of words, with the place it stands at."""
    for module, statement in statements():
        for node in ast.walk(statement):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(words)), attr="split"), args=[]):
                    yield f"{module}:{node.lineno}", words.split()


def patterns() -> Iterator[tuple[str, list[str]]]:
    """The letters in a row, three and more, that each pattern asks for: words and their beginnings."""
    for module, statement in statements():
        for node in ast.walk(statement):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and _is_pattern(node, statement):
                written = re.sub(r"\\.|\[[^]]*]|\(\?P<\w+>|\w\?", " ", node.value)
                if parts := re.findall(r"[^\W\d_]{3,}", written):
                    yield f"{module}:{node.lineno}", parts


def _is_pattern(node: ast.Constant, statement: ast.stmt) -> bool:
    compiled = [call for call in ast.walk(statement) if isinstance(call, ast.Call)]
    return any(ast.unparse(call.func) == "re.compile" and node in ast.walk(call) for call in compiled)


@lru_cache
def held() -> dict[str, frozenset[str]]:
    """The words of each corpus, in lower case; questions of people are no documents."""
    corpora = sorted(folder for folder in CORPORA.iterdir() if folder.is_dir()) if CORPORA.is_dir() else []
    return {corpus.name: frozenset(words_of(corpus)) for corpus in corpora}


@lru_cache
def joined() -> dict[str, str]:
    """The words of each corpus as one text."""
    return {name: " ".join(sorted(words)) for name, words in held().items()}


def words_of(corpus: Path) -> Iterator[str]:
    for file in corpus.rglob("*"):
        if file.suffix.lower() in READ and "questions" not in file.name:
            yield from re.findall(r"[^\W\d_]+", file.read_text(encoding="utf-8", errors="replace").lower())


LISTS, PATTERNS = dict(lists()), dict(patterns())


def test_the_lists_and_patterns_are_found() -> None:
    assert len(LISTS) > 20
    assert len(PATTERNS) > 25


@pytest.mark.parametrize("place", LISTS)
def test_every_word_of_a_list_stands_in_two_corpora(place: str) -> None:
    if len(held()) < 2:
        pytest.skip("the corpora (shared/corpora) are not beside this checkout")
    lone = [word for word in LISTS[place] if sum(is_in(word, words) for words in held().values()) < 2]
    assert lone == []


@pytest.mark.parametrize("place", PATTERNS)
def test_every_word_and_beginning_of_a_word_in_a_pattern_stands_in_two_corpora(place: str) -> None:
    if len(held()) < 2:
        pytest.skip("the corpora (shared/corpora) are not beside this checkout")
    lone = [part for part in PATTERNS[place] if sum(part.lower() in text for text in joined().values()) < 2]
    assert lone == []


def is_in(word: str, words: frozenset[str]) -> bool:
    return words.issuperset(re.findall(r"[^\W\d_]+", word.lower()))
