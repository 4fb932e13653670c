"""Measures how planning, tables and report, and disk space grow with the number of models.

    python -m benchmarks.scale [--models 1 10 30 100] [--part planning tables disk]
        [--answers results/embedded] [--plot docs/scale.svg]

planning: `snakemake -n` on a run of that many models and 23 categories, before any job and when all are
done; models behind an API and embedded ones, one job each. tables:
`bfcl-pipeline aggregate` and `report` on responses and verdicts of 5,106 entries for each model, mixed from
those of the embedded models, which `make run` writes to results/embedded, and the time in which Chromium,
if it is installed, opens the page. disk: the size of the journal and
the web cache after a full run of one model; each model has its own files, so the size is proportional to
the number of models.

Measures wall time, and processor time, which depends less on other load. With `--figures FILE` the figures
are saved there; if the file exists, its figures are printed, and drawn by `--plot`, without measuring
again.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.page_open import medians
from benchmarks.scale_bytes import THOUGHTS, journal, web_record
from benchmarks.scale_measure import Taken, bytes_in, taken
from benchmarks.scale_plot import plot
from benchmarks.scale_project import make_project
from benchmarks.scale_tables import (
    Answers,
    entries_of,
    made_up_models,
    write_model,
    write_models_file,
)
from tests.support.browser import CHROMIUM

ROOT = Path(__file__).resolve().parents[1]
KINDS = {"API": "openai_chat", "embedded": "oracle"}


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing measured."""

    what: str
    models: int
    seconds: float = 0.0
    processor_seconds: float = 0.0
    peak_bytes: int = 0
    disk_bytes: int = 0
    remark: str = ""

    @property
    def line(self) -> str:
        """For a person."""
        amounts = [f"{self.models:>4} models  {self.what:<44}"]
        if self.seconds:
            amounts += [f"{self.seconds:8.1f} s", f"{self.processor_seconds:8.1f} s of processors"]
        if self.peak_bytes:
            amounts += [f"{self.peak_bytes / 1e6:8,.0f} MB of memory"]
        if self.disk_bytes:
            amounts += [f"{self.disk_bytes / 1e6:8,.1f} MB on disk"]
        return "  ".join([*amounts, self.remark])


def main() -> None:
    options = _options()
    kept: list[Figure] = []
    if options.figures and options.figures.is_file():
        kept = [Figure(**one) for one in json.loads(options.figures.read_text(encoding="utf-8"))]
        for figure in kept:
            print(figure.line)
    else:
        with tempfile.TemporaryDirectory() as folder:
            for part in options.part:
                for figure in PARTS[part](options, Path(folder)):
                    print(figure.line, flush=True)
                    kept.append(figure)
        if options.figures:
            options.figures.write_text(
                json.dumps([asdict(one) for one in kept], indent=1), encoding="utf-8"
            )
    if options.plot:
        plot([asdict(one) for one in kept], options.plot)


def planning(options: argparse.Namespace, folder: Path) -> Iterator[Figure]:
    """Plans a DAG before any job has run, and again when every job has run."""
    for kind, row_kind in KINDS.items():
        for models in options.models:
            project = make_project(folder / f"{kind}-{models}", models, row_kind)
            took, jobs = project.planned()
            yield _figure(f"plan, {kind}, from nothing", models, took, remark=f"{jobs:,} jobs")
            completed = project.complete()
            took, jobs = project.planned()
            assert jobs == 0, f"{jobs} jobs are left of a complete run"
            kept = bytes_in(project.folder / ".snakemake")
            yield _figure(f"plan, {kind}, complete", models, took, kept, "kept in .snakemake")
            yield _figure(f"run by a stand-in, {kind}", models, completed)
            shutil.rmtree(project.folder)


def tables(options: argparse.Namespace, folder: Path) -> Iterator[Figure]:
    """`aggregate` and `report`, one after the other."""
    for models in options.models:
        yield _tables(options, folder / f"tables-{models}", models, formats=False)
    yield _tables(options, folder / "formats", max(options.models), formats=True)


def _tables(options: argparse.Namespace, folder: Path, models: int, *, formats: bool) -> Figure:
    folder.mkdir()
    run, made_up = folder / "results", made_up_models(models, formats)
    answers = Answers(options.answers)
    for model in made_up:
        write_model(answers, run, model)
    write_models_file(folder / "models.yaml", made_up)
    entries = sum(entries_of(run, model) for model in made_up)
    size = bytes_in(run)
    command = [sys.executable, "-m", "bfcl_pipeline.cli"]
    data = ["--data", str(options.data.resolve()), "--models", "models.yaml"]
    took = taken([*command, "aggregate", "results", *data], folder, {}, folder / "log.txt")
    took = took.then(taken([*command, "report", "results"], folder, {}, folder / "log.txt"))
    page = (run / "report.html").stat().st_size
    opened = f", opened in {medians(run / 'report.html', 3)['load event']:.1f} s" if CHROMIUM else ""
    shutil.rmtree(folder)
    what = "aggregate and report" + (", half with prompt formats" if formats else "")
    return _figure(
        what, models, took, size, f"before; {entries:,} entries, a page of {page / 1e6:.1f} MB{opened}"
    )


def disk(options: argparse.Namespace, folder: Path) -> Iterator[Figure]:
    """What one model leaves."""
    for kind, thought in THOUGHTS.items():
        left = journal(thought, options.data, folder / f"journal-{thought}")
        per_entry, per_exchange = left.size / left.entries, left.size / left.exchanges
        yield _figure(
            f"journal, {kind}",
            1,
            left.took,
            left.size,
            f"{left.entries:,} entries and {left.sessions} sessions, {left.exchanges:,} exchanges; "
            f"{per_entry:,.0f} bytes an entry, {per_exchange:,.0f} an exchange",
        )
    web = web_record(options.answers, folder / "web")
    yield Figure(
        "web cache",
        1,
        disk_bytes=web.search_size + web.fetch_size,
        remark=f"{web.questions} questions; {web.searches} searches, {web.search_size / web.searches:,.0f} "
        f"bytes each; {web.fetches} pages, {web.fetch_size / web.fetches:,.0f}",
    )


PARTS: Mapping[str, Callable[[argparse.Namespace, Path], Iterator[Figure]]] = {
    "planning": planning,
    "tables": tables,
    "disk": disk,
}


def _figure(what: str, models: int, took: Taken, size: int = 0, remark: str = "") -> Figure:
    return Figure(what, models, took.seconds, took.processor_seconds, took.peak_bytes, size, remark)


def _options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", nargs="+", type=int, default=[1, 10, 30, 100])
    parser.add_argument("--part", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument(
        "--answers", type=Path, default=ROOT / "results/embedded", help="a run by `make run`"
    )
    parser.add_argument("--data", type=Path, default=ROOT / "data", help="the staged data")
    parser.add_argument("--figures", type=Path, help="keep the figures in this file, or take them from it")
    parser.add_argument("--plot", type=Path, help="draw them, into this file (needs matplotlib)")
    options = parser.parse_args(arguments)
    measured = not (options.figures and options.figures.is_file())
    if measured and not set(options.part).isdisjoint({"tables", "disk"}):
        for folder, needed in (
            (options.answers / "verdicts", "--answers"),
            (options.data / "entries", "--data"),
        ):
            if not folder.is_dir():
                parser.error(f"{folder}: no such folder. `make run` makes it; or name another by {needed}.")
    return options


if __name__ == "__main__":
    main()
