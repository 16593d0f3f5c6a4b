"""How each item can be answered: which of its parameters are free, and where guessing starts from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from viva.core.errors import UsageError

Floats = NDArray[np.float64]

MODELS = ("1pl", "2pl", "3pl")


@dataclass(frozen=True, eq=False)
class ItemFormats:
    """Per item (m,): its model, its fixed guessing (nan: free), and the prior's mean of a free guessing.

    `share_of_chance` is that mean in units of 1 / options, where the model was chosen by the responses.
    """

    models: tuple[str, ...]
    guessing: Floats
    prior_guessing: Floats
    share_of_chance: float = 1.0

    @property
    def free_slope(self) -> NDArray[np.bool_]:
        """Of shape (m,): discrimination is estimated; 1 elsewhere."""
        return np.array([model != "1pl" for model in self.models], dtype=np.bool_)

    @property
    def free_guessing(self) -> NDArray[np.bool_]:
        """Of shape (m,): guessing is estimated."""
        return np.isnan(self.guessing)

    @property
    def start_guessing(self) -> Floats:
        """Of shape (m,): the fixed guessing, or the prior's mean."""
        return np.where(self.free_guessing, self.prior_guessing, self.guessing)


def item_formats(
    items: int, model: str | Sequence[str], guessing: ArrayLike | None, options: int | Sequence[float]
) -> ItemFormats:
    """Formats of `items` items from what the caller said, once for all or per item.

    `guessing` fixes c (nan leaves an item's free); without it c is 0 under 1pl and 2pl and free under 3pl, with prior
    mean 1/options. Raises UsageError for an unknown model, a guessing outside [0, 1) or fewer than two options.
    """
    models = (model,) * items if isinstance(model, str) else tuple(model)
    _right_length("model", len(models), items)
    for each in models:
        if each not in MODELS:
            raise UsageError(f"There is no model '{each}'.", allowed="Known: " + ", ".join(MODELS) + ".")
    choices = np.asarray(options, dtype=np.float64)
    choices = np.full(items, float(choices)) if choices.ndim == 0 else choices
    _right_length("options", len(choices), items)
    if not (choices >= 2).all():
        raise UsageError(f"Items cannot have {choices[~(choices >= 2)][0]:g} options.", allowed="At least 2.")
    return ItemFormats(models=models, guessing=_guessing(models, guessing), prior_guessing=1 / choices)


def _guessing(models: tuple[str, ...], given: ArrayLike | None) -> Floats:
    by_model = np.array([np.nan if model == "3pl" else 0.0 for model in models], dtype=np.float64)
    if given is None:
        return by_model
    fixed = np.asarray(given, dtype=np.float64)
    fixed = np.full(len(models), float(fixed)) if fixed.ndim == 0 else fixed
    _right_length("guessing", len(fixed), len(models))
    known = fixed[~np.isnan(fixed)]
    if not ((known >= 0) & (known < 1)).all():
        raise UsageError(
            "A guessing parameter is no probability below 1.", allowed="0 <= guessing < 1, nan for free."
        )
    return np.where(np.isnan(fixed), by_model, fixed)


def _right_length(name: str, given: int, items: int) -> None:
    if given != items:
        raise UsageError(f"'{name}' is given for {given} of {items} items.", allowed="One for all, or one per item.")
