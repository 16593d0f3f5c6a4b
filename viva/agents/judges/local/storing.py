"""A local judge on disk: `card.json` and `weights.safetensors` in a folder, and the stamp that ties them together."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from viva.agents.judges.local.blend import COLUMNS, Blend
from viva.agents.judges.local.network import base_name
from viva.agents.judges.local.reading import KINDS, check_trainable, signature
from viva.core.disk_space import write_whole
from viva.core.errors import UsageError
from viva.core.records.judging import JudgeCard, Make, Quality

CARD, WEIGHTS = "card.json", "weights.safetensors"
SHIPPED = Path(__file__).parent / "weights"
_MAX_CARD, _MAX_WEIGHTS = 2**20, 64 * 2**20
_BLEND = "blend."
Stored = dict[str, NDArray[np.float32]]


def shipped(quality: Quality) -> Path:
    """The folder of the judge that comes with viva. UsageError where none does."""
    check_trainable(quality)
    folder = SHIPPED / quality.value
    if not folder.is_dir():
        raise UsageError(
            f"No local judge of {quality} comes with viva.", next_step=f"Train one: viva tune local {quality}."
        )
    return folder


def ships(quality: Quality) -> bool:
    """Whether a judge of the quality comes with viva."""
    return (SHIPPED / quality.value / CARD).is_file()


def save(folder: Path, card: JudgeCard, network: Stored, blend: Blend) -> JudgeCard:
    """Writes the judge and returns its card, stamped. Half precision: a judge is scored with what is on the disk."""
    from safetensors.numpy import save as serialised

    tensors = {name: array.astype(np.float16) for name, array in network.items()}
    tensors |= {f"{_BLEND}{name}": getattr(blend, name).astype(np.float32) for name in _SIZES}
    data = serialised({name: tensors[name] for name in sorted(tensors)})
    stamped = card.model_copy(update={"content": _hash(data)})
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / WEIGHTS, data)
    write_card(folder, stamped)
    return stamped


def write_card(folder: Path, card: JudgeCard) -> None:
    """Replaces the card, for example by one with figures; the stamp in it must be that of the weights."""
    told = json.dumps(card.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n"
    write_whole(folder / CARD, told.encode())


def load(folder: Path) -> tuple[JudgeCard, Stored, Blend]:
    """Card, the network's tensors and the blend. UsageError unless stamp, base, reading and contents all fit."""
    card = read_card(folder)
    again = f"Train it again: viva tune local {card.judges}; or install it anew."
    data = _read(folder, WEIGHTS, _MAX_WEIGHTS)
    if card.content != _hash(data):
        raise UsageError(f"The weights in {folder} are not those of their card.", next_step=again)
    if card.signature != signature(card.judges):
        raise UsageError(f"{card.name} was trained when cases were read differently.", next_step=again)
    if card.model != base_name():
        raise UsageError(
            f"{card.name} was trained on other base weights ({card.model}) than are here.", next_step=again
        )
    tensors = _tensors(data, folder, again)
    blend = _blend({name: tensors.pop(name) for name in sorted(tensors) if name.startswith(_BLEND)}, folder, again)
    return card, tensors, blend


def read_card(folder: Path) -> JudgeCard:
    """The card alone, unchecked against the weights. UsageError where there is none, or another maker's."""
    text = _read(folder, CARD, _MAX_CARD)
    try:
        card = JudgeCard.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise UsageError(f"The card in {folder} cannot be read: {place}: {first['msg']}.") from None
    if card.make is not Make.LOCAL:
        raise UsageError(f"{card.name} is no local judge but a {card.make} one.")
    check_trainable(card.judges)
    return card


def _read(folder: Path, name: str, most: int) -> bytes:
    file = folder / name
    if file.is_symlink():
        raise UsageError(f"{file} is a link.", allowed="A judge is read from its own folder alone.")
    if not file.is_file():
        raise UsageError(
            f"{folder} holds no local judge: it has no {name}.",
            next_step="Train one with viva tune local, or see viva judges.",
        )
    if file.stat().st_size > most:
        raise UsageError(f"{file} is larger than {most // 2**20} MiB: no local judge is.")
    try:
        return file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror or error}.") from error


def _tensors(data: bytes, folder: Path, again: str) -> Stored:
    from safetensors import SafetensorError
    from safetensors.numpy import load as deserialised

    try:
        read = deserialised(data)
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"The weights in {folder} are no safetensors file: {error}.", next_step=again) from error
    strange = [name for name in sorted(read) if read[name].dtype not in (np.float16, np.float32)]
    if strange:
        raise UsageError(f"The weights in {folder} are of an unknown type in {strange[0]}.", next_step=again)
    return {name: array.astype(np.float32) for name, array in read.items()}


def _blend(parts: Mapping[str, NDArray[np.float32]], folder: Path, again: str) -> Blend:
    sizes = {f"{_BLEND}{name}": size for name, size in _SIZES.items()}
    if {name: part.shape for name, part in parts.items()} != sizes:
        raise UsageError(f"The weights in {folder} lack the blend, or hold another.", next_step=again)
    centre, spread, weights, intercept = (parts[f"{_BLEND}{name}"].astype(np.float64) for name in _SIZES)
    if not all(np.isfinite(part).all() for part in parts.values()) or not (spread > 0).all():
        raise UsageError(f"The blend in {folder} holds what is no number.", next_step=again)
    return Blend(centre, spread, weights, intercept)


_SIZES = {**dict.fromkeys(("centre", "spread", "weights"), (KINDS, COLUMNS)), "intercept": (KINDS,)}


def _hash(data: bytes) -> str:
    return blake2b(data, digest_size=8).hexdigest()
