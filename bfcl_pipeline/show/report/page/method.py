"""The method card of a run: the settings of its models, and what the run proves and what it does not.

Everything is from the recorded rows of the models, the config and the journals, so that a replay gives the
same page. What a run does not record (weights behind an API, versions of servers) is stated to be
missing.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from bfcl_pipeline.base.text import cut, on_one_line, plural, printable
from bfcl_pipeline.benchmark.config import EMBEDDED_KINDS, RECORDED_KINDS, trial_of
from bfcl_pipeline.benchmark.config.families import way_of_asking
from bfcl_pipeline.benchmark.config.model_rows import UNKNOWN_WEIGHTS
from bfcl_pipeline.show.report.page.table import Cell, PageColumn, Table, isolate, lines_table

RELEASE_TEMPERATURE = 0.001
"""What the adapters send unless the options of a row set another temperature or remove it."""

MOST_NEW_TOKENS = 4096
"""In one answer to a prompt of the leaderboard, unless the options of a row set another limit."""

NONE = "\N{EN DASH}"
"""Shown where a model has no such setting."""

_WITHOUT_TEMPERATURE = EMBEDDED_KINDS | RECORDED_KINDS | {"litellm"}
_LONGEST = 400  # characters of options and of server flags

_IDENTIFIED = ("revision", "weights", "prompts")
_DIGEST = 24  # characters of a digest or a commit; models.yaml has all of them

_SHOWN_ALONE = ("temperature", "generationConfig")

Values = Mapping[str, Any]
"""The row of a model as it was recorded, by key."""


@dataclass(frozen=True, slots=True)
class Method:
    """What a reader has to know about how models were asked."""

    settings: Table | None  # None if no rows are recorded
    covered: Sequence[str]  # sentences on what can be derived again
    not_covered: Sequence[str]  # sentences on what is not recorded or not proved


def method(
    rows: Mapping[str, Values], models: Sequence[str], served: Mapping[str, Sequence[str]], web: str | None
) -> Method:
    """The method card.

    Args:
        rows: the recorded rows by name.
        models: the models of the run, one for each trial.
        served: by the name of a row, the names that its API gave to the model.
        web: the config key `web`; None if it is not recorded.
    """
    asked = [
        rows[name] for name in dict.fromkeys(trial_of(model).model for model in models) if name in rows
    ]
    return Method(_settings(asked, served), _covered(asked), _not_covered(asked, web))


def _settings(rows: Sequence[Values], served: Mapping[str, Sequence[str]]) -> Table | None:

    def text(title: str, cell: Callable[[Values], Cell | str], style: str = "") -> PageColumn:
        def made(row: Values) -> Cell:
            found = cell(row)
            return found if isinstance(found, Cell) else Cell(found, style=style)

        return PageColumn(title, made, "")

    return lines_table(
        "Settings of the models",
        [(row,) for row in rows],
        [
            PageColumn("Model", lambda row: Cell.name(printable(str(row["name"]))), "name"),
            text("Mode", lambda row: Cell.sortable(str(row.get("mode", NONE)))),
            text("Kind", lambda row: Cell.sortable(str(row.get("kind", NONE)))),
            text("Asked as", lambda row: _asked_as(row, served.get(str(row["name"]), ()))),
            text("Temperature", temperature),
            text("Options", lambda row: _texts(row.get("options"), _SHOWN_ALONE), "message"),
            text("Server", lambda row: _texts(row.get("vllm")), "message"),
            text("$ in / out", lambda row: f"{_price(row, 'input_price')} / {_price(row, 'output_price')}"),
        ],
        style="sortable errata",
        summary=f"Settings of {plural(len(rows), 'model', 'models')}",
    )


def _asked_as(row: Values, served: Sequence[str]) -> Cell:
    """The name at the API, the host, what the API called the model, and how weights were asked."""
    if row.get("kind") in EMBEDDED_KINDS:
        return Cell("embedded")
    name = isolate(_safe(str(row.get("model", NONE))))
    notes = [f"at {_host(row)}"] if _host(row) else []
    notes += [f"answers name {_safe(', '.join(served))}"] if served else []
    if row.get("kind") == "vllm" or row.get("family"):  # not a family if its server writes the prompts
        notes.append(_safe(way_of_asking(row.get("family"), str(row.get("mode")))))
        notes += _limit(row)
        notes += [_safe(f"{key} {str(row[key])[:_DIGEST]}") for key in _IDENTIFIED if row.get(key)]
    return Cell(name, note=isolate("; ".join(notes)) if notes else "", style="message")


def _limit(row: Values) -> list[str]:
    """The limit on new tokens of a model that is sent prompts, unless an option sets it."""
    if not row.get("family") or _options(row).get("max_tokens") is not None:
        return []
    return [f"at most {MOST_NEW_TOKENS:,} new tokens, fewer where the context leaves less room"]


def _host(row: Values) -> str:
    """The host of the endpoint, without credentials that a URL may contain."""
    try:
        return _safe(urlsplit(str(row.get("endpoint") or "")).hostname or "")
    except ValueError:
        return ""


def temperature(row: Values) -> str:
    """The temperature that is sent with each request of a model; 0 if it always decodes greedily."""
    if row.get("kind") == "transformers":
        return "0"
    if row.get("kind") in _WITHOUT_TEMPERATURE and "temperature" not in _options(row):
        return NONE
    sent = _options(row).get("temperature", RELEASE_TEMPERATURE)
    return "not sent" if sent is None else _safe(str(sent))


def _options(row: Values) -> Mapping[str, Any]:
    """The options, with those that Gemini's API has one level deeper."""
    options = row.get("options")
    if not isinstance(options, dict):
        return {}
    nested = options.get("generationConfig")
    return {**options, **(nested if isinstance(nested, dict) else {})}


def _texts(values: object, but: Sequence[str] = ()) -> str:
    """Settings as `key=value`, each value as JSON."""
    if not isinstance(values, dict):
        return NONE
    shown = {**values, **_options({"options": values})} if but else values
    texts = [f"{key}={_json(value)}" for key, value in shown.items() if key not in but]
    return cut(_safe(", ".join(texts)), _LONGEST) if texts else NONE


def _json(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _price(row: Values, name: str) -> str:
    price = row.get(name)
    return f"{price:g}" if isinstance(price, int | float) else NONE


def _safe(text: str) -> str:
    return on_one_line(printable(text))


def _covered(rows: Sequence[Values]) -> list[str]:
    """What anybody can derive again with the release and the records of the run."""
    lines = [
        "Every verdict and every number of this page follow from the responses and the pinned release."
    ]
    if any(_is_asked(row) for row in rows):
        lines.append(
            "Every request is made again in a replay, byte for byte: prompts, function docs, options and "
            "results of calls are those to which the recorded answers belong."
        )
    if any(row.get("kind") in EMBEDDED_KINDS for row in rows):
        lines.append("Embedded models are run again in a replay and give the same answers.")
    return lines


def _not_covered(rows: Sequence[Values], web: str | None) -> list[str]:
    """What no record of the run proves."""
    lines = []
    if any(_is_asked(row) for row in rows):
        lines += ["That the answers are those of the model: journals are files that can be edited."]
    if not all(_identifies_weights(row) for row in rows if _is_asked(row)):
        lines.append(
            "Which weights answered: the run has the name of the model and that which the API reported, if "
            "any, but neither a revision nor a hash of weights."
        )
    if any(map(_identifies_weights, rows)):
        lines.append(
            "That the weights which were loaded are those of the digest: it is of the files, or of the "
            "commit, that the machine of the run had."
        )
    if any(row.get("kind") == "vllm" for row in rows):
        by_server = any(row.get("kind") == "vllm" and not row.get("family") for row in rows)
        template = ", the content of a chat template" if by_server else ""
        lines.append(
            f"The server: its flags are above, but the version of vLLM{template} and the GPUs are not "
            "recorded."
        )
    if any(row.get("kind") in RECORDED_KINDS for row in rows) or not rows:
        lines.append("How answers that were read from results came about: no requests are recorded.")
    lines += _OF_WEB.get(web or "", ())
    lines.append("Versions of Python and of libraries are not recorded in the run; an archive has them.")
    return lines


def _identifies_weights(row: Values) -> bool:
    return row.get("weights") not in (None, UNKNOWN_WEIGHTS)


def _is_asked(row: Values) -> bool:
    return row.get("kind") not in EMBEDDED_KINDS | RECORDED_KINDS


_OF_WEB: Mapping[str, Sequence[str]] = {
    "simulated": ("The real web: searches and pages are built from the annotations of the release.",),
    "live": ("What the web returned: web search in mode live cannot be derived again.",),
    "record": ("That the web is still the same: searches and pages are those of the days of the answers.",),
    "replay": ("That the web is still the same: searches and pages were recorded by earlier runs.",),
}
"""What is not proved about each web, by the config key `web`."""
