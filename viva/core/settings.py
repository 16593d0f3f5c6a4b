"""The settings of a run: frozen, and read once. Environment variables are VIVA_<NAME>; no .env file is read."""

from __future__ import annotations

import json
from typing import Annotated, Literal

from pydantic import BaseModel, Field, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

_JUDGE = r"^[a-z0-9][a-z0-9._-]{0,63}$"
"""What can be the name of a judge."""


class ExamSettings(BaseModel):
    """Settings that determine the exam. A run folder is bound to them: another value needs another folder."""

    seed: int = Field(default=0, ge=0)
    max_documents: int | None = Field(default=None, ge=1)
    ignore: tuple[str, ...] = ()
    max_file_mb: float = Field(default=20.0, gt=0)
    chunk_tokens: int = Field(default=254, ge=32, le=4096)
    chunk_overlap: int = Field(default=32, ge=0)
    embedding_model: str = Field(default="minilm", min_length=1)
    model: Annotated[tuple[str, ...], NoDecode] = ()
    base_url: str | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | Literal["default"] = 0.0
    max_reply_tokens: int = Field(default=2048, ge=64)
    options: int = Field(default=4, ge=3, le=6)
    items_per_chunk: int = Field(default=2, ge=1, le=20)
    revisions: int = Field(default=2, ge=0, le=10)
    redos: int = Field(default=2, ge=0, le=10)
    sure_only: bool = False
    blueprint: str = ""
    audience: str = Field(default="somebody who works with these documents", min_length=3, max_length=200)
    min_faithfulness: float = Field(default=0.9, ge=0, le=1)
    min_rating: int = Field(default=4, ge=1, le=5)


class SittingSettings(BaseModel):
    """Settings that may change between sittings. The run folder stores them for the next stages."""

    items: int = Field(default=100, ge=1)
    open_share: float = Field(default=0.0, ge=0, le=1)
    max_known: float = Field(default=0.3, ge=0, le=1)
    judge: str = Field(default="offline", pattern=_JUDGE)
    qualities: Annotated[tuple[Annotated[str, Field(pattern=_JUDGE)], ...], NoDecode] = ()
    worked_examples: int = Field(default=4, ge=0, le=20)
    examinees: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()
    pass_mark: float = Field(default=0.0, ge=0, lt=1)
    passages: int = Field(default=1, ge=1, le=100)
    timeout_s: float = Field(default=30.0, gt=0)
    repeats: int = Field(default=1, ge=1, le=20)
    manufactured: bool = True
    ablation_questions: int = Field(default=100, ge=0)
    oral_questions: int = Field(default=60, ge=0)
    concurrency: int = Field(default=8, ge=1, le=1024)
    max_cost: float | None = Field(default=None, ge=0)
    max_tokens: int | None = Field(default=None, ge=0)
    max_calls: int | None = Field(default=None, ge=0)
    price: Annotated[tuple[str, ...], NoDecode] = ()
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)
    call_timeout_s: float = Field(default=120.0, gt=0)


class PlaceSettings(BaseModel):
    """Where the work is done and the data are stored: for one command only."""

    engine: Literal["local", "ray"] = "local"
    ray_address: str | None = None
    workers: int | None = Field(default=None, ge=1, le=1000)
    database_url: str | None = None
    qdrant_url: str | None = None


class Settings(ExamSettings, SittingSettings, PlaceSettings, BaseSettings):
    """All settings of a run. `make demo` uses the defaults."""

    model_config = SettingsConfigDict(env_prefix="VIVA_", frozen=True, extra="forbid", env_file=None)

    @field_validator("model", "price", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        """In the environment, one model or price is written as it is; several are a JSON list."""
        if not isinstance(value, str):
            return value
        return json.loads(value) if value.lstrip().startswith("[") else (value,)

    @field_validator("qualities", mode="before")
    @classmethod
    def _separated(cls, value: object) -> object:
        """In one text, commas separate the names; "none" names none."""
        if not isinstance(value, str):
            return value
        names = (name.strip() for name in value.split(","))
        return tuple(dict.fromkeys(name for name in names if name not in {"", "none"}))

    @field_validator("pairs")
    @classmethod
    def _named_pairs(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """The pairs; "none" names none."""
        return tuple(pair for pair in value if pair.strip() != "none")

    @property
    def units_per_chunk(self) -> int:
        """The most facts to ask about in one chunk: a rejected draft needs another fact in its place."""
        return 2 * self.items_per_chunk
