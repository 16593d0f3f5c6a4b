"""No credential survives, wherever it stands and however it is written; ordinary messages stay readable."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from viva.core.errors import UsageError
from viva.llm.secrets import BLANK, Secrets, without_credentials

around = st.text(max_size=30)
# the blank itself is the one text that cannot be blanked
values = st.text(st.characters(codec="utf-8", exclude_characters="*"), min_size=8, max_size=40).filter(
    lambda v: len(v.strip()) >= 8
)
letters = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", min_size=24, max_size=48)
WRITTEN: tuple[Callable[[str], str], ...] = (
    str,
    lambda v: quote(v, safe=""),
    lambda v: quote(v, safe="").lower(),
    quote_plus,
    lambda v: json.dumps(v)[1:-1],
    lambda v: json.dumps(v, ensure_ascii=False)[1:-1],
)


# --- texts -----------------------------------------------------------------------------------------------


@given(around, values, around, st.sampled_from(WRITTEN))
def test_a_value_of_the_environment_whose_name_looks_secret_never_survives(
    before: str, value: str, after: str, write: Callable[[str], str]
) -> None:
    written = write(value.strip())
    secrets = Secrets(environ={"SOME_API_KEY": value})
    assert written not in secrets.redacted(f"{before}{written}{after}")


@given(around, st.text(st.characters(exclude_characters="*"), min_size=1), around)
def test_a_secret_that_is_given_never_survives(before: str, known: str, after: str) -> None:
    assert known not in Secrets(known, environ={}).redacted(f"{before}{known}{after}")


@given(
    around,
    st.sampled_from(("sk-", "sk-proj-", "sk-ant-api03-", "AIzaSy", "gsk_", "hf_", "lsv2_pt_", "ghp_", "xai-", "eyJ")),
    letters,
    around,
)
def test_a_key_that_shows_by_its_form_never_survives(before: str, start: str, rest: str, after: str) -> None:
    key = f"{start}{rest}7"
    assert key not in Secrets(environ={}).redacted(f"{before}{key}{after}")


@given(around, st.from_regex(r"(AKIA|ASIA)[A-Z0-9]{16}", fullmatch=True), around)
def test_an_access_key_of_aws_never_survives(before: str, key: str, after: str) -> None:
    assert key not in Secrets(environ={}).redacted(f"{before}{key}{after}")


@given(
    around,
    st.sampled_from(
        (
            "Authorization: Bearer {}",
            "bearer {}",
            "authorization: Basic {}",
            "{{'x-api-key': '{}'}}",
            '{{"api_key": "{}"}}',
            "password={}",
            "https://host/v1?api-version=2&key={}",
            "https://host/v1?X-Amz-Signature={}&n=1",
            "https://{}@host/v1",
            "https://user:{}@host/v1",
        )
    ),
    letters,
    around,
)
def test_what_a_header_or_an_address_carries_never_survives(before: str, place: str, secret: str, after: str) -> None:
    assume(secret not in before + after)
    assert secret not in Secrets(environ={}).redacted(before + place.format(secret) + after)


@given(st.text(st.characters(exclude_characters='*"<>', exclude_categories=["Z", "C"]), min_size=8, max_size=30))
def test_no_password_of_an_address_survives_whatever_it_is_made_of(password: str) -> None:
    said = Secrets(environ={}).redacted(f"cannot reach https://user:{password}@proxy:8080/v1 now")
    assert password not in said
    assert said.startswith("cannot reach https://***@")


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("OPENAI_API_KEY", "local-key-1", "local-key-1"),
        ("AWS_SECRET_ACCESS_KEY", "abc/def+ghi", "abc/def+ghi"),
        ("PGPASSWORD", "plainwords", "plainwords"),
        ("MYTOKEN", "plainwords", "plainwords"),
        ("MYSQL_PWD", "plainwords", "plainwords"),
        ("OPENAI_API_KEYS", "first-of-two,second-of-two", "second-of-two"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-team=abcdefgh12,authorization=Bearer%20zyxwvuts", "zyxwvuts"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-team=abcdefgh12,authorization=Bearer%20zyxwvuts", "abcdefgh12"),
        ("VIVA_DATABASE_URL", "postgresql://viva:abc%2Fdefgh@db/viva", "abc/defgh"),
        ("HTTPS_PROXY", "http://abcdefghij@proxy:3128", "abcdefghij"),
        ("NOT_UNICODE_KEY", "abcdefg\udc80", "abcdefg\udc80"),
    ],
)
def test_secrets_of_the_environment_are_known_by_name_or_place(name: str, value: str, secret: str) -> None:
    assert Secrets(environ={name: value}).redacted(f"said {secret} back") == f"said {BLANK} back"


@pytest.mark.parametrize("name", ["VIVA_MAX_TOKENS", "TOKENIZERS_PARALLELISM", "PWD", "KEYBOARD_LAYOUT", "HOME"])
def test_other_values_of_the_environment_stay(name: str) -> None:
    assert Secrets(environ={name: "something-usual"}).redacted("it is something-usual") == "it is something-usual"


def test_the_environment_of_the_process_is_what_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key-without-any-form")
    assert Secrets().redacted("key a-key-without-any-form is wrong") == "key *** is wrong"


@pytest.mark.parametrize(
    "said",
    [
        "This model's maximum context length is 8192 tokens, you asked for 9000 (max_tokens: 4096).",
        "429: Rate limit reached for gpt-4o-mini on tokens per min (TPM): Limit 200000, Used 199000.",
        "Error code: 401 - {'error': {'message': 'no', 'type': 'x', 'code': 'invalid_api_key'}}",
        "Cannot connect to host 127.0.0.1:8000 ssl:default [Connection refused]",
        "risk-assessment and task-specific-instructions were refused, see https://a.example/b@2",
        "insufficient_quota: You exceeded your current quota.",
    ],
)
def test_messages_without_a_secret_are_left_as_they_are(said: str) -> None:
    assert Secrets(environ={}).redacted(said) == said


@pytest.mark.parametrize(
    "piece", ["://", "://a:", "?key", "&sig=,", "eyJ", "sk-", "AKIA", "-----BEGIN ", "bearer ", "token = '", "x"]
)
def test_a_long_hostile_text_takes_no_long_time(piece: str) -> None:
    text = piece * (50_000 // len(piece))
    started = time.process_time()
    Secrets("a-known-secret", environ={}).redacted(text)
    assert time.process_time() - started < 2


# --- addresses -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "bare"),
    [
        ("http://localhost:8000/v1", "http://localhost:8000/v1"),
        ("https://user:pw@models.example/v1/", "https://models.example/v1/"),
        ("https://a%40b:p%2Fw@[::1]:8443/v1", "https://[::1]:8443/v1"),
        (
            "https://models.example/v1?api-version=2&api_key=pw&tier=a#pw",
            "https://models.example/v1?api-version=2&tier=a",
        ),
        ("HTTPS://models.example?key=pw", "https://models.example"),
        ("https://models.example/v1?api%5Fkey=pw&sig=pw&access_token=pw", "https://models.example/v1"),
        ("https://models.example/t/sk-abcdefgh12345678/v1", "https://models.example/t/***/v1"),
    ],
)
def test_an_address_loses_its_credentials_and_nothing_else(url: str, bare: str) -> None:
    assert without_credentials(url) == bare


@pytest.mark.parametrize(
    "url",
    [
        "",
        "hunter2",
        "localhost:8000/hunter2",
        "ftp://user:hunter2@host/",
        "https://",
        "https://user:hunter2@",
        "https://user:hunter2@host:port/",
        "https://user:hun/ter2@host/",
        "https://1:2/hunter2@host/",
        "https://user:1#hunter2@host",
        "https://[user:hunter2@host/",
        "https://user:hunter2@ho st/",
        "https://user:hunter2@host\\evil/",
        "https://user:hunter2@host/\x1b[2J",
        "https://user:hunter2@host:0/",
    ],
)
def test_an_address_that_cannot_be_read_is_told_without_repeating_it(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        without_credentials(url, named="--base-url")
    assert caught.value.problem.startswith("--base-url ")
    assert "hunter" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


@given(
    st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="*"), min_size=4),
    st.sampled_from(
        ("https://{}@host/v1", "https://user:{}@host/v1", "https://host/v1?key={}", "https://host/v1#{}")
    ),
)
def test_no_secret_of_an_address_survives(secret: str, place: str) -> None:
    secret = f"Zq{secret}"
    try:
        said = without_credentials(place.format(secret))
    except UsageError as error:
        said = str(error)
    assert secret not in said
