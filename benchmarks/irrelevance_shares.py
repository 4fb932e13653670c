"""What irrelevance answers are: python -m benchmarks.irrelevance_shares --table PATH [--data FOLDER]

Reads a Parquet table of answers with the columns run (or model), category, entry_id, mode and result_json,
and prints for each run the shares of the four answer classes and the accuracy by official and by corrected
rules. Rows of other categories and rows without a result are not counted.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Mode, Rules
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.judge.scoring import Judge
from bfcl_pipeline.show.report.tables.answer_classes import IRRELEVANCE_CLASSES

RULES = (Rules.OFFICIAL, Rules.CORRECTED)


def shares(rows: Iterable[Mapping[str, Any]], data: Path) -> dict[str, Counter[str]]:
    """By run: how many answers have each class, and how many are valid by each of RULES.

    rows: answers to irrelevance entries. data: the staged benchmark.
    """
    categories = [name for name, category in CATEGORIES.items() if category.check is Check.IRRELEVANCE]
    judges = {
        entry.entry_id: Judge(entry)
        for category in categories
        for entry in read_entries(entries_path(data, category))
    }
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        if row["category"] not in categories or row["result_json"] is None:
            continue
        found = judges[row["entry_id"]].answer_verdicts(row["result_json"], Mode(row["mode"]), None, RULES)
        count = counts.setdefault(row["run"], Counter())
        count[str(found[0].answer_class)] += 1
        count.update(name.value for name, verdict in zip(RULES, found, strict=True) if verdict.valid)
    return counts


def main() -> None:
    """Prints one line per run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--table", type=Path, required=True, help="Parquet table of answers")
    parser.add_argument(
        "--data", type=Path, default=Path("data"), help="the staged benchmark (default: data)"
    )
    options = parser.parse_args()
    table = pq.read_table(options.table)
    names = [
        "run" if name == "model" and "run" not in table.column_names else name
        for name in table.column_names
    ]
    rows = table.rename_columns(names).to_pylist()
    columns = [*IRRELEVANCE_CLASSES, *RULES]
    print(f"{'run':40} {'answers':>8}" + "".join(f"{column:>20}" for column in columns))
    for run, count in sorted(shares(rows, options.data).items()):
        answers = sum(count[name] for name in IRRELEVANCE_CLASSES)
        cells = "".join(f"{f'{count[name]} ({count[name] / answers:.1%})':>20}" for name in columns)
        print(f"{run:40} {answers:>8}{cells}")


if __name__ == "__main__":
    main()
