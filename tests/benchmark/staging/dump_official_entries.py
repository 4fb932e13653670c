"""Run by .venv-peer's Python: the official loaders' entries and truths of all categories as JSON.

Writes <folder>/<category>.json: {"entries": [...], "truths": [...] or null}.
"""

import json
import sys
from pathlib import Path

from bfcl_eval.constants.category_mapping import ALL_CATEGORIES
from bfcl_eval.utils import load_dataset_entry, load_ground_truth_entry


def main(folder: Path) -> None:
    """Writes one file per category."""
    for category in ALL_CATEGORIES:
        entries = load_dataset_entry(category, include_language_specific_hint=False)
        try:
            truths = load_ground_truth_entry(category)
        except FileNotFoundError:
            truths = None
        content = json.dumps({"entries": entries, "truths": truths})
        (folder / f"{category}.json").write_text(content, encoding="utf-8")


main(Path(sys.argv[1]))
