"""The accuracy of the models of a run on both sides of a split: one that trained on a side is seen."""

from collections import defaultdict
from pathlib import Path

from bfcl_pipeline.base.text import text_table
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.environments.splits import TEST, TRAIN, Split
from bfcl_pipeline.runs.run import open_run


def scores_by_side(made: Split, folder: Path, rules: Rules) -> str:
    """A table with a line for each model and category of a run: accuracy in per cent on train and test.

    A gain in training is to be read on test; train minus test is large where entries were learnt by heart.
    Categories differ in difficulty from one side to the other by chance: compare with a model that has not
    trained. Raises ConfigError if there is no such run, TableError if its verdicts are missing.
    """
    run = open_run(folder)
    rows = []
    for model in run.models:
        valid: dict[str, dict[str, list[bool]]] = defaultdict(lambda: {TRAIN: [], TEST: []})
        columns = ["category", "entry_id", "rules", "valid"]
        for row in read_table(run.verdicts(model), columns).to_pylist():
            side = made.sides.get(row["entry_id"])
            if side is not None and row["rules"] == rules.value and row["valid"] is not None:
                valid[row["category"]][side].append(row["valid"])
        for category, by_side in valid.items():
            train, test = (_percent(by_side[side]) for side in (TRAIN, TEST))
            difference = "" if train is None or test is None else f"{train - test:+.1f}"
            rows.append((model, category, _text(train), _text(test), difference))
    return text_table(("model", "category", TRAIN, TEST, "train - test"), rows, right={2, 3, 4})


def _percent(valid: list[bool]) -> float | None:
    return 100 * sum(valid) / len(valid) if valid else None


def _text(percent: float | None) -> str:
    return "" if percent is None else f"{percent:.1f}"
