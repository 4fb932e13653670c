"""Writes BFCL-Verified, stages it and runs both oracles on it; prints what they fail, and why.

`python -m benchmarks.verified_release [FOLDER]`, on staged data with the encoder; takes a minute. An entry
that an oracle fails has a record in the errata, which is printed, or is unexplained.
"""

import sys
import tempfile
from pathlib import Path

import polars as pl

from bfcl_pipeline.base.text import text_table
from bfcl_pipeline.benchmark.definition import CATEGORIES, V4_CATEGORIES
from bfcl_pipeline.benchmark.errata import errata
from bfcl_pipeline.cli import main as pipeline

ORACLES = ("oracle-FC", "oracle")
RULES = ("official", "verified")


def run(folder: Path, data: Path) -> pl.DataFrame:
    """The verdicts of both oracles on BFCL-Verified under every rule set."""
    verified, staged = folder / "verified", folder / "data"
    _pipeline("audit", "--data", data, "--dataset", verified)
    _pipeline("stage", "--source", verified, "--data", staged)
    (staged / "encoder").symlink_to((data / "encoder").resolve())
    found = []
    for model in ORACLES:
        answers = folder / "responses" / model
        asked = [name for name in V4_CATEGORIES if model == "oracle" or not CATEGORIES[name].prompt_only]
        _pipeline(
            *("generate", "--run", "verified", "--model", model, "--category", *asked, "--data", staged),
            *("--cache", folder / "cache", "--out", answers, "--sessions-out", folder / "memory" / model),
        )
        verdicts = folder / f"{model}.parquet"
        tables = sorted(answers.glob("*.parquet"))
        _pipeline("score", *tables, "--data", staged, "--out", verdicts, "--rules", "all")
        found.append(pl.read_parquet(verdicts))
    return pl.concat(found)


def _pipeline(*arguments: object) -> None:
    status = pipeline([str(each) for each in arguments])
    if status:
        sys.exit(f"bfcl-pipeline {arguments[0]} ended with status {status}")


def main() -> None:
    """Prints a table and every failure."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
        verdicts = run(folder, Path("data"))
    reasons = {one.entry_id: one.what for one in errata() if not (one.confirmed and one.edits)}
    rows = []
    for (model, rules), of in verdicts.filter(pl.col("rules").is_in(RULES)).group_by(
        "model", "rules", maintain_order=True
    ):
        judged = of.filter(pl.col("valid").is_not_null())
        wrong = judged.filter(~pl.col("valid"))["entry_id"].to_list()
        why = {entry_id: reasons.get(entry_id.rpartition(":")[2]) for entry_id in wrong}
        if rules == "official":
            right = verdicts.filter(pl.col("model") == model, pl.col("rules") == "corrected", "valid")
            passed = "passes under corrected rules (docs/rules.md)"
            why = {name: of or (passed if name in right["entry_id"] else None) for name, of in why.items()}
        unexplained = sum(reason is None for reason in why.values())
        rows.append([model, rules, f"{len(judged):,}", f"{len(wrong):,}", f"{unexplained:,}"])
        for entry_id, reason in why.items():
            print(f"{model}, {rules}: fails {entry_id}: {reason or 'unexplained'}")
    print(text_table(("model", "rules", "judged", "failed", "unexplained"), rows))


if __name__ == "__main__":
    main()
