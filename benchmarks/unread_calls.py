"""Calls in the text of answers: python -m benchmarks.unread_calls --table PATH [--mode prompt]

Reads a Parquet table of answers with the columns run (or model), category, entry_id, mode and result_json,
and prints for each run how many answers have a call of an offered function in their text, and each of them
in mode fc. With `--mode prompt` the answers of that mode are read as if a server had returned them: nearly
all are calls as text, which shows how many of them are found.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.judge.scoring.unread_calls import has_unread_call, offered_names


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer."""

    run: str
    entry_id: str
    result_json: str
    names: list[str]  # of the offered functions


def answers(rows: Iterable[Mapping[str, Any]], mode: str, data: Path) -> Iterator[Answered]:
    """The answers of one mode. data: the staged benchmark."""
    names: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        category, entry_id = row["category"], row["entry_id"]
        if row["mode"] != mode or row["result_json"] is None:
            continue
        if category not in names:
            read = read_entries(entries_path(data, category))
            names[category] = {entry.entry_id: offered_names(entry) for entry in read}
        run = row.get("run") or row["model"]
        yield Answered(run, entry_id, row["result_json"], names[category][entry_id])


def main() -> None:
    """Prints one line per run, after one per answer with a call in mode fc."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--table", type=Path, required=True, help="Parquet table of answers")
    parser.add_argument("--mode", choices=("fc", "prompt"), default="fc", help="answers to count")
    parser.add_argument(
        "--data", type=Path, default=Path("data"), help="the staged benchmark (default: data)"
    )
    options = parser.parse_args()
    counts: dict[str, Counter[bool]] = {}
    seconds = 0.0
    for answer in answers(pq.read_table(options.table).to_pylist(), options.mode, options.data):
        result = json.loads(answer.result_json)
        start = time.perf_counter()
        unread = has_unread_call(result, answer.names)
        seconds += time.perf_counter() - start
        counts.setdefault(answer.run, Counter())[unread] += 1
        if unread and options.mode == "fc":
            print(f"{answer.run} {answer.entry_id}: {answer.result_json[:200]}")
    for run, count in sorted(counts.items()):
        print(f"{run:40} {count.total():>8,} answers {count[True]:>8,} with a call in the text")
    print(f"{seconds:.2f} seconds")


if __name__ == "__main__":
    main()
