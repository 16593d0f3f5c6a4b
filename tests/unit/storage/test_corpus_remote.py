"""Documents at an address: the same documents as in a folder here, and nothing that the address does not hold."""

from __future__ import annotations

import pickle
import shutil
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import fsspec
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))

from file_server import Reply, file_server
from harbour import write_corpus

from viva.core.errors import UsageError
from viva.core.records import Exclusion, ExclusionReason
from viva.storage.corpus.read import AHEAD, Corpus, read_corpus
from viva.storage.corpus.remote import RemoteFolder


def read(source: Path | RemoteFolder, ignore: Sequence[str] = ()) -> Corpus:
    found = read_corpus(
        source,
        ignore=ignore,
        max_file_mb=1,
        max_documents=None,
        chunk_tokens=64,
        chunk_overlap=8,
        count_tokens=lambda text: len(text.split()),
    )
    return Corpus(tuple(found.documents), tuple(found.chunks), tuple(found.exclusions))


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder with names that addresses must quote, with files that are left out, and hidden ones."""
    folder = tmp_path / "docs"
    write_corpus(folder)
    for name in ("Gebühren & Zölle/50 % off.md", "a+b/c.md", ".hidden.md", ".git/x.md", "old/deep/er/x.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"# A title\n\nThe text of {name} and no other.\n", encoding="utf-8")
    (folder / "empty.md").write_bytes(b"")
    (folder / "picture.md").write_bytes(b"\x89PNG\r\n\x1a\n1234")
    (folder / "large.txt").write_bytes(b"x" * 1_100_000)
    return folder


def in_memory(folder: Path, name: str) -> str:
    files = fsspec.filesystem("memory")
    files.put(f"{folder}/", f"/{name}/", recursive=True)
    return f"memory://{name}"


def reasons(corpus: Corpus) -> dict[str, ExclusionReason]:
    return {exclusion.path: exclusion.reason for exclusion in corpus.exclusions}


# --- the same as here ------------------------------------------------------------------------------------


def test_a_folder_in_an_object_store_is_read_byte_for_byte_as_the_same_folder_here(docs: Path) -> None:
    assert read(RemoteFolder.at(in_memory(docs, "same"))) == read(docs)


def test_a_folder_behind_http_is_read_byte_for_byte_as_the_same_folder_here(docs: Path) -> None:
    here = read(docs)
    with file_server(docs.parent) as server:
        there = read(RemoteFolder.at(f"{server.url}docs"))
        slashed = read(RemoteFolder.at(f"{server.url}docs/"))
        assert server.asked.count("/docs/.hidden.md") == 0
    assert len(here.documents) > 12
    assert {"empty.md", "picture.md", "large.txt"} <= reasons(here).keys()
    assert there == slashed
    # how large a file is that is too large, a server need not tell
    assert (there.documents, there.chunks, reasons(there)) == (here.documents, here.chunks, reasons(here))
    assert there.fingerprint == here.fingerprint


def test_an_archive_is_read_as_the_folder_that_was_packed(docs: Path, tmp_path: Path) -> None:
    packed = shutil.make_archive(str(tmp_path / "packed"), "zip", docs)
    assert read(RemoteFolder.at(f"zip://::file://{packed}")) == read(docs)


def test_ignore_patterns_mean_the_same_everywhere_and_what_they_leave_out_is_never_asked_for(docs: Path) -> None:
    patterns = ["old/", "*.csv", "a+b/*"]
    with file_server(docs) as server:
        there = read(RemoteFolder.at(server.url), ignore=patterns)
        assert not [path for path in server.asked if path.startswith("/old/") or path.endswith(".csv")]
    assert there.chunks == read(docs, ignore=patterns).chunks
    with pytest.raises(UsageError, match="ignore pattern"):
        read(RemoteFolder.at("memory://same"), ignore=["!keep.md"])


def test_one_file_is_read_as_the_same_file_here(docs: Path) -> None:
    path = docs / "market" / "market.md"
    with file_server(docs) as server:
        assert read(RemoteFolder.at(f"{server.url}market/market.md")) == read(path)
    assert read(RemoteFolder.at(f"{in_memory(docs, 'single')}/market/market.md")) == read(path)


def test_what_was_listed_can_be_read_by_another_process(docs: Path) -> None:
    entries = RemoteFolder.at(in_memory(docs, "pickled")).entries((), 10**6)
    sent = [entry for entry in pickle.loads(pickle.dumps(entries)) if not isinstance(entry, Exclusion)]
    assert sent[0].read(10**6) == (docs / sent[0].relative).read_bytes()


def test_files_are_fetched_several_at_once_and_what_is_never_read_is_never_fetched(tmp_path: Path) -> None:
    for n in range(30):
        (tmp_path / f"{n}.md").write_text(f"The text of {n}.")
        (tmp_path / f"{n}.zip").write_text("no document")
    with file_server(tmp_path) as server:
        there = read(RemoteFolder.at(server.url))
        assert 1 < server.at_once <= AHEAD
        assert not [path for path in server.asked if path.endswith(".zip")]
    assert there == read(tmp_path)


# --- what fails ------------------------------------------------------------------------------------------


def test_a_file_that_cannot_be_downloaded_is_lost_alone_with_its_reason(docs: Path) -> None:
    replies = {
        "/rules/harbour.md": Reply(404),
        "/market/market.md": Reply(503, after=2),
        "/a+b/c.md": Reply(500),
        "/old/": Reply(403),
    }
    here = read(docs)
    with file_server(docs, replies) as server:
        there = read(RemoteFolder.at(server.url))
    lost = {e.path: e.detail for e in there.exclusions if e.path not in reasons(here)}
    assert lost == {
        "rules/harbour.md": "The file cannot be downloaded: it is not there.",
        "a+b/c.md": "The file cannot be downloaded: the server answers 500.",
        "old": "The folder cannot be listed: the server answers 403.",
    }
    missing = ("rules/", "a+b/", "old/")
    assert [d for d in here.documents if not d.path.startswith(missing)] == list(there.documents)


def test_a_file_that_the_server_cuts_short_is_no_document(docs: Path) -> None:
    reply = Reply(body=b"The beginning", headers={"Content-Length": "1000"})
    with file_server(docs, {"/a+b/c.md": reply}) as server:
        assert reasons(read(RemoteFolder.at(server.url)))["a+b/c.md"] is ExclusionReason.UNREADABLE


def test_a_file_without_end_is_read_no_further_than_the_limit(docs: Path) -> None:
    body = b"word " * 2_000_000
    with file_server(docs, {"/a+b/c.md": Reply(body=body)}) as server:
        assert reasons(read(RemoteFolder.at(server.url)))["a+b/c.md"] is ExclusionReason.OVERSIZED


def test_a_source_that_drips_ends_with_a_sentence(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("viva.storage.corpus.remote.SLOW_AFTER_S", 0.2)
    with file_server(docs, {"/a+b/c.md": Reply(body=b"word " * 20, pause=0.1)}) as server:
        found = {each.path: each for each in read(RemoteFolder.at(server.url)).exclusions}["a+b/c.md"]
    assert found.reason is ExclusionReason.TOO_SLOW
    assert found.detail == "The file cannot be downloaded: it comes with under 1,000 bytes a second."


def test_a_source_of_slow_files_alone_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("viva.storage.corpus.remote.SLOW_AFTER_S", 0.05)
    names = [f"{n:02}.md" for n in range(40)]
    replies = {f"/{name}": Reply(body=b"word " * 20, pause=0.1) for name in names}
    replies["/"] = Reply(body="".join(f"<a href={name}></a>" for name in names).encode())
    with file_server(tmp_path, replies) as server:
        with pytest.raises(UsageError, match="1 loading ended early, 8 too slow"):
            read(RemoteFolder.at(server.url))
        assert len(server.asked) < 20


def test_a_host_alone_is_a_folder_though_its_name_has_a_dot(docs: Path) -> None:
    with file_server(docs) as server:
        assert read(RemoteFolder.at(server.url.rstrip("/"))).chunks == read(docs).chunks


def test_an_archive_elsewhere_is_read_and_where_there_is_none_that_is_told(docs: Path, tmp_path: Path) -> None:
    shutil.make_archive(str(tmp_path / "packed"), "zip", docs)
    with file_server(tmp_path) as other:
        replies = {"/moved.zip": Reply(302, headers={"Location": f"{other.url}packed.zip"})}
        with file_server(tmp_path, replies) as server:
            # this server knows no ranges: the archive is fetched whole
            assert read(RemoteFolder.at(f"zip://::simplecache::{server.url}packed.zip")) == read(docs)
            for name in ("absent.zip", "moved.zip"):
                with pytest.raises(UsageError, match="cannot be listed"):
                    read(RemoteFolder.at(f"zip://::simplecache::{server.url}{name}"))
        assert other.asked == []


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("memory://nowhere", "cannot be listed: it is not there"),
        ("http://127.0.0.1:9/docs/", "cannot be listed: Connection refused"),
        ("nosuch://bucket/x", "cannot be opened"),
    ],
)
def test_an_address_with_nothing_there_is_told_in_a_sentence(url: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read(RemoteFolder.at(url))


def test_an_empty_folder_is_told_in_a_sentence(tmp_path: Path) -> None:
    with file_server(tmp_path) as server, pytest.raises(UsageError, match="holds no document"):
        read(RemoteFolder.at(server.url))


# --- what is not to be trusted ---------------------------------------------------------------------------


HOSTILE = """<a href="../secret.md">1</a> <a href="..%2fsecret.md">2</a> <a href="/secret.md">3</a>
<a href="//other.example/x.md">4</a> <a href="https://other.example/y.md">5</a> <a href="file:///etc/passwd">6</a>
<a href="./">7</a> <a href="?C=N;O=D">8</a> <a href="../">9</a> <a href="/">10</a> <a href="mailto:x@y.example">11</a>
<a href="good.md">12</a> <a href="good.md">again</a>
<a href="sub/../good.md">13</a> <a href="%2e%2e/%2e%2e/up.md">14</a>"""


def test_a_listing_gets_nothing_fetched_from_outside_the_folder(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "good.md").write_text("Good.")
    (tmp_path / "secret.md").write_text("Secret.")
    with file_server(tmp_path, {"/docs/": Reply(body=HOSTILE.encode())}) as server:
        corpus = read(RemoteFolder.at(f"{server.url}docs/"))
        assert server.asked == ["/docs/", "/docs/good.md"]
        outside = {path.replace(server.url, "/") for path in reasons(corpus)}
    assert [document.path for document in corpus.documents] == ["good.md"]
    assert set(reasons(corpus).values()) == {ExclusionReason.OUTSIDE_FOLDER}
    assert outside >= {
        "../secret.md",
        "/secret.md",
        "http://other.example/x.md",
        "https://other.example/y.md",
        "file:///etc/passwd",
    }


def test_a_server_that_sends_on_to_another_one_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Here.")
    (tmp_path / "b.md").write_text("Moved.")
    with file_server(tmp_path) as other:
        replies = {
            "/b.md": Reply(302, headers={"Location": f"{other.url}b.md"}),
            "/c.md": Reply(302, headers={"Location": "/b2.md"}),
            "/b2.md": Reply(body=b"Within the same server."),
            "/": Reply(body=b"<a href=a.md></a><a href=b.md></a><a href=c.md></a>"),
        }
        with file_server(tmp_path, replies) as server:
            corpus = read(RemoteFolder.at(server.url))
        assert other.asked == []
    assert [document.path for document in corpus.documents] == ["a.md", "c.md"]
    assert "sends on to another one" in corpus.exclusions[0].detail


def test_folders_without_end_are_left_at_some_depth(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Here.")
    endless = {"/" + "d/" * depth: Reply(body=b"<a href=d/></a> <a href=/a.md></a>") for depth in range(100)}
    with file_server(tmp_path, endless) as server:
        corpus = read(RemoteFolder.at(server.url))
        assert len(server.asked) < 70
    assert "folders deep" in corpus.exclusions[0].detail


def test_folders_without_end_beside_each_other_are_refused_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("viva.storage.corpus.remote.MAX_ENTRIES", 20)
    deep = ["/" + "/".join(path) + "/" for n in range(1, 6) for path in product("ab", repeat=n)]
    endless = {path: Reply(body=b"<a href=a/></a> <a href=b/></a>") for path in ["/", *deep]}
    with file_server(tmp_path, endless) as server:
        with pytest.raises(UsageError, match=r"over 20 files and folders.*--ignore"):
            read(RemoteFolder.at(server.url))
        assert len(server.asked) < 20


def test_a_listing_of_tags_without_an_end_is_told_in_a_sentence(tmp_path: Path) -> None:
    with file_server(tmp_path, {"/": Reply(body=b"x<a " * 1_000)}) as server:
        with pytest.raises(UsageError, match=r"cannot be listed: what came cannot be read|holds no document"):
            read(RemoteFolder.at(server.url))
        assert server.asked == ["/"]


@pytest.mark.parametrize(
    "url",
    [
        "s3://AKIAX:topsecret@bucket/docs",
        "s3://AKIAX:top/secret@bucket/docs",
        "https://user:1234@host/docs",
        "https://topsecret@host/docs",
        "https://topsecret@host/a@b",
        "sftp://user:topsecret@host/docs",
        "zip://::https://user:topsecret@host/a.zip",
        "https://host/docs/?sig=topsecret",
        "https://host/docs/#topsecret",
    ],
)
def test_an_address_with_a_password_or_a_signature_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(UsageError) as refused:
        RemoteFolder.at(url)
    assert "secret" not in str(refused.value)
    assert "1234" not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    [
        "abfs://container@account.dfs.core.windows.net/docs",
        "http://host:8080/a@b/",
        "s3://bucket/a@b",
        "gs://bucket/docs",
    ],
)
def test_an_at_sign_that_parts_no_password_is_none(url: str) -> None:
    assert str(RemoteFolder.at(url)) == url
