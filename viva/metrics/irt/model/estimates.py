"""What an estimation method hands back, whatever the method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Estimates:
    """Abilities theta (n,) with their covariance (n, n), items a, b, c (m,) with standard errors (m,).

    `theta_cov` and the standard errors are None where the method gives none. `loglik` is the log-likelihood the
    method maximised, without priors (what it is integrated over is the method's own). `converged` was checked from
    the gradient, not taken from an optimiser's word; `message` says in words what was found.
    """

    theta: Floats
    theta_cov: Floats | None
    a: Floats
    b: Floats
    c: Floats
    a_se: Floats | None
    b_se: Floats | None
    c_se: Floats | None
    loglik: float
    converged: bool
    iterations: int
    message: str
