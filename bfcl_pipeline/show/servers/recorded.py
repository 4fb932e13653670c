"""The answers of a run step by step: what a server made of each, and what the model wrote, if recorded.

vLLM states the tokens that the model wrote. Of other servers, all that is known of an answer is what they
returned as text.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bfcl_pipeline.ask.jobs.captured import Decode, Written, written_steps
from bfcl_pipeline.base.errors import ConfigError, TableError
from bfcl_pipeline.base.text import loaded_json, unknown_name
from bfcl_pipeline.benchmark.config import model_folder
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Entry, Json, Mode, Response, Rules, Status, Verdict
from bfcl_pipeline.benchmark.tables import entries_path, read_entries, read_responses
from bfcl_pipeline.dialogue.prompts import WireFormat, fc_request, tool_schemas
from bfcl_pipeline.judge.scoring import Judge
from bfcl_pipeline.runs.run import Run


@dataclass(frozen=True, slots=True)
class ServedStep:
    """One answer of a model."""

    result: Json  # what the server made of it, in the official form
    written: Written  # without tokens: the text that the server returned


@dataclass(frozen=True, slots=True)
class ServedAnswer:
    """One answered entry of a run."""

    entry: Entry
    response: Response
    steps: tuple[ServedStep, ...]
    tools: tuple[Json, ...]  # that were offered at any turn


def chosen_models(run: Run, names: Sequence[str]) -> list[str]:
    """The named models of a run, without names all. Raises ConfigError for a name that it lacks."""
    for name in names:
        if name not in run.models:
            raise ConfigError(unknown_name("model", name, run.models))
    return list(names or run.models)


def recorded_answers(run: Run, model: str, decode: Decode | None = None) -> Iterator[ServedAnswer]:
    """The answers of a model in mode fc. decode: of its tokens; None: they are not looked for.

    Raises TableError if the staged release lacks an entry.
    """
    written = {} if decode is None else written_steps(run, model, decode)
    for path in sorted((run.folder / "responses" / model_folder(model)).glob("*.parquet")):
        entries = {entry.entry_id: entry for entry in read_entries(entries_path(run.data, path.stem))}
        for response in read_responses(path):
            if response.status is Status.ANSWERED and response.mode is Mode.FC:
                entry = entries.get(response.entry_id)
                if entry is None:
                    raise TableError(f"{path}: {response.entry_id} is not in the staged release.")
                yield answer_of(entry, response, written.get(entry.entry_id, ()))


def answer_of(entry: Entry, response: Response, written: Sequence[Written] = ()) -> ServedAnswer:
    """An answer step by step. written: what the model wrote in each step; empty: it is not recorded."""
    results = [step for turn in _turns(entry, response) if isinstance(turn, list) for step in turn]
    if len(written) != len(results):
        written = [Written()] * len(results)
    steps = (
        ServedStep(
            each, one if one.tokens and one.text else Written(text=each if isinstance(each, str) else "")
        )
        for each, one in zip(results, written, strict=True)
    )
    later = [doc for docs in entry.held_out.values() for doc in docs]
    tools = (*fc_request(entry).tools, *tool_schemas(later, WireFormat.OPENAI_CHAT))
    return ServedAnswer(entry, response, tuple(steps), tools)


def judged(
    answer: ServedAnswer, judge: Judge, rules: Sequence[Rules], others: Mapping[int, Json] | None = None
) -> list[Verdict]:
    """The verdicts on an answer by each of `rules`. others: instead of the results of steps, from 0."""
    response, text = answer.response, answer.response.result_json
    if others:
        numbers = iter(range(len(answer.steps)))
        turns = [
            [others.get(next(numbers), step) for step in turn] if isinstance(turn, list) else turn
            for turn in _turns(answer.entry, response)
        ]
        text = json.dumps(turns[0][0] if CATEGORIES[response.category].single_turn else turns)
    return judge.answer_verdicts(text, response.mode, response.name_style, rules)


def _turns(entry: Entry, response: Response) -> list[Json]:
    """The results of the steps of each turn."""
    result = loaded_json(response.result_json)
    if CATEGORIES[entry.category].single_turn:
        return [[result]]
    return result if isinstance(result, list) else []
