"""From interventions on wrong answers to what they are put down to, with intervals.

Each wrong answer is blamed on one thing, by what the same reader does when its passages are exchanged; the rules are
a table in docs/diagnosis.md. What the interventions do not settle is undecided, with the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from viva.core.estimates import Estimate
from viva.core.records import Passage, Span
from viva.core.scores_diagnosis import (
    Blame,
    BlameRow,
    Condition,
    ConditionRow,
    Diagnosis,
    DiagnosisFinding,
    EvidenceCounts,
    WrongAnswer,
)
from viva.metrics.intervals import share_in_groups
from viva.metrics.retrieval.evidence_recall import evidence_recall_at, reciprocal_rank

HELD = 0.5
"""Share of a stretch of evidence from which it counts as among the passages, as for the reciprocal rank."""
LEAST_OTHERS = 2
"""That must have missed a question before it is blamed for that."""
LEAST_DECIDED = 6
"""Answers that must be put down to something before a cause is named: the fewest that can all fall to one by more
than chance (two-sided sign test: 2 * 0.5**6 = .03)."""
LEAST_AGREEMENT = 0.6
"""Share of a system's own answers that its stand-in must give before what that reads says what is to blame; with
three wrong options a kappa of .47."""
SIGNIFICANT = 0.05
FAULTS_OF_ITEMS = frozenset({"wrong key", "unanswerable"})
"""Checks of the response model that say of an item that it cannot be answered as it is keyed."""
NEITHER = "the evidence was not among its passages, and is not read where it is handed"
UNKNOWN_PASSAGES = "it told no passages"
NO_EVIDENCE = "the question has no evidence that could be handed"
FAILED = "a condition failed"
BY_CHANCE = "asked again unchanged, it answers otherwise"
READS_NOW = "handed its own passages, it is right"
STAND_IN_LUCKY = "the stand-in is right from passages without the evidence: by luck, or they say it elsewhere"
STAND_IN_FAILS = "the stand-in cannot read the evidence either"


@dataclass(frozen=True)
class DiagnosisCase:
    """One wrong answer as the blame is laid: what was found, and who read.

    `right` holds the conditions that were asked and did not fail. `others` is what others with a fair chance said
    to the item: (right, of how many); `flags` are the kinds of the response model's suspicions against it.
    """

    evidence: EvidenceCounts | None
    right: Mapping[Condition, bool]
    own_reader: bool
    has_evidence: bool = True
    only_evidence: bool = False
    """its passages were the evidence and nothing beside"""
    known: bool | None = None
    changed: bool | None = None
    others: tuple[int, int] = (0, 0)
    flags: Collection[str] = field(default_factory=tuple)


def evidence_among(passages: Sequence[Passage], spans: Sequence[Span]) -> EvidenceCounts | None:
    """Where the evidence stood among the passages; None where there is neither, or one of them is not there."""
    if not passages or not spans:
        return None
    shares = [evidence_recall_at(len(passages), passages, span) or 0.0 for span in spans]
    inverse = [reciprocal_rank(passages, span, HELD) or 0.0 for span in spans]
    best = max(inverse)
    return EvidenceCounts(held=min(shares) >= HELD, share=min(shares), rank=round(1 / best) if best else None)


def only_evidence(passages: Sequence[Passage], spans: Sequence[Span]) -> bool:
    """Whether every passage holds something of the evidence."""
    return all(any(evidence_recall_at(1, [passage], span) for span in spans) for passage in passages)


def blamed(case: DiagnosisCase) -> tuple[Blame, str]:
    """What the wrong answer is put down to, and why, in words."""
    return _item(case) or _unsettled(case) or (_found(case) if case.evidence and case.evidence.held else _lost(case))


def _item(case: DiagnosisCase) -> tuple[Blame, str] | None:
    if case.right.get(Condition.ORACLE) is not False:
        # who answers it from its own evidence shows that it can be answered
        return None
    right, of = case.others
    if faults := sorted(FAULTS_OF_ITEMS & set(case.flags)):
        return (
            Blame.ITEM,
            f"its evidence does not help, and all responses make it suspect: {', '.join(faults)}",
        )
    if of >= LEAST_OTHERS and not right:
        return Blame.ITEM, f"its evidence does not help, and none of {of} with the evidence or high ability is right"
    return None


def _unsettled(case: DiagnosisCase) -> tuple[Blame, str] | None:
    """What stands in the way of any blame but the item's."""
    if not case.has_evidence:
        return Blame.UNDECIDED, NO_EVIDENCE
    if case.changed:
        return Blame.UNDECIDED, BY_CHANCE
    if case.evidence is None:
        return Blame.UNDECIDED, UNKNOWN_PASSAGES
    if Condition.ORACLE not in case.right:
        return Blame.UNDECIDED, FAILED
    return None


def _lost(case: DiagnosisCase) -> tuple[Blame, str]:
    """The evidence is not among its passages."""
    if case.right.get(Condition.OWN):
        return Blame.UNDECIDED, READS_NOW if case.own_reader else STAND_IN_LUCKY
    if case.own_reader and case.known:
        return Blame.KNOWLEDGE, "without passages it is right, in two orders of the options: its passages misled it"
    if case.right[Condition.ORACLE]:
        return Blame.RETRIEVAL, "the evidence was not among its passages, and is read where it is handed"
    return Blame.UNDECIDED, NEITHER


def _found(case: DiagnosisCase) -> tuple[Blame, str]:
    """The evidence is among its passages."""
    own, mixed = case.right.get(Condition.OWN), case.right.get(Condition.MIXED)
    if not case.right[Condition.ORACLE]:
        if not case.own_reader:
            return Blame.UNDECIDED, STAND_IN_FAILS
        return Blame.READING, "the evidence was among its passages, and is not read even alone"
    if own is None:
        return Blame.UNDECIDED, FAILED
    if own:
        if not case.own_reader:
            return Blame.READING, "from the same passages the stand-in is right"
        return Blame.UNDECIDED, READS_NOW
    if case.only_evidence:
        return Blame.READING, "nothing but the evidence was among its passages"
    told = {True: ", though not by viva's distractors", False: ", and by viva's distractors too", None: ""}[mixed]
    return Blame.DISTRACTION, f"the evidence alone is read; among its own passages it is drowned{told}"


# --- in all -----------------------------------------------------------------------------------------------


def blame_rows(answers: Sequence[WrongAnswer], seed: int) -> tuple[BlameRow, ...]:
    """How many answers are put down to each thing, with the share and its interval; all of Blame, in its order."""
    groups = [answer.document_id for answer in answers]
    rows = []
    for blame in Blame:
        hits = [float(answer.blame is blame) for answer in answers]
        rows.append(BlameRow(blame=blame, answers=round(sum(hits)), share=share_of(hits, groups, seed)))
    return tuple(rows)


def condition_rows(answers: Sequence[WrongAnswer], seed: int) -> tuple[ConditionRow, ...]:
    """How the reader fared under each condition that was asked."""
    rows = []
    for condition in Condition:
        told = [(float(a.right[condition]), a.document_id) for a in answers if condition in a.right]
        failed = sum(condition in answer.failed for answer in answers)
        if not told and not failed:
            continue
        hits = [hit for hit, _ in told]
        rows.append(
            ConditionRow(
                condition=condition,
                asked=len(told) + failed,
                right=round(sum(hits)),
                failed=failed,
                share=share_of(hits, [group for _, group in told], seed),
            )
        )
    return tuple(rows)


def undecided_reasons(answers: Sequence[WrongAnswer]) -> dict[str, int]:
    """Why answers are undecided, the most frequent reason first."""
    found = Counter(answer.why for answer in answers if answer.blame is Blame.UNDECIDED)
    return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))


def share_of(hits: Sequence[float], groups: Sequence[Hashable], seed: int) -> Estimate | None:
    """The share of hits (1, 0) with its interval over groups; None without any."""
    return share_in_groups(hits, groups, seed=seed)


# --- what may be said of it -------------------------------------------------------------------------------


def finding(found: Diagnosis) -> tuple[DiagnosisFinding, tuple[BlameRow, ...]]:
    """What may be said, and the causes that were found, the most frequent first.

    One cause is ahead of the next where that many of the two falling to it are more than chance (exact sign test).
    """
    decided = (row for row in found.rows if row.answers and row.blame is not Blame.UNDECIDED)
    rows = tuple(sorted(decided, key=lambda row: -row.answers))
    if not rows:
        return DiagnosisFinding.NOTHING, rows
    if sum(row.answers for row in rows) < LEAST_DECIDED:
        return DiagnosisFinding.TOO_FEW, rows
    if not found.own_reader and (found.agreement is None or found.agreement.value < LEAST_AGREEMENT):
        return DiagnosisFinding.STAND_IN, rows
    first, second = rows[0].answers, rows[1].answers if len(rows) > 1 else 0
    from scipy.stats import binomtest

    ahead = binomtest(first, first + second).pvalue < SIGNIFICANT
    return (DiagnosisFinding.LEADS if ahead else DiagnosisFinding.LEVEL), rows


def share_without_evidence(answers: Sequence[WrongAnswer]) -> tuple[int, int, Estimate | None]:
    """Of the answers that came with passages: those without the evidence, all, and the share with its interval."""
    told = [(float(not a.evidence.held), a.document_id) for a in answers if a.evidence is not None]
    hits = [hit for hit, _ in told]
    return round(sum(hits)), len(hits), share_of(hits, [group for _, group in told], 0)
