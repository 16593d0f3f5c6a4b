"""A system that is at hand as a Python object: its spec, and an id that changes with its source."""

from __future__ import annotations

from typing import Any

from viva.core.ids import content_hash
from viva.core.records import Examinee
from viva.examinees.specs.records import LiveSpec
from viva.examinees.specs.versions import object_version


def live_spec(name: str, system: Any) -> LiveSpec:
    """Describe an object as the examinee of this name. Another source or other plain values make another examinee."""
    version = object_version(system)
    examinee = Examinee(
        id=content_hash("examinee", "live", name, version), name=name, spec=name, components={"system": name}
    )
    return LiveSpec(system=system, known_source=bool(version), examinee=examinee)
