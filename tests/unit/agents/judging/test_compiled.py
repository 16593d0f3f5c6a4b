"""What an optimizer made comes back as it was saved, and its fingerprint tells whether the fields are still those."""

from __future__ import annotations

import json
from typing import Annotated, Literal

import dspy
import pytest
from pydantic import BaseModel, Field

from viva.agents.judges.model.compiled import Compiled, signature_fingerprint
from viva.agents.judges.model.forms import FORMS
from viva.core.errors import UsageError
from viva.core.records.judging import Quality

DEMO = {"question": "How long?", "reference": "90 m", "answer": "90 m", "rationale": "The same.", "score": 1.0}
CLAIMS = {"passages": "[1] A.", "claims": [{"claim": "A", "quote": "A.", "supported": True}]}


class Claim(BaseModel):
    claim: str = Field(description="one sentence")
    supported: bool


def made(**changes: object) -> type[dspy.Signature]:
    fields = {
        "question": (str, dspy.InputField(desc="as it was put")),
        "answer": (str, dspy.InputField(desc="to be judged")),
        "rating": (Annotated[int, Field(ge=1, le=5)], dspy.OutputField(desc="a step")),
        "claims": (list[Claim], dspy.OutputField(desc="all of them")),
        "better": (Literal["first", "second"], dspy.OutputField(desc="which")),
    }
    return dspy.make_signature({**fields, **changes}, "Judge it.")


@pytest.mark.parametrize("demos", [(), (DEMO,), (DEMO, CLAIMS)])
def test_what_was_saved_is_what_is_loaded(demos: tuple[dict[str, object], ...]) -> None:
    compiled = Compiled("Judge “well”.\nReason first.", demos)
    again = Compiled.from_json(compiled.to_json())
    assert again == compiled
    assert again.to_json() == compiled.to_json()
    assert again.fingerprint == compiled.fingerprint


def test_the_fingerprint_of_a_program_changes_with_instructions_demonstrations_and_their_order() -> None:
    programs = [Compiled("A"), Compiled("B"), Compiled("A", (DEMO,)), Compiled("A", (DEMO, CLAIMS))]
    programs.append(Compiled("A", (CLAIMS, DEMO)))
    assert len({program.fingerprint for program in programs}) == len(programs)


def test_a_compiled_judge_does_not_change_under_the_hands_of_who_gave_its_demonstrations() -> None:
    given = dict(DEMO)
    compiled = Compiled("A", (given,))
    given["score"] = 0.0
    assert compiled.demos[0]["score"] == 1.0
    with pytest.raises(TypeError):
        compiled.demos[0]["score"] = 0.0  # type: ignore[index]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not JSON",
        "[]",
        "{}",
        '{"instructions": "A"}',
        '{"instructions": "", "demos": []}',
        '{"instructions": "A", "demos": {}}',
        '{"instructions": "A", "demos": ["B"]}',
        '{"instructions": "A", "demos": [], "lm": null}',
    ],
)
def test_a_file_that_is_no_compiled_judge_is_refused_in_words(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        Compiled.from_json(text)
    assert "no compiled judge" in caught.value.problem
    assert "Tune the judge again" in caught.value.next_step


def test_a_demonstration_must_have_the_fields_of_the_judge() -> None:
    signature = FORMS[Quality.CORRECTNESS].brief.signature
    Compiled("A", (DEMO,)).check(signature)
    with pytest.raises(UsageError, match=r"Demonstration 2 .* has passages"):
        Compiled("A", (DEMO, {**DEMO, "passages": "x"})).check(signature)
    with pytest.raises(UsageError, match=r"Demonstration 1 .* lacks reference"):
        Compiled("A", ({name: value for name, value in DEMO.items() if name != "reference"},)).check(signature)


def test_the_fingerprint_of_fields_changes_with_name_order_side_type_limit_and_description() -> None:
    class Quoted(BaseModel):
        supported: bool
        claim: str = Field(description="one sentence")

    usual = made()
    reordered = {name: usual.fields[name] for name in ("answer", "question", "rating", "claims", "better")}
    changed = [
        usual,
        made(extra=(str, dspy.OutputField(desc="more"))),
        dspy.make_signature({name: (info.annotation, info) for name, info in reordered.items()}, "Judge it."),
        made(rating=(Annotated[int, Field(ge=1, le=6)], dspy.OutputField(desc="a step"))),
        made(rating=(Annotated[float, Field(ge=1, le=5)], dspy.OutputField(desc="a step"))),
        made(rating=(Annotated[int, Field(ge=1, le=5)], dspy.OutputField(desc="another step"))),
        made(claims=(list[Quoted], dspy.OutputField(desc="all of them"))),
        made(better=(Literal["second", "first"], dspy.OutputField(desc="which"))),
        made(answer=(str, dspy.OutputField(desc="to be judged"))),
    ]
    assert len({signature_fingerprint(each) for each in changed}) == len(changed)


def test_the_fingerprint_of_fields_does_not_change_with_instructions_nor_from_one_version_to_the_next() -> None:
    assert signature_fingerprint(made().with_instructions("Other.")) == signature_fingerprint(made())
    assert signature_fingerprint(made()) == "20be1b9a9c9f77e6"


def test_the_judges_have_different_fields_or_different_prompts() -> None:
    told = {(signature_fingerprint(f.brief.signature), f.brief.signature.instructions) for f in FORMS.values()}
    assert len(told) == len(FORMS) == len(Quality)


def test_a_saved_program_is_plain_json() -> None:
    assert json.loads(Compiled("A", (CLAIMS,)).to_json()) == {"instructions": "A", "demos": [CLAIMS]}
