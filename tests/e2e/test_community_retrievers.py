"""A retriever of langchain_community sits in a panel beside viva's own, and is recorded and scored as they are."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from command import copy_run, viva

from viva.core.records import Response

PANEL = """\
examinees:
  - name: tfidf
    reference: {retriever: langchain_community.retrievers:TFIDFRetriever, reader: lexical, k: 2}
  - name: own
    reference: {retriever: bm25, reader: lexical, k: 2}
"""


def test_a_retriever_of_langchain_community_sits_and_is_scored_beside_viva_s_own(
    finished: Path, tmp_path: Path
) -> None:
    folder = copy_run(finished, tmp_path / "run")
    (tmp_path / "panel.yaml").write_text(PANEL)
    listed = viva("examinee", "list", "panel.yaml", folder=tmp_path)
    assert "langchain_community.retrievers:TFIDFRetriever" in listed.out, listed.err
    sat = viva("sit", folder, "--examinee", "panel.yaml", folder=tmp_path)
    assert sat.code == 0, sat.err
    assert viva("score", folder).code == 0
    rows = {row["examinee"]["name"]: row for row in viva("show", folder, "--json").json()["scores"]["examinees"]}
    assert rows["tfidf"]["examinee"]["components"]["retriever"] == "langchain_community.retrievers:TFIDFRetriever"
    found = responses(folder, rows["tfidf"]["examinee"]["id"])
    assert len(found) == len(responses(folder, rows["own"]["examinee"]["id"])) > 20
    assert not [response for response in found if response.failure]
    # every passage is a chunk of the run, in its place
    assert all(passage.document_id and passage.end for response in found for passage in response.passages)
    assert {len(response.passages) for response in found} == {5}
    again = viva("sit", folder, "--examinee", "panel.yaml", folder=tmp_path)
    assert again.code == 0
    assert len(responses(folder, rows["tfidf"]["examinee"]["id"])) == len(found)


def responses(folder: Path, examinee: str) -> list[Response]:
    with sqlite3.connect(folder / "run.sqlite") as database:
        bodies = [row[0] for row in database.execute("SELECT body FROM responses")]
    database.close()
    return [r for body in bodies if (r := Response.model_validate_json(body)).examinee_id == examinee]


def test_a_retriever_that_is_not_there_is_told_before_the_exam_is_written(corpus: Path, tmp_path: Path) -> None:
    panel = tmp_path / "panel.yaml"
    panel.write_text(PANEL.replace("TFIDFRetriever", "TFIDFRetreiver"))
    done = viva("run", corpus, "--examinee", panel, folder=tmp_path)
    assert done.code == 2
    assert "Did you mean TFIDFRetriever" in done.err
    assert not (tmp_path / "viva-runs").exists()
