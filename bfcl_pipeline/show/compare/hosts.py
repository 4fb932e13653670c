"""One model at several addresses: how each host answers, beside the first one, on the same entries.

Covers the table that makers of models publish of those who serve them. Trigger and schema are of
single-turn entries in mode fc, whose one answer has calls or none.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean, median
from urllib.parse import urlsplit

import numpy as np

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import cut_middle, limit_points, loaded_json, printable, text_table
from bfcl_pipeline.benchmark.config import trial_of
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Json, Mode
from bfcl_pipeline.benchmark.tables import entries_path, read_entries, read_responses
from bfcl_pipeline.dialogue.prompts import fc_request
from bfcl_pipeline.judge.scoring.intervals import pooled_layout
from bfcl_pipeline.judge.scoring.statistics.paired import compare_paired
from bfcl_pipeline.show.compare.sides import WRONG, Numbering, Side

_LONGEST = 22  # characters of the name of a host


@dataclass(frozen=True, slots=True)
class Host:
    """How one host answers the entries that all hosts have a verdict on. Shares from 0 to 1."""

    name: str
    entries: int
    trigger: float | None  # entries on which it calls if and only if the first host does
    schema: float | None  # its answers with calls that all fit the schemas of their functions
    right: float
    low: float  # of the 95 % interval of the difference from the first host, clustered
    high: float
    input_tokens: float | None  # of an entry, mean
    output_tokens: float | None
    seconds: float | None  # of an entry, median


@dataclass(slots=True)
class _Answered:
    """What the answers of one host have beside their verdicts, by entry."""

    called: dict[tuple[str, str], bool] = field(default_factory=dict)
    fits: list[bool] = field(default_factory=list)
    sums: list[tuple[int | None, int | None, float | None]] = field(default_factory=list)


def read_hosts(numbering: Numbering, sides: Sequence[Side]) -> list[Host]:
    """Each side beside the first, over the entries that all have a verdict on.

    Raises:
        ConfigError: there are fewer than two sides, or no such entry.
        TableError: a table cannot be read, or entries are not staged.
    """
    marks = np.array([side.spread_over(len(numbering.entries)) for side in sides])
    common = (marks >= WRONG).all(axis=0)
    if len(sides) < 2 or not common.any():
        raise ConfigError(
            "--by host: expected two or more sides with verdicts on the same entries, such as the rows of "
            "one model with different endpoints."
        )
    keys = [numbering.entries[place] for place in np.flatnonzero(common)]
    where = pooled_layout(keys)
    names = [_address(side) for side in sides]
    answered = [_answered(side, frozenset(keys)) for side in sides]
    found = []
    for side, name, own, right in zip(sides, names, answered, marks[:, common], strict=True):
        limits = compare_paired(right, marks[0, common], where).limits[0]
        alike = [
            own.called[key] == called for key, called in answered[0].called.items() if key in own.called
        ]
        sums = [[value for value in values if value is not None] for values in zip(*own.sums, strict=True)]
        found.append(
            Host(
                name=name if name and names.count(name) == 1 else side.label,
                entries=len(keys),
                trigger=fmean(alike) if alike else None,
                schema=fmean(own.fits) if own.fits else None,
                right=float(right.mean()),
                low=limits.low,
                high=limits.high,
                input_tokens=fmean(sums[0]) if sums[0] else None,
                output_tokens=fmean(sums[1]) if sums[1] else None,
                seconds=median(sums[2]) if sums[2] else None,
            )
        )
    return found


def hosts_text(hosts: Sequence[Host]) -> str:
    """The hosts as a table of 80 columns."""
    rows = []
    for number, host in enumerate(hosts):
        shares = [None if not number else host.trigger, host.schema, host.right]
        cells = ["-" if share is None else f"{share * 100:.2f}" for share in shares]
        interval = f"{limit_points(host.low)} to {limit_points(host.high)}" if number else ""
        usage = [(host.input_tokens, 0), (host.output_tokens, 0), (host.seconds, 2)]
        cells += [interval, *("-" if value is None else f"{value:,.{digits}f}" for value, digits in usage)]
        rows.append([cut_middle(printable(host.name), _LONGEST), *cells])
    headings = ["host", "trigger", "schema", "right", "change", "in", "out", "s"]
    return (
        f"{hosts[0].entries:,} entries judged at each host. Per cent, mean tokens, median seconds.\n"
        "trigger and change: beside the first host.\n\n"
        f"{text_table(headings, rows, range(1, len(headings)))}"
    )


def _address(side: Side) -> str:
    row = side.run.rows.get(trial_of(side.model).model)
    return urlsplit((row and row.endpoint) or "").netloc


def _answered(side: Side, keys: frozenset[tuple[str, str]]) -> _Answered:
    found = _Answered()
    for category in dict.fromkeys(category for category, _ in keys):
        single = CATEGORIES[category].single_turn
        tools = {}
        if single:
            entries = read_entries(entries_path(side.run.data, category))
            tools = {
                entry.entry_id: fc_request(entry).tools
                for entry in entries
                if (category, entry.entry_id) in keys
            }
        for response in read_responses(side.run.responses(side.model, category)):
            key = (category, response.entry_id)
            if key not in keys:
                continue
            found.sums.append((response.input_tokens, response.output_tokens, response.latency_seconds))
            if single and response.mode is Mode.FC:
                calls = loaded_json(response.result_json)
                found.called[key] = isinstance(calls, list) and bool(calls)
                if found.called[key]:
                    found.fits.append(all(_fits(call, tools[response.entry_id]) for call in calls))
    return found


def _fits(call: Json, tools: Sequence[Json]) -> bool:
    """Whether a call names a function that was offered, with arguments that fit its schema."""
    from jsonschema import Draft202012Validator  # slow

    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in tools}
    return all(
        name in schemas and Draft202012Validator(schemas[name]).is_valid(loaded_json(arguments or "{}"))
        for name, arguments in call.items()
    )
