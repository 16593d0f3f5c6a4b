"""Judges that were tuned or measured here, and those that ship: cards with programs, by name.

A judge is one JSON file with its card, which is also its stamp, and its program. The file is put in place last and
whole: an interrupted installation leaves what was there.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from platformdirs import user_data_path
from pydantic import JsonValue, ValidationError, model_validator

from viva.core.disk_space import room_for
from viva.core.errors import UsageError
from viva.core.gone import TRAINED_JUDGES
from viva.core.ids import content_hash
from viva.core.records.base import Record
from viva.core.records.judging import JudgeCard, Make

VARIABLE = "VIVA_JUDGES"
MAX_BYTES = 8 * 2**20
_MEASURED = "measured."
"""How files begin that hold figures of a judge that stands elsewhere."""


@dataclass(frozen=True)
class Installed:
    """A judge at hand, with the JSON of what an optimizer found; "" where there are figures alone."""

    card: JudgeCard
    file: Path
    shipped: bool
    program: str = ""

    @property
    def is_judge(self) -> bool:
        """Whether a judge stands here, and not the figures alone of one that stands elsewhere."""
        return bool(self.program)


@dataclass(frozen=True)
class Unusable:
    """A file among the judges that holds none, and why."""

    file: Path
    reason: str


class _File(Record):
    card: JudgeCard
    program: dict[str, JsonValue] | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_weights(cls, stored: object) -> object:
        """Earlier versions named the folder of trained weights, "" of a judge without any."""
        return {k: v for k, v in stored.items() if k != "weights"} if isinstance(stored, dict) else stored


def judges_folder() -> Path:
    """Where judges are installed: $VIVA_JUDGES, or the user's data folder."""
    told = os.environ.get(VARIABLE, "").strip()
    return Path(told).expanduser() if told else user_data_path("viva", appauthor=False) / "judges"


def shipped_folder() -> Path:
    """The compiled judges that come with viva."""
    return Path(str(files("viva.prompts"))) / "compiled"


def all_judges() -> tuple[list[Installed], list[Unusable]]:
    """Those installed and those that ship, by name, and figures of judges elsewhere; and files that hold none."""
    found, unusable = list[Installed](), list[Unusable]()
    for folder, shipped in ((judges_folder(), False), (shipped_folder(), True)):
        for file in sorted(folder.glob("*.json")) if folder.is_dir() else ():
            try:
                found.append(_read(file, shipped=shipped))
            except UsageError as error:
                unusable.append(Unusable(file, str(error)))
    return sorted(found, key=lambda each: (each.card.name, each.card.model, each.shipped)), unusable


def find_judge(name: str, others: Sequence[str] = ()) -> Installed:
    """The tuned judge of that name; one installed here goes before one that ships. UsageError if none.

    `others` are names of judges that need no installing: whoever finds nobody is told them too.
    """
    for folder, shipped in ((judges_folder(), False), (shipped_folder(), True)):
        file = folder / f"{name}.json"
        if _is_name(name) and file.is_file():
            return _read(file, shipped=shipped)
    names = list(dict.fromkeys((*others, *(each.card.name for each in all_judges()[0] if each.is_judge))))
    raise UsageError(
        f"There is no judge called {name!r}.",
        allowed=f"One of these: {', '.join(names)}." if names else "",
        next_step="viva judges tells what each judges; viva tune makes one.",
    )


def install_program(card: JudgeCard, program: str) -> Installed:
    """Install a tuned judge under its card's name; one of that name gives way. `program` is JSON."""
    return _install(_File(card=card, program=json.loads(program)), card.name)


def remember(card: JudgeCard) -> None:
    """Keep what was measured of a judge that is not installed itself (base, offline), with earlier figures.

    They are kept by its stamp: of a prompt that has changed since, figures stay apart.
    """
    _install(_File(card=remembered(card)), _figures_of(card))


def remembered(card: JudgeCard) -> JudgeCard:
    """The card, joined to what is kept of the judge with this stamp. UsageError where that cannot be read."""
    places = [folder / f"{_figures_of(card)}.json" for folder in (judges_folder(), shipped_folder())]
    known = next((file for file in places if file.is_file()), None)
    return card if known is None else joined(_read(known, shipped=False).card, card)


def joined(earlier: JudgeCard, later: JudgeCard) -> JudgeCard:
    """One judge's card with the figures of two.

    Of the same figure on the same labels it is the later one.
    """
    new = {(each.data, each.statistic) for each in later.measured}
    kept = tuple(each for each in earlier.measured if (each.data, each.statistic) not in new)
    return later.model_copy(update={"measured": (*kept, *later.measured)})


def stamp_of(card: JudgeCard) -> tuple[str, ...]:
    """What makes a judge the one that was measured: made of what, its model, prompt, fields, content."""
    return card.judges.value, card.make.value, card.model, card.prompt, card.signature, card.content


def _figures_of(card: JudgeCard) -> str:
    return f"{_MEASURED}{card.judges.value}.{content_hash(*stamp_of(card))}"


def _is_name(name: str) -> bool:
    return re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,63}", name) is not None and not name.startswith(_MEASURED)


def _install(content: _File, name: str) -> Installed:
    if content.program is not None and not _is_name(name):
        raise UsageError(
            f"A judge cannot be called {name!r}.",
            allowed=f"Up to 64 small letters, digits, '.', '_' and '-', not beginning with {_MEASURED!r}.",
        )
    root = _made(judges_folder())
    file = root / f"{name}.json"
    half = root / f".{name}.{os.getpid()}.part"
    text = json.dumps(content.model_dump(mode="json"), ensure_ascii=False, indent=1, allow_nan=False)
    with _writing(root):
        half.write_text(text + "\n", encoding="utf-8")
        half.replace(file)
    return _read(file, shipped=False)


def _made(root: Path) -> Path:
    with _writing(root):
        root.mkdir(parents=True, exist_ok=True)
    return root


@contextmanager
def _writing(root: Path) -> Iterator[None]:
    try:
        with room_for(root):
            yield
    except OSError as error:
        raise UsageError(
            f"Judges cannot be installed in {root}: {error.strerror or error}.",
            next_step=f"Name another folder: {VARIABLE}=FOLDER",
        ) from error


def _read(file: Path, *, shipped: bool) -> Installed:
    again = "Tune it again, or take the file away."
    try:
        if file.stat().st_size > MAX_BYTES:
            raise UsageError(f"{file} is larger than {MAX_BYTES // 2**20} MiB: no judge is.", next_step=again)
        content = _File.model_validate_json(file.read_bytes())
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror or error}.", next_step=again) from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise UsageError(f"{file} holds no judge: {place}: {first['msg']}.", next_step=again) from None
    if content.card.make is Make.LOCAL and not file.name.startswith(_MEASURED):
        raise UsageError(f"{file} names trained weights. {TRAINED_JUDGES}", next_step="Take the file away.")
    problem = _problem(content, file)
    if problem:
        raise UsageError(f"{file} holds no judge that can be used: {problem}.", next_step=again)
    program = json.dumps(content.program, ensure_ascii=False) if content.program is not None else ""
    return Installed(content.card, file, shipped, program)


def _problem(content: _File, file: Path) -> str:
    card = content.card
    if file.name.startswith(_MEASURED):
        return "it is to hold figures alone" if content.program is not None else ""
    if card.name != file.stem:
        return f"its card is that of {card.name}"
    if card.make is not Make.TUNED:
        return f"a judge that is {card.make.value} is not installed"
    return "" if content.program is not None else "a tuned judge has a program"
