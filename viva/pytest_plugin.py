"""The plugin of pytest: exams as tests (docs/gate.md). Nothing of viva is imported before a test needs it.

pytest --viva exam.jsonl --viva-system rag.py:answer --viva-baseline baseline.json
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from viva.api.results.gate import GateResult
    from viva.api.runs import Exam
    from viva.core.scores import ExamineeScore

_RIGHT = 0.5


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("viva", "exams of RAG systems as tests")
    group.addoption("--viva", metavar="RUN|EXAM", help="a run folder or an exam file that the system takes")
    group.addoption("--viva-system", metavar="SPEC", help="the system, as for viva sit -e: rag.py:answer")
    group.addoption("--viva-baseline", metavar="NAME|FILE", help="hold a gate against it; a regression fails")
    group.addoption("--viva-min-accuracy", type=float, metavar="SHARE", help="without a baseline: what it must reach")
    group.addoption("--viva-each", action="store_true", help="a test for each question, not one for the exam")


def pytest_configure(config: pytest.Config) -> None:
    """Describe the marker."""
    config.addinivalue_line(
        "markers",
        "viva(exam, min_accuracy): exam of the fixture viva_exam, and what the lower end of the accuracy must reach",
    )


def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add the tests of --viva to those of the files."""
    place = config.getoption("--viva")
    if place is None:
        return
    if config.getoption("--viva-system") is None:
        raise pytest.UsageError("--viva needs a system: --viva-system rag.py:answer")
    if config.getoption("--viva-each") and config.getoption("--viva-baseline"):
        raise pytest.UsageError("--viva-each looks at each answer by itself: leave --viva-baseline out.")
    items.extend(_ExamTests.from_parent(session, name=Path(place).name).collect())


class _ExamTests(pytest.Collector):
    """The tests of one exam and one system, which is asked when the first of them runs."""

    def collect(self) -> Iterator[pytest.Item]:
        """Give one test, or one for each question."""
        if not self.config.getoption("--viva-each"):
            yield _ExamTest.from_parent(self, name=str(self.config.getoption("--viva-system")))
            return
        for question in self._exam():
            yield _QuestionTest.from_parent(self, name=question.id[:8], question=question)

    @cached_property
    def result(self) -> GateResult:
        """What the system's answers came to: all of them where each is a test."""
        baseline, each = self.config.getoption("--viva-baseline"), self.config.getoption("--viva-each")
        with tempfile.TemporaryDirectory() as folder:
            # saving asks the whole exam
            save = Path(folder) / "answers.json" if each or baseline is None else None
            return self._gate(Path(folder) / "run", baseline=baseline, save=save)

    def _exam(self) -> Exam:
        from viva.api.failures import UsageError
        from viva.api.runs import open_exam

        try:
            return open_exam(self._place)
        except UsageError as error:
            raise pytest.UsageError(str(error)) from error

    def _gate(self, out: Path, **asked: Any) -> GateResult:
        from viva.api.runs import Exam, open_run

        system = self.config.getoption("--viva-system")
        if self._exam().run is not None:
            return open_run(self._place).gate(system, **asked)
        return Exam.read(self._place).gate(system, out=out, **asked)

    @property
    def _place(self) -> Path:
        return self.config.invocation_params.dir / str(self.config.getoption("--viva"))


class _VivaTest(pytest.Item):
    """A test that fails with a sentence, not with a traceback."""

    parent: _ExamTests

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *_: Any) -> str:
        """Give the sentence."""
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Give the place: the exam."""
        return self.parent._place, None, f"viva {self.parent.name}::{self.name}"  # noqa: SLF001


class _ExamTest(_VivaTest):
    """The whole exam as one test."""

    def runtest(self) -> None:
        """Fail on a regression or an accuracy that is too low; an undecided gate is skipped."""
        found, wanted = self.parent.result, self.config.getoption("--viva-min-accuracy")
        if found.verdict == "undecided":
            pytest.skip(found.notes[0])
        if found.verdict == "regress":
            wrong = [f"{each['why']}: {each['question']}" for each in found.newly_wrong]
            raise AssertionError("\n".join([*found.notes, *wrong]))
        if found.verdict == "recorded" and wanted is not None:
            share = found.accuracy
            if share.low < wanted:
                shown = f"{share.value:.2f} ({share.low:.2f} to {share.high:.2f})"
                raise AssertionError(f"the accuracy is {shown}; its lower end has to reach {wanted:g}")


class _QuestionTest(_VivaTest):
    """One question as a test."""

    def __init__(self, *, question: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._question = question

    def runtest(self) -> None:
        """Fail where the answer is not right."""
        score = self.parent.result.score_of(self._question.shown)
        if score is None:
            pytest.skip("no judge has graded the answer")
        if score < _RIGHT:
            raise AssertionError(f"{self._question.text}\nnot right; the answer is: {self._question.answer}")


class ExamUnderTest:
    """The exam of a test's marker: a system takes it, and its accuracy must reach what the marker asks for."""

    def __init__(self, path: Path, out: Path, min_accuracy: float | None) -> None:
        self._path, self._out, self._min = path, out, min_accuracy

    @cached_property
    def exam(self) -> Exam:
        """The exam itself."""
        from viva.api.runs import Exam

        return Exam.read(self._path)

    def examine(self, answer: Any) -> ExamineeScore:
        """Let a system take the exam; AssertionError where the lower end of its accuracy is below what is asked."""
        score = self.exam.examine(mine=answer, out=self._out, manufactured=False)["mine"]
        found = score.accuracy
        if self._min is not None and (found is None or found.low < self._min):
            shown = "none" if found is None else f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"
            raise AssertionError(f"the accuracy is {shown}; its lower end has to reach {self._min:g}")
        return score


@pytest.fixture
def viva_exam(request: pytest.FixtureRequest, tmp_path: Path) -> ExamUnderTest:
    """The exam that the marker of the test names."""
    marker = request.node.get_closest_marker("viva")
    if marker is None or "exam" not in marker.kwargs:
        pytest.fail('the fixture viva_exam needs a marker: @pytest.mark.viva(exam="exam.jsonl", min_accuracy=0.8)')
    # an exam lies next to the test, or where pytest was started
    near = request.path.parent / marker.kwargs["exam"]
    path = near if near.exists() else request.config.invocation_params.dir / marker.kwargs["exam"]
    return ExamUnderTest(path, tmp_path / "viva-run", marker.kwargs.get("min_accuracy"))
