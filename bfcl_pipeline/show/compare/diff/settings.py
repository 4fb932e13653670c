"""What two runs were made with: config, rows of models, release, software, what made their answers.

Covers comparing them key by key. A value is shown as it was recorded; None stands for a missing one.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from bfcl_pipeline.base.differences import Difference, differences
from bfcl_pipeline.base.errors import PipelineError
from bfcl_pipeline.benchmark.config import keys_recorded
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.runs.archived.crate_metadata import CrateMetadata
from bfcl_pipeline.runs.archived.unpacking import ArchivedRun
from bfcl_pipeline.runs.making import Making, record_line
from bfcl_pipeline.runs.run import Run

_APART = ("run", "models", "release")
"""Keys of a config that have a section of their own, or are the names of the sides."""

_WORKFLOW = ("requirements.lock", "Snakefile", "workflow/")


def changed_values(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[Difference]:
    """The values that differ between two mappings, and mappings in them, in the order of their keys."""
    return list(differences(first, second, missing=None))


def config_changes(first: Run, second: Run) -> list[Difference]:
    """The keys of the configs that differ, without run, models and release."""
    apart = (*_APART, *keys_recorded("never"))
    one, two = (
        {key: value for key, value in run.values.items() if key not in apart} for run in (first, second)
    )
    return changed_values(one, two)


def row_changes(first: Run, second: Run, pair: tuple[str, str]) -> list[Difference]:
    """The keys of the rows of a pair of models that differ, without their names; none without records."""
    one, two = (_row(run, name) for run, name in zip((first, second), pair, strict=True))
    return changed_values(one, two) if one and two else []


def _row(run: Run, name: str) -> dict[str, Json]:
    if not run.generated:
        return {}
    row = run.recorded.job_of(run.models[name]).row
    return {key: value for key, value in asdict(row).items() if key != "name"} | {"mode": row.mode.value}


def release_changes(first: Run, second: Run) -> list[Difference]:
    """The version and the sha256 of the releases, where they differ."""
    one, two = (
        {"version": run.config.release.version, "sha256": run.config.release.sha256 or None}
        if run.config
        else {}
        for run in (first, second)
    )
    return changed_values(one, two)


def software_changes(first: Run, second: Run) -> list[Difference] | None:
    """What differs between the software of two archives; None if one is none: it is not recorded."""
    if not isinstance(first, ArchivedRun) or not isinstance(second, ArchivedRun):
        return None
    return changed_values(_software(first.metadata), _software(second.metadata))


def _software(metadata: CrateMetadata) -> dict[str, Json]:
    commit = metadata.commit + (" with local changes" if metadata.changed else "")
    workflow = {name: sha256 for name, sha256 in metadata.sha256.items() if name.startswith(_WORKFLOW)}
    return {**dict(sorted(metadata.versions.items())), "commit": commit, **workflow}


def making_changes(first: Run, second: Run, pair: tuple[str, str]) -> list[Difference] | None:
    """What differs in what made the answers of a pair of models; None if it is not known of one."""
    try:
        one, two = (_making(run, run.models[name]) for run, name in zip((first, second), pair, strict=True))
    except PipelineError as error:  # a damaged journal: its answers are compared by the tables
        return [Difference("not readable", None, first.name_source(second.name_source(str(error))))]
    if one is None or two is None:
        return None
    ours, theirs = ({record.sha256: record for record in making.records} for making in (one, two))
    if len(ours) == len(theirs) == 1:
        records = [asdict(record) for side in (ours, theirs) for record in side.values()]
        found = changed_values(records[0], records[1])
    else:  # several jobs, or none that recorded anything
        lines = (
            "; ".join(record_line(side[key]) for key in sorted(side)) or None for side in (ours, theirs)
        )
        found = [] if ours == theirs else [Difference("records", *lines)]
    for name, of_one, of_two in (
        ("returned model names", one.models, two.models),
        ("returned fingerprints", one.fingerprints, two.fingerprints),
    ):
        if set(of_one) != set(of_two):
            found.append(Difference(name, *(", ".join(sorted(side)) or None for side in (of_one, of_two))))
    return found if found or (ours and theirs) else None


def _making(run: Run, folder: str) -> Making | None:
    return run.making(folder) if run.generated and run.recorded.job_of(folder).remote else None
