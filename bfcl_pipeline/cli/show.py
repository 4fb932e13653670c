"""`bfcl-pipeline show`: one entry, or what a model did on it and why it passed or failed."""

from __future__ import annotations

import argparse
import difflib
from pathlib import Path
from typing import TYPE_CHECKING

from bfcl_pipeline.cli.options import add_data, add_rules
from bfcl_pipeline.errors import ConfigError, TableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bfcl_pipeline.records import Entry, Json, Response, Rules
    from bfcl_pipeline.report.memory_view import Kept
    from bfcl_pipeline.report.sheet import Sheet
    from bfcl_pipeline.tools import Constants


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument("entry_id", metavar="ENTRY_ID", help="as in the release: multi_turn_base_12")
    parser.add_argument("--model", help="whose answer to show (default: none, the truth is played)")
    parser.add_argument(
        "--run",
        type=Path,
        default=Path("results/embedded"),
        metavar="RUN_DIR",
        dest="run_dir",
        help="has responses/ (default: results/embedded)",
    )
    add_rules(parser, "who judges")
    add_data(parser)


def run(options: argparse.Namespace) -> int:
    """Prints the page."""
    from bfcl_pipeline.report.sheet import Sheet
    from bfcl_pipeline.scoring import NO_CONSTANTS
    from bfcl_pipeline.tables.texts import read_constants

    entry = _entry(options.data, options.entry_id)
    constants = read_constants(options.data) if entry.apis else NO_CONSTANTS
    if options.model is None:
        _show_entry(Sheet(), entry, constants)
    elif entry.prerequisite:
        _show_session(Sheet(), entry, options)
    else:
        response = _response(options.run_dir, options.model, entry)
        _show_response(Sheet(), entry, response, options, constants)
    return 0


def _show_entry(sheet: Sheet, entry: Entry, constants: Constants) -> None:
    from bfcl_pipeline.report.entry_lines import is_conversation, put_head
    from bfcl_pipeline.report.single_answer import put_accepted, put_question
    from bfcl_pipeline.report.transcript import put_truth
    from bfcl_pipeline.scoring.replay import replay_truth

    put_head(sheet, entry, None)
    if is_conversation(entry):
        put_truth(sheet, entry, replay_truth(entry, constants))
    else:
        put_question(sheet, entry)
        put_accepted(sheet, entry)


def _show_response(
    sheet: Sheet, entry: Entry, response: Response, options: argparse.Namespace, constants: Constants
) -> None:
    from bfcl_pipeline.report.entry_lines import is_conversation, put_head, put_verdict
    from bfcl_pipeline.report.memory_view import has_memory, put_memory_at
    from bfcl_pipeline.report.single_answer import put_accepted, put_answer, put_question
    from bfcl_pipeline.report.transcript import put_replay, put_turns
    from bfcl_pipeline.scoring import judge
    from bfcl_pipeline.scoring.replay import replay

    rules: Rules = options.rules
    verdict = judge(entry, response, rules, constants)
    put_head(sheet, entry, f"{options.model} in {options.run_dir}")
    played = is_conversation(entry)
    if not played:
        put_question(sheet, entry)
    if has_memory(entry) and entry.depends_on:
        put_memory_at(sheet, entry, _kept(options.run_dir, options.model, entry, entry.depends_on[-1]))
    if response.result_json is None:
        if played:
            put_turns(sheet, entry)
    elif played:
        result = _result(response.result_json)
        put_replay(sheet, entry, result, replay(entry, result, response.mode, constants, rules))
    else:
        put_answer(sheet, entry, _result(response.result_json), response.mode, rules)
        put_accepted(sheet, entry)
    put_verdict(sheet, verdict, rules)


def _show_session(sheet: Sheet, entry: Entry, options: argparse.Namespace) -> None:
    from bfcl_pipeline.report.entry_lines import put_head
    from bfcl_pipeline.report.memory_view import put_session
    from bfcl_pipeline.tables import read_responses

    path = _sessions_path(options.run_dir, options.model, entry)
    # A row of a session has what a response must have; its memory is read apart.
    held = read_responses(path, {entry.entry_id}) if path.is_file() else []
    response = held[-1] if held else None
    put_head(sheet, entry, f"{options.model} in {options.run_dir}" if response else None)
    result = None if response is None or response.result_json is None else _result(response.result_json)
    kept = _kept(options.run_dir, options.model, entry, entry.entry_id)
    put_session(sheet, entry, response, result, kept, options.rules)


def _kept(run_dir: Path, model: str, entry: Entry, session_id: str) -> Kept:
    """The memory after a session of the category of `entry`. Raises TableError if the table is none."""
    from bfcl_pipeline.report.memory_view import Kept, not_recorded
    from bfcl_pipeline.tables import read_table

    path = _sessions_path(run_dir, model, entry)
    rows = read_table(path, ["entry_id", "snapshot_json"]).to_pylist() if path.is_file() else []
    texts = [row["snapshot_json"] for row in rows if row["entry_id"] == session_id]
    if not texts:
        return Kept(missing=not_recorded(path, session_id))
    return Kept(None if texts[-1] is None else _result(texts[-1]))


def _result(result_json: str) -> Json:
    """The result; a text that no reader takes, such as one of too large a number, as it is."""
    from bfcl_pipeline.calls import parse_json

    try:
        return parse_json(result_json)
    except (ValueError, RecursionError):
        return result_json


def _entry(data: Path, entry_id: str) -> Entry:
    """The entry of that id, or whose id starts with it and a colon (format_sensitivity_7).

    Raises ConfigError, with near ids, if there is none; TableError if nothing is staged.
    """
    from bfcl_pipeline.benchmark import category_of
    from bfcl_pipeline.tables import entries_path, read_entries

    known = _entry_ids(data)
    named = [one for one in known if one == entry_id or one.partition(":")[0] == entry_id]
    if named:
        return read_entries(entries_path(data, category_of(named[0])), named)[0]
    if not known:
        raise TableError(
            f"{data}/entries: no entries. Stage the benchmark first: bfcl-pipeline stage --data {data}"
        )
    near = difflib.get_close_matches(entry_id, known, n=3)
    hint = f" Near ones: {', '.join(near)}." if near else ""
    raise ConfigError(
        f"{data}/entries has no entry {entry_id!r}.{hint} Ids are those of the release, for example "
        "simple_python_3 or multi_turn_base_12."
    )


def _entry_ids(data: Path) -> list[str]:
    """The ids of all entries that are staged."""
    from bfcl_pipeline.benchmark import CATEGORIES
    from bfcl_pipeline.tables import entries_path

    paths = [entries_path(data, category) for category in CATEGORIES]
    return [entry_id for path in paths if path.is_file() for entry_id in _ids(path)]


def _response(run_dir: Path, model: str, entry: Entry) -> Response:
    """The model's response to the entry. Raises TableError, with the models that have one, if none."""
    from bfcl_pipeline.config import model_folder
    from bfcl_pipeline.tables import read_responses

    folder = model_folder(model)
    path = _responses_path(run_dir, folder, entry)
    found = read_responses(path, {entry.entry_id}) if path.is_file() else []
    if found:
        return found[-1]
    others = sorted(_answering(run_dir, entry))
    hint = (
        f"Models that have one there: {', '.join(others)}."
        if others
        else "No model has one there: choose another run (--run), or ask one (bfcl-pipeline generate)."
    )
    raise TableError(f"{path}: no response of {model!r} to {entry.entry_id}. {hint}")


def _answering(run_dir: Path, entry: Entry) -> Iterator[str]:
    """The models of a run that have a response to the entry, named as their folders are."""
    for folder in (run_dir / "responses").glob("*"):
        path = _responses_path(run_dir, folder.name, entry)
        if path.is_file() and entry.entry_id in _ids(path):
            yield folder.name


def _responses_path(run_dir: Path, folder: str, entry: Entry) -> Path:
    return run_dir / "responses" / folder / f"{entry.category}.parquet"


def _sessions_path(run_dir: Path, model: str, entry: Entry) -> Path:
    from bfcl_pipeline.config import model_folder

    return run_dir / "memory" / model_folder(model) / f"{entry.category}.parquet"


def _ids(path: Path) -> list[str]:
    """The entry ids of a table."""
    from bfcl_pipeline.tables import read_table

    return [str(entry_id) for entry_id in read_table(path, ["entry_id"]).column("entry_id").to_pylist()]
