"""How long a site of many archives takes, the first time and again, and how large it is.

    python -m benchmarks.gallery [--archives 20] [--sample 400] [--keep DIR]
    python -m benchmarks.gallery --pages [--archives 20]

Makes that many runs of embedded models on the same sample of the single-turn categories, each a model of
its own name, archives them, and writes the site twice. Needs the staged release (`bfcl-pipeline stage`).
Prints a line of sizes and seconds, also of the processor, which another load hardly changes.
With --pages, only the pages are made, of made-up verdicts on all scored entries of the benchmark, one model
in each archive.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from pathlib import Path

from bfcl_pipeline.benchmark.definition import CATEGORIES, V4_CATEGORIES
from bfcl_pipeline.cli import main as bfcl
from bfcl_pipeline.share.gallery.pages import COMPARE, ENTRIES, INDEX
from bfcl_pipeline.share.gallery.site import write_pages
from tests.support.gallery_records import record_of
from tests.support.snakemake_project import ROOT, Project, make_project
from tests.support.synthetic_run import MadeUpModel, Marks, made_up_tables

KINDS = (("oracle", "fc"), ("oracle", "prompt"), ("lexical", "fc"), ("lexical", "prompt"))


def make_archives(folder: Path, number: int, sample: int) -> Path:
    """Archives of so many runs in a new folder below `folder`."""
    project = make_project(folder)
    (folder / "data").symlink_to(ROOT / "data")
    rows = [
        f"  - {{name: model-{place}, kind: {KINDS[place % 4][0]}, mode: {KINDS[place % 4][1]}}}"
        for place in range(number)
    ]
    (folder / "config/models.yaml").write_text("models:\n" + "\n".join(rows) + "\n")
    archives = folder / "archives"
    for place in range(number):
        _make_archive(project, place, sample, archives)
    return archives


def _make_archive(project: Project, place: int, sample: int, archives: Path) -> None:
    name = f"run-{place}"
    done = project.snakemake(
        run=name, models=f"[model-{place}]", categories="[single_turn]", sample=str(sample)
    )
    assert done.returncode == 0, done.stdout
    places = ["--data", str(ROOT / "data"), "--cache", str(project.folder / "cache")]
    run = project.folder / "results" / name
    assert bfcl(["archive", str(run), "--out", str(archives / f"{name}.crate.zip"), *places]) == 0


def measure(archives: Path, site: Path) -> tuple[float, float]:
    """Seconds of one `bfcl-pipeline gallery`, and those of the processor, on all cores together."""
    kept = ["--cache", str(site.with_name("kept"))]
    begin, used = time.perf_counter(), sum(os.times()[:4])
    status = bfcl(
        ["gallery", str(archives), "--out", str(site), "--data", str(ROOT / "data"), "--cores", "2", *kept]
    )
    assert status == 0
    return time.perf_counter() - begin, sum(os.times()[:4]) - used


def measure_pages(folder: Path, number: int) -> str:
    """Seconds of the processor for the pages of archives of full size, and their sizes."""
    draw = random.Random(0)
    records = []
    for place in range(number):
        run = folder / f"run-{place}"
        run.mkdir()
        verdicts = {
            name: Marks(
                [draw.random() < 0.3 + 0.6 * place / number for _ in range(CATEGORIES[name].entries)]
            )
            for name in V4_CATEGORIES
            if CATEGORIES[name].scored
        }
        records.append(record_of(made_up_tables(run, [MadeUpModel(f"model-{place}", verdicts)])))
    begin = time.process_time()
    names = list(write_pages(records, folder / "site", "Made-up verdicts"))
    seconds = time.process_time() - begin
    sizes = {name: (folder / "site" / name).stat().st_size for name in names}
    shown = ", ".join(f"{name} {sizes[name] / 1e6:.2f} MB" for name in (INDEX, ENTRIES, COMPARE))
    return f"pages of {number} archives of all scored entries: {seconds:.1f} s of the processor; {shown}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--archives", type=int, default=20)
    parser.add_argument("--sample", type=int, default=400)
    parser.add_argument("--keep", type=Path, help="an empty directory for the runs and the site")
    parser.add_argument("--pages", action="store_true", help="only the pages, of made-up verdicts")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        if options.pages:
            print(measure_pages(Path(temporary), options.archives))
            return
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        archives = make_archives(folder, options.archives, options.sample)
        site = folder / "site"
        (first, first_used), (again, again_used) = measure(archives, site), measure(archives, site)
        pages = [path.stat().st_size for path in site.glob("*.html")]
        files = [path for path in site.rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files)
        print(
            f"{options.archives} archives: {first:.0f} s the first time ({first / options.archives:.1f} s "
            f"each; {first_used:.0f} s of the processor), {again:.1f} s again ({again_used:.1f} s of the "
            f"processor); {len(files):,} files, {size / 1e6:.1f} MB, of which pages "
            f"{sum(pages) / 1e6:.1f} MB, the largest {max(pages) / 1e6:.2f} MB"
        )


if __name__ == "__main__":
    main()
