"""Verdicts beside the official ones: python -m tests.benchmarks.executable_conformance TABLE [--data DATA]

Reads a Parquet table of published outputs of the executable categories with their official verdicts
(`tests.support.executable_conformance` says which columns it has), and prints one line for each part of
them: how many verdicts are equal with their error type, how many failures have another error type, how many
differences have a named cause, how many have no verdict for want of a recorded answer, and how many differ
otherwise. Then the named causes, by model.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bfcl_pipeline.executables import SimulatedApis
from bfcl_pipeline.tables.texts import read_recorded_calls
from tests.support.executable_conformance import HEADER, all_figures, read_rows


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("table", type=Path, metavar="TABLE", help="Parquet table of outputs with verdicts")
    parser.add_argument(
        "--data", type=Path, default=Path("data"), help="the staged benchmark (default: data)"
    )
    options = parser.parse_args()
    apis = SimulatedApis(read_recorded_calls(options.data))
    print(HEADER)
    causes = {}
    for figure in all_figures(read_rows(options.table), options.data, apis):
        print(figure.line())
        causes.update(figure.causes)
    for (cause, model), count in sorted(causes.items()):
        print(f"{count:>7,}  {cause}: {model}")


if __name__ == "__main__":
    main()
