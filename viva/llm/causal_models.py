"""Causal language models of Hugging Face's transformers on this machine, opened offline; no code of theirs is run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from viva.core.errors import UsageError
from viva.llm.embeddings import quiet

_USUAL_LENGTH = 2048
_BOUNDLESS = 10**12
"""Tokenizers that know no longest text say a number beyond this."""


def tokenizer_at(path: Path) -> Any:
    """The folder's tokenizer. UsageError where it cannot be loaded."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    from transformers import AutoTokenizer

    return _opened(AutoTokenizer, path, "tokenizer")


def model_at(path: Path) -> Any:
    """The folder's model, ready to be asked. UsageError where it cannot be loaded."""
    from transformers import AutoModelForCausalLM

    return _opened(AutoModelForCausalLM, path, "model", dtype="auto").eval()


def longest_of(model: Any, tokenizer: Any) -> int:
    """Tokens that the model takes, a reply included."""
    config = getattr(model.config, "text_config", None) or model.config
    named = (getattr(config, name, None) for name in ("n_positions", "max_position_embeddings", "n_ctx"))
    told = next((int(found) for found in named if found), 0)
    usual = int(tokenizer.model_max_length)
    return told or (usual if usual < _BOUNDLESS else _USUAL_LENGTH)


def _opened(of: Any, path: Path, what: str, **more: str) -> Any:
    with quiet():
        try:
            return of.from_pretrained(str(path), local_files_only=True, trust_remote_code=False, **more)
        except Exception as error:
            # whatever a broken file makes its parser raise (SafetensorError is none of Python's own)
            raise UsageError(
                f"The {what} in {path} cannot be loaded: {' '.join(str(error).split())[:300]}.",
                allowed="A causal language model that transformers knows, with its tokenizer.",
            ) from error
