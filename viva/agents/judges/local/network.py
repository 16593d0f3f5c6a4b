"""The cross-encoder: the bundled MiniLM weights, a low-rank change to each of their matrices, and a score.

The change is what is trained and kept (LoRA; Hu et al. 2021, arXiv 2106.09685): the weights themselves are in a
package that viva needs anyway, so that a judge is a file of less than a megabyte.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from viva.agents.judges.local.reading import MAX_TOKENS, TextPair
from viva.core.errors import UsageError
from viva.llm.embedding_models import BUNDLED, content_fingerprint, find_model
from viva.llm.embeddings import quiet

if TYPE_CHECKING:
    from collections.abc import Iterator

    import torch
    from sentence_transformers import CrossEncoder

RANK = 8
_SCALE = 2.0
_BATCH = 32
_FROZEN = "embeddings."
Tensors = Mapping[str, NDArray[np.float32]]


def base_name() -> str:
    """Name and content of the weights that every local judge starts from; the same on every machine."""
    return f"{BUNDLED}-{content_fingerprint(find_model(BUNDLED))}"


def new_network(seed: int) -> CrossEncoder:
    """The untrained network: what it scores means nothing yet. The first step changes nothing but the last layer."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    import torch
    from sentence_transformers import CrossEncoder
    from sentence_transformers.base.modules import Dense, Transformer
    from sentence_transformers.sentence_transformer.modules import Pooling

    with quiet(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        encoder = Transformer(
            str(find_model(BUNDLED)), max_seq_length=MAX_TOKENS, model_kwargs={"local_files_only": True}
        )
        width = encoder.get_embedding_dimension()
        score = Dense(width, 1, activation_function=None, module_output_name="scores")
        torch.nn.init.normal_(score.linear.weight, std=0.02)
        torch.nn.init.zeros_(score.linear.bias)
        network: CrossEncoder = CrossEncoder(modules=[encoder, Pooling(width, "mean"), score], device="cpu")
        _adapt(network)
    return network


def _adapt(network: CrossEncoder) -> None:
    """Freezes the base and puts a change of low rank beside each matrix of its layers."""
    import torch
    from torch.nn.utils import parametrize

    model: Any = network.transformers_model
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(not name.startswith(_FROZEN) and parameter.ndim == 1 and "pooler" not in name)
    for layer in model.encoder.layer:
        for module in layer.modules():
            if isinstance(module, torch.nn.Linear):
                module.weight.requires_grad_(False)
                parametrize.register_parametrization(module, "weight", _low_rank(module.weight.shape))


def _low_rank(shape: Sequence[int]) -> torch.nn.Module:
    import torch

    class LowRank(torch.nn.Module):
        """weight + scale * up @ down; `up` is 0 at first."""

        def __init__(self) -> None:
            super().__init__()
            self.down = torch.nn.Parameter(torch.randn(RANK, shape[1]) / math.sqrt(shape[1]))
            self.up = torch.nn.Parameter(torch.zeros(shape[0], RANK))

        def forward(self, weight: torch.Tensor) -> torch.Tensor:
            return torch.addmm(weight, self.up, self.down, alpha=_SCALE)

    return LowRank()


def tensors_of(network: CrossEncoder) -> dict[str, NDArray[np.float32]]:
    """All that training changes, by name."""
    return {
        name: parameter.detach().numpy().astype(np.float32, copy=True)
        for name, parameter in network.named_parameters()
        if parameter.requires_grad
    }


def put_tensors(network: CrossEncoder, tensors: Tensors) -> None:
    """Puts in what `tensors_of` gave. UsageError unless names and shapes are exactly those of the network."""
    import torch

    own = {name: parameter for name, parameter in network.named_parameters() if parameter.requires_grad}
    lacking, strange = sorted(own.keys() - tensors.keys()), sorted(tensors.keys() - own.keys())
    wrong = [name for name in sorted(own.keys() & tensors.keys()) if own[name].shape != tensors[name].shape]
    unsound = [name for name in sorted(tensors) if not np.isfinite(tensors[name]).all()]
    for names, told in ((lacking, "lack"), (strange, "have besides"), (wrong, "are of another shape in")):
        if names:
            raise UsageError(f"The weights of the local judge {told} {names[0]} ({len(names)} in all).")
    if unsound:
        raise UsageError(f"The weights of the local judge are no numbers in {unsound[0]}.")
    with torch.no_grad():
        for name, parameter in own.items():
            parameter.copy_(torch.from_numpy(np.ascontiguousarray(tensors[name], dtype=np.float32)))


def merge(network: CrossEncoder) -> None:
    """Adds the changes to the matrices, so that scoring costs what the base costs. Not to be trained afterwards."""
    from torch.nn.utils import parametrize

    for module in network.modules():
        if parametrize.is_parametrized(module, "weight"):
            parametrize.remove_parametrizations(module, "weight", leave_parametrized=True)


def logits(network: CrossEncoder, pairs: Sequence[TextPair]) -> NDArray[np.float64]:
    """The raw score of each pair, shape (n,)."""
    import torch

    if not pairs:
        return np.empty(0)
    texts = [(pair.given, pair.said) for pair in pairs]
    scores = network.predict(
        texts, batch_size=_BATCH, activation_fn=torch.nn.Identity(), show_progress_bar=False, convert_to_numpy=True
    )
    return np.asarray(scores, dtype=np.float64).reshape(len(pairs))


@contextmanager
def threads_bounded(threads: int | None) -> Iterator[None]:
    """At most so many threads of torch's within; None leaves them as they are."""
    import torch

    before = torch.get_num_threads()
    if threads is not None:
        torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)
