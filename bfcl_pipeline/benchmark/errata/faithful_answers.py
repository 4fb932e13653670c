"""Faithful answers as data, and how many pass: a model that does what request and docs say gives one.

`faithful/*.yaml` has, by entry or by several of one kind, the answers that are not the truth's own: a list
of calls, a text, or a mapping of what differs from the truth's own answer. `faithful/passing.csv` has the
result of judging all (`ask.models.faithful`), for the entries of which one fails.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from bfcl_pipeline.base.errors import ErrataError
from bfcl_pipeline.base.yaml_reader import UnreadableYaml, read_yaml
from bfcl_pipeline.benchmark.records import Json, Rules

_FOLDER = "faithful"
_PASSING = "passing.csv"


@dataclass(frozen=True, slots=True)
class Passing:
    """How many faithful answers of one entry pass."""

    answers: int
    passed: Mapping[Rules, int]  # without rules that leave the entry out

    def share(self, rules: Rules) -> float:
        """The share that passes; 1 if the rules leave the entry out."""
        return self.passed.get(rules, self.answers) / self.answers


@cache
def written_answers() -> Mapping[str, tuple[Json, ...]]:
    """The answers of the files by entry id, files by name. Raises ErrataError if one is not YAML."""
    found: dict[str, tuple[Json, ...]] = {}
    for path in sorted(files(__package__).joinpath(_FOLDER).iterdir(), key=lambda path: path.name):
        if path.name.endswith(".yaml"):
            try:
                answers = read_yaml(path.read_text(encoding="utf-8"), by_hand=True)
            except UnreadableYaml as error:
                raise ErrataError(f"{path.name}: not YAML: {error}.") from None
            for ids, of_entries in answers.items():
                for entry_id in ids.split(", "):
                    found[entry_id] = (*found.get(entry_id, ()), *of_entries)
    return found


@cache
def passing_answers() -> Mapping[str, Passing]:
    """What `passing.csv` has, by entry id: of every other entry all faithful answers pass."""
    text = files(__package__).joinpath(_FOLDER, _PASSING).read_text(encoding="utf-8")
    return {
        row["entry_id"]: Passing(
            int(row["answers"]), {rules: int(row[rules]) for rules in Rules if row[rules]}
        )
        for row in csv.DictReader(text.splitlines())
    }


def passing_csv(found: Mapping[str, Passing]) -> str:
    """The text of `passing.csv`."""
    lines = [("entry_id", "answers", *Rules)]
    for entry_id, each in found.items():
        if any(each.share(rules) < 1 for rules in Rules):
            counts = (str(each.passed.get(rules, "")) for rules in Rules)
            lines.append((entry_id, str(each.answers), *counts))
    return "".join(f"{','.join(line)}\n" for line in lines)
