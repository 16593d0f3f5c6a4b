"""A tuning by hand: judge, gateway and loop as `viva tune` makes them, against a model server on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path

from model_server import ModelServer

from viva.core.records.judging import Quality
from viva.core.settings import Settings
from viva.graphs.grading.batch_judging import JudgePool, opened_judge_pool
from viva.llm.loops import BackgroundLoop
from viva.optimizers.efforts import Effort
from viva.optimizers.tuning import TuningSession

SMALL = Effort(
    demos=(2, 4), solved=2, labelled=2, sets=2, instructions=3, depth=2, trials=4, minibatch=8, rounds=3, cases=40
)
THREADS = 4


@contextmanager
def room(
    folder: Path, server: ModelServer, quality: Quality = Quality.CORRECTNESS, **more: object
) -> Iterator[TuningSession]:
    """A session whose calls are kept in the folder, and go to the server."""
    settings = Settings(model=("openai:scripted",), base_url=server.url, concurrency=THREADS, **more)
    with BackgroundLoop() as background:
        stack = AsyncExitStack()
        try:
            pool: JudgePool = background.run(stack.enter_async_context(opened_judge_pool(folder, settings)))
            yield TuningSession(
                gateway=pool.models.gateway,
                background=background,
                judge=lambda compiled: pool.judge(quality, program=compiled),
                threads=THREADS,
                resamples=200,
            )
        finally:
            background.run(stack.aclose())
