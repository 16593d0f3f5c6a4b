"""What commands import and load by themselves, once: the fork server of command.py imports this, then forks.

Nothing here may start a thread of Python's: what is forked would not have it.
"""

from __future__ import annotations

import importlib
import pkgutil

from viva.agents.offline.text.grammar import _tagger
from viva.agents.rules.language import _identifier
from viva.llm.embedding_models import BUNDLED
from viva.llm.embeddings import SentenceTransformerEmbedder

ROOMS = "agents cli core examinees exams graphs llm metrics optimizers prompts reports storage"
# imported by functions, when they are called
LATE = """
    bm25s bs4 datasketch docx dspy langchain_core.tracers.context langchain_openai plotly.graph_objects portalocker
    qdrant_client rich._emoji_codes rich.pretty rich.traceback scipy.optimize sklearn.cluster structlog
"""
# takes longer than all the others together, and only `viva tune local` wants it
LEFT_OUT = {"viva.optimizers.local_trainer"}

for name in LATE.split():
    importlib.import_module(name)
for room in ROOMS.split():
    for module in pkgutil.walk_packages(importlib.import_module(f"viva.{room}").__path__, f"viva.{room}."):
        if module.name not in LEFT_OUT:
            importlib.import_module(module.name)
_ = SentenceTransformerEmbedder(BUNDLED, threads=1)._model
_identifier()
_tagger()
