"""Facts of an invented ferry company: what the synthetic report's documents, questions and drafts say."""

from __future__ import annotations

from dataclasses import dataclass

from viva.core.records import QuestionType


@dataclass(frozen=True)
class Fact:
    """`values[0]` holds for the first subject, `values[1]` for the second, the rest for neither."""

    sentence: str
    stem: str
    kind: QuestionType
    values: tuple[str, str, str, str, str]


FACTS: dict[str, tuple[tuple[str, str], tuple[Fact, ...]]] = {
    "fleet": (
        ("Morven Tern", "Sundray Heron"),
        (
            Fact(
                "The {s} carries up to {v} on a summer certificate.",
                "How many people may the {s} carry on a summer certificate?",
                QuestionType.QUANTITY,
                ("148 passengers", "312 passengers", "96 passengers", "204 passengers", "260 passengers"),
            ),
            Fact(
                "Her keel, that of the {s}, was laid at {v}.",
                "Where was the keel of the {s} laid?",
                QuestionType.NAME,
                ("Corran Yard", "Isle Basin", "Brannoch Slip", "Quill Dock", "Penmarrow"),
            ),
            Fact(
                "The {s} was handed over on {v} after eleven days of trials.",
                "When was the {s} handed over?",
                QuestionType.DATE,
                ("4 May 2009", "19 March 2016", "7 June 2011", "30 April 2014", "12 September 2018"),
            ),
            Fact(
                "The bow thruster of the {s} is limited to {v} because its bearings overheat.",
                "To what is the bow thruster of the {s} limited?",
                QuestionType.QUANTITY,
                ("140 kW", "95 kW", "60 kW", "210 kW", "175 kW"),
            ),
            Fact(
                "The {s} is registered under the call sign {v}.",
                "Under which call sign is the {s} registered?",
                QuestionType.IDENTIFIER,
                ("MTRN7", "SHRN4", "MVTQ2", "SDRY9", "QKRN5"),
            ),
        ),
    ),
    "safety": (
        ("engine room", "vehicle deck"),
        (
            Fact(
                "Before anybody enters the {s} after a discharge of gas, the air is tested for {v}.",
                "For how long is the air of the {s} tested after a discharge of gas?",
                QuestionType.QUANTITY,
                ("20 minutes", "35 minutes", "10 minutes", "45 minutes", "60 minutes"),
            ),
            Fact(
                "The extinguishing system of the {s} is released by {v}.",
                "Who releases the extinguishing system of the {s}?",
                QuestionType.NAME,
                ("the chief engineer", "the mate on watch", "the master", "the boatswain", "the shore manager"),
            ),
            Fact(
                "Ventilation of the {s} is stopped {v}, since fresh air feeds a fire.",
                "When is ventilation of the {s} stopped?",
                QuestionType.CONDITION,
                (
                    "as soon as smoke is seen",
                    "once the last vehicle is chained",
                    "after the head count",
                    "when the alarm has sounded twice",
                    "before the doors are closed",
                ),
            ),
            Fact(
                "Drills in the {s} are entered under form {v}.",
                "Under which form are drills in the {s} entered?",
                QuestionType.IDENTIFIER,
                ("SF-12", "SF-31", "SF-07", "SF-22", "SF-40"),
            ),
            Fact(
                "The red line in the {s} marks {v}.",
                "What does the red line in the {s} mark?",
                QuestionType.PURPOSE,
                (
                    "the reach of the hose",
                    "the edge of the ramp",
                    "the way to the muster station",
                    "the limit for heavy lorries",
                    "the place of the spare mask",
                ),
            ),
        ),
    ),
    "finance": (
        ("Season card", "Island pass"),
        (
            Fact(
                "The {s} costs {v} for an adult.",
                "What does the {s} cost for an adult?",
                QuestionType.QUANTITY,
                ("184 crowns", "76 crowns", "120 crowns", "58 crowns", "240 crowns"),
            ),
            Fact(
                "A lost {s} is replaced within {v}.",
                "Within what time is a lost {s} replaced?",
                QuestionType.QUANTITY,
                ("three working days", "one week", "two hours", "a fortnight", "one month"),
            ),
            Fact(
                "Refunds of the {s} are signed off by {v}.",
                "Who signs off refunds of the {s}?",
                QuestionType.NAME,
                ("the purser", "the ticket office", "the treasurer", "the harbour master", "the auditor"),
            ),
            Fact(
                "The {s} means {v}.",
                "What does the {s} mean?",
                QuestionType.DEFINITION,
                (
                    "a card for unlimited crossings from April to October",
                    "a card for residents who cross twice a week",
                    "a voucher for one vehicle",
                    "a discount for groups of ten",
                    "a credit note for a cancelled trip",
                ),
            ),
            Fact(
                "Since {v} the {s} is sold online only.",
                "Since when is the {s} sold online only?",
                QuestionType.DATE,
                ("January 2021", "October 2022", "March 2019", "July 2020", "May 2023"),
            ),
        ),
    ),
    "people": (
        ("deck crew", "catering staff"),
        (
            Fact(
                "Members of the {s} rest for at least {v} between shifts.",
                "How long do members of the {s} rest between shifts?",
                QuestionType.QUANTITY,
                ("eleven hours", "nine hours", "seven hours", "ten hours", "twelve hours"),
            ),
            Fact(
                "New members of the {s} are trained by {v}.",
                "Who trains new members of the {s}?",
                QuestionType.NAME,
                ("the boatswain", "the head steward", "the mate", "the personnel office", "an outside school"),
            ),
            Fact(
                "Certificates of the {s} lapse after {v}.",
                "After what time do certificates of the {s} lapse?",
                QuestionType.QUANTITY,
                ("five years", "two years", "three years", "four years", "ten years"),
            ),
            Fact(
                "The {s} swap shifts only {v}.",
                "When may the {s} swap shifts?",
                QuestionType.CONDITION,
                (
                    "with the mate's consent",
                    "two days ahead",
                    "on the same vessel",
                    "outside the season",
                    "after a medical check",
                ),
            ),
            Fact(
                "Absence in the {s} is reported under code {v}.",
                "Under which code is absence in the {s} reported?",
                QuestionType.IDENTIFIER,
                ("AB-3", "AB-8", "AB-1", "AB-5", "AB-9"),
            ),
        ),
    ),
    "operations": (
        ("Kelda route", "Quill Sound route"),
        (
            Fact(
                "The {s} takes {v} at slack water.",
                "How long does the {s} take at slack water?",
                QuestionType.QUANTITY,
                ("38 minutes", "55 minutes", "24 minutes", "47 minutes", "70 minutes"),
            ),
            Fact(
                "The {s} is closed {v}, because the swell breaks across the bar.",
                "When is the {s} closed?",
                QuestionType.CONDITION,
                (
                    "above force seven from the west",
                    "with less than two metres of water",
                    "in fog",
                    "after sunset in winter",
                    "during dredging",
                ),
            ),
            Fact(
                "The {s} was opened in {v}.",
                "In which year was the {s} opened?",
                QuestionType.DATE,
                ("1931", "1958", "1947", "1963", "1972"),
            ),
            Fact(
                "Delays on the {s} are mostly caused by {v}.",
                "What causes most delays on the {s}?",
                QuestionType.CAUSE,
                (
                    "late lorries from the quarry",
                    "the tide gate at Isle Basin",
                    "fog on the sound",
                    "refuelling",
                    "crew changes",
                ),
            ),
            Fact(
                "The {s} is listed in the timetable as {v}.",
                "As what is the {s} listed in the timetable?",
                QuestionType.IDENTIFIER,
                ("K2", "Q5", "K4", "Q1", "S3"),
            ),
        ),
    ),
    "it": (
        ("booking system", "ship's network"),
        (
            Fact(
                "Backups of the {s} are kept for {v}.",
                "For how long are backups of the {s} kept?",
                QuestionType.QUANTITY,
                ("90 days", "14 days", "30 days", "180 days", "one year"),
            ),
            Fact(
                "The {s} was moved to new hardware so that {v}.",
                "Why was the {s} moved to new hardware?",
                QuestionType.PURPOSE,
                (
                    "queues shrink on bank holidays",
                    "charts load without a shore link",
                    "the old servers could be sold",
                    "cards can be read offline",
                    "the audit could be passed",
                ),
            ),
            Fact(
                "The {s} stops answering {v}.",
                "When does the {s} stop answering?",
                QuestionType.CONDITION,
                (
                    "when its disk is nine tenths full",
                    "when two masts lose power",
                    "at every change of tide",
                    "while a backup runs",
                    "if a password has lapsed",
                ),
            ),
            Fact(
                "Faults of the {s} are logged under queue {v}.",
                "Under which queue are faults of the {s} logged?",
                QuestionType.IDENTIFIER,
                ("BK-100", "SN-220", "BK-040", "IT-001", "SN-110"),
            ),
            Fact(
                "In the {s}, a tide lock means {v}.",
                "What does a tide lock mean in the {s}?",
                QuestionType.DEFINITION,
                (
                    "a seat held until the tide table is confirmed",
                    "a port that is closed to data at low water",
                    "a booking that cannot be refunded",
                    "a password set for one voyage",
                    "a berth kept for the lifeboat",
                ),
            ),
        ),
    ),
}

REJECTIONS: tuple[tuple[str, str, str, int], ...] = (
    ("stand_alone", "not_stand_alone", "The stem does not say which vessel it is about.", 41),
    ("faithful", "unfaithful", "The evidence names the limit but not the reason that the key gives.", 14),
    ("expert", "expert_disagrees", "The expert, given the chunk, answers something else.", 23),
    ("distractors", "second_key", "Another option is supported by a second document.", 9),
    ("leaning", "solved_blind", "Two readers find the key without the chunk, by its length alone.", 17),
)
