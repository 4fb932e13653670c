"""Notes on a run and its models, for terminal and page: samples, own errata, unread calls, no answers.

Reads tables with the standard library alone, so that commands start fast.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.base.text import on_one_line, plural, printable
from bfcl_pipeline.benchmark.definition import release
from bfcl_pipeline.runs.run import BLAME, BLAMED_ANSWERS, Run
from bfcl_pipeline.runs.web_label import SIMULATED, split_webs
from bfcl_pipeline.show.report.format import number

BIAS = (
    "With the simulated web only the reference request of a REST entry has an answer, and it passes. "
    "Entries with another request have no verdict; REST and the scores with it are biased, mostly upward."
)
"""The note beneath scores that lack such entries."""


def is_biased(rows: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a row of the table `executable` lacks verdicts on REST because the web is simulated."""
    return any(SIMULATED in split_webs(row["web"]) and int(row["not_recorded"]) > 0 for row in rows)


def unlisted_note(row: Mapping[str, Any]) -> str:
    """The rate of defects that no erratum has, of a row of the table `ceilings`; empty if it has none."""
    names = ("unlisted", "unlisted_low", "unlisted_high")
    if not all(row.get(name) for name in names):
        return ""
    share, low, high = (f"{100 * float(row[name]):.1f}" for name in names)
    return f"Entries without an erratum: {share} % ({low} to {high} %) have a defect nevertheless."


def csv_rows(path: Path, **wanted: str) -> list[dict[str, Any]]:
    """The rows of a table as texts, None for an empty cell; no rows if there is no such table.

    wanted: the values by column of the rows. Raises csv.Error, KeyError or ValueError.
    """
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            rows = [{name: cell or None for name, cell in row.items()} for row in csv.DictReader(lines)]
    except FileNotFoundError:
        return []
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


@contextmanager
def reading_table(run: Run, name: str) -> Iterator[None]:
    """Errors of what reads a CSV table of a run become a TableError, which says how it is made again."""
    try:
        yield
    except (OSError, LookupError, TypeError, AttributeError, ValueError, csv.Error) as error:
        raise TableError(
            f"{run.csv_table(name)}: not a table `{name}` of a run ({error!r}). Make it again "
            f"(bfcl-pipeline aggregate {run.folder})."
        ) from error


NO_ANSWERS = 2
"""Exit status of a run with a model without any answer."""

_HALF = 300  # characters at each end of a long reason; that of a server ends with its log


def unanswered_models(run: Run) -> dict[str, str]:
    """The reason by model, each in one line; empty if every model has answers.

    Raises TableError if `tables/unanswered.csv` is there and cannot be read.
    """
    with reading_table(run, "unanswered"):
        return {row["model"]: short_reason(row["reason"]) for row in csv_rows(run.csv_table("unanswered"))}


def short_reason(reason: str) -> str:
    """A reason in one line, without what could steer a terminal."""
    line = on_one_line(printable(reason))
    return line if len(line) <= 2 * _HALF else f"{line[:_HALF]} ... {line[-_HALF:]}"


def unanswered_lines(run: Run) -> list[str]:
    """A line for each model without any answer. Raises TableError as `unanswered_models` does."""
    return [f"{model}: no answers: {reason}" for model, reason in unanswered_models(run).items()]


_STATED = re.compile(r"\((?:FC|Prompt)\b|-FC\b")

_LABELS = {"fc": "FC", "prompt": "Prompt", "fc and prompt": "FC and Prompt"}


def mode_label(display_name: str, mode: str | None) -> str:
    """The label of a mode: FC or Prompt; empty if the name states a mode or the mode is not known.

    mode: as in the column `mode` of the table `leaderboard`.
    """
    return "" if _STATED.search(display_name) else _LABELS.get(mode or "", "")


def name_with_mode(display_name: str, mode: str | None) -> str:
    """The name with its mode, as the leaderboard writes it: `my-model (FC)`."""
    label = mode_label(display_name, mode)
    return f"{display_name} ({label})" if label else display_name


def unread_notes(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """A sentence for each model of some rows of the table `unread_calls`."""
    counts: dict[str, int] = {}
    examples: dict[str, str] = {}
    for row in rows:
        counts[row["model"]] = counts.get(row["model"], 0) + int(row["unread_calls"])
        examples.setdefault(row["model"], row["example_entry_id"])
    return [
        f"{printable(model)}: {plural(count, 'answer has a call', 'answers have a call')} in the text that "
        f"the server did not read, for example {printable(examples[model])} (docs/rules.md, Unread calls)."
        for model, count in counts.items()
    ]


def blame_rows(run: Run) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What the command `blame` wrote to a run, causes and answers; none if it was not used.

    Raises TableError if a table has other columns or values.
    """
    try:
        causes = [
            {
                **{name: row[name] or "" for name in ("model", "cause", "category")},
                **{name: float(row[name]) for name in ("wrong", "accidental", "points")},
                **{name: number(row[name]) for name in ("low", "high")},
            }
            for row in csv_rows(run.folder / BLAME)
        ]
        texts = ("model", "entry_id", "cause", "step", "wrote", "read")
        answers = csv_rows(run.folder / BLAMED_ANSWERS)
        return causes, [{name: row[name] or "" for name in texts} for row in answers]
    except (OSError, LookupError, TypeError, ValueError, csv.Error) as error:
        raise TableError(
            f"{run.folder / BLAME}: not a table of `blame` ({error!r}). Make it again (bfcl-pipeline blame "
            f"{run.folder}), or delete it and {BLAMED_ANSWERS}."
        ) from error


SERVER_POINTS = 0.2
"""Points of the overall score that a server has to cost for a note."""


def server_notes(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """A sentence for each model whose server costs points. rows: the causes of `blame_rows`."""
    lost: dict[str, tuple[int, float]] = {}
    for row in rows:
        if row["category"] == "overall" and row["cause"].startswith("server"):
            answers, points = lost.get(row["model"], (0, 0.0))
            lost[row["model"]] = answers + int(row["wrong"]), points + row["points"]
    return [
        f"{printable(model)}: {plural(answers, 'answer is', 'answers are')} wrong because the server read "
        f"other calls than it wrote ({points:.1f} points): check --tool-call-parser (docs/servers.md)."
        for model, (answers, points) in lost.items()
        if points > SERVER_POINTS
    ]


SHOWN = 10
"""The most entries that a note lists."""


def own_errata_notes(rows: Iterable[Mapping[str, str]]) -> list[str]:
    """A sentence for each file of the user's own errata. rows: of the table `own_errata`."""
    files: dict[str, dict[str, str]] = {}
    for row in rows:
        files.setdefault(row["file"], {})[row["entry_id"]] = row["treatment"]
    return [
        f"Verified scores use the errata of {printable(file)} on "
        f"{plural(len(entries), 'entry', 'entries')}: {_listed(entries)}."
        for file, entries in files.items()
    ]


def own_errata_lines(run: Run) -> list[str]:
    """The sentences on the table of a run, if it has one. Raises KeyError, ValueError or csv.Error."""
    return own_errata_notes(csv_rows(run.csv_table("own_errata")))


def _listed(entries: Mapping[str, str]) -> str:
    listed = [f"{entry_id} ({treatment})" for entry_id, treatment in entries.items()]
    more = f" and {len(listed) - SHOWN:,} more (tables/own_errata.csv)" if len(listed) > SHOWN else ""
    return ", ".join(listed[:SHOWN]) + more


_WIDER = {
    "full": "For the overall of all entries of this benchmark, the intervals are {}.",
    "wide": "If it had other APIs, function docs and memory scenarios, those of the overall would be {}.",
}


def wider_notes(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """A sentence on each other interval of the overall. rows: of the table `intervals`, by model."""
    widths: dict[str, list[float]] = {name: [] for name in _WIDER}
    for row in rows:
        for name, found in widths.items():
            if row.get(f"{name}_low") is not None:
                found.append((float(row[f"{name}_high"]) - float(row[f"{name}_low"])) / 2 * 100)
    ends = {name: (min(found), max(found)) for name, found in widths.items() if found}
    return [
        _WIDER[name].format(" to ".join(dict.fromkeys(f"\N{PLUS-MINUS SIGN}{end:.1f}" for end in both)))
        for name, both in ends.items()
    ]


def sample_note(entries: Iterable[tuple[str, int, int]], run: Run) -> str:
    """`Sample: 200 of 5,106 entries, seed 0`, without the seed if it is not recorded.

    Before it, the name of the benchmark if that is not BFCL V4 but its corrected release.

    Args:
        entries: of each model and category: its name, the entries that ran, those of the release.
        run: its config, if any, has the seed.

    Returns:
        The mark; empty if all entries of the categories of BFCL V4 ran.
    """
    other = run.benchmark != release.V4
    name = f"{run.benchmark}: corrected entries, whose scores are not those of BFCL V4" if other else ""
    return "; ".join(filter(None, (name, _sampled(entries, run))))


def _sampled(entries: Iterable[tuple[str, int, int]], run: Run) -> str:
    ran: dict[str, int] = {}
    released: dict[str, int] = {}
    for category, count, of in entries:
        ran[category] = max(ran.get(category, 0), count)
        released[category] = of
    if not any(ran[category] < released[category] for category in ran):
        return ""
    counts = f"{sum(ran.values()):,} of {sum(released.values()):,} entries"
    config = run.config
    if config is not None and config.entry_ids is not None:
        return f"Selection: {counts}, by their ids"
    if config is None or config.sample is None:
        return f"Sample: {counts}"
    return f"Sample: {counts}{config.sample.division}, seed {config.seed}"
