"""The result of asking again as a JSON file that a verifier can publish: each request, what is equal."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.runs.archived.unpacking import ArchivedRun
from bfcl_pipeline.share.asked_again.answers import LEVELS, ComparedAnswer
from bfcl_pipeline.share.asked_again.asking import FreshAnswer
from bfcl_pipeline.share.asked_again.comparison import ComparedRequest, equal_answers
from bfcl_pipeline.share.asked_again.drawing import DrawnRequest
from bfcl_pipeline.share.asked_again.outcome import AskedModel


def write_results(path: Path, run: ArchivedRun, seed: int, results: Sequence[AskedModel]) -> None:
    """Writes the results of all models. Endpoints and keys of the verifier are not among them."""
    document = {
        "archive": {"file": run.file.name, "sha256": run.sha256, "run": run.metadata.run},
        "seed": seed,
        "models": [_model(one) for one in results],
    }
    write_text(path, json.dumps(document, indent=2) + "\n")


def _model(asked: AskedModel) -> Json:
    row, test = asked.model.row, asked.test
    return {
        "model": asked.draw.model,
        "outcome": asked.outcome.name.lower(),
        "asked": {"name": row.name, "kind": row.kind, "model": row.model, "weights": row.weights},
        "requests": asked.draw.of,
        "askings": asked.askings,
        "equality_demanded": asked.demand_equality,
        "test": {
            "p": test.p,
            "error_rate": test.error_rate,
            "told_apart": test.told_apart,
            "smallest_share": test.smallest_share,
            "levels": {level: asdict(result) for level, result in test.levels.items()},
        },
        "shares": [asdict(share) for share in asked.shares],
        "exchanges": [
            _exchange(*one)
            for one in zip(asked.draw.requests, asked.fresh.answers, asked.requests, strict=True)
        ],
    }


def _exchange(drawn: DrawnRequest, fresh: Sequence[FreshAnswer], request: ComparedRequest) -> Json:
    return {
        "key": drawn.journaled.key,
        "entry_id": drawn.entry.entry_id,
        "turn": drawn.request.turn,
        "archived": {"result": drawn.exchange.result, "valid": request.archived.verdicts},
        "askings": [
            {
                "result": None if answer.exchange is None else answer.exchange.result,
                "failure": answer.failure or None,
                "valid": None if form is None else form.verdicts,
                "equal": _equal(request.archived, form),
            }
            for answer, form in zip(fresh, request.fresh, strict=True)
        ],
        "trials": [_equal(request.archived, form) for form in request.trials],
    }


def _equal(archived: ComparedAnswer, other: ComparedAnswer | None) -> Json:
    """Whether an answer equals the archive's, by level; null: undecided, or there is no answer."""
    return {level: None if other is None else equal_answers(level, archived, other) for level in LEVELS}
