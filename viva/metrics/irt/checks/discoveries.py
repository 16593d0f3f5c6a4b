"""Which of many tests to believe, with the expected share of false alarms held."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from viva.core.errors import UsageError

Floats = NDArray[np.float64]

# of what the checks by many tests report
FALSE_SHARE = 0.05


def benjamini_hochberg(p_values: ArrayLike) -> Floats:
    """Adjusted p-values of any shape: declaring those at most q holds the false-discovery rate at q.

    Source: Benjamini & Hochberg (1995), for independent or positively dependent tests. Raises UsageError where a
    p-value is missing or outside 0 to 1.
    """
    # the import takes longer than all else that a command without tests loads
    from scipy.stats import false_discovery_control

    given = np.asarray(p_values, dtype=np.float64)
    _check(given)
    return np.asarray(false_discovery_control(given, axis=None)).reshape(given.shape)


def expected_false_share(sound_probability: ArrayLike) -> Floats:
    """For posterior probabilities (any shape) of being sound, the mean of all that are at most as large.

    Declaring those whose value here is at most q holds the posterior expected false-discovery rate at q. Source:
    Newton, Noueiry, Sarkar & Ahlquist (2004), eq. 3. Raises UsageError as benjamini_hochberg does.
    """
    given = np.asarray(sound_probability, dtype=np.float64)
    _check(given)
    flat = given.ravel()
    order = np.argsort(flat, kind="stable")
    shares = np.empty_like(flat)
    shares[order] = np.cumsum(flat[order]) / np.arange(1, len(flat) + 1)
    return shares.reshape(given.shape)


def _check(given: Floats) -> None:
    if not ((given >= 0) & (given <= 1)).all():
        raise UsageError("A probability is missing or outside 0 to 1.", allowed="One for every test.")
