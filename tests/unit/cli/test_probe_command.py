"""`viva probe` shows how often tricks move a judge, for people and machines, and says what it cannot do."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
import typer
from fake_model import fake_reply
from model_server import serve
from pydantic import JsonValue
from typer.testing import CliRunner, Result

from viva.agents.judges.model.compiled import Compiled
from viva.agents.judges.model.judge import stamped
from viva.cli.judges.probe import probe
from viva.core.calls import Message
from viva.core.errors import BudgetReached, UsageError
from viva.core.records.judging import Quality
from viva.storage.judges import all_judges, find_judge, install_program

app = typer.Typer(pretty_exceptions_enable=False)
app.command()(probe)
PRAISED = "correct and complete"


@pytest.fixture(autouse=True)
def judges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Judges are installed here, not where the person at this machine keeps them."""
    folder = tmp_path / "judges"
    monkeypatch.setenv("VIVA_JUDGES", str(folder))
    return folder


def ran(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(app, [*arguments, "--out", str(folder)], catch_exceptions=False)


def asked(folder: Path, *arguments: str) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = json.loads(ran(folder, *arguments, "--json").stdout)
    return found


def vain(messages: Sequence[Message], parameters: Mapping[str, JsonValue]) -> str:
    """Gives full marks to whatever calls itself correct; else as the fake model."""
    if PRAISED in messages[-1].text:
        return "[[ ## rationale ## ]]\nIt \x1b[31msays so.\n\n[[ ## score ## ]]\n1\n\n[[ ## completed ## ]]"
    return fake_reply(messages, parameters)


def test_the_table_shows_every_probe_and_cases_that_were_moved(tmp_path: Path) -> None:
    with serve(vain) as server:
        result = ran(tmp_path, "correctness", "--model", "vllm:judge", "--base-url", server.url)
    assert "vllm:judge" in result.stdout
    assert "4 of 12" in result.stdout
    assert "0 of 12" in result.stdout
    assert "\x1b" not in result.stdout
    assert "says so." in result.stdout


def test_for_machines_it_is_one_json_document_with_the_card(tmp_path: Path) -> None:
    with serve(vain) as server:
        told = asked(tmp_path, "correctness", "--model", "vllm:judge", "--base-url", server.url)
        paid = server.paid
        again = asked(tmp_path, "correctness", "--model", "vllm:judge", "--base-url", server.url)
        assert server.paid == paid
    assert told == again
    probed = {each["probe"]: each for each in told["card"]["probed"]}  # type: ignore[index,call-overload,union-attr]
    assert probed["self-praise"] == {"probe": "self-praise", "moved": 4, "tried": 12}
    examples = {each["probe"]: each["examples"] for each in told["probes"]}  # type: ignore[index,call-overload,union-attr]
    assert all(PRAISED in example["tricked"]["answer"] for example in examples["self-praise"])  # type: ignore[call-overload,index,union-attr]


def test_labelled_cases_of_a_file_are_tried(tmp_path: Path) -> None:
    file = tmp_path / "answers.csv"
    file.write_text(
        "question,gold,said,mark\n"
        "How long is it?,It is 90 m long.,It is 60 m long.,1\n"
        "How long is that?,That is 90 m long.,It is 90 m long.,5\n"
        "How long was it?,It was 90 m long.,It is 90 m long.,3\n",
        encoding="utf-8",
    )
    told = asked(
        tmp_path,
        *("correctness", "--model", "fake:any", "--data", str(file)),
        *("--columns", "reference=gold,answer=said,label=mark", "--label-range", "1-5"),
    )
    assert {each["probe"]: each["tried"] + each["no_room"] for each in told["probes"]} == {  # type: ignore[index,call-overload,union-attr,operator]
        "verbosity": 1,
        "verbosity of what is right": 1,
        "self-praise": 1,
        "injection": 1,
        "authority": 1,
    }


def test_a_rival_brings_the_probe_of_self_preference(tmp_path: Path) -> None:
    result = ran(tmp_path, "preference", "--model", "fake:one", "--rival", "fake:two", "--cases", "3")
    assert "self-preference" in result.stdout
    assert "position" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("korrektness", "--model", "fake:any"), "no judge called 'korrektness'"),
        (("correctness",), "No language model is named"),
        (("correctness", "--model", "any"), "names no model"),
        (("correctness", "--model", "fake:any", "--rival", "fake:b"), "--rival needs a language model"),
        (("correctness", "--model", "fake:any", "--data", "nowhere.csv"), "cannot be read"),
        (("correctness", "--model", "fake:any", "--label-range", "5", "--data", "nowhere.csv"), "--label-range"),
    ],
)
def test_what_cannot_be_done_is_said_in_words(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=words):
        ran(tmp_path, *arguments)
    assert not (tmp_path / "judges").exists()


def test_what_was_found_is_kept_on_the_card_of_the_judge(judges: Path, tmp_path: Path) -> None:
    ran(tmp_path, "rubric", "--model", "fake:any", "--cases", "2")
    (kept,) = all_judges()[0]
    assert (kept.card.judges, kept.card.model) == (Quality.RUBRIC, "fake:any")
    assert {each.probe for each in kept.card.probed} == {
        *("verbosity", "verbosity of what is right", "self-praise", "injection", "authority"),
    }


SMALL = json.dumps({"question": "How long?", "reference": "90 m long.", "answer": "60 m long.", "label": 0}) + "\n"


@pytest.mark.parametrize("tuned", [False, True])
def test_a_probe_on_few_cases_leaves_what_was_found_on_many(tmp_path: Path, tuned: bool) -> None:
    name, program = "rubric", Compiled("Judge by the tide.")
    if tuned:
        name = "rubric-tuned"
        install_program(stamped(Quality.RUBRIC, program).model_copy(update={"model": "fake:any"}), program.to_json())
    many = asked(tmp_path, name, "--model", "fake:any")
    small = tmp_path / "small.jsonl"
    small.write_text(SMALL, encoding="utf-8")
    few = asked(tmp_path, name, "--model", "fake:any", "--data", str(small))
    shown = ran(tmp_path, name, "--model", "fake:any", "--data", str(small))
    assert {each["tried"] for each in few["probes"]} <= {0, 1}  # type: ignore[call-overload,index,union-attr]
    assert few["card"] == many["card"]
    assert {each["probe"] for each in few["kept"]} == {  # type: ignore[call-overload,index,union-attr]
        each["probe"]  # type: ignore[call-overload,index]
        for each in few["probes"]  # type: ignore[union-attr]
        if each["tried"]  # type: ignore[call-overload,index]
    }
    assert "on more cases, is kept" in " ".join(shown.stdout.split())
    (kept,) = [each.card for each in all_judges()[0] if each.card.probed]
    assert [each.model_dump() for each in kept.probed] == many["card"]["probed"]  # type: ignore[call-overload,index]


def test_a_tuned_judge_is_probed_with_its_program_and_keeps_it(tmp_path: Path) -> None:
    program = Compiled("Judge by the tide.")
    card = stamped(Quality.RUBRIC, program).model_copy(update={"model": "vllm:judge"})
    install_program(card, program.to_json())
    heard: list[str] = []

    def brain(messages: Sequence[Message], parameters: Mapping[str, JsonValue]) -> str:
        heard.append(messages[0].text)
        return fake_reply(messages, parameters)

    with serve(brain) as server:
        ran(tmp_path, "rubric-tuned", "--model", "vllm:judge", "--base-url", server.url, "--cases", "2")
    assert all("Judge by the tide." in system for system in heard)
    installed = find_judge("rubric-tuned")
    assert Compiled.from_json(installed.program) == program
    assert installed.card.probed
    with pytest.raises(UsageError, match="tuned and measured with vllm:judge"):
        ran(tmp_path, "rubric-tuned", "--model", "fake:any", "--cases", "2")


def test_a_judge_without_a_model_is_probed_without_a_door(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["correctness-offline", "--cases", "3"], catch_exceptions=False)
    assert "correctness-offline" in result.stdout
    assert "of 3" in result.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["judges"]
    assert all_judges()[0][0].card.probed
    with pytest.raises(UsageError, match="uses no language model"):
        ran(tmp_path, "correctness-offline", "--model", "fake:any")


def test_a_budget_that_is_reached_ends_it_and_the_rest_goes_on_later(tmp_path: Path) -> None:
    with serve() as server:
        where = ("--model", "vllm:judge", "--base-url", server.url, "--cases", "2")
        with pytest.raises(BudgetReached):
            ran(tmp_path, "rubric", *where, "--max-calls", "5", "--concurrency", "1")
        assert server.paid == 5
        assert "0 of 2" in ran(tmp_path, "rubric", *where).stdout


def test_a_name_may_be_written_with_a_hyphen(tmp_path: Path) -> None:
    assert "stand_alone" in ran(tmp_path, "stand-alone", "--model", "fake:any", "--cases", "2").stdout
