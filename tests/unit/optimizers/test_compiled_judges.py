"""A tuned judge is used only as it was stamped; every one that is committed is."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import dspy
import pytest
from tunable_judge import cases

from viva.agents.judges.model.compiled import Compiled, signature_fingerprint
from viva.agents.judges.model.forms import FORMS
from viva.agents.judges.model.judge import stamped
from viva.agents.judges.offline.judge import QUALITIES, OfflineJudge
from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records.judging import JudgeCard, Make, Measured, Quality
from viva.core.settings import Settings
from viva.graphs.grading.batch_judging import opened_judge_pool
from viva.graphs.grading.judge_lookup import named_judge
from viva.llm.embeddings import SentenceTransformerEmbedder
from viva.storage.judges import find_judge, install_program, shipped_folder, stamp_of

QUALITY = Quality.CORRECTNESS
PROGRAM = Compiled("Compare the two.", ({**FORMS[QUALITY].inputs(cases(1)[0].case), "score": 1.0},))
FIGURE = re.compile(r"(Spearman|MCC)? ?(\.\d{3}) \((\.\d{3}) to (\.\d{3})\) on ([\w/]+)")
MEASURED = Measured(data="d", data_fingerprint="f", statistic="spearman", estimate=0.8, low=0.7, high=0.9, labels=100)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VIVA_JUDGES", str(tmp_path / "judges"))
    return tmp_path / "judges"


@pytest.fixture
def installed(folder: Path) -> Path:
    """The file of a tuned judge that can be used with fake:x."""
    card = stamped(QUALITY, PROGRAM).model_copy(
        update={"name": "mine", "model": "fake:x", "measured": (MEASURED,), "trained_on": ("d f",)}
    )
    return install_program(card, PROGRAM.to_json()).file


def use(name: str, tmp_path: Path, model: str = "fake:x") -> None:
    """Find the judge and make it, as whoever uses it does."""

    async def made() -> None:
        async with opened_judge_pool(tmp_path, Settings(model=(model,))) as pool:
            named_judge(name).at(pool)

    asyncio.run(made())


def check_committed(name: str, tmp_path: Path) -> None:
    """What holds of every judge that is committed: its stamp fits, and it was measured with a model on labels."""
    card = find_judge(name).card
    assert card.make is Make.TUNED
    assert card.measured, f"{name}: nothing was measured of it"
    assert card.trained_on, f"{name}: on what it was tuned is not known"
    assert card.prompt, f"{name}: it is not stamped"
    assert card.signature, f"{name}: it is not stamped"
    assert card.content, f"{name}: it is not stamped"
    use(name, tmp_path, card.model)


def test_every_committed_judge_fits_its_stamp(tmp_path: Path) -> None:
    assert shipped_folder().is_dir()
    for file in sorted(shipped_folder().glob("*.json")):
        if not file.name.startswith("measured."):
            check_committed(file.stem, tmp_path)


def test_committed_figures_are_of_judges_as_they_are_now(minilm: SentenceTransformerEmbedder) -> None:
    cards = [OfflineJudge(quality, minilm).card for quality in QUALITIES]
    stamps = {f"measured.{card.judges}.{content_hash(*stamp_of(card))}.json" for card in cards}
    committed = {file.name: JudgeCard.model_validate(told(file)["card"]) for file in figures()}
    base = (
        stamped(c.judges).model_copy(update={"model": c.model}) for c in committed.values() if c.make is Make.BASE
    )
    stamps |= {f"measured.{card.judges}.{content_hash(*stamp_of(card))}.json" for card in base}
    assert committed
    assert set(committed) <= stamps


def figures() -> list[Path]:
    return sorted(shipped_folder().glob("measured.*.json"))


def told(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return found


def test_the_page_of_default_judges_has_the_figures_of_their_cards() -> None:
    known = set[tuple[str, ...]]()
    for card in (JudgeCard.model_validate(told(file)["card"]) for file in figures()):
        for each in card.measured:
            numbers = (f"{value:.3f}".removeprefix("0") for value in (each.estimate, each.low, each.high))
            known.add((card.judges.value, each.statistic, *numbers, each.data.partition(" ")[0]))
    root = Path(__file__).parents[3]
    page = (root / "docs" / "judges.md").read_text("utf-8")
    found, statistic = list[tuple[str, ...]](), ""
    for line in page.partition("## The default judges")[2].partition("## ")[0].splitlines():
        for name, *numbers in FIGURE.findall(line):
            statistic = name.casefold() or statistic
            found.append((line.split("|")[1].strip(), statistic, *numbers))
    assert len(found) > 10
    assert set(found) <= known, set(found) - known
    readme = (root / "README.md").read_text("utf-8").partition("Without a model, correctness is judged by")[2]
    numbers = re.findall(r"\.\d{3}\b", readme.partition("\n\n")[0])
    assert len(numbers) > 3
    assert {*numbers} <= {estimate for _, name, estimate, *_ in known if name == "spearman"}


def test_a_committed_judge_would_be_checked(installed: Path, tmp_path: Path) -> None:
    check_committed("mine", tmp_path)
    edit(installed, lambda told: told["card"].update(measured=[]))
    with pytest.raises(AssertionError, match="nothing was measured"):
        check_committed("mine", tmp_path)


def test_a_judge_is_used_as_it_was_installed(installed: Path, tmp_path: Path) -> None:
    use("mine", tmp_path)


def edit(file: Path, change: object) -> None:
    told = json.loads(file.read_text("utf-8"))
    change(told)
    file.write_text(json.dumps(told), encoding="utf-8")


def reordered() -> str:
    signature = FORMS[QUALITY].brief.signature
    given: Mapping[str, object] = signature.output_fields
    fields = {name: (info.annotation, info) for name, info in signature.input_fields.items()}
    fields |= {name: (given[name].annotation, given[name]) for name in reversed(list(given))}
    return signature_fingerprint(dspy.make_signature(fields, signature.instructions))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda told: told["card"].update(prompt="0" * 16), "its prompt changed since.*tune it again"),
        (lambda told: told["card"].update(signature=reordered()), "its fields changed since.*tune it again"),
        (lambda told: told["program"].update(instructions="Say 1."), "its compiled program changed since"),
        (lambda told: told["program"]["demos"].clear(), "its compiled program changed since"),
        (lambda told: told["card"].update(judges="rubric"), "changed since"),
        (lambda told: told["card"].update(model="fake:y"), "tuned and measured with fake:y.*--model fake:y"),
    ],
)
def test_a_judge_that_is_not_the_one_that_was_measured_is_refused_and_what_to_do_is_said(
    installed: Path, tmp_path: Path, change: object, said: str
) -> None:
    edit(installed, change)
    with pytest.raises(UsageError, match=said):
        use("mine", tmp_path)


def test_an_edited_prompt_is_noticed(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("viva.agents.judges.model.judge.fingerprint", lambda _: "of the edited prompt")
    with pytest.raises(UsageError, match="its prompt changed since"):
        use("mine", tmp_path)


def test_a_demonstration_with_fields_of_another_judge_is_refused(tmp_path: Path) -> None:
    program = Compiled("Compare.", ({"question": "q", "passages": "p"},))
    card = stamped(QUALITY, program).model_copy(update={"name": "odd", "model": "fake:x"})
    install_program(card, program.to_json())
    with pytest.raises(UsageError, match="Demonstration 1"):
        use("odd", tmp_path)
