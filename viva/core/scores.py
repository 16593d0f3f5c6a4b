"""The scores: everything the score stage found out, as the report shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pydantic import AliasChoices, Field, field_validator, model_validator
from pydantic.dataclasses import dataclass

from viva.core.accounts import SystemUsage
from viva.core.estimates import MOST_FAILED, Ability, DocumentEffects, OutsideAbility, PassMark, Stability
from viva.core.estimates import Estimate as Estimate
from viva.core.notes import Note, NoteCode
from viva.core.records import ComponentEffect, Examinee, ItemParameters, Record
from viva.core.records.base import ignoring
from viva.core.scores_open import FormatScore, JudgeUsed, PeopleFindings, QualityFindings
from viva.core.scores_pairs import Comparison, RetrieverPair
from viva.core.wording import counted, percent, plain

# figures that differ by less are equal: examinees with the same responses may come out apart by rounding alone
TIED_DIGITS = 9
A_POINT = 0.01
"""Of accuracy: differences from here on are shown."""


class RetrievalScore(Record):
    """How much of the evidence an examinee's passages cover, by characters. Absent where it shows no passages."""

    recall_at: dict[int, Estimate] = Field(description="share of the evidence covered by the first k passages")
    mrr: Estimate = Field(description="mean reciprocal rank of the first passage that covers half of it")
    responses: int = Field(description="responses that came with passages")
    ndcg: Estimate | None = Field(default=None, description="nDCG at 5; of retrievers by themselves alone")


@dataclass(frozen=True)
class AbilityRange:
    """Abilities from `low` to `high`, within which the exam's standard error stays below a bound."""

    low: float
    high: float
    least_se: float


class InformationPoint(Record):
    """What the whole exam tells of an examinee of this ability."""

    ability: float
    information: float
    se: float | None = Field(description="1 / sqrt(information); None where the exam tells nothing")


class DetectableDifference(Record):
    """The smallest difference between two examinees around `middle` that is found in 4 of 5 exams of this size.

    By McNemar's exact test at level .05. Where not `detectable`, of the largest difference that was tried.
    """

    middle: float
    ability: float
    score: float = Field(description="the same as a difference of expected shares of right answers")
    detectable: bool
    exact: bool = Field(default=False, description="False in earlier versions, which had another test in mind")
    systems: int = Field(default=0, description="the user's ranked systems")
    among_systems: float | None = Field(
        default=None,
        description="as `score`, for a pair among all pairs of these systems, by the strictest step of Holm's "
        "correction; None for fewer than three systems, and where no difference is found so often",
    )
    accuracy: float | None = Field(
        default=None, description="the expected share of right answers at `middle`; None in earlier versions"
    )
    questions: int | None = Field(
        default=None, description="that two systems have in common, by the median pair; None in earlier versions"
    )


class GroupInformation(Record):
    """How much of the exam's information, over the systems' abilities, comes from the items of one level."""

    attribute: str = Field(description="topic, question type, Bloom level or kind")
    level: str
    items: int
    share: float
    per_item: float


@dataclass(frozen=True)
class LevelContrast:
    """`level` less `reference` of a component: in ability and in expected shares of right answers (`score`).

    The interval of the ability, from `low` to `high`, holds for all contrasts at once, and its `p_value` is adjusted
    for all of them; the score's interval is by itself.
    """

    component: str
    level: str
    reference: str
    difference: float
    se: float
    low: float
    high: float
    p_value: float
    score: Estimate

    @property
    def told_apart(self) -> bool:
        """Whether the simultaneous interval of the ability leaves out zero."""
        return self.low > 0 or self.high < 0

    def better_first(self) -> LevelContrast:
        """The contrast as it is or, where the reference is the abler, turned round."""
        if self.difference >= 0:
            return self
        score = Estimate(-self.score.value, -self.score.high, -self.score.low)
        return replace(
            self,
            level=self.reference,
            reference=self.level,
            difference=-self.difference,
            low=-self.high,
            high=-self.low,
            score=score,
        )


@dataclass(frozen=True)
class ItemFlag:
    """Something a check finds about an item: its kind, how strong it is, and why in words (docs/irt.md).

    `strength` is a log Bayes factor against a sound item (wrong key, unanswerable, leaked, leaked to a level), the
    larger of infit and outfit (misfit; 1 where S-X2 alone speaks), the largest Q3 less the mean Q3 (dependent) or |z|
    (level difference): comparable within a kind. `figures` are those of the reason, `also` a second kind that fits
    the answers nearly as well; `others` are the items that a dependent one goes with, `component` and `level` those
    of a leak or a level difference, `difference` the size of the latter: its share of right answers beyond what the
    others' answers let expect at the same abilities (standardised p-difference).
    """

    item_id: str
    kind: str
    strength: float
    reason: str
    figures: str = ""
    also: str = ""
    others: tuple[str, ...] = ()
    component: str = ""
    level: str = ""
    difference: Estimate | None = None


class CurveFit(Record):
    """How the answers to an item scatter about its curve (docs/irt.md)."""

    item_id: str
    infit: float
    infit_z: float
    outfit: float
    outfit_z: float


class AdditivityFinding(Record):
    """Whether the effects of the components add up to the abilities."""

    p_value: float
    residual_sd: float = Field(description="of the abilities about the sum of the effects")
    together: tuple[tuple[str, str], ...] = Field(
        description="components that work together better or worse than apart"
    )


class CheckFindings(Record):
    """What the checks found besides flags: with these, no report fits a model."""

    _gone = ignoring("residual_sd_se")

    witnesses: int = Field(description="examinees whose answers count in the checks: those that copy no other")
    copies: tuple[tuple[str, str], ...] = Field(description="ids of copies, each with that of its original")
    curves: tuple[CurveFit, ...] = Field(description="of each item with enough answers")
    additivity: AdditivityFinding | None = Field(description="None where it could not be tested")


class Reliability(Record):
    """How much of the variance between examinees is no chance of the items; docs/statistics.md has the formulas."""

    examinees: int = Field(description="those it is of: copies of others count once")
    complete: int = Field(description="of these, those with every item graded, to whom KR-20 refers")
    kr20: Estimate | None = Field(default=None, description="of the scores: KR-20, with Feldt's interval")
    marginal: Estimate | None = Field(default=None, description="of the abilities: marginal reliability")
    own: bool = Field(default=False, description="of the user's own systems alone")
    not_made: dict[str, str] = Field(default_factory=dict, description="by name: why there is none")


class SpecialistGroup(Record):
    """Systems that do better on some questions, and those of the other group on others, than one ability says."""

    examinees: tuple[str, ...] = Field(description="ids, up to three, the clearest first")
    items: tuple[str, ...] = Field(description="ids of the questions that set the groups apart most, up to four")
    topics: tuple[str, ...] = Field(description="topics on whose questions they do better, up to two")


class Measurement(Record):
    """What the response model says of the exam as a measure of those who sat it."""

    method: str = Field(description="how the model was fitted, and why so")
    converged: bool
    model: str = Field(default="", description="the response model, and why this one; '' in earlier scores")
    second_dimension: Estimate | None = Field(
        default=None,
        description="what a second dimension takes off the log-loss of held-out answers; None where not judged",
    )
    specialists: tuple[SpecialistGroup, ...] = Field(
        default=(), description="the two groups that it sets apart, where it matters"
    )
    dimension_note: Note | None = Field(
        default=None,
        description="that it matters, and whom it sets apart; None where one ability describes the answers",
    )
    reliability: Reliability | None = Field(default=None, description="None in scores of an earlier version")
    best: float = Field(description="the ability that the exam measures best")
    best_se: float | None
    se_below: float = Field(description="the standard error that holds within `ranges`")
    ranges: tuple[AbilityRange, ...]
    inside: int = Field(description="examinees within the ranges")
    curve: tuple[InformationPoint, ...]
    detectable: DetectableDifference
    groups: tuple[GroupInformation, ...] = Field(description="of attributes in which items differ")
    contrasts: tuple[LevelContrast, ...]
    adjustment: str = Field(description="how the contrasts are adjusted; '' where there are none")
    flags: tuple[ItemFlag, ...] = Field(description="the gravest first")
    read_first: tuple[str, ...] = Field(
        default=(), description="items whose keys to read first, the likeliest wrong ones, flagged or not"
    )
    nobody_right: tuple[str, ...] = Field(
        default=(),
        description="items that no examinee has right, of which answers cannot say whether the key is wrong",
    )
    checks: CheckFindings | None = Field(default=None, description="None in scores of an earlier version")
    not_made: dict[str, str] = Field(description="by check: why it could not be made")
    notes: tuple[Note, ...]

    @field_validator("dimension_note", mode="before")
    @classmethod
    def _of_earlier_version(cls, given: object) -> object:
        """It was a sentence, or ''."""
        return given or None


class ExamineeScore(Record):
    """One row of the leaderboard."""

    _gone = ignoring("accuracy_failed_wrong", "mean_latency_s")

    examinee: Examinee
    asked: int = Field(description="responses: of each question one, or one for each occasion")
    graded: int = Field(description="responses that count: graded answers, and failures as wrong ones")
    correct: int
    accuracy: Estimate | None = Field(
        description="over the responses that count; None where the judge of open answers graded none"
    )
    accuracy_answered: Estimate | None = Field(
        default=None, description="over graded answers alone, failures left out; None where there is none"
    )
    accuracy_not_known: Estimate | None = Field(
        default=None,
        description="over responses that count to questions that cannot be answered without documents; None where "
        "the exam marks none as known, or no other counts",
    )
    ability: Ability | OutsideAbility | None = Field(
        description="from its own answers; where the exam does not measure it, on which side it is of what it does"
    )
    expected_score: Estimate | None = Field(
        default=None,
        description="expected share of right answers on questions like these: what was seen, and the model's "
        "prediction of what was not graded; None without an ability",
    )
    person_fit: float | None = Field(
        default=None,
        description="standardised log-likelihood of the answers at the ability (Snijders 2001): far below 0 where "
        "they do not follow the model; None where it cannot be judged",
    )
    failures: dict[str, int] = Field(description="failures by kind, each counted as a wrong answer")
    no_choice: int = Field(description="answers that meant no option (graded wrong)")
    retrieval: RetrievalScore | None
    usage: SystemUsage | None = Field(
        default=None, description="tokens, cost and latency; None without an answer, and in earlier scores"
    )
    formats: tuple[FormatScore, ...] = Field(
        default=(), description="multiple choice and open questions apart, where the exam has open ones"
    )
    stability: Stability | None = Field(
        default=None, description="None where each question was asked once, or none was answered"
    )

    def __str__(self) -> str:
        told = f"{self.examinee.name}: {self.correct} of {self.graded} right"
        if self.accuracy:
            low, high = percent(self.accuracy.low), percent(self.accuracy.high)
            told += f", accuracy {percent(self.accuracy.value)} (95% interval {low} to {high})"
        failed = ", ".join(f"{plain(kind)} {count}" for kind, count in self.failures.items())
        return f"{told}, {counted(sum(self.failures.values()), 'failure')}" + (f" ({failed})" if failed else "")

    __repr__ = __str__

    @property
    def standing(self) -> tuple[bool, float]:
        """What the leaderboard is sorted by: accuracy; an examinee without one comes last."""
        return self.accuracy is None, -round(self.accuracy.value, TIED_DIGITS) if self.accuracy else 0.0

    @property
    def failing(self) -> bool:
        """Whether it failed on so many questions that it is not ranked."""
        return sum(self.failures.values()) > MOST_FAILED * self.asked

    @property
    def failures_tell(self) -> bool:
        """Whether it is right on a point or more of the questions that it answered than of all."""
        if self.accuracy is None or self.accuracy_answered is None:
            return False
        return self.accuracy_answered.value - self.accuracy.value >= A_POINT


def places(rows: Sequence[ExamineeScore]) -> tuple[int, ...]:
    """The place of each in a leaderboard sorted by standing: those that are tied share one (1, 2, 2, 4)."""
    standings = [row.standing for row in rows]
    return tuple(standings.index(standing) + 1 for standing in standings)


class RetrieverScore(Record):
    """A retriever by itself: what it found of the evidence. It has no answers, no accuracy and no ability."""

    examinee: Examinee
    asked: int
    failures: dict[str, int] = Field(description="failures by kind, each counted as nothing found")
    retrieval: RetrievalScore | None = Field(description="None where no question has evidence")
    usage: SystemUsage | None


TURN = "turn of the conversation"
"""An attribute of questions, where some follow on a conversation."""


class GroupScore(Record):
    """Accuracy of one examinee on the items of one topic, question type, Bloom level, kind, format or turn."""

    examinee_id: str
    attribute: str
    level: str
    items: int
    accuracy: Estimate


class ItemScore(Record):
    """What the responses say of one item."""

    item_id: str
    graded: int
    proportion_correct: float | None
    point_biserial: float | None = Field(description="with the score on the other items; None where undefined")
    option_counts: tuple[int, ...]
    parameters: ItemParameters | None
    information: float | None = Field(default=None, description="mean over the examinees; None without parameters")


class SetAside(Record):
    """A question that the answers speak against, so that no score counts it. It stays in the exam's file."""

    item_id: str
    reason: str


_OF_ADAPTIVE_SITTINGS = {"drawn", "reason", "ability", "ability_se", "path"}
"""Fields of what earlier versions kept of a part of the exam, some of whose questions were chosen."""


class SampleScore(Record):
    """What a sitting of a random sample of the exam says of an examinee's accuracy on the whole exam."""

    examinee: Examinee
    asked: int
    items: int = Field(description="questions of the exam")
    ungraded: int = Field(description="of those asked, failures and answers that no judge has graded")
    failures: dict[str, int] = Field(
        default_factory=dict, description="of those asked, failures by kind, each counted as a wrong answer"
    )
    no_choice: int = Field(description="of those asked, answers that meant no option (graded wrong)")
    accuracy: Estimate | None = Field(description="estimated for the whole exam; None where no answer was graded")
    by_model: bool = Field(
        default=True,
        description="with what the response model predicts of the other questions; else the share of right answers",
    )

    @model_validator(mode="before")
    @classmethod
    def _of_earlier_version(cls, given: object) -> object:
        if not isinstance(given, Mapping):
            return given
        return {name: value for name, value in given.items() if name not in _OF_ADAPTIVE_SITTINGS}


class OralFinding(Record):
    """What an oral examination came to, in short; unit by unit it is in the report and in `viva oral --json`."""

    _gone = ignoring("chance")

    examinee: Examinee
    units: int
    examined: int = Field(description="units with a verdict")
    known: Estimate | None = Field(description="share of known ones among the examined; None where none was")
    known_low: float = Field(description="share of all units that are known if none of those left open is")
    known_high: float = Field(description="the same if all of them are")
    questions: int
    reason: str = Field(description="why it ended")
    ability: Estimate | None = Field(description="by exam and oral examination together; None where not measured")


class Scores(Record):
    """Everything the score stage found out, best examinee first."""

    exam_id: str
    examinees: tuple[ExamineeScore, ...]
    items: tuple[ItemScore, ...]
    effects: tuple[ComponentEffect, ...]
    groups: tuple[GroupScore, ...]
    comparisons: tuple[Comparison, ...]
    baselines: dict[str, float] = Field(description="accuracy of 'always A' ... and of 'longest option'")
    key_positions: tuple[int, ...]
    residual_sd: float | None
    notes: tuple[Note, ...] = Field(description="what the reader of the numbers must know")
    measurement: Measurement | None = Field(
        default=None, description="None where no abilities were estimated, and in scores of an earlier version"
    )
    sampled: tuple[SampleScore, ...] = Field(
        default=(),
        validation_alias=AliasChoices("sampled", "adaptive"),
        description="examinees that were asked a part of the exam: on no leaderboard, and in no other figure",
    )
    oral: tuple[OralFinding, ...] = Field(default=(), description="who was examined orally, in short")
    judge: JudgeUsed | None = Field(default=None, description="who graded open answers; None where there are none")
    people: PeopleFindings | None = Field(default=None, description="what people's labels say; None without labels")
    qualities: tuple[QualityFindings, ...] = Field(
        default=(), description="what open answers were graded for besides correctness"
    )
    set_aside: tuple[SetAside, ...] = Field(
        default=(), description="questions of the plain tier that the answers speak against: in no figure"
    )
    retrievers: tuple[RetrieverScore, ...] = Field(
        default=(), description="retrievers by themselves, best first by nDCG: in no other figure"
    )
    retriever_pairs: tuple[RetrieverPair, ...] = Field(default=(), description="pairs of these, for each measure")
    known: int = Field(
        default=0,
        description="questions that can be answered without documents: known to a language model, or guessed",
    )
    documents: DocumentEffects | None = Field(
        default=None, description="whether questions of one document hang together; None in earlier versions"
    )
    pass_mark: PassMark | None = Field(default=None, description="None where no share is asked for")

    @property
    def by_turn(self) -> tuple[GroupScore, ...]:
        """Accuracy by the turn of the conversation (1, 2, 3+); () where no question follows on one."""
        return tuple(each for each in self.groups if each.attribute == TURN)

    @model_validator(mode="before")
    @classmethod
    def _of_earlier_version(cls, given: object) -> object:
        """It left failures out of its figures: a note says so in place of its own notes on them."""
        if not isinstance(given, Mapping) or not any(map(_left_out_failures, given.get("examinees", ()))):
            return given
        kept = [note for note in given.get("notes", ()) if not _on_failures(note)]
        return {**given, "notes": [Note(code=NoteCode.FAILURES_LEFT_OUT), *kept]}


def _left_out_failures(row: object) -> bool:
    return isinstance(row, Mapping) and bool(row.get("failures")) and "accuracy_answered" not in row


def _on_failures(note: object) -> bool:
    """Whether a note of an earlier version, or a sentence, is on failures."""
    return isinstance(note, Mapping) and note.get("code") in ("failed", "failed_tells")
