"""LangChain's Runnables and tools in the chair, and any system as a tool."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, is_typeddict

from viva.examinees.adapters.base import Adapter
from viva.examinees.adapters.inputs import InputForm
from viva.examinees.answering import Answer, BadAnswerError, Candidate
from viva.examinees.readers.choosing import Asked
from viva.examinees.readers.reading import first_words, holds_passages, read_answer, with_reading

if TYPE_CHECKING:
    from langchain_core.messages import ToolMessage
    from langchain_core.runnables import Runnable
    from langchain_core.tools import BaseTool
    from pydantic import BaseModel

_USUAL = ("question", "input", "query")
# how Python and LangChain complain of a text where a mapping was expected
_WANTS_FIELDS = re.compile(r"indices must be integers|'str' object has no attribute|must be a dict")


class RunnableSystem:
    """A chain, a chat model, a retriever with a model behind it. Its input schema says where the question goes.

    Where the schema says nothing, as of many a lambda, it is given a text; and a mapping, should it complain of that.
    """

    def __init__(self, runnable: Runnable[Any, Any], name: str) -> None:
        self._runnable = runnable
        self._model = _input_model(runnable)
        form = _form(runnable, name)
        self._untold = form is None
        self._form = form or InputForm()
        self.takes_passages = bool(self._form.passages)

    async def answer(self, asked: Asked) -> Answer:
        """Invoke it. Raises what it raises, BadAnswerError for an output without a text."""
        try:
            output = await self._runnable.ainvoke(self._input(asked))
        except (AttributeError, TypeError, ValueError) as error:
            if not self._untold or not _WANTS_FIELDS.search(str(error)):
                raise
            output = await self._runnable.ainvoke(dict.fromkeys(_USUAL, asked.question))
        return read_answer(output, asked.options)

    def _input(self, asked: Asked) -> Any:
        filled = self._form.filled(asked)
        return self._model(**filled) if self._model and isinstance(filled, dict) else filled


class ToolSystem:
    """A tool, called as a tool node calls it; documents in its artifact are its passages."""

    def __init__(self, tool: BaseTool, name: str) -> None:
        self._tool = tool
        self._form = InputForm.of(_arguments_of(tool), name)
        self.takes_passages = bool(self._form.passages)

    async def answer(self, asked: Asked) -> Answer:
        """Call it. Raises what it raises, BadAnswerError where its message says that it failed."""
        filled = self._form.filled(asked)
        call = {"type": "tool_call", "id": "question", "name": self._tool.name, "args": filled}
        message: ToolMessage = await self._tool.ainvoke(call)
        if getattr(message, "status", "") == "error":
            raise BadAnswerError(f"The tool says that it failed: {first_words(str(message.content), 200)}.")
        return _of_message(message, asked)


def _of_message(message: ToolMessage, asked: Asked) -> Answer:
    artifact = getattr(message, "artifact", None)
    if isinstance(artifact, Answer):
        return with_reading(artifact, asked.options)
    told = {"text": getattr(message, "content", None)}
    if isinstance(artifact, Mapping):
        return read_answer({**artifact, **told}, asked.options)
    return read_answer({**told, "passages": artifact if holds_passages(artifact) else None}, asked.options)


def _arguments_of(tool: BaseTool) -> Mapping[str, Any]:
    """The JSON schema of what a model may give it: without what a graph would inject."""
    from pydantic import BaseModel

    schema = tool.tool_call_schema
    if isinstance(schema, dict):
        return schema
    return schema.model_json_schema() if issubclass(schema, BaseModel) else schema.schema()


def _form(runnable: Runnable[Any, Any], name: str) -> InputForm | None:
    """Where its input takes the question; None where that cannot be told."""
    wanted = _input_type(runnable)
    if is_typeddict(wanted):  # by name alone: before Python 3.12 there is no JSON schema of a typing.TypedDict
        return InputForm.with_fields({key: {} for key in wanted.__annotations__}, wanted.__required_keys__, name)
    try:
        schema = runnable.get_input_jsonschema()
    except Exception:  # noqa: BLE001 - of a type that has none
        return None
    told = set(schema.get("properties") or {}) - {"root"}  # what is left where nothing was found
    return (
        InputForm.of(schema, name) if told or schema.get("type", "object") != "object" or "anyOf" in schema else None
    )


def _input_model(runnable: Runnable[Any, Any]) -> type[BaseModel] | None:
    """The class of its input, where that is a pydantic model."""
    from pydantic import BaseModel

    wanted = _input_type(runnable)
    return wanted if isinstance(wanted, type) and issubclass(wanted, BaseModel) else None


def _input_type(runnable: Runnable[Any, Any]) -> Any:
    try:
        return runnable.InputType
    except TypeError:  # it cannot be told
        return None


def as_tool(candidate: Candidate) -> BaseTool:
    """The system as a tool, for a tool node: its text is the message, its whole Answer the artifact.

    A call raises what the system raises. Without a loop (`invoke`) only an Adapter can be asked: it has its own.
    """
    from langchain_core.tools import StructuredTool

    async def ask(question: str, options: list[str] | None = None) -> tuple[str, Answer]:
        answer = await candidate.answer(question, options)
        return answer.text, answer

    ask_now = None
    if isinstance(candidate, Adapter):
        own = candidate

        def ask_now(question: str, options: list[str] | None = None) -> tuple[str, Answer]:
            answer = own.answer_now(question, options)
            return answer.text, answer

    name = re.sub(r"[^A-Za-z0-9_-]+", "_", candidate.examinee.name).strip("_")[:64]
    return StructuredTool.from_function(
        func=ask_now,
        coroutine=ask,
        name=name or "examinee",
        description="Asks the system under examination one question; with options, which of them is right.",
        response_format="content_and_artifact",
    )
