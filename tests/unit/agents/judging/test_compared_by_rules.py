"""What the offline judges read in an answer beside its source: numbers, names, denials, and what is no claim."""

from __future__ import annotations

import pytest

from viva.agents.judges.offline.comparison import compare
from viva.agents.judges.offline.reading import folded, parts

CARRIES = "The Morven Tern carries 148 passengers and 22 cars."
BUILT = "Hallowmere Shipyard built the Morven Tern in 2004 for £4.6 million."
HATCHES = "Deck hatches are closed before departure because spray floods the forward store."
REST = "Crews rest for at least 11 hours between duties."


@pytest.mark.parametrize(
    ("said", "source"),
    [
        ("It carries one hundred and forty-eight passengers and twenty-two cars.", CARRIES),
        ("The Morven Tern was built in 2004 for £4,600,000.", BUILT),
        ("Crews rest for no less than 660 minutes.", REST),
        ("Passengers pay 50 percent of all fares.", "Passengers pay 50% of all fares by card."),
        ("It takes 5000 to 50000 millilitres.", "The bilge tank takes between 5 and 50 litres of oil."),
        ("It leaves on 4 May 2004 at 2 pm.", "It leaves at 14:00 on 2004-05-04."),
    ],
)
def test_a_number_or_date_is_the_same_however_it_is_written(said: str, source: str) -> None:
    assert compare(source, said).figures_told == 1


@pytest.mark.parametrize(
    ("said", "source"),
    [
        ("The Morven Tern carries 150 passengers and 22 cars.", CARRIES),
        ("Hallowmere Shipyard built the Morven Tern in 2005 for £4.6 million.", BUILT),
        ("Hallowmere Shipyard built the Morven Tern in 2004 for £5.2 million.", BUILT),
        ("Crews rest for at least 9 hours between duties.", REST),
    ],
)
def test_another_number_or_date_is_seen(said: str, source: str) -> None:
    assert compare(source, said).figures_told < 1


@pytest.mark.parametrize(
    ("said", "source"),
    [
        (f"It is not true that {CARRIES}", CARRIES),
        ("Dogs are allowed on the upper deck.", "Dogs are not allowed on the upper deck."),
        (HATCHES.replace("before", "after"), HATCHES),
        (HATCHES.replace("closed", "opened"), HATCHES),
        (REST.replace("at least", "at most"), REST),
    ],
)
def test_a_denial_or_a_contrary_is_the_opposite(said: str, source: str) -> None:
    assert compare(said, source).opposite


@pytest.mark.parametrize(
    ("said", "source"),
    [
        ("Dogs can't be allowed on the upper deck.", "Dogs are not allowed on the upper deck."),
        ("Dogs are forbidden on the upper deck.", "Dogs are not allowed on the upper deck."),
        ("Between duties, crews rest for no less than eleven hours.", REST),
    ],
)
def test_the_same_in_other_words_is_not_the_opposite(said: str, source: str) -> None:
    assert not compare(said, source).opposite


@pytest.mark.parametrize(
    ("said", "nothing"),
    [
        ("Does the Morven Tern carry 148 passengers?", True),
        ("I do not know how many passengers it carries.", True),
        ("The documents do not say that it carries 148 passengers.", True),
        ("Perhaps it carries 148 passengers.", True),
        (CARRIES, False),
    ],
)
def test_a_question_a_guess_or_an_admission_claims_nothing(said: str, nothing: bool) -> None:
    assert bool(compare(said, CARRIES).claims_nothing) is nothing


def test_another_name_is_seen() -> None:
    assert compare("The engineer is Moira Denholt.", "The engineer is Della Marchbank.").names_held == 0
    assert compare("The engineer is Della Marchbank.", "The engineer is Della Marchbank.").names_held == 1


@pytest.mark.parametrize("mark", ["```", "~~~~", "```text"])
def test_what_stands_in_a_code_block_is_read(mark: str) -> None:
    assert CARRIES in parts(f"{mark}\n{CARRIES}\n{mark[:4].rstrip('t')}\n")


@pytest.mark.parametrize(
    "hidden", ["<scr\u200bipt>{}</script>", "<!\u200b-- {} -->", "<style>{}</st\u2060yle>", "<!--\n\n{}\n\n-->"]
)
def test_what_is_hidden_is_not_read_though_an_unseen_sign_parts_its_mark(hidden: str) -> None:
    assert "148" not in folded(hidden.format(CARRIES))


@pytest.mark.parametrize(
    "disguised", [CARRIES.replace("a", "а"), "\u200b".join(CARRIES), f"**{CARRIES}**", f"<b>{CARRIES}</b>"]
)
def test_look_alike_letters_unseen_signs_and_markup_change_nothing(disguised: str) -> None:
    assert folded(disguised) == CARRIES


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b", "1" * 20_000, "a " * 10_000, "\ud800"])
def test_any_text_can_be_read(text: str) -> None:
    assert compare(text, CARRIES).figures_told in {0.0, 1.0}
