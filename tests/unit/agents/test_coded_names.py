"""What codes name: which lines are read, which names stand beside one another, and what the committee makes of it."""

from __future__ import annotations

import asyncio

import pytest

from tests.support.by_hand import WordEmbedder, all_near
from viva.agents.offline.bank import CODED
from viva.agents.offline.bank_building import build_bank
from viva.agents.offline.cast import offline_cast
from viva.agents.offline.coded_names import CodedName, code_in, coded, named_beside, with_one_name
from viva.agents.roles import Source
from viva.agents.rules.options import options_defect
from viva.core.records import Chunk, Document
from viva.core.settings import Settings

_FAULTS = """# Pump Faults

The list of faults is read by the crew. Every fault stops the pump at once, and a lamp shows it.

The Skerrow pump was built in 1987 by the Brannoch yard.

The Skerrow pump weighs 420 kilograms without its motor.

- PF-101: Blocked Inlet Strainer
- PF-102: Worn Shaft Seal
- PF-103: Overheated Motor Winding
- PF-104: Loose Coupling Bolts
- PF-105: Cracked Impeller Blade
- PF-106: Faulty Pressure Sensor
- PF-107: Leaking Discharge Valve
"""


def _read(text: str) -> list[tuple[str, str]]:
    return [(code, name) for code, name, _, _ in coded(text)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("- CWE-384: Session Fixation", ("CWE-384", "Session Fixation")),
        ("• CWE-77: Command Injection", ("CWE-77", "Command Injection")),
        ("### API2:2019 Broken User Authentication", ("API2:2019", "Broken User Authentication")),
        ("#### A4:2017-XML External Entities (XXE)", ("A4:2017", "XML External Entities")),
        ("- **OAT-011 Scraping** — large-scale extraction.", ("OAT-011", "Scraping")),
        ("- [RFC 7515](https://example.org/rfc7515), JSON Web Signature (JWS)", ("RFC 7515", "JSON Web Signature")),
        ("- [NIST SP 800-193 Platform Guidelines](https://example.org)", ("NIST SP 800-193", "Platform Guidelines")),
        ("- CWE-310: Cryptographic Issues; CWE-311: Missing Encryption", ("CWE-310", "Cryptographic Issues")),
    ],
)
def test_a_line_that_lists_a_code_gives_its_name(line: str, expected: tuple[str, str]) -> None:
    assert _read(f"Some text.\n\n{line}\n\nMore text.") == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "The rule CWE-384: Session Fixation is broken here.",  # running text: nobody marks where the name ends
        "- CWE-220: Exposure of sens. information through queries",
        "- CWE-79: Improper neutralization of user supplied input",
        "- NIST SP 800-53 Revision 5",
        "- V1.2 Injection Prevention",  # the number of a section says nothing by itself
        "- CWE-22: Improper Limitation of a Pathname to a\nRestricted Directory",
        "- See RFC 7515 for more",
    ],
)
def test_what_is_cut_or_is_no_name_is_not_read(text: str) -> None:
    assert _read(text) == []


def test_the_place_that_is_given_is_what_the_document_says() -> None:
    ((_, _, start, end),) = coded("Text.\n\n- CWE-384: Session Fixation\n")
    assert "Text.\n\n- CWE-384: Session Fixation\n"[start:end] == "CWE-384: Session Fixation"


def _named(code: str, name: str) -> CodedName:
    return CodedName(code, name, "d", "c", 0, 9)


def test_a_code_with_two_names_and_a_name_of_two_codes_are_left_out() -> None:
    known = with_one_name(
        [
            _named("RFC 1", "First Draft Plan"),
            _named("RFC1", "Another Plan"),
            _named("RFC 2", "Common Title"),
            _named("RFC 3", "Common Titles"),
            _named("RFC 4", "Logging & Monitoring"),
            _named("RFC4", "Logging and Monitoring"),
        ]
    )
    assert [one.code for one in known] == ["RFC 4"]


def test_codes_of_two_years_are_two_series() -> None:
    assert _named("A4:2017", "X").series != _named("A4:2021", "X").series
    assert _named("CWE-79", "X").series == _named("CWE-384", "X").series


def test_a_short_series_gives_no_question() -> None:
    known = [_named(f"PF-10{n}", name) for n, name in enumerate(("Red Lamp", "Blue Pipe", "Green Gate"))]
    assert named_beside(known, all_near) == {}


def test_the_options_are_names_of_the_series_and_break_no_rule() -> None:
    known = with_one_name(_named(code, name) for code, name in _read(_FAULTS))
    beside = named_beside(known, all_near)
    assert set(beside) == {one.code for one in known}
    for one in known:
        others = [other.name for other in beside[one.code]]
        assert len({one.name, *others}) == 4
        assert options_defect(one.stem, one.name, others, "en") is None


def test_the_committee_asks_for_the_name_and_each_wrong_one_says_whose_it_is() -> None:
    document = Document.of(_FAULTS, path="faults.md", title="Pump Faults", format="md")
    chunk = Chunk.of(document, 0, len(document.text), 100)
    bank, source = build_bank([document], [chunk], plain=False, embed=all_near), Source(chunk, document)
    cast = offline_cast(bank, WordEmbedder(), Settings())
    questions = [q for fact in bank.facts[chunk.id] for q in fact.questions if q.form == CODED]
    assert questions
    code = code_in(questions[0].stem)

    async def written() -> tuple[list[bool], list[str]]:
        unit = next(u for u in await cast.units.extract(source) if u.statement.startswith(code))
        draft = await cast.writer.write(unit, source, None, None)
        assert draft is not None
        wrong = await cast.distractors.write(draft, source, 0, None)
        assert wrong is not None
        answer = await cast.expert.answer(draft.stem, draft.answer_form, source)
        assert answer is not None
        assert draft.key in answer.text
        told = [
            await critic.judge(draft, answer, source)
            for panel in (*cast.screen, *cast.draft_critics)
            for critic in panel
        ]
        told += [await critic.judge(draft, wrong, source) for critic in (*cast.option_critics, *cast.solvers)]
        return [one.passed for one in told], [each.reason for each in wrong]  # type: ignore[union-attr]

    passed, reasons = asyncio.run(written())
    assert all(passed)
    assert all(reason.startswith("The documents give this name to PF-10") for reason in reasons)
