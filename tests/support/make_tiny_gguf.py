"""Writes an untrained language model for llama.cpp: random weights, and the tokenizer of `make_tiny_model`.

The architecture is Llama's, since llama.cpp has no GPT-J; the weights are the same each time. Needs gguf:

    python make_tiny_gguf.py FOLDER FILE

FOLDER has the model of make_tiny_model.py, FILE is written.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import gguf
import numpy as np

CONTEXT = 32_768
WIDTH, HEADS, LAYERS, INNER = 64, 2, 2, 128
NOISE = 0.25  # the deviation of the weights
END = "<|end|>"
SPECIAL, ADDED = 3, 4  # types of tokens in the format; 1: any other


def main() -> None:
    """Writes the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    tokenizer = json.loads((options.folder / "tokenizer.json").read_text(encoding="utf-8"))
    writer = gguf.GGUFWriter(options.file, "llama")
    size = write_tokenizer(writer, tokenizer)
    write_weights(writer, size)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_tokenizer(writer: gguf.GGUFWriter, tokenizer: dict[str, Any]) -> int:
    """Adds the tokens; returns their number."""
    vocabulary, added = tokenizer["model"]["vocab"], tokenizer["added_tokens"]
    numbered = {number: token for token, number in vocabulary.items()}
    numbered |= {token["id"]: token["content"] for token in added}
    types = {token["id"]: SPECIAL if token["special"] else ADDED for token in added}
    end = next(token["id"] for token in added if token["content"] == END)
    writer.add_tokenizer_model("gpt2")  # byte-level
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([numbered[number] for number in range(len(numbered))])
    writer.add_token_types([types.get(number, 1) for number in range(len(numbered))])
    writer.add_token_merges([" ".join(pair) for pair in tokenizer["model"]["merges"]])
    writer.add_eos_token_id(end)
    writer.add_add_bos_token(False)
    return len(numbered)


def write_weights(writer: gguf.GGUFWriter, vocabulary: int) -> None:
    """Adds the shape of the model and its noise."""
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(vocabulary)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    drawn = np.random.default_rng(7)
    shapes = {"token_embd": (vocabulary, WIDTH), "output": (vocabulary, WIDTH)}
    for layer in range(LAYERS):
        square, up, down = (WIDTH, WIDTH), (INNER, WIDTH), (WIDTH, INNER)
        shapes |= {f"blk.{layer}.attn_{name}": square for name in ("q", "k", "v", "output")}
        shapes |= {f"blk.{layer}.ffn_{name}": up for name in ("gate", "up")}
        shapes |= {f"blk.{layer}.ffn_down": down}
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", (drawn.standard_normal(shape) * NOISE).astype(np.float32))
    norms = [
        "output_norm",
        *(f"blk.{layer}.{name}_norm" for layer in range(LAYERS) for name in ("attn", "ffn")),
    ]
    for name in norms:
        writer.add_tensor(f"{name}.weight", np.ones(WIDTH, np.float32))


if __name__ == "__main__":
    main()
