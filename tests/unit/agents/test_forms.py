"""Near values are values of the key's own form, and never the key's."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viva.agents.offline.distractors.near_values import near_values

UNITS = st.sampled_from(["litres", "metres per second", "per cent", "nautical miles"])


@settings(deadline=None, max_examples=200)
@given(st.integers(min_value=1, max_value=999_999), UNITS)
def test_whole_numbers_stay_whole_with_their_unit_and_differ(value: int, unit: str) -> None:
    key = f"{value} {unit}"
    found = list(near_values(key, "quantity:x"))
    assert found
    assert len(set(found)) == len(found)
    assert key not in found
    for other in found:
        number, _, kept = other.partition(" ")
        assert kept == unit
        assert re.fullmatch(r"\d{1,3}(,\d{3})+|\d+", number)
        assert int(number.replace(",", "")) not in {0, value}


@settings(deadline=None, max_examples=100)
@given(st.integers(min_value=1, max_value=99_999), st.integers(min_value=1, max_value=3))
def test_decimals_are_kept(units: int, decimals: int) -> None:
    key = f"{units / 10**decimals:.{decimals}f} litres"
    found = list(near_values(key, "quantity:litre"))
    assert key not in found
    assert all(re.fullmatch(rf"[\d,]+\.\d{{{decimals}}} litres", other) for other in found)


@settings(deadline=None, max_examples=60)
@given(st.integers(min_value=1_000, max_value=900_000))
def test_a_number_written_with_commas_is_answered_with_commas(value: int) -> None:
    found = list(near_values(f"{value:,} litres", "quantity:litre"))
    assert found
    assert all("," in other or int(other.split()[0]) < 1000 for other in found)


@pytest.mark.parametrize(
    ("key", "form", "some"),
    [
        ("2.50 litres", "quantity:litre", "3.75 litres"),
        ("1,500 litres", "quantity:litre", "3,000 litres"),
        ("£40", "money:£", "£60"),
        ("two pumps", "quantity:pump", "three pumps"),
        ("Two pumps", "quantity:pump", "Three pumps"),
        ("1987", "date:year", "1988"),
        ("March 1992", "date:month", "March 1993"),
        ("14 March 1992", "date:day", "14 March 1993"),
        ("06:45", "time:clock", "07:45"),
        ("Form SF-212", "id:Form SF-", "Form SF-215"),
        ("PEP 007", "id:PEP", "PEP 010"),
    ],
)
def test_each_form_has_near_values_written_alike(key: str, form: str, some: str) -> None:
    found = list(near_values(key, form))
    assert some in found
    assert key not in found
    assert len(set(found)) == len(found)
    assert {re.sub(r"[\d]+|[a-z]+|[A-Z]", "x", other) for other in found} >= {
        re.sub(r"[\d]+|[a-z]+|[A-Z]", "x", some)
    }


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 28), st.sampled_from(["January", "March", "December"]), st.integers(1900, 2030))
def test_a_near_date_is_another_date_of_the_calendar(day: int, month: str, year: int) -> None:
    key = f"{day} {month} {year}"
    found = list(near_values(key, "date:day"))
    assert key not in found
    for other in found:
        other_day, _, other_year = other.split()
        assert 1 <= int(other_day) <= 31
        assert 1890 <= int(other_year) <= 2040


@pytest.mark.parametrize(("key", "form"), [("a post", "object:of"), ("os.fsync()", "object:with"), ("no", "id:x")])
def test_forms_without_a_number_have_no_near_values(key: str, form: str) -> None:
    assert list(near_values(key, form)) == []


@pytest.mark.parametrize("key", ["90%", "85 percent", "60 per cent"])
def test_a_share_stays_a_share(key: str) -> None:
    found = list(near_values(key, "quantity:%"))
    assert found
    assert all(float(re.findall(r"[\d.]+", other)[0]) <= 100 for other in found)
