"""Which model plays which role: --model openai:gpt-4o-mini,writer=anthropic:claude-sonnet-4-5."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from viva.core.errors import UsageError
from viva.core.gone import replacement

ROLES = ("units", "writer", "expert", "judge", "distractors", "solver")
_AS = {"examiner": "writer"}
"""Roles that may have a model of their own, and whose they have otherwise."""
_ALLOWED = (
    "PROVIDER:MODEL for all roles, and ROLE=PROVIDER:MODEL for one, separated by commas or in options of their own. "
    f"Roles: {', '.join((*ROLES, *_AS))}."
)
_EXAMPLE = "For example: --model openai:gpt-4o-mini,writer=anthropic:claude-sonnet-4-5"
_ROLE = re.compile(r"^([\w-]+)=(.*)$", re.DOTALL)


@dataclass(frozen=True)
class ModelName:
    """A model as it is asked for: 'openai:gpt-4o-mini', 'replay:runs/a/ledger.sqlite'."""

    provider: str
    model: str

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}"

    def require_known(self) -> None:
        """UsageError for a provider that is gone."""
        gone = replacement(f"--model {self.provider}:")
        if gone:
            raise UsageError(f"{self}: {gone}")


@dataclass(frozen=True)
class Roster:
    """The model of every role."""

    usual: ModelName | None
    of_role: Mapping[str, ModelName]

    def of(self, role: str) -> ModelName:
        """The model of a role such as 'writer' or 'judge.relevance'. UsageError where none was given."""
        part = role.split(".")[0]
        own = self.of_role.get(part) or self.of_role.get(_AS.get(part, part))
        name = own or self.usual
        if name is None:
            raise UsageError(f"No model was given for the role “{role}”.", allowed=_ALLOWED, next_step=_EXAMPLE)
        return name

    @property
    def canonical(self) -> list[str]:
        """The same roster in one way of writing: the usual model, then the roles that have another."""
        usual = [str(self.usual)] if self.usual else []
        own = [role for role in ROLES if self.of(role) != self.usual]
        own += [role for role, usually in _AS.items() if self.of(role) != self.of(usually)]
        return usual + [f"{role}={self.of(role)}" for role in own]

    @property
    def models(self) -> list[ModelName]:
        """Every model that plays, once, in the order of the roles."""
        return list(dict.fromkeys(self.of(role) for role in (*ROLES, *_AS)))


def parse_roster(texts: Sequence[str]) -> Roster:
    """The roster that --model options describe. UsageError for what cannot be read and for a role without a model."""
    usual: ModelName | None = None
    of_role: dict[str, ModelName] = {}
    for part in (part.strip() for text in texts for part in text.split(",")):
        named = _ROLE.match(part)
        if named is None:
            if usual is not None:
                raise UsageError(f"--model names two models for all roles: {usual} and {part}.", allowed=_ALLOWED)
            usual = _model(part)
        elif named.group(1) not in (*ROLES, *_AS):
            raise UsageError(f"--model names the role “{named.group(1)}”.", allowed=_ALLOWED, next_step=_EXAMPLE)
        elif named.group(1) in of_role:
            raise UsageError(f"--model names two models for the role “{named.group(1)}”.", allowed=_ALLOWED)
        else:
            of_role[named.group(1)] = _model(named.group(2))
    roster = Roster(usual, of_role)
    for role in ROLES:
        roster.of(role)
    return roster


def _model(text: str) -> ModelName:
    provider, colon, model = text.strip().partition(":")
    if not colon or not model.strip() or not re.fullmatch(r"[a-z][a-z0-9_]*", provider):
        raise UsageError(f"“{text.strip()}” names no model.", allowed=_ALLOWED, next_step=_EXAMPLE)
    return ModelName(provider, model.strip())
