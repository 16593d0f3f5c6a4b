"""`--repeats`: each question is asked again on further occasions, unless the system would answer the same."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from pump_run import PUMPS, pump_context, pump_exam, sit_all
from rich.console import Console

from viva.api.leaderboard import leaderboard
from viva.cli.settings import settings_of
from viva.core.errors import UsageError
from viva.core.records import FailureKind, Response
from viva.core.scores import Scores
from viva.core.wording import counted
from viva.graphs import results
from viva.graphs.context import RunContext
from viva.graphs.sitting import reference_examinees

EXAM = pump_exam()
RAG = """\
from pathlib import Path
asked = Path(__file__).with_name("asked")
def answer(question, options):
    with asked.open("a") as file:
        file.write(question + "\\n")
    times = asked.read_text().splitlines().count(question)
    if 0 < {fails_from} <= times:
        raise ValueError("down")
    # right on the first occasion alone
    right = f"{7 * int(question.split()[7]) + 3} litres"
    return next(option for option in options if (option == right) == (times == 1))
"""


def begun(folder: Path, fails_from: int = 0, **settings: object) -> RunContext:
    folder.mkdir(exist_ok=True)
    rag = folder / "rag.py"
    rag.write_text(RAG.replace("{fails_from}", str(fails_from)))
    return pump_context(folder / "run", examinees=(f"mine={rag}:answer",), **settings)


def own(context: RunContext) -> list[Response]:
    return context.store.responses_to(EXAM.items, all_occasions=True)


def test_each_question_is_asked_on_each_occasion_and_none_that_was_answered_again(tmp_path: Path) -> None:
    first = begun(tmp_path)
    sit_all(first)
    before = own(first)
    first.close()
    context = begun(tmp_path, repeats=3)
    watched = list[tuple[int, int]]()
    context.watch = lambda stage, done, total, note="": watched.append((done, total))
    sit_all(context)
    found = own(context)
    assert Counter(each.occasion for each in found) == {0: PUMPS, 1: PUMPS, 2: PUMPS}
    assert [each for each in found if not each.occasion] == before == context.store.responses_to(EXAM.items)
    assert len({each.id for each in found}) == 3 * PUMPS
    assert len((tmp_path / "asked").read_text().splitlines()) == 3 * PUMPS
    assert watched[-1] == (3 * PUMPS, 3 * PUMPS)
    assert sorted(watched) == watched
    sit_all(context)
    assert len((tmp_path / "asked").read_text().splitlines()) == 3 * PUMPS
    context.close()


def test_the_scores_are_means_over_occasions_with_the_mark_on_the_board(tmp_path: Path) -> None:
    context = begun(tmp_path, repeats=2, pass_mark=0.5)
    sit_all(context)
    results.score(context)
    stored = json.loads((context.folder / "scores.json").read_text())
    (row,) = Scores.model_validate(stored).examinees
    assert row.stability
    assert row.stability.changed.value > 0.5
    assert row.accuracy
    assert row.accuracy.value == pytest.approx(row.correct / row.graded)
    assert (row.asked, stored["pass_mark"]["mark"]) == (2 * PUMPS, 0.5)
    console = Console(record=True, width=200, force_terminal=False)
    leaderboard(Scores.model_validate(stored)).print(console)
    shown = console.export_text()
    assert f"mine was asked {counted(row.stability.questions, 'question')} 2 times" in shown
    assert "P(above 50%)" in shown
    assert "Pass mark 50%: pass or fail where" in shown
    context.close()


def test_a_system_that_fails_on_and_on_is_asked_no_more_on_any_occasion(tmp_path: Path) -> None:
    context = begun(tmp_path, fails_from=2, repeats=3)
    sit_all(context)
    kinds = Counter((each.occasion, each.failure.kind if each.failure else None) for each in own(context))
    assert kinds[0, None] == PUMPS
    assert kinds[1, FailureKind.RAISED] == 5
    assert kinds[2, FailureKind.WITHDRAWN] == PUMPS
    context.close()


def test_who_answers_the_same_each_time_is_asked_once_and_that_is_told(tmp_path: Path) -> None:
    said = tmp_path / "said.jsonl"
    said.write_text(json.dumps({"question": EXAM.items[0].item.stem, "answer": "10 litres"}) + "\n")
    recorded = f"kept=recorded:{said}"
    context = pump_context(tmp_path / "run", examinees=(recorded, "closed-book+lexical"), repeats=2)
    (told,) = reference_examinees.budget(context, diagnosis=False)
    assert told.startswith("--repeats has no effect on kept and closed-book+lexical: recorded answers")
    with pytest.raises(UsageError, match="--repeats has no effect: recorded answers"):
        reference_examinees.check_repeats(context)
    context.close()
    context = pump_context(tmp_path / "run", examinees=(recorded,), repeats=2)
    sit_all(context)
    assert {each.occasion for each in own(context)} == {0}
    context.close()
    mine = begun(tmp_path / "other", repeats=4)
    (told,) = reference_examinees.budget(mine, diagnosis=False)
    assert told.startswith(
        f"mine is asked each question 4 times, {4 * PUMPS} in all (--repeats 4, which the run keeps"
    )
    reference_examinees.check_repeats(mine)
    mine.close()


@pytest.mark.parametrize("mark", [1.0, 80.0, -0.1])
def test_a_mark_that_is_no_share_is_refused_in_a_sentence(mark: float) -> None:
    with pytest.raises(UsageError, match=rf"--pass is {mark}.*\n?.*between 0 and 1"):
        settings_of({"pass_mark": mark})
