"""What two runs were made with: config, rows of models, release, software, what made their answers.

Covers comparing them key by key. A value is shown as it was recorded; None stands for a missing one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bfcl_pipeline.benchmark.config import NOT_RECORDED
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.runs.archived.crate_metadata import CrateMetadata
from bfcl_pipeline.runs.making import Making, record_line
from bfcl_pipeline.runs.provenance import Provenance
from bfcl_pipeline.runs.run import Run

_APART = ("run", "models", "release")
"""Keys of a config that have a section of their own, or are the names of the sides."""

_WORKFLOW = ("Snakefile", "workflow/")


@dataclass(frozen=True, slots=True)
class Changed:
    """A value that is not the same on both sides."""

    name: str  # a key, with dots between levels
    first: Json  # None: there is none
    second: Json


def config_changes(first: Run, second: Run) -> list[Changed]:
    """The keys of the configs that differ, without run, models and release."""
    left_out = (*_APART, *NOT_RECORDED)
    one, two = (
        {key: value for key, value in run.values.items() if key not in left_out} for run in (first, second)
    )
    return list(changed_values(one, two))


def row_changes(first: Run, second: Run, pair: tuple[str, str]) -> list[Changed]:
    """The keys of the rows of a pair of models that differ, without their names; none without records."""
    one, two = (_row(run, name) for run, name in zip((first, second), pair, strict=True))
    return list(changed_values(one, two)) if one and two else []


def release_changes(first: Run, second: Run) -> list[Changed]:
    """The version and the sha256 of the releases, where they differ."""
    one, two = (_release(run) for run in (first, second))
    return list(changed_values(one, two))


def software_changes(first: CrateMetadata, second: CrateMetadata) -> list[Changed]:
    """What differs between the software of two archives."""
    return list(changed_values(_software(first), _software(second)))


def making_changes(first: Run, second: Run, pair: tuple[str, str]) -> list[Changed]:
    """What differs in what made the answers of a pair of models; nothing if one has no journal.

    Raises PipelineError if a journal or a record is damaged.
    """
    one, two = (_making(run, run.models[name]) for run, name in zip((first, second), pair, strict=True))
    if one is None or two is None:
        return []
    ours, theirs = ({record.sha256: record for record in making.records} for making in (one, two))
    if len(ours) == len(theirs) == 1:
        records = [asdict(record) for side in (ours, theirs) for record in side.values()]
        found = list(changed_values(records[0], records[1]))
    else:  # several jobs, or none that recorded anything
        found = [] if ours == theirs else [Changed("records", _record_lines(ours), _record_lines(theirs))]
    for name, of_one, of_two in (
        ("returned model names", one.models, two.models),
        ("returned fingerprints", one.fingerprints, two.fingerprints),
    ):
        if set(of_one) != set(of_two):
            found.append(Changed(name, *(", ".join(sorted(names)) or None for names in (of_one, of_two))))
    return found


def _making(run: Run, folder: str) -> Making | None:
    return run.making(folder) if run.generated and run.recorded.job_of(folder).remote else None


def _record_lines(records: Mapping[str, Provenance]) -> str | None:
    return "; ".join(record_line(records[sha256]) for sha256 in sorted(records)) or None


def changed_values(
    first: Mapping[str, Any], second: Mapping[str, Any], above: str = ""
) -> Iterator[Changed]:
    """The values that differ between two mappings, and mappings in them, in the order of their keys."""
    for key in dict.fromkeys((*first, *second)):
        one, two = first.get(key), second.get(key)
        if one == two and type(one) is type(two):
            continue
        name = f"{above}{key}"
        if isinstance(one, dict) and isinstance(two, dict):
            yield from changed_values(one, two, f"{name}.")
        else:
            yield Changed(name, one, two)


def _release(run: Run) -> dict[str, Json]:
    pin = run.values.get("release")
    kept = pin if isinstance(pin, dict) else {}
    return {key: kept.get(key) for key in ("version", "sha256")}


def _row(run: Run, name: str) -> dict[str, Json]:
    if not run.generated:
        return {}
    row = run.recorded.job_of(run.models[name]).row
    values = asdict(row)
    return {key: value for key, value in values.items() if key != "name"} | {"mode": row.mode.value}


def _software(metadata: CrateMetadata) -> dict[str, Json]:
    commit = metadata.commit + (" with local changes" if metadata.changed else "")
    locks = {name: sha256 for name, sha256 in metadata.sha256.items() if name == "requirements.lock"}
    workflow = {name: sha256 for name, sha256 in metadata.sha256.items() if name.startswith(_WORKFLOW)}
    return {**dict(sorted(metadata.versions.items())), "commit": commit, **locks, **workflow}


def software_names(sides: Sequence[CrateMetadata]) -> str:
    """The software of the first side in one line."""
    versions = ", ".join(f"{name} {version}" for name, version in sorted(sides[0].versions.items()))
    return f"{versions}, commit {sides[0].commit[:12]}"
