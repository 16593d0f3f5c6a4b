"""Pairs that the user names, as ids."""

from __future__ import annotations

import pytest

from viva.core.errors import UsageError
from viva.core.records import Examinee
from viva.graphs.results import named_pairs

SAT = [Examinee(id=f"e{n}", name=name, spec="s") for n, name in enumerate(("mine", "hybrid+lexical,k=3"))]


def test_a_pair_is_named_by_the_names_on_the_leaderboard() -> None:
    assert named_pairs(["hybrid+lexical,k=3 vs mine"], SAT) == [("e1", "e0")]
    assert named_pairs([], SAT) == []


@pytest.mark.parametrize("pair", ["mine", "mine vs yours", "mine vs mine", "vs"])
def test_what_names_no_two_systems_that_sat_is_told_with_those_that_did(pair: str) -> None:
    with pytest.raises(UsageError, match="does not name two systems"):
        named_pairs([pair], SAT)
