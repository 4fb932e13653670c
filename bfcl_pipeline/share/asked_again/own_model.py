"""The verifier's own model: its row, whether it is asked the same as the archive's, what else may differ.

The row of the archive is never used for sending: it could direct a key or a request anywhere. Servers and
machines are compared by the records of what made the answers; an archive's records are as true as those who
wrote them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from itertools import islice

from bfcl_pipeline.ask.generation import Adapter, ChatAsking
from bfcl_pipeline.ask.models import build_adapter
from bfcl_pipeline.base.differences import differences, items_of
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import line_of, unknown_name
from bfcl_pipeline.benchmark.config import KINDS, ModelRow
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.dialogue.families import FamilyAsking
from bfcl_pipeline.dialogue.prompts import Texts
from bfcl_pipeline.runs.making import Making
from bfcl_pipeline.share.asked_again.asking import RequestDraw

_MODEL = "model"
"""The key with the name of the model at its API: the same weights may have another name elsewhere."""

_MOST, _LONGEST = 12, 120  # differences that are reported; characters of a path or value in one


def own_row(name: str, renamed: Mapping[str, str], rows: Mapping[str, ModelRow]) -> ModelRow:
    """The verifier's row for the model `name` of an archive.

    renamed: the verifier's names for names in the archive; without one, the same name is used.

    Raises ConfigError if there is no such row, or its model cannot be asked.
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


def other_identity(archived: ModelRow, row: ModelRow, draw: RequestDraw, texts: Texts) -> list[str]:
    """What may decide answers besides the requests, and differs between the two rows, in lines.

    Raises ConfigError with the first difference if the verifier's row asks something else.
    """
    name, theirs, own = draw.model, build_adapter(archived, offline=True), build_adapter(row, offline=True)
    if _way(theirs) != _way(own):
        raise ConfigError(
            f"--ask-again: the archive's {name} was asked {_way(theirs)}, your row {row.name} asks "
            f"{_way(own)}. Change your row, or name another: --as {name}=OWN."
        )
    for one in draw.requests:
        body = own.body(own.asking.written(one.request, texts))
        different = next(_differing({**one.body, _MODEL: ""}, {**body, _MODEL: ""}), None)
        if different is not None:
            raise ConfigError(
                f"--ask-again: your row {row.name} asks something else than the archive's {name}, so its "
                f"answers would prove nothing. The first difference, in a request of {one.entry.entry_id}: "
                f"{different}. Change the `options` of your row, or name another: --as {name}=OWN."
            )
    return list(_differing(_identity(archived, theirs), _identity(row, own)))


def different_surroundings(archived: Making, own: Making) -> Iterator[str]:
    """What differs in what made the answers, in lines; nothing is known of what has no record."""
    theirs, ours = _facts(archived), _facts(own)
    both = [name for name in theirs if name in ours]
    lines = _differing(*({name: facts[name] for name in both} for facts in (theirs, ours)))
    return islice(lines, _MOST)


def _differing(archived: Json, own: Json) -> Iterator[str]:
    """Where two JSON values differ, in lines; 1, 1.0 and true are three values, as they are sent."""
    for one in differences(archived, own, parts=items_of):
        texts = (one.path, repr(one.first), repr(one.second))
        yield "{} is {} in the archive and {} in yours".format(*(line_of(text, _LONGEST) for text in texts))


def _facts(making: Making) -> dict[str, Json]:
    """What may change answers: of a model behind somebody's API, only what is known of the model."""
    named = {"returned models": making.models, "returned fingerprints": making.fingerprints}
    facts: dict[str, Json] = {name: ", ".join(sorted(counts)) for name, counts in named.items() if counts}
    if making.records:
        record = making.records[-1]
        facts["model"] = asdict(record.model)
        facts["server"] = record.server and asdict(record.server)
        if record.model.weights is not None:
            facts["gpus"] = [asdict(gpu) for gpu in record.machine.gpus]
    return facts


def _way(adapter: Adapter) -> str:
    """How a model is asked, in words: equal for two adapters that can write each other's requests."""
    match adapter.asking:
        case FamilyAsking(row=family):
            return f"by the prompts of the family {family.name}"
        case ChatAsking(mode=mode, wire=wire):
            return f"in mode {mode} and the format {wire}"
    return type(adapter.asking).__name__


def _identity(row: ModelRow, adapter: Adapter) -> Json:
    """What decides answers besides the body, as far as it is known."""
    return {_MODEL: row.model, "weights": row.weights, "identity": adapter.identity}
