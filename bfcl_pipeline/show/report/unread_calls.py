"""The note on the models of a run with calls that were not read, for the terminal and the page."""

from collections.abc import Iterable, Mapping
from typing import Any

from bfcl_pipeline.base.text import plural, printable


def unread_notes(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """A sentence for each model of some rows of the table `unread_calls`."""
    counts: dict[str, int] = {}
    examples: dict[str, str] = {}
    for row in rows:
        counts[row["model"]] = counts.get(row["model"], 0) + int(row["unread_calls"])
        examples.setdefault(row["model"], row["example_entry_id"])
    return [
        f"{printable(model)}: {plural(count, 'answer has a call', 'answers have a call')} in the text that "
        f"the server did not read, for example {printable(examples[model])} (docs/rules.md, Unread calls)."
        for model, count in counts.items()
    ]
