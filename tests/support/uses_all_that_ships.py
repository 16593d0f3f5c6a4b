"""A program that reads every file that ships with viva and lets every shipped judge judge; it prints JSON.

    python -c "$(cat uses_all_that_ships.py)"       # the viva that this interpreter imports

Which files were opened is heard from the interpreter itself.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

opened: set[str] = set()


def hear(event: str, told: tuple[object, ...]) -> None:
    """Keep the names of files that are opened."""
    if event == "open" and isinstance(told[0], str | os.PathLike):
        opened.add(os.fspath(told[0]))


sys.addaudithook(hear)

import viva  # noqa: E402
from viva.agents.judges.offline.judge import OfflineJudge  # noqa: E402
from viva.core.records.judging import Case, Judgement, Quality  # noqa: E402
from viva.llm.embeddings import SentenceTransformerEmbedder  # noqa: E402
from viva.prompts import prompt  # noqa: E402
from viva.reports import embed, html  # noqa: E402
from viva.storage.judges import all_judges  # noqa: E402
from viva.viewer import server  # noqa: E402

PASSAGES = ("The visitor pontoon takes vessels of up to 12 metres. Visitors pay 22 pounds a night.",)
GOOD_AND_BAD = {
    Quality.CORRECTNESS: [
        Case(question="How long may a vessel be?", reference="up to 12 metres", answer=answer)
        for answer in ("It may be up to 12 metres long.", "The harbour office opens at half past six.")
    ],
    Quality.FAITHFULNESS: [
        Case(question="What do visitors pay?", passages=PASSAGES, answer=answer)
        for answer in ("Visitors pay 22 pounds a night.", "The lighthouse was built by monks.")
    ],
    Quality.ANSWERABILITY: [
        Case(question=question, passages=PASSAGES)
        for question in ("What do visitors pay a night?", "Who wrote the hymn of the monks?")
    ],
}


def scores(quality: Quality, embedder: SentenceTransformerEmbedder) -> list[float]:
    """What the judge of rules says of the good case and of the bad one."""
    found = asyncio.run(OfflineJudge(quality, embedder).judge(GOOD_AND_BAD[quality]))
    return [each.score for each in found if isinstance(each, Judgement)]


def main() -> None:
    """Read, judge, print."""
    prompt("question_writer")  # all of them are read at once
    for package in ("viva.reports", "viva.viewer"):
        for name in embed._environment(package).list_templates(extensions=["j2"]):
            embed.template(name, package)
    for name in ("report.css", "report.js"):
        html._asset(name)
    for name in server._STATIC:
        server._asset(name)
    embedder = SentenceTransformerEmbedder("minilm", threads=1)
    judged = {quality.value: scores(quality, embedder) for quality in GOOD_AND_BAD}
    _, unusable = all_judges()
    home = Path(viva.__file__).parent
    own = sorted(str(Path(name).relative_to(home)) for name in opened if Path(name).is_relative_to(home))
    print(  # noqa: T201 - for the test that has started this
        json.dumps(
            {
                "home": str(home),
                "path": sys.path,
                "judged": judged,
                "opened": own,
                "unusable": [each.reason for each in unusable],
            }
        )
    )


main()
