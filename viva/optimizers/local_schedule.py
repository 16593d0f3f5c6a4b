"""How long and how fast a local judge is trained."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Schedule:
    """How long and how fast. The rate rises over the first tenth of the steps, then falls to nothing."""

    epochs: int = 2
    batch: int = 16
    """pairs, of like length"""
    rate: float = 1e-3
    decay: float = 0.01
    save_every: int = 50
    """steps between two checkpoints: what an interruption costs at most"""
    stop: int = 0
    """step after which it ends early, the rate falling as if it went on; 0 for never"""

    @property
    def told(self) -> str:
        """In words, for a card."""
        early = f", stopped after {self.stop} steps" if self.stop else ""
        return f"epochs {self.epochs}, batches of {self.batch}, rate {self.rate:g}{early}"
