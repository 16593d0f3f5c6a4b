"""`langgraph.json` names graphs that are there, so that LangGraph's own tools can open them."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

from langgraph.graph.state import CompiledStateGraph

CONFIG = json.loads((Path(__file__).parents[3] / "langgraph.json").read_text(encoding="utf-8"))


def test_every_graph_that_langgraph_json_names_is_a_compiled_graph() -> None:
    assert set(CONFIG["graphs"]) == {"chunk", "item", "oral", "run"}
    for place in CONFIG["graphs"].values():
        module, _, name = place.partition(":")
        assert isinstance(getattr(import_module(module), name), CompiledStateGraph)
