"""LangGraph's compiled graphs in the chair."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from viva.examinees.adapters.inputs import InputForm
from viva.examinees.answering import Answer, BadAnswerError
from viva.examinees.readers.choosing import Asked
from viva.examinees.readers.reading import first_words, read_answer

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.pregel import Pregel


class GraphSystem:
    """A graph over messages, or over a state with a question and an answer. Each question is a thread of its own."""

    def __init__(self, graph: Pregel[Any, Any, Any, Any], name: str) -> None:
        self._graph = graph
        self._form, self.takes_passages = _form(graph, name)

    async def answer(self, asked: Asked) -> Answer:
        """Run it to its end. Raises what it raises, BadAnswerError for a last state without an answer."""
        config: RunnableConfig = {"configurable": {"thread_id": str(uuid.uuid4())}}
        state = await self._graph.ainvoke(self._form.filled(asked), config)
        waiting = state.get("__interrupt__") if isinstance(state, Mapping) else None
        if waiting:
            raise BadAnswerError(f"The graph waits for a person: {first_words(str(waiting[0]), 200)}.")
        return read_answer(state, asked.options)


def _form(graph: Pregel[Any, Any, Any, Any], name: str) -> tuple[InputForm, bool]:
    """Where the question goes; and whether passages that are handed in take the place of those it retrieves.

    They do only where the graph's input is declared apart from its state: in the state they would be overwritten.
    """
    builder = getattr(graph, "builder", None)
    if builder is None:  # an entrypoint function
        form = InputForm.of(graph.get_input_jsonschema(), name)
        return form, bool(form.passages)
    # by name alone: before Python 3.12 there is no JSON schema of a typing.TypedDict
    form = InputForm.with_fields({key: {} for key in builder.schemas[builder.input_schema]}, (), name)
    return form, bool(form.passages) and builder.input_schema is not builder.state_schema
