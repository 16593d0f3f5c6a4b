"""Wrong options have the key's form, differ from it and from one another, and do not stand in the evidence."""

from __future__ import annotations

import asyncio
import re

import pytest
from by_hand import bank, draft, source

from viva.agents.offline.distractors.likeness import measured_as
from viva.agents.offline.distractors.sources import Pools
from viva.agents.offline.distractors.writer import OfflineDistractorWriter
from viva.agents.offline.standing import may_stand
from viva.core.records import CLOSING_PHRASE, PREDICATE, Draft, Verdict
from viva.llm.embeddings import SentenceTransformerEmbedder
from viva.metrics.item_writing.options import options_defect, same_option

FLEET = source(
    "The Sundray Heron carries 48 vehicles. The Morven Tern carries 30 vehicles. The Brannoch carries 12 vehicles. "
    "The Ellery Gannet carries 22 vehicles. The Quill Dunlin carries 64 vehicles.",
    "fleet.md",
    "Fleet",
)
WHY = source(
    "The bow door stays closed because spray damages the hydraulic seals. Deck lamps are shaded because glare blinds "
    "the night pilot. The winch drum is rinsed because salt water eats the bearings. Fuel hoses are capped because "
    "diesel fumes ignite near hot pipes. Life rafts are tested because old seams leak in cold weather. "
    "Brass valves are greased because salt spray corrodes the seals. Rubber hoses are stowed because sunlight cracks "
    "the seals. The stern gate is painted because sea water damages bare steel. Hydraulic rams are covered because "
    "grit damages the polished rods.",
    "why.md",
    "Why",
)
ALL = (FLEET, WHY)
CASES = {
    "quantity": draft(
        FLEET,
        "The Sundray Heron carries 48 vehicles.",
        "How many vehicles does the Sundray Heron carry?",
        "48 vehicles",
        "quantity:vehicle",
    ),
    "clause": draft(
        WHY,
        "The bow door stays closed because spray damages the hydraulic seals.",
        "Which words complete this statement: “The bow door stays closed ____”?",
        "because spray damages the hydraulic seals",
        "clause:because",
        CLOSING_PHRASE,
    ),
}
FORMS = {"quantity": r"\d+ vehicles", "clause": r"because .+"}


def written(
    asked: Draft,
    minilm: SentenceTransformerEmbedder,
    *,
    seed: int = 0,
    attempt: int = 0,
    options: int = 4,
    feedback: Verdict | None = None,
) -> list[str] | None:
    source_of = next(s for s in ALL if s.document.id == asked.unit.evidence.document_id)
    writer = OfflineDistractorWriter(bank(*ALL), minilm, options=options, seed=seed)
    found = asyncio.run(writer.write(asked, source_of, attempt, feedback))
    return None if found is None else [d.text for d in found]


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("seed", [0, 5])
def test_three_options_of_the_keys_form_none_of_them_right(
    kind: str, seed: int, minilm: SentenceTransformerEmbedder
) -> None:
    asked = CASES[kind]
    found = written(asked, minilm, seed=seed)
    assert found is not None
    assert len(found) == 3
    for n, option in enumerate(found):
        assert re.fullmatch(FORMS[kind], option)
        assert option.lower() not in asked.unit.statement.lower()
        assert not any(same_option(option, other) for other in [asked.key, *found[:n]])


def test_as_many_options_are_written_as_the_exam_wants(minilm: SentenceTransformerEmbedder) -> None:
    found = written(CASES["quantity"], minilm, options=6)
    assert found is not None
    assert len(set(found)) == 5


def test_the_same_seed_writes_the_same_options(minilm: SentenceTransformerEmbedder) -> None:
    assert written(CASES["quantity"], minilm) == written(CASES["quantity"], minilm)
    several = {tuple(written(CASES["quantity"], minilm, seed=seed) or ()) for seed in range(6)}
    assert len(several) > 1


def test_a_later_attempt_takes_others(minilm: SentenceTransformerEmbedder) -> None:
    first, second = (written(CASES["quantity"], minilm, attempt=attempt) for attempt in (0, 1))
    assert first is not None
    assert second is not None
    assert set(first) != set(second)


def test_what_the_verdict_names_is_not_written_again(minilm: SentenceTransformerEmbedder) -> None:
    first = written(CASES["quantity"], minilm)
    assert first is not None
    refused = Verdict(
        critic="uniqueness", passed=False, reason=f"The corpus may support “{first[0]}”: ...", code="second_key"
    )
    second = written(CASES["quantity"], minilm, feedback=refused)
    assert second is not None
    assert first[0] not in second


@pytest.mark.parametrize("kind", CASES)
def test_no_set_breaks_a_rule_for_options(kind: str, minilm: SentenceTransformerEmbedder) -> None:
    for seed in range(4):
        found = written(CASES[kind], minilm, seed=seed)
        assert found is not None
        assert options_defect(CASES[kind].stem, CASES[kind].key, found, "en") is None


def test_each_option_says_why_it_is_wrong(minilm: SentenceTransformerEmbedder) -> None:
    writer = OfflineDistractorWriter(bank(*ALL), minilm, options=4, seed=0)
    found = asyncio.run(writer.write(CASES["quantity"], FLEET, 0, None))
    assert found is not None
    said = {d.text: d.reason for d in found}
    assert all(d.mistake for d in found)
    # what stands in the corpus is wrong because the corpus says it of something else
    assert any("The Quill Dunlin carries 64 vehicles." in said.get("64 vehicles", "") for _ in said) or all(
        "nowhere" in reason or "Fleet" in reason for reason in said.values()
    )


def test_where_too_few_of_the_form_exist_there_are_none(minilm: SentenceTransformerEmbedder) -> None:
    lonely = source("Lost property is recorded in the purser's book.", "lonely.md", "Lonely")
    asked = draft(
        lonely, lonely.document.text, "Which words complete this: “It is recorded in ____”?", "the book", "object:in"
    )
    writer = OfflineDistractorWriter(bank(lonely), minilm, options=4, seed=0)
    assert asyncio.run(writer.write(asked, lonely, 0, None)) is None


def test_a_number_alone_in_its_corpus_is_set_among_near_values(minilm: SentenceTransformerEmbedder) -> None:
    lonely = source("The Sundray Heron carries 48 vehicles.", "lonely.md", "Lonely")
    asked = draft(lonely, lonely.document.text, "How many does it carry?", "48 vehicles", "quantity:vehicle")
    writer = OfflineDistractorWriter(bank(lonely), minilm, options=4, seed=0)
    found = asyncio.run(writer.write(asked, lonely, 0, None))
    assert found is not None
    assert all(re.fullmatch(r"\d+ vehicles", d.text) and d.text != "48 vehicles" for d in found)


def candidate_form(stem: str, key: str, form: str) -> Draft:
    return draft(WHY, "The bow door stays closed because spray damages the hydraulic seals.", stem, key, form)


@pytest.mark.parametrize(
    ("key", "form", "option", "fault"),
    [
        ("Blood pressure", "object:raise", "Abnormal pressure", "covers the key"),
        ("To prevent replay attacks", "use:to", "To prevent common security issues", "says too little"),
        ("To enforce encrypted links", "use:to", "To steal session cookies", "does harm where the key does good"),
        ("Clean water from the tank", "object:pump", "Movement of food in the gut", "is a thing's part or sign"),
        ("Rust, salt, and spray", "object:include", "Salt, grit, and sand", "shares a member with the key's list"),
        ("By treating the cause", "use:by", "By the underlying disorder", "opens otherwise"),
        ("To grease the brass valves", "use:to", "To close the valves and help drain water", "runs on"),
    ],
)
def test_an_option_that_may_be_right_or_is_torn_stands_beside_no_key(
    key: str, form: str, option: str, fault: str
) -> None:
    assert not may_stand(option, candidate_form("What is asked?", key, form)), fault


@pytest.mark.parametrize(
    ("key", "form", "option"),
    [
        ("Blood pressure", "object:raise", "Lung volume"),
        ("To prevent replay attacks", "use:to", "To shorten session timeouts"),
        ("By treating the cause", "use:by", "By draining the bladder"),
        ("Rust, salt, and spray", "object:include", "Frost, grit, and sand"),
    ],
)
def test_a_narrow_whole_option_of_the_keys_form_may_stand(key: str, form: str, option: str) -> None:
    assert may_stand(option, candidate_form("What is asked?", key, form))


APART: dict[str, tuple[str, str, list[str], list[str]]] = {
    "years": ("1987", "date:year", ["1988", "1986"], ["1989", "1985"]),
    "months": ("March 1992", "date:month", ["April 1992", "February 1992"], ["May 1992", "January 1992"]),
    "months over new year": ("December 1991", "date:month", ["January 1992"], ["February 1992"]),
    "days": ("14 March 1992", "date:day", ["20 March 1992", "14 April 1992"], ["14 May 1992", "15 March 1993"]),
    "days written month first": ("March 14, 1992", "date:us", ["April 14, 1992"], ["May 14, 1992"]),
    "dates of a header": ("14 March 1992", "field:launched", ["20 March 1992"], ["14 May 1992"]),
    "days without a year": ("14 March", "date:yearday", [], ["20 March", "14 April"]),
    "larger amounts": ("100 litres", "quantity:litre", ["114 litres"], ["115 litres", "500 litres"]),
    "smaller amounts": ("100 litres", "quantity:litre", ["88 litres"], ["85 litres", "20 litres"]),
    "amounts of another order": ("100 litres", "quantity:litre", ["19 litres", "501 litres"], ["20 litres"]),
    "prices": ("£15", "money:£", ["£17"], ["£18"]),
    "worded amounts": ("nine weeks", "quantity:week", ["ten weeks"], ["eleven weeks"]),
    "percentages": ("40%", "quantity:%", ["101%", "140%"], ["80%", "100%"]),
    "percentages of more than the whole": ("140%", "quantity:%", ["150%"], ["240%"]),
    "other amounts above a hundred": ("40 litres", "quantity:litre", ["45 litres"], ["101 litres", "140 litres"]),
    "one of many": ("4 vehicles", "quantity:vehicle", ["1 vehicles"], ["2 vehicles"]),
}


@pytest.mark.parametrize(("key", "form", "near", "apart"), APART.values(), ids=APART.keys())
def test_a_value_may_stand_where_knowledge_tells_it_from_the_key_not_memory_for_digits(
    key: str, form: str, near: list[str], apart: list[str]
) -> None:
    asked = candidate_form("What is asked?", key, form)
    assert [option for option in near if may_stand(option, asked)] == []
    assert [option for option in apart if not may_stand(option, asked)] == []


def test_a_date_of_the_past_is_no_answer_for_the_future(minilm: SentenceTransformerEmbedder) -> None:
    years = " ".join(f"The hull of ship {n} was painted in 20{n}." for n in (11, 12, 13, 14, 15, 16))
    plans = source(f"The old ferry will be retired in 2031. {years}", "plans.md", "Plans")
    asked = draft(
        plans,
        "The old ferry will be retired in 2031.",
        "In which year will the old ferry be retired?",
        "2031",
        "date:year",
    )
    writer = OfflineDistractorWriter(bank(plans), minilm, options=4, seed=0)
    found = asyncio.run(writer.write(asked, plans, 0, None))
    assert found is not None
    assert all(int(d.text) > 2020 for d in found)


def test_dates_stand_beside_the_nearest_of_the_corpus(minilm: SentenceTransformerEmbedder) -> None:
    years = (1822, 1841, 1860, 1879, 1898, 1917, 1983, 1986, 1992, 1995, 1998)
    told = " ".join(f"The hull of ship {n} was painted in {year}." for n, year in enumerate(years))
    hulls = source(f"The old ferry was retired in 1989. {told}", "hulls.md", "Hulls")
    evidence, stem = "The old ferry was retired in 1989.", "In which year was the old ferry retired?"
    for seed in range(4):
        writer = OfflineDistractorWriter(bank(hulls), minilm, options=4, seed=seed)
        found = asyncio.run(writer.write(draft(hulls, evidence, stem, "1989", "date:year"), hulls, 0, None))
        assert found is not None
        assert all(abs(int(d.text) - 1989) < 20 for d in found), [d.text for d in found]


@pytest.mark.parametrize(
    ("key", "form", "measured"),
    [
        ("14-Mar-1992", "field:created", "date"),
        ("1992-03-14", "field:created", "date"),
        ("Deferred", "field:status", "field:status"),
        ("3.12", "field:python-version", "field:python-version"),
        ("14 March 1992", "date:day", "date:day"),
        ("48 vehicles", "quantity:vehicle", "quantity:vehicle"),
    ],
)
def test_a_headers_date_is_measured_as_a_date(key: str, form: str, measured: str) -> None:
    assert measured_as(key, form) == measured


SAID = source(
    "The stern gate is painted with two coats of lead. The harbour crane lifts steel containers at low water. "
    "The night signal can warn ships of shallow ground. The fishing boats carry spare nets for the long voyages. "
    "The harbour lighthouse guided three sailing ships in 1911.",
    "said.md",
    "Said",
)


def test_what_is_said_of_others_stands_beside_a_predicate_where_number_and_tense_agree() -> None:
    asked = draft(
        SAID,
        "The stern gate is painted with two coats of lead.",
        "Which of these is said of the stern gate?",
        "is painted with two coats of lead",
        "predicate:thing:is:VVN",
        PREDICATE,
    )
    pools = Pools(bank(SAID), 0)
    assert pools.gather(asked, SAID, 80) == []
    found = {wrong.text for wrong in pools.gather(asked, SAID, 80, wider=True)}
    assert found == {"lifts steel containers at low water"}


def test_where_the_key_is_longer_than_all_of_its_form_those_of_other_forms_are_tried(
    minilm: SentenceTransformerEmbedder,
) -> None:
    key = "is lifted by two rusty chains at high water"
    lifted = source(
        f"The stern gate {key}. The harbour door is locked by night guards. "
        "The lock bridge is moved by strong engines. The cargo hatch is guarded by old sailors. "
        "Crews rest on the quay. The loading ramp carries twelve heavy lorries across the flooded basin.",
        "lifted.md",
        "Lifted",
    )
    asked = draft(
        lifted,
        f"The stern gate {key}.",
        "Which of these is said of the stern gate?",
        key,
        "predicate:thing:is:VVN",
        PREDICATE,
    )
    writers = (OfflineDistractorWriter(bank(lifted), minilm, options=4, seed=seed) for seed in range(4))
    found = [asyncio.run(writer.write(asked, lifted, 0, None)) or () for writer in writers]
    assert any(distractor.text.startswith("carries") for options in found for distractor in options)
