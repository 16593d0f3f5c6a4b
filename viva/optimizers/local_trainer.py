"""sentence-transformers' cross-encoder trainer, with batches by length and checkpoints of the trained tensors alone.

Importing this loads torch.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from datasets import Dataset  # type: ignore[import-untyped]
from safetensors.numpy import load_file, save_file
from sentence_transformers import CrossEncoder
from sentence_transformers.base.sampler import DefaultBatchSampler
from sentence_transformers.cross_encoder import CrossEncoderTrainer, CrossEncoderTrainingArguments
from transformers import PrinterCallback, TrainerCallback

from viva.agents.judges.local.network import put_tensors, tensors_of
from viva.agents.judges.local.reading import TextPair
from viva.agents.roles import Progress
from viva.core.ids import rng
from viva.llm.embeddings import quiet

if TYPE_CHECKING:
    from viva.optimizers.local_schedule import Schedule

_TENSORS = "adapter.safetensors"
_WHOLE = (_TENSORS, "optimizer.pt", "scheduler.pt", "rng_state.pth", "trainer_state.json")
_JITTER = 8
"""Characters by which lengths are moved, so that an epoch's batches are not the last one's."""


def trained(
    network: CrossEncoder,
    pairs: Sequence[tuple[TextPair, float]],
    plan: Schedule,
    *,
    seed: int,
    folder: Path,
    progress: Progress | None,
) -> None:
    """Trains the network in place, from the last whole checkpoint in the folder if there is one."""
    batches = _batches([len(pair.given) + len(pair.said) for pair, _ in pairs], plan, seed)
    arguments = CrossEncoderTrainingArguments(
        output_dir=str(folder),
        max_steps=len(batches),
        per_device_train_batch_size=plan.batch,
        learning_rate=plan.rate,
        weight_decay=plan.decay,
        warmup_steps=math.ceil(0.1 * len(batches)),
        lr_scheduler_type="linear",
        seed=seed,
        save_steps=plan.save_every,
        save_total_limit=2,
        logging_strategy="no",
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
        dataloader_pin_memory=False,
    )
    rows = Dataset.from_dict(
        {
            "given": [pair.given for pair, _ in pairs],
            "said": [pair.said for pair, _ in pairs],
            "label": [float(label) for _, label in pairs],
        }
    )
    with quiet():
        trainer = _Trainer(
            model=network,
            args=arguments,
            train_dataset=rows,
            callbacks=[_Telling(progress, plan.stop or len(batches))],
        )
        trainer.batches = batches
        trainer.remove_callback(PrinterCallback)
        trainer.train(resume_from_checkpoint=_last(folder))


class _Batches(DefaultBatchSampler):
    """Batches that are known beforehand, all epochs in one."""

    def __init__(self, batches: Sequence[list[int]]) -> None:
        super().__init__(range(len(batches)), batch_size=1, drop_last=False)
        self._batches = batches

    def __iter__(self) -> Iterator[list[int]]:
        return iter(self._batches)

    def __len__(self) -> int:
        return len(self._batches)


class _Trainer(CrossEncoderTrainer):
    batches: Sequence[list[int]] = ()

    def get_batch_sampler(self, *_: Any, **__: Any) -> _Batches:
        return _Batches(self.batches)

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:  # noqa: ARG002
        """The trained tensors alone: the base is in its package."""
        folder = Path(output_dir or str(self.args.output_dir))
        folder.mkdir(parents=True, exist_ok=True)
        save_file(tensors_of(self.model), folder / _TENSORS)

    def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Any = None) -> None:  # noqa: ARG002
        put_tensors(self.model, load_file(Path(resume_from_checkpoint) / _TENSORS))


class _Telling(TrainerCallback):
    def __init__(self, progress: Progress | None, steps: int) -> None:
        self._progress, self._steps = progress, steps

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
        if self._progress:
            self._progress(state.global_step, self._steps)
        control.should_training_stop = state.global_step >= self._steps


def _batches(lengths: Sequence[int], plan: Schedule, seed: int) -> list[list[int]]:
    """Row numbers of every batch of every epoch: neighbours in length, the batches in a drawn order."""
    found: list[list[int]] = []
    for epoch in range(plan.epochs):
        draw = rng(seed, "batches", epoch)
        moved = [length + draw.uniform(-_JITTER, _JITTER) for length in lengths]
        order = np.argsort(moved, kind="stable").tolist()
        own = [order[start : start + plan.batch] for start in range(0, len(order), plan.batch)]
        draw.shuffle(own)
        found += own
    return found


def _last(folder: Path) -> str | None:
    """The latest checkpoint that was written to its end."""
    found = [(int(path.name.removeprefix("checkpoint-")), path) for path in folder.glob("checkpoint-*[0-9]")]
    for _, path in sorted(found, reverse=True):
        if all((path / name).is_file() for name in _WHOLE) and _sound(path / "trainer_state.json"):
            return str(path)
    return None


def _sound(file: Path) -> bool:
    try:
        json.loads(file.read_text("utf-8"))
    except ValueError:
        return False
    return True
