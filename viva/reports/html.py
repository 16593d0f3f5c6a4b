"""The report as one HTML file that needs nothing else: no network, no server, no other file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from plotly.offline import get_plotlyjs

from viva.core.note_words import nothing_separates, scores_notes
from viva.core.records import Exclusion
from viva.core.scores import Scores
from viva.core.scores_pairs import Pairs
from viva.exams.statistics import exam_statistics
from viva.graphs.authoring.editions import edition_sentences
from viva.reports.data import ReportData, check_funnel
from viva.reports.embed import content_policy, json_for_script, own_source, template
from viva.reports.headline import headline
from viva.reports.plots.exam import blind_bars, characteristic_curves, information_curves, item_scatter
from viva.reports.plots.grids import LEVELS, SMALL, group_grid, pair_grid
from viva.reports.plots.style import Figure
from viva.reports.plots.systems import ability_forest, accuracy_forest, effect_forests
from viva.reports.sections import diagnosis, spending
from viva.reports.sections.coverage import NAMES, covered, missed
from viva.reports.sections.drafts import by_count, ledgers, rejected_reasons
from viva.reports.sections.items import FLAGS, ItemView, item_views
from viva.reports.sections.measure import measure
from viva.reports.sections.open_answers import open_context
from viva.reports.sections.oral import oral_context, oral_figures, oral_parts
from viva.reports.sections.pairs import GradeBook, shown_pairs
from viva.reports.sections.refining import step_context
from viva.reports.sections.retrieval import COLUMNS as RETRIEVER_COLUMNS
from viva.reports.sections.retrieval import retriever_cells, retriever_sentences
from viva.reports.sections.sampling import pass_cells, pass_columns, sampling_sentences
from viva.reports.sections.systems import (
    SystemRow,
    component_spreads,
    detectable_sentence,
    groups_sentence,
    known_sentence,
    recall_columns,
    reliability_sentence,
    system_rows,
    told_spreads,
)

# a list of files longer than this is no longer read; the rest is counted
LISTED_EXCLUSIONS = 200
LISTED_BARS = 20
LISTED_PARTED = 50


def render_report(data: ReportData) -> str:
    """The whole page; the same data give the same bytes.

    Everything that documents, items and examinees say is escaped, and the page's own policy lets no script run but
    the three it carries. Raises ValueError where the funnel does not add up.
    """
    check_funnel(data.funnel, data.exam)
    rows, book = system_rows(data.scores), GradeBook.of(data)
    views = item_views(data, rows)
    figures = _figures(data, rows, views)
    curves = {} if nothing_separates(data.scores) else characteristic_curves(views, rows, book)
    measured = measure(data, rows, views, book)
    figures |= measured.figures
    diagnosed = diagnosis.parts(data, views)
    figures |= diagnosis.figures(diagnosed)
    orals = oral_parts(data)
    figures |= oral_figures(data, orals)
    scripts = {"plotly": _plotly(), "page": _asset("report.js")}
    return template("report.html.j2").render(
        **_context(data, rows, views),
        **step_context(data, views),
        **oral_context(data, orals),
        **open_context(data.scores),
        diagnosed=diagnosed,
        diagnosed_limit=diagnosis.LISTED,
        measure=measured,
        headline=headline(data, rows),
        figures=figures,
        curves=curves,
        store=json_for_script({"figures": figures, "curves": curves}),
        style=own_source(_asset("report.css")),
        scripts={name: own_source(script) for name, script in scripts.items()},
        policy=content_policy(scripts.values()),
    )


def _figures(data: ReportData, rows: tuple[SystemRow, ...], views: tuple[ItemView, ...]) -> dict[str, Figure]:
    scores = data.scores
    found: dict[str, Figure | None] = {
        "accuracy": accuracy_forest(rows, data.chance, scores.baselines) if rows else None,
        "blind": blind_bars(scores.baselines, data.chance),
    }
    if not nothing_separates(scores):
        found |= {
            "ability": ability_forest(rows),
            "pairs": pair_grid(rows, Pairs(scores.comparisons)),
            "information": information_curves(views, rows),
            "scatter": item_scatter(views),
        }
        forests = effect_forests(scores.effects)
        found |= {f"effects-{place}": forests[name] for place, name in enumerate(component_spreads(scores.effects))}
    for place, attribute in enumerate(_attributes(scores)):
        found[f"groups-{place}"] = group_grid(rows, scores.groups, attribute)
    return {name: figure for name, figure in found.items() if figure is not None}


def _context(data: ReportData, rows: tuple[SystemRow, ...], views: tuple[ItemView, ...]) -> dict[str, Any]:
    alike = nothing_separates(data.scores)
    reliability = data.scores.measurement.reliability if data.scores.measurement and not alike else None
    return {
        "data": data,
        "scores": data.scores,
        "notes": (*data.unscored, *scores_notes(data.scores)),
        "corpus": data.statistics,
        "corpus_name": _corpus_name(data.run.documents_folder or (data.own.file if data.own else "")),
        "rows": rows,
        "recalls": recall_columns(rows),
        "evidence": any(shown.item.evidence for shown in data.exam.items),
        "groups_told": groups_sentence(rows),
        "retriever_columns": RETRIEVER_COLUMNS,
        "retrievers": [(row, retriever_cells(row)) for row in data.scores.retrievers],
        "told_retrievers": retriever_sentences(data.scores),
        "told_tokens": spending.tokens_counted(data.scores.examinees),
        "told_cost": spending.cost_known(data.scores.examinees),
        "known_told": known_sentence(data.scores.known, len(data.exam.items)),
        "views": views,
        "components": [] if alike else _telling_components(data.scores),
        "alike": alike,
        "told_spreads": told_spreads(data.scores),
        "attributes": _attributes(data.scores),
        "ledgers": ledgers(data.funnel),
        "rejected": rejected_reasons(data.funnel, data.rejections),
        "excluded": _excluded(data.exclusions),
        "editions_told": edition_sentences(data.editions)[0],
        "topics": by_count(data.statistics.topics),
        "formats": by_count(data.statistics.formats),
        "covered": covered(data.coverage),
        "missed": missed(data.blueprint),
        "facet_names": NAMES,
        "exam": exam_statistics(data.exam, None if data.own else data.funnel),
        "exclusion_limit": LISTED_EXCLUSIONS,
        "bar_limit": LISTED_BARS,
        "total_seconds": sum(time.seconds for time in data.times),
        "offline": data.run.settings.get("model") in {None, "[]"},
        "spent": spending.total(data.model_use),
        "per_item": spending.per_accepted_item(data.model_use, data.funnel.accepted),
        "flags": FLAGS,
        "flag_counts": by_count({flag: sum(flag in view.flags for view in views) for flag in FLAGS}),
        "told_pairs": shown_pairs(data),
        "pair_limit": LISTED_PARTED,
        "detectable": detectable_sentence(data.scores),
        "reliability": reliability_sentence(reliability),
        "sampling": sampling_sentences(data.scores),
        "passing": pass_cells(data.scores),
        "pass_columns": pass_columns(data.scores),
        "small": SMALL,
        "most_levels": LEVELS,
    }


def _corpus_name(folder: str) -> str:
    if folder.startswith("--loader "):
        return folder.partition("?")[0].rpartition(":")[2]
    parts = [part for part in folder.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return parts[-1] if parts else folder


def _telling_components(scores: Scores) -> list[str]:
    """The components by which ability is told; none where the systems differ in their names alone."""
    found = list(component_spreads(scores.effects))
    return [] if found == ["system"] else found


def _attributes(scores: Scores) -> list[str]:
    return list(dict.fromkeys(group.attribute for group in scores.groups))


def _excluded(exclusions: Sequence[Exclusion]) -> list[tuple[str, list[Exclusion]]]:
    reasons: dict[str, list[Exclusion]] = {}
    for exclusion in exclusions:
        reasons.setdefault(exclusion.reason.value, []).append(exclusion)
    return sorted(reasons.items(), key=lambda pair: (-len(pair[1]), pair[0]))


def _asset(name: str) -> str:
    return files("viva.reports.templates").joinpath(name).read_text(encoding="utf-8")


@cache
def _plotly() -> str:
    # a browser hashes what it parsed, and parsing turns every line end into a single character
    return str(get_plotlyjs()).replace("\r\n", "\n").replace("\r", "\n")
