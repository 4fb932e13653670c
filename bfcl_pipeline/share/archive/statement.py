"""The statement about an archive that is signed: an in-toto statement (v1), made from the archive alone.

Its subject is the file, by sha256; its predicate says in short what the archive says: what was evaluated,
by which software, of which models, with which scores. Equal archives give equal bytes, so each verifier can
make the predicate again and compare.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from in_toto_attestation.v1.resource_descriptor import ResourceDescriptor
from in_toto_attestation.v1.statement import STATEMENT_TYPE_URI, Statement

from bfcl_pipeline.base.differences import MISSING, differences, items_of
from bfcl_pipeline.base.errors import BadSignature
from bfcl_pipeline.base.strict_json import canonical, read_strictly
from bfcl_pipeline.base.text import cut, valid_unicode
from bfcl_pipeline.benchmark.config import RunSettings
from bfcl_pipeline.benchmark.definition import release
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.runs.archived.unpacking import ArchivedRun
from bfcl_pipeline.runs.making import Making
from bfcl_pipeline.runs.run import Run

PREDICATE_TYPE = "urn:bfcl-pipeline:run:v1"
"""The form of the predicate; changes whenever a field is added, removed or gets another meaning."""

_FIELDS = {"_type", "subject", "predicateType", "predicate"}
_SHA256 = re.compile(r"[0-9a-f]{64}")
_SCORE = {
    "model": "model",
    "rules": "rules",
    "overall": "overall",
    "low": "overall_ci_low",
    "high": "overall_ci_high",
    "entries": "entries",
    "answered": "answered",
    "web": "web",
}
"""The fields of a score, and their columns in tables/leaderboard."""

_NAMES = 20  # returned names, or fingerprints, of one model
_SHOWN = 80  # characters of a value in a difference


def make_statement(file_name: str, sha256: str, predicate: Mapping[str, Json]) -> bytes:
    """The statement about a file: canonical JSON."""
    subject = ResourceDescriptor(name=file_name, digest={"sha256": sha256})
    Statement([subject.pb], PREDICATE_TYPE, dict(predicate)).validate()
    return canonical(
        {
            "_type": STATEMENT_TYPE_URI,
            "subject": [{"name": file_name, "digest": {"sha256": sha256}}],
            "predicateType": PREDICATE_TYPE,
            "predicate": predicate,
        }
    )


def subject_of(payload: bytes) -> str:
    """The sha256 of the file that an in-toto statement of any type is about. Raises BadSignature."""
    return _subject(_document(payload))


def read_statement(payload: bytes) -> tuple[str, Json]:
    """The sha256 of the file and the predicate in signed bytes, which may be of anybody.

    Raises BadSignature if they are not a statement about a run.
    """
    document = _document(payload)
    sha256 = _subject(document)
    kind = document["predicateType"]
    if kind != PREDICATE_TYPE:
        raise BadSignature(f"it is of the unknown type {cut(str(kind), _SHOWN)!r}, not {PREDICATE_TYPE!r}")
    return sha256, document["predicate"]


def predicate_of(run: ArchivedRun) -> dict[str, Json]:
    """What an archive says, in short.

    Args:
        run: the run in the archive, whose hashes were checked.

    Raises:
        JournalError, ProvenanceError, TableError: a file of the run is damaged.
    """
    metadata = run.metadata
    results = f"results/{metadata.run}"
    files = {"config": f"{results}/config.yaml", "models": f"{results}/models.yaml"}
    files["requirements"] = "requirements.lock"
    version, sha256 = metadata.release
    scores = list(_scores(run))
    return {
        "run": metadata.run,
        "ended": metadata.ended,
        "release": {"name": release.DISTRIBUTION, "version": version, "sha256": sha256},
        "files": {name: metadata.sha256[path] for name, path in files.items() if path in metadata.sha256},
        "images": dict(run.recorded.settings.images),
        "software": {
            "versions": dict(metadata.versions),
            "commit": metadata.commit,
            "changed": metadata.changed,
        },
        "categories": run.recorded.categories,
        "marks": _marks(run.recorded.settings, scores),
        "models": [_model(run, folder) for folder in run.recorded.folders],
        "scores": scores,
    }


def first_difference(stated: Json, derived: Json) -> str | None:
    """The first field in which a predicate differs from that of the archive; None if it does not.

    1, 1.0 and true are three values. `stated` may be of anybody: it is shown in at most one line.
    """
    one = next(differences(stated, derived, parts=items_of), None)
    if one is None:
        return None
    place = cut(one.path, _SHOWN)
    if one.first is MISSING:
        return f"{place} is missing"
    if one.second is MISSING:
        return f"{place} is not a field of such a statement"
    return f"{place} is {_short(one.first)}, in the archive {_short(one.second)}"


def _short(value: Json) -> str:
    if isinstance(value, (Mapping, list)):
        kind = "a list" if isinstance(value, list) else "an object"
        return f"{kind} of {len(value):,}"
    return cut(json.dumps(value), _SHOWN)


def _scores(run: Run) -> Iterator[dict[str, Json]]:
    """The overall score of each model under each rule set, as the table has them."""
    table = read_table(run.table("leaderboard"), list(_SCORE.values()))
    for row in table.to_pylist():
        yield {name: row[column] for name, column in _SCORE.items()}


def _marks(settings: RunSettings, scores: Sequence[Mapping[str, Json]]) -> list[str]:
    """What keeps the scores from being those of the leaderboard."""
    marks = {
        "simulated web": any(score["web"] == "simulated" for score in scores),
        "sample": settings.sample is not None,
        "chosen entries": settings.entry_ids is not None,
        "own errata": bool(settings.errata),
    }
    return [mark for mark, applies in marks.items() if applies]


def _model(run: Run, folder: str) -> dict[str, Json]:
    """What identifies a model, or a trial of it, and what is known about its answers."""
    row = run.recorded.job_of(folder).row
    facts = {
        "name": run.recorded.job_of(folder).name,
        "kind": row.kind,
        "asked": row.model,
        "weights": row.weights,
        "revision": row.revision,
        "prompts": row.prompts,
        "answers": _answers(run.making(folder)),
    }
    return {name: value for name, value in facts.items() if value is not None}


def _answers(made: Making | None) -> dict[str, Json] | None:
    """How many answers there are, when they came, what made them; None if nothing is recorded of it."""
    if made is None or not made.uses:
        return None
    return {
        "number": sum(use.exchanges for use in made.uses),
        "first": min((use.first for use in made.uses if use.first), default=None),
        "last": max((use.last for use in made.uses if use.last), default=None),
        "records": [{"sha256": use.sha256, "answers": use.exchanges} for use in made.uses],
        "returned_models": _frequent(made.models),
        "fingerprints": _frequent(made.fingerprints),
    }


def _frequent(counts: Mapping[str, int]) -> dict[str, int]:
    """The most frequent names."""
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_NAMES]
    return {valid_unicode(name): number for name, number in ranked}


def _document(payload: bytes) -> dict[str, Json]:
    try:
        document = read_strictly(payload)
    except ValueError as error:
        raise BadSignature(f"what was signed is not JSON ({error})") from error
    if (
        not isinstance(document, dict)
        or set(document) != _FIELDS
        or document["_type"] != STATEMENT_TYPE_URI
    ):
        raise BadSignature("what was signed is not an in-toto statement (v1)")
    return document


def _subject(document: Mapping[str, Json]) -> str:
    """The sha256 of the only subject."""
    subjects = document["subject"]
    subject = subjects[0] if isinstance(subjects, list) and len(subjects) == 1 else None
    digest = subject.get("digest") if isinstance(subject, dict) else None
    sha256 = digest.get("sha256") if isinstance(digest, dict) else None
    if not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
        raise BadSignature("it does not name the sha256 of exactly one file")
    return sha256
