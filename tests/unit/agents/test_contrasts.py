"""A statement is turned only where the result is certainly false, and stays an English sentence."""

from __future__ import annotations

import pytest

from viva.agents.offline.contrast_values import other_values
from viva.agents.offline.contrasts import contradicts, is_denial, turned


@pytest.mark.parametrize(
    ("text", "opposite"),
    [
        ("PSC is more common in men than in women.", "PSC is less common in men than in women."),
        ("Crohn's disease is a chronic disease of the gut.", "Crohn's disease is an acute disease of the gut."),
        ("Kennedy's disease is an inherited disease.", "Kennedy's disease is an acquired disease."),
        ("Agonists are chemicals that mimic others.", "Antagonists are chemicals that mimic others."),
        ("Ursodiol is a medication that increases bile flow.", "Ursodiol is a medication that decreases bile flow."),
        (
            "Corticobasal degeneration usually progresses slowly.",
            "Corticobasal degeneration usually progresses rapidly.",
        ),
    ],
)
def test_one_side_is_exchanged_for_the_other_and_the_article_fits(text: str, opposite: str) -> None:
    assert [found.text for found in turned(text)][:1] == [opposite]


@pytest.mark.parametrize(
    "text",
    [
        "Exercise can increase blood pressure.",
        "Some tumors are benign.",
        "The disease often progresses rapidly.",
        "Both high levels of iron and low levels of iron do harm.",
        "Large and small intestine are affected, as is the small intestine.",
        "Smoking increases the risk of a stroke.",
        "More than 10 percent of people have it.",
        "The condition is not only inherited.",
        "When blood is not balanced, growth slows.",
        "Lipoid proteinosis has a stable or slowly progressive course.",
        "SIBO is an increase in the number of bacteria or a change in the type of bacteria.",
        "Infection is more likely in damaged kidneys than in others because proteins are lost.",
        "Low levels of serotonin predict attempts, and low levels have been observed in victims.",
        "Anterograde amnesia is commonly caused by brain trauma.",
        "Essential tremor is not associated with any known pathology.",
        "Liver problems grow as people with autosomal recessive PKD grow older.",
    ],
)
def test_what_may_hold_both_ways_is_not_turned(text: str) -> None:
    assert turned(text) == []


def test_a_sentence_that_names_both_sides_is_not_turned_by_them() -> None:
    found = turned("Sensory signals reach the central nervous system from the peripheral nervous system.")
    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        "It affects type 2 diabetes.",
        "More than 5 percent of children have it.",
        "It lasts between 5 and 7 days.",
        "Most cases are seen in men older than age 50.",
        "The course of it usually takes 10 years or longer.",
        "Glia and neurons are the two cell types of the nervous system.",
        "The half-life is 4 hours and the dose 5 grams.",
    ],
)
def test_a_number_that_bounds_or_names_or_can_be_counted_stays(text: str) -> None:
    assert list(other_values(text)) == []


@pytest.mark.parametrize("share", range(5, 100, 5))
def test_another_share_is_far_off_and_not_what_is_left(share: int) -> None:
    for text, _ in other_values(f"About {share} percent of the cases are inherited."):
        other = int(text.split()[1])
        assert abs(other - share) >= 30
        assert abs(100 - share - other) >= 10


def test_a_statement_contradicts_what_it_was_made_of_and_nothing_else() -> None:
    text = "PSC is more common in men than in women."
    assert contradicts(text, turned(text)[0].text)
    assert not contradicts(text, text)
    assert is_denial("It is not a cure.")
    assert not is_denial(text)


@pytest.mark.parametrize(
    "text",
    [
        "Strong muscles hold in urine more effectively than weak muscles.",
        "Viruses cause most cases of viral gastroenteritis.",
        "A laxative is a medicine that loosens stool and increases bowel movements.",
    ],
    ids=["nobody believes the other", "a form of the word stays", "what is joined to it stays"],
)
def test_what_the_rest_of_the_sentence_gives_away_is_not_turned(text: str) -> None:
    assert turned(text) == []
