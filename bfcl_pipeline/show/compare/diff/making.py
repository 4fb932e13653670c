"""What made the answers of two models, as their jobs recorded it and as their APIs said."""

from collections.abc import Mapping
from dataclasses import asdict

from bfcl_pipeline.runs.archived.exchanges import exchanges_of
from bfcl_pipeline.runs.archived.provenances import ModelProvenance, model_provenance, record_line
from bfcl_pipeline.runs.provenance import Provenance
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.compare.diff.settings import Changed, changed_values


def making_changes(first: Run, second: Run, pair: tuple[str, str]) -> list[Changed]:
    """What differs in what made the answers of a pair of models; nothing if one has no journal.

    Raises PipelineError if a journal or a record is damaged.
    """
    one, two = (_making(run, name) for run, name in zip((first, second), pair, strict=True))
    if one is None or two is None:
        return []
    ours, theirs = _records(one), _records(two)
    if len(ours) == len(theirs) == 1:
        found = list(changed_values(asdict(ours[0]), asdict(theirs[0])))
    else:  # several jobs, or none that recorded anything
        found = [] if ours == theirs else [Changed("records", _described(ours), _described(theirs))]
    for name, of_one, of_two in (
        ("returned model names", one.api.models, two.api.models),
        ("returned fingerprints", one.api.fingerprints, two.api.fingerprints),
    ):
        if set(of_one) != set(of_two):
            found.append(Changed(name, _names(of_one), _names(of_two)))
    return found


def _making(run: Run, name: str) -> ModelProvenance | None:
    folder = run.models[name]
    if not run.generated or not run.recorded.job_of(folder).remote:
        return None
    return model_provenance(exchanges_of(run, folder), run.journals / folder)


def _records(making: ModelProvenance) -> list[Provenance]:
    """The different records, sorted."""
    found = {use.document.sha256: use.document for use in making.uses if use.document is not None}
    return [found[sha256] for sha256 in sorted(found)]


def _described(records: list[Provenance]) -> str | None:
    return "; ".join(map(record_line, records)) or None


def _names(counts: Mapping[str, int]) -> str | None:
    return ", ".join(sorted(counts)) or None
