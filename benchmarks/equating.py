"""Two simulated forms with shared questions: do abilities on one scale hold, and are drifted questions found?

    python benchmarks/equating.py                     # 500 replicates of each setting, about 15 minutes
    python benchmarks/equating.py --replicates 50
    python benchmarks/equating.py real                # halves of the panels in ../shared/calibration/irt_matrices

Each form has 60 questions. Systems of the new form are abler by .3. A drifted question is harder (with "mixed",
harder or easier) in the new form by so many units of difficulty, which are logits where discrimination is 1.
`abilities`: share of the 95% intervals of the new form's systems that hold the truth, on the scale of the old form's
questions; `one system`: the same of one system drawn of each replicate, with Wilson's interval. `drift found` and
`false` (undrifted anchors that are called drifted) are shares with Wilson's interval; `robust z` is the rule of Huynh
& Meyer (2010): |difference of difficulty less the median| above 1.645 times .74 of the interquartile range.
Figures of docs/equating.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from viva.core.errors import UsageError
from viva.core.estimates import Ability
from viva.metrics.intervals import Z, wilson
from viva.metrics.irt.fit.estimation import fit
from viva.metrics.irt.linking.link import Link, link
from viva.metrics.irt.model.curves import probability_3pl
from viva.metrics.irt.model.result import Fit

Floats = NDArray[np.float64]
FORM = 60
FOLDER = Path(__file__).resolve().parents[1] / ".." / "shared" / "calibration" / "irt_matrices"


@dataclass(frozen=True)
class Setting:
    """What is simulated; `same`: the systems of the old form take the new one too, and answer anchors alike."""

    systems: int = 300
    anchors: int = 20
    drifted: int = 3
    drift: float = 1.0
    mixed: bool = False
    same: bool = False
    guessing: float = 0.0

    def __str__(self) -> str:
        told = f"{self.systems} systems, {self.anchors} anchors"
        told += f", {self.drifted} drifted by {self.drift:g}" if self.drifted else ", no drift"
        told += " mixed" * self.mixed + ", the same in both" * self.same
        return told + (f", guessing {self.guessing:g}" if self.guessing else "")


SETTINGS = (
    Setting(),
    Setting(drift=0.6),
    Setting(mixed=True),
    Setting(drifted=0),
    Setting(anchors=10, drifted=2),
    Setting(guessing=0.2),
    Setting(systems=100),
    Setting(systems=60, drift=2),
    Setting(systems=50),
    Setting(systems=20, drift=3),
    Setting(systems=60, drifted=0),
    Setting(systems=20, drifted=0),
    Setting(systems=8, drifted=0),
    Setting(systems=20, drifted=0, same=True),
    Setting(systems=8, drifted=0, same=True),
)


@dataclass(frozen=True, eq=False)
class Forms:
    """Both fits; the anchors' places in either; which of these drifted; true abilities of the new systems."""

    old: Fit
    new: Fit
    shared: tuple[NDArray[np.int64], NDArray[np.int64]]
    drifted: NDArray[np.bool_]
    theta: Floats


def simulated(setting: Setting, seed: int) -> Forms:
    """Draw both forms; the last questions of the old one are the first of the new one."""
    rng, k = np.random.default_rng(seed), setting.anchors
    items = 2 * FORM - k
    a, b, c = np.exp(rng.normal(0, 0.3, items)), rng.normal(0, 1, items), np.full(items, setting.guessing)
    before, after = slice(0, FORM), slice(FORM - k, items)
    theta = rng.normal(0, 1, setting.systems)
    later = theta if setting.same else rng.normal(0.3, 1, setting.systems)
    drift = np.zeros(items)
    chosen = FORM - k + rng.choice(k, setting.drifted, replace=False)
    drift[chosen] = setting.drift * (rng.choice([-1, 1], setting.drifted) if setting.mixed else 1)
    first = _answers(rng, theta, a[before], b[before], c[before])
    second = _answers(rng, later, a[after], (b + drift)[after], c[after])
    if setting.same:
        second[:, :k] = first[:, FORM - k :]
    old = fit(first, model="3pl" if setting.guessing else "2pl")
    new = fit(second, model=old.formats.models[0])
    # the old scale: its questions' difficulties have mean 0, their discriminations a geometric mean of 1
    truth = (later - b[before].mean()) * np.exp(np.log(a[before]).mean())
    return Forms(old, new, (np.arange(FORM - k, FORM), np.arange(k)), drift[FORM - k : FORM] != 0, truth)


def _answers(rng: np.random.Generator, theta: Floats, a: Floats, b: Floats, c: Floats) -> Floats:
    return (rng.random((len(theta), len(a))) < probability_3pl(theta, a, b, c)).astype(np.float64)


def held(forms: Forms, found: Link) -> Iterator[bool]:
    """Whether each ability's interval on the old scale holds the truth."""
    for each, truth in zip(forms.new.abilities, forms.theta.tolist(), strict=True):
        if isinstance(each, Ability):
            value, error = found.abilities([each.theta], [each.se])
            yield bool(abs(value[0] - truth) <= Z * error[0])


def robust_z(forms: Forms) -> NDArray[np.bool_]:
    """Anchors (k,) that the rule of Huynh & Meyer calls drifted."""
    slope = np.exp(np.mean(np.log(forms.new.a[forms.shared[1]] / forms.old.a[forms.shared[0]])))
    difference = forms.old.b[forms.shared[0]] - slope * forms.new.b[forms.shared[1]]
    low, middle, high = np.quantile(difference, [0.25, 0.5, 0.75])
    return np.asarray(np.abs(difference - middle) > 1.645 * 0.74 * (high - low))


def share(found: list[bool], digits: int = 3) -> str:
    """A share with Wilson's interval."""
    each = wilson(sum(found), len(found))
    return f"{each.value:.{digits}f} ({each.low:.{digits}f}-{each.high:.{digits}f})" if each else "-"


def line(setting: Setting, replicates: int) -> str:
    """A row of the table."""
    hits, false, z_hits, z_false = (list[bool]() for _ in range(4))
    covered, one, refused = list[bool](), list[bool](), 0
    for seed in range(replicates):
        forms = simulated(setting, seed)
        try:
            found = link(forms.old, forms.new, forms.shared)
        except UsageError:
            refused += 1
            continue
        hits += found.drifted[forms.drifted].tolist()
        false += found.drifted[~forms.drifted].tolist()
        by_z = robust_z(forms)
        z_hits += by_z[forms.drifted].tolist()
        z_false += by_z[~forms.drifted].tolist()
        own = list(held(forms, found))
        covered += own
        one += [own[seed % len(own)]] if own else []
    figures = (f"{np.mean(covered):.3f}", share(one), share(hits), share(false), f"{share(z_hits)}, {share(z_false)}")
    return f"| {setting} | {' | '.join(figures)} | {refused} |"


# --- real panels --------------------------------------------------------------------------------------------


def real(folder: Path, draws: int) -> None:
    """Split panels into halves that took forms with 20 questions in common: no question changed.

    Halves are of examinees at random, or of whole families (what stands before the last underscore of a name).
    """
    print("| matrix | called drifted: halves at random | halves of families |\n|---|---|---|")
    for file in sorted(folder.glob("*.csv*")):
        names, values = _matrix(file)
        if values.shape[1] < 2 * FORM - 20:
            continue
        families = np.array([name.rpartition("_")[0] or name for name in names])
        told = [
            share(list(_called(values, groups, draws))) for groups in (np.arange(len(names)).astype(str), families)
        ]
        print(f"| {file.name.split('.')[0]} | {' | '.join(told)} |", flush=True)


def _matrix(file: Path) -> tuple[list[str], Floats]:
    from viva.exams.response_matrix import read_matrix

    found = read_matrix(file)
    return list(found.examinees), found.responses


def _called(values: Floats, groups: NDArray[np.str_], draws: int) -> Iterator[bool]:
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        first = np.isin(groups, rng.permutation(np.unique(groups))[: len(np.unique(groups)) // 2])
        items = rng.choice(values.shape[1], 2 * FORM - 20, replace=False)
        old = fit(values[np.ix_(first, items[:FORM])])
        new = fit(values[np.ix_(~first, items[FORM - 20 :])], model=old.formats.models[0])
        try:
            found = link(old, new, (np.arange(FORM - 20, FORM), np.arange(20)))
        except UsageError:
            continue
        yield from found.drifted[found.usable].tolist()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=["simulated", "real"], default="simulated")
    parser.add_argument("--replicates", type=int, default=500)
    parser.add_argument("--only", type=int, nargs="*", help="settings by number, from 1")
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    given = parser.parse_args()
    with threadpool_limits(limits=1, user_api="blas"):
        if given.what == "real":
            real(given.folder, given.draws)
            return
        print("| setting | abilities | one system | drift found | false | robust z: found, false | refused |")
        print("|---|---|---|---|---|---|---|")
        for setting in [SETTINGS[number - 1] for number in given.only or range(1, len(SETTINGS) + 1)]:
            print(line(setting, given.replicates), flush=True)


if __name__ == "__main__":
    main()
