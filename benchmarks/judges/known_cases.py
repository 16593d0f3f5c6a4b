"""Cases of known quality, for probing a judge without labelled data. Invented: no model has read of them."""

from __future__ import annotations

from dataclasses import dataclass

from viva.core.records.judging import Case, LabelledCase, Quality


@dataclass(frozen=True)
class _Fact:
    """A fact with its question and answers; `near` lacks the answer, `vague` asks the same badly."""

    question: str
    reference: str
    right: str
    wrong: str
    near: str
    vague: str


_FACTS = (
    _Fact(
        "How long does the sluice of Ormsay lock stay shut after high water?",
        "The sluice of Ormsay lock stays shut for 70 minutes after high water.",
        "For 70 minutes after high water.",
        "For 20 minutes after high water.",
        "The sluice of Ormsay lock was rebuilt in 1958. After high water the keeper writes down the level.",
        "How long does it stay shut after that?",
    ),
    _Fact(
        "Who approves purchases above 9,000 crowns at the Brenholt co-operative?",
        "At the Brenholt co-operative the harbour board approves purchases above 9,000 crowns.",
        "The harbour board approves them.",
        "The head of accounts approves them.",
        "The Brenholt co-operative buys fuel twice a year. Purchases are entered in the blue ledger.",
        "Who approves these?",
    ),
    _Fact(
        "In which year was the ferry Lower Tarn launched?",
        "The ferry Lower Tarn was launched in 1987.",
        "It was launched in 1987.",
        "It was launched in 1978.",
        "The ferry Lower Tarn carries 40 cars. Its sister ship Upper Tarn was scrapped.",
        "In which year was the vessel named above launched?",
    ),
    _Fact(
        "May the tide gauge at Velling be read by apprentices?",
        "No. Only a certified gauger may read the tide gauge at Velling.",
        "No, only a certified gauger may read it.",
        "Yes, apprentices may read it.",
        "The tide gauge at Velling stands beside the slipway. It is painted every spring.",
        "May it be read by them, according to the text?",
    ),
    _Fact(
        "What must be done before the Karst pump is restarted?",
        "Before the Karst pump is restarted, its intake valve must be drained.",
        "Its intake valve must be drained first.",
        "Its outlet valve must be greased first.",
        "The Karst pump has an intake valve and an outlet valve. It runs at two speeds.",
        "What must be done before this step?",
    ),
    _Fact(
        "Why did the Hollin works move its foundry to Essby?",
        "The Hollin works moved its foundry to Essby because the old river bank was sinking.",
        "Because the bank of the river at the old place was sinking.",
        "Because labour was cheaper in Essby.",
        "The Hollin works had its foundry on the river. The foundry at Essby has two furnaces.",
        "Why did they move it there?",
    ),
    _Fact(
        "Which fuel does the generator of the Skarv station use in winter?",
        "In winter the generator of the Skarv station uses paraffin.",
        "It uses paraffin in winter.",
        "It uses diesel in winter.",
        "The generator of the Skarv station gives 12 kilowatts. It is serviced in May.",
        "Which fuel is used in this case?",
    ),
    _Fact(
        "How many members does the council of the Maren guild have?",
        "The council of the Maren guild has eleven members.",
        "It has eleven members.",
        "It has seven members.",
        "The council of the Maren guild meets in the old granary. Its minutes are public.",
        "How many members does it have?",
    ),
    _Fact(
        "At what temperature does the Dunmore kiln have to be opened?",
        "The Dunmore kiln has to be opened at 65 degrees.",
        "It has to be opened at 65 degrees.",
        "It has to be opened at 95 degrees.",
        "The Dunmore kiln takes nine hours to cool. Its door is of cast iron.",
        "At what temperature, as shown in the table, is that?",
    ),
    _Fact(
        "What does the yellow flag on the Rennet buoy mean?",
        "The yellow flag on the Rennet buoy means that divers are at work.",
        "It means that divers are working there.",
        "It means that the channel is closed.",
        "The Rennet buoy carries flags by day and a lamp by night. It was moored anew last year.",
        "What does the author mean by it?",
    ),
    _Fact(
        "Where are the spare keys of the Pell archive kept?",
        "The spare keys of the Pell archive are kept in the safe of the town clerk.",
        "They are in the town clerk's safe.",
        "They are in the porter's lodge.",
        "The Pell archive has three doors. Its reading room is open on Tuesdays.",
        "Where are these kept?",
    ),
    _Fact(
        "Which of the two Lindow bridges carries the tramway?",
        "Of the two Lindow bridges the northern one carries the tramway.",
        "The northern one carries the tramway.",
        "The southern one carries the tramway.",
        "The two Lindow bridges were built in one year. The tramway crosses the river every ten minutes.",
        "Which of the two is it?",
    ),
)
_TRIVIA = (
    "On which page does this begin?",
    "What is the third word of the heading?",
    "How many commas are there in the first paragraph?",
    "Which letter does the second section begin with?",
    "Who is thanked in the footnote?",
    "In which typeface is the caption set?",
)


def known_cases(quality: Quality) -> tuple[LabelledCase, ...]:
    """Good and bad cases of the quality, half each; of a preference, the better answer first and second in turn."""
    made = [
        LabelledCase(case=case, label=label, group=fact.reference)
        for number, fact in enumerate(_FACTS)
        for case, label in _cases(quality, fact, number)
    ]
    return tuple(made)


def _cases(quality: Quality, fact: _Fact, number: int) -> list[tuple[Case, float]]:
    other = _FACTS[(number + 1) % len(_FACTS)]
    asked = Case(question=fact.question)
    match quality:
        case Quality.CORRECTNESS | Quality.RUBRIC:
            both = ((fact.right, 1.0), (fact.wrong, 0.0))
            return [(_with(asked, reference=fact.reference, answer=text), label) for text, label in both]
        case Quality.RELEVANCE:
            return [(_with(asked, answer=text), label) for text, label in ((fact.right, 1.0), (other.right, 0.0))]
        case Quality.FAITHFULNESS:
            held = asked.model_copy(update={"passages": (f"{fact.reference} {fact.near}",)})
            return [(_with(held, answer=text), label) for text, label in ((fact.right, 1.0), (fact.wrong, 0.0))]
        case Quality.ANSWERABILITY | Quality.GROUNDEDNESS:
            texts = ((f"{fact.near} {fact.reference}", 1.0), (fact.near, 0.0))
            return [(asked.model_copy(update={"passages": (text,)}), label) for text, label in texts]
        case Quality.PREFERENCE:
            first, second = (fact.right, fact.wrong) if number % 2 else (fact.wrong, fact.right)
            return [(_with(asked, reference=fact.reference, answer=first, other=second), float(number % 2))]
        case Quality.USEFULNESS:
            return [(asked, 1.0), (Case(question=_TRIVIA[number % len(_TRIVIA)]), 0.0)]
        case Quality.STAND_ALONE:
            return [(asked, 1.0), (Case(question=fact.vague), 0.0)]


def _with(case: Case, **texts: str) -> Case:
    return case.model_copy(update=texts)
