"""A panel file: everything in it reaches the systems, and what is wrong with it is said with its line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from viva.core.errors import UsageError
from viva.core.settings import Settings
from viva.examinees.specs.parse import parse_spec, parse_specs
from viva.examinees.specs.records import (
    CallableSpec,
    ChatSpec,
    CommandSpec,
    HttpSpec,
    Manners,
    RecordedSpec,
    ReferenceSpec,
    Spec,
)

RAG = """\
def build(k=1, reranker=None):
    return lambda question: f"{k} {reranker}"
"""
PANEL = """\
# whom we compare
defaults:
  timeout: 20
  concurrency: 4
  components: {llm: small}
examinees:
  - name: hybrid
    reference: hybrid+embedding,k=9
    grid: {k: [1, 3], retriever: [bm25, dense]}
  - name: ours
    python: my_rag.py:build
    components: {vendor: us}
    grid: {k: [1, 5], reranker: [true, none]}
    retries: 0
  - name: endpoint
    http:
      url: http://127.0.0.1:8000/{index}/ask
      headers: {Authorization: "Bearer ${MY_KEY}"}
      body: {question: "{question}", top_k: "{k}", note: "top {k}", literal: "{{k}}"}
      query: {k: "{k}"}
      answer: $.answer
      passages: $.sources[*].text
    components: {index: a b}
    grid: {k: [1, 5]}
    requests_per_minute: 30
    concurrency: 2
  - name: chat
    chat: {base_url: http://127.0.0.1:8000/v1, model: base, key_from: MY_KEY, system: "Say {tone} things."}
    grid: {model: [x, y], temperature: [0, 0.5], tone: [kind]}
  - name: program
    command: python "my rag.py" --k {k}
    grid: {k: [2, two words]}
  - {name: earlier, recorded: answers.jsonl}
"""


@pytest.fixture
def panel(tmp_path: Path) -> Path:
    folder = tmp_path / "panel"
    folder.mkdir()
    (folder / "my_rag.py").write_text(RAG)
    (folder / "answers.jsonl").write_text('{"question": "How much?", "answer": "B"}\n')
    (folder / "panel.yaml").write_text(PANEL)
    return folder / "panel.yaml"


def named(panel: Path, name: str) -> list[Spec]:
    return parse_specs(f"{panel}#{name}", Settings())


def ids(panel: Path) -> list[str]:
    return [spec.examinee.id for spec in parse_specs(str(panel), Settings())]


def test_every_combination_of_a_grid_is_an_examinee_named_by_its_levels(panel: Path) -> None:
    specs = parse_specs(str(panel), Settings())
    names = [spec.examinee.name for spec in specs]
    assert names[:4] == [f"hybrid,k={k},retriever={r}" for k in (1, 3) for r in ("bm25", "dense")]
    assert names[4:8] == [f"ours,k={k},reranker={r}" for k in (1, 5) for r in ("true", "none")]
    assert names[-1] == "earlier"
    assert len(names) == len(set(names)) == len(set(ids(panel))) == 17
    # each can be asked for alone, by what it is called in the record
    assert [parse_spec(spec.examinee.spec, Settings()) for spec in specs] == specs


def test_a_grid_of_a_reference_system_takes_the_place_of_what_its_line_says(panel: Path) -> None:
    found = named(panel, "hybrid")
    assert all(isinstance(spec, ReferenceSpec) and spec.reader == "embedding" for spec in found)
    assert [(s.k, s.retriever) for s in found if isinstance(s, ReferenceSpec)] == [
        (1, "bm25"),
        (1, "dense"),
        (3, "bm25"),
        (3, "dense"),
    ]
    assert found[0].examinee.components == {
        "retriever": "bm25",
        "reader": "embedding",
        "examples": "0",
        "k": "1",
        "chunk": str(Settings().chunk_tokens),
        "llm": "small",
    }


def test_a_factory_gets_the_levels_as_they_stand_and_from_a_file_beside_the_panel(panel: Path) -> None:
    found = named(panel, "ours")
    assert isinstance(found[0], CallableSpec)
    assert (found[0].module, found[0].function) == (str(panel.parent / "my_rag.py"), "build")
    assert [s.arguments for s in found if isinstance(s, CallableSpec)] == [
        {"k": 1, "reranker": True},
        {"k": 1, "reranker": "none"},
        {"k": 5, "reranker": True},
        {"k": 5, "reranker": "none"},
    ]
    assert found[0].examinee.components == {"llm": "small", "vendor": "us", "k": "1", "reranker": "true"}


def test_an_endpoint_gets_them_where_they_stand_in_braces(panel: Path) -> None:
    (spec,) = named(panel, "endpoint,k=5")
    assert isinstance(spec, HttpSpec)
    assert spec.url == "http://127.0.0.1:8000/a%20b/ask"
    assert spec.body == {"question": "{question}", "top_k": 5, "note": "top 5", "literal": "{{k}}"}
    assert spec.query == {"k": "5"}
    assert spec.headers == {"Authorization": "Bearer ${MY_KEY}"}
    assert (spec.answer, spec.passages) == ("$.answer", "$.sources[*].text")
    assert spec.examinee.components == {"llm": "small", "index": "a b", "k": "5"}


def test_a_chat_model_gets_them_by_name_or_in_its_instructions(panel: Path) -> None:
    found = named(panel, "chat")
    assert [(s.model, s.temperature, s.system) for s in found if isinstance(s, ChatSpec)] == [
        (model, temperature, "Say kind things.") for model in ("x", "y") for temperature in (0, 0.5)
    ]
    assert found[0].examinee.components["llm"] == "x"


def test_a_program_gets_them_as_words_however_many_a_level_has(panel: Path) -> None:
    found = named(panel, "program")
    assert [s.run for s in found if isinstance(s, CommandSpec)] == [
        ["python", "my rag.py", "--k", "2"],
        ["python", "my rag.py", "--k", "two words"],
    ]
    assert {s.folder for s in found if isinstance(s, CommandSpec)} == {str(panel.parent)}


def test_a_program_may_be_told_in_full(panel: Path) -> None:
    panel.write_text(
        "examinees:\n- name: p\n  command: {run: [python, x.py, 3], environment: {DEPTH: 2}, memory_mb: 512, "
        "takes_passages: true}\n"
    )
    (spec,) = parse_specs(str(panel), Settings())
    assert isinstance(spec, CommandSpec)
    assert (spec.run, spec.environment, spec.memory_mb, spec.takes_passages) == (
        ["python", "x.py", "3"],
        {"DEPTH": "2"},
        512,
        True,
    )


def test_recorded_answers_lie_beside_the_panel(panel: Path) -> None:
    (spec,) = named(panel, "earlier")
    assert isinstance(spec, RecordedSpec)
    assert spec.path == str(panel.parent / "answers.jsonl")
    assert spec.examinee.components == {"system": "earlier", "llm": "small"}


def test_manners_are_ones_own_then_the_defaults_then_the_usual(panel: Path) -> None:
    assert named(panel, "ours")[0].manners == Manners(timeout_s=20, concurrency=4, retries=0)
    assert named(panel, "endpoint")[0].manners == Manners(timeout_s=20, concurrency=2, requests_per_minute=30)
    panel.write_text("examinees:\n- {name: a, reference: bm25}\n")
    assert parse_specs(str(panel), Settings())[0].manners == Manners()


# --- identity -----------------------------------------------------------------------------------------------


def test_manners_comments_and_the_place_of_the_file_change_no_id(panel: Path, tmp_path: Path) -> None:
    before = ids(panel)
    panel.write_text(PANEL.replace("timeout: 20", "timeout: 3 # seconds").replace("retries: 0", "retries: 5"))
    assert ids(panel) == before
    moved = tmp_path / "moved"
    os.rename(panel.parent, moved)  # noqa: PTH104 - the folder itself
    assert ids(moved / "panel.yaml") == before


@pytest.mark.parametrize(
    ("file", "before", "after", "changed"),
    [
        ("my_rag.py", "k=1", "k=2", 4),
        ("answers.jsonl", "B", "C", 1),
        ("panel.yaml", "$.answer", "$.reply", 2),
        ("panel.yaml", "model: base", "model: other", 0),  # the grid says it
        ("panel.yaml", "Say {tone}", "Write {tone}", 4),
        ("panel.yaml", "--k {k}", "--depth {k}", 2),
        ("panel.yaml", "key_from: MY_KEY", "key_from: HER_KEY", 0),
        ("panel.yaml", "llm: small", "llm: large", 13),  # the chat's grid says its own
    ],
)
def test_whatever_changes_the_answers_changes_the_id_and_nothing_else_does(
    panel: Path, file: str, before: str, after: str, changed: int
) -> None:
    first = ids(panel)
    path = panel.parent / file
    path.write_text(path.read_text().replace(before, after))
    assert sum(a != b for a, b in zip(first, ids(panel), strict=True)) == changed


def test_a_program_that_was_edited_is_another(panel: Path) -> None:
    (panel.parent / "my rag.py").write_text("print(1)")
    before = [spec.examinee.id for spec in named(panel, "program")]
    (panel.parent / "my rag.py").write_text("print(2)")
    assert not set(before) & {spec.examinee.id for spec in named(panel, "program")}


def test_a_reference_system_is_the_same_in_a_file_and_on_the_command_line(panel: Path) -> None:
    panel.write_text("examinees:\n- {name: mine, reference: {retriever: bm25, k: 3}}\n")
    assert ids(panel) == [parse_spec("mine=bm25,k=3", Settings()).examinee.id]


# --- what is wrong ------------------------------------------------------------------------------------------

ONE = "examinees:\n- name: a\n"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("examinee: []\n", 1, "no key “examinee” here. Did you mean “examinees”? Allowed: defaults, examinees."),
        (f"defaults: {{timout: 3}}\n{ONE}  reference: bm25\n", 1, "Did you mean “timeout”?"),
        (f"{ONE}  htp: http://x\n", 3, "no key “htp” here. Did you mean “http”?"),
        (f"{ONE}  http:\n    urll: http://x\n", 4, "Did you mean “url”?"),
        (f"{ONE}  reference: {{retriver: bm25}}\n", 3, "Did you mean “retriever”?"),
        (f"{ONE}  timeout: soon\n  reference: bm25\n", 3, "“timeout” is 'soon'"),
        (f"{ONE}  concurrency: 0\n  reference: bm25\n", 3, "“concurrency” is 0"),
        (f"{ONE}  reference: bm26\n", 3, "one of closed-book, oracle"),
        (f"{ONE}  reference: {{retriever: bm25, k: 500}}\n", 3, "“k” is 500"),
        (f"{ONE}", 2, "has no kind of system. Exactly one of reference, python"),
        (f"{ONE}  reference: bm25\n  python: x:y\n", 2, "has reference and python."),
        ("examinees:\n- name: yes\n  reference: bm25\n", 2, "“name” is True"),
        (
            f"{ONE}  python: my_rag\n",
            3,
            "“my_rag” does not name the function in my_rag.py to ask. The file defines build.",
        ),
        (f"{ONE}  python: package.module\n", 3, "“package.module” names no function. FILE.py:FUNCTION or MODULE"),
        (f"{ONE}  python: none.py:f\n", 3, "none.py, which does not exist"),
        (f"{ONE}  recorded: none.jsonl\n", 3, "none.jsonl, which does not exist"),
        (f"{ONE}  command: {{run: [x], folder: nowhere}}\n", 3, "folder nowhere, which does not exist"),
        (f"{ONE}  command: ''\n", 3, "names no program"),
        (f"{ONE}  command: {{run: [x, true]}}\n", 3, "“run” is True"),
        (f"{ONE}  command: {{run: [x], memory_mb: 1}}\n", 3, "greater than or equal to 16"),
        (f"{ONE}  http: {{url: 'http://x', examinee: me}}\n", 3, "no key “examinee” here. Allowed: url"),
        (f"{ONE}  command: echo 'x\n", 3, "cannot be split into words"),
        (f"{ONE}  http: ftp://x\n", 3, "must begin with http:// or https://"),
        (f"{ONE}  http: {{url: 'http://x', method: PUT}}\n", 3, "'GET' or 'POST'"),
        (f"{ONE}  http: {{url: 'http://x', body: {{1: x}}}}\n", 3, "the key 1 is not text"),
        (f"{ONE}  http: {{url: 'http://x', body: '{{qestion}}'}}\n", 3, "Did you mean “{question}”?"),
        (f"{ONE}  http: http://x\n  components: {{question: x}}\n", 2, "“question” cannot be a component"),
        (f"{ONE}  chat: {{base_url: 'http://x'}}\n", 3, "“model” is missing"),
        (f"{ONE}  reference: bm25\n  grid: {{size: [1]}}\n", 4, "“size” of “a” is not used"),
        (f"{ONE}  http: http://x\n  grid: {{k: [1]}}\n", 4, "occurs in braces, as {k}"),
        (f"{ONE}  recorded: x\n  grid: {{k: [1]}}\n", 4, "is not used"),
        (f"{ONE}  reference: bm25\n  grid: {{k: [1, 1]}}\n", 4, "has the level 1 twice"),
        (f"{ONE}  reference: bm25\n  grid: {{k: []}}\n", 4, "has no levels"),
        (f"{ONE}  reference: bm25\n  grid: {{k: 3}}\n", 4, "“k” is 3"),
        (f"{ONE}  name: b\n", 3, "the key “name” occurs twice"),
        (
            f"{ONE}  reference: bm25\n- name: a\n  reference: dense\n",
            4,
            "two examinees are called “a”. Each name once. The other is at ",
        ),
        (f"{ONE}  reference: bm25\n- name: 'a,k=1'\n  reference: dense\n  grid: {{k: [1]}}\n", 0, ""),
        ("examinees:\n- name: a: b\n", 2, "this is not valid YAML"),
        ("examinees: !!python/object/apply:os.getcwd []\n", 1, "could not determine a constructor"),
        ("a: &a [*a]\n", 0, "or more than"),
        ("[" * 5000, 0, "nested too deeply"),
        ("", 0, "here is nothing. A mapping with the keys defaults, examinees."),
        ("- a\n", 1, "A mapping with the keys"),
        ("examinees: []\n", 1, "at least 1 item"),
        (
            f"{ONE}  reference: bm25\n  grid: {{k: {[*range(1, 100)]}, chunk: {[*range(40, 46)]}}}\n",
            0,
            "describes 594",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_line_and_what_is_allowed(
    panel: Path, text: str, line: int, said: str
) -> None:
    panel.write_text(text)
    if not said:
        assert len(parse_specs(str(panel), Settings())) == 2
        return
    with pytest.raises(UsageError) as caught:
        parse_specs(str(panel), Settings())
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"{panel}, line {line}: " if line else str(panel))


def test_aliases_that_multiply_are_bounded(panel: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    panel.write_text("\n".join(lines))
    with pytest.raises(UsageError, match="has more than"):
        parse_specs(str(panel), Settings())


def test_a_file_that_is_too_large_or_not_there_or_no_text_is_not_read(panel: Path) -> None:
    panel.write_text("#" * 250_001)
    with pytest.raises(UsageError, match="At most 250 kB"):
        parse_specs(str(panel), Settings())
    panel.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="not UTF-8"):
        parse_specs(str(panel), Settings())
    with pytest.raises(UsageError, match="There is no file"):
        parse_specs(str(panel.with_name("none.yml")), Settings())


@pytest.mark.parametrize(
    "written",
    [
        "http: {url: 'http://x', headers: {Authorization: Bearer abcdefghijklmnopqrstuvwxyz}}",
        "http: {url: 'http://x', headers: {X-Api-Key: abcdefghijklmnop0123}}",
        "http: {url: 'http://x', query: {api_key: abcdefghijklmnop0123}}",
        "http: {url: 'http://x', body: {nested: [{token: abcdefghijklmnop0123}]}}",
        "http: 'http://user:abcdefgh@x/'",
        "http: 'http://x/?key=abcdefgh'",
        "chat: {base_url: 'http://x', model: m, key_from: sk-abcdefghijklmnop0123}",
        "command: x --api-key=abcdefghijklmnop0123",
        "command: {run: [x], environment: {SECRET: abcdefghijklmnop0123}}",
    ],
)
def test_a_key_that_is_written_out_is_refused_and_not_repeated(panel: Path, written: str) -> None:
    panel.write_text(f"{ONE}  {written}\n")
    with pytest.raises(UsageError, match=r"line 3.*looks like a key or a password.*environment") as caught:
        parse_specs(str(panel), Settings())
    assert "abcdefgh" not in str(caught.value)


@pytest.mark.parametrize(
    "written",
    [
        "http: {url: 'http://x', headers: {Authorization: 'Bearer ${MY_VERY_LONG_KEY}'}}",
        "http: {url: 'http://x', input_tokens: $.usage.prompt_tokens, query: {token: '${MY_TOKEN}', q: '{stem}'}}",
        "chat: {base_url: 'http://x', model: m, key_from: MY_VERY_LONG_API_KEY, max_tokens: 100}",
        "reference: bm25\n  components: {tokenizer: cl100k_base, keys: phrase, secret_sauce: 'no'}",
    ],
)
def test_names_of_variables_and_ordinary_words_are_no_keys(panel: Path, written: str) -> None:
    panel.write_text(f"{ONE}  {written}\n")
    assert len(parse_specs(str(panel), Settings())) == 1


def test_a_name_that_is_not_there_is_answered_with_those_there_are(panel: Path) -> None:
    with pytest.raises(UsageError, match="Did you mean “ours”\\? It has: hybrid,k=1,retriever=bm25"):
        named(panel, "our")
    with pytest.raises(UsageError, match="17 examinees, but only one is allowed"):
        parse_spec(str(panel), Settings())
    with pytest.raises(UsageError, match="#NAME for one of them"):
        parse_specs("mine=panel.yaml", Settings())


def test_one_examinee_is_read_though_anothers_file_is_missing(panel: Path) -> None:
    (panel.parent / "answers.jsonl").unlink()
    assert len(named(panel, "ours")) == 4
    with pytest.raises(UsageError, match="which does not exist"):
        parse_specs(str(panel), Settings())


def test_a_long_level_is_named_by_its_beginning_and_told_apart(panel: Path) -> None:
    long = "Answer in one word, and never in two, whatever you are asked"
    panel.write_text(
        f"{ONE}  chat: {{base_url: 'http://x', model: m}}\n  grid: {{system: ['{long}.', '{long}!', short]}}\n"
    )
    names = [spec.examinee.name for spec in parse_specs(str(panel), Settings())]
    assert len(set(names)) == 3
    assert all(len(name) < 45 for name in names)
    assert names[2] == "a,system=short"
    assert parse_specs(str(panel), Settings())[2].examinee.components == {
        "system": "a",
        "llm": "m",
        "prompt": "short",
    }
