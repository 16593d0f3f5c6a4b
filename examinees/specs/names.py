"""Names by which examinees are told apart: an edited system, or another of the same name, is another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from viva.core.records import Examinee
from viva.examinees.specs.records import Spec

SYSTEM = "system"
"""The component of a system that is made of nothing it has told; its level is the system's name."""
LONGEST_TAG = 80


def told_apart(specs: Sequence[Spec], known: Sequence[Examinee]) -> list[Spec]:
    """The specs, each with a name that nobody else has, whatever the case of its letters.

    Who is `known` by its id keeps the name it was given first. Of two that were asked for by other words, those words
    stand behind the name; of two versions of one, their number in the order in which they came: "mine (version 2)".
    """
    by_id = {examinee.id: examinee for examinee in known}
    named = {examinee.name.casefold(): examinee for examinee in known}
    found = []
    for spec in specs:
        examinee = _named(spec.examinee, by_id, named)
        named[examinee.name.casefold()] = by_id[examinee.id] = examinee
        found.append(spec if examinee == spec.examinee else replace(spec, examinee=examinee))
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
    """The words by which it was asked for, without the name that they give it."""
    words = examinee.spec.removeprefix(f"{examinee.name}=")
    return words if len(words) <= LONGEST_TAG else f"…{words[1 - LONGEST_TAG :]}"


def _with(examinee: Examinee, tag: str) -> Examinee:
    levels = dict(examinee.components)
    if SYSTEM in levels:
        # a level that both share would have both share an ability
        levels[SYSTEM] = f"{levels[SYSTEM]} ({tag})"
    return examinee.model_copy(update={"name": f"{examinee.name} ({tag})", "components": levels})
