"""What all records have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator


class Record(BaseModel):
    """Base of all records: immutable, and no field that is not declared."""

    # built when first used: a command uses few of them
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def ignoring(*names: str) -> Any:
    """A validator of a record: fields of these names, which earlier versions stored, are ignored."""

    def known(stored: Any) -> Any:
        return {k: v for k, v in stored.items() if k not in names} if isinstance(stored, Mapping) else stored

    return model_validator(mode="before")(known)
