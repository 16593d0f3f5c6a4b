"""What can be done about a failure hangs on its cause, in whatever words it is told."""

from __future__ import annotations

import pytest

from viva.core.records import Examinee, Failure, FailureCause, FailureKind
from viva.examinees.specs.records import ChatSpec, HttpSpec, Spec
from viva.graphs.sitting.fix_hints import mend

WHO = Examinee(id="e", name="mine", spec="http", components={})
HTTP = HttpSpec(examinee=WHO, url="http://127.0.0.1:9/ask", answer="$.reply")
CHAT = ChatSpec(examinee=WHO, base_url="http://127.0.0.1:9/v1", model="m")
CAUSES = [cause for cause in FailureCause if cause is not FailureCause.STATUS]


def hint(spec: Spec, cause: FailureCause | None, about: str = "", detail: str = "whatever was said") -> str:
    return mend(spec, Failure(kind=FailureKind.BAD_ANSWER, detail=detail, cause=cause, about=about))


@pytest.mark.parametrize("cause", CAUSES)
def test_every_cause_has_its_own_next_step_whatever_the_words(cause: FailureCause) -> None:
    told = hint(HTTP, cause, about="http://other.example")
    assert told.endswith(".")
    assert told == hint(HTTP, cause, about="http://other.example", detail="HTML came, HTTP 404, no chat completion")
    assert [other for other in CAUSES if hint(HTTP, other, about="http://other.example") == told] == [cause]


@pytest.mark.parametrize(
    ("status", "words"),
    [("404", "There is nothing at that address"), ("429", "requests_per_minute"), ("401", "wants a key"),
     ("503", "failed by itself"), ("418", "")],
)  # fmt: skip
def test_a_status_says_what_to_look_at(status: str, words: str) -> None:
    told = hint(HTTP, FailureCause.STATUS, status)
    assert words in told
    assert bool(told) is bool(words)


def test_a_cause_of_which_nothing_is_known_gets_no_advice() -> None:
    assert hint(HTTP, None) == ""
    assert hint(HTTP.model_copy(update={"answer": ""}), FailureCause.NO_FIELD) == ""


def test_json_of_another_kind_is_another_thing_to_a_chat_system() -> None:
    assert "/v1" in hint(CHAT, FailureCause.NO_JSON)
    assert "leave `answer` out" in hint(HTTP, FailureCause.NO_JSON)
