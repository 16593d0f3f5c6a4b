"""The results of an analysis as tables of records: the same in JSON and in CSV files (docs/irt.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from math import isfinite
from typing import Any

import numpy as np

from viva.core.estimates import Ability, Estimate, OutsideAbility
from viva.core.note_words import note_sentence
from viva.core.scores import ItemFlag
from viva.metrics.intervals import Z
from viva.metrics.irt.checks.wrong_keys import expected_information
from viva.metrics.irt.fit.analysis import Analysis
from viva.metrics.irt.model.responses import NotJudged

SCHEMA = "viva-irt"
VERSION = 1
COLUMNS = {
    "abilities": "examinee right graded theta se low high outside expected_score score_low score_high person_fit "
    "group",
    "items": "item right graded a a_se b b_se c c_se information slope_z infit infit_z outfit outfit_z s_x2 s_x2_df "
    "s_x2_p wrong_key read_rank unanswerable leaked leaked_to_level q3 flags",
    "effects": "component level estimate se low high",
    "contrasts": "component level reference difference se low high p_value score_difference score_low score_high",
    "flags": "item kind strength reason component level difference difference_low difference_high",
}

Record = dict[str, object]

_DIGITS = 6


def record_tables(found: Analysis) -> dict[str, list[Record]]:
    """The five tables, each a list of records with the columns of COLUMNS; None where there is no value."""
    rows = {
        "abilities": _abilities(found),
        "items": _items(found),
        "effects": [
            {
                "component": component,
                "level": level,
                "estimate": effect.estimate,
                "se": effect.se,
                "low": effect.estimate - effect.reach,
                "high": effect.estimate + effect.reach,
            }
            for component, levels in found.fit.effects.items()
            for level, effect in levels.items()
        ],
        "contrasts": _contrasts(found),
        "flags": [_flag(flag) for flag in found.flags],
    }
    return {
        name: [{column: _plain(row.get(column)) for column in COLUMNS[name].split()} for row in rows[name]]
        for name in COLUMNS
    }


def document(found: Analysis, settings: Mapping[str, object], assumed: Sequence[str] = ()) -> dict[str, object]:
    """The whole result as one document with its schema and version; `assumed`: notes on the input."""
    fit = found.fit
    told: Record = {
        "schema": SCHEMA,
        "version": VERSION,
        "examinees": len(found.examinees),
        "item_count": len(found.items),
        "responses": int(found.graded.sum()),
        "settings": dict(settings),
        "fit": {
            "method": fit.method,
            "converged": fit.converged,
            "model": fit.model,
            "message": fit.message,
            "iterations": fit.iterations,
            "loglik": fit.loglik,
            "residual_sd": fit.residual_sd,
        },
        "notes": [*assumed, *notes_told(found)],
        **record_tables(found),
        "contrast_adjustment": "" if isinstance(found.contrasts, NotJudged) else found.contrasts.adjustment,
        "information": found.information,
        "reliability": found.reliability.model_dump(),
        "checks": _checks(found),
        "held_out": found.held_out,
    }
    return {name: _plain(value) for name, value in told.items()}


def notes_told(found: Analysis, limit: int | None = None) -> list[str]:
    """The fit's and the checks' notes; of more than `limit` examinees in one the rest is counted."""
    names = {name: f"examinee {name}" for name in found.examinees}
    return [note_sentence(note, names, limit) for note in (*found.fit.notes, *found.checks.notes)]


def _abilities(found: Analysis) -> list[Record]:
    return [
        {
            "examinee": name,
            "right": found.right[n],
            "graded": found.graded[n],
            **_ability(found.fit.abilities[n]),
            "expected_score": found.expected_scores[n].value,
            "score_low": found.expected_scores[n].low,
            "score_high": found.expected_scores[n].high,
            "person_fit": found.person_fit[n],
            "group": found.fit.groups[0][n] + 1,
        }
        for n, name in enumerate(found.examinees)
    ]


def _ability(found: Ability | OutsideAbility | None) -> Record:
    """One bound alone where the exam does not measure it."""
    if isinstance(found, OutsideAbility):
        return {"outside": found.side, "high" if found.side == "below" else "low": found.bound}
    if found is None:
        return {}
    return {
        "theta": found.theta,
        "se": found.se,
        "low": found.theta - Z * found.se,
        "high": found.theta + Z * found.se,
    }


def _items(found: Analysis) -> list[Record]:
    fit, checks = found.fit, found.checks
    columns: dict[str, Any] = {
        "item": found.items,
        "right": found.item_right,
        "graded": found.item_graded,
        **{name: getattr(fit, name) for name in ("a", "a_se", "b", "b_se", "c", "c_se")},
        "information": expected_information(fit.theta, fit.a, fit.b, fit.c),
        "slope_z": checks.slope_z,
    }
    if not isinstance(checks.mean_squares, NotJudged):
        judged = checks.mean_squares.judged
        for name in ("infit", "infit_z", "outfit", "outfit_z"):
            columns[name] = np.where(judged, getattr(checks.mean_squares, name), np.nan)
    if not isinstance(checks.score_fit, NotJudged):
        for name, of in (("s_x2", "statistic"), ("s_x2_df", "df"), ("s_x2_p", "adjusted")):
            columns[name] = np.where(checks.score_fit.judged, getattr(checks.score_fit, of), np.nan)
    if not isinstance(checks.faults, NotJudged):
        for name in ("wrong_key", "unanswerable", "leaked"):
            columns[name] = getattr(checks.faults, name)
        rank = np.argsort(checks.faults.reading_order) + 1.0
        columns["read_rank"] = np.where(np.isfinite(checks.faults.wrong_key), rank, np.nan)
    if not isinstance(checks.leaks, NotJudged):
        columns["leaked_to_level"] = checks.leaks.any_level
    if not isinstance(checks.dependence, NotJudged):
        columns["q3"] = np.where(checks.dependence.judged.any(axis=1), checks.dependence.strongest, np.nan)
    kinds: dict[str, list[str]] = {}
    for flag in found.flags:
        if flag.kind not in kinds.setdefault(flag.item_id, []):
            kinds[flag.item_id].append(flag.kind)
    columns["flags"] = ["; ".join(kinds.get(item, ())) for item in found.items]
    return [{name: values[m] for name, values in columns.items()} for m in range(len(found.items))]


def _flag(flag: ItemFlag) -> Record:
    size = flag.difference
    sized = {"difference": size.value, "difference_low": size.low, "difference_high": size.high} if size else {}
    named = {"component": flag.component or None, "level": flag.level or None}
    return {**asdict(flag), "item": flag.item_id, "difference": None, **named, **sized}


def _contrasts(found: Analysis) -> list[Record]:
    if isinstance(found.contrasts, NotJudged):
        return []
    return [
        {
            **asdict(pair),
            "score_difference": pair.score.value,
            "score_low": pair.score.low,
            "score_high": pair.score.high,
        }
        for pair in found.contrasts.pairs
    ]


def _checks(found: Analysis) -> Record:
    """The figures of each check for the whole exam, or why it was not made."""
    checks = found.checks
    kinds = [flag.kind for flag in found.flags]
    pairs = None if isinstance(checks.dependence, NotJudged) else checks.dependence
    levels = None if isinstance(checks.level_differences, NotJudged) else checks.level_differences
    figures: dict[str, tuple[object, Record]] = {
        "mean_squares": (checks.mean_squares, {"flagged": kinds.count("misfit")}),
        "score_fit": (checks.score_fit, {"examinees": getattr(checks.score_fit, "examinees", None)}),
        "dependence": (
            checks.dependence,
            {
                "mean_q3": pairs.mean if pairs else None,
                "pairs": [
                    {**asdict(pair), "first": found.items[pair.first], "second": found.items[pair.second]}
                    for pair in (pairs.pairs if pairs else ())
                ],
            },
        ),
        "faults": (checks.faults, {kind: kinds.count(kind) for kind in ("wrong key", "unanswerable", "leaked")}),
        "leaks": (checks.leaks, {"suspected": kinds.count("leaked to a level")}),
        "level_differences": (checks.level_differences, {"found": len(levels.differences) if levels else None}),
        "additivity": (checks.additivity, asdict(checks.additivity)),
        "second_dimension": (checks.second_dimension, _second_dimension(found)),
        "contrasts": (found.contrasts, {"count": len(_contrasts(found))}),
    }
    return {
        name: {"not_made": check.reason} if isinstance(check, NotJudged) else told
        for name, (check, told) in figures.items()
    }


def _second_dimension(found: Analysis) -> Record:
    """The gain, and where it matters who does better on which items."""
    second = found.checks.second_dimension
    if isinstance(second, NotJudged):
        return {}
    rows = found.checks.witnesses.rows.tolist()
    sides = second.sides() if second.matters else ()
    return {
        "gain": second.gain,
        "matters": second.matters,
        "specialists": [
            {
                "examinees": [found.examinees[rows[place]] for place in side.examinees],
                "items": [found.items[place] for place in side.items],
            }
            for side in sides
        ],
    }


def _plain(value: object) -> object:
    """Only numbers, texts, lists and records. Numbers are finite and rounded to their meaningful digits."""
    if isinstance(value, NotJudged):
        return {"not_made": value.reason}
    if isinstance(value, Estimate):
        return _plain({"estimate": value.value, "low": value.low, "high": value.high})
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}") if isfinite(value) else None
    return value
