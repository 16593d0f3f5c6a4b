"""viva: a viva voce for RAG systems.

The public face, loaded when first asked for:

    Settings, RunContext, run_stages   a run from Python:
                                 run_stages(RunContext(folder, Settings(), documents), "ingest", "report")
    read_corpus                  a folder to documents and chunks
    score_exam, fit              responses to scores; a 0/1 matrix to abilities and item parameters
    UsageError, TransientError   the two families of error
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from viva.core.errors import TransientError, UsageError
    from viva.core.settings import Settings
    from viva.graphs.context import RunContext
    from viva.graphs.runner import run_stages
    from viva.metrics.irt import fit
    from viva.metrics.score import score_exam
    from viva.storage.corpus import read_corpus

__version__ = "0.1.0"
__all__ = [
    "RunContext",
    "Settings",
    "TransientError",
    "UsageError",
    "fit",
    "read_corpus",
    "run_stages",
    "score_exam",
]

_HOMES = {
    "RunContext": "viva.graphs.context",
    "Settings": "viva.core.settings",
    "TransientError": "viva.core.errors",
    "UsageError": "viva.core.errors",
    "fit": "viva.metrics.irt",
    "read_corpus": "viva.storage.corpus",
    "run_stages": "viva.graphs.runner",
    "score_exam": "viva.metrics.score",
}


def __getattr__(name: str) -> object:
    """Import what is asked for, and nothing else."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'viva' has no attribute {name!r}")
