"""The systems of an examination: objects at hand, specs in words, and viva's own panel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from viva.core.errors import UsageError
from viva.core.settings import Settings
from viva.examinees.specs.live import live_spec
from viva.examinees.specs.parse import PANEL, parse_spec, parse_specs
from viva.examinees.specs.records import Spec


@dataclass(frozen=True)
class SystemPanel:
    """Systems under one name: viva's own, or those of a panel file."""

    specs: tuple[str, ...] = (PANEL,)


def panel(*specs: str) -> SystemPanel:
    """Name viva's panel (retrievers x readers without a model), or other systems by their specs.

    A spec is what `viva sit -e` takes: 'bm25+openai:gpt-4o-mini', 'my_rag.py:answer', 'panel.yaml'.
    """
    return SystemPanel(specs or (PANEL,))


def specs_of(systems: Mapping[str, Any], more: Sequence[str | SystemPanel], settings: Settings) -> list[Spec]:
    """Describe all systems once: under the names that they were given, then those without.

    UsageError where none is given, and for a spec that is wrong.
    """
    found: dict[str, Spec] = {}
    for name, system in systems.items():
        for spec in _named(name, system, settings):
            found.setdefault(spec.examinee.id, spec)
    for text in more:
        for each in text.specs if isinstance(text, SystemPanel) else (text,):
            for spec in parse_specs(each, settings):
                found.setdefault(spec.examinee.id, spec)
    if not found:
        raise UsageError(
            "No system is given.",
            allowed="NAME=SYSTEM: a function, an object that can be asked, a spec in words, or viva.panel().",
            next_step="Example: run.examine(mine=answer, baseline='bm25+lexical')",
        )
    return list(found.values())


def _named(name: str, system: Any, settings: Settings) -> list[Spec]:
    if isinstance(system, SystemPanel):
        return [spec for text in system.specs for spec in parse_specs(text, settings)]
    if isinstance(system, str):
        return [parse_spec(f"{name}={system}", settings)]
    return [live_spec(name, system)]
