"""Runs calls through the official package's memories. Runs under `.venv-peer` only.

    python -m tests.peer.memory_reference QUESTIONS ANSWERS

A question is a trajectory: `number`, `backend` (kv, vector or rec_sum), `initial` (a snapshot or empty),
`calls` (Python source, as the official handlers write calls) and `full`. An answer is `results`, a text for
each call, and `states`, before the first call and after every call: the snapshot that the memory writes and
its text in the system prompt. Snapshots are read and written by the official code. The embedding model is
replaced by the tests' tiny encoder; values that are not texts are passed to the real library with a model
of random weights, for its error messages.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import sentence_transformers
from bfcl_eval.eval_checker.multi_turn_eval import multi_turn_utils
from bfcl_eval.utils import get_directory_structure_by_id

from tests.peer.reference_process import answer_questions
from tests.peer.world_digest import digest, shortened
from tests.support.word_encoder import DIMENSIONS, WordEncoder

SentenceTransformer = sentence_transformers.SentenceTransformer


class StandIn:
    """Replaces the model that the official code loads when it is imported."""

    def __init__(self, name: str, device: str) -> None:
        self.words = WordEncoder()

    def get_sentence_embedding_dimension(self) -> int:
        return DIMENSIONS

    def encode(self, texts: list[Any], normalize_embeddings: bool) -> Any:
        """Rows for texts; for other values, the result or error of the real library."""
        assert normalize_embeddings
        if not texts:
            return np.asarray([])  # as the real library does
        if all(isinstance(text, str) and "\ud800" not in text and "\udfff" not in text for text in texts):
            return self.words.encode(texts)
        return random_model().encode(texts, normalize_embeddings=True)


@cache
def random_model() -> Any:
    """A model of texts of the real library, of the same kind as the official one."""
    from sentence_transformers import models
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = Path(tempfile.mkdtemp())
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz"]
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=DIMENSIONS,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=8,
    )
    BertModel(config).save_pretrained(folder)
    BertTokenizerFast(vocab_file=str(folder / "vocab.txt")).save_pretrained(folder)
    parts = [models.Transformer(str(folder), max_seq_length=256), models.Pooling(DIMENSIONS)]
    return SentenceTransformer(modules=parts, device="cpu")


def answer(row: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The official code's results and states for the calls of one trajectory."""
    for name in [name for name in vars(multi_turn_utils) if name.endswith("_instance")]:
        delattr(multi_turn_utils, name)
    api, test_id = f"MemoryAPI_{row['backend']}", f"memory_{row['backend']}_0-customer-0"
    if not row["initial"]:
        test_id = f"memory_{row['backend']}_prereq_0-customer-0"
    snapshots = folder / get_directory_structure_by_id(test_id) / "memory_snapshot"
    snapshots.mkdir(parents=True, exist_ok=True)
    latest = snapshots / "customer_final.json"
    latest.write_text(json.dumps(row["initial"]), encoding="utf-8")
    initial = {api: {"model_result_dir": folder, "test_id": test_id, "scenario": "customer"}}
    states = []

    def observe() -> None:
        memory = vars(multi_turn_utils)[f"seam_{row['number']}_{api}_instance"]
        memory._flush_memory_to_local_file()
        written = json.dumps(json.loads(latest.read_text(encoding="utf-8")))
        state = f"{written}\n{memory._dump_core_memory_to_context()}"
        states.append(state if row["full"] else digest(state))

    def texts() -> Iterator[str]:
        """The calls, each drawn after the one before it was run."""
        observe()
        for call in row["calls"]:
            yield call
            observe()

    results, _ = multi_turn_utils.execute_multi_turn_func_call(
        texts(), initial, [api], "seam", str(row["number"])
    )
    return {"results": results if row["full"] else [shortened(text) for text in results], "states": states}


if __name__ == "__main__":
    sentence_transformers.SentenceTransformer = StandIn
    with tempfile.TemporaryDirectory() as results:
        answer_questions(lambda row: answer(row, Path(results)))
