"""The software that computes a run: versions of packages, and the workflow with its commit."""

import platform
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bfcl_pipeline.base import __version__
from bfcl_pipeline.base.project import project_folder
from bfcl_pipeline.runs.provenance import Provenance
from bfcl_pipeline.runs.provenance.commit import find_commit

PACKAGES = ("snakemake", "pyarrow", "polars")
"""Packages whose versions are recorded: the workflow engine and the writers of the tables."""

ENCODER_PACKAGES = ("faiss-cpu", "sentence-transformers", "torch", "transformers")
"""Packages that decide what a search of the vector memory finds; recorded of runs that have one."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """The files of the project: a checkout, or the same files inside an installed wheel."""

    folder: Path
    commit: str | None  # of git, or that from which wheel or image was built; None if not known
    dirty: bool  # whether its code differs from that commit

    @property
    def lock_file(self) -> Path:
        """The pinned versions of all dependencies."""
        return self.folder / "requirements.lock"


def versions(encoder: bool = True) -> dict[str, str]:
    """The installed version of each recorded package, of Python and of the pipeline, by name.

    encoder: with those of the vector memory.
    """
    installed = {"bfcl-pipeline": __version__, "python": platform.python_version()}
    for name in (*PACKAGES, *(ENCODER_PACKAGES if encoder else ())):
        try:
            installed[name] = version(name)
        except PackageNotFoundError:
            continue
    return installed


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


def find_checkout() -> Checkout:
    """The workflow that belongs to this package. Raises ConfigError if it is missing."""
    folder = project_folder()
    found = find_commit(folder)
    return Checkout(folder, found.commit, dirty=found.changed)


def workflow_files(checkout: Checkout) -> list[Path]:
    """Snakefile and the files of workflow/, which describe what was run."""
    files = [path for path in (checkout.folder / "workflow").rglob("*") if path.is_file()]
    visible = [path for path in files if not {part[0] for part in path.parts[-2:]} & {".", "_"}]
    return [checkout.folder / "Snakefile", *sorted(visible)]
