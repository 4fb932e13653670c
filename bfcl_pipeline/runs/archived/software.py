"""The software that computes a run: versions of packages, and the files of the workflow."""

from collections.abc import Iterable
from pathlib import Path

from bfcl_pipeline.base import __version__
from bfcl_pipeline.runs.provenance import Provenance
from bfcl_pipeline.runs.provenance.software import installed_packages

LOCK = "requirements.lock"
"""The pinned versions of all dependencies, in the folder of the project."""

_PACKAGES = ("snakemake", "pyarrow", "polars")  # the workflow engine and the writers of the tables

ENCODER_PACKAGES = ("faiss-cpu", "sentence-transformers", "torch", "transformers")
"""Packages that decide what a search of the vector memory finds; recorded of runs that have one."""


def versions(encoder: bool = True) -> dict[str, str]:
    """The installed version of each recorded package, of Python and of the pipeline, by name.

    encoder: with those of the vector memory.
    """
    names = (*_PACKAGES, *(ENCODER_PACKAGES if encoder else ()))
    return {"bfcl-pipeline": __version__, **installed_packages(names)}


def versions_when_made(records: Iterable[Provenance], names: Iterable[str]) -> dict[str, str]:
    """The versions of the software `names` when the responses of a run were made, by name.

    records: of the jobs that wrote them. What no record has, or what two records have differently, is left
    out.
    """
    stated: dict[str, set[str]] = {name: set() for name in names}
    for record in records:
        for name, version_then in {**record.packages, "bfcl-pipeline": record.pipeline.version}.items():
            if name in stated:
                stated[name].add(version_then)
    return {name: found.pop() for name, found in stated.items() if len(found) == 1}


def workflow_files(project: Path) -> list[Path]:
    """Snakefile and the files of workflow/, which describe what was run."""
    files = [path for path in (project / "workflow").rglob("*") if path.is_file()]
    visible = [path for path in files if not {part[0] for part in path.parts[-2:]} & {".", "_"}]
    return [project / "Snakefile", *sorted(visible)]
