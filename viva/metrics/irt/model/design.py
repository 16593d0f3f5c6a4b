"""What abilities are made of: an intercept and the effects of components, coded to sum to zero."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag, helmert

from viva.core.errors import UsageError
from viva.core.notes import Note, NoteCode

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Continuous:
    """A component that is a number (chunk size, k): its effect is a line (degree 1) or a parabola (degree 2).

    `values`: one finite number per examinee, None where it has none (it then stands at their mean). Effects come as
    "linear" and "quadratic", per unit and per squared unit of the number less its mean.
    """

    values: Sequence[float | None]
    degree: int = 1


# of the table of effects: 200 MB
_MOST_CELLS = 25_000_000

Component = Sequence[object] | Continuous
_LARGEST = 1e100
"""Beyond it squares overflow."""


@dataclass(frozen=True, eq=False)
class Design:
    """theta = x @ beta + residual.

    x (n, p) with the intercept first; `to_effects` (k, p) turns beta into the effects of the k `levels` (component,
    level), which sum to zero within a component unless it has a reference level. `blocks` holds the columns (n, q) of
    each component that has effects.
    """

    x: Floats
    to_effects: Floats
    levels: tuple[tuple[str, str], ...]
    notes: tuple[Note, ...]
    blocks: Mapping[str, Floats]

    @property
    def saturated(self) -> bool:
        """Every examinee has an effect of its own: a residual cannot be told from the effects."""
        n, p = self.x.shape
        # a rank takes long, and with fewer columns than examinees need not be found
        return bool(self.levels) and p >= n and int(np.linalg.matrix_rank(self.x)) == n


@dataclass(frozen=True, eq=False)
class _Block:
    """Columns (n, q) of a component, the effects (k, q) they stand for and the names of these."""

    name: str
    columns: Floats
    to_effects: Floats
    levels: tuple[str, ...]


def component_design(
    examinees: int,
    components: Mapping[str, Component],
    *,
    interactions: Sequence[tuple[str, str]] = (),
    references: Mapping[str, object] | None = None,
) -> Design:
    """The design of n examinees from components, each a sequence of n levels (None: not named) or Continuous.

    The effects of a component sum to zero over its levels, or are differences from its level in `references`. An
    examinee that does not name it stands at their mean. A component that others do not name, and whose every level is
    carried by one examinee (or that has one level), is a proper name (somebody's own system beside a panel): its
    carriers stand where the data put them, and no effects are reported. An interaction (two names) adds
    "first:second" with levels "a:b", zero in sum over either.

    A component with one level, or whose levels are told apart by earlier components already (aliased), is left
    out with a note. Coarse components come first, so that a name of its own for each examinee cannot crowd
    them out. A component that is aliased in part stays: a weak prior settles what the data cannot, at the
    price of a large standard error, with a note. Raises UsageError where arguments do not fit.
    """
    kept, rank, notes = [_Block("", np.ones((examinees, 1)), np.zeros((0, 1)), ())], 1, list[Note]()
    coded: dict[str, _Block] = {}
    for block in _main_blocks(examinees, components, references or {}, notes):
        gained = _rank([*kept, block]) - rank
        if _told_apart(block, gained, notes):
            kept.append(block)
            coded[block.name], rank = block, rank + gained
    for first, second in interactions:
        crossed = _interaction(components, coded, first, second, notes)
        gained = _rank([*kept, crossed]) - rank if crossed else 0
        if crossed and _told_apart(crossed, gained, notes):
            kept.append(crossed)
            rank += gained
    x = np.hstack([block.columns for block in kept])
    return Design(
        x=x,
        to_effects=np.asarray(block_diag(*(block.to_effects for block in kept)), dtype=np.float64),
        levels=tuple((block.name, level) for block in kept for level in block.levels),
        notes=tuple(notes),
        blocks={name: block.columns for name, block in coded.items() if block.levels},
    )


def _main_blocks(
    examinees: int, components: Mapping[str, Component], references: Mapping[str, object], notes: list[Note]
) -> list[_Block]:
    blocks = list[_Block]()
    for name in references:
        if name not in components:
            raise UsageError(f"A reference is given for '{name}', which is no component.")
    for name, values in components.items():
        size = len(values.values if isinstance(values, Continuous) else values)
        if size != examinees:
            raise UsageError(f"Component '{name}' is given for {size} of {examinees} examinees.")
        block = _continuous(name, values) if isinstance(values, Continuous) else _levels(name, values, references)
        if not block.columns.any():
            code = NoteCode.ONE_LEVEL if block.levels else NoteCode.NO_SPREAD
            notes.append(Note(code=code, names=(name, *block.levels)))
        else:
            blocks.append(block)
    return sorted(blocks, key=lambda block: (block.columns.shape[1], block.name))


def _levels(name: str, values: Sequence[object], references: Mapping[str, object]) -> _Block:
    own = [None if value is None else str(value) for value in values]
    found = sorted({level for level in own if level is not None})
    place = {level: column for column, level in enumerate(found)}
    _require_columns(len(own), len(found), f"Component '{name}' has {len(found)} levels")
    dummies = np.zeros((len(own), len(found)))
    for row, level in enumerate(own):
        if level is not None:
            dummies[row, place[level]] = 1.0
    named = sum(level is not None for level in own)
    if named < len(own) and len(found) in {1, named}:
        return _Block(name, dummies, np.zeros((0, len(found))), ())
    if len(found) < 2:
        return _Block(name, np.zeros((len(own), 1)), np.zeros((0, 1)), tuple(found))
    basis = np.asarray(helmert(len(found)).T, dtype=np.float64)
    effects = basis
    if name in references:
        if str(references[name]) not in found:
            raise UsageError(
                f"The reference '{references[name]}' is no level of '{name}'.", allowed=f"Known: {', '.join(found)}."
            )
        effects = basis - basis[found.index(str(references[name]))]
    return _Block(name, dummies @ basis, effects, tuple(found))


def _require_columns(examinees: int, columns: int, what: str) -> None:
    if examinees * columns > _MOST_CELLS:
        raise UsageError(
            f"{what}: with {examinees} examinees a table of {8 * examinees * columns / 2**30:.3g} GiB.",
            allowed=f"At most {_MOST_CELLS // examinees} with so many examinees.",
            next_step="Leave it out, or join levels: one that a single examinee carries tells nothing of others.",
        )


def _continuous(name: str, given: Continuous) -> _Block:
    if given.degree not in (1, 2):
        raise UsageError(f"Component '{name}' has degree {given.degree}.", allowed="1 or 2.")
    values = np.array([np.nan if value is None else float(value) for value in given.values], dtype=np.float64)
    known = values[~np.isnan(values)]
    if not (np.abs(known) < _LARGEST).all():
        raise UsageError(
            f"Component '{name}' holds a number too large.", allowed=f"Numbers below {_LARGEST:g}, None for none."
        )
    spread = float(known.std()) if known.size else 0.0
    if spread == 0:
        return _Block(name, np.zeros((len(values), 1)), np.zeros((0, 1)), ())
    z = np.nan_to_num((values - known.mean()) / spread)
    square = np.where(np.isnan(values), 0.0, z**2 - (z**2)[~np.isnan(values)].mean())
    columns, per_unit = np.stack([z, square], axis=1), np.diag([1 / spread, 1 / spread**2])
    kept = given.degree
    return _Block(name, columns[:, :kept], per_unit[:kept, :kept], ("linear", "quadratic")[:kept])


def _interaction(
    components: Mapping[str, Component], coded: Mapping[str, _Block], first: str, second: str, notes: list[Note]
) -> _Block | None:
    for name in (first, second):
        if name not in components:
            raise UsageError(f"An interaction names '{name}', which is no component.")
    if first not in coded or second not in coded:
        notes.append(Note(code=NoteCode.INTERACTION_LEFT_OUT, names=(first, second)))
        return None
    one, other = coded[first], coded[second]
    width = one.columns.shape[1] * other.columns.shape[1]
    _require_columns(len(one.columns), width, f"The interaction of '{first}' and '{second}' has {width} effects")
    columns = (one.columns[:, :, None] * other.columns[:, None, :]).reshape(len(one.columns), -1)
    levels = tuple(f"{a}:{b}" for a in one.levels for b in other.levels)
    to_effects = np.asarray(np.kron(_centred(one), _centred(other)), dtype=np.float64)
    return _Block(f"{first}:{second}", columns, to_effects, levels)


def _centred(block: _Block) -> Floats:
    """Effects as they stand without a reference level; a continuous component's are not centred."""
    if block.levels[:1] == ("linear",):
        return block.to_effects
    return np.asarray(block.to_effects - block.to_effects.mean(axis=0), dtype=np.float64)


def _told_apart(block: _Block, gained: int, notes: list[Note]) -> bool:
    """Whether anything of a block is kept by which the design gains so much in rank."""
    if not block.levels:
        return True
    if gained == 0:
        notes.append(Note(code=NoteCode.ALIASED, names=(block.name,)))
    elif gained < block.columns.shape[1]:
        notes.append(Note(code=NoteCode.PARTLY_CONFOUNDED, names=(block.name,)))
    return gained > 0


def _rank(blocks: Sequence[_Block]) -> int:
    return int(np.linalg.matrix_rank(np.hstack([block.columns for block in blocks])))
