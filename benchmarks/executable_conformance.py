"""Verdicts beside the official ones: python -m benchmarks.executable_conformance TABLE [--data DATA]

Reads a Parquet table of published outputs of the executable categories with their official verdicts
(`tests.support.executable_conformance` says which columns it has), and prints one line for each part of
them: how many verdicts are equal with their error type, how many failures have another error type, how many
differences have a named cause, how many have no verdict for want of a recorded answer, and how many differ
otherwise. Then the named causes with their counts.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from tests.support.executable_conformance import HEADER, all_figures, read_rows
from tests.support.executable_network import network_figure
from tests.support.executable_rest import read_rest_rows, rest_figures


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("table", type=Path, metavar="TABLE", help="Parquet table of outputs with verdicts")
    parser.add_argument(
        "--data", type=Path, default=Path("data"), help="the staged benchmark (default: data)"
    )
    options = parser.parse_args()
    rows = read_rows(options.table)
    functions, (network, _, _) = all_figures(rows, options.data), network_figure(rows, options.data)
    rest = rest_figures(read_rest_rows(options.table), options.data)
    figures = [*functions[:3], network, *functions[3:], *rest]
    print(HEADER, *(figure.line() for figure in figures), sep="\n")
    causes = Counter[str]()
    for figure in figures:
        for (cause, _), count in figure.causes.items():
            causes[f"{figure.part}: {cause}"] += count
    for cause, count in causes.items():
        print(f"{count:>7,}  {cause}")


if __name__ == "__main__":
    main()
