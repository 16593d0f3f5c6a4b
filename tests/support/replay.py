"""The recorded ledger that tests replay, and how it was recorded: python tests/support/replay.py"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DATA = Path(__file__).parents[1] / "data" / "replay"
LEDGER = DATA / "ledger.sqlite"
EXAM = DATA / "exam.jsonl"
OPTIONS = ("--items", "12", "--items-per-chunk", "2", "--worked-examples", "1", "--examinee", "bm25+lexical")


def main() -> None:
    """Write the harbour's exam with a model on the scripted server, and keep ledger and exam."""
    from harbour import write_corpus
    from model_server import serve

    with tempfile.TemporaryDirectory() as place, serve() as server:
        folder, corpus = Path(place) / "run", write_corpus(Path(place) / "harbour")
        model = ["--model", "openai:scripted", "--base-url", server.url]
        line = [sys.executable, "-m", "viva", "run", str(corpus), "--out", str(folder), *OPTIONS, *model]
        subprocess.run(line, check=True)
        DATA.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / "ledger.sqlite", LEDGER)
        shutil.copyfile(folder / "exam.jsonl", EXAM)


if __name__ == "__main__":
    main()
