"""What all records have in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """Base of all records: immutable, and no field that is not declared."""

    model_config = ConfigDict(frozen=True, extra="forbid")
