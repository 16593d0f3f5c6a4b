"""What a fit hands on: abilities, effects and items with their uncertainty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from viva.core.estimates import Ability, Estimate, OutsideAbility
from viva.core.notes import Note
from viva.metrics.intervals import wilson
from viva.metrics.irt.abilities import error_loadings, reported_abilities, warm_abilities
from viva.metrics.irt.checks.duplicate_examinees import witnesses
from viva.metrics.irt.checks.person_fit import person_fit
from viva.metrics.irt.effects import MeasuredAbilities, Regression, regression
from viva.metrics.irt.model.curves import probability_3pl, standard_error_curve
from viva.metrics.irt.model.design import Component, Continuous, Design
from viva.metrics.irt.model.formats import ItemFormats
from viva.metrics.irt.model.responses import Floats, Ints
from viva.metrics.irt.pair_probability import probability_better, shared_parts
from viva.metrics.irt.readings import Adjustment, Contrast, EffectTable, compared, compared_scores

# 150 items drawn at random know the unit of the scale to 5% (docs/decisions/0022), others by their number
_UNIT_ERROR = 0.6
# a share of answers that nobody has seen any of is anything
_UNKNOWN = (0.0, 1.0)


@dataclass(frozen=True)
class Effect:
    """What a level adds to ability, its standard error, and how far its 95% interval reaches either way."""

    estimate: float
    se: float
    reach: float


@dataclass(frozen=True, eq=False)
class Fit:
    """Abilities, component effects and items on one scale.

    Origin and unit: the items' difficulties have mean 0 and their discriminations a geometric mean of 1 (where
    "mml-items" fits some items with a slope and some without, it is that of the items' distribution).

    theta, theta_se (n,) in the order of the rows are drawn towards the population that items were fitted with: for
    predictions and checks. What is reported of an examinee is in `abilities`. a, b, c and their standard errors (m,)
    are in the order of the columns; that of a fixed parameter is 0. `loglik` is the log-likelihood the method
    maximised, at its maximum, under "mml-items" with the items integrated out. `converged` was checked, not assumed;
    `model` says in words which response model was fitted, `message` also how the method was chosen and how the search
    ended, `notes` what a reader of the numbers must know. `marked` are the rows that effects are found from, with
    `components_design` of these, and `system`, the same number for copies; `calibration` those that items were fitted
    to. `responses` (n, m), `components` and `formats` are what was fitted. `groups` numbers the groups of examinees
    (n,) and of items (m,) that graded responses connect; abilities and scores of different groups cannot be compared,
    nor the levels of the components in `levels_apart`.
    """

    theta: Floats
    theta_se: Floats
    a: Floats
    b: Floats
    c: Floats
    a_se: Floats
    b_se: Floats
    c_se: Floats
    loglik: float
    converged: bool
    method: str
    iterations: int
    model: str
    message: str
    notes: tuple[Note, ...]
    probability: Floats
    components_design: Design
    levels_apart: frozenset[str]
    marked: Ints
    system: Ints
    calibration: Ints
    responses: Floats
    components: Mapping[str, Component]
    formats: ItemFormats
    groups: tuple[Ints, Ints]

    @cached_property
    def abilities(self) -> tuple[Ability | OutsideAbility | None, ...]:
        """Per examinee, from its own answers to these items alone (module abilities); None without an answer."""
        return reported_abilities(self.responses, *self._warm, self.curves)

    @cached_property
    def places(self) -> Floats:
        """A number for each examinee (n,), to count and sort by: what is reported, and Warm's where that is none."""
        return self._warm[0]

    @cached_property
    def _warm(self) -> tuple[Floats, Floats]:
        return warm_abilities(self.responses, *self.curves)

    @property
    def located(self) -> tuple[Floats, Floats]:
        """Abilities and errors (n,): those reported, and those drawn to the population where there is no number."""
        rows = zip(self.abilities, self.theta.tolist(), self.theta_se.tolist(), strict=True)
        found = [(each.theta, each.se) if isinstance(each, Ability) else (theta, se) for each, theta, se in rows]
        return np.array([theta for theta, _ in found]), np.array([se for _, se in found])

    @cached_property
    def curves(self) -> tuple[Floats, Floats, Floats]:
        """a, b, c of the curves averaged over what is not known of b: flatter ones (normal for logistic, .346)."""
        return self.a / np.sqrt(1 + 0.346 * (self.a * self.b_se) ** 2), self.b, self.c

    @cached_property
    def measured(self) -> MeasuredAbilities:
        """Abilities of the `marked` with their errors, as effects are found from them."""
        own = self.responses[self.marked]
        theta, se = (each[self.marked] for each in self._warm)
        reported = [self.abilities[row] for row in self.marked.tolist()]
        se = np.array([each.se if isinstance(each, Ability) else s for each, s in zip(reported, se, strict=True)])
        loadings = error_loadings(own, theta, se, *self.curves)
        return MeasuredAbilities(theta, loadings, self.system, _UNIT_ERROR / float(np.sqrt(len(self.a))))

    @cached_property
    def effects(self) -> Mapping[str, Mapping[str, Effect]]:
        """Component -> level -> Effect. They sum to zero in a component, or start from its reference level.

        Empty where they use up the systems: then levels are systems, and nothing tells what a level adds to one.
        """
        if self.used_up:
            return {}
        table = self._effect_table
        cov = table.to_effects @ table.found.beta_cov @ table.to_effects.T
        estimates, errors = table.to_effects @ table.found.beta, np.sqrt(np.maximum(np.diag(cov), 0.0))
        found: dict[str, dict[str, Effect]] = {}
        for (component, level), estimate, se in zip(table.names, estimates, errors, strict=True):
            if not self.levels_apart.intersection(component.split(":")):
                found.setdefault(component, {})[level] = Effect(float(estimate), float(se), table.reach * float(se))
        return found

    @property
    def residual_sd(self) -> float | None:
        """The spread of abilities about the sum of the effects; None without effects, or where nothing is left."""
        return self._regression.spread if self.effects else None

    @property
    def used_up(self) -> bool:
        """Tell whether there are components, and effects of their levels as many as systems."""
        return bool(self.components_design.levels) and self._regression.df < 1

    @cached_property
    def _regression(self) -> Regression:
        return regression(self.measured, self.components_design.x)

    @cached_property
    def _effect_table(self) -> EffectTable:
        made = self.components_design
        return EffectTable(made.levels, made.to_effects, self._regression)

    def predict(self, theta: ArrayLike | None = None) -> Floats:
        """Probability of a right answer (examinees, items), missing cells included; or at other abilities (k,).

        For the examinees themselves under "mml-items" it is averaged over what is known of the items.
        """
        return self.probability if theta is None else probability_3pl(theta, self.a, self.b, self.c)

    def expected_score(self, theta: ArrayLike) -> Floats:
        """Expected share of right answers on these items at each theta, of shape (len(theta),)."""
        return np.asarray(probability_3pl(theta, self.a, self.b, self.c).mean(axis=1), dtype=np.float64)

    def expected_scores(self, predicted: Floats | None = None) -> tuple[Estimate, ...]:
        """Per examinee: expected share of right answers on questions like these, of its own group alone.

        Missing cells count as `predicted` (n, m), by this model if by no other.
        """
        (examinees, items), predicted = self.groups, self.predict() if predicted is None else predicted
        found = list(expected_scores(self.responses, predicted))
        for group in range(examinees.max() + 1) if examinees.max() > 0 else ():
            own = np.ix_(examinees == group, items == group)
            each = expected_scores(self.responses[own], predicted[own])
            for row, score in zip(np.flatnonzero(examinees == group).tolist(), each, strict=True):
                found[row] = score
        return tuple(found)

    def standard_error(self, theta: ArrayLike) -> Floats:
        """Standard error of an ability measured with these items (parameters taken as known), per theta."""
        return standard_error_curve(theta, self.a, self.b, self.c)

    def probability_better(self, only: Floats | None = None) -> Floats:
        """Probability (n, n) that the row's examinee is right more often on questions like these than the column's.

        From the questions that one of the two alone has right, not from abilities: module pair_probability. Examinees
        that nearly copy each other count together once in what is learned of the differences; pairs that share levels
        of components are drawn towards what such pairs differ by. `only` (n, n): as many questions that the row alone
        has right, in place of those of the responses. Raises UsageError above 1,000 examinees.
        """
        n = len(self.responses)
        levels = [each.values if isinstance(each, Continuous) else each for each in self.components.values()]
        return probability_better(
            self.responses,
            shared=shared_parts(levels, n) if levels else None,
            counts=1 / witnesses(self.responses, self.predict()).sizes,
            only=only,
        )

    def person_fit(self) -> Floats:
        """Per examinee (n,): how far its answers follow the model at its ability (module person_fit)."""
        return person_fit(self.responses, self.places, *self.curves)

    def contrast(self, component: str, level: str, reference: str) -> Contrast:
        """Effect of `level` less that of `reference` on the theta scale, with an interval and a two-sided p-value.

        Raises UsageError for a component or level that has no effect in this fit.
        """
        return compared(self._effect_table, [(component, level, reference)], "none", 0)[0]

    def contrasts(
        self,
        component: str | None = None,
        *,
        adjust: Adjustment = "max-t",
        seed: int = 0,
    ) -> tuple[Contrast, ...]:
        """Every pair of levels of a component (of each, where None), adjusted over all that come back.

        "max-t": simultaneous intervals and p-values from the joint distribution (Hothorn, Bretz & Westfall 2008), by
        simulation with `seed`; "holm": p-values by Holm (1979), intervals by Bonferroni; "none".
        """
        names = [name for name in self.effects if component in (None, name)]
        pairs = [
            (name, levels[later], levels[earlier])
            for name in names
            for levels in [list(self.effects[name])]
            for earlier in range(len(levels))
            for later in range(earlier + 1, len(levels))
            if levels[0] != "linear"
        ]
        if component is not None and not names:
            self._effect_table.index(component, "")
        return compared(self._effect_table, pairs, adjust, seed)

    def score_contrast(self, component: str, level: str, reference: str) -> Contrast:
        """The contrast as a difference of expected shares of right answers on this exam.

        Of two examinees at the mean of all other components; standard error by the delta method, items taken as
        known. Raises UsageError as `contrast` does.
        """
        return compared_scores(self._effect_table, (component, level, reference), self.a, self.b, self.c)


def expected_scores(responses: Floats, probability: Floats) -> tuple[Estimate, ...]:
    """Per examinee: the expected share of right answers on questions like these, with an interval.

    From responses (n, m) of 1, 0 and nan (not graded) and the model's probabilities (n, m). The estimate is the mean
    of what was seen and, where a cell is missing, of what is predicted; with every cell graded it is the share of
    right answers. The interval is Wilson's for as many answers as that mean is worth: an answer varies about its
    probability, which only graded cells average out, and probabilities vary between items, which predicted cells
    average out, too (Cochran 1977, Sampling Techniques, ch. 7). It takes items for a sample of their kind, and no
    item parameter for known.
    """
    graded = ~np.isnan(responses)
    count, items = graded.sum(axis=1), responses.shape[1]
    filled = np.where(graded, responses, probability)
    share = filled.mean(axis=1)
    within = (probability * (1 - probability)).mean(axis=1)
    between = probability.var(axis=1)
    variance = within / np.maximum(count, 1) + between / items
    worth = np.clip(share * (1 - share) / np.maximum(variance, 1e-12), count, items)
    return tuple(
        _interval(float(value), float(answers), int(seen))
        for value, answers, seen in zip(share, worth, count, strict=True)
    )


def _interval(share: float, answers: float, seen: int) -> Estimate:
    share = min(max(share, 0.0), 1.0)
    if seen == 0:
        return Estimate(share, *_UNKNOWN)
    found = wilson(share * answers, answers)
    return found or Estimate(share, *_UNKNOWN)
