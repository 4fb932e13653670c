"""The answers of a run step by step: what a server made of each, and what the model wrote, if recorded.

A server states the tokens that the model wrote if requests ask for them: `return_token_ids: true` among the
options of a row that vLLM serves. Else all that is known of an answer is what the server returned as text.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.ask.generation.backends import ReplayedRequest
from bfcl_pipeline.ask.jobs.captured import capture, replay_job
from bfcl_pipeline.base.errors import ArchiveError, ConfigError, TableError
from bfcl_pipeline.base.text import loaded_json
from bfcl_pipeline.benchmark.config import model_folder
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Entry, Json, Mode, Response, Status
from bfcl_pipeline.benchmark.tables import entries_path, read_entries, read_responses
from bfcl_pipeline.dialogue.prompts import WireFormat, fc_request, tool_schemas
from bfcl_pipeline.runs.run import Run

Decode = Callable[[Sequence[int]], str]
"""The text of tokens, with special tokens."""


@dataclass(frozen=True, slots=True)
class ServedStep:
    """One answer of a model."""

    result: Json  # what the server made of it, in the official form
    text: str  # what the model wrote; if that is not recorded, what the server returned as text
    tokens: tuple[int, ...] = ()  # the same; empty if they are not recorded

    @property
    def recorded(self) -> bool:
        """Whether `text` is what the model wrote."""
        return bool(self.tokens)


@dataclass(frozen=True, slots=True)
class ServedAnswer:
    """One answered entry of a run."""

    entry: Entry
    response: Response
    result: Json  # of the response, parsed
    steps: tuple[ServedStep, ...]
    tools: tuple[Json, ...]  # that were offered at any turn


def tokenizer_of(folder: Path) -> Decode:
    """Decodes tokens of the tokenizer in a folder. Raises ConfigError if there is none."""
    from tokenizers import Tokenizer

    path = folder / "tokenizer.json"
    if not path.is_file():
        raise ConfigError(f"{path}: no such file; name the folder of the model's tokenizer.")
    tokenizer = Tokenizer.from_file(str(path))
    return lambda tokens: str(tokenizer.decode(list(tokens), skip_special_tokens=False))


def recorded_answers(run: Run, model: str, decode: Decode | None = None) -> Iterator[ServedAnswer]:
    """The answers of a model in mode fc. decode: of its tokens; None: they are not looked for.

    Raises TableError if the staged release lacks an entry.
    """
    written = {} if decode is None else _tokens(run, model)
    for path in sorted((run.folder / "responses" / model_folder(model)).glob("*.parquet")):
        entries = {entry.entry_id: entry for entry in read_entries(entries_path(run.data, path.stem))}
        for response in read_responses(path):
            if response.status is Status.ANSWERED and response.mode is Mode.FC:
                entry = entries.get(response.entry_id)
                if entry is None:
                    raise TableError(f"{path}: {response.entry_id} is not in the staged release.")
                yield answer_of(entry, response, written.get(entry.entry_id, ()), decode)


def answer_of(
    entry: Entry, response: Response, tokens: Sequence[tuple[int, ...]] = (), decode: Decode | None = None
) -> ServedAnswer:
    """An answer step by step. tokens: that the model wrote in each step; empty: they are not recorded."""
    result = loaded_json(response.result_json)
    results = list(_flat(result, entry))
    if len(tokens) != len(results) or decode is None:
        tokens = [()] * len(results)
    steps = (
        ServedStep(each, decode(ids) if decode and ids else _text(each), ids)
        for each, ids in zip(results, tokens, strict=True)
    )
    later = [doc for docs in entry.held_out.values() for doc in docs]
    tools = (*fc_request(entry).tools, *tool_schemas(later, WireFormat.OPENAI_CHAT))
    return ServedAnswer(entry, response, result, tuple(steps), tools)


def replaced(answer: ServedAnswer, results: Mapping[int, Json]) -> Json:
    """The result with other results of some steps, by number from 0."""
    if CATEGORIES[answer.entry.category].single_turn:
        return results.get(0, answer.result)
    numbers = iter(range(len(answer.steps)))
    return [
        [results.get(next(numbers), step) for step in turn] if isinstance(turn, list) else turn
        for turn in answer.result
    ]


def _flat(result: Json, entry: Entry) -> Iterator[Json]:
    """The results of the steps of all turns."""
    if CATEGORIES[entry.category].single_turn:
        yield result
        return
    for turn in result if isinstance(result, list) else ():
        yield from turn if isinstance(turn, list) else ()


def _text(result: Json) -> str:
    """The text that the server returned in one step; empty if it read calls."""
    return result if isinstance(result, str) else ""


def _tokens(run: Run, model: str) -> dict[str, list[tuple[int, ...]]]:
    """The recorded tokens of each request by entry; none of a model without a journal."""
    found: dict[str, list[tuple[int, ...]]] = {}

    def received(request: ReplayedRequest) -> None:
        steps = found.setdefault(request.entry.entry_id, [])
        del steps[request.number - 1 :]  # of an earlier attempt
        raw = None if request.journaled is None else request.journaled.raw
        match raw:
            case {"choices": [{"token_ids": [*tokens]}, *_]}:
                steps.append(tuple(token for token in tokens if isinstance(token, int)))
            case _:
                steps.append(())

    try:
        job = replay_job(run, model_folder(model))
    except (ArchiveError, ConfigError):
        return {}
    capture(job, received)
    return found
