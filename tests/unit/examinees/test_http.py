"""An HTTP endpoint in the chair, against a real server: what is sent, what is read, what becomes of bad replies."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

import pytest
from rag_server import MANY_LANGUAGES, RagServer, rag_server
from specs_by_hand import OPTIONS, STEM, asked, examinee, timed_out

from viva.core.errors import UsageError
from viva.core.records import AnswerUsage
from viva.examinees.adapters.base import SystemBusy
from viva.examinees.adapters.http import HttpCandidate
from viva.examinees.answering import Answer, BadAnswerError, NoAnswerError, ReadsPassages
from viva.examinees.specs.records import HttpSpec, Json, Manners

SECRET = 'tok"en-4711-very-secret'
QUESTION: Json = {"q": "{question}"}


@pytest.fixture(scope="module")
def server() -> Iterator[RagServer]:
    with rag_server() as running:
        yield running


def spec(server: RagServer, path: str, **more: object) -> HttpSpec:
    said: dict[str, object] = {"body": QUESTION, **more}
    return HttpSpec(examinee=examinee(k="5", model="m {stem}"), url=server.url + path, **said)  # type: ignore[arg-type]


def said(server: RagServer, path: str, **more: object) -> Answer:
    return asked(HttpCandidate(spec(server, path, **more)))


def test_answer_passages_ids_and_tokens_are_found_by_their_paths(server: RagServer) -> None:
    answer = said(
        server,
        "/json",
        answer="$.data.said",
        passages="$.data.found[*].text",
        passage_ids="$.data.found[*].id",
        input_tokens="$.usage.in",
        output_tokens="$.usage.out",
        cost="$.usage.out",
    )
    assert (answer.text, answer.choice) == ("B", 1)
    assert [(p.text, p.source_id) for p in answer.passages] == [
        ("The tank holds 30 litres.", "t-1"),
        ("It is red.", "t-2"),
    ]
    assert answer.usage is not None
    assert (answer.usage.input_tokens, answer.usage.output_tokens, answer.usage.cost) == (12, 3, 3)
    assert answer.latency_s is not None


def test_a_reply_s_own_usage_is_read_where_no_path_names_it(server: RagServer) -> None:
    server.reply = '{"said": "B", "usage": {"prompt_tokens": 40, "completion_tokens": 2, "cost": 0.01}}'
    answer = said(server, "/raw", answer="$.said")
    assert answer.usage == AnswerUsage(input_tokens=40, output_tokens=2, cost=0.01)
    server.reply = '{"said": "B", "usage": "much"}'
    assert said(server, "/raw", answer="$.said").usage is None


def test_a_list_of_objects_is_read_as_passages_with_their_own_ids(server: RagServer) -> None:
    answer = said(server, "/json", answer="$.data.said", passages="$.data.found")
    assert [(p.text, p.source_id) for p in answer.passages][1] == ("It is red.", "t-2")


def test_ids_that_do_not_match_the_passages_are_left_out_and_that_is_told(server: RagServer) -> None:
    answer = said(server, "/json", answer="$.data.said", passages="$.data.found", passage_ids="$.data.found[0].id")
    assert answer.meta["passage_ids"] == "1 ids for 2 passages: not used"


def test_without_a_path_the_text_is_the_answer_in_any_language(server: RagServer) -> None:
    assert said(server, "/languages").text == MANY_LANGUAGES
    assert said(server, "/latin").text == "été"
    assert said(server, "/text", method="GET", body=None, query={"q": "{stem}"}).choice == 1


def test_templates_are_filled_in_the_strings_of_the_json_and_nowhere_else(server: RagServer) -> None:
    body: Json = {
        "q": "{question}",
        "parts": ["{stem}", "Options:\n{options}", "{{stem}} {not a place!}"],
        "options": "{options}",
        "context": "{passages}",
        "top_k": "{k}",
        "model": "{model}",
        "flag": True,
    }
    nasty = 'What is "this": {options} \\ {"a": 1}?'
    system = HttpCandidate(spec(server, "/text", body=body))
    asked(system, stem=nasty)
    sent = server.seen[-1].body
    assert sent["q"].startswith(nasty)
    assert "B) 30 litres" in sent["q"]
    assert sent["parts"] == [
        nasty,
        f"Options:\nA) {OPTIONS[0]}\nB) {OPTIONS[1]}\nC) {OPTIONS[2]}",
        "{stem} {not a place!}",
    ]
    assert (sent["options"], sent["context"], sent["top_k"], sent["flag"]) == (list(OPTIONS), None, 5, True)
    # what is filled in is not filled again
    assert sent["model"] == "m {stem}"
    asked(system, options=None)
    assert (server.seen[-1].body["q"], server.seen[-1].body["options"]) == (STEM, None)


def test_passages_are_handed_over_where_the_template_has_a_place_for_them(server: RagServer) -> None:
    system = HttpCandidate(spec(server, "/text", body={"q": "{stem}", "context": "{passages}"}))
    assert isinstance(system, ReadsPassages)
    assert system.takes_passages
    asked(system, passages=["one", "two"])
    assert server.seen[-1].body["context"] == ["one", "two"]
    asked(system, passages=[])
    assert server.seen[-1].body["context"] == []
    other = HttpCandidate(spec(server, "/text"))
    assert not other.takes_passages
    with pytest.raises(UsageError, match="retrieves its own"):
        asked(other, passages=["one"])


def test_a_query_is_filled_and_escaped(server: RagServer) -> None:
    asked(
        HttpCandidate(spec(server, "/text", method="GET", body=None, query={"q": "{stem}", "k": "{k}"})),
        stem="a&b=c é",
    )
    assert server.seen[-1].query == {"q": ["a&b=c é"], "k": ["5"]}
    assert server.seen[-1].method == "GET"


@pytest.mark.parametrize(
    ("path", "more", "words"),
    [
        ("/html", {"answer": "$.said"}, "JSON was expected, HTML came: “<!DOCTYPE html>"),
        ("/html", {}, "A text was expected, HTML came"),
        ("/text", {"answer": "$.said"}, "JSON was expected, text/plain came: “B”"),
        ("/broken", {"answer": "$.said"}, "Its JSON breaks off, or is none"),
        ("/json", {"answer": "$.other"}, "nothing at $.other"),
        ("/json", {"answer": "$.other"}, "It has data, usage"),
        ("/json", {"answer": "$.data.found[*].text"}, "has 2 at"),
        ("/json", {"answer": "$.data.said", "passages": "$.usage.in"}, "A passage is a int"),
        ("/big", {}, "longer than 2 MB"),
        ("/status/404", {}, "HTTP 404: “the index is being built”"),
        ("/status/500", {}, "HTTP 500"),
        ("/away", {}, "to another server, http://localhost:"),
        ("/port", {}, "to another server, http://127.0.0.1:9, which is not followed"),
        ("/packed", {}, "calls itself compressed (gzip), and cannot be unpacked"),
        ("/unknown", {}, "calls itself compressed (br), and cannot be unpacked"),
        ("/stream", {}, "It streams its reply (server-sent events): “data: {"),
        ("/stream", {"answer": "$.answer"}, "It streams its reply"),
        ("/round", {}, "redirects more than 5 times"),
    ],
)
def test_what_is_no_answer_is_a_bad_answer_in_words(
    server: RagServer, path: str, more: dict[str, object], words: str
) -> None:
    with pytest.raises(BadAnswerError) as caught:
        said(server, path, **more)
    assert words in str(caught.value)
    assert not isinstance(caught.value, NoAnswerError)


@pytest.mark.parametrize("levels", [150, 950, 100_000])
@pytest.mark.parametrize("path", ["$.said", "$..said"])
def test_json_nested_without_end_is_a_bad_answer(server: RagServer, levels: int, path: str) -> None:
    with pytest.raises(BadAnswerError, match="Its JSON is nested deeper than 100 levels"):
        said(server, f"/nested/{levels}", answer=path)


def test_json_nested_as_deeply_as_is_read_is_read(server: RagServer) -> None:
    assert said(server, "/nested/90", answer="$.said").choice == 1


def test_a_count_at_its_path_that_is_none_is_not_known(server: RagServer) -> None:
    server.reply = {"said": "B", "in": "12", "out": 3}
    answer = said(server, "/reply", answer="$.said", input_tokens="$.in", output_tokens="$.out")
    assert answer.usage == AnswerUsage(input_tokens=None, output_tokens=3)


def test_a_number_in_the_reply_is_its_text(server: RagServer) -> None:
    assert said(server, "/json", answer="$.usage.in").text.isdecimal()


@pytest.mark.parametrize("more", [{}, {"answer": "$.said"}])
def test_an_empty_reply_is_no_answer(server: RagServer, more: dict[str, object]) -> None:
    with pytest.raises(NoAnswerError):
        said(server, "/empty", **more)


def test_null_is_no_answer(server: RagServer) -> None:
    server.reply = {"said": None}
    with pytest.raises(NoAnswerError, match="null"):
        said(server, "/reply", answer="$.said")


@pytest.mark.parametrize("status", [408, 429, 502, 503, 504])
def test_a_status_that_may_pass_is_transient_and_says_when_to_come_again(server: RagServer, status: int) -> None:
    with pytest.raises(SystemBusy, match=f"HTTP {status}") as caught:
        said(server, f"/status/{status}")
    assert caught.value.retry_after_s == 7


@pytest.mark.parametrize("path", ["/reset", "/midway"])
def test_a_connection_that_breaks_is_transient(server: RagServer, path: str) -> None:
    with pytest.raises(SystemBusy, match="the connection failed"):
        said(server, path)


def test_nobody_at_the_address_is_transient() -> None:
    system = HttpCandidate(HttpSpec(examinee=examinee(), url="http://127.0.0.1:9/ask", body=QUESTION))
    with pytest.raises(SystemBusy, match="the connection failed"):
        asked(system)


def test_a_server_silent_for_longer_than_its_manners_allow_is_transient(server: RagServer) -> None:
    with pytest.raises(SystemBusy, match="the connection failed"):
        said(server, "/hang", manners=Manners(timeout_s=0.2))


@pytest.mark.parametrize("path", ["/hang", "/drip"])
def test_one_that_hangs_or_drips_is_left_and_answers_the_next_question(server: RagServer, path: str) -> None:
    system = HttpCandidate(spec(server, path))
    started = time.perf_counter()
    assert timed_out(system)
    assert time.perf_counter() - started < 2
    system._spec = system._spec.model_copy(update={"url": server.url + "/text"})
    assert asked(system).choice == 1


def test_redirects_are_followed_on_the_same_server(server: RagServer) -> None:
    assert said(server, "/here").choice == 1


def test_several_questions_are_in_flight_at_once(server: RagServer) -> None:
    system = HttpCandidate(spec(server, "/slow", manners=Manners(concurrency=4)))

    async def four() -> float:
        started = time.perf_counter()
        await asyncio.gather(*(system.answer(STEM, OPTIONS) for _ in range(4)))
        return time.perf_counter() - started

    try:
        assert asyncio.run(four()) < 1.0
    finally:
        system.close()


def test_a_key_comes_from_the_environment_and_is_shown_nowhere(
    server: RagServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_RAG_KEY", SECRET)
    with_key = {"headers": {"Authorization": "Bearer ${MY_RAG_KEY}"}}
    system = HttpCandidate(spec(server, "/echo", answer="$.said", **with_key))
    answer = asked(system)
    assert server.seen[-1].headers["Authorization"] == f"Bearer {SECRET}"
    assert "you sent" in answer.text
    with pytest.raises(BadAnswerError, match="HTTP 403") as caught:
        said(server, "/refused", **with_key)
    for shown in (repr(system), repr(answer), str(caught.value), repr(caught.value), repr(system._spec)):
        assert "very-secret" not in shown


@pytest.mark.parametrize(
    "written",
    [
        *("ab 4711/c+d=", r"ab 4711\/c+d=", r"ab 4711\u002Fc\u002bd\u003d", r"\u0061b 4711/c+d="),
        *("ab%204711%2Fc%2Bd%3D", "ab+4711%2fc%2bd%3d", r"{\"key\": \"ab 4711\\\/c+d=\"}"),
    ],
)
def test_a_key_that_comes_back_is_hidden_however_json_and_addresses_write_it(
    server: RagServer, monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    monkeypatch.setenv("MY_RAG_KEY", "ab 4711/c+d=")
    more = {"headers": {"Authorization": "Bearer ${MY_RAG_KEY}"}, "answer": "$.said", "passages": "$.found"}
    server.reply = f'{{"said": "you sent {written}", "found": [{{"text": "x", "id": "{written}"}}]}}'
    assert "4711" not in repr(said(server, "/raw", **more))
    server.reply = f'{{"sent {written}": "B"}}'
    with pytest.raises(BadAnswerError, match="It has sent") as caught:
        said(server, "/raw", **more)
    assert "4711" not in str(caught.value)


@pytest.mark.parametrize("written", [r"ab 4711\/c+d=", r"ab 4711\u002Fc\u002bd\u003d", "ab+4711%2fc%2bd%3d"])
def test_a_key_in_an_error_is_hidden_however_json_and_addresses_write_it(
    server: RagServer, monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    monkeypatch.setenv("MY_RAG_KEY", "ab 4711/c+d=")
    server.reply = f'{{"error": "not allowed with {written}"}}'
    with pytest.raises(BadAnswerError, match="not allowed with") as caught:
        said(server, "/raw/403", headers={"Authorization": "Bearer ${MY_RAG_KEY}"})
    assert "4711" not in str(caught.value)


def test_a_missing_key_is_said_by_its_name(server: RagServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_RAG_KEY", raising=False)
    with pytest.raises(UsageError, match="MY_RAG_KEY, which is not set"):
        HttpCandidate(spec(server, "/text", headers={"X-Key": "${MY_RAG_KEY}"}))


def test_a_key_that_no_header_can_carry_is_said_without_its_value(
    server: RagServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_RAG_KEY", "one\ntwo-secret")
    with pytest.raises(UsageError, match="MY_RAG_KEY") as caught:
        HttpCandidate(spec(server, "/text", headers={"X-Key": "${MY_RAG_KEY}"}))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"body": {"q": "hello"}}, "nowhere where the question goes"),
        ({"body": None}, "nowhere where the question goes"),
        ({"body": {"q": "{question} {nonsense}"}}, "{nonsense}, which stands for nothing"),
        ({"answer": "$["}, "JSONPath of answer"),
        ({"passages": "$.found"}, "and not the answer"),
        ({"headers": {"X Key": "1"}}, "without a proper name"),
        ({"headers": {"Authorization": "Bearer abcdefgh12345678"}}, "a key written out"),
        ({"query": {"api_key": "abcdefgh12345678"}}, "a key written out"),
        ({"url": "ftp://example.org/x"}, "cannot be read"),
        ({"url": "http://me:pass@127.0.0.1/x"}, "holds a key or a password"),
        ({"url": "nonsense"}, "cannot be read"),
    ],
)
def test_a_spec_that_cannot_work_is_refused_before_anybody_sits(
    server: RagServer, more: dict[str, object], words: str
) -> None:
    with pytest.raises(UsageError) as caught:
        HttpCandidate(spec(server, "/text").model_copy(update=more))
    assert words in str(caught.value)
