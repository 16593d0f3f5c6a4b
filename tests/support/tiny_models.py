"""Models of random weights, small enough to be made in a test: a causal language model and a cross-encoder."""

from __future__ import annotations

from pathlib import Path

WORDS = "the a of ferry pump lamp galley moves water foam soup maps rust red green white deck hull keeper lights"
SENTENCES = [
    "Question: Which pump moves foam to the deck?\nAnswer: the fire pump",
    "Passage: The lamp of the lighthouse flashes green every nine seconds.",
    "The galley serves warm soup at noon. The chart table holds maps of the sound.",
    "Passagierfähre über den Sund: 48 Fahrzeuge, 1911 gebaut; la barca è rossa.",
]


def tiny_llama(folder: Path, seed: int = 0, longest: int = 256) -> Path:
    """A Llama of some 100,000 random weights with a byte-level BPE tokenizer of its own."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<s>", "</s>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bpe.train_from_iterator(SENTENCES, trainer)
    PreTrainedTokenizerFast(
        tokenizer_object=bpe, bos_token="<s>", eos_token="</s>", model_max_length=longest
    ).save_pretrained(folder)
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=bpe.get_vocab_size(),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=longest,
        # spread enough that options differ by more than the last bits
        initializer_range=0.2,
        bos_token_id=0,
        eos_token_id=1,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def tiny_cross_encoder(folder: Path, seed: int = 0, outputs: int = 1) -> Path:
    """A BERT of two layers with a word-piece tokenizer that knows WORDS."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder.mkdir(parents=True, exist_ok=True)
    known = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *dict.fromkeys(WORDS.split())]
    (folder / "vocab.txt").write_text("\n".join(known) + "\n", encoding="utf-8")
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(known),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=128,
        num_labels=outputs,
        initializer_range=0.2,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder
