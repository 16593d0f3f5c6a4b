"""Checkpoints: a graph that was stopped goes on where it was."""

from __future__ import annotations

import asyncio
from operator import add
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from viva.core.errors import DiskFull, UsageError
from viva.storage.checkpoints import CHECKPOINT_FILE, open_checkpoints

CONFIG: Any = {"configurable": {"thread_id": "t"}}


class State(TypedDict):
    done: Annotated[list[str], add]


def graph(walked: list[str], broken: str | None) -> StateGraph[State]:
    async def work(task: dict[str, str]) -> dict[str, list[str]]:
        if task["name"] == broken:
            raise RuntimeError(broken)
        walked.append(task["name"])
        return {"done": [task["name"]]}

    def fan_out(_state: State) -> list[Send]:
        return [Send("work", {"name": name}) for name in ("a", "b", "c")]

    builder: Any = StateGraph(State)
    builder.add_node("work", work)
    builder.add_conditional_edges(START, fan_out, ["work"])
    builder.add_edge("work", END)
    return builder


async def run(folder: Path, walked: list[str], broken: str | None) -> dict[str, Any]:
    async with open_checkpoints(folder) as saver:
        compiled = graph(walked, broken).compile(checkpointer=saver)
        state = await compiled.aget_state(CONFIG)
        start: Any = None if state.next else {"done": []}
        return dict(await compiled.ainvoke(start, CONFIG, durability="async"))


def test_only_what_had_not_finished_runs_again(tmp_path: Path) -> None:
    first: list[str] = []
    with pytest.raises(RuntimeError, match="c"):
        asyncio.run(run(tmp_path, first, broken="c"))
    second: list[str] = []
    result = asyncio.run(run(tmp_path, second, broken=None))
    assert sorted(first) == ["a", "b"]
    assert second == ["c"]
    assert sorted(result["done"]) == ["a", "b", "c"]


def test_the_file_is_written_ahead_and_flushed_seldom(tmp_path: Path) -> None:
    async def pragmas() -> list[Any]:
        async with open_checkpoints(tmp_path) as saver:
            values = []
            for name in ("journal_mode", "synchronous"):
                async with saver.conn.execute(f"PRAGMA {name}") as cursor:
                    values += list(await cursor.fetchone() or ())
            return values

    assert asyncio.run(pragmas()) == ["wal", 1]


def test_a_damaged_file_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / CHECKPOINT_FILE).write_bytes(b"no database" * 1000)
    with pytest.raises(UsageError, match=CHECKPOINT_FILE):
        asyncio.run(run(tmp_path, [], None))


@pytest.mark.parametrize("durability", ["async", "sync"])
def test_a_disk_that_is_full_while_it_is_written_is_told(tmp_path: Path, durability: str) -> None:
    async def fill() -> None:
        async with open_checkpoints(tmp_path) as saver:
            await saver.conn.execute("PRAGMA max_page_count=8")
            compiled = graph([], None).compile(checkpointer=saver)
            for number in range(200):
                config = {"configurable": {"thread_id": str(number)}}
                await compiled.ainvoke({"done": ["x" * 5000]}, config, durability=durability)

    with pytest.raises(DiskFull, match=f"{CHECKPOINT_FILE}: the disk is full"):
        asyncio.run(fill())


def test_a_missing_folder_is_made(tmp_path: Path) -> None:
    assert asyncio.run(run(tmp_path / "new" / "run", [], None))["done"]


def test_a_folder_that_cannot_be_made_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match=CHECKPOINT_FILE):
        asyncio.run(run(tmp_path / "file", [], None))
