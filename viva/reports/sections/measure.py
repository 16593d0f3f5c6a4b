"""What the page shows of the measurement, gathered: sentences, suspects and figures, or why there are none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from viva.core.scores import GroupInformation, LevelContrast
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
from viva.reports.sections.pairs import GradeBook
from viva.reports.sections.psychometrics import (
    MOST_LEVELS,
    MeasurementView,
    additivity_sentence,
    differences,
    differences_sentence,
    measured_sentence,
    measurement,
    scale_sentence,
)
from viva.reports.sections.suspects import NO_SUSPECTS, OUT_OF_LINE, Suspects, copies_sentence, suspects
from viva.reports.sections.systems import SystemRow

LISTED, READ = 30, 10
# fewer examinees show a fault only where nearly all of them agree on it
FEW = 30


@dataclass(frozen=True)
class Measure:
    """Either `reason`, why nothing could be measured, or all the rest."""

    reason: str = ""
    earlier: bool = False
    """the scores are of an earlier version, which stored less of the checks"""
    measured: str = ""
    differences: Mapping[str, tuple[LevelContrast, ...]] = field(default_factory=dict)
    differences_reason: str = ""
    differences_told: str = ""
    additivity: str = ""
    scale: str = ""
    suspects: Suspects = NO_SUSPECTS
    copies: str = ""
    misfits: tuple[int, ...] = ()
    informative: Mapping[str, tuple[GroupInformation, ...]] = field(default_factory=dict)
    figures: Mapping[str, Figure] = field(default_factory=dict)
    map_thinned: bool = False

    most_levels: int = MOST_LEVELS
    suspect_limit: int = LISTED
    read_limit: int = READ
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
    if isinstance(found, str):
        return Measure(reason=found)
    told, levels, doubted = found.measured, differences(found), suspects(data, found)
    checks = told.checks
    misfits = tuple(view.number for each in doubted.found if each.kind == OUT_OF_LINE for view in each.views)
    return Measure(
        earlier=checks is None,
        measured=measured_sentence(found),
        differences=levels,
        differences_reason=told.not_made.get("contrasts", "") if len(data.scores.effects) > 1 and not levels else "",
        differences_told=differences_sentence(levels) if levels else "",
        additivity=additivity_sentence(found) if levels else "",
        scale=scale_sentence(found),
        suspects=doubted,
        copies=copies_sentence(doubted.copies),
        misfits=misfits,
        informative=found.groups,
        figures=_figures(found, doubted, misfits, levels),
        map_thinned=len(found.rows) > MAP_ROWS or len(found.views) > MAP_COLUMNS,
    )


def _figures(
    found: MeasurementView,
    doubted: Suspects,
    misfits: tuple[int, ...],
    compared: Mapping[str, tuple[LevelContrast, ...]],
) -> dict[str, Figure]:
    figures = {"telling": telling_curves(found, _suspected(doubted)), "map": response_map(found)}
    if found.measured.checks and found.measured.checks.curves:
        figures["fit"] = fit_scatter(found, found.measured.checks.curves, misfits)
    forests = difference_forests(dict(compared))
    figures |= {f"differences-{place}": forest for place, forest in enumerate(forests.values())}
    bars = (group_bars(own, len(found.views)) for own in found.groups.values())
    return figures | {f"informative-{place}": bar for place, bar in enumerate(bars)}


def _suspected(doubted: Suspects) -> list[ItemView]:
    """Questions suspected for themselves, the firmest first, each once."""
    named = [suspect.views[0] for suspect in doubted.found if len(suspect.views) == 1]
    return list({view.number: view for view in named}.values())
