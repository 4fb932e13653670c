"""One model at several addresses: how each host answers, beside the first one, on the same entries.

Covers the table that makers of models publish of those who serve them. Trigger and schema are of
single-turn entries in mode fc, whose one answer has calls or none.
"""

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean, median
from urllib.parse import urlsplit

import numpy as np

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import cut_middle, limit_points, loaded_json, printable, text_table
from bfcl_pipeline.benchmark.config import trial_of
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Json, Mode, Response
from bfcl_pipeline.benchmark.tables import entries_path, read_entries, read_responses
from bfcl_pipeline.dialogue.prompts import fc_request
from bfcl_pipeline.judge.scoring.intervals import pooled_layout
from bfcl_pipeline.judge.scoring.statistics.paired import compare_paired
from bfcl_pipeline.show.compare.sides import WRONG, Numbering, Side
from bfcl_pipeline.show.compare.text import percent

_HEADINGS = ("host", "trigger", "schema", "right", "change", "in", "out", "s")
_LONGEST = 22  # characters of the name of a host


def hosts_text(numbering: Numbering, sides: Sequence[Side]) -> str:
    """A table of 80 columns with a line for each side, over the entries that all have a verdict on.

    Raises:
        ConfigError: there are fewer than two sides, or no such entry.
        TableError: a table cannot be read, or entries are not staged.
    """
    marks = np.array([side.spread_over(len(numbering.entries)) for side in sides])
    common = (marks >= WRONG).all(axis=0)
    if len(sides) < 2 or not common.any():
        raise ConfigError("--by host: expected two or more sides with verdicts on the same entries.")
    keys = [numbering.entries[place] for place in np.flatnonzero(common)]
    where, rows, first = pooled_layout(keys), list[list[str]](), dict[str, bool]()
    described = [side.run.rows.get(trial_of(side.model).model) for side in sides]
    names = [urlsplit(row.endpoint or "").netloc if row else "" for row in described]
    for side, name, right in zip(sides, names, marks[:, common], strict=True):
        answers = list(_answers(side, frozenset(keys)))
        called = {one.entry_id: bool(calls) for one, calls, _ in answers if calls is not None}
        alike = [called[key] == of_first for key, of_first in first.items() if key in called]
        fits = [fit for _, calls, fit in answers if calls]
        limits = compare_paired(right, marks[0, common], where).limits[0]
        change = f"{limit_points(limits.low)} to {limit_points(limits.high)}" if rows else ""
        rows.append(
            [
                cut_middle(printable(name if name and names.count(name) == 1 else side.label), _LONGEST),
                *(percent(fmean(of)) if of else "-" for of in (alike, fits, list(right))),
                change,
                _of([one.input_tokens for one, _, _ in answers], fmean, 0),
                _of([one.output_tokens for one, _, _ in answers], fmean, 0),
                _of([one.latency_seconds for one, _, _ in answers], median, 2),
            ]
        )
        first = first or called
    about = f"{len(keys):,} entries judged at each host. Per cent, mean tokens, median seconds.\n"
    table = text_table(_HEADINGS, rows, range(1, len(_HEADINGS)))
    return f"{about}trigger and change: beside the first host.\n\n{table}"


def _of(values: Sequence[float | None], summary: Callable[[list[float]], float], digits: int) -> str:
    known = [value for value in values if value is not None]
    return f"{summary(known):,.{digits}f}" if known else "-"


def _answers(
    side: Side, keys: frozenset[tuple[str, str]]
) -> Iterator[tuple[Response, list[Json] | None, bool]]:
    """The response to each of the entries, its calls (None: not looked at), and whether all fit."""
    for category in dict.fromkeys(category for category, _ in keys):
        single = CATEGORIES[category].single_turn
        staged = read_entries(entries_path(side.run.data, category)) if single else ()
        tools = {one.entry_id: fc_request(one).tools for one in staged if (category, one.entry_id) in keys}
        for one in read_responses(side.run.responses(side.model, category)):
            if (category, one.entry_id) in keys:
                result = loaded_json(one.result_json) if single and one.mode is Mode.FC else None
                calls = [] if isinstance(result, str) else result
                yield one, calls, all(_fits(call, tools[one.entry_id]) for call in calls or ())


def _fits(call: Json, tools: Sequence[Json]) -> bool:
    """Whether a call names a function that was offered, with arguments that fit its schema."""
    from jsonschema import Draft202012Validator  # slow

    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in tools}
    return all(
        name in schemas and Draft202012Validator(schemas[name]).is_valid(loaded_json(arguments or "{}"))
        for name, arguments in call.items()
    )
