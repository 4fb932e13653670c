"""From official to verified scores, by cause: python -m benchmarks.correction_steps TABLE RUN

Reads a Parquet table of real answers with the columns run, category, entry_id, mode and result_json, judges
those of one run under all rules, and prints what the corrected rules, the mended truths and the entries
that are left out each do to its scores, as a table in Markdown (docs/rules.md).
"""

import argparse
import csv
import sys
import tempfile
from pathlib import Path

import polars as pl

from bfcl_pipeline.base.markup import TextTable, markdown
from bfcl_pipeline.cli import main as pipeline

_STEPS = ("from_rules", "from_truths", "from_left_out")
_HEADINGS = ("Score", "Official", "Rules", "Truths", "Left out", "Verified", "Without disputed")


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("table", type=Path)
    parser.add_argument("run", help="a value of the column `run`")
    parser.add_argument(
        "--data", type=Path, default=Path("data"), help="the staged benchmark (default: data)"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / options.run
        answers = pl.read_parquet(options.table).filter(pl.col("run") == options.run)
        columns = ("run", "category", "entry_id", "mode", "result_json")
        made, verdicts = folder / "answers.parquet", folder / "verdicts" / f"{options.run}.parquet"
        verdicts.parent.mkdir(parents=True)
        answers.select(*columns, model=pl.lit(options.run)).write_parquet(made)
        for command in (
            ["score", made, "--out", verdicts, "--rules", "all", "--data", options.data],
            ["aggregate", folder, "--data", options.data],
        ):
            if status := pipeline(list(map(str, command))):
                sys.exit(status)
        with (folder / "tables/corrections.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    cells = [
        [
            row["score"],
            f"{float(row['official']):.2%}",
            *(f"{100 * float(row[step]):+.2f}" for step in _STEPS),
            f"{float(row['verified']):.2%}",
            f"{float(row['undisputed']):.2%}",
        ]
        for row in rows
    ]
    print(markdown(TextTable(f"{options.run}.", _HEADINGS, cells)))


if __name__ == "__main__":
    main()
