"""The files of results/<run> that belong to a run according to its config.

The directory may also have files of earlier configs, shards, addresses of servers and temporary files; they
are not archived.
"""

from collections.abc import Iterator
from pathlib import Path

from bfcl_pipeline.base.errors import ArchiveError
from bfcl_pipeline.base.files import files_below, is_regular
from bfcl_pipeline.runs.provenance import BESIDE_LOG, TEMPLATE_BESIDE_LOG
from bfcl_pipeline.runs.recorded_run import RecordedRun
from bfcl_pipeline.runs.run import Run

_TABLES = {".parquet", ".csv"}
_FIGURES = {".svg", ".png", ".md"}


def result_files(recorded: RecordedRun) -> list[Path]:
    """Config, models and results. Raises ArchiveError if one is missing."""
    folder, run = recorded.folder, recorded.run
    needed = [folder / "config.yaml", folder / "models.yaml", folder / "report.html"]
    needed += Run(folder).errata
    for model in run.folders:
        needed += [folder / "responses" / model / f"{name}.parquet" for name in run.categories_of(model)]
        needed += [folder / "memory" / model / f"{name}.parquet" for name in run.memory_of(model)]
        needed.append(folder / "verdicts" / f"{model}.parquet")
    needed.append(folder / "tables" / "leaderboard.parquet")
    missing = [path for path in needed if not path.is_file()]
    if missing:
        raise ArchiveError(
            f"{missing[0]}: missing; the run is not complete. Run `snakemake` again, then archive it."
        )
    tables = [path for path in _files(folder / "tables") if path.suffix in _TABLES]
    conversations = [path for path in _files(folder / "report") if path.suffix == ".js"]
    figures = [path for path in _files(folder / "figures") if path.suffix in _FIGURES]
    return sorted({*needed, *tables, *conversations, *figures})


def log_files(recorded: RecordedRun) -> list[Path]:
    """Logs and benchmarks of the run, which cannot be derived again."""
    models = frozenset(recorded.run.folders)
    return sorted(
        path
        for part in ("logs", "benchmarks")
        for path in _files(recorded.folder / part)
        if _belongs(path.relative_to(recorded.folder / part), models)
    )


def _belongs(path: Path, models: frozenset[str]) -> bool:
    """Whether a log is of the run as a whole, or of one of `models` or of their shards."""
    if len(path.parts) == 1:  # of a rule that runs once
        return True
    name = path.parts[1]
    stem = name.removesuffix(".tsv").removesuffix(".log").removesuffix(".vllm").removesuffix(BESIDE_LOG)
    stem = stem.removesuffix(TEMPLATE_BESIDE_LOG)
    return bool({name, stem, stem.rpartition("@")[0]} & models)


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in files_below(folder) if is_regular(path) and not path.name.startswith("."))
