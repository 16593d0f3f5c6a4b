"""Records anew what `make demo` replays: a language model writes the handbook's exam, and readers on it sit it.

    python benchmarks/record_demo.py PROVIDER:MODEL [options of viva run, such as --base-url URL --max-cost 5]

Runs the demo's own command with the model in the recording's place, in viva-runs/recorded-demo (the same command goes
on after an interruption), then writes examples/handbook.ledger.sqlite and puts the model's name into Makefile and
examples/readers.yaml.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
MAKEFILE, READERS = ROOT / "Makefile", ROOT / "examples/readers.yaml"
RECORDING = "examples/handbook.ledger.sqlite"
FOLDER = "viva-runs/recorded-demo"
_REPLAYED = re.compile(rf"replay:{re.escape(RECORDING)}#([^'\"\s]+)")


def recipe() -> list[str]:
    """The words of the command that `make demo` runs, after `viva`."""
    found = re.search(r"^demo:.*\n((?:\t.*\n)+)", MAKEFILE.read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        sys.exit(f"{MAKEFILE} has no target demo.")
    return shlex.split(found[1].replace("\\\n", " "))[1:]


def main(model: str, *options: str) -> None:
    """Run, keep the replies, name the model."""
    with tempfile.TemporaryDirectory() as place:
        readers = Path(place) / READERS.name
        readers.write_text(_REPLAYED.sub(model, READERS.read_text(encoding="utf-8")), encoding="utf-8")
        line = [_REPLAYED.sub(model, word) for word in recipe()]
        line[line.index("--out") + 1] = FOLDER
        line[line.index(str(READERS.relative_to(ROOT)))] = str(readers)
        viva = [sys.executable, "-m", "viva"]
        subprocess.run([*viva, *line, *options], cwd=ROOT, check=True)
    subprocess.run([*viva, "ledger", FOLDER, "--recording", RECORDING], cwd=ROOT, check=True)
    for file in (MAKEFILE, READERS):
        text = file.read_text(encoding="utf-8")
        file.write_text(_REPLAYED.sub(f"replay:{RECORDING}#{model}", text), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
