"""Refining in a run: what goes and comes, who says so, what is kept, and that an interruption costs nothing."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from by_hand import WordEmbedder, distractors, document, draft, item, unit
from fakes import cast
from standing import facts

from viva.agents.roles import Source
from viva.core.errors import UsageError
from viva.core.records import Chunk, Distractor, Draft, Exam, Item, KnowledgeUnit, Response, Verdict
from viva.core.records.refinement import Refinement
from viva.core.scores import ItemScore, Scores, SetAside
from viva.core.settings import Settings
from viva.exams.file import read_exam
from viva.exams.lint import lint_exam
from viva.graphs import results, stages
from viva.graphs.assembly.own_questions import EXAM_FILE
from viva.graphs.authoring.account import funnel_of
from viva.graphs.authoring.batching import BatchScheduler
from viva.graphs.authoring.state import Committee
from viva.graphs.chunk import ChunkRecord
from viva.graphs.context import RunContext
from viva.graphs.refinement.refine import refine_run, to_drop
from viva.reports.data import check_funnel

ITEMS, SOURCES, SYSTEMS, ROUNDS = 20, 36, 15, 3
WRONG_KEYS = (3, 5, 8, 12, 31)
"""Pumps of whose questions the abler say the wrong thing."""
DOCUMENTS = [
    document(f"Pump {n} moves {n} litres of water per minute.", f"{n}.md", f"Pump {n}", "north" if n % 3 else "south")
    for n in range(SOURCES)
]
CHUNKS = [Chunk.of(each, 0, len(each.text), 9) for each in DOCUMENTS]
SYSTEM = """
import hashlib, pathlib, re
def system(name, skill):
    def answer(question):
        with pathlib.Path("calls").open("a") as log:
            log.write(name + " " + question.splitlines()[0] + "\\n")
        if pathlib.Path("off").exists():
            raise ValueError("no index")
        number = int(re.search(r"pump (\\d+) ", question)[1])
        luck = int(hashlib.sha256(f"{{name}} {{number}}".encode()).hexdigest()[:8], 16) / 16**8
        able = skill > luck * 0.8 + (number % 7) / 35
        if number in {wrong_keys!r}:
            able = skill < 0.5
        return f"{{number}} litres" if able else f"{{number}}0 litres"
    return answer
for n in range({systems}):
    globals()[f"s{{n}}"] = system(f"s{{n}}", 0.25 + 0.7 * n / {systems})
"""


def own(source: Source, number: int) -> Item:
    made = item(number, of=source.document, stem=f"How much water does pump {number} move per minute?")
    provenance = made.provenance.model_copy(update={"chunk_id": source.id})
    identity = Item.id_of(made.stem, made.key, [wrong.text for wrong in made.distractors], made.evidence)
    return made.model_copy(update={"id": identity, "provenance": provenance})


class Units:
    async def extract(self, source: Source) -> list[KnowledgeUnit]:
        return [unit(source, source.text)]


class Writer:
    async def write(
        self, unit: KnowledgeUnit, source: Source, previous: Draft | None, feedback: Verdict | None
    ) -> Draft | None:
        number = unit.statement.split()[1]
        stem = f"How much water does pump {number} move per minute?"
        return None if previous else draft(source, unit.statement, stem, f"{number} litres")


class Options:
    async def write(
        self,
        draft: Draft,
        source: Source,
        attempt: int,
        feedback: Verdict | None,
        refused: Sequence[Distractor] = (),
    ) -> tuple[Distractor, ...] | None:
        number = draft.key.split()[0]
        return distractors(*(f"{number}{n} litres" for n in range(3)))


class Room:
    """A run folder of one's own, with systems that may be asked again."""

    def __init__(self, folder: Path, systems: int = SYSTEMS) -> None:
        self.folder, self.log, self.file = folder / "run", folder / "calls", folder / "systems.py"
        self.systems = systems

    @classmethod
    def like(cls, other: Room, folder: Path) -> Room:
        """The same run, systems and their log included."""
        room = cls(folder, other.systems)
        shutil.copytree(other.folder, room.folder)
        for file in (other.log, other.file):
            shutil.copy(file, folder)
        return room

    def context(self, examinees: Iterable[str] | None = None) -> RunContext:
        named = [f"s{n}=systems.py:s{n}" for n in range(self.systems)] if examinees is None else examinees
        context = RunContext(
            self.folder, Settings(items=ITEMS, worked_examples=0, items_per_chunk=1, examinees=tuple(named))
        )
        context.__dict__["embedder"] = WordEmbedder()
        of_model = replace(cast([], writer=Writer(), options=Options()), units=Units())  # type: ignore[arg-type]
        context.__dict__["committee"] = Committee(of_model, 1, context.settings.revisions, context.settings.redos)
        return context

    def refine(
        self, watch: Any = None, examinees: Any = None, rounds: int = ROUNDS, *, replenish: bool = False
    ) -> Refinement:
        context = self.context(examinees)
        if watch:
            context.watch = watch
        # a system's id holds its path: named from here, it is the same everywhere
        with chdir(self.folder.parent):
            return refine_run(context, rounds, replenish=replenish)

    @property
    def calls(self) -> Counter[str]:
        return Counter(self.log.read_text().splitlines())


async def sat(context: RunContext, exam: Exam) -> None:
    for spec in context.candidates.specs:
        context.store.add_examinee(spec.examinee)
        await stages.sit(context, spec, exam)


def make(folder: Path, systems: int = SYSTEMS, *, score: bool = True) -> Room:
    """A run that is written, sat and, if asked for, scored."""
    room = Room(folder, systems)
    folder.mkdir(exist_ok=True)
    room.log.touch()
    room.file.write_text(SYSTEM.format(wrong_keys=WRONG_KEYS, systems=SYSTEMS))
    room.folder.mkdir()
    context = room.context()
    context.bind(folder, "fingerprint")
    context.store.add_corpus(DOCUMENTS, CHUNKS, [])
    while batch := stages.next_batch(context).missing:
        for source_id in batch:
            source = context.source(source_id)
            made = (own(source, DOCUMENTS.index(source.document)),)
            stages.record_walk(context.store, source_id, ChunkRecord(1, made, (), (), None))
    stages.assemble(context)
    exam = stages.exam_of(context.store, context.folder)
    with chdir(folder):
        asyncio.run(sat(context, exam))
    if score:
        results.score(context)
    context.close()
    return room


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Room:
    """A scored run. Do not change it."""
    return make(tmp_path_factory.mktemp("scored"))


@pytest.fixture
def room(scored: Room, tmp_path: Path) -> Room:
    return Room.like(scored, tmp_path)


@pytest.fixture(scope="module")
def replenished(scored: Room, tmp_path_factory: pytest.TempPathFactory) -> tuple[Room, Refinement]:
    """A copy that was replenished. Do not change it."""
    room = Room.like(scored, tmp_path_factory.mktemp("replenished"))
    return room, room.refine(replenish=True)


def pump(stem: str) -> int:
    return int(stem.split("pump ")[1].split()[0])


def latest(room: Room) -> Exam:
    context = room.context()
    try:
        return stages.exam_of(context.store, context.folder)
    finally:
        context.close()


def test_wrong_keys_go_with_a_reason_and_the_exam_before_stays(room: Room) -> None:
    before, facts_before = latest(room), facts(room.folder)
    assert {pump(each.item.stem) for each in before.items} >= set(WRONG_KEYS)
    made = room.refine()
    after = latest(room)
    assert made.exam_before == before.id != made.exam_after == after.id
    dropped = {pump(each.stem): each.reason for step in made.steps for each in step.dropped}
    assert len(dropped) == 4
    assert dropped.keys() < set(WRONG_KEYS)
    assert all("the abler" in why or "abler examinees do worse" in why for why in dropped.values())
    assert [s for s in before.items if pump(s.item.stem) not in dropped] == list(after.items)
    assert lint_exam(after).errors == 0
    assert facts(room.folder) == facts_before
    context = room.context()
    assert results.scores_of(context.store, context.folder).exam_id == after.id
    assert before in context.store.exams()
    assert any("refined" in note for note in context.store.latest_result("exam_notes"))
    check_funnel(funnel_of(context.store), after)
    assert funnel_of(context.store).left_out["dropped in refining"] == len(dropped)
    context.close()
    assert read_exam(room.folder / f"exam.{before.id}.jsonl") == before
    assert read_exam(room.folder / EXAM_FILE) == after


def test_a_round_drops_a_tenth_at_most_and_rounds_are_bounded(room: Room) -> None:
    made = room.refine(rounds=2)
    sizes = [len(step.dropped) for step in made.steps]
    assert sizes == [ITEMS // 10, (ITEMS - ITEMS // 10) // 10]
    assert made.end == "the rounds that were allowed are done"


def test_where_nothing_has_to_go_nothing_is_done(room: Room) -> None:
    while room.refine(rounds=9).steps:
        pass
    rows, before = dump(room), latest(room)
    made = room.refine()
    assert (made.steps, made.exam_after) == ((), before.id)
    assert made.end in {"no item was left that had to go", "another round would leave too few items"}
    assert (dump(room), latest(room)) == (rows, before)


def dump(room: Room) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(room.folder / "run.sqlite")
    try:
        return connection.execute("SELECT kind, position, body FROM results WHERE kind != 'times'").fetchall()
    finally:
        connection.close()


def test_the_same_run_is_refined_in_the_same_way(scored: Room, tmp_path: Path) -> None:
    first, second = (Room.like(scored, tmp_path / name).refine() for name in "ab")
    assert first == second


def test_new_items_come_from_what_is_not_used_then_from_unread_sources_and_all_answer_them_once(
    scored: Room, replenished: tuple[Room, Refinement]
) -> None:
    before, (room, made) = latest(scored), replenished
    context = scored.context()
    spare = {each.stem for each in BatchScheduler.of(context).items} - {each.item.stem for each in before.items}
    read = context.store.finished_chunks()
    context.close()
    after = latest(room)
    assert all(len(step.added) == len(step.dropped) for step in made.steps)
    stems = [each.stem for step in made.steps for each in step.added]
    assert spare == set(stems[: len(spare)])
    assert len(stems) > len(spare)
    assert not {each.item.stem for each in before.items} & set(stems)
    assert lint_exam(after).errors == 0
    context = room.context()
    assert context.store.finished_chunks() > read
    given = context.store.responses_to(after.items)
    shown = {each.item.id: each for each in after.items}
    assert Counter(r.item_id for r in given) == dict.fromkeys(shown, SYSTEMS)
    assert all(r.id == Response.id_of(r.examinee_id, shown[r.item_id]) for r in given)
    scores = results.scores_of(context.store, context.folder)
    assert {row.asked for row in scores.examinees} == {len(after.items)} == {ITEMS}
    check_funnel(funnel_of(context.store), after)
    context.close()
    assert set((room.calls - scored.calls).values()) == {1}
    assert sum((room.calls - scored.calls).values()) == SYSTEMS * len(stems)


@pytest.mark.slow
@pytest.mark.parametrize("moment", [("sit s4", 2), ("sit s9", 3), ("write", 2), ("score", 3)])
def test_an_interrupted_replenishing_goes_on_where_it_was(
    moment: tuple[str, int], replenished: tuple[Room, Refinement], room: Room
) -> None:
    undisturbed, made = replenished
    seen = Counter[str]()

    def strike(stage: str, done: int, total: int, note: str = "") -> None:
        seen[stage] += 1
        if (stage, seen[stage]) == moment:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        room.refine(strike, replenish=True)
    context = room.context()
    check_funnel(funnel_of(context.store), stages.exam_of(context.store, context.folder))
    context.close()
    assert room.refine(replenish=True) == made
    assert latest(room) == latest(undisturbed)
    assert facts(room.folder) == facts(undisturbed.folder)


def test_after_a_kill_between_exam_and_scores_the_rest_is_done(
    scored: Room, room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def struck(context: RunContext) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(results, "score", struck)
        with pytest.raises(KeyboardInterrupt):
            room.refine()
    made = room.refine()
    assert made == Room.like(scored, tmp_path / "other").refine()
    context = room.context()
    assert results.scores_of(context.store, context.folder).exam_id == made.exam_after
    check_funnel(funnel_of(context.store), stages.exam_of(context.store, context.folder))
    context.close()


def test_where_too_few_can_be_asked_again_nothing_is_done(room: Room) -> None:
    before = latest(room)
    with pytest.raises(UsageError, match="1 of the examinees can be asked new questions, and it takes 5"):
        room.refine(replenish=True, examinees=["s0=systems.py:s0"])
    # a system that was edited is another one
    room.file.write_text(room.file.read_text() + "\n# another version\n")
    with pytest.raises(UsageError, match="0 of the examinees"):
        room.refine(replenish=True)
    assert latest(room) == before


def test_who_cannot_be_asked_again_is_named(room: Room) -> None:
    made = room.refine(replenish=True, rounds=1, examinees=[f"s{n}=systems.py:s{n}" for n in range(SYSTEMS - 1)])
    assert f"Not asked again: s{SYSTEMS - 1}." in made.notes
    assert made.steps[0].added


def test_systems_that_only_fail_on_new_items_add_nothing(room: Room) -> None:
    room.file.with_name("off").touch()
    made = room.refine(replenish=True, rounds=2)
    assert any("too few examinees gave an answer to be graded" in note for note in made.notes)
    assert not [each for step in made.steps for each in step.added]


def test_what_cannot_be_refined_is_refused_in_words(tmp_path: Path, scored: Room) -> None:
    with pytest.raises(UsageError, match=r"no scores yet.*viva score"):
        make(tmp_path / "unscored", systems=6, score=False).refine()
    with pytest.raises(UsageError, match=r"4 examinees sat this exam: too few"):
        make(tmp_path / "few", systems=4).refine()
    other = Room.like(scored, tmp_path / "other")
    context = other.context()
    context.store.add_exam(Exam(id="another", items=stages.exam_of(context.store, context.folder).items[:12]))
    context.close()
    with pytest.raises(UsageError, match="scores are of another exam"):
        other.refine()


def test_an_item_that_went_does_not_come_back(room: Room) -> None:
    gone = {pump(stem) for stem in room.refine().gone}
    made = room.refine(replenish=True)
    assert gone
    assert not gone & {pump(each.item.stem) for each in latest(room).items}
    assert gone <= {pump(stem) for stem in made.gone}


def test_a_refinement_of_an_earlier_version_can_be_read(room: Room) -> None:
    exam = latest(room)
    went = {"item_id": "x", "stem": "Went?", "reason": "tells little", "information": 0.1, "slope_z": None}
    step = {"items": ["x"], "added": [], "lacking": [], "information": 1.0, "per_item": 0.1, "accepted": True}
    stored = {
        "exam_before": "before",
        "exam_after": exam.id,
        "plan": {"method": "viva", "rounds": 3, "quantile": None, "replenish": False},
        "panel": [],
        "steps": [
            {**step, "dropped": []},
            {**step, "dropped": [went]},
            {**step, "dropped": [went], "accepted": False},
        ],
        "end": "rounds",
        "gone": ["Went?"],
    }
    context = room.context()
    context.store.add_result("refinement", stored)
    found = results.refinement_of(context.store, exam)
    context.close()
    assert found is not None
    assert [[each.reason for each in step.dropped] for step in found.steps] == [["tells little"]]
    assert "Went?" in room.refine(rounds=1).gone


# --- which items go -------------------------------------------------------------------------------------------


def scores_with(exam: Exam, **own: dict[int, Any]) -> Scores:
    """Scores of items that all tell alike, but for these fields of items by place."""
    items = [
        ItemScore(
            item_id=shown.item.id,
            graded=25,
            proportion_correct=0.5,
            point_biserial=own.get("point_biserial", {}).get(n, 0.3),
            option_counts=(),
            parameters=None,
            information=own.get("information", {}).get(n, 1.0),
        )
        for n, shown in enumerate(exam.items)
    ]
    aside = [SetAside(item_id=exam.items[n].item.id, reason=reason) for n, reason in own.get("aside", {}).items()]
    empty = dict.fromkeys(("examinees", "effects", "groups", "comparisons", "key_positions", "notes"), ())
    return Scores(
        exam_id=exam.id, items=tuple(items), baselines={}, residual_sd=None, set_aside=tuple(aside), **empty
    )


def test_items_go_that_tell_little_that_the_able_miss_or_that_are_set_aside(scored: Room) -> None:
    exam = latest(scored)
    ids = [shown.item.id for shown in exam.items]

    def dropped(**own: dict[int, Any]) -> list[tuple[int, str]]:
        return [(ids.index(each.item_id), each.reason) for each in to_drop(exam, scores_with(exam, **own))]

    assert dropped() == []
    assert dropped(information={4: 0.34, 5: 0.36}) == [(4, "tells little: information 0.340, bound 0.350")]
    assert dropped(information={4: None}) == []
    # a standard error of 1/5 with 25 answers
    assert dropped(point_biserial={2: -0.21, 3: -0.19}) == [(2, "abler examinees do worse: correlation -0.21")]
    assert dropped(aside={7: "its key is doubted"}) == [(7, "its key is doubted")]
    # a tenth of 20 items, the worst first
    both = dropped(information={4: 0.1, 5: 0.2, 6: 0.3}, point_biserial={9: -0.5})
    assert [place for place, _ in both] == [9, 4]
