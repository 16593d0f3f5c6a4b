"""What commands import and load by themselves, once: the fork server of command.py imports this, then forks.

Nothing here may start a thread of Python's: what is forked would not have it.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import partial

from fake_model import provider

from viva.agents.offline.text.grammar import _tagger
from viva.core.text.language_detection import _identifier
from viva.graphs.sitting import administer
from viva.llm import gateway, tracing
from viva.llm.embedding_models import BUNDLED
from viva.llm.embeddings import SentenceTransformerEmbedder

ROOMS = "agents cli core examinees exams graphs llm metrics optimizers prompts reports storage"
# imported by functions, when they are called
LATE = """
    bm25s bs4 datasketch docx dspy httpcore langchain_core.tracers.context langchain_openai openai.resources
    plotly.graph_objects portalocker pypdfium2 qdrant_client rich._emoji_codes rich.pretty rich.traceback
    scipy.optimize sklearn.cluster sklearn.feature_extraction.text structlog
"""

for name in LATE.split():
    importlib.import_module(name)
for room in ROOMS.split():
    for module in pkgutil.walk_packages(importlib.import_module(f"viva.{room}").__path__, f"viva.{room}."):
        importlib.import_module(module.name)
# nobody here is spared by a pause; what a server itself asks for is waited for all the same
administer.FIRST_WAIT_S = 0.01
tracing.CLOSING_S = 0.5
provider.register()
gateway.Retries = partial(gateway.Retries, first_s=0.01, longest_s=0.05)
_ = SentenceTransformerEmbedder(BUNDLED, threads=1)._model
_identifier()
_tagger()
