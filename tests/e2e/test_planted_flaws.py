"""A committee that errs at known rates lets almost nothing flawed through, and costs what it should.

The model writes flawed questions, answers and options at known rates. As judge it is told of no plant: it reads what
it is shown, misses some flaws, and sees some that are not there. Item graph, prompts, gateway and HTTP are the real
ones.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from by_id import by_id
from erring_model import BY_TEXT, GUESSABLE, ROLES, TWO_RIGHT, UNANSWERABLE, UNFAITHFUL, ErringModel, Rates, flaws
from model_server import serve
from pumps import Pump, corpus, pumps, said_of

from viva.agents.language_model.cast import language_model_cast
from viva.agents.roles import Source
from viva.core.records import Item
from viva.core.settings import Settings
from viva.graphs.authoring.state import Committee
from viva.graphs.chunk import ChunkRecord, walk_chunk
from viva.graphs.resources.model_client import ModelClient

pytestmark = pytest.mark.slow

PLANTS = {UNANSWERABLE: 0.20, UNFAITHFUL: 0.15, TWO_RIGHT: 0.10, BY_TEXT: 0.15, GUESSABLE: 0.15}
MADE = {UNANSWERABLE: "stems", BY_TEXT: "stems", UNFAITHFUL: "answers", TWO_RIGHT: "sets", GUESSABLE: "sets"}
"""Of what each rate is a share."""
AT_ONCE = 8


@dataclass
class Written:
    """What came of a corpus, and what it cost."""

    model: ErringModel
    items: list[Item]
    rejected: Counter[str]
    refused: Counter[str]
    """of all drafts and sets, those mended afterwards too"""
    requests: int
    costliest: int
    """calls of the unit that took most, its share of the chunk's extraction aside"""

    @property
    def per_item(self) -> dict[str, float]:
        """Calls per accepted item, by role."""
        return {role: round(count / len(self.items), 2) for role, count in sorted(self.model.calls.items())}


def written(rates: Rates, folder: Path, monkeypatch: pytest.MonkeyPatch, *, count: int, per_chunk: int) -> Written:
    """The items of so many pumps' data sheets."""
    known = pumps(count)
    folder.mkdir(exist_ok=True)
    model = ErringModel(rates, known)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-no-use")
    with serve(model) as server:
        settings = Settings(model=("openai:scripted",), base_url=server.url, items_per_chunk=per_chunk)
        walks = asyncio.run(_walked(known, settings, folder))
        failed = [step.output for walk in walks for step in walk.steps if step.output.startswith("FAILED")]
        assert failed == []
        items = [item for walk in walks for item in walk.items]
        rejected = Counter(rejection.verdict.code for walk in walks for rejection in walk.rejections)
        refused = Counter(s.verdict for walk in walks for s in walk.steps if s.verdict not in ("", "passed"))
        by_unit = Counter[str | None]()
        for step in (step for walk in walks for step in walk.steps if step.unit_id):
            by_unit[step.unit_id] += len(step.calls)
        return Written(model, items, rejected, refused - rejected, server.paid, max(by_unit.values()))


async def _walked(known: list[Pump], settings: Settings, folder: Path) -> list[ChunkRecord]:
    documents, chunks = corpus(known)
    models = ModelClient(folder, settings, lambda: "run")
    cast = language_model_cast(models.asker, settings, by_id(documents), by_id(chunks))
    committee = Committee(cast, settings.items_per_chunk, settings.revisions, settings.redos)
    places = asyncio.Semaphore(AT_ONCE)

    async def walked(number: int) -> ChunkRecord:
        async with places:
            return await walk_chunk(Source(chunks[number], documents[number]), committee)

    try:
        return list(await asyncio.gather(*(walked(number) for number in range(len(known)))))
    finally:
        await models.aclose()


@pytest.mark.parametrize(
    ("count", "near"), [(24, 0.07), pytest.param(80, 0.035, marks=pytest.mark.long)], ids=["24 pumps", "80 pumps"]
)
def test_of_planted_flaws_at_most_two_in_a_hundred_get_through_and_nine_in_ten_sound_drafts_do(
    count: int, near: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates = Rates(PLANTS, misses=0.05, alarms=0.01, paraphrases=0.25)
    out = written(rates, tmp_path, monkeypatch, count=count, per_chunk=4)
    for flaw, rate in PLANTS.items():
        assert out.model.planted[flaw] / out.model.made[MADE[flaw]] == pytest.approx(rate, abs=near), flaw
    truth = {pump.name: said_of(pump) for pump in pumps(count)}
    found = Counter(flaw for item in out.items for flaw in flaws(item, truth))
    flawed = [item for item in out.items if flaws(item, truth)]
    unmarked = [item for item in flawed if not item.guessable]
    sound, accepted = out.model.sound, {item.stem for item in out.items}
    share = len(sound & accepted) / len(sound)
    told = (
        f"{out.model.made['stems']} drafts, {len(sound)} sound, {share:.1%} of them accepted",
        f"{len(out.items)} items, {len(flawed)} flawed {dict(found)}, {len(unmarked)} without a mark",
        f"rejected {dict(out.rejected)}, mended {dict(out.refused)}",
        f"calls per accepted item {out.requests / len(out.items):.2f} {out.per_item}",
    )
    print(*told, sep="\n")  # noqa: T201 - figures to read with -s
    assert out.model.made["stems"] >= 4 * count
    assert share >= 0.90
    assert len(unmarked) / len(out.items) <= 0.02
    if len(flawed) / len(out.items) > 0.02:
        # decision 63: what stays guessable with other options is kept in reserve
        marked = len(flawed) - len(unmarked)
        pytest.xfail(f"{len(flawed)} of {len(out.items)} items are flawed, {marked} of them marked as guessable")


def test_an_accepted_item_of_a_faultless_model_costs_at_most_eight_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = written(Rates(), tmp_path, monkeypatch, count=15, per_chunk=2)
    calls = out.requests / len(out.items)
    print(f"{len(out.items)} items, {calls:.2f} calls each: {out.per_item}")  # noqa: T201 - figures to read with -s
    assert len(out.items) == 30
    assert out.rejected == {}
    assert out.model.calls.total() == out.requests
    assert set(out.per_item) == {role for role, _, _ in ROLES}
    assert calls <= 8


def test_what_a_reader_knows_is_accepted_and_marked_and_the_same_items_come_without_a_mark_of_one_who_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    knowing = written(Rates(knows=True), tmp_path / "knows", monkeypatch, count=20, per_chunk=2)
    ignorant = written(Rates(), tmp_path / "ignorant", monkeypatch, count=20, per_chunk=2)
    for out in (knowing, ignorant):
        assert (len(out.items), out.rejected) == (40, {})
        assert out.costliest <= 12
        assert out.refused == {}
    asked = [{(item.stem, item.key) for item in out.items} for out in (knowing, ignorant)]
    assert asked[0] == asked[1]
    assert {item.id for item in knowing.items} == {item.id for item in ignorant.items}
    assert all(item.known for item in knowing.items)
    assert not any(item.known for item in ignorant.items)
