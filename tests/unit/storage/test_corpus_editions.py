"""Two editions of a text are found with every sentence in which they differ; pages of one form are none."""

from __future__ import annotations

from pathlib import Path

import pytest
from by_hand import document
from edition_texts import BY_HAND, FORM, MOVED, NAMES, STYLES, edited, moved, pages, two_editions, unreported

from viva.storage.corpus.editions.finding import find_editions
from viva.storage.corpus.read import Corpus, read_corpus

RULES = """# Guest rules

Guests leave by ten. Dogs are welcome in the hall. Keys cost 38 euros. The kitchen closes at nine.
"""


def read(folder: Path) -> Corpus:
    return read_corpus(
        folder,
        ignore=["*.pdf", "*.docx"],
        max_file_mb=9,
        max_documents=None,
        chunk_tokens=254,
        chunk_overlap=0,
        count_tokens=lambda text: len(text.split()),
    )


def test_every_changed_value_of_the_handbook_is_reported_with_both_places(tmp_path: Path) -> None:
    changed = two_editions(tmp_path)
    corpus = read(tmp_path)
    pairs = find_editions(corpus.documents, corpus.exclusions)
    assert list(unreported(corpus.documents, pairs)) == []
    assert {pair.second.removeprefix("handbook/") for pair in pairs} == {path for path, _, _ in changed}
    assert all(pair.first.removeprefix("handbook-2026/") == pair.second.removeprefix("handbook/") for pair in pairs)
    # several values may stand in one sentence, and each difference holds a change
    assert 50 <= sum(len(pair.differences) for pair in pairs) <= len(changed)


def test_edits_of_names_words_negations_and_cells_are_reported_and_a_moved_section_is_not(tmp_path: Path) -> None:
    edited(tmp_path, BY_HAND)
    path = tmp_path / "handbook-2026" / MOVED[0]
    path.write_text(moved(path.read_text(encoding="utf-8"), *MOVED[1:]), encoding="utf-8")
    corpus = read(tmp_path)
    pairs = find_editions(corpus.documents, corpus.exclusions)
    kept = [each for each in corpus.documents if not each.path.endswith(MOVED[0])]
    assert list(unreported(kept, pairs)) == []
    of_moved = [pair for pair in pairs if pair.first.endswith(MOVED[0])]
    assert [len(pair.differences) for pair in of_moved] == [sum(edit[0] == MOVED[0] for edit in BY_HAND)]
    assert sum(len(pair.differences) for pair in pairs) == len(BY_HAND)
    # a heading of one word that moved is no sentence to be found again
    assert sum(pair.only_first + pair.only_second for pair in pairs) == 2


@pytest.mark.parametrize(
    ("paths", "titles"),
    [
        (("rules.md", "rules (1).md"), ("Guest rules", "Guest rules")),
        (("2024/rules.md", "2025/rules.md"), ("Guest rules", "Guest rules")),
        (("rules-v1.2.md", "rules-v2.md"), ("Guest rules, version 1.2", "Guest rules, 2nd edition")),
        (("old/rules.md", "rules.md"), ("Guest rules 2019", "Guest rules and keys")),
    ],
)
def test_years_and_versions_in_names_are_of_editions(paths: tuple[str, str], titles: tuple[str, str]) -> None:
    texts = RULES, RULES.replace("38", "41")
    (pair,) = find_editions([document(t, p, title=title) for t, p, title in zip(texts, paths, titles, strict=True)])
    (found,) = pair.differences
    assert {found.first.quote, found.second.quote} == {"Keys cost 38 euros.", "Keys cost 41 euros."}
    assert pair.equal == 4


@pytest.mark.parametrize("count", [2, 3, 10])
@pytest.mark.parametrize("style", STYLES)
def test_pages_of_one_form_about_different_things_are_no_editions(style: str, count: int) -> None:
    assert find_editions(list(pages(style, count))) == []


def test_pages_of_one_form_without_a_name_are_told_by_values_that_differ_in_all_of_them() -> None:
    assert find_editions([document(f"It carries {n} people.\n\n{FORM}", f"e{n}x.md") for n in range(9)]) == []


def test_a_page_that_another_holds_a_small_part_of_is_no_edition_of_it() -> None:
    more = " ".join(f"Rule {n} is about room {n} and its lamps, beds and chairs." for n in range(40))
    assert find_editions([document(RULES, "rules.md"), document(f"{RULES}\n\n{more}", "all.md")]) == []


def test_rows_of_a_table_are_compared_by_what_they_are_about(tmp_path: Path) -> None:
    rows = [f"P{n},{name},{n} metres" for n, name in enumerate(NAMES)]
    for year, own in (("2024", rows), ("2025", [*rows[:3], "P3,Fulmar,9 metres", *rows[5:], "P20,Knot,4 metres"])):
        (tmp_path / f"berths-{year}.csv").write_text("\n".join(["code,name,depth", *own]), encoding="utf-8")
    corpus = read(tmp_path)
    (pair,) = find_editions(corpus.documents, corpus.exclusions)
    assert [(each.first.quote, each.second.quote) for each in pair.differences] == [
        ("depth: 3 metres", "depth: 9 metres")
    ]
    assert (pair.only_first, pair.only_second) == (1, 1)
