"""`viva examinee`: against real servers, programs and files it says what came, or what to mend; 0 or 2."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from model_brains import Scripted
from model_server import serve
from rag_server import RagServer, rag_server
from typer.testing import CliRunner

from viva.cli.main import app
from viva.core.errors import UsageError

RAG = """\
import time
def letter(question):
    return {"text": "B", "passages": ["The lamp is green."], "usage": {"input_tokens": 7, "output_tokens": 1}}
def words(question):
    return "the verdant one \\x1b[31m"
def reads(question, passages=None):
    return {"text": "1911" if passages and "1911" in passages[0] else "I do not know", "passages": passages or []}
def slow(question):
    time.sleep(5)
def fails(question):
    raise ValueError("no index")
def build(k):
    return lambda question: f"B) with {k}"
"""
PROGRAM = """\
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"id": asked["id"], "answer": "B"}), flush=True)
"""


@pytest.fixture(scope="module")
def server() -> Iterator[RagServer]:
    with rag_server() as found:
        yield found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "rag.py").write_text(RAG)
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "answers.jsonl").write_text('{"question": "How much?", "answer": "30 litres"}\n')
    (tmp_path / "by_id.jsonl").write_text('{"item_id": "x1", "answer": "30 litres"}\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def invoke(*arguments: object) -> Result:
    done = CliRunner().invoke(app, ["examinee", *map(str, arguments)])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def checked(*arguments: object) -> tuple[int, dict[str, Any]]:
    done = invoke("check", *arguments, "--json")
    told = json.loads(done.stdout)
    assert told["ok"] is (done.exit_code == 0)
    return done.exit_code, told["examinees"][0]


def said(*arguments: object, code: int = 0) -> str:
    done = invoke("check", *arguments)
    assert done.exit_code == code, done.stdout
    return done.stdout


def panel(folder: Path, body: str) -> Path:
    (folder / "panel.yaml").write_text(f"examinees:\n- name: one\n  {body}\n")
    return folder / "panel.yaml"


def test_a_system_that_answers_is_told_with_all_that_it_gave(folder: Path) -> None:
    text = said("rag.py:letter")
    assert "That is option B, “green”, read from its letter." in text
    assert "Passages: 1. The first: “The lamp is green.”. Usage: 7 tokens in, 1 out." in text
    assert "It can take an exam." in text
    code, told = checked("rag.py:letter")
    assert (code, told["kind"], len(told["questions"])) == (0, "python", 2)
    opened, choice = told["questions"]
    assert (opened["options"], opened["choice"], choice["choice"]) == (None, None, 1)
    assert choice["meta"]["choice_by"] == "letter"


def test_an_answer_in_words_is_shown_harmless_and_with_what_it_counts_for(folder: Path) -> None:
    text = said("rag.py:words")
    assert "No option was found in it; such an answer counts as wrong." in text
    assert "\x1b" not in text


def test_a_system_that_takes_passages_is_handed_one(folder: Path) -> None:
    _, told = checked("rag.py:reads")
    assert told["questions"][0]["from_passage"] is True
    assert told["questions"][0]["text"] == "1911"


def test_ones_own_question_is_asked_instead(folder: Path) -> None:
    _, told = checked("recorded:answers.jsonl", "--question", "How much?")
    assert [q["question"] for q in told["questions"]] == ["How much?"]
    assert told["questions"][0]["text"] == "30 litres"
    with pytest.raises(UsageError, match="--question is empty"):
        invoke("check", "rag.py:letter", "--question", " ")


def test_recorded_answers_are_tried_with_a_question_that_was_recorded(folder: Path) -> None:
    assert "30 litres" in said("recorded:answers.jsonl")
    assert "have item ids only" in said("recorded:by_id.jsonl")
    assert "no recorded answer" in said("recorded:answers.jsonl", "-q", "Another?", code=2)


def test_recorded_answers_that_cannot_be_read_are_counted_with_examples(folder: Path) -> None:
    posed = "How much {n}?\nA) 30 litres\nB) 40 litres\nAnswer with the letter of the right option."
    said_by = ["B", "Either.", "It is red.\x1b[31m", "B"]
    rows = [json.dumps({"question": posed.format(n=n), "answer": each}) for n, each in enumerate(said_by)]
    (folder / "posed.jsonl").write_text("\n".join(rows))
    text = said("recorded:posed.jsonl")
    assert (
        "No option could be read in 2 of 4 recorded answers; they count as wrong. “Either.”; “It is red.[31m”" in text
    )
    _, told = checked("recorded:posed.jsonl")
    assert (told["unread_choices"]["count"], told["unread_choices"]["of"]) == (2, 4)


def test_a_program_is_started_and_asked(folder: Path) -> None:
    assert "read from its letter" in said(f"command:{sys.executable} program.py")


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("rag.py:nowhere", ["rag.py has no function nowhere.", "It has: build, fails, letter"]),
        ("rag.py:build", ["returned a function", "Try it alone"]),
        ("rag.py:fails", ["Failed after", "(raised): ValueError: no index", "To correct it: "]),
        ("command:no-such-program-here", ["program no-such-program-here, which is not there"]),
        (f"command:{sys.executable} -c 'print(1)'", ["no JSON object: “1”", "To correct it: Try it alone: echo '{"]),
        (f"command:{sys.executable} -c 'raise SystemExit(3)'", ["ended with exit status 3"]),
    ],
)
def test_what_is_wrong_here_is_said_in_words(folder: Path, spec: str, words: list[str]) -> None:
    text = said(spec, code=2)
    for each in words:
        assert each in text
    assert "Traceback" not in text


def test_a_system_that_hangs_is_left_and_told_how_to_give_it_longer(folder: Path) -> None:
    text = said("rag.py:slow", "--timeout", "0.1", code=2)
    assert "(timed out): no answer within 0.1 s" in text
    assert "Give it longer: `timeout: SECONDS` in a panel file, or --timeout SECONDS." in text
    # once is enough
    assert text.count("Asked: ") == 1


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("html", ["JSON was expected, HTML came", "give the address of the API behind it"]),
        ("json", ["nothing at $.answer", "It has data, usage.", "`answer: $.NAME` instead of $.answer"]),
        ("text", ["JSON was expected", "leave `answer` out"]),
        ("object", ["without a text", "`answer: $.answer.NAME` instead of $.answer"]),
        ("broken", ["Its JSON breaks off", "See what the server writes"]),
        ("packed", ["cannot be unpacked", "sends as Content-Encoding"]),
        ("port", ["to another server", "give its address there, http://127.0.0.1:9, in place of"]),
        ("stream", ["It streams its reply", "`stream: false` in `body`"]),
        ("status/404", ["HTTP 404", "There is nothing at that address"]),
        ("status/429", ["HTTP 429", "requests_per_minute"]),
        ("status/500", ["HTTP 500", "its own log says why"]),
        ("status/401", ["HTTP 401", "none is sent", 'headers: {Authorization: "Bearer ${NAME}"}']),
    ],
)
def test_what_is_wrong_at_a_server_is_said_in_words(
    folder: Path, server: RagServer, path: str, words: list[str]
) -> None:
    text = said(f"{server.url}/{path}", code=2)
    for each in words:
        assert each in text


def test_nobody_at_the_address_is_said_with_the_address(folder: Path) -> None:
    text = said("http://127.0.0.1:9/ask", code=2)
    assert "the connection failed" in text
    assert "See that the server runs, and that host and port are right: http://127.0.0.1:9/ask." in text


def test_a_key_that_is_refused_is_told_by_the_name_of_its_variable(
    folder: Path, server: RagServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = f"http: {{url: '{server.url}/refused', headers: {{Authorization: 'Bearer ${{RAG_KEY}}'}}}}"
    file = panel(folder, body)
    missing = said(file, code=2)
    assert "needs the environment variable RAG_KEY, which is not set" in missing
    monkeypatch.setenv("RAG_KEY", "very-secret-value")
    refused = said(file, code=2)
    assert "HTTP 403" in refused
    assert "see what the environment variable RAG_KEY holds" in refused
    assert "very-secret" not in refused


def test_a_chat_model_without_its_key_is_told_which(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(Scripted(after="B"), key="right-key-0123") as model:
        file = panel(folder, f"chat: {{base_url: '{model.url}', model: m, key_from: CHAT_KEY}}")
        monkeypatch.setenv("CHAT_KEY", "wrong-key-0123")
        refused = said(file, code=2)
        assert "see what the environment variable CHAT_KEY holds" in refused
        assert "wrong-key" not in refused
        monkeypatch.setenv("CHAT_KEY", "right-key-0123")
        assert "read from its letter" in said(file)


def test_a_hint_does_not_send_anybody_to_what_is_in_order(folder: Path, server: RagServer) -> None:
    packed, moved = (said(f"{server.url}/{path}", code=2) for path in ("packed", "port"))
    assert "the server runs" not in packed + moved
    assert "`body`" not in packed + moved


@pytest.mark.parametrize(
    ("raised", "words"),
    [
        ("KeyboardInterrupt('no')", "KeyboardInterrupt: no"),
        ("SystemExit('bye')", "SystemExit: bye"),
        ("__import__('asyncio').CancelledError('away')", "CancelledError: away"),
    ],
)
@pytest.mark.parametrize("spec", ["ends.py:answer", "ends:answer"])
def test_a_module_that_would_end_the_program_is_told_of_and_ends_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, spec: str, raised: str, words: str
) -> None:
    (folder / "ends.py").write_text(f"raise {raised}\n")
    monkeypatch.delitem(sys.modules, "ends", raising=False)
    monkeypatch.syspath_prepend(str(folder))
    text = said(spec, code=2)
    assert words in text
    assert "Try it alone" in text


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_told_to_end_while_a_module_loads_the_command_stops(folder: Path, number: signal.Signals) -> None:
    (folder / "slow.py").write_text(
        "from pathlib import Path\nimport time\nPath('loading').touch()\n"
        "try:\n    time.sleep(300)\nexcept KeyboardInterrupt:\n    raise ValueError('hidden')\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "viva", "examinee", "check", "slow.py:answer"],
        stderr=subprocess.PIPE,
        text=True,
        # as what a script puts into its background
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    end = time.monotonic() + 120
    while not (folder / "loading").exists() and time.monotonic() < end:
        time.sleep(0.05)
    process.send_signal(number)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 128 + number
    assert "Stopped" in err


def test_closed_book_and_retrievers_are_handed_nothing(folder: Path) -> None:
    _, closed = checked("closed-book")
    assert {question["from_passage"] for question in closed["questions"]} == {False}
    assert closed["questions"][0]["passages"] == []
    assert closed["questions"][0]["text"] == "I do not know."
    _, found = checked("bm25")
    assert {question["from_passage"] for question in found["questions"]} == {False}
    assert "1911" in found["questions"][0]["text"]


def test_the_fake_model_reads_what_was_found_and_names_an_option(folder: Path) -> None:
    _, told = checked("bm25+fake:reader")
    in_words, by_option = told["questions"]
    assert "1911" in in_words["text"]
    assert (by_option["text"], by_option["choice"]) == ("B", 1)


def test_a_reference_system_answers_from_the_passage_that_viva_has(folder: Path) -> None:
    _, told = checked("oracle+lexical,k=2")
    in_words, by_option = told["questions"]
    assert "1911" in in_words["text"]
    assert by_option["text"] == "green"
    assert in_words["from_passage"] is by_option["from_passage"] is True


def test_a_panel_is_tried_whole_and_one_of_it_alone(folder: Path) -> None:
    (folder / "panel.yaml").write_text(
        "examinees:\n- {name: ours, python: 'rag.py:build', grid: {k: [1, 2]}}\n"
        "- {name: bad, python: 'rag.py:fails'}\n"
    )
    whole = said("panel.yaml", code=2)
    assert "2 of 3 can take an exam." in whole
    assert "no index" not in said("panel.yaml#ours")
    assert "“B) with 2”" in said("panel.yaml#ours,k=2")


def test_a_panel_is_listed_and_nobody_is_asked(folder: Path) -> None:
    (folder / "panel.yaml").write_text(
        "examinees:\n- {name: ours, python: 'rag.py:build', grid: {k: [1, 2]}, timeout: 3, requests_per_minute: 9}\n"
    )
    done = invoke("list", "panel.yaml")
    assert done.exit_code == 0
    assert "ours,k=2 (python)" in done.stdout
    assert "system: ours, k: 2" in done.stdout
    assert "3 s per question, 1 at the same time, 9 requests per minute, 2 retries" in done.stdout
    told = json.loads(invoke("list", "panel.yaml", "--json").stdout)
    assert [each["components"]["k"] for each in told["examinees"]] == ["1", "2"]


def test_the_shipped_panel_can_sit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[3])
    done = invoke("check", "examples/panel.yaml")
    assert done.exit_code == 0, done.stdout
    assert "can take an exam." in done.stdout
