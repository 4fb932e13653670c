"""What an import read of each model, and what it did not read, as lines for a person."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.ask.results.result_files import FoundResults, NotRead, ResultFile
from bfcl_pipeline.base.text import line_of, plural, text_table
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Mode, NameStyle, Response, Status
from bfcl_pipeline.judge.scoring.judge import default_style
from bfcl_pipeline.judge.scoring.unread_calls import INFERENCE_ERROR

_NUMBER = re.compile(r"\d{4,}|\d+\.\d+")
_REASON = re.compile(r"[^\n.]{1,80}")

_REPLACED = re.compile(r"[-./:]")
"""What the official tool replaces by underscores where it makes Python names of a model's name."""


@dataclass(frozen=True, slots=True)
class ResultTable:
    """The responses in one file of results."""

    file: ResultFile
    model: str  # its name
    responses: Sequence[Response]  # in entry order


@dataclass(frozen=True, slots=True)
class ModelRead:
    """What was read of one model."""

    folder: str
    mode: Mode
    name_style: NameStyle | None  # None: the default of the mode
    source: str  # what mode and style are known from
    tables: Sequence[ResultTable]  # of each file
    not_read: Sequence[NotRead]


def summary(what: Path, found: FoundResults, read: Sequence[ModelRead]) -> list[str]:
    """The number of responses of each model; what was not read; why entries have no answer."""
    files = [table for model in read for table in model.tables if not table.file.sessions]
    responses = [response for table in files for response in table.responses]
    failed = [response for response in responses if response.status is not Status.ANSWERED]
    sessions = len(found.files) - len(files)
    lines = [
        f"{what}: {plural(len(responses), 'response', 'responses')} of "
        f"{plural(len(read), 'model', 'models')} from {plural(len(files), 'file', 'files')}; "
        f"without an answer that can be scored: {len(failed):,}",
        *text_table(_COLUMNS, [_row(model) for model in read]).splitlines(),
    ]
    if sessions:
        lines.append(f"{plural(sessions, 'file', 'files')} of memory sessions (never scored)")
    return [*lines, *_unanswered(failed), *import_notes(found, read)]


def import_notes(found: FoundResults, read: Iterable[ModelRead]) -> list[str]:
    """What was not read, and models whose official verdicts on conversations mean nothing."""
    read = list(read)
    not_read = not_read_lines([*found.not_read, *(each for model in read for each in model.not_read)])
    lines = [f"Not read: {line}" for line in not_read]
    for model in read:
        checks = {CATEGORIES[table.file.category].check for table in model.tables}
        if Check.MULTI_TURN in checks and not is_python_name(model.folder):
            lines.append(
                f"{model.folder}: with this name no multi-turn call runs in the official tool, so its "
                "verdicts on multi-turn entries are not comparable with these (docs/fidelity.md)"
            )
    return lines


_COLUMNS = ("model", "mode", "names", "known from", "files", "responses", "no answer", "not read")


def _row(model: ModelRead) -> list[str]:
    tables = [table for table in model.tables if not table.file.sessions]
    responses = [response for table in tables for response in table.responses]
    failed = sum(response.status is not Status.ANSWERED for response in responses)
    style = model.name_style or default_style(model.mode)
    counts = (len(tables), len(responses), failed, len(model.not_read))
    return [line_of(model.folder), model.mode, style, model.source, *(f"{count:,}" for count in counts)]


def not_read_lines(not_read: Iterable[NotRead]) -> list[str]:
    """One line for each file and reason, with the first place and the number of the others."""
    found: dict[tuple[Path, str], list[NotRead]] = {}
    for each in not_read:
        found.setdefault((each.path, each.reason), []).append(each)
    lines = []
    for (path, reason), (first, *others) in found.items():
        place = path if first.line is None else f"{path}:{first.line}"
        more = f" (and {plural(len(others), 'more line', 'more lines')})" if others else ""
        lines.append(line_of(": ".join(filter(None, (str(place), reason, first.detail))) + more))
    return lines


def _unanswered(failed: Iterable[Response]) -> list[str]:
    """One line for each reason why entries have no answer, with the first of them."""
    found: dict[str, list[Response]] = {}
    for response in failed:
        match = _REASON.search(_NUMBER.sub("N", _detail(response)))
        found.setdefault(match[0].strip() if match else response.status, []).append(response)
    return [
        line_of(
            f"No answer: {reason}: {len(each):,} (first {each[0].entry_id} of {each[0].model}: "
            f"{_detail(each[0])})",
            300,
        )
        for reason, each in sorted(found.items(), key=lambda item: -len(item[1]))
    ]


def _detail(response: Response) -> str:
    return (response.status_detail or "").removeprefix(INFERENCE_ERROR).strip()


def is_python_name(folder: str) -> bool:
    """Whether the official tool can run calls under the name that it makes of a model's folder."""
    name = _REPLACED.sub("_", folder)
    return name.isidentifier() and unicodedata.normalize("NFKC", name) == name
