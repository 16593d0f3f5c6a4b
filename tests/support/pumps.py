"""A corpus of pumps that do not exist, with the truth about each: what a scripted model knows, and a test counts by.

Every pump has a data sheet, which is examined, and a refit sheet, which gives one figure otherwise: both are right.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from viva.core.ids import rng
from viva.core.records import Chunk, Document

_FIRST = "Alder Birch Cedar Dorn Elder Fenn Gorse Hazel Iris Juniper Kestrel Larch Maple Nettle Oakum Privet".split()
_SECOND = "bank brook dale field gate holm ley moor rigg shaw thwaite wick".split()


@dataclass(frozen=True)
class Attribute:
    """What can be said of a pump: the sentence, ways to ask for it, and words that only its questions hold."""

    said: str
    asked: tuple[str, ...]
    sign: str
    unit: str
    other: tuple[str, float]
    """another unit, and what it is in the first"""
    low: int
    high: int


ATTRIBUTES = (
    Attribute(
        "The {pump} moves {value} litres of water per minute.",
        (
            "How many litres of water does the {pump} move per minute?",
            "What amount of water per minute does the {pump} move, in litres?",
            "How many litres per minute can the {pump} move?",
        ),
        "per minute",
        "litres",
        ("hectolitres", 100),
        120,
        900,
    ),
    Attribute(
        "The {pump} weighs {value} kilograms.",
        (
            "How many kilograms does the {pump} weigh?",
            "What does the {pump} weigh, in kilograms?",
            "What is the weight of the {pump} in kilograms?",
        ),
        "weigh",
        "kilograms",
        ("tonnes", 1000),
        30,
        400,
    ),
    Attribute(
        "On one charge the {pump} runs for {value} minutes.",
        (
            "For how many minutes does the {pump} run on one charge?",
            "How many minutes of work does one charge give the {pump}?",
            "How many minutes can the {pump} run on one charge?",
        ),
        "one charge",
        "minutes",
        ("hours", 60),
        60,
        540,
    ),
    Attribute(
        "The {pump} is serviced after {value} hours of work.",
        (
            "After how many hours of work is the {pump} serviced?",
            "How many hours may the {pump} work before it is serviced?",
            "How many hours of work lie between two services of the {pump}?",
        ),
        "service",
        "hours",
        ("days", 24),
        200,
        3000,
    ),
    Attribute(
        "The {pump} may stand {value} metres below the surface.",
        (
            "How many metres below the surface may the {pump} stand?",
            "At what depth below the surface may the {pump} stand, in metres?",
            "How deep below the surface may the {pump} stand, in metres?",
        ),
        "below the surface",
        "metres",
        ("decimetres", 0.1),
        20,
        90,
    ),
)
NOWHERE = (
    "How many decibels of noise does the {pump} make?",
    "Which voltage does the {pump} need, in volts?",
    "How many years does the guarantee of the {pump} last?",
)
"""Questions that no sheet answers."""
BY_DOCUMENT = (
    "According to the passage, {}",
    "As mentioned in the text, {}",
    "In this section, {}",
    "By the sheet before you, {}",
)
"""Ways to speak of a text that the user does not have; {} is a question."""


@dataclass(frozen=True)
class Pump:
    """One pump and its figures, in the order of ATTRIBUTES."""

    name: str
    values: tuple[int, ...]
    refitted: int
    """which attribute the refit changed"""
    after: int
    """its value since"""


def pumps(count: int, seed: int = 0) -> list[Pump]:
    """So many pumps, the same every time; there are names for 192."""
    made = []
    for n in range(count):
        draw = rng(seed, "pump", n)
        name = f"{_FIRST[n % len(_FIRST)]}{_SECOND[n // len(_FIRST) % len(_SECOND)]} pump"
        values = tuple(draw.randrange(a.low, a.high) for a in ATTRIBUTES)
        at = draw.randrange(len(ATTRIBUTES))
        made.append(Pump(name, values, at, values[at] + draw.randrange(7, 19)))
    return made


def data_sheet(pump: Pump) -> str:
    """All figures, a sentence each."""
    return " ".join(a.said.format(pump=pump.name, value=v) for a, v in zip(ATTRIBUTES, pump.values, strict=True))


def refit_sheet(pump: Pump) -> str:
    """The figure that was changed."""
    told = ATTRIBUTES[pump.refitted].said.format(pump=pump.name, value=pump.after)
    return f"Refit of the {pump.name}. {told}"


def said_of(pump: Pump) -> str:
    """All that the corpus says of a pump."""
    return f"{data_sheet(pump)} {refit_sheet(pump)}"


def corpus(of: list[Pump]) -> tuple[list[Document], list[Chunk]]:
    """Data sheets, then refit sheets; each document is one chunk."""
    documents = []
    for kind, sheet in (("Data sheet", data_sheet), ("Refit", refit_sheet)):
        for pump in of:
            path, title = f"{kind}/{pump.name}.txt", f"{kind} of the {pump.name}"
            documents.append(Document.of(sheet(pump), path=path, title=title, topic="pumps", format="txt"))
    return documents, [Chunk.of(d, 0, len(d.text), len(d.text.split())) for d in documents]


# --- reading -------------------------------------------------------------------------------------------------


def asked_about(question: str) -> tuple[str, Attribute | None]:
    """The pump and the attribute that a question is about; None for an attribute that no sheet gives."""
    name = re.search(r"[A-Z]\w+ pump", question)
    found = next((a for a in ATTRIBUTES if a.sign in question.lower()), None)
    return (name.group() if name else ""), found


def statement(text: str, name: str, attribute: Attribute | None) -> str:
    """The sentence of a text that gives this attribute of this pump; "" where there is none."""
    sentences = re.findall(r"[^.]+\.", text)
    return next((s.strip() for s in sentences if attribute and name in s and attribute.sign in s.lower()), "")


def amount(text: str, attribute: Attribute) -> float | None:
    """The first quantity of a text, in the unit of the sheets; None where it gives none of that kind."""
    found = re.search(r"(\d+(?:\.\d+)?)\s*([a-z]+)?", text)
    factor = {attribute.unit: 1.0, attribute.other[0]: attribute.other[1]}.get(found[2] or "") if found else None
    return None if found is None or factor is None else round(float(found[1]) * factor, 2)


def in_other_unit(value: int, attribute: Attribute) -> str:
    """The same amount in the attribute's other unit."""
    unit, factor = attribute.other
    return f"{value / factor:.4f}".rstrip("0").rstrip(".") + f" {unit}"
