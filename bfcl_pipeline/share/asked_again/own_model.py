"""The verifier's own model: its row, and whether it is asked the same as the archive's.

The row of the archive is never used for sending: it could direct a key or a request anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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
from bfcl_pipeline.share.asked_again.drawing import DrawnRequest

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
