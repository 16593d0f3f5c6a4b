"""Reference systems with models of their own are named in one line; a line that does not hold together says why."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tiny_models import tiny_cross_encoder, tiny_llama

from viva.core.errors import UsageError
from viva.core.records import Examinee
from viva.core.settings import Settings
from viva.examinees.specs.panel_file import read_panel
from viva.examinees.specs.parse import parse_spec
from viva.examinees.specs.records import CallableSpec, Manners, ReferenceSpec
from viva.examinees.specs.reference import SLOW_S, reader_model

SETTINGS = Settings(worked_examples=2, concurrency=6)


def reference(text: str) -> ReferenceSpec:
    spec = parse_spec(text, SETTINGS)
    assert isinstance(spec, ReferenceSpec)
    return spec


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_llama(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def cross(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_cross_encoder(tmp_path_factory.mktemp("models") / "cross")


@pytest.mark.parametrize("retriever", ["dense", "hybrid", "hybrid-rerank"])
def test_a_retriever_may_have_an_encoder_of_its_own(retriever: str) -> None:
    spec = reference(f"{retriever}:lsa+embedding,k=3")
    assert (spec.retriever, spec.encoder, spec.reader, spec.k) == (retriever, "lsa", "embedding", 3)
    assert spec.examinee.components["retriever"] == f"{retriever}:lsa"
    assert spec.examinee.name == f"{retriever}:lsa+embedding,k=3"
    plain, minilm = reference(f"{retriever}+embedding,k=3"), reference(f"{retriever}:minilm+embedding,k=3")
    assert len({spec.examinee.id, plain.examinee.id, minilm.examinee.id}) == 3


@pytest.mark.parametrize(
    "text", ["bm25+openai:gpt-4o-mini", "dense:lsa+fake:any,examples=2", "oracle+ollama:llama3:8b"]
)
def test_any_model_may_read(text: str) -> None:
    spec = reference(text)
    assert spec.reader == text.partition("+")[2].partition(",")[0] == str(reader_model(spec))
    assert spec.examinee.components["reader"] == spec.reader
    # the door has its own limits, times and retries
    assert spec.manners == Manners(timeout_s=SLOW_S, concurrency=SETTINGS.concurrency, retries=0)


def test_a_replayed_reader_goes_by_the_model_that_was_recorded() -> None:
    spec = reference("bm25+replay:runs/ledger.sqlite#openai:gpt-4o-mini")
    assert spec.examinee.components["reader"] == "openai:gpt-4o-mini"
    assert spec.examinee.id == reference("bm25+openai:gpt-4o-mini").examinee.id
    assert str(reader_model(spec)) == "replay:runs/ledger.sqlite#openai:gpt-4o-mini"
    unnamed = reference("bm25+replay:runs/ledger.sqlite")
    assert unnamed.examinee.components["reader"] == "replay:runs/ledger.sqlite"


def test_a_local_model_reads_with_the_score_that_is_said(llama: Path) -> None:
    spec = reference(f"bm25+hf:{llama}")
    assert (spec.reader, spec.score) == (f"hf:{llama}", "acc_norm")
    assert spec.examinee.components["reader"] == "hf:tiny"
    assert reader_model(spec) is None
    others = [reference(f"bm25+hf:{llama},score={score}") for score in ("acc", "acc_norm", "acc_bytes")]
    assert [other.examinee.id == spec.examinee.id for other in others] == [False, True, False]
    assert spec.manners.concurrency == 1


def test_an_id_hangs_on_the_models_content_and_not_on_its_place(llama: Path, tmp_path: Path) -> None:
    moved = shutil.copytree(llama, tmp_path / "tiny")
    before, same = reference(f"bm25+hf:{llama}"), reference(f"bm25+hf:{moved}")
    assert before.examinee.id == same.examinee.id
    (moved / "generation_config.json").write_text('{"max_length": 3}')
    assert reference(f"bm25+hf:{moved}").examinee.id != before.examinee.id


def test_a_cross_encoder_re_ranks(cross: Path) -> None:
    spec = reference(f"hybrid-rerank+lexical,rerank={cross},k=2")
    assert (spec.rerank, spec.k) == (str(cross), 2)
    assert spec.examinee.components["retriever"] == "hybrid-rerank/cross"
    assert spec.examinee.id != reference("hybrid-rerank+lexical,k=2").examinee.id


def test_a_server_reads_by_its_address_and_model() -> None:
    spec = reference("bm25+logprob:http://127.0.0.1:8000/v1#some/model-7B,score=acc")
    assert spec.reader == "logprob:http://127.0.0.1:8000/v1#some/model-7B"
    assert reader_model(spec) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bm25:lsa+lexical", "names an encoder, but bm25 has none"),
        ("dense:", "is not the spec of an examinee"),
        ("dense:nobody/has-this", "not on this machine"),
        ("bm25,rerank=minilm", "but bm25 does not re-rank"),
        ("hybrid-rerank,rerank=", "is not the spec of an examinee"),
        ("hybrid-rerank,rerank=nobody/has-this", "cross-encoder 'nobody/has-this' is not on this machine"),
        ("bm25+lexical,score=acc", "no log-likelihoods"),
        ("bm25+openai:gpt,score=acc", "no log-likelihoods"),
        ("bm25+hf:minilm,score=f1", "is not the spec of an examinee"),
        ("bm25+hf:nobody/has-this", "causal language model 'nobody/has-this' is not on this machine"),
        ("bm25+hf:", "is not the spec of an examinee"),
        ("bm25+openai:", "is not the spec of an examinee"),
        ("bm25+logprob:127.0.0.1:8000#m", "is not the spec of an examinee"),
        ("bm25+logprob:http://127.0.0.1:8000/v1", "is not the spec of an examinee"),
        ("bm25+logprob:http://me:secret@127.0.0.1/v1#m", "looks like a key"),
        ("bm25+fake:any,examples=3", "the exam has 2"),
    ],
)
def test_what_does_not_hold_together_is_refused_in_words(text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_spec(text, SETTINGS)
    assert said in caught.value.problem
    assert caught.value.allowed or caught.value.next_step
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("text", ["oracle:answer", "bm25:answer", "package.dense:answer", "dense_rag:answer"])
def test_a_module_of_a_similar_name_stays_a_users_own(text: str) -> None:
    assert isinstance(parse_spec(text, SETTINGS), CallableSpec)


def test_a_panel_file_says_the_same_in_lines_and_in_full(llama: Path, cross: Path, tmp_path: Path) -> None:
    shutil.copytree(llama, tmp_path / "tiny")
    panel = tmp_path / "panel.yaml"
    panel.write_text(
        f"""examinees:
  - {{name: a, reference: "dense:lsa+hf:tiny,score=acc,k=2"}}
  - name: b
    reference: {{retriever: dense, encoder: lsa, reader: "hf:tiny", score: acc, k: 2}}
  - name: c
    reference: {{retriever: hybrid-rerank, rerank: "{cross}"}}
""",
        encoding="utf-8",
    )
    a, b, c = read_panel(str(panel), SETTINGS)
    assert isinstance(a, ReferenceSpec)
    assert isinstance(b, ReferenceSpec)
    assert isinstance(c, ReferenceSpec)
    # the path is as seen from the panel's folder
    assert a.reader == b.reader == f"hf:{tmp_path / 'tiny'}"
    assert (a.encoder, a.score, a.k) == (b.encoder, b.score, b.k) == ("lsa", "acc", 2)
    assert c.rerank == str(cross)


def test_a_panel_file_refuses_a_reader_that_is_none(tmp_path: Path) -> None:
    panel = tmp_path / "panel.yaml"
    panel.write_text("examinees:\n  - {name: a, reference: {retriever: bm25, reader: gpt}}\n", encoding="utf-8")
    with pytest.raises(UsageError, match="a reader must be lexical"):
        read_panel(str(panel), SETTINGS)


@pytest.mark.parametrize(
    ("text", "is_reference"),
    [
        ("bm25+lexical", True),
        ("dense:lsa+embedding,k=3", True),
        ("oracle+openai:gpt-4o-mini", True),
        ("bm25+openai:gpt-4o-mini", False),
    ],
)
def test_what_is_viva_s_alone_is_a_reference_and_what_asks_a_model_is_the_user_s(
    text: str, is_reference: bool
) -> None:
    examinee = reference(text).examinee
    assert examinee.reference is is_reference
    # stored by an earlier version, which did not say so
    assert Examinee.model_validate(examinee.model_dump(exclude={"reference"})) == examinee
