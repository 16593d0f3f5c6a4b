"""Where one examinee is asked on: its own questions again, with its passages exchanged. Nothing is asked twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from viva.core.ids import seeded_order
from viva.core.records import Exam, ExamItem, Grade, Response
from viva.core.scores import Scores
from viva.core.scores_diagnosis import Condition, WrongAnswer
from viva.core.settings import Settings
from viva.examinees.answering import Candidate
from viva.examinees.interventions import Context, Interventions
from viva.examinees.manufactured import AskedAgain, ablation, again
from viva.examinees.specs.records import READERS, Manners, ReaderName, RecordedSpec, ReferenceSpec, Spec
from viva.graphs.context import RunContext, Watcher
from viva.graphs.diagnosis.peer_responses import PeerResponses, keep_trials, kept_trials
from viva.graphs.resources.candidates import Candidates
from viva.graphs.sitting import administer
from viva.graphs.sitting.option_matching import ChoiceReader
from viva.graphs.sitting.reference_examinees import ablated, answers_of, interventions, reads
from viva.metrics.clusters import source_of
from viva.metrics.diagnosis import DiagnosisCase, blamed, evidence_among, only_evidence
from viva.metrics.exam import grade
from viva.storage.runs import RunStore

PROBED = 10
"""Wrong answers that are asked for again, to see whether chance plays a part; if it does, all of them are."""
_CONTEXTS: dict[Condition, Context] = {
    Condition.CLOSED_BOOK: "none",
    Condition.OWN: "own",
    Condition.ORACLE: "oracle",
    Condition.MIXED: "oracle-distracted",
}
ModesFound = Mapping[Condition, Mapping[str, Response]]
"""By condition and item id."""


def answered_by(store: RunStore, spec: Spec, exam: Exam) -> list[tuple[ExamItem, Response]]:
    """The questions it gave a gradable answer to, in the exam's order."""
    given = answers_of(store, spec.examinee, exam)
    found = [(shown, given[shown.item.id]) for shown in exam.items if shown.item.id in given]
    return [(shown, response) for shown, response in found if isinstance(grade(shown, response), Grade)]


def is_right(shown: ExamItem, response: Response) -> bool:
    """Whether it took the key."""
    return response.choice == shown.key_position


@dataclass
class DiagnosisSession:
    """One examinee, its exam, and all that it and its ablations are known to have said, by response id."""

    store: RunStore
    settings: Settings
    candidates: Candidates
    choices: ChoiceReader | None
    watch: Watcher
    spec: Spec
    exam: Exam
    handed: Interventions
    known: dict[str, Response]

    @classmethod
    def of(cls, context: RunContext, spec: Spec, exam: Exam) -> DiagnosisSession:
        """With what was asked before, in sittings and in diagnoses."""
        store, settings = context.store, context.settings
        told = [*kept_trials(store, spec.examinee), *store.responses_to(exam.items)]
        return cls(
            store=store,
            settings=settings,
            candidates=context.candidates,
            choices=context.choice_reader,
            watch=context.watch,
            spec=spec,
            exam=exam,
            handed=interventions(store, context.index, spec, exam, settings.seed),
            known={response.id: response for response in told},
        )

    @cached_property
    def own(self) -> dict[str, Response]:
        """Its own answers, by item id."""
        return answers_of(self.store, self.spec.examinee, self.exam)

    @property
    def failures(self) -> int:
        """Its responses to the exam that are no answers."""
        ids = (Response.id_of(self.spec.examinee.id, shown) for shown in self.exam.items)
        return sum(i in self.known and self.known[i].failure is not None for i in ids)

    # --- asking -------------------------------------------------------------------------------------------

    async def ablated(
        self, context: Context, reader: ReaderName | None, items: Sequence[ExamItem]
    ) -> dict[str, Response]:
        """By item id, what it says from other passages, where there is something to hand."""
        seat = ablation(self.spec, context, reader)
        able = [shown for shown in items if self.handed.can(context, shown)]
        return await self._asked(ablated(self.candidates, self.settings, seat, self.handed), seat.manners, able)

    async def _asked(self, candidate: Candidate, manners: Manners, items: Sequence[ExamItem]) -> dict[str, Response]:
        who, name, settings = candidate.examinee, self.spec.examinee.name, self.settings
        await administer.sit(
            administer.Invigilator(candidate, settings.timeout_s, manners, settings.seed, self.choices),
            self.exam.model_copy(update={"items": tuple(items)}),
            set(self.known),
            record=self._keep,
            watch=lambda done: self.watch(f"diagnose {name}", done, len(items), who.manufactured),
        )
        return {shown.item.id: self.known[Response.id_of(who.id, shown)] for shown in items}

    def _keep(self, responses: list[Response]) -> None:
        keep_trials(self.store, self.spec.examinee, responses)
        self.known.update({response.id: response for response in responses})

    async def reader(
        self, answered: Sequence[tuple[ExamItem, Response]]
    ) -> tuple[ReaderName | None, tuple[list[float], list[str]]]:
        """Who reads: the examinee itself (None), or the reference reader that answers most as it does.

        With, for the stand-in, whether it gave the same answer (1, 0) from the same passages, and each's document.
        """
        if reads(self.candidates, self.spec):
            return None, ([], [])
        found: dict[ReaderName, tuple[list[float], list[str]]] = {}
        for reader in READERS:
            said = await self.ablated("own", reader, [shown for shown, _ in answered])
            told = [(shown, own, said[shown.item.id]) for shown, own in answered if shown.item.id in said]
            gave = [(shown, own, read) for shown, own, read in told if read.failure is None]
            same = [float(own.choice == read.choice) for _, own, read in gave]
            found[reader] = same, [source_of(shown) for shown, _, _ in gave]
        # of equals the first
        best = max(READERS, key=lambda reader: sum(found[reader][0]))
        return best, found[best]

    async def _known(self, items: Sequence[ExamItem]) -> dict[str, bool]:
        """Whether it is right without passages in another order of the options too: then it was no guess."""
        turned = [_turned(shown) for shown in items]
        said = await self.ablated("none", None, turned)
        return {shown.item.id: is_right(shown, said[shown.item.id]) for shown in turned}

    async def _changed(self, items: Sequence[ExamItem]) -> dict[str, bool]:
        """Whether it answers otherwise when it is asked again as it is; of a few, and if any does of all."""
        if isinstance(self.spec, ReferenceSpec | RecordedSpec):
            return {}
        settings = self.settings
        order = seeded_order(items, settings.seed, "again", self.spec.examinee.id)[: settings.ablation_questions]
        system = AskedAgain(again(self.spec.examinee), self.candidates.of(self.spec))
        found: dict[str, bool] = {}
        for part in (order[:PROBED], order[PROBED:]):
            if part and (not found or any(found.values())):
                said = await self._asked(system, self.spec.manners, part)
                told = {item_id: r for item_id, r in said.items() if r.failure is None}
                found |= {item_id: r.choice != self.own[item_id].choice for item_id, r in told.items()}
        return found

    # --- what follows -------------------------------------------------------------------------------------

    async def answers(
        self, chosen: Sequence[ExamItem], reader: ReaderName | None, scores: Scores | None
    ) -> list[WrongAnswer]:
        """Each of these wrong answers, asked under all conditions, with the blame."""
        told = {condition: await self.ablated(context, reader, chosen) for condition, context in _CONTEXTS.items()}
        closed = told[Condition.CLOSED_BOOK]
        knows = await self._known([s for s in chosen if is_right(s, closed[s.item.id])]) if reader is None else {}
        changed = await self._changed(chosen)
        witnesses = PeerResponses.of(self.store, self.spec, self.exam, scores)
        return [self._answer(s, told, knows, changed, witnesses, own_reader=reader is None) for s in chosen]

    def _answer(
        self,
        shown: ExamItem,
        told: ModesFound,
        knows: Mapping[str, bool],
        changed: Mapping[str, bool],
        witnesses: PeerResponses,
        *,
        own_reader: bool,
    ) -> WrongAnswer:
        item_id, spans = shown.item.id, shown.item.evidence
        said = {condition: answers[item_id] for condition, answers in told.items() if item_id in answers}
        passages = self.handed.own.get(item_id, ())
        # who is wrong without passages did not know it; who is right once may have guessed
        asked_blind = own_reader and said[Condition.CLOSED_BOOK].failure is None
        case = DiagnosisCase(
            evidence=evidence_among(passages, spans),
            right={c: is_right(shown, r) for c, r in said.items() if r.failure is None},
            own_reader=own_reader,
            has_evidence=self.handed.can("oracle", shown),
            only_evidence=only_evidence(passages, spans),
            known=knows.get(item_id, False) if asked_blind else None,
            changed=changed.get(item_id),
            others=witnesses.fared(shown),
            flags=witnesses.flags.get(item_id, ()),
        )
        blame, why = blamed(case)
        return WrongAnswer(
            item_id=item_id,
            document_id=source_of(shown),
            choice=self.own[item_id].choice,
            evidence=case.evidence,
            right=dict(case.right),
            failed={c: r.failure.kind.value for c, r in said.items() if r.failure is not None},
            known=case.known,
            changed=case.changed,
            blame=blame,
            why=why,
        )


def _turned(shown: ExamItem) -> ExamItem:
    """The item with its options one place on."""
    options = (*shown.options[-1:], *shown.options[:-1])
    return ExamItem(item=shown.item, options=options, key_position=(shown.key_position + 1) % len(options))
