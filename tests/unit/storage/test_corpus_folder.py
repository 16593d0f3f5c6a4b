"""Which files of a folder are read, in which order, and what is said when none can be."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from viva.core.errors import UsageError
from viva.core.records import ExclusionReason
from viva.storage.corpus.read import Corpus, read_corpus

read = partial(
    read_corpus,
    max_file_mb=1,
    max_documents=None,
    chunk_tokens=64,
    chunk_overlap=8,
    count_tokens=lambda text: len(text.split()),
)


def write(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"The text of {name}.\n")


def paths(corpus: Corpus) -> list[str]:
    return [document.path for document in corpus.documents]


def reasons(corpus: Corpus) -> dict[str, ExclusionReason]:
    return {exclusion.path: exclusion.reason for exclusion in corpus.exclusions}


def test_documents_come_in_the_order_of_their_relative_paths(tmp_path: Path) -> None:
    write(tmp_path, "b.md", "a/z.md", "a-b.md", "B.md", "ä.md", "a.md")
    assert paths(read(tmp_path)) == sorted(["b.md", "a/z.md", "a-b.md", "B.md", "ä.md", "a.md"])


def test_the_topic_is_the_first_folder(tmp_path: Path) -> None:
    write(tmp_path, "top.md", "law/deep/er.md")
    assert {document.path: document.topic for document in read(tmp_path).documents} == {
        "top.md": "",
        "law/deep/er.md": "law",
    }


def test_hidden_and_build_folders_are_passed_over_in_silence(tmp_path: Path) -> None:
    write(tmp_path, "a.md", ".hidden.md", ".git/x.md", "node_modules/x.md", "a/__pycache__/x.md")
    corpus = read(tmp_path)
    assert (paths(corpus), corpus.exclusions) == (["a.md"], ())


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("*.draft.md", ["a.md", "old/b.md", "old/deep/c.md"]),
        ("old/", ["a.draft.md", "a.md"]),
        ("old/*.md", ["a.draft.md", "a.md"]),
        ("**/deep", ["a.draft.md", "a.md", "old/b.md"]),
        ("/old/b.md", ["a.draft.md", "a.md", "old/deep/c.md"]),
        ("a", ["a.draft.md", "a.md", "old/b.md", "old/deep/c.md"]),
    ],
)
def test_ignore_patterns_take_files_and_folders_out(tmp_path: Path, pattern: str, left: list[str]) -> None:
    write(tmp_path, "a.md", "a.draft.md", "old/b.md", "old/deep/c.md")
    assert paths(read(tmp_path, ignore=[pattern])) == left


@pytest.mark.parametrize("pattern", ["!keep.md", "", "/", "**"])
def test_a_pattern_that_says_nothing_useful_is_refused(tmp_path: Path, pattern: str) -> None:
    write(tmp_path, "a.md")
    with pytest.raises(UsageError, match="ignore pattern"):
        read(tmp_path, ignore=[pattern])


def test_a_single_file_is_a_corpus(tmp_path: Path) -> None:
    write(tmp_path, "only/one.md", "only/other.md")
    assert paths(read(tmp_path / "only" / "one.md")) == ["one.md"]


def test_a_missing_folder_is_refused_with_the_types_that_are_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"does not exist.*\.docx"):
        read(tmp_path / "nowhere")


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="it is empty"):
        read(tmp_path)


def test_a_folder_of_unreadable_things_is_refused_with_counts_and_the_first_reason(tmp_path: Path) -> None:
    write(tmp_path, "b.xyz", "c.xyz")
    (tmp_path / "a.md").write_bytes(b"")
    with pytest.raises(UsageError, match=r"1 empty, 2 unknown type.*a\.md: The file has 0 bytes"):
        read(tmp_path)


def test_a_pipe_given_as_the_folder_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    with pytest.raises(UsageError, match="no folder and no file"):
        read(tmp_path / "pipe.md")


def test_a_file_of_unknown_type_is_listed(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "LICENSE", "b.xyz")
    assert reasons(read(tmp_path)) == dict.fromkeys(["LICENSE", "b.xyz"], ExclusionReason.UNKNOWN_TYPE)


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path, "in/a.md", "out/secret.md")
    (tmp_path / "in" / "file.md").symlink_to(tmp_path / "out" / "secret.md")
    (tmp_path / "in" / "folder").symlink_to(tmp_path / "out")
    corpus = read(tmp_path / "in")
    assert paths(corpus) == ["a.md"]
    assert reasons(corpus) == dict.fromkeys(["file.md", "folder"], ExclusionReason.OUTSIDE_FOLDER)


def test_loops_of_links_end(tmp_path: Path) -> None:
    write(tmp_path, "a/b/c.md")
    (tmp_path / "a" / "b" / "up").symlink_to(tmp_path / "a")
    (tmp_path / "self.md").symlink_to(tmp_path / "self.md")
    corpus = read(tmp_path)
    assert paths(corpus) == ["a/b/c.md"]
    assert reasons(corpus) == {"self.md": ExclusionReason.UNREADABLE}


def test_a_link_to_a_hidden_folder_inside_is_followed(tmp_path: Path) -> None:
    write(tmp_path, ".version-7/a.md")
    (tmp_path / "current").symlink_to(tmp_path / ".version-7")
    assert paths(read(tmp_path)) == ["current/a.md"]


def test_a_pipe_is_never_opened(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    os.mkfifo(tmp_path / "pipe.md")
    assert reasons(read(tmp_path)) == {"pipe.md": ExclusionReason.UNREADABLE}


def test_a_name_that_is_no_utf8_is_written_readably(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text("Some text.")
    assert paths(read(tmp_path)) == ["caf\\xe9.md"]


def test_max_documents_takes_the_first_readable_ones_and_counts_rows(tmp_path: Path) -> None:
    write(tmp_path, "b.md", "c.md")
    (tmp_path / "a.csv").write_text("name,colour\nsky,blue\nsun,yellow\n")
    (tmp_path / "a.md").write_bytes(b"")
    assert paths(read(tmp_path, max_documents=3)) == ["a.csv#1", "a.csv#2", "b.md"]
    assert paths(read(tmp_path, max_documents=1)) == ["a.csv#1"]


def test_progress_counts_files(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b.md", "c.xyz")
    steps: list[tuple[int, int]] = []
    read(tmp_path, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(1, 3), (2, 3), (3, 3)]


def test_the_fingerprint_follows_content_and_names(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b.md")
    before = read(tmp_path).fingerprint
    assert read(tmp_path).fingerprint == before
    (tmp_path / "a.md").rename(tmp_path / "c.md")
    renamed = read(tmp_path).fingerprint
    (tmp_path / "b.md").write_text("Something else.")
    assert len({before, renamed, read(tmp_path).fingerprint}) == 3


@pytest.mark.slow
def test_nothing_depends_on_the_hash_seed(tmp_path: Path) -> None:
    for number in range(6):
        words = " ".join(f"word{n % (17 + number // 2)}" for n in range(120))
        (tmp_path / f"{number}.md").write_text(f"---\ntags: [x, y]\n---\n# T{number}\n\n{words}\n")
    script = (
        "import sys; from pathlib import Path; from viva.storage.corpus.read import *\n"
        "from viva.storage.corpus.statistics import corpus_statistics\n"
        "c = read_corpus(Path(sys.argv[1]), max_file_mb=1, max_documents=None, chunk_tokens=64, chunk_overlap=8,"
        " count_tokens=lambda t: len(t.split()))\n"
        "print(list(c.chunks), corpus_statistics(c))"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", script, str(tmp_path)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
