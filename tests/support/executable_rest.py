"""Compares verdicts on the category rest with published official ones, given as a table.

The table has the columns model, mode, entry_id, result (JSON), result_type, decoded (JSON: texts of calls;
null if the official decoder failed), official_valid and official_error_type, and rows of other categories,
which are left out. Its keys are masked; here the masks become placeholders again.
"""

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from bfcl_pipeline.errors import NotRecorded
from bfcl_pipeline.executables import ApiAnswer, ApiRequest, Apis, ExecutionFailed, NoApis, api_request
from bfcl_pipeline.records import Call, DecodeFailure, Entry, Json, Mode, NameStyle, Rules
from bfcl_pipeline.scoring.findings import Outcome
from bfcl_pipeline.scoring.rest import RestChecker

_MASK = re.compile(r"(?<!YOUR-)\b(RAPID|EXCHANGERATE|OMDB|GEOCODE)-API-KEY")
_PLACEHOLDER = re.compile(r"YOUR-\w+-API-KEY")
_EXECUTION = "executable_checker_rest:execution_error"


@dataclass(frozen=True)
class Answer:
    """One published answer and its official verdict."""

    model: str
    entry: Entry
    official: str | None  # error type; None: valid
    calls: tuple[Call, ...] | DecodeFailure  # as the official code decoded them
    native: Json = None  # the native list; None if the model answered with text

    @property
    def name(self) -> str:
        """Model and entry."""
        return f"{self.model} {self.entry.entry_id}"


@dataclass
class Figure:
    """How many verdicts of one kind agree."""

    what: str
    agree: int = 0
    total: int = 0
    others: list[str] = field(default_factory=list)  # model, entry and verdict where they do not agree

    def count(self, answer: Answer, outcome: Outcome) -> None:
        """Counts one verdict."""
        self.total += 1
        if _is(outcome, answer.official):
            self.agree += 1
        else:
            self.others.append(f"{answer.name}: {answer.official}, here {_shown(outcome)}")


def read_answers(table: pl.DataFrame, entries: Iterable[Entry]) -> list[Answer]:
    """The answers to entries of the category rest."""
    by_id = {entry.entry_id: entry for entry in entries}
    return [
        Answer(
            row["model"],
            entry := by_id[row["entry_id"]],
            row["official_error_type"],
            _calls(row["decoded"], entry),
            json.loads(_unmasked(row["result"], entry)) if row["result_type"] == "list" else None,
        )
        for row in table.filter(pl.col("category") == "rest").iter_rows(named=True)
    ]


def figures(table: pl.DataFrame, entries: Iterable[Entry]) -> list[Figure]:
    """The agreement by kind: without any answer of an API, and with a record made from half of the models."""
    answers = read_answers(table, entries)
    refused = Figure("rest: decoding, format, what requests refuses")
    reference = Figure("rest: the reference request")
    other = Figure("rest: another request has no verdict without its answer")
    native = Figure("rest: native lists, decoded here: same outcome as with the official decoding")
    for answer in answers:
        outcome = _outcome(answer, NoApis())
        if outcome.not_recorded is not None:
            other.agree += 1
            other.total += 1
        else:
            (reference if outcome.finding is None else refused).count(answer, outcome)
        if answer.native is not None:
            checker = RestChecker(answer.entry, NoApis())
            [decoded] = checker.check(answer.native, Mode.FC, NameStyle.UNDERSCORED, (Rules.OFFICIAL,))
            native.total += 1
            native.agree += _shown(decoded) == _shown(outcome)
            if _shown(decoded) != _shown(outcome):
                native.others.append(f"{answer.name}: {_shown(decoded)}, here {_shown(outcome)}")
    return [refused, reference, other, _by_record(answers), native]


def _by_record(answers: Sequence[Answer]) -> Figure:
    """The agreement of every second model by a record of what the verdicts of the others imply."""
    models = sorted({answer.model for answer in answers})
    recorded: dict[str, dict[ApiRequest, ApiAnswer]] = {}
    for answer in answers:
        if answer.model in models[::2]:
            recorded.setdefault(answer.entry.entry_id, {}).update(_implied(answer))
    figure = Figure("rest: requests of every second model, by the verdicts of the others")
    for answer in answers:
        if answer.model in models[1::2] and _outcome(answer, NoApis()).not_recorded is not None:
            outcome = _outcome(answer, _Recorded(recorded.get(answer.entry.entry_id, {})))
            if outcome.not_recorded is None:
                figure.count(answer, outcome)
    return figure


class _Recorded:
    """An `Apis` of given answers."""

    def __init__(self, answers: Mapping[ApiRequest, ApiAnswer]) -> None:
        self._answers = answers

    def get(self, request: ApiRequest) -> ApiAnswer:
        if request not in self._answers:
            raise NotRecorded(request.url)
        return self._answers[request]


def _implied(answer: Answer) -> Iterator[tuple[ApiRequest, ApiAnswer]]:
    """The request of `answer` with an answer of the API that has the official verdict."""
    if isinstance(answer.calls, DecodeFailure) or len(answer.calls) != 1 or answer.official == _EXECUTION:
        return
    response = answer.entry.truth["response"]
    items = response if isinstance(response, list) else []
    body = {
        None: response,
        "executable_checker_rest:wrong_type": "text",
        "executable_checker_rest:wrong_key": [{} for _ in items] if items else {},
        "value_error:exec_result_rest_count": [*items, {}],
    }
    try:
        request = api_request(answer.calls[0].arguments)
    except (ExecutionFailed, NotRecorded):
        return
    if answer.official in body:
        yield request, ApiAnswer(200, json.dumps(body[answer.official]))
    elif answer.official == "executable_checker_rest:response_format_error":
        yield request, ApiAnswer(200, "<html>")
    elif answer.official == "executable_checker_rest:wrong_status_code":
        yield request, ApiAnswer(404, "")


def _outcome(answer: Answer, apis: Apis) -> Outcome:
    return RestChecker(answer.entry, apis).check_calls(answer.calls, Rules.OFFICIAL)


def _is(outcome: Outcome, official: str | None) -> bool:
    return _shown(outcome) == (official or "valid")


def _shown(outcome: Outcome) -> str:
    if outcome.not_recorded is not None:
        return "not recorded"
    return "valid" if outcome.finding is None else outcome.finding.error_type


def _calls(decoded: str | None, entry: Entry) -> tuple[Call, ...] | DecodeFailure:
    if decoded is None:
        return DecodeFailure("ast_decoder:decoder_failed", "officially not decoded")
    return tuple(_read_call(text) for text in json.loads(_unmasked(decoded, entry)))


def _read_call(text: str) -> Call:
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call) and not call.args
    arguments = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
    return Call(ast.unparse(call.func), arguments)


def _unmasked(text: str, entry: Entry) -> str:
    """`text` with the placeholder of the entry's API in the place of masked keys."""
    placeholder = _PLACEHOLDER.search(entry.truth["request"])
    text = _MASK.sub(r"YOUR-\1-API-KEY", text)
    return text.replace("MASKED-KEY", placeholder[0]) if placeholder else text
