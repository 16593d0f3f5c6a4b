"""Every file that cannot be used is listed with a reason, and the rest is read."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path

import docx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viva.core.records import Exclusion, ExclusionReason
from viva.storage.corpus.listing import FoundFile
from viva.storage.corpus.read import LOADERS, load, read_corpus

read = partial(
    read_corpus,
    max_file_mb=1,
    max_documents=None,
    chunk_tokens=64,
    chunk_overlap=8,
    count_tokens=lambda text: len(text.split()),
)

Exclude = Callable[[str, bytes], Exclusion]


@pytest.fixture
def exclude(tmp_path: Path) -> Exclude:
    """Writes the file beside a good one and gives its exclusion."""

    def exclusion(name: str, data: bytes) -> Exclusion:
        (tmp_path / "good.md").write_text("A readable document.")
        (tmp_path / name).write_bytes(data)
        corpus = read(tmp_path)
        assert [document.path for document in corpus.documents] == ["good.md"]
        (only,) = corpus.exclusions
        assert only.path.split("#")[0] == name
        return only

    return exclusion


@pytest.mark.parametrize("suffix", sorted(LOADERS))
def test_a_zero_byte_file_of_any_type_is_empty(exclude: Exclude, suffix: str) -> None:
    assert exclude(f"zero{suffix}", b"").reason is ExclusionReason.EMPTY


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("blank.md", b" \n\t\n"),
        ("front.md", b"---\ntitle: Only this\n---\n"),
        ("blank.html", b"<html><script>let x = 1</script><nav>menu</nav></html>"),
        ("header.csv", b"name,colour\n"),
        ("blank.jsonl", b"\n\n"),
    ],
)
def test_a_file_without_text_is_empty(exclude: Exclude, name: str, data: bytes) -> None:
    assert exclude(name, data).reason is ExclusionReason.EMPTY


def test_a_png_named_md_is_binary(exclude: Exclude) -> None:
    exclusion = exclude("picture.md", b"\x89PNG\r\n\x1a\n rest")
    assert (exclusion.reason, "PNG" in exclusion.detail) == (ExclusionReason.BINARY, True)


@pytest.mark.parametrize("suffix", [".md", ".txt", ".rst", ".html", ".csv", ".tsv", ".jsonl"])
def test_nul_bytes_are_binary_in_every_text_format(exclude: Exclude, suffix: str) -> None:
    exclusion = exclude(f"x{suffix}", b"some text\0more")
    assert (exclusion.reason, "offset 9" in exclusion.detail) == (ExclusionReason.BINARY, True)


def test_invalid_utf8_is_listed_with_its_byte_offset(exclude: Exclude) -> None:
    exclusion = exclude("torn.txt", "naïve".encode() + b"\xef")
    assert exclusion.reason is ExclusionReason.BAD_ENCODING
    assert "0xef at byte offset 6" in exclusion.detail


def test_an_oversized_file_is_not_read(exclude: Exclude, tmp_path: Path) -> None:
    exclude("small.xyz", b"x")
    (tmp_path / "small.xyz").unlink()
    with (tmp_path / "huge.txt").open("wb") as file:
        file.truncate(50_000_000)
    (exclusion,) = read(tmp_path).exclusions
    assert exclusion.reason is ExclusionReason.OVERSIZED
    assert "50.0 MB, the limit is 1 MB" in exclusion.detail


def test_a_file_that_cannot_be_opened_is_unreadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "good.md").write_text("A readable document.")
    (tmp_path / "locked.md").write_text("Secret.")
    really_open = os.open

    def refusing(path: str | os.PathLike[str], flags: int, mode: int = 0o777) -> int:
        if Path(path).name == "locked.md":
            raise PermissionError(13, "Permission denied")
        return really_open(path, flags, mode)

    monkeypatch.setattr(os, "open", refusing)
    (exclusion,) = read(tmp_path).exclusions
    assert (exclusion.path, exclusion.reason) == ("locked.md", ExclusionReason.UNREADABLE)
    assert "Permission denied" in exclusion.detail


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind the superuser")
def test_a_folder_without_permission_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "good.md").write_text("A readable document.")
    (tmp_path / "locked").mkdir(mode=0o000)
    (exclusion,) = read(tmp_path).exclusions
    assert (exclusion.path, exclusion.reason) == ("locked", ExclusionReason.UNREADABLE)


def test_a_file_that_became_a_pipe_after_listing_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    (exclusion,) = load(FoundFile(tmp_path / "pipe.md", "pipe.md"), max_file_mb=1)
    assert isinstance(exclusion, Exclusion)
    assert exclusion.reason is ExclusionReason.UNREADABLE


def _docx(text: str) -> bytes:
    document = docx.Document()
    document.add_paragraph(text)
    buffer = BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def test_a_docx_that_unpacks_to_far_more_is_oversized(exclude: Exclude) -> None:
    buffer = BytesIO(_docx("Hello."))
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.bin", b"\0" * 11_000_000)
    assert exclude("bomb.docx", buffer.getvalue()).reason is ExclusionReason.OVERSIZED


def test_a_docx_whose_text_outgrows_the_limit_is_oversized(exclude: Exclude) -> None:
    assert exclude("long.docx", _docx("word " * 300_000)).reason is ExclusionReason.OVERSIZED


def test_a_password_protected_docx_is_encrypted(exclude: Exclude) -> None:
    data = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512)
    assert exclude("locked.docx", data).reason is ExclusionReason.ENCRYPTED


def test_a_zip_that_is_no_word_document_is_unreadable(exclude: Exclude) -> None:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.txt", "hello")
    assert exclude("fake.docx", buffer.getvalue()).reason is ExclusionReason.UNREADABLE


def test_a_docx_without_text_is_empty(exclude: Exclude) -> None:
    assert exclude("empty.docx", _docx("")).reason is ExclusionReason.EMPTY


def test_html_that_looks_like_a_path_warns_nobody(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    (tmp_path / "a.html").write_text("https://example.org/page.html")
    assert read(tmp_path).documents[0].text == "https://example.org/page.html"
    # what another test left open may be told while this one runs
    assert [str(each.message) for each in recwarn if each.category is not ResourceWarning] == []


def test_html_nested_without_end_does_not_exhaust_the_stack(tmp_path: Path) -> None:
    (tmp_path / "deep.html").write_text("<div>" * 20_000 + "bottom")
    assert read(tmp_path).documents[0].text == "bottom"


@pytest.mark.parametrize("suffix", sorted(LOADERS))
@settings(max_examples=25, deadline=None)
@given(data=st.binary(max_size=300))
def test_no_bytes_make_a_loader_raise(tmp_path_factory: pytest.TempPathFactory, suffix: str, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / f"noise{suffix}"
    path.write_bytes(data)
    for loaded in load(FoundFile(path, path.name), max_file_mb=1):
        assert loaded.path.startswith("noise")
        loaded.model_dump_json()
