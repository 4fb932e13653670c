"""The verifier's own model: its row, whether it is asked the same as the archive's, what else may differ.

The row of the archive is never used for sending: it could direct a key or a request anywhere. Servers and
machines are compared by the records of what made the answers; an archive's records are as true as those who
wrote them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bfcl_pipeline.ask.generation import Adapter, ChatAsking
from bfcl_pipeline.ask.models import build_adapter
from bfcl_pipeline.ask.models.weights import identify_weights
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import Log, cut, on_one_line, unknown_name
from bfcl_pipeline.benchmark.config import KINDS, ModelRow
from bfcl_pipeline.benchmark.records import Json, Request
from bfcl_pipeline.dialogue.families import FamilyAsking
from bfcl_pipeline.dialogue.prompts import Texts
from bfcl_pipeline.runs.journal import JournaledExchange, JournalsReader, journals_in
from bfcl_pipeline.runs.making import Making, making_of
from bfcl_pipeline.runs.provenance import Provenance
from bfcl_pipeline.share.asked_again.drawing import DrawnRequest

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


MODEL = "model"
"""The key of a body, and of an identity, with the name of the model at its API: the same weights may have
another name at the verifier's."""

_LONGEST_VALUE = 120  # characters of a value in a message
_ABSENT = "nothing"


@dataclass(frozen=True, slots=True)
class OwnModel:
    """The verifier's row for a model of the archive."""

    name: str  # of the model in the archive
    row: ModelRow  # of the verifier's models files
    differences: tuple[str, ...]  # from the archive's row, of what does not change what is asked


def own_row(
    name: str, renamed: Mapping[str, str], rows: Mapping[str, ModelRow], log: Log, weights_cache: Path
) -> ModelRow:
    """The verifier's row for the model `name` of an archive.

    Args:
        name: the name in the archive.
        renamed: the verifier's names for names in the archive; without one, the same name is used.
        rows: the verifier's rows.
        log: receives a line before the files of weights are read.
        weights_cache: directory of the hashes of weights.

    Raises:
        ConfigError: there is no such row, or its model cannot be asked.
    """
    own = renamed.get(name, name)
    if own not in rows:
        raise ConfigError(
            f"--ask-again: the archive has answers of {name!r}: {unknown_name('model', own, rows)[:2000]} "
            f"Add a row to your models file, or name yours: --as {name}=OWN. The archive's own row is "
            "never used: it could send your key anywhere."
        )
    row = rows[own]
    if KINDS[row.kind].embedded or row.recorded:
        raise ConfigError(
            f"--ask-again: {own} is of kind {row.kind}, which cannot be asked. Name a model behind an API "
            f"or of open weights: --as {name}=OWN."
        )
    return identify_weights(row, log, weights_cache)


def own_model(
    name: str, row: ModelRow, archived: ModelRow, drawn: Sequence[DrawnRequest], texts: Texts
) -> OwnModel:
    """The verifier's model, after checking that it is asked what the archive's was.

    Args:
        name: of the model in the archive.
        row: the verifier's.
        archived: the archive's.
        drawn: the requests that will be sent.
        texts: of the staged release.

    Raises:
        ConfigError: the verifier's row asks something else; the message has the first difference.
    """
    theirs, own = build_adapter(archived, offline=True), build_adapter(row, offline=True)
    _check_asking(name, row, theirs, own)
    for one in drawn:
        body = own.body(own_request(own, one.request, texts))
        different = next(differing(_without_model(one.body), _without_model(body)), None)
        if different is not None:
            raise ConfigError(
                f"--ask-again: your row {row.name} asks something else than the archive's {name}, so its "
                f"answers would prove nothing. The first difference, in a request of {one.entry.entry_id}: "
                f"{different}. Change the `options` of your row, or name another: --as {name}=OWN."
            )
    told = dict.fromkeys([*_identity_differences(archived, row, theirs, own)])
    return OwnModel(name, row, tuple(told))


def own_request(own: Adapter, request: Request, texts: Texts) -> Request:
    """`request` as the verifier's model is asked it: a prompt is written with the verifier's template."""
    return own.asking.written(request, texts)


def differing(archived: Json, own: Json, place: str = "") -> Iterator[str]:
    """Where two JSON values differ, in words, in the order of the archive's."""
    match archived, own:
        case dict(), dict():
            for key in dict.fromkeys([*archived, *own]):
                yield from differing(
                    archived.get(key, _ABSENT),
                    own.get(key, _ABSENT),
                    f"{place}.{key}" if place else str(key),
                )
        case ((list() | tuple()), (list() | tuple())) if len(archived) == len(own):
            for number, (one, other) in enumerate(zip(archived, own, strict=True)):
                yield from differing(one, other, f"{place}[{number}]")
        case _ if archived != own or isinstance(archived, bool) != isinstance(own, bool):
            yield f"{place or 'the body'} is {_shown(archived)} in the archive and {_shown(own)} in yours"


def _check_asking(name: str, row: ModelRow, theirs: Adapter, own: Adapter) -> None:
    """Raises ConfigError if requests of one model cannot be written for the other."""
    ways = _way(theirs), _way(own)
    if ways[0] != ways[1]:
        raise ConfigError(
            f"--ask-again: the archive's {name} was asked {ways[0]}, your row {row.name} asks {ways[1]}. "
            f"Change your row, or name another: --as {name}=OWN."
        )


def _way(adapter: Adapter) -> str:
    """How a model is asked, in words: equal for two adapters that can write each other's requests."""
    match adapter.asking:
        case FamilyAsking(row=family):
            return f"by the prompts of the family {family.name}"
        case ChatAsking(mode=mode, wire=wire):
            return f"in mode {mode} and the format {wire}"
    return type(adapter.asking).__name__


def _without_model(body: Json) -> Json:
    return {key: value for key, value in body.items() if key != MODEL} if isinstance(body, dict) else body


def _identity_differences(
    archived: ModelRow, row: ModelRow, theirs: Adapter, own: Adapter
) -> Iterator[str]:
    """What decides answers besides the body, as far as it is known and differs."""
    yield from differing(
        {MODEL: archived.model, "weights": archived.weights, **_mapping(theirs.identity)},
        {MODEL: row.model, "weights": row.weights, **_mapping(own.identity)},
    )


def _mapping(identity: Json) -> dict[str, Json]:
    return dict(identity) if isinstance(identity, Mapping) else {"identity": identity}


def _shown(value: Json) -> str:
    return cut(on_one_line(repr(value)), _LONGEST_VALUE)
