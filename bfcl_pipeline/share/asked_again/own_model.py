"""The verifier's own model: its row, whether it is asked the same as the archive's, what else may differ.

The row of the archive is never used for sending: it could direct a key or a request anywhere. Servers and
machines are compared by the records of what made the answers; an archive's records are as true as those who
wrote them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict

from bfcl_pipeline.ask.generation import Adapter, ChatAsking
from bfcl_pipeline.ask.models import build_adapter
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import cut, on_one_line, unknown_name
from bfcl_pipeline.benchmark.config import KINDS, ModelRow
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.dialogue.families import FamilyAsking
from bfcl_pipeline.dialogue.prompts import Texts
from bfcl_pipeline.runs.making import Making
from bfcl_pipeline.runs.provenance import Provenance
from bfcl_pipeline.share.asked_again.drawing import RequestDraw

_MODEL = "model"
"""The key of a body, and of an identity, with the name of the model at its API: the same weights may have
another name at the verifier's."""

_OF_ANSWERS = ("torch", "transformers", "tokenizers", "numpy", "python")
"""The packages that compute the answers of a model in the job's process."""

_MOST = 12  # differences that are reported
_LONGEST_VALUE = 120  # characters of a value in a message
_ABSENT = "nothing"


def own_row(name: str, renamed: Mapping[str, str], rows: Mapping[str, ModelRow]) -> ModelRow:
    """The verifier's row for the model `name` of an archive.

    Args:
        name: the name in the archive.
        renamed: the verifier's names for names in the archive; without one, the same name is used.
        rows: the verifier's rows.

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
    return row


def other_identity(row: ModelRow, archived: ModelRow, draw: RequestDraw, texts: Texts) -> list[str]:
    """What may decide answers besides the requests, and differs between the two rows, in lines.

    Args:
        row: the verifier's.
        archived: the archive's.
        draw: the requests that will be sent.
        texts: of the staged release.

    Raises:
        ConfigError: the verifier's row asks something else; the message has the first difference.
    """
    name, theirs, own = draw.model, build_adapter(archived, offline=True), build_adapter(row, offline=True)
    if _way(theirs) != _way(own):
        raise ConfigError(
            f"--ask-again: the archive's {name} was asked {_way(theirs)}, your row {row.name} asks "
            f"{_way(own)}. Change your row, or name another: --as {name}=OWN."
        )
    for one in draw.requests:
        body = own.body(own.asking.written(one.request, texts))
        different = next(differing(_without_model(one.body), _without_model(body)), None)
        if different is not None:
            raise ConfigError(
                f"--ask-again: your row {row.name} asks something else than the archive's {name}, so its "
                f"answers would prove nothing. The first difference, in a request of {one.entry.entry_id}: "
                f"{different}. Change the `options` of your row, or name another: --as {name}=OWN."
            )
    return list(dict.fromkeys(differing(_identity(archived, theirs), _identity(row, own))))


def different_surroundings(archived: Making, own: Making) -> Iterator[str]:
    """What differs in what made the answers, in lines; nothing is known of what has no record."""
    for what, theirs, ours in (
        ("the model that the API names", archived.models, own.models),
        ("the system fingerprint", archived.fingerprints, own.fingerprints),
    ):
        if theirs and ours and set(theirs) != set(ours):
            yield f"{what} is {_names(theirs)} in the archive and {_names(ours)} in yours"
    if archived.records and own.records:
        lines = list(differing(_facts(archived.records[-1]), _facts(own.records[-1])))
        yield from lines[:_MOST]
        if len(lines) > _MOST:
            yield f"and {len(lines) - _MOST:,} more of what made the answers"


def batch_invariant(making: Making) -> bool:
    """Whether all answers have a record by which their vLLM server answers equally in every batch."""
    servers = [use.document.server if use.document is not None else None for use in making.uses]
    return bool(servers) and all(
        server is not None and server.environment.get("VLLM_BATCH_INVARIANT") == "1" for server in servers
    )


def differing(archived: Json, own: Json, place: str = "") -> Iterator[str]:
    """Where two JSON values differ, in words, in the order of the archive's."""
    match archived, own:
        case dict(), dict():
            for key in dict.fromkeys([*archived, *own]):
                where = f"{place}.{key}" if place else str(key)
                yield from differing(archived.get(key, _ABSENT), own.get(key, _ABSENT), where)
        case ((list() | tuple()), (list() | tuple())) if len(archived) == len(own):
            for number, (one, other) in enumerate(zip(archived, own, strict=True)):
                yield from differing(one, other, f"{place}[{number}]")
        case _ if archived != own or isinstance(archived, bool) != isinstance(own, bool):
            theirs, ours = (cut(on_one_line(repr(value)), _LONGEST_VALUE) for value in (archived, own))
            yield f"{place or 'the body'} is {theirs} in the archive and {ours} in yours"


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


def _way(adapter: Adapter) -> str:
    """How a model is asked, in words: equal for two adapters that can write each other's requests."""
    match adapter.asking:
        case FamilyAsking(row=family):
            return f"by the prompts of the family {family.name}"
        case ChatAsking(mode=mode, wire=wire):
            return f"in mode {mode} and the format {wire}"
    return type(adapter.asking).__name__


def _without_model(body: Json) -> Json:
    return {key: value for key, value in body.items() if key != _MODEL} if isinstance(body, dict) else body


def _identity(row: ModelRow, adapter: Adapter) -> Json:
    """What decides answers besides the body, as far as it is known."""
    known = adapter.identity if isinstance(adapter.identity, Mapping) else {"identity": adapter.identity}
    return {_MODEL: row.model, "weights": row.weights, **known}
