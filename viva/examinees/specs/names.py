"""Unique names of examinees: an edited system is a new examinee, and so is another system of the same name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from viva.core.records import Examinee
from viva.examinees.specs.records import Spec

SYSTEM = "system"
"""The only component of a system that has told none; its level is the name of the system."""
LONGEST_TAG = 80


def told_apart(specs: Sequence[Spec], known: Sequence[Examinee]) -> list[Spec]:
    """The specs, each with a unique name; upper and lower case count as the same.

    An examinee that is `known` by its id keeps its first name. If two different specs have the same name, the text of
    the spec follows the name of the second. Versions of one spec are numbered: "mine (version 2)".
    """
    by_id = {examinee.id: examinee for examinee in known}
    named = {examinee.name.casefold(): examinee for examinee in known}
    found = []
    for spec in specs:
        examinee = _named(spec.examinee, by_id, named)
        named[examinee.name.casefold()] = by_id[examinee.id] = examinee
        found.append(spec if examinee == spec.examinee else spec.of(examinee))
    return found


def _named(examinee: Examinee, by_id: Mapping[str, Examinee], named: Mapping[str, Examinee]) -> Examinee:
    before = by_id.get(examinee.id)
    if before is not None:
        return examinee.model_copy(update={"name": before.name, "components": before.components})
    namesake = named.get(examinee.name.casefold())
    if namesake is None:
        return examinee
    tags = [] if namesake.spec == examinee.spec else [_words(examinee)]
    return next(
        tagged
        for tag in (*tags, *(f"version {n}" for n in range(2, len(named) + 3)))
        if (tagged := _with(examinee, tag)).name.casefold() not in named
    )


def _words(examinee: Examinee) -> str:
    """The text of the spec, without the name in it."""
    words = examinee.spec.removeprefix(f"{examinee.name}=")
    return words if len(words) <= LONGEST_TAG else f"…{words[1 - LONGEST_TAG :]}"


def _with(examinee: Examinee, tag: str) -> Examinee:
    levels = dict(examinee.components)
    if SYSTEM in levels:
        # with the same level, both would share one ability
        levels[SYSTEM] = f"{levels[SYSTEM]} ({tag})"
    return examinee.model_copy(update={"name": f"{examinee.name} ({tag})", "components": levels})
