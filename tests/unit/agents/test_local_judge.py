"""Local judges on disk and at work: what does not fit its stamp is refused; the shipped ones order pairs rightly."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save

from viva.agents.judges.local.blend import Blend, columns, fitted, kinds_of, raw_alone
from viva.agents.judges.local.judge import LocalJudge
from viva.agents.judges.local.network import new_network, put_tensors, tensors_of
from viva.agents.judges.local.reading import TRAINABLE, labelled_pairs, pairs_of, support_pair
from viva.agents.judges.local.storing import CARD, SHIPPED, WEIGHTS, load, read_card, shipped
from viva.core.errors import UsageError
from viva.core.records.judging import Case, Judgement, LabelledCase, Quality, Unjudged
from viva.llm.embeddings import SentenceTransformerEmbedder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of a shipped judge that a test may spoil."""
    return Path(shutil.copytree(shipped(Quality.FAITHFULNESS), tmp_path / "judge"))


@pytest.fixture(scope="module")
def faithfulness(minilm: SentenceTransformerEmbedder) -> LocalJudge:
    return LocalJudge.shipped(Quality.FAITHFULNESS, minilm, threads=1)


@pytest.fixture(scope="module")
def correctness(minilm: SentenceTransformerEmbedder) -> LocalJudge:
    return LocalJudge.shipped(Quality.CORRECTNESS, minilm, threads=1)


def rewrite(folder: Path, **changed: object) -> None:
    """The card with other fields."""
    card = json.loads((folder / CARD).read_text("utf-8"))
    (folder / CARD).write_text(json.dumps(card | changed), "utf-8")


def reweigh(folder: Path, tensors: dict[str, np.ndarray]) -> None:  # type: ignore[type-arg]
    """Other tensors, and a card whose stamp is theirs."""
    from hashlib import blake2b

    data = save(tensors)
    (folder / WEIGHTS).write_bytes(data)
    rewrite(folder, content=blake2b(data, digest_size=8).hexdigest())


def scores(judge: LocalJudge, *cases: Case) -> list[float]:
    found = asyncio.run(judge.judge(cases))
    assert all(isinstance(each, Judgement) for each in found)
    return [each.score for each in found if isinstance(each, Judgement)]


@pytest.mark.parametrize("quality", [each for each in TRAINABLE if (SHIPPED / each.value).is_dir()])
def test_every_shipped_judge_fits_its_stamp_and_says_where_its_labels_are_from(quality: Quality) -> None:
    card, tensors, _ = load(shipped(quality))
    assert card.judges is quality
    assert card.name == f"{quality}-local"
    assert card.trained_on
    assert card.measured
    assert all(each.low <= each.estimate <= each.high for each in card.measured)
    assert tensors
    assert (shipped(quality) / WEIGHTS).stat().st_size < 1_000_000


def test_weights_that_are_not_those_of_their_card_are_refused(folder: Path) -> None:
    data = bytearray((folder / WEIGHTS).read_bytes())
    data[-1] ^= 1
    (folder / WEIGHTS).write_bytes(bytes(data))
    with pytest.raises(UsageError, match="not those of their card"):
        load(folder)


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("signature", "0" * 16, "read differently"),
        ("model", "minilm-0000000000000000", "other base weights"),
        ("make", "tuned", "no local judge"),
        ("judges", "preference", "can be trained"),
        ("judges", "correctness", "read differently"),
        ("name", "../elsewhere", "cannot be read"),
    ],
)
def test_a_stamp_that_does_not_fit_is_refused_with_what_to_do(
    folder: Path, field: str, value: str, says: str
) -> None:
    rewrite(folder, **{field: value})
    with pytest.raises(UsageError, match=says):
        load(folder)


def test_missing_extra_misshapen_and_infinite_tensors_are_refused(folder: Path) -> None:
    whole = load(folder)[1]
    first, network = min(whole), new_network(0)
    spoilt = {
        "lack": {name: array for name, array in whole.items() if name != first},
        "have besides": whole | {"2.linear.other": np.zeros(3, dtype=np.float32)},
        "another shape": whole | {first: np.zeros((3, 3), dtype=np.float32)},
        "no numbers": whole | {first: np.full_like(whole[first], np.inf)},
    }
    before = tensors_of(network)
    for says, tensors in spoilt.items():
        with pytest.raises(UsageError, match=says):
            put_tensors(network, tensors)
    after = tensors_of(network)
    assert all(np.array_equal(before[name], after[name]) for name in before)


@pytest.mark.parametrize("name", ["blend.weights", "blend.spread"])
def test_weights_without_the_blend_are_refused(folder: Path, name: str) -> None:
    whole = load_file(folder / WEIGHTS)
    reweigh(folder, {key: array for key, array in whole.items() if key != name})
    with pytest.raises(UsageError, match="blend"):
        load(folder)


def test_a_file_that_is_no_safetensors_is_refused(folder: Path) -> None:
    from hashlib import blake2b

    data = b"\x80\x04K\x01."  # a pickle
    (folder / WEIGHTS).write_bytes(data)
    rewrite(folder, content=blake2b(data, digest_size=8).hexdigest())
    with pytest.raises(UsageError, match="no safetensors"):
        load(folder)


@pytest.mark.parametrize("name", [CARD, WEIGHTS])
def test_a_link_out_of_the_folder_is_refused(folder: Path, tmp_path: Path, name: str) -> None:
    moved = tmp_path / name
    (folder / name).rename(moved)
    (folder / name).symlink_to(moved)
    with pytest.raises(UsageError, match="is a link"):
        load(folder)


def test_a_folder_without_a_judge_says_how_to_train_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="viva tune local"):
        read_card(tmp_path)


def test_a_judge_of_something_else_supports_nothing(correctness: LocalJudge) -> None:
    with pytest.raises(UsageError, match="not what a passage supports"):
        correctness.support(["It is."], ["It is."])


def test_support_is_high_for_what_a_passage_says_and_low_for_what_it_denies_or_leaves_out(
    faithfulness: LocalJudge,
) -> None:
    passage = "The Heron was built at Leith in 1998. She carries 148 passengers and does not take lorries."
    claims = [
        "The Heron was built at Leith.",
        "The Heron carries 148 passengers.",
        "The Heron was built at Leith in 1989.",
        "The Heron was not built at Leith in 1998.",
        "The captain of the Heron collects rare stamps.",
    ]
    found = faithfulness.support(claims, [passage] * len(claims))
    assert min(found[:2]) > 0.5 > max(found[2:])


def test_support_needs_a_passage_for_each_claim(faithfulness: LocalJudge) -> None:
    assert faithfulness.support([], []).shape == (0,)
    with pytest.raises(UsageError, match="2 claims beside 1 passages"):
        faithfulness.support(["a", "b"], ["c"])


def test_the_shipped_correctness_judge_orders_right_above_vague_above_wrong(correctness: LocalJudge) -> None:
    question, reference = "What does aspirin do?", "Aspirin inhibits the enzyme cyclooxygenase."
    right, denied, other = scores(
        correctness,
        Case(question=question, reference=reference, answer="It blocks the enzyme cyclooxygenase."),
        Case(question=question, reference=reference, answer="Aspirin does not inhibit the enzyme cyclooxygenase."),
        Case(question=question, reference=reference, answer="The ferry leaves at noon."),
    )
    assert right > denied
    assert right > other
    assert max(denied, other) < 0.5


def test_a_judgement_is_the_same_alone_and_among_others_and_names_the_weakest_claim(
    faithfulness: LocalJudge,
) -> None:
    passages = ("The Heron carries 148 passengers.",)
    case = Case(answer="The Heron carries 148 passengers. Its captain collects stamps.", passages=passages)
    others = [Case(answer=f"The ferry {n} leaves at noon for the isle of Noss.", passages=passages) for n in range(5)]
    (alone,) = asyncio.run(faithfulness.judge([case]))
    among = asyncio.run(faithfulness.judge([*others, case]))[-1]
    assert isinstance(alone, Judgement)
    assert isinstance(among, Judgement)
    assert alone.score == among.score
    assert "collects stamps" in alone.reason


def test_an_answer_without_a_claim_is_not_judged(faithfulness: LocalJudge) -> None:
    (found,) = asyncio.run(faithfulness.judge([Case(answer=" ", passages=("It holds oil.",))]))
    assert isinstance(found, Unjudged)
    assert found.code == "no_claims"


def test_a_case_that_lacks_what_is_judged_is_refused(faithfulness: LocalJudge) -> None:
    with pytest.raises(UsageError, match="passages"):
        asyncio.run(faithfulness.judge([Case(answer="Six.")]))


def test_an_answer_that_is_not_wholly_supported_is_learned_from_as_a_whole() -> None:
    case = Case(answer="It holds oil. It was built at Leith.", passages=("It holds oil.",))
    supported = LabelledCase(case=case, label=1, group="a")
    partly = LabelledCase(case=case, label=0.5, group="a")
    assert [label for _, label in labelled_pairs(supported, Quality.FAITHFULNESS)] == [1, 1]
    (pair,) = labelled_pairs(partly, Quality.FAITHFULNESS)
    assert pair[0].said == case.answer
    assert pair[1] == 0.5


def test_a_short_reference_is_read_with_its_question_and_the_best_of_its_wordings() -> None:
    (pair,) = pairs_of(Case(question="How many sides?", reference="six/6", answer="It has 6."), Quality.CORRECTNESS)
    assert pair.given == "How many sides? 6"
    assert pair.comparison.contains == 1


def test_the_blend_learns_from_figures_what_the_raw_score_does_not_know() -> None:
    draw = np.random.default_rng(1)
    pairs = [support_pair(f"It holds {n} litres.", [f"It holds {n + n % 2} litres."]) for n in range(200)]
    raw, cosines = draw.normal(size=200), np.full(200, 0.9)
    labels = np.array([float(n % 2 == 0) for n in range(200)])
    table = columns(raw, cosines, pairs)
    kinds = kinds_of(pairs)
    found = fitted(table, labels, kinds).scores(table, kinds)
    assert found[labels == 1].min() > found[labels == 0].max()


@pytest.mark.parametrize("label", [0.0, 1.0])
def test_with_labels_of_one_kind_the_raw_score_is_taken_as_it_is(label: float) -> None:
    pairs = [support_pair("It holds oil.", ["It holds oil."])] * 3
    table = columns(np.array([-1.0, 0.0, 2.0]), np.ones(3), pairs)
    kinds = kinds_of(pairs)
    found = fitted(table, np.full(3, label), kinds)
    assert isinstance(found, Blend)
    assert np.array_equal(found.scores(table, kinds), raw_alone().scores(table, kinds))
    assert found.scores(table, kinds)[1] == 0.5


def test_a_score_is_the_same_in_any_company_and_has_four_decimals(correctness: LocalJudge) -> None:
    said = "the pump moves forty litres of water out of the hull in a minute and foam to the deck".split()
    cases = [Case(reference=" ".join(said), answer=" ".join(said[: n + 1])) for n in range(len(said))]
    together = scores(correctness, *cases)
    assert [scores(correctness, case)[0] for case in cases] == together
    assert together == [round(score, 4) for score in together]
