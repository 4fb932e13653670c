"""What else may make answers differ: the server, its machine, and what an API says of itself.

Compares the records of what made the archive's answers with those of the fresh ones. An archive's records
are as true as those who wrote them.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.runs.journal import JournaledExchange, JournalsReader, journals_in
from bfcl_pipeline.runs.making import Making, making_of
from bfcl_pipeline.runs.provenance import Provenance
from bfcl_pipeline.share.asked_again.own_model import differing

BATCH_INVARIANT = "VLLM_BATCH_INVARIANT"
"""The variable with which vLLM answers equally in every batch."""

_OF_ANSWERS = ("torch", "transformers", "tokenizers", "numpy", "python")
"""The packages that compute the answers of a model in the job's process."""

_MOST = 12  # differences that are reported


def own_making(folder: Path, keys: Iterable[str]) -> Making:
    """What made the fresh answers. folder: of the journal. keys: of the requests."""
    with JournalsReader(journals_in(folder)) as journals:
        found: list[JournaledExchange | None] = [journals.find(key) for key in keys]
        return making_of((one for one in found if one is not None), folder)


def different_surroundings(archived: Making, own: Making) -> Iterator[str]:
    """What differs, in lines; nothing is known of what has no record."""
    for what, theirs, ours in (
        ("the model that the API names", archived.api.models, own.api.models),
        ("the system fingerprint", archived.api.fingerprints, own.api.fingerprints),
    ):
        if theirs and ours and set(theirs) != set(ours):
            yield f"{what} is {_names(theirs)} in the archive and {_names(ours)} in yours"
    if archived.records and own.records:
        lines = list(differing(_facts(archived.records[-1]), _facts(own.records[-1])))
        yield from lines[:_MOST]
        if len(lines) > _MOST:
            yield f"and {len(lines) - _MOST:,} more of what made the answers"


def batch_invariant(provenance: Making) -> bool:
    """Whether all answers have a record by which their server answers equally in every batch."""
    servers = [use.document.server if use.document is not None else None for use in provenance.uses]
    return bool(servers) and all(
        server is not None and server.environment.get(BATCH_INVARIANT) == "1" for server in servers
    )


def _facts(record: Provenance) -> Json:
    """What may change answers: of a model behind somebody's API, only what is known of the model."""
    facts: dict[str, Json] = {"model": asdict(record.model)}
    if record.server is not None:
        facts["server"] = asdict(record.server)
    elif record.model.weights is not None:
        facts["gpus"] = [asdict(gpu) for gpu in record.machine.gpus]
        facts["processor"] = record.machine.processor
        facts["packages"] = {name: record.packages.get(name) for name in _OF_ANSWERS}
    return facts


def _names(counts: Mapping[str, int]) -> str:
    names = sorted(counts, key=lambda name: (-counts[name], name))
    return ", ".join(map(repr, names[:3])) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")
