"""What a model is sent over one entry: its first request, or one of a recorded conversation.

A recorded conversation is replayed from the model's journal. Nothing is sent. Also what differs between the
prompt of a family and what a server's chat template makes of the same entry, in first requests:
both are texts that the model receives, so the difference is known before anything is asked.
"""

import difflib
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path

from bfcl_pipeline.ask.generation import Adapter, ChatAsking, conversation
from bfcl_pipeline.ask.generation.backends import ReplayedRequest
from bfcl_pipeline.ask.jobs.captured import capture, replay_job
from bfcl_pipeline.ask.models import build_adapter, build_derived, build_model
from bfcl_pipeline.base.errors import ConfigError, TableError
from bfcl_pipeline.base.text import Log, text_table
from bfcl_pipeline.benchmark.config import KINDS, ModelRow, load_models, model_folder, model_row, trial_of
from bfcl_pipeline.benchmark.config.families import is_own, way_of_asking
from bfcl_pipeline.benchmark.definition import CATEGORIES, V4_CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Entry, Json, Request, Status
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.dialogue.prompts import WireFormat, messages_for
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.entry.entry_page import find_entry
from bfcl_pipeline.show.playback.conditions import Conditions, default_conditions, read_conditions
from bfcl_pipeline.show.transcripts.entry import has_memory
from bfcl_pipeline.world.web.presented import present_entry


def first_request(
    data: Path, cache: Path, models: list[Path] | None, entry_id: str, model: str, log: Log
) -> str:
    """The first request to a model as a run would send it now, as text; a memory is empty.

    models: models files; None: those of this folder. Raises ConfigError if there is no such entry or model,
    or the model is sent nothing.
    """
    row = model_row(load_models(models), model)
    _log_own_family(row, log)
    return FirstRequests(row, default_conditions(data, cache), log).text(find_entry(data, entry_id))


def recorded_request(run: Run, entry_id: str, model: str, step: int, log: Log) -> str:
    """Request number `step`, from 1, of the conversation over an entry in a run, as text.

    Args:
        run: whose models, release and web are meant.
        entry_id: as of `find_entry`.
        model: in the run, with the number of a later trial.
        step: counts the requests of all turns.
        log: receives a remark on an empty memory, and on a family that the leaderboard does not have.

    Raises:
        ConfigError: there is no such entry or model, or it was sent fewer requests.
        TableError: the request cannot be made again: an answer or a result before it is not recorded.
    """
    entry, row = find_entry(run.data, entry_id), model_row(run.rows, trial_of(model).model)
    _log_own_family(row, log)
    if KINDS[row.kind].embedded and step > 1:
        raise ConfigError(f"{row.name} is embedded: it has no journal, from which requests are made again.")
    if KINDS[row.kind].embedded or row.recorded:
        return FirstRequests(row, read_conditions(run), log).text(entry)
    requests: list[Request] = []

    def received(one: ReplayedRequest) -> None:
        if one.entry.entry_id == entry.entry_id:
            requests.append(one.request)

    adapter, folder = build_derived(row, run, model_folder(model)), model_folder(model)
    completed = capture(replay_job(run, folder), received, {entry.entry_id}, adapter)
    response = next(one.response for one in completed if one.entry.entry_id == entry.entry_id)
    if len(requests) >= step:
        return _text(requests[step - 1], adapter)
    if response.status is not Status.ANSWERED:
        raise TableError(
            f"{entry.entry_id}: only the first {len(requests)} requests can be made again: "
            f"{response.status_detail}"
        )
    raise ConfigError(
        f"{entry.entry_id}: its last request is number {len(requests)}: --step {step} is too large."
    )


class FirstRequests:
    """What a model is sent first over entries, under the conditions of a run or the usual ones."""

    def __init__(self, row: ModelRow, conditions: Conditions, log: Log) -> None:
        """Raises ConfigError if the model is sent nothing."""
        if row.recorded:
            raise ConfigError(f"{row.name}: its answers are read from results; nothing is sent.")
        self._adapter = None if KINDS[row.kind].embedded else build_adapter(row, offline=True)
        self._asking = ChatAsking(build_model(row).mode) if self._adapter is None else self._adapter.asking
        self._conditions, self._texts, self._log = conditions, read_texts(conditions.data), log

    def request(self, entry: Entry) -> Request:
        """The first request; a memory is empty."""
        if has_memory(entry):
            self._log("The memory is empty here; in a run, it has what the model stored before.")
        web = self._conditions.web
        world = self._conditions.world(entry, None, web.mode, None).world
        return next(conversation(present_entry(entry, web), self._asking, self._texts, world))

    def text(self, entry: Entry) -> str:
        """As it is sent."""
        return _text(self.request(entry), self._adapter)


def _log_own_family(row: ModelRow, log: Log) -> None:
    """Says that the leaderboard does not send this prompt, if its family is one of our own."""
    if is_own(row.family):
        log(f"{row.name}: {way_of_asking(row.family, row.mode)}.")


def _text(request: Request, adapter: Adapter | None) -> str:
    """A request as it is sent: the prompt, or the body in JSON; without an adapter, messages and tools."""
    if request.prompt is not None:
        return request.prompt
    if adapter is None:
        body: Json = {"messages": list(request.messages), "tools": list(request.tools)}
    else:
        body = adapter.body(request)
    return json.dumps(body, indent=2, ensure_ascii=False)


TemplateOfServer = Callable[[Sequence[Json], Sequence[Json]], str]
"""What a server's chat template makes of messages and tools, with the beginning of an answer."""


class PromptPart(StrEnum):
    """What two prompts may differ in."""

    START = "mark at the beginning"  # which a server adds to a completion, too
    FUNCTIONS = "functions: other content"
    FORM = "functions: the same JSON written otherwise"
    DATE = "date"
    SPACE = "white space"
    BEFORE = "text before the question"
    QUESTION = "the question itself"
    AFTER = "text after the question"


_START = re.compile(
    r"\A\s*(?:<s>|<bos>|<\|(?:begin_of_text|startoftext)\|>|<\uff5cbegin\u2581of\u2581sentence\uff5c>)"
)
_DATE = re.compile(r"\d{1,2} [A-Z][a-z]{2,8} \d{4}|[A-Z][a-z]{2,8} \d{1,2}, \d{4}|\d{4}-\d\d-\d\d")
_SAME = "the same prompt"
_DECODER = json.JSONDecoder()


def differences(prompt: str, of_server: str, question: str) -> list[PromptPart]:
    """In what two prompts with the same question differ; nothing if they are equal."""
    texts = [_START.sub("", text) for text in (prompt, of_server)]
    same_start = prompt.removesuffix(texts[0]) == of_server.removesuffix(texts[1])
    found = set[PromptPart]() if same_start else {PromptPart.START}
    places = [text.rfind(question) for text in texts]
    if min(places) < 0:
        return [*found, PromptPart.QUESTION]
    parts = [_without_functions(text[:place]) for text, place in zip(texts, places, strict=True)]
    (before, of_before), functions = [rest for rest, _ in parts], [found for _, found in parts]
    after, of_after = (text[place + len(question) :] for text, place in zip(texts, places, strict=True))
    if functions[0] != functions[1]:
        sorted_keys = [[json.dumps(json.loads(one), sort_keys=True) for one in each] for each in functions]
        found.add(PromptPart.FORM if sorted_keys[0] == sorted_keys[1] else PromptPart.FUNCTIONS)
    for kind, *pair in ((PromptPart.BEFORE, before, of_before), (PromptPart.AFTER, after, of_after)):
        if pair[0] != pair[1]:
            first, second = (_DATE.sub("", text) for text in pair)
            other = PromptPart.SPACE if first.split() == second.split() else kind
            found.add(PromptPart.DATE if first == second else other)
    return [kind for kind in PromptPart if kind in found]


def _without_functions(text: str) -> tuple[str, list[str]]:
    """A text without the function docs that stand in it as JSON, and these as they are written."""
    rest, functions, start = "", list[str](), 0
    while (place := text.find("{", start)) >= 0:
        end = place + 1
        try:
            value, found = _DECODER.raw_decode(text, place)
            if "function" in value or "parameters" in value:
                functions.append(text[place:found])
                rest, start, end = rest + text[start:place], found, found
        except (ValueError, RecursionError):
            pass
        rest, start = rest + text[start:end], end
    return rest + text[start:], functions


def prompt_lines(
    data: Path,
    cache: Path,
    model: ModelRow,
    server: ModelRow,
    template: TemplateOfServer,
    entry_id: str | None,
    log: Log,
) -> Iterator[str]:
    """What differs over one entry, line by line; over all entries that are asked with tools, how often.

    Args:
        model: is sent prompts of its family.
        server: is sent messages and tools, of which `template` makes the prompt.
        entry_id: the entry; None: all.

    Raises ConfigError if a row is of the other kind, TableError if the release is not staged.
    """
    conditions = default_conditions(data, cache)
    told = log if entry_id else lambda _line: None
    asked = [FirstRequests(row, conditions, told) for row in (model, server)]
    names = [name for name in V4_CATEGORIES if CATEGORIES[name].check is not Check.FORMAT_SENSITIVITY]
    each = (entry for name in names for entry in read_entries(entries_path(data, name)))
    counts: dict[str, list[str]] = defaultdict(list)
    for entry in [find_entry(data, entry_id)] if entry_id else each:
        ours, theirs = (one.request(entry) for one in asked)
        if ours.prompt is None or theirs.prompt is not None:
            raise ConfigError(
                f"{model.name} must be sent prompts (`family`), {server.name} chats (`prompting: server`)."
            )
        of_server = template(messages_for(WireFormat.OPENAI_CHAT, theirs.messages).messages, theirs.tools)
        kinds = differences(ours.prompt, of_server, str(theirs.messages[-1]["content"]).strip())
        if entry_id:
            yield f"{entry.entry_id}: {', '.join(kinds) or _SAME}"
            first, second = ours.prompt.splitlines(), of_server.splitlines()
            yield from difflib.unified_diff(first, second, model.name, server.name, n=1, lineterm="")
        for kind in (*kinds,) or (_SAME,):
            counts[kind].append(entry.entry_id)
    if not entry_id:
        order: list[str] = [_SAME, *PromptPart]
        rows = [[kind, str(len(counts[kind])), counts[kind][0]] for kind in order if kind in counts]
        yield text_table(["difference", "entries", "first entry"], rows, right={1})
