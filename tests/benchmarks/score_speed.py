"""How fast we score beside the official scorer: the same rows, whole processes, side by side.

    python tests/benchmarks/score_speed.py [--rows 100000] [--table PARQUET [--distinct]] [--repeat 3]

Without a table the rows are drawn from the generated outputs of the verdict seam, each at most once;
with one (columns entry_id, category, mode, result_json) from its single-turn rows, repeated as needed.
Equal rows cost us little, so `--distinct` makes repeated ones differ by blanks at the end of the text.
What is timed is a process from its start to its end. Ours reads and writes Parquet. The official scorer
is timed as nothing but its per-entry functions over JSON Lines, which is a lower bound, and, for a given
table, also as what its users run, on result folders of its own layout (one per model, an entry once each;
some of the generated outputs would stop it). Prints medians, rows per second, ratios and the peak memory of
ours.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "peer"))

import pyarrow as pa
from peer import PYTHON, peer_environment
from score_speed_folders import lay_out
from variants import cases

from bfcl_pipeline.benchmark import CATEGORIES
from bfcl_pipeline.tables import entries_path, read_entries, read_table, write_table

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = ("entry_id", "category", "mode", "name_style", "result_json")
SINGLE_TURN = tuple(category.name for category in CATEGORIES.values() if category.single_turn)


@dataclass(frozen=True, slots=True)
class Contender:
    """One scorer as a command that writes its verdicts to a file."""

    name: str
    command: Sequence[str]
    environment: dict[str, str] | None
    read: Callable[[], list[Any]]  # the verdicts it wrote, as valid and error_type


def main() -> None:
    options = _options()
    rows = _rows(options)
    distinct = len({tuple(row.values()) for row in rows})
    source = options.table.name if options.table else "generated outputs of the verdict seam"
    print(f"{len(rows):,} rows, {distinct:,} distinct, from {source}")
    with tempfile.TemporaryDirectory() as folder:
        contenders = _contenders(rows, Path(folder), options.data, options.table is not None)
        seconds: dict[str, list[float]] = {contender.name: [] for contender in contenders}
        for number in range(options.repeat):
            for contender in contenders:
                seconds[contender.name].append(_timed(contender, Path(folder)))
            print(f"round {number + 1}: " + ", ".join(f"{n} {s[-1]:.2f} s" for n, s in seconds.items()))
        _report(len(rows), contenders, seconds)
        print(f"peak memory of ours, all its processes: {_peak_memory(contenders[0]) / 2**20:,.0f} MiB")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument(
        "--table", type=Path, metavar="PARQUET", help="real outputs instead of generated ones"
    )
    parser.add_argument("--distinct", action="store_true", help="make repeated rows differ, in blanks only")
    parser.add_argument("--repeat", type=int, default=3, help="rounds; the median counts")
    parser.add_argument("--data", type=Path, default=ROOT / "data", help="the staged data")
    options = parser.parse_args()
    if not PYTHON.exists():
        parser.error("no official package in .venv-peer: `make parity` or `make benchmark` installs it")
    return options


def _rows(options: argparse.Namespace) -> list[dict[str, str]]:
    rng = random.Random(0)
    if options.table is None:
        entries = [
            entry for name in SINGLE_TURN for entry in read_entries(entries_path(options.data, name))
        ]
        made = [{column: str(getattr(case, column)) for column in COLUMNS} for case in cases(entries)]
        return rng.sample(made, k=min(options.rows, len(made)))
    needed = ["entry_id", "category", "mode", "result_json"]
    real = [row for row in read_table(options.table, needed).to_pylist() if row["category"] in SINGLE_TURN]
    for row in real:
        row["name_style"] = "underscored" if row["mode"] == "fc" else "dotted"
    drawn = []
    for number in range(-(-options.rows // len(real))):
        chosen = rng.sample(real, k=min(len(real), options.rows - len(drawn)))
        blanks = " " * number if options.distinct else ""
        drawn += [{**row, "result_json": _padded(row["result_json"], blanks)} for row in chosen]
    rng.shuffle(drawn)
    return [{column: row[column] for column in COLUMNS} for row in drawn]


def _padded(result_json: str, blanks: str) -> str:
    """The result with blanks where no reader minds them: after a text, or after the first arguments."""
    match json.loads(result_json):
        case str(text):
            return json.dumps(text + blanks)
        case [{**first}, *others] if first and all(isinstance(value, str) for value in first.values()):
            return json.dumps([{name: text + blanks for name, text in first.items()}, *others])
    return result_json


def _contenders(rows: list[dict[str, str]], folder: Path, data: Path, real: bool) -> list[Contender]:
    table, questions = folder / "responses.parquet", folder / "questions.jsonl"
    write_table(table, pa.Table.from_pylist(rows))
    questions.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="ascii")
    ours, alone, official = folder / "ours.parquet", folder / "alone.parquet", folder / "official.jsonl"
    score = [sys.executable, "-m", "bfcl_pipeline.cli", "score", str(table), "--data", str(data.resolve())]
    script = str(Path(__file__).with_name("score_speed_official.py"))
    runner = str(Path(__file__).with_name("score_speed_runner.py"))
    contenders = [
        Contender("ours", [*score, "--out", str(ours)], None, lambda: _parquet_verdicts(ours)),
        Contender(
            "ours, one process",
            [*score, "--out", str(alone), "--processes", "1"],
            None,
            lambda: _parquet_verdicts(alone),
        ),
        Contender(
            "official functions",
            [str(PYTHON), "-W", "ignore", script, str(questions), str(official)],
            peer_environment(folder),
            lambda: [tuple(json.loads(line).values()) for line in official.read_text().splitlines()],
        ),
    ]
    if real:
        command = [str(PYTHON), "-W", "ignore", runner, str(lay_out(rows, folder / "results", data))]
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


def _timed(contender: Contender, folder: Path) -> float:
    """Seconds from the start of the process to its end."""
    started = time.perf_counter()
    process = _start(contender)
    _, errors = process.communicate()
    seconds = time.perf_counter() - started
    if process.returncode:
        sys.exit(f"{contender.name} ended with {process.returncode}:\n{errors.decode()[-4000:]}")
    return seconds


def _report(rows: int, contenders: list[Contender], seconds: dict[str, list[float]]) -> None:
    official = statistics.median(seconds["official functions"])
    print(f"{'':<20}{'median s':>10}{'rows/s':>12}{'x functions':>20}")
    for name, measured in seconds.items():
        median = statistics.median(measured)
        print(f"{name:<20}{median:>10.2f}{rows / median:>12,.0f}{official / median:>20.1f}")
    ours, alone, theirs = (contender.read() for contender in contenders[:3])
    differ = sum(mine != other for mine, other in zip(ours, theirs, strict=True))
    print(f"verdicts that differ from the official ones (its crashes included): {differ:,}")
    if ours != alone:
        sys.exit("the number of processes changes our verdicts")


def _peak_memory(contender: Contender) -> int:
    """Most bytes held at once by the process and its children: shared pages are counted once."""
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
