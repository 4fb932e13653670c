"""The files of results/<run> that belong to a run according to its config.

The directory may also have files of earlier configs, shards, addresses of servers and temporary files; they
are not archived.
"""

from collections.abc import Iterator
from pathlib import Path

from bfcl_pipeline.base.errors import ArchiveError
from bfcl_pipeline.base.files import files_below, is_regular
from bfcl_pipeline.runs.provenance import BESIDE_LOG, TEMPLATE_BESIDE_LOG
from bfcl_pipeline.runs.run import BLAME, BLAMED_ANSWERS, Run

_TABLES = {".parquet", ".csv"}
_FIGURES = {".svg", ".png", ".md"}


def result_files(run: Run) -> list[Path]:
    """Config, models and results. Raises ArchiveError if one is missing."""
    folder, recorded = run.folder, run.recorded
    needed = [run.config_file, run.models_file, folder / "report.html"]
    needed += run.errata
    for model in recorded.folders:
        needed += [run.responses(model, name) for name in recorded.categories_of(model)]
        needed += [run.sessions(model, name) for name in recorded.memory_of(model)]
        needed.append(run.verdicts(model))
    needed.append(run.table("leaderboard"))
    missing = [path for path in needed if not path.is_file()]
    if missing:
        raise ArchiveError(
            f"{missing[0]}: missing; the run is not complete. Run `snakemake` again, then archive it."
        )
    tables = [path for path in _files(folder / "tables") if path.suffix in _TABLES]
    conversations = [path for path in _files(folder / "report") if path.suffix == ".js"]
    blamed = [path for name in (BLAME, BLAMED_ANSWERS) if is_regular(path := folder / name)]
    figures = [path for path in _files(folder / "figures") if path.suffix in _FIGURES]
    return sorted({*needed, *tables, *blamed, *conversations, *figures})


def log_files(run: Run) -> list[Path]:
    """Logs and benchmarks of the run, which cannot be derived again."""
    models = frozenset(run.recorded.folders)
    return sorted(
        path
        for part in ("logs", "benchmarks")
        for path in _files(run.folder / part)
        if _belongs(path.relative_to(run.folder / part), models)
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
