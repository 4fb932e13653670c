"""Compares the official scores of two versions of one run: python -m tests.benchmarks.same_scores OLD NEW

OLD and NEW are directories results/<run>, of two versions of this package. Responses, memories and the
official CSV files are compared byte for byte; of verdicts and tables the columns of OLD, in the rows under
the official rules and in those without rules. Prints a line for each difference, and a summary; the exit
status is 1 if anything differs. Also reported, as no difference: new columns, files and rule sets, and the
rows under the corrected rules that differ.
"""

from __future__ import annotations

import argparse
import filecmp
import sys
from pathlib import Path

import polars as pl

BYTES = ("responses/**/*.parquet", "memory/**/*.parquet", "tables/official/*.csv")
ROWS = ("verdicts/*.parquet", "tables/*.parquet")
NOT_COMPARED = {"run"}
"""Columns that are not compared: the name of the run may differ."""


def differences(old: Path, new: Path) -> tuple[list[str], list[str]]:
    """What differs, and what is only new, each as lines of text."""
    differ, added = [], []
    for pattern in BYTES:
        for path in sorted(old.glob(pattern)):
            name = path.relative_to(old)
            if not (new / name).is_file():
                differ.append(f"{name}: missing")
            elif not filecmp.cmp(path, new / name, shallow=False):
                differ.append(f"{name}: other bytes")
    for pattern in ROWS:
        for path in sorted(old.glob(pattern)):
            name = path.relative_to(old)
            if not (new / name).is_file():
                differ.append(f"{name}: missing")
                continue
            before, after = pl.read_parquet(path), pl.read_parquet(new / name)
            if columns := [column for column in after.columns if column not in before.columns]:
                added.append(f"{name}: new columns {', '.join(columns)}")
            if missing := [column for column in before.columns if column not in after.columns]:
                differ.append(f"{name}: columns missing: {', '.join(missing)}")
                continue
            compared = [column for column in before.columns if column not in NOT_COMPARED]
            for rules in ("official", "corrected"):
                frames = [_of_rules(frame.select(compared), rules) for frame in (before, after)]
                if not frames[0].equals(frames[1]):
                    (differ if rules == "official" else added).append(f"{name}: rows under {rules} rules")
                if "rules" not in compared:
                    break
    return differ, added + _new_files(old, new)


def _of_rules(frame: pl.DataFrame, rules: str) -> pl.DataFrame:
    return frame.filter(pl.col("rules") == rules) if "rules" in frame.columns else frame


def _new_files(old: Path, new: Path) -> list[str]:
    names = sorted(path.relative_to(new) for path in new.glob("tables/*.parquet"))
    return [f"{name}: new" for name in names if not (old / name).is_file()]


def main() -> int:
    """Prints the differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    options = parser.parse_args()
    differ, added = differences(options.old, options.new)
    for line in differ:
        print(f"differs  {line}")
    for line in added:
        print(f"new      {line}")
    print(f"{len(differ)} differences under official rules")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
