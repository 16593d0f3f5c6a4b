"""What the page shows of the measurement, gathered: sentences, suspects and figures, or why there are none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite

from viva.core.scores import LevelContrast
from viva.metrics.irt.information import InformationOfGroup
from viva.metrics.irt.model.responses import NotJudged
from viva.reports.data import ReportData
from viva.reports.plots.measurement import (
    GROUPS,
    difference_forests,
    fit_scatter,
    group_bars,
    telling_curves,
)
from viva.reports.plots.response_map import MAP_COLUMNS, MAP_ROWS, SURPRISE, response_map
from viva.reports.plots.style import Figure
from viva.reports.sections.items import ItemView
from viva.reports.sections.misfit import ItemFit, item_fit
from viva.reports.sections.pairs import GradeBook
from viva.reports.sections.psychometrics import (
    MOST_LEVELS,
    MeasurementView,
    additivity_sentence,
    differences,
    differences_sentence,
    informative_groups,
    measured_sentence,
    measurement,
)
from viva.reports.sections.suspects import NO_SUSPECTS, Suspects, copies_sentence, suspects
from viva.reports.sections.systems import SystemRow

LISTED = 30
# fewer examinees show a fault only where nearly all of them agree on it
FEW = 30


@dataclass(frozen=True)
class Measure:
    """Either `reason`, why nothing could be measured, or all the rest."""

    reason: str = ""
    restated: bool = False
    measured: str = ""
    differences: Mapping[str, tuple[LevelContrast, ...]] = field(default_factory=dict)
    differences_reason: str = ""
    differences_told: str = ""
    additivity: str = ""
    residual_sd_se: float = 0.0
    suspects: Suspects = NO_SUSPECTS
    copies: str = ""
    misfits: tuple[int, ...] = ()
    informative: Mapping[str, tuple[InformationOfGroup, ...]] = field(default_factory=dict)
    figures: Mapping[str, Figure] = field(default_factory=dict)
    map_thinned: bool = False

    most_levels: int = MOST_LEVELS
    suspect_limit: int = LISTED
    few: int = FEW
    group_limit: int = GROUPS
    surprise: float = SURPRISE

    @property
    def against_best(self) -> bool:
        """Some component has too many levels for all its pairs to be shown."""
        return any(len({d.level for d in own}) == 1 and len(own) >= MOST_LEVELS for own in self.differences.values())


def measure(data: ReportData, rows: Sequence[SystemRow], views: Sequence[ItemView], book: GradeBook) -> Measure:
    """The measurement of this exam for the page."""
    found = measurement(data, rows, views, book)
    if isinstance(found, NotJudged):
        return Measure(reason=found.reason)
    fits, compared, groups = item_fit(found), differences(found), informative_groups(found)
    doubted = suspects(data, found, fits)
    levels = {} if isinstance(compared, NotJudged) else compared
    return Measure(
        restated=found.restated,
        measured=measured_sentence(found),
        differences=levels,
        differences_reason=compared.reason if isinstance(compared, NotJudged) else "",
        differences_told=differences_sentence(levels) if levels else "",
        additivity=additivity_sentence(found) if levels else "",
        residual_sd_se=_known(found.fit.residual_sd_se),
        suspects=doubted,
        copies=copies_sentence(doubted.copies),
        misfits=() if isinstance(fits, NotJudged) else fits.flagged,
        informative=groups,
        figures=_figures(found, doubted, fits, levels, groups),
        map_thinned=len(found.rows) > MAP_ROWS or len(found.views) > MAP_COLUMNS,
    )


def _known(value: float) -> float:
    return value if isfinite(value) else 0.0


def _figures(
    found: MeasurementView,
    doubted: Suspects,
    fits: ItemFit | NotJudged,
    compared: Mapping[str, tuple[LevelContrast, ...]],
    groups: Mapping[str, tuple[InformationOfGroup, ...]],
) -> dict[str, Figure]:
    figures = {"telling": telling_curves(found, _suspected(doubted)), "map": response_map(found)}
    if not isinstance(fits, NotJudged):
        figures["fit"] = fit_scatter(found, fits)
    forests = difference_forests(dict(compared))
    figures |= {f"differences-{place}": forest for place, forest in enumerate(forests.values())}
    bars = (group_bars(own, len(found.views)) for own in groups.values())
    return figures | {f"informative-{place}": bar for place, bar in enumerate(bars)}


def _suspected(doubted: Suspects) -> list[ItemView]:
    """Questions suspected for themselves, the firmest first, each once."""
    named = [suspect.views[0] for suspect in doubted.found if len(suspect.views) == 1]
    return list({view.number: view for view in named}.values())
