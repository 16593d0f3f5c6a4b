"""What a fit hands on: abilities, effects and items with their uncertainty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from viva.core.estimates import Estimate
from viva.core.notes import Note
from viva.metrics.intervals import Z, wilson
from viva.metrics.irt.checks.duplicate_examinees import witnesses
from viva.metrics.irt.checks.person_fit import person_fit
from viva.metrics.irt.model.curves import probability_3pl, standard_error_curve
from viva.metrics.irt.model.design import Component, Continuous, Design
from viva.metrics.irt.model.formats import ItemFormats
from viva.metrics.irt.model.responses import Floats, Ints
from viva.metrics.irt.pair_probability import probability_better, shared_parts
from viva.metrics.irt.readings import Adjustment, Contrast, EffectTable, compared, compared_scores

# a share of answers that nobody has seen any of is anything
_UNKNOWN = (0.0, 1.0)


@dataclass(frozen=True)
class Effect:
    """What a level adds to ability, and its standard error."""

    estimate: float
    se: float


@dataclass(frozen=True, eq=False)
class Fit:
    """Abilities, component effects and items on one scale.

    Origin and unit: the items' difficulties have mean 0 and their discriminations a geometric mean of 1 (under
    "mml-items" those of the items' distribution, under "map" of these items).

    theta, theta_se (n,) and theta_cov (n, n) in the order of the rows; a, b, c and their standard errors (m,) in the
    order of the columns; that of a fixed parameter is 0. `effects` maps component -> level -> Effect; effects of a
    component sum to zero (or start from its reference level). `residual_sd` is that of abilities around their
    components, `residual_sd_se` nan under "map". `loglik` is the log-likelihood the method maximised, at its maximum,
    under "mml-items" with the items integrated out. `converged` was checked, not assumed; `model` says in words which
    response model was fitted, `message` also how the method was chosen and how the search ended, `notes` what a
    reader of the numbers must know. `components_design` is what abilities were made of, `responses` (n, m),
    `components` and `formats` what was fitted. `groups` numbers the groups of examinees (n,) and of items (m,) that
    graded responses connect; abilities and scores of different groups cannot be compared.
    """

    theta: Floats
    theta_se: Floats
    theta_cov: Floats
    a: Floats
    b: Floats
    c: Floats
    a_se: Floats
    b_se: Floats
    c_se: Floats
    effects: Mapping[str, Mapping[str, Effect]]
    residual_sd: float
    residual_sd_se: float
    loglik: float
    converged: bool
    method: str
    iterations: int
    model: str
    message: str
    notes: tuple[Note, ...]
    probability: Floats
    beta: Floats
    beta_cov: Floats
    components_design: Design
    responses: Floats
    components: Mapping[str, Component]
    formats: ItemFormats
    groups: tuple[Ints, Ints]

    def predict(self, theta: ArrayLike | None = None) -> Floats:
        """Probability of a right answer (examinees, items), missing cells included; or at other abilities (k,).

        For the examinees themselves under "mml-items" it is averaged over what is known of the items.
        """
        return self.probability if theta is None else probability_3pl(theta, self.a, self.b, self.c)

    def interval(self) -> tuple[Floats, Floats]:
        """Lower and upper bounds (n,) of the abilities."""
        reach = Z * self.theta_se
        return self.theta - reach, self.theta + reach

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
        return person_fit(self.responses, self.theta, self.a, self.b, self.c)

    def contrast(self, component: str, level: str, reference: str) -> Contrast:
        """Effect of `level` less that of `reference` on the theta scale, with an interval and a two-sided p-value.

        Raises UsageError for a component or level that has no effect in this fit.
        """
        return compared(self._effect_table(), [(component, level, reference)], "none", 0)[0]

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
            self._effect_table().index(component, "")
        return compared(self._effect_table(), pairs, adjust, seed)

    def score_contrast(self, component: str, level: str, reference: str) -> Contrast:
        """The contrast as a difference of expected shares of right answers on this exam.

        Of two examinees that stand at the mean of all other components; standard error by the delta method, items
        taken as known. Raises UsageError as `contrast` does.
        """
        return compared_scores(self._effect_table(), (component, level, reference), self.a, self.b, self.c)

    def _effect_table(self) -> EffectTable:
        made = self.components_design
        return EffectTable(made.levels, made.to_effects, self.beta, self.beta_cov)


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
