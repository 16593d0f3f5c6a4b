"""Documents of LangChain loaders: what is kept, what one failure costs, and what is said of it."""

from __future__ import annotations

import sqlite3
import sys
from functools import partial
from pathlib import Path
from urllib.parse import quote

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))

import own_loaders

from viva.core.errors import UsageError
from viva.core.records import ExclusionReason
from viva.graphs.resources.document_loader import FAILURES_IN_A_ROW, LoaderSource
from viva.storage.corpus.read import Corpus, read_corpus

OWN = own_loaders.__file__
COMMUNITY = "langchain_community.document_loaders"
TEXT_LOADER = "loader_cls=langchain_community.document_loaders:TextLoader"


def load(text: str, max_documents: int | None = None, ignore: tuple[str, ...] = ()) -> Corpus:
    found = read_corpus(
        LoaderSource.of(text),
        ignore=ignore,
        max_file_mb=1,
        max_documents=max_documents,
        chunk_tokens=64,
        chunk_overlap=8,
        count_tokens=lambda text: len(text.split()),
    )
    return Corpus(tuple(found.documents), tuple(found.chunks), tuple(found.exclusions))


def texts(corpus: Corpus) -> dict[str, str]:
    return {document.path: document.text for document in corpus.documents}


def reasons(corpus: Corpus) -> dict[str, tuple[ExclusionReason, str]]:
    return {each.path: (each.reason, each.detail) for each in corpus.exclusions}


# --- loaders of langchain_community, on data that is here ------------------------------------------------


def test_rows_of_a_csv_are_documents_with_their_metadata(tmp_path: Path) -> None:
    file = tmp_path / "faq.csv"
    file.write_text("question;answer;topic\nWhen?;At nine.;ferries\nWhere?;At the pier.;ferries\n")
    options = quote('{"delimiter": ";"}')
    corpus = load(f'{COMMUNITY}:CSVLoader?file_path={file}&csv_args={options}&metadata_columns=["topic"]')
    assert texts(corpus) == {
        "faq.csv#1": "question: When?\nanswer: At nine.",
        "faq.csv#2": "question: Where?\nanswer: At the pier.",
    }
    first = corpus.documents[0]
    assert first.metadata == {"source": str(file), "row": "0", "topic": "ferries"}
    assert (first.title, first.topic) == ("Faq", "ferries")


def test_a_directory_gives_the_same_documents_wherever_it_lies_and_a_failing_file_is_lost_alone(
    tmp_path: Path,
) -> None:
    spec = "{}:DirectoryLoader?path={}&glob=**/*[!l]&recursive=true&silent_errors=true&" + TEXT_LOADER
    folders = [own_loaders.written(tmp_path / name / "docs") for name in ("here", "elsewhere")]
    here, there = (load(spec.format(COMMUNITY, folder)) for folder in folders)
    assert texts(here) == {
        "b.txt": "The ferry leaves at nine.\n",
        "notes/a.md": "# A note\n\nThe tide turns at six.\n",
    }
    assert (here.documents[1].format, here.documents[1].topic) == ("md", "notes")
    assert (here.chunks, here.fingerprint) == (there.chunks, there.fingerprint)
    ((reason, detail),) = reasons(here).values()
    assert reason is ExclusionReason.UNREADABLE
    assert "broken.txt" in detail


def test_a_directory_loader_that_stops_at_a_file_says_which_and_keeps_what_came_before(tmp_path: Path) -> None:
    folder = own_loaders.written(tmp_path / "docs")
    (folder / "b.txt").unlink()
    corpus = load(f'{COMMUNITY}:DirectoryLoader?path={folder}&glob=["notes/*","*.txt"]&{TEXT_LOADER}')
    assert list(texts(corpus)) == ["notes/a.md"]
    found = reasons(corpus)
    assert found["DirectoryLoader#2"][0] is ExclusionReason.ENDED_EARLY
    assert "All documents after it are missing" in found["DirectoryLoader#2"][1]
    assert "broken.txt" in found["DirectoryLoader"][1]


def test_rows_of_a_database_come_through_a_function_of_ones_own_with_typed_arguments(tmp_path: Path) -> None:
    file = tmp_path / "tickets.sqlite"
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE tickets (id INTEGER, text TEXT, closed INTEGER)")
        database.executemany("INSERT INTO tickets VALUES (?, ?, ?)", [(1, "Old", 1), (2, "New", 1), (3, "Open", 0)])
    database.close()
    corpus = load(f"{OWN}:tickets?path={file}&closed=true&at_least=2")
    assert texts(corpus) == {"New": "id: 2\ntext: New"}
    everything = "query=SELECT text FROM tickets ORDER BY id"
    (tmp_path / "databases.py").write_text(
        f"from langchain_community.utilities import SQLDatabase\ntickets = SQLDatabase.from_uri('sqlite:///{file}')\n"
    )
    corpus = load(f"{COMMUNITY}:SQLDatabaseLoader?{everything}&db={tmp_path}/databases.py:tickets")
    assert texts(corpus) == {f"SQLDatabaseLoader#{n}": f"text: {t}" for n, t in enumerate(("Old", "New", "Open"), 1)}


# --- what one failure costs ------------------------------------------------------------------------------


def test_a_generator_that_raises_keeps_what_it_gave_and_says_that_more_is_missing_without_the_key() -> None:
    corpus = load(f"{OWN}:Letters?letters=axbc")
    assert texts(corpus) == {"letters/a.txt": "This is the letter a.", "letters/x.txt": "This is the letter x."}
    (path, (reason, detail)), *none = reasons(corpus).items()
    assert (path, reason, none) == ("Letters#3", ExclusionReason.ENDED_EARLY, [])
    assert detail.startswith("ValueError: the letter b cannot be read; key ***")
    assert corpus.documents[0].metadata["of"] == "[1, 2]"


def test_an_iterator_that_goes_on_after_a_failure_loses_that_one_document_alone() -> None:
    corpus = load(f"{OWN}:Going?letters=abcbd")
    assert [document.text[-2] for document in corpus.documents] == ["a", "c", "d"]
    assert {path: reason for path, (reason, _) in reasons(corpus).items()} == {
        "Going#2": ExclusionReason.UNREADABLE,
        "Going#4": ExclusionReason.UNREADABLE,
    }


def test_a_loader_that_fails_without_end_is_left() -> None:
    corpus = load(f"{OWN}:Going?letters=a{'b' * 500}")
    assert len(corpus.exclusions) == FAILURES_IN_A_ROW
    assert corpus.exclusions[-1].reason is ExclusionReason.ENDED_EARLY


def test_what_is_no_document_is_left_out_with_its_reason_and_what_is_logged_is_heard() -> None:
    corpus = load(f"{OWN}:Odd")
    assert texts(corpus) == {"Odd": "Only a text.", "wiki.example/a/../b?x=1": "Titled.��"}
    assert corpus.documents[1].title == "A title"
    assert {path: reason for path, (reason, _) in reasons(corpus).items()} == {
        "Odd#1": ExclusionReason.EMPTY,
        "Odd#2": ExclusionReason.BAD_RECORD,
        "Odd#3": ExclusionReason.BAD_RECORD,
        "Odd#4": ExclusionReason.OVERSIZED,
        "Odd": ExclusionReason.UNREADABLE,
    }
    assert reasons(corpus)["Odd"][1] == "One page was passed over."


def test_ignore_patterns_and_max_documents_hold_for_loaders_too() -> None:
    assert list(texts(load(f"{OWN}:Letters?letters=acd", ignore=("letters/c*",)))) == [
        "letters/a.txt",
        "letters/d.txt",
    ]
    assert list(texts(load(f"{OWN}:Letters?letters=dca", max_documents=2))) == ["letters/a.txt", "letters/c.txt"]


# --- what is no loader -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("CSVLoader", "is not the name of a loader"),
        (f"{OWN}:Letters?letters", "is not the name of a loader"),
        ("no.such.module:Loader", "cannot be imported: ModuleNotFoundError"),
        (f"{OWN}:Leters", "Did you mean Letters"),
        ("nowhere.py:Loader", "cannot be loaded"),
        (f"{OWN}:failing", "cannot be created with no arguments: RuntimeError: no server there"),
        (
            f"{OWN}:Letters?size=3",
            r"cannot be created with size.*Its signature is Letters\(letters: .*str.* = 'abc'\)",
        ),
        (f"{OWN}:tickets?path=x&at_least=many", "at_least=many is not a value of type int"),
        (f"{OWN}:tickets?path=x&closed=perhaps", "closed=perhaps is not a value of type bool"),
        (f"{OWN}:nothing?options=" + quote('{"a": 1}'), "is a dict, which cannot load documents"),
        (f"{COMMUNITY}:CSVLoader?file_path=/nowhere.csv", "holds no document that can be read"),
    ],
)
def test_what_names_no_loader_is_told_in_a_sentence(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        load(text)


@pytest.mark.parametrize(
    "named",
    [
        "os:system?command=touch {made}",
        'subprocess:Popen?args=["touch", "{made}"]',
        "builtins:eval?source=open('{made}','w')",
        "pathlib:Path?args={made}",
        "{folder}/own.py:system?command=touch {made}",
        "{folder}/own.py:run?command=touch {made}",
        "langchain_community.document_loaders:RecursiveUrlLoader?url=http://127.0.0.1:9/&extractor=os:system",
    ],
)
def test_nothing_but_a_loader_is_called(named: str, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("import functools\nfrom os import system\nrun = functools.partial(system)\n")
    with pytest.raises(UsageError, match=r"is no document loader: it is not called|the loader might call it"):
        load(named.format(folder=tmp_path, made=tmp_path / "made"))
    assert not (tmp_path / "made").exists()


def test_a_loader_that_gives_nothing_for_too_long_ends_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("viva.graphs.resources.document_loader.SILENCE_S", 0.1)
    (tmp_path / "own.py").write_text(
        "import time\n"
        "def waiting():\n"
        "    class Loader:\n"
        "        def lazy_load(self):\n"
        "            yield 'The ferry sails at nine.'\n"
        "            time.sleep(5)\n"
        "    return Loader()\n"
    )
    corpus = load(f"{tmp_path}/own.py:waiting")
    assert texts(corpus) == {"waiting": "The ferry sails at nine."}
    said = "Nothing came in 0.1 seconds. All documents after it are missing."
    assert reasons(corpus)["waiting"] == (ExclusionReason.ENDED_EARLY, said)


def test_a_loader_without_end_is_left_at_a_number_of_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("viva.graphs.resources.document_loader.MOST_DOCUMENTS", 3)
    corpus = load(f"{OWN}:Letters?letters=acdefgh")
    assert len(corpus.documents) == 3
    assert reasons(corpus)["Letters"][0] is ExclusionReason.ENDED_EARLY


@pytest.mark.parametrize(
    "query",
    [
        "access_token=topsecret",
        "x=1&OPENAI_API_KEY=topsecret",
        "passwords=topsecret",
        "url=https://me:topsecret@host/wiki",
        "x=ghp_0123456789topsecret0123",
        "x=0123topsecret4567",
        "t%6Fken=topsecret",
        "account_key=topsecret",
        "key=topsecret",
        "pwd=topsecret",
        "password=12345678",
        'auth=["me", "topsecret"]',
        "conn_str=DefaultEndpointsProtocol=https;AccountKey=topsecret==",
        "connection_string=Server=db;Pwd=topsecret",
    ],
)
def test_a_key_among_the_arguments_is_refused_and_not_repeated(query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIKI_KEY", "0123topsecret4567")
    with pytest.raises(UsageError, match="looks like a key") as refused:
        LoaderSource.of(f"wiki:Loader?{query}")
    assert "topsecret" not in str(refused.value)


def test_arguments_that_are_only_called_like_keys_are_none() -> None:
    LoaderSource.of("wiki:Loader?content_key=text&max_tokens=50&authors=Woolf&query=SELECT token FROM keys")
    LoaderSource.of("wiki:Loader?space_key=TEAM&content_keys=[]&metadata_keys=[]")


def test_credentials_in_what_a_loader_tells_of_a_document_are_not_kept(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "from langchain_core.documents import Document\n"
        "class Loader:\n"
        "    def lazy_load(self):\n"
        "        told = {'source': 'https://me:topsecret@host/wiki/page.md?sig=topsecret0123456'}\n"
        "        yield Document(page_content='The ferry sails at nine.', metadata=told)\n"
    )
    (document,) = load(f"{tmp_path}/own.py:Loader").documents
    assert document.path == "host/wiki/page.md"
    assert "topsecret" not in document.model_dump_json()


def test_naming_a_loader_runs_none_of_its_code(tmp_path: Path) -> None:
    named = partial(LoaderSource.of, f"{tmp_path}/absent.py:Loader?x=1")
    assert (named().name, str(named())) == ("Loader", f"--loader {tmp_path}/absent.py:Loader?x=1")
