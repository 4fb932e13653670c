"""Compares the speed of our scorer with the official one: the same rows, whole processes, alternating.

    python -m benchmarks.score_speed [--multi-turn] [--rows 100000] [--table PARQUET [--distinct]]

Without a table the rows are drawn from the generated outputs of the verdict seam, each at most once; with
one (columns entry_id, category, mode, result_json) from its rows, repeated as needed: single-turn rows, or
with `--multi-turn` multi-turn conversations. Our scorer is fast on equal rows, so `--distinct` makes
repeated rows differ in ways that do not change the verdict (`score_speed_rows.py`).

A whole process is timed, from start to end. Ours reads and writes Parquet. The official scorer is timed
with only its per-entry functions over JSON Lines, which is a lower bound (also the scoring alone, with
everything imported and loaded), and, for a given table, also with the command that its users run, on result
folders in its layout (one per model, each entry once; some of the generated outputs would stop it). Prints
medians, rows per second, ratios and the peak memory of ours.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks.score_speed_folders import lay_out
from benchmarks.score_speed_rows import drawn, generated
from bfcl_pipeline.benchmark.tables import read_table, write_table
from tests.peer.peer import PYTHON, peer_environment

ROOT = Path(__file__).resolve().parents[1]
ROWS = {False: 100_000, True: 4_200}
"""How many rows, by whether they are of several turns."""

OFFICIAL, ALONE = "official functions", "judging alone"


@dataclass(frozen=True, slots=True)
class Contender:
    """One scorer as a command that writes its verdicts to a file."""

    name: str
    command: Sequence[str]
    environment: dict[str, str] | None
    read: Callable[[], list[Any]]  # the verdicts it wrote, as valid and error_type
    alone: Path | None = None  # the file with the seconds of its scoring alone


def main() -> None:
    options = _options()
    rows = _rows(options)
    distinct = len({tuple(row.values()) for row in rows})
    source = options.table.name if options.table else "generated outputs of the verdict seam"
    print(f"{len(rows):,} rows, {distinct:,} distinct, from {source}")
    with tempfile.TemporaryDirectory() as folder:
        contenders = _contenders(rows, Path(folder), options.data, options.table is not None)
        seconds: defaultdict[str, list[float]] = defaultdict(list)
        for number in range(options.repeat):
            for contender in contenders:
                seconds[contender.name].append(_timed(contender))
                if contender.alone is not None:
                    seconds[ALONE].append(float(contender.alone.read_text()))
            print(f"round {number + 1}: " + ", ".join(f"{n} {s[-1]:.2f} s" for n, s in seconds.items()))
        _report(len(rows), contenders, seconds)
        print(f"peak memory of ours, all its processes: {_peak_memory(contenders[0]) / 2**20:,.0f} MiB")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--multi-turn", action="store_true", help="conversations of several turns")
    parser.add_argument("--rows", type=int, help="default: 100,000, or 4,200 of several turns")
    parser.add_argument(
        "--table", type=Path, metavar="PARQUET", help="real outputs instead of generated ones"
    )
    parser.add_argument("--distinct", action="store_true", help="make repeated rows differ")
    parser.add_argument("--repeat", type=int, default=3, help="rounds; the median counts")
    parser.add_argument("--data", type=Path, default=ROOT / "data", help="the staged data")
    options = parser.parse_args()
    if not PYTHON.exists():
        parser.error("no official package in .venv-peer: `make parity` or `make benchmark` installs it")
    options.rows = options.rows or ROWS[options.multi_turn]
    return options


def _rows(options: argparse.Namespace) -> list[dict[str, str]]:
    if options.table is None:
        return generated(options.data, options.rows, options.multi_turn)
    return drawn(options.table, options.rows, options.multi_turn, options.distinct)


def _contenders(rows: list[dict[str, str]], folder: Path, data: Path, real: bool) -> list[Contender]:
    table, questions = folder / "responses.parquet", folder / "questions.jsonl"
    write_table(table, pa.Table.from_pylist(rows))
    questions.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="ascii")
    ours, alone, official = folder / "ours.parquet", folder / "alone.parquet", folder / "official.jsonl"
    alone_seconds = folder / "seconds.txt"
    score = [sys.executable, "-m", "bfcl_pipeline.cli", "score", str(table), "--data", str(data.resolve())]
    script, runner = "benchmarks.score_speed_official", "benchmarks.score_speed_runner"
    contenders = [
        Contender("ours", [*score, "--out", str(ours)], None, lambda: _parquet_verdicts(ours)),
        Contender(
            "ours, one process",
            [*score, "--out", str(alone), "--processes", "1"],
            None,
            lambda: _parquet_verdicts(alone),
        ),
        Contender(
            OFFICIAL,
            [str(PYTHON), "-W", "ignore", "-m", script, str(questions), str(official), str(alone_seconds)],
            peer_environment(folder),
            lambda: [tuple(json.loads(line).values()) for line in official.read_text().splitlines()],
            alone_seconds,
        ),
    ]
    if real:
        command = [str(PYTHON), "-W", "ignore", "-m", runner, str(lay_out(rows, folder / "results", data))]
        contenders.append(Contender("official tool", command, peer_environment(folder), list))
    return contenders


def _parquet_verdicts(path: Path) -> list[Any]:
    rows = read_table(path, ["valid", "error_type"]).to_pylist()
    return [(row["valid"], row["error_type"]) for row in rows]


def _start(contender: Contender) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        contender.command,
        env=contender.environment,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def _timed(contender: Contender) -> float:
    """Seconds from the start of the process to its end."""
    started = time.perf_counter()
    process = _start(contender)
    _, errors = process.communicate()
    seconds = time.perf_counter() - started
    if process.returncode:
        sys.exit(f"{contender.name} ended with {process.returncode}:\n{errors.decode()[-4000:]}")
    return seconds


def _report(rows: int, contenders: list[Contender], seconds: dict[str, list[float]]) -> None:
    official, judging = (statistics.median(seconds[name]) for name in (OFFICIAL, ALONE))
    print(f"{'':<20}{'median s':>10}{'rows/s':>12}{'x functions':>14}{'x judging':>12}")
    for name, measured in seconds.items():
        median = statistics.median(measured)
        ratios = f"{official / median:>14.1f}{judging / median:>12.1f}"
        print(f"{name:<20}{median:>10.2f}{rows / median:>12,.0f}{ratios}")
    ours, alone, theirs = (contender.read() for contender in contenders[:3])
    differ = sum(mine != other for mine, other in zip(ours, theirs, strict=True))
    print(f"verdicts that differ from the official ones (its crashes included): {differ:,}")
    if ours != alone:
        sys.exit("the number of processes changes our verdicts")


def _peak_memory(contender: Contender) -> int:
    """Peak memory of the process and its children in bytes; shared pages are counted once."""
    process = _start(contender)
    peak = 0
    while process.poll() is None:
        peak = max(peak, sum(map(_proportional_bytes, _session(process.pid))))
        time.sleep(0.02)
    process.communicate()
    return peak


def _session(leader: int) -> list[Path]:
    """The folders in /proc of all processes of the session that `leader` leads."""
    members = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # ended meanwhile
            continue
        if int(fields[3]) == leader:
            members.append(stat.parent)
    return members


def _proportional_bytes(process: Path) -> int:
    try:
        lines = (process / "smaps_rollup").read_text().splitlines()
    except OSError:  # ended meanwhile
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


if __name__ == "__main__":
    main()
