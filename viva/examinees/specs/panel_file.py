"""A panel in a YAML file: examinees of any kind, with components, grids over them, and request settings.

The file is described, key by key, in docs/panel-file.md.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import product
from math import prod
from pathlib import Path
from typing import Any
from urllib.parse import quote

from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.settings import Settings
from viva.examinees.specs.kinds import KindDescription
from viva.examinees.specs.panel_forms import KINDS, Common, PanelEntry, PanelForm, allowed_keys, filled
from viva.examinees.specs.panel_kinds import in_full, spec_of
from viva.examinees.specs.records import Json, Manners, ReferenceSpec, Scalar, Spec, SystemSpec, level_text
from viva.examinees.specs.yaml_file import Place, YamlFile, read_yaml

ASKED = ("question", "stem", "options", "passages")
"""Names in braces that stand for the question and its parts, so that no component can have them."""
_BY_NAME = {
    "reference": tuple(name for name in ReferenceSpec.model_fields if name not in SystemSpec.model_fields),
    "chat": ("model", "temperature", "system", "max_tokens"),
}
"""Kinds in which the level of a grid replaces the value of the same name."""
_OF_CHAT = {"model": "llm", "system": "prompt"}
"""The common names of these components."""


@dataclass(frozen=True)
class _Seat:
    """The place in the file that describes an examinee."""

    file: YamlFile
    place: Place
    kind: str
    entry: PanelEntry
    defaults: Common

    def error(self, problem: str, key: str = "", **more: str) -> UsageError:
        at = self.file.at((*self.place, key) if key else self.place)
        return UsageError(f"{at}: {problem}", **more)

    @contextmanager
    def located(self) -> Iterator[None]:
        """Add the place in the file to errors inside."""
        try:
            yield
        except UsageError as error:
            raise self.error(error.problem, self.kind, allowed=error.allowed, next_step=error.next_step) from error


def read_panel(path: str, settings: Settings, only: str | None = None) -> list[Spec]:
    """The examinees of the file, in its order. `only`: the name of one, or of an entry with its whole grid.

    UsageError names the file, the line and the key, and says what is allowed.
    """
    file = read_yaml(Path(path))
    form = filled(PanelForm, file.data, file, ())
    seats = [_seat(file, n, entry, form.defaults) for n, entry in enumerate(form.examinees)]
    _check_names(seats)
    count = sum(size(seat.entry.grid) for seat in seats)
    if count > MOST_EXAMINEES:
        raise UsageError(
            f"{path} describes {count:,} examinees.",
            allowed=f"At most {MOST_EXAMINEES}. A grid has an examinee for each combination of its levels.",
        )
    # find the wanted name before files of other examinees are read
    members = [(seat, levels) for seat in seats for levels in combinations(seat.entry.grid)]
    wanted = [m for m in members if only is None or only in {m[0].entry.name, member_name(m[0].entry.name, m[1])}]
    if not wanted:
        raise _nobody(path, only or "", [member_name(seat.entry.name, levels) for seat, levels in members])
    return [_spec(seat, levels, settings) for seat, levels in wanted]


# --- reading the file ---------------------------------------------------------------------------------------


def _seat(file: YamlFile, number: int, raw: Mapping[str, Any], defaults: Common) -> _Seat:
    place = ("examinees", number)
    entry = filled(PanelEntry, raw, file, place)
    kinds = [kind for kind in KINDS if getattr(entry, kind) is not None]
    seat = _Seat(file, place, kinds[0] if kinds else "", entry, defaults)
    if len(kinds) != 1:
        told = f"has {' and '.join(kinds)}" if kinds else "has no kind of system"
        raise seat.error(f"“{entry.name}” {told}.", allowed=f"Exactly one of {', '.join(KINDS)}.")
    for component, levels in entry.grid.items():
        names = [label(level) for level in levels]
        twice = next((name for name, times in Counter(names).items() if times > 1), None)
        if twice is not None or not names:
            problem = f"has the level {twice} twice" if names else "has no levels"
            raise seat.error(f"the grid's component “{component}” of “{entry.name}” {problem}.", "grid")
    if seat.kind == "http" and (reserved := [c for c in ASKED if c in {**entry.components, **entry.grid}]):
        raise seat.error(f"“{reserved[0]}” cannot be a component: in braces it stands for a part of the question.")
    return seat


def _check_names(seats: list[_Seat]) -> None:
    seen: dict[str, tuple[str, str]] = {}
    for seat in seats:
        entry = seat.entry
        names = {entry.name, *(member_name(entry.name, levels) for levels in combinations(_bounded(entry)))}
        for name in sorted(names):
            if name.casefold() in seen:
                other, where = seen[name.casefold()]
                but = "" if other == name else f", apart from upper and lower case: “{other}”"
                raise seat.error(
                    f"two examinees are called “{name}”{but}.",
                    "name",
                    allowed=f"Each name once. The other is at {where}.",
                )
        seen |= {name.casefold(): (name, seat.file.at((*seat.place, "name"))) for name in sorted(names)}


def _bounded(entry: PanelEntry) -> Mapping[str, list[Any]]:
    """The grid, if its size is allowed; a larger one is reported elsewhere."""
    return entry.grid if size(entry.grid) <= MOST_EXAMINEES else {}


def _nobody(path: str, name: str, names: list[str]) -> UsageError:
    near = get_close_matches(name, [*dict.fromkeys(n.partition(",")[0] for n in names), *names], n=1, cutoff=0.6)
    meant = f"Did you mean “{near[0]}”? " if near else ""
    shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    return UsageError(f"{path} has no examinee called “{name}”.", allowed=f"{meant}It has: {shown}.")


# --- one examinee -------------------------------------------------------------------------------------------


def _spec(seat: _Seat, levels: Levels, settings: Settings) -> Spec:
    entry = seat.entry
    name = member_name(entry.name, levels)
    components = {**seat.defaults.components, **entry.components}
    given = _labels(seat, {**components, **levels})
    # the grid's own components do not say what its members share
    shared = {} if entry.components or seat.kind == "reference" else {"system": entry.name}
    folder = seat.file.path.parent
    told = KindDescription(name, f"{seat.file.path}#{name}", {**shared, **given}, _manners(seat), folder)
    with seat.located():
        said = in_full(seat.kind, getattr(entry, seat.kind))
    system = filled(KINDS[seat.kind], _reached(seat, said, levels, components), seat.file, (*seat.place, seat.kind))
    with seat.located():
        return spec_of(told, system, settings)


def _labels(seat: _Seat, levels: Levels) -> dict[str, str]:
    if seat.kind != "chat":
        return {component: label(level) for component, level in levels.items()}
    model = (seat.entry.chat or {}).get("model")
    usual = {"llm": label(model)} if isinstance(model, str) else {}
    return {**usual, **{_OF_CHAT.get(component, component): label(level) for component, level in levels.items()}}


def _manners(seat: _Seat) -> Manners:
    usual, own = Manners(), seat.entry

    def said(key: str) -> Any:
        value = getattr(own, key)
        return getattr(seat.defaults, key) if value is None else value

    concurrency, retries = said("concurrency"), said("retries")
    return Manners(
        timeout_s=said("timeout"),
        concurrency=usual.concurrency if concurrency is None else concurrency,
        requests_per_minute=said("requests_per_minute"),
        retries=usual.retries if retries is None else retries,
    )


def _reached(seat: _Seat, said: dict[str, Any], levels: Levels, components: Levels) -> dict[str, Any]:
    """The description of the system with the levels filled in. UsageError for a level that is not used."""
    filler = Filler({**components, **levels})
    content = filler.fill(said)
    by_name = set(levels) if seat.kind == "python" else {n for n in levels if n in _BY_NAME.get(seat.kind, ())}
    own = {name: levels[name] for name in levels if name in by_name}
    if seat.kind == "python":
        content["arguments"] = {**(content.get("arguments") or {}), **own}
    else:
        content |= own
    lost = [name for name in levels if name not in by_name | filler.used]
    if lost:
        raise _reaches_nothing(seat, lost[0])
    known = [*(ASKED if seat.kind == "http" else ()), *components, *levels]
    for name in sorted(filler.left - set(known)):
        if near := get_close_matches(name, known, n=1, cutoff=0.75):
            raise seat.error(f"“{{{name}}}” is not a component.", seat.kind, allowed=f"Did you mean “{{{near[0]}}}”?")
    return content


def _reaches_nothing(seat: _Seat, component: str) -> UsageError:
    problem = f"the grid's component “{component}” of “{seat.entry.name}” is not used."
    if seat.kind == "reference":
        return seat.error(problem, "grid", allowed=allowed_keys(component, list(_BY_NAME["reference"])))
    of_chat = f"{', '.join(_BY_NAME['chat'])}; or any that " if seat.kind == "chat" else "Any that "
    return seat.error(
        problem,
        "grid",
        allowed=f"{of_chat}occurs in braces, as {{{component}}}, under “{seat.kind}”.",
    )


# --- grids --------------------------------------------------------------------------------------------------


MOST_EXAMINEES = 500
"""The most examinees in one panel file."""
Levels = Mapping[str, Scalar]
# {{NAME}} is the literal {NAME}, ${NAME} a variable of the environment
PLACEHOLDER = re.compile(r"(?<![\${])\{([A-Za-z_]\w*)\}(?!\})")
_ADDRESSES = ("url", "base_url")
_LONGEST_LABEL = 24


def size(grid: Mapping[str, Sequence[Scalar]]) -> int:
    """The number of combinations; 1 without a grid."""
    return prod(len(levels) for levels in grid.values())


def combinations(grid: Mapping[str, Sequence[Scalar]]) -> Iterator[dict[str, Scalar]]:
    """All combinations of one level of each component; the last component varies fastest."""
    for levels in product(*grid.values()):
        yield dict(zip(grid, levels, strict=True))


def member_name(name: str, levels: Levels) -> str:
    """'ours' with k=3 is 'ours,k=3'."""
    return ",".join([name, *(f"{component}={label(level)}" for component, level in levels.items())])


def label(level: Scalar) -> str:
    """A level as a name: short, on one line, and different for different levels."""
    text = level_text(level)
    if len(text) <= _LONGEST_LABEL and text.isprintable() and "," not in text:
        return text
    begin = re.sub(r"[^\w.-]+", " ", text)[: _LONGEST_LABEL - 8].strip()
    return f"{begin}…{content_hash('level', text)[:4]}"


class Filler:
    """Replaces {NAME} by the level: a placeholder alone by the level itself, one within a text by its text."""

    def __init__(self, levels: Levels) -> None:
        self._levels = levels
        self.used: set[str] = set()
        self.left: set[str] = set()
        """names in braces that are not components"""

    def fill(self, told: Mapping[str, Any]) -> dict[str, Any]:
        """The description of a system, filled in; levels in an address are percent-encoded."""
        return {key: self._filled(value, address=key in _ADDRESSES) for key, value in told.items()}

    def _filled(self, value: Json, *, address: bool = False) -> Json:
        if isinstance(value, dict):
            return {key: self._filled(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self._filled(each) for each in value]
        if not isinstance(value, str):
            return value
        alone = PLACEHOLDER.fullmatch(value)
        if alone and alone.group(1) in self._levels and not address:
            self.used.add(alone.group(1))
            return self._levels[alone.group(1)]
        return PLACEHOLDER.sub(lambda found: self._text(found, address=address), value)

    def _text(self, found: re.Match[str], *, address: bool) -> str:
        name = found.group(1)
        if name not in self._levels:
            self.left.add(name)
            return found.group()
        self.used.add(name)
        text = level_text(self._levels[name])
        return quote(text, safe="") if address else text
