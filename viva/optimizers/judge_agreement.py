"""How a judge agrees with people on labelled cases: figures with their intervals, and where it is furthest off."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from viva.core.estimates import Estimate
from viva.core.records.judging import JudgeCard, Judgement, LabelledCase
from viva.core.records.tuning import Agreement, Data, Disagreement, Figure, JudgeMeasurement
from viva.metrics.judges.agreement import Correlation, absolute_error_of, graded_agreement, spearman_of
from viva.metrics.judges.calibration_curve import calibration_curve, calibration_error_of
from viva.metrics.judges.confusion import at_least, balanced_accuracy_of, confusion, matthews_of
from viva.metrics.judges.paired import LEAST_GROUPS, RESAMPLES, Resampled, bootstrap
from viva.metrics.judges.pairs import Floats, Scores, Statistic, Undefined, paired_rows
from viva.metrics.judges.people import krippendorff_alpha
from viva.optimizers.labelled import LabelledRows, agreed_label, fingerprint
from viva.optimizers.objectives import HALF, IN_CLASSES, SAME, Said, scores, unjudged
from viva.optimizers.splits import LabelSplit

LONGEST_SHOWN = 300
"""Characters of a text that a report shows of a case."""
_WORST = 8
_OF_ALL_CASES = 200
"""Resamples of people's agreement on all cases: a dry run should not wait for more."""
_READ = ("name", "fingerprint", "rows", "unlabelled", "lacking", "repeated", "contradicted", "undecided")
ALPHA = "Krippendorff's alpha"
_DRAWS, _FEWEST_DRAWS, _USUAL = 500, 100, 50
"""Resamples of people's agreement: enough for the digits that are shown, fewer with more annotators than usual."""


def agreement_of(
    cases: Sequence[LabelledCase], said: Said, *, in_classes: bool, seed: int, resamples: int = RESAMPLES
) -> Agreement:
    """What the judge's words on these cases come to. `in_classes`: it names classes, and has no ranks to compare.

    Where people say only yes and no, what a judge of grades says counts as yes from a half on, beside the ranks.
    Without LEAST_GROUPS groups there are figures, and no intervals.
    """
    judge, people = scores(said), [each.label for each in cases]
    groups, draws = [each.group for each in cases], _Draws(seed, resamples)
    figures = list[Figure]() if in_classes else _graded(judge, people, groups, draws)
    labels, counts = tuple[float, ...](), tuple[tuple[int, ...], ...]()
    if in_classes or set(people) <= {0.0, 1.0}:
        named: Scores = judge if in_classes else at_least(judge, HALF)
        figures += _classes(named, people, groups, draws)
        found = confusion(named, people)
        labels, counts = found.labels, tuple(tuple(map(int, row)) for row in found.counts)
    if len(set(groups)) < LEAST_GROUPS:
        figures = [each if each.undefined else _without_interval(each) for each in figures]
    return Agreement(
        cases=len(cases),
        groups=len(set(groups)),
        unjudged=unjudged(said),
        figures=tuple(figures),
        labels=labels,
        counts=counts,
        curve=() if in_classes else calibration_curve(judge, people),
    )


def data_of(labelled: LabelledRows, test: LabelledRows | None, parts: LabelSplit, *, seed: int = 0) -> Data:
    """Count what became of the rows of a file of labels, and how far its annotators agree."""
    tested = test or labelled
    read = {name: getattr(labelled, name) for name in _READ}
    return Data(
        **read,
        columns=dict(labelled.columns),
        annotators=dict(labelled.annotators),
        people=people_agreement(
            labelled.cases, in_classes=labelled.quality in IN_CLASSES, seed=seed, resamples=_OF_ALL_CASES
        ),
        words=dict(labelled.words),
        groups=parts.groups,
        merged=parts.merged,
        taken_out=parts.taken_out,
        test_name=tested.name if test else f"{tested.name}, test part",
        test_fingerprint=fingerprint(parts.test),
        train=len(parts.train),
        validation=len(parts.validation),
        test=len(parts.test),
        test_groups=parts.test_groups,
    )


def measurement_of(labelled: LabelledRows, card: JudgeCard, said: Said, *, seed: int = 0) -> JudgeMeasurement:
    """The agreement of a judge that said this of the labelled cases, in their order, with people."""
    in_classes = labelled.quality in IN_CLASSES
    agreement = agreement_of(labelled.cases, said, in_classes=in_classes, seed=seed)
    people = people_agreement(labelled.cases, in_classes=in_classes, seed=seed)
    figures = agreement.measured(labelled.name, labelled.fingerprint, people)
    return JudgeMeasurement(
        judge=card.model_copy(update={"measured": figures}),
        data=labelled.name,
        fingerprint=labelled.fingerprint,
        columns=dict(labelled.columns),
        rows=labelled.rows,
        agreement=agreement,
        people=people,
        worst=worst_of(labelled.cases, said),
        learned_from=any(trained.endswith(labelled.fingerprint) for trained in card.trained_on),
    )


def people_agreement(
    cases: Sequence[LabelledCase], *, in_classes: bool, seed: int, resamples: int = _DRAWS
) -> Agreement | None:
    """How annotators agree with each other on cases that two or more labelled: the ceiling of a judge's agreement.

    Each is compared with the mean of the others (classes: their majority) by the figures of a judge, and the values
    are averaged by the cases behind them: leave-one-out resampling (Weiss & Kulikowski 1991, as in Mitchell & Lapata
    2008). Krippendorff's alpha follows. None where labels do not name two annotators.
    """
    names = sorted({name for each in cases for name in each.by})
    if len(names) < 2:
        return None
    shared = [each for each in cases if len(each.by) > 1]
    groups: list[Hashable] = [each.group for each in shared]
    # each draw computes every annotator's figure
    draws = _Draws(seed, min(resamples, _DRAWS, max(_FEWEST_DRAWS, _DRAWS * _USUAL // len(names))))
    own = _table(shared, names, lambda each, name: each.by.get(name))
    statistics: list[tuple[str, Statistic, Floats]] = []
    if not in_classes:
        rows = np.hstack([own, _table(shared, names, partial(_of_others, majority=False))])
        graded = (("spearman", spearman_of), ("mean absolute error", absolute_error_of))
        statistics += [(name, _over_annotators(statistic), rows) for name, statistic in graded]
    if in_classes or {value for each in shared for value in each.by.values()} <= {0.0, 1.0}:
        rows = np.hstack([own, _table(shared, names, partial(_of_others, majority=True))])
        classes = (("mcc", matthews_of), ("balanced accuracy", balanced_accuracy_of))
        statistics += [(name, _over_annotators(statistic), rows) for name, statistic in classes]
    statistics.append((ALPHA, krippendorff_alpha, own))
    figures = [_of_people(name, statistic, rows, groups, draws) for name, statistic, rows in statistics]
    if len(set(groups)) < LEAST_GROUPS:
        figures = [each if each.undefined else _without_interval(each) for each in figures]
    return Agreement(cases=len(shared), groups=len(set(groups)), unjudged=0, figures=tuple(figures))


def _of_people(name: str, statistic: Statistic, rows: Floats, groups: Sequence[Hashable], draws: _Draws) -> Figure:
    figure = _resampled(name, bootstrap(statistic, rows, groups, **draws._asdict()))
    value = statistic(rows)
    # too few or too even cases leave no interval, and a value still
    return figure if isinstance(value, Undefined) else figure.model_copy(update={"estimate": value})


def _table(
    cases: Sequence[LabelledCase], names: Sequence[str], value: Callable[[LabelledCase, str], float | None]
) -> Floats:
    """A value for each case and annotator (n, k), nan where there is none."""
    found = [[np.nan if (one := value(each, name)) is None else one for name in names] for each in cases]
    return np.array(found, dtype=np.float64).reshape(len(cases), len(names))


def _of_others(each: LabelledCase, name: str, *, majority: bool) -> float | None:
    return agreed_label([value for other, value in each.by.items() if other != name], majority=majority)


def _over_annotators(statistic: Statistic) -> Statistic:
    """The mean of a statistic over annotators, by their cases: of rows with all labels, then those of the others."""

    def average(rows: Floats) -> float | Undefined:
        half, values = rows.shape[1] // 2, list[tuple[float, int]]()
        reason = Undefined("No case has labels of two annotators.")
        for one in range(half):
            pairs = rows[:, [one, half + one]]
            pairs = pairs[~np.isnan(pairs).any(axis=1)]
            value = statistic(pairs) if len(pairs) else reason
            if isinstance(value, Undefined):
                reason = value
            else:
                values.append((value, len(pairs)))
        total = sum(cases for _, cases in values)
        return sum(value * cases for value, cases in values) / total if total else reason

    return average


def worst_of(cases: Sequence[LabelledCase], said: Said) -> tuple[Disagreement, ...]:
    """The cases on which the judge is furthest from people, furthest first; ties in the order of their ids."""
    both = [(each, one) for each, one in zip(cases, said, strict=True) if isinstance(one, Judgement)]
    off = [(each, one) for each, one in both if one.score != each.label]
    off.sort(key=lambda pair: (-abs(pair[1].score - pair[0].label), pair[0].case.id))
    return tuple(
        Disagreement(
            question=_short(each.case.question),
            reference=_short(each.case.reference),
            answer=_short(f"{each.case.answer} | {each.case.other}" if each.case.other else each.case.answer),
            passages=_short(" / ".join(each.case.passages)),
            people=each.label,
            judge=one.score,
            reason=_short(one.reason),
        )
        for each, one in off[:_WORST]
    )


_NO_WIDTH = "Every resample gives the same, so that nothing is known of its interval."
_WHOLE = "It is 1 but for rounding, which has no bound on Fisher's scale: nothing is known of its interval."
_FEW = f"The cases are of fewer than {LEAST_GROUPS} sources, with which no interval of 95% holds."
_Column = Sequence[float | None]


class _Draws(NamedTuple):
    seed: int
    resamples: int


def _graded(judge: _Column, people: Sequence[float], groups: Sequence[Hashable], draws: _Draws) -> list[Figure]:
    found = graded_agreement(judge, people, groups, **draws._asdict())
    ranks = _resampled("spearman", found.spearman_bootstrap)
    plain = found.spearman
    if not isinstance(plain, Undefined) and isinstance(plain.se, float):
        ranks = ranks.model_copy(update={"standard_error": plain.se})
    figures = [ranks]
    named = (("spearman (Bonett-Wright)", plain), ("kendall", found.kendall), ("pearson", found.pearson))
    figures += [_correlation(name, each) for name, each in named]
    figures.append(_resampled("mean absolute error", found.mean_absolute_error))
    figures.append(_bootstrapped("calibration error", calibration_error_of, judge, people, groups, draws))
    return figures


def _correlation(name: str, found: Correlation | Undefined) -> Figure:
    if isinstance(found, Undefined):
        return _figure(name, found, "")
    if isinstance(found.interval, Undefined):
        return Figure(name=name, estimate=found.estimate, undefined=found.interval.reason)
    if abs(found.estimate) > 1 - SAME:
        return Figure(name=name, estimate=found.estimate, undefined=_WHOLE)
    return _figure(name, found.interval, "by formula")


def _classes(judge: Scores, people: Sequence[float], groups: Sequence[Hashable], draws: _Draws) -> list[Figure]:
    accuracy = confusion(judge, people).accuracy()
    share = Undefined("No case was judged.") if accuracy is None else accuracy
    return [
        _bootstrapped("mcc", matthews_of, judge, people, groups, draws),
        _bootstrapped("balanced accuracy", balanced_accuracy_of, judge, people, groups, draws),
        _figure("accuracy", share, "Wilson"),
    ]


def _bootstrapped(
    name: str,
    statistic: Callable[[Floats], float | Undefined],
    judge: Scores,
    people: Sequence[float],
    groups: Sequence[Hashable],
    draws: _Draws,
) -> Figure:
    both = paired_rows(judge=judge, people=people)
    own = [groups[place] for place in both.kept]
    return _resampled(name, bootstrap(statistic, both.rows, own, **draws._asdict()))


def _resampled(name: str, found: Resampled | Undefined) -> Figure:
    return _figure(name, found if isinstance(found, Undefined) else found.interval, "bootstrap by group")


def _figure(name: str, found: Estimate | Undefined, how: str) -> Figure:
    if isinstance(found, Undefined):
        return Figure(name=name, undefined=found.reason)
    if found.high - found.low <= SAME:
        return Figure(name=name, estimate=found.value, undefined=_NO_WIDTH)
    return Figure(name=name, estimate=found.value, low=found.low, high=found.high, interval=how)


def _without_interval(figure: Figure) -> Figure:
    return Figure(name=figure.name, estimate=figure.estimate, undefined=_FEW)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_SHOWN else f"{line[: LONGEST_SHOWN - 1]}…"
