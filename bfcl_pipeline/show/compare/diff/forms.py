"""The difference of two runs as files: JSON with everything, or a table with a row for each entry."""

from pathlib import Path

import pyarrow as pa

from bfcl_pipeline.base.text import valid_unicode
from bfcl_pipeline.benchmark.records import Json, Rules
from bfcl_pipeline.benchmark.tables.schemas import field as described_column
from bfcl_pipeline.benchmark.tables.text_forms import FORMS, write_any_form
from bfcl_pipeline.runs.archived.unpacking import ArchivedRun
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.compare.diff.difference import RunDifference
from bfcl_pipeline.show.compare.diff.model_difference import EntryDifference, ModelDifference
from bfcl_pipeline.show.compare.diff.settings import Changed
from bfcl_pipeline.show.compare.tables import check_form as check_suffix
from bfcl_pipeline.show.compare.tables import write_json

JSON = ".json"

FIRST_DIFFERENCES = pa.schema(
    [
        described_column("first_model", pa.string(), "the model of A"),
        described_column("second_model", pa.string(), "the model of B"),
        described_column("category", pa.string(), "one of the V4 categories"),
        described_column("entry_id", pa.string(), "id as in the release"),
        described_column("session", pa.bool_(), "whether it is a memory session, which is not scored"),
        described_column("difference", pa.string(), "what the first difference is in; same: there is none"),
        described_column(
            "request", pa.int64(), "its request in the conversation, from 1; null: of none", True
        ),
        described_column("turn", pa.int64(), "the turn of the entry, from 0; null: of no request", True),
        described_column("place", pa.string(), "the place in the request or the entry; empty: an answer"),
        described_column(
            "first_value", pa.string(), "the value of A from shortly before the difference on, cut"
        ),
        described_column("second_value", pa.string(), "the value of B"),
        described_column("same_answer", pa.bool_(), "whether the whole answers are equal"),
        described_column("first_status", pa.string(), "answered, or why A has no answer"),
        described_column("second_status", pa.string(), "answered, or why B has no answer"),
        *(
            described_column(
                f"{side}_{rules}", pa.bool_(), f"the verdict of {name} under {rules} rules", True
            )
            for rules in Rules
            for side, name in (("first", "A"), ("second", "B"))
        ),
    ]
)
"""One row per pair of models and entry that both have."""


def check_form(path: Path) -> None:
    """Raises ConfigError if the suffix of `path` names no form."""
    check_suffix(path, (JSON, *FORMS))


def write_difference(path: Path, found: RunDifference) -> None:
    """Writes the difference in the form of the suffix, atomically; equal ones become equal bytes."""
    if path.suffix.lower() == JSON:
        write_json(path, _document(found))
    else:
        rows = [_row(model, entry) for model in found.models for entry in model.entries]
        write_any_form(path, pa.Table.from_pylist(rows, schema=FIRST_DIFFERENCES))


def _document(found: RunDifference) -> dict[str, Json]:
    return {
        "a": _side(found.runs[0]),
        "b": _side(found.runs[1]),
        "same": not found.differ,
        "settings": _changed(found.config),
        "software": None if found.software is None else _changed(found.software),
        "release": _changed(found.release),
        "models_of_one_side": {"a": found.only_models[0], "b": found.only_models[1]},
        "models": list(map(_model, found.models)),
    }


def _side(run: Run) -> Json:
    if not isinstance(run, ArchivedRun):
        return {"source": run.source.name}
    about = run.metadata
    return {"source": run.source.name, "run": about.run, "ended": about.ended, "commit": about.commit}


def _changed(changed: list[Changed]) -> list[Json]:
    return [{"name": one.name, "a": one.first, "b": one.second} for one in changed]


def _model(model: ModelDifference) -> Json:
    return {
        "a": model.names[0],
        "b": model.names[1],
        "row": _changed(model.row),
        "made_by": _changed(model.made_by),
        "options": _changed(model.options),
        "requests": [side.requests for side in model.derived],
        "conversations_not_derived": [side.not_derived for side in model.derived],
        "entries_of_one_side": {
            name: [one.entry_id for one in side if not one.session]
            for name, side in zip(("a", "b"), model.only, strict=True)
        },
        "entries": [_row(model, entry) for entry in model.entries],
    }


def _row(model: ModelDifference, entry: EntryDifference) -> dict[str, Json]:
    parting = entry.parting
    verdicts = {
        f"{side}_{rules}": entry.verdicts.get(rules.value, (None, None))[place]
        for rules in Rules
        for place, side in enumerate(("first", "second"))
    }
    return {
        "first_model": model.names[0],
        "second_model": model.names[1],
        "category": entry.category,
        "entry_id": entry.entry_id,
        "session": entry.session,
        "difference": parting.kind.value,
        "request": parting.number,
        "turn": parting.turn,
        "place": valid_unicode(parting.place),
        "first_value": valid_unicode(parting.first),
        "second_value": valid_unicode(parting.second),
        "same_answer": entry.same_answer,
        "first_status": entry.statuses[0],
        "second_status": entry.statuses[1],
        **verdicts,
    }
