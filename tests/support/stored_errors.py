"""Result folders with errors that the official tool counts as answers, and what it writes from them."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

from bfcl_pipeline.ask.results.layout import result_path
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.benchmark.tables import entries_path, read_entries

HOLDOUT = "Error during inference: Holdout turn should not have user message."
QUOTED = 'Error during inference: no <tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'
CATEGORIES = ("simple_python", "irrelevance", "live_irrelevance", "live_relevance", "format_sensitivity")
CONVERSATIONS = ("multi_turn_miss_func", "memory_kv")
FOLDERS = {
    "BitAgent/GoGoAgent": (
        "[triangle(base=1)]",
        0.8,
        "44690ac4b640eba79dc7b2f1fb94c506575bbe1dcfec6a7906a9dff500539e0c",
    ),
    "Qwen/Qwen3-8B-FC": (
        QUOTED.partition("no ")[2],
        0.6,
        "47735d5bd8765ba22c7f8569b44ac6181ded14c5bd894c6a4e6aa976726efa92",
    ),
}
"""By model, an answer with a call, the official accuracy on irrelevance, and the digest of the six
files that the official tool, bfcl-eval 2026.3.23, writes from the folder."""


def write_results(folder: Path, model: str, staged: Path) -> None:
    """An answer with a call, one without, and three errors, of which one quotes a call."""
    call, *_ = FOLDERS[model]
    errors: list[dict[str, Json]] = [
        {"result": text, "traceback": "..."} for text in (HOLDOUT, QUOTED, HOLDOUT)
    ]
    for category in (*(CATEGORIES[:-1] if model.endswith("FC") else CATEGORIES), *CONVERSATIONS):
        answers: list[Json] = [[["no"]]] * 2 if category in CONVERSATIONS else [call, "no"]
        entries = read_entries(entries_path(staged, category))
        ids = [entry.entry_id for entry in entries if not entry.prerequisite]
        lines = [*({"result": answer, "latency": 0.5} for answer in answers), *errors]
        path = folder / model.replace("/", "_") / result_path(category)
        path.parent.mkdir(parents=True, exist_ok=True)
        texts = (json.dumps({"id": name, **line}) for name, line in zip(ids, lines, strict=False))
        path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")


def digest(folder: Path) -> str:
    """Of the names and bytes of the six files."""
    files = [path.name.encode() + path.read_bytes() for path in sorted(folder.glob("*.csv"))]
    return sha256(b"".join(files)).hexdigest()
