"""viva: a viva voce for RAG systems. It writes exams from documents, examines RAG systems, and scores both.

run = viva.write_exam("docs/", model="openai:gpt-4o-mini", items=60)
scores = run.examine(mine=answer, baseline="bm25+openai:gpt-4o-mini")
scores.leaderboard
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from viva.api import irt as irt
    from viva.api.articles import grade_articles as grade_articles
    from viva.api.equating.history import history as history
    from viva.api.judges.agreement import judges as judges
    from viva.api.judges.grading import grade as grade
    from viva.api.judges.grading import judge as judge
    from viva.api.judges.tuning import tune as tune
    from viva.api.result import Result as Result
    from viva.api.runs import Exam as Exam
    from viva.api.runs import Run as Run
    from viva.api.runs import open_run as open_run
    from viva.api.systems import panel as panel
    from viva.api.writing import write_exam as write_exam
    from viva.api.writing import write_exam_async as write_exam_async
    from viva.core.errors import BudgetReached as BudgetReached
    from viva.core.errors import UsageError as UsageError
    from viva.core.errors import VivaError as VivaError

__version__ = "0.1.0"

_HOMES = {
    "write_exam": "viva.api.writing",
    "write_exam_async": "viva.api.writing",
    "open_run": "viva.api.runs",
    "Run": "viva.api.runs",
    "Exam": "viva.api.runs",
    "panel": "viva.api.systems",
    "judge": "viva.api.judges.grading",
    "grade": "viva.api.judges.grading",
    "judges": "viva.api.judges.agreement",
    "tune": "viva.api.judges.tuning",
    "grade_articles": "viva.api.articles",
    "history": "viva.api.equating.history",
    "irt": "viva.api",
    "Result": "viva.api.result",
    "VivaError": "viva.core.errors",
    "UsageError": "viva.core.errors",
    "BudgetReached": "viva.core.errors",
}
"""Where each public name is defined: it is imported when it is first used, so that `import viva` costs nothing."""

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'viva' has no attribute {name!r}")
    if name == "irt":
        return import_module("viva.api.irt")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
