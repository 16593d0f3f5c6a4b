"""What models cost is told in full: by role and model, in sum, and per accepted item; what is not known stays so."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bs4 import BeautifulSoup
from report_data import build, uses

from viva.core.accounts import ModelUse
from viva.core.wording import dollars
from viva.reports.data import ReportData
from viva.reports.html import render_report
from viva.reports.sections.spending import in_one_line, money, per_accepted_item, tokens, total

JUDGE, WRITER, OWN = uses()


@pytest.fixture(scope="module")
def data() -> ReportData:
    return build(items=10, asked=True)


@pytest.fixture(scope="module")
def cost(data: ReportData) -> BeautifulSoup:
    found = BeautifulSoup(render_report(data), "html.parser").select_one("#cost")
    assert found
    return found


def nothing(**changes: object) -> ModelUse:
    counts = {name: 0 for name, value in JUDGE.model_dump().items() if isinstance(value, int | float)}
    return JUDGE.model_copy(update={**counts, "failures": {}, "unreadable": {}, "cost": None, **changes})


def test_the_sum_is_that_of_the_parts() -> None:
    whole = total([JUDGE, WRITER, OWN])
    assert (whole.calls, whole.requests, whole.hits) == (1800, 1810, 31)
    assert whole.tokens == 648_000 + 230_000 + 90_000
    assert whole.cost == pytest.approx(0.9188)
    assert (whole.unpriced, whole.failures, whole.unreadable) == (300, JUDGE.failures, JUDGE.unreadable)
    assert total([JUDGE, JUDGE]).failures == {"rate limited": 14, "truncated": 6}


def test_averages_are_over_the_accepted_items() -> None:
    per_item = per_accepted_item([JUDGE, WRITER], 50)
    assert per_item
    assert (per_item.calls, per_item.tokens) == (30.0, 878_000 / 50)
    assert per_item.cost == pytest.approx(0.9188 / 50)


def test_what_the_examination_takes_is_in_the_sum_and_in_no_average_of_items() -> None:
    reader = WRITER.model_copy(update={"role": "reader"})
    assert total([WRITER, reader]).calls == 600
    assert per_accepted_item([WRITER, reader], 100) == per_accepted_item([WRITER], 100)
    assert per_accepted_item([reader], 100) is None


def test_an_average_that_cannot_be_had_is_none_and_no_number() -> None:
    assert per_accepted_item([JUDGE], 0) is None
    assert per_accepted_item([], 50) is None
    assert per_accepted_item([nothing(hits=4)], 50) is None
    unknown = per_accepted_item([JUDGE, OWN], 50)
    assert unknown
    assert unknown.cost is None


def test_money_says_what_is_not_known() -> None:
    assert money(WRITER) == "$0.8000"
    assert money(OWN) == "not known"
    assert money(total([WRITER, OWN])) == "at least $0.8000"
    assert money(nothing(requests=3, failures={"timed out": 3})) == "$0.00"
    assert money(nothing(calls=3, requests=3, cost=0.0)) == "$0.00"


def test_tokens_that_no_provider_counted_are_not_known_and_not_0() -> None:
    assert (OWN.input_tokens, total([OWN, OWN]).input_tokens, total([OWN, nothing()]).input_tokens) == (None,) * 3
    assert total([OWN, WRITER]).input_tokens == 200_000
    assert [tokens(use.input_tokens, use) for use in (OWN, WRITER, total([OWN, WRITER]))] == [
        "not known",
        "200,000",
        "at least 200,000",
    ]
    assert in_one_line([OWN], 0) == "300 model calls, 90,000 tokens (90,000 of them estimated), cost not known"


def test_one_line_holds_the_whole_and_the_average() -> None:
    assert in_one_line([WRITER], 100) == (
        "300 model calls, 230,000 tokens, cost $0.8000; "
        "writing, per accepted item: 3.0 calls, 2,300 tokens, cost $0.0080"
    )
    assert in_one_line([WRITER], 0) == "300 model calls, 230,000 tokens, cost $0.8000"
    assert in_one_line([OWN], 100).endswith("900 tokens, cost not known")


def test_dollars_keep_the_digits_that_matter() -> None:
    amounts = (0, 1234.5, 0.0123, 0.00004567)
    assert [dollars(amount) for amount in amounts] == ["$0.00", "$1,234.50", "$0.0123", "$0.000046"]


def test_the_report_shows_every_role_and_model_with_its_figures(cost: BeautifulSoup) -> None:
    found = cost.select("table.spending tbody tr")
    rows = [[cell.get_text(" ", strip=True) for cell in row.find_all(["th", "td"])] for row in found]
    judge, writer, own, whole = rows
    assert [row.td.get_text() for row in found] == ["openai:small", "openai:large", "vllm:own", ""]
    assert (judge[0], judge[2:4]) == ("judge.question", ["1,200", "31"])
    assert judge[4:6] == ["10 7 rate limited, 3 truncated", "5 4 no score, 1 odd"]
    assert judge[6:] == ["648,000 600,000 in, 48,000 out", "$0.1188", "900 ms"]
    assert (writer[0], writer[2:]) == (
        "writer",
        ["300", "0", "0", "0", "230,000 200,000 in, 30,000 out", "$0.8000", "2.0 s"],
    )
    assert own[6:8] == ["90,000 not known in, not known out 90,000 estimated", "not known"]
    assert whole[0] == "sum"
    assert whole[2:4] == ["1,800", "31"]
    assert whole[7] == "at least $0.9188"


def test_the_report_tells_averages_per_accepted_item(data: ReportData, cost: BeautifulSoup) -> None:
    told = {dt.get_text(): dt.find_next("dd").get_text() for dt in cost.select("dt")}
    accepted = data.funnel.accepted
    assert told["calls per accepted item"] == f"{1800 / accepted:,.1f}"
    assert told["tokens per accepted item"] == f"{968_000 / accepted:,.0f}"
    assert told["cost per accepted item"] == "not known"
    assert "offline cast" not in cost.get_text()


def test_a_known_price_is_told_per_accepted_item(data: ReportData) -> None:
    priced = replace(data, model_use=(WRITER,))
    soup = BeautifulSoup(render_report(priced), "html.parser")
    assert f"cost per accepted item{dollars(0.8 / data.funnel.accepted)}" in soup.select_one("#cost dl").get_text(
        strip=True
    )


def test_a_replay_that_asked_nothing_is_told_so(data: ReportData) -> None:
    served = replace(data, model_use=(nothing(hits=12),))
    told = BeautifulSoup(render_report(served), "html.parser").select_one("#cost").get_text(" ", strip=True)
    assert "0 calls to language models, 0 tokens, cost $0.00" in told
    assert "nothing was asked" in told
