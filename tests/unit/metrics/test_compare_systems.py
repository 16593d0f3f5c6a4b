"""What the answers of a system took, and why two systems differ."""

from __future__ import annotations

from by_hand import exam

from viva.core.records import AnswerUsage, Response
from viva.metrics.compare_systems import system_usage
from viva.reports.sections.spending import latency_in_words, usage_sentence

EXAM = exam(5)


def answers(seconds: list[float], used: list[AnswerUsage | None]) -> list[Response]:
    rows = zip(EXAM.items, seconds, used, strict=True)
    given = [
        Response(
            id=Response.id_of("e", shown), examinee_id="e", item_id=shown.item.id, text="B", latency_s=s, usage=used
        )
        for shown, s, used in rows
    ]
    return given[::-1]


def test_the_first_answer_is_apart_and_means_are_over_the_answers_that_count() -> None:
    used = [AnswerUsage(input_tokens=n, output_tokens=10, cost=0.01) for n in (100, 200)]
    found = system_usage(EXAM, answers([9.0, 0.1, 0.2, 0.3, 0.4], [None, *used, None, AnswerUsage(output_tokens=40)]))
    assert found is not None
    assert (found.answers, found.counted, found.input_tokens, found.output_tokens, found.cost) == (
        5,
        3,
        150,
        20,
        0.01,
    )
    assert (found.first_s, found.p50_s, found.tokens) == (9.0, 0.25, 170)
    assert found.p95_s is not None
    assert 0.3 < found.p95_s < 0.4
    assert usage_sentence(found) == (
        "An answer takes 170 tokens (150 read, 20 written), $0.0100, p50 250 ms, p95 385 ms, first answer 9.0 s "
        "(3 of 5 answers say what they used)."
    )


def test_a_latency_that_nobody_recorded_is_not_known() -> None:
    found = system_usage(EXAM, answers([0.0] * 5, [None] * 5))
    assert found is not None
    assert (found.first_s, latency_in_words(found), usage_sentence(found)) == (None, "-", "")
    assert system_usage(EXAM, []) is None
