"""Questions after what is said of a subject: which sentences give one, and of what nothing is asked."""

from __future__ import annotations

import asyncio

import pytest
from by_hand import bank, draft, questions, source

from viva.agents.offline.critics import OfflineAnswerabilityCritic, StandAloneCritic
from viva.agents.offline.distractors.sources import Pools
from viva.agents.offline.gaps.proposal import Proposal
from viva.agents.offline.writer import OfflineExpert, OfflineQuestionWriter, OfflineUnitExtractor
from viva.agents.roles import Source
from viva.core.records import PREDICATE, Draft, QuestionType

ASKED = {
    "an act": (
        "A tower crane carries heavy containers from ship to shore.",
        "Which of these is said of a tower crane?",
        "carries heavy containers from ship to shore",
        "predicate:thing:VVZ",
    ),
    "an adverb before the verb": (
        "Harbour pilots seldom use hand lamps after sunrise.",
        "Which of these is said of harbour pilots?",
        "seldom use hand lamps after sunrise",
        "predicate:thing:VVB",
    ),
    "a definition": (
        "Slack water is the short time between two tides.",
        "What is slack water?",
        "the short time between two tides",
        "definition:thing:is",
    ),
    "a definition of many": (
        "Bollards are short iron posts for mooring ropes.",
        "What are bollards?",
        "short iron posts for mooring ropes",
        "definition:thing:are",
    ),
    "what people do": (
        "Crane operators check every hoist rope before sunrise.",
        "Which of these is said of crane operators?",
        "check every hoist rope before sunrise",
        "predicate:thing:VVB",
    ),
    "a clause that a word joins": (
        "A tower crane lifts heavy steel containers which arrive from distant ports.",
        "Which of these is said of a tower crane?",
        "lifts heavy steel containers which arrive from distant ports",
        "predicate:thing:VVZ",
    ),
    "several verbs of one subject": (
        "A tower crane lifts, carries and lowers heavy steel containers.",
        "Which of these is said of a tower crane?",
        "lifts, carries and lowers heavy steel containers",
        "predicate:thing:VVZ",
    ),
    "a passive": (
        "Island mail is carried by the winter ferry from Corran.",
        "Which of these is said of island mail?",
        "is carried by the winter ferry from Corran",
        "predicate:thing:is:VVN",
    ),
    "what may be": (
        "A fog signal may confuse pilots of small launches.",
        "Which of these is said of a fog signal?",
        "may confuse pilots of small launches",
        "predicate:thing:may",
    ),
}


def said(sentence: str) -> list[Proposal]:
    return [question for question in questions(sentence) if question.pattern == PREDICATE]


@pytest.mark.parametrize("row", ASKED.values(), ids=ASKED.keys())
def test_a_statement_is_asked_for_by_its_subject(row: tuple[str, str, str, str]) -> None:
    sentence, *wanted = row
    (found,) = said(sentence)
    assert [found.stem, found.key, found.form] == wanted
    assert found.question_type is (QuestionType.DEFINITION if wanted[0].startswith("What ") else QuestionType.FACTOID)


NOT_ASKED = {
    "another clause before": "If fog comes down, pilots carry two hand lamps after dark.",
    "a contraction": "They’ll carry two hand lamps to every ferry after dark.",
    "a name cut in two": "Slack Connect is preferred by pilots of the winter ferry.",
    "too little said": "Harbour pilots wait.",
    "the subject repeated": "Harbour pilots guide younger pilots through the narrow harbour.",
    "a pronoun": "It carries heavy containers from ship to shore.",
    "a second clause that nothing joins": "Winter ferries are finally ready for sailors, you can use the cranes.",
    "an adjective, which holds of much": "Winter ferries are accessible from the harbour tram of Corran.",
    "advice, which holds of much": "Winter ferries should carry two hand lamps after dark.",
    "one of many": "A good rule is to carry two hand lamps after dark.",
    "a noun read as a verb": "Pilot literals that can be many lamps carry a suffix.",
    "a command": "Lift heavy containers from ship to shore with a crane.",
}


@pytest.mark.parametrize("sentence", NOT_ASKED.values(), ids=NOT_ASKED.keys())
def test_what_has_no_plain_subject_or_says_too_little_of_it_is_not_asked_so(sentence: str) -> None:
    assert said(sentence) == []


TWO = (
    "A tower crane carries heavy containers from ship to shore. At night a tower crane is idle. Fog hides a harbour."
)


def drafted(here: Source) -> Draft:
    known = bank(here)
    (unit, *_) = asyncio.run(OfflineUnitExtractor(known).extract(here))
    draft = asyncio.run(OfflineQuestionWriter(known).write(unit, here, None, None))
    assert draft is not None
    assert draft.pattern == PREDICATE
    return draft


def test_the_expert_reads_every_place_that_speaks_of_the_subject() -> None:
    here = source(TWO)
    draft = drafted(here)
    answer = asyncio.run(OfflineExpert(bank(here)).answer(draft.stem, draft.answer_form, here))
    assert answer is not None
    assert [span.quote for span in answer.evidence] == [
        "At night a tower crane is idle.",
        "A tower crane carries heavy containers from ship to shore.",
    ]
    assert asyncio.run(OfflineAnswerabilityCritic().judge(draft, answer, here)).passed


@pytest.mark.parametrize(("sentences", "passed"), [(2, True), (40, False)])
def test_of_what_is_spoken_of_everywhere_nothing_is_asked(sentences: int, passed: bool) -> None:
    more = " ".join(f"On day {n} a tower crane stands idle." for n in range(sentences))
    here = source(f"A tower crane carries heavy containers from ship to shore. {more}")
    verdict = asyncio.run(StandAloneCritic(bank(here)).judge(drafted(here), None, here))
    assert (verdict.passed, verdict.code == "too_wide") == (passed, not passed)


@pytest.mark.parametrize(("here", "passed"), [("Corran", False), ("Ellery", True)])
def test_what_most_documents_speak_of_makes_no_subject_narrower(here: str, passed: bool) -> None:
    pages = [source(f"A crane of {here} waits on day {n}. Ellery sleeps.", f"{n}.md") for n in range(30)]
    other = source(
        "Nobody waits for a crane of Corran. A crane is idle at night." if passed else "Ellery sleeps.", "z.md"
    )
    asked = source("A Corran crane carries heavy containers from ship to shore.", "asked.md")
    verdict = asyncio.run(StandAloneCritic(bank(asked, other, *pages)).judge(drafted(asked), None, asked))
    assert (verdict.passed, verdict.code == "too_wide") == (passed, not passed)


def test_of_few_documents_most_tell_nothing() -> None:
    pages = [source(f"A crane of Ellery waits on day {n}. Corran sleeps.", f"{n}.md") for n in range(7)]
    many = source(" ".join(f"A crane waits on day {n}." for n in range(30)), "many.md")
    asked = source("A Corran crane carries heavy containers from ship to shore.", "asked.md")
    assert asyncio.run(StandAloneCritic(bank(asked, many, *pages)).judge(drafted(asked), None, asked)).passed


@pytest.mark.parametrize(
    ("elsewhere", "offered"),
    [
        ("keeps warm lamps in every lighthouse tower", True),
        ("is useful for warm lamps of every lighthouse keeper", False),
        ("often keeps warm lamps in every lighthouse tower", False),
        ("keeps warm lamps in every lighthouse tower as well", False),
    ],
)
def test_praise_and_what_holds_of_much_is_no_wrong_option(elsewhere: str, offered: bool) -> None:
    said_of_it = "carries heavy containers from ship to shore"
    statement = f"The harbour crane of Corran {said_of_it}."
    here = source(f"{statement} Fog hides the harbour. Gulls sleep on roofs. The coal barge {elsewhere}.")
    asked = draft(
        here, statement, "Which of these is said of the harbour crane?", said_of_it, "predicate:thing:VVZ", PREDICATE
    )
    gathered = [wrong.text for wrong in Pools(bank(here), 0).gather(asked, here, 36, wider=True)]
    assert gathered == ([elsewhere] if offered else [])


def test_praise_stands_beside_praise() -> None:
    said_of_it, elsewhere = "often lifts heavy containers of ships", "often carries warm lamps of every keeper"
    statement = f"The harbour crane of Corran {said_of_it}."
    here = source(f"{statement} Fog hides the harbour. Gulls sleep on roofs. The coal barge {elsewhere}.")
    asked = draft(
        here, statement, "Which of these is said of the harbour crane?", said_of_it, "predicate:thing:VVZ", PREDICATE
    )
    assert [wrong.text for wrong in Pools(bank(here), 0).gather(asked, here, 36)] == [elsewhere]


@pytest.mark.parametrize(("subject", "offered"), [("A harbour cutter", False), ("A wharf", True)])
def test_how_another_of_its_kind_is_defined_is_no_wrong_option(subject: str, offered: bool) -> None:
    statement = "A coal cutter is a slow boat for heavy cargo."
    here = source(
        f"{statement} Fog hides the harbour. Gulls sleep on roofs. {subject} is a place for careful pilots."
    )
    asked = draft(
        here, statement, "What is a coal cutter?", "a slow boat for heavy cargo", "definition:thing:is", PREDICATE
    )
    gathered = [wrong.text for wrong in Pools(bank(here), 0).gather(asked, here, 36)]
    assert gathered == (["a place for careful pilots"] if offered else [])


def test_what_a_reader_does_is_no_predicate() -> None:
    known = bank(
        source("You would choose heavy containers for the long voyage. Crews choose the small crates by hand.")
    )
    assert [c.text for form, found in known.candidates.items() if form.startswith("predicate") for c in found] == [
        "choose the small crates by hand"
    ]


@pytest.mark.parametrize(
    ("subject", "offered"), [("The harbour pilot", False), ("The coal cutter", False), ("The coal barge", True)]
)
def test_what_is_said_of_the_subject_elsewhere_or_of_its_kind_is_no_wrong_option(subject: str, offered: bool) -> None:
    said_of_it, elsewhere = (
        "carries heavy containers from ship to shore",
        "carries warm lamps to every lighthouse keeper",
    )
    statement = f"The harbour pilot cutter of Corran island {said_of_it}."
    here = source(f"{statement} Fog hides the harbour. Gulls sleep on roofs. {subject} {elsewhere}.")
    known = bank(here)
    form = next(form for form, found in known.candidates.items() if found[0].text == said_of_it)
    asked = draft(
        here,
        statement,
        "Which of these is said of the harbour pilot cutter of Corran island?",
        said_of_it,
        form,
        PREDICATE,
    )
    gathered = [wrong.text for wrong in Pools(known, 0).gather(asked, here, 36)]
    assert gathered == ([elsewhere] if offered else [])
