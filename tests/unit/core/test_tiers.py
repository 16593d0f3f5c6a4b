"""A question names its tier where it was written without a model, and only there."""

from __future__ import annotations

import pytest

from viva.core.records import CLOSING_PHRASE, OFFLINE_CAST, Provenance, Tier


@pytest.mark.parametrize(
    ("cast", "pattern", "tier"),
    [
        (OFFLINE_CAST, "value", Tier.SURE),
        (OFFLINE_CAST, CLOSING_PHRASE, Tier.PLAIN),
        ("language-model", "", None),
        ("imported: lm-eval", "", None),
    ],
)
def test_the_tier_is_told_of_questions_without_a_model(cast: str, pattern: str, tier: Tier | None) -> None:
    assert Provenance(cast=cast, pattern=pattern).tier is tier
