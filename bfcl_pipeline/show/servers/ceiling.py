"""The score that a perfect model reaches through a server: nothing is generated, everything is judged.

The oracle's answers are written by the server's chat template, cut out as the text that a model would have
to write, and read back by the server's parsers, at once and in pieces. Conversations go on with what the
server has read. Covers the categories that are asked with tools and without a web.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from bfcl_pipeline.ask.generation import Responder
from bfcl_pipeline.ask.generation.backends import LocalBackend
from bfcl_pipeline.ask.jobs.captured import Written
from bfcl_pipeline.ask.jobs.worlds import prepare
from bfcl_pipeline.ask.models.oracle import Oracle
from bfcl_pipeline.base.text import Log
from bfcl_pipeline.benchmark.config import ModelRow, Selection, load_models, model_row
from bfcl_pipeline.benchmark.config.job import Job, JobPaths, WebChoice
from bfcl_pipeline.benchmark.definition import CATEGORIES, V4_CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Entry, Exchange, Json, Request, Response, Rules, Status
from bfcl_pipeline.dialogue.release_texts import read_constants
from bfcl_pipeline.judge.scoring import judge
from bfcl_pipeline.show.servers.losses import Loss, ReadAnswer, shrink, through
from bfcl_pipeline.show.servers.reading import ParsingServer, ServerReading

ORACLE = "oracle-FC"
"""The name of the row of the perfect model, which is offered tools."""

CEILING_CATEGORIES = tuple(
    name
    for name in V4_CATEGORIES
    if CATEGORIES[name].check not in (Check.WEB_SEARCH, Check.FORMAT_SENSITIVITY)
)
"""The categories that are asked with tools and need no web."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What a perfect model reaches in one category, its answers read in one way."""

    category: str
    piece: int  # tokens in a piece; 0: the whole answer at once
    entries: int  # with a verdict
    possible: int  # of these, passed by a perfect model without a server
    reached: int  # of these, passed through the server
    lost: Mapping[Loss, int]  # of the possible ones that are not reached, by the first change
    changed: Mapping[Loss, int]  # entries that pass though an answer is read otherwise, by the first change


@dataclass(frozen=True, slots=True)
class Ceiling:
    """What a perfect model reaches through one server."""

    version: str  # of the server's program
    rules: Rules
    reaches: Sequence[Reach]  # by piece, then category
    examples: Mapping[Loss, ReadAnswer]  # a short answer of each class, of the first way that has one

    def shrunk(self, server: ParsingServer) -> "Ceiling":
        """With examples as small as they can be made; each costs some hundred answers of the server."""
        examples = {loss: shrink(server, example) for loss, example in self.examples.items()}
        return replace(self, examples=examples)


class ThroughServer(Oracle):
    """The oracle, whose answers a server writes and reads."""

    def __init__(self, row: ModelRow, server: ParsingServer, piece: int) -> None:
        super().__init__(row)
        self._server, self._piece = server, piece
        self.answers: dict[str, list[ReadAnswer]] = {}  # by entry, in order

    def responder(self, entry: Entry) -> Responder:
        """Answers as the server reads the oracle's answers."""
        respond = super().responder(entry)
        answers = self.answers[entry.entry_id] = []

        def answered(request: Request) -> Exchange:
            result = respond(request).result
            calls = (
                tuple(item for call in result for item in call.items()) if isinstance(result, list) else ()
            )
            meant = ServerReading(calls, None if calls else result)
            answers.append(through(self._server, request.messages, request.tools, meant, self._piece))
            return Exchange(request, answers[-1].reading.result)

        return answered


class _AskedOnce:
    """A ParsingServer that writes and reads each answer once, and remembers it."""

    def __init__(self, server: ParsingServer) -> None:
        self.version, self.prompt = server.version, server.prompt
        self._server = server
        self._known: dict[bytes, Any] = {}

    def write(self, messages: Sequence[Json], tools: Sequence[Json]) -> Written:
        """As the server does."""
        written: Written = self._once(self._server.write, messages, tools)
        return written

    def read(self, written: Written, tools: Sequence[Json], piece: int) -> ServerReading:
        """As the server does."""
        reading: ServerReading = self._once(self._server.read, written, tools, piece)
        return reading

    def _once(self, ask: Callable[..., Any], *given: Any) -> Any:
        key = sha256(repr((ask.__name__, given)).encode()).digest()
        if key not in self._known:
            self._known[key] = ask(*given)
        return self._known[key]


@dataclass
class Measured:
    """The entries with which servers are measured, and the oracle's verdicts on them without a server."""

    data: Path
    categories: Sequence[str]
    rules: Rules
    sample: int | None = None  # entries of each category; None: all
    cache: Path = Path("cache")

    def __post_init__(self) -> None:
        self._entries = {entry.entry_id: entry for entry in prepare(self._job()).entries}
        self._possible = self._verdicts(Oracle(self._job().row))

    def measure(self, server: ParsingServer, pieces: Sequence[int], log: Log) -> Ceiling:
        """What a perfect model reaches. log: receives a line for each way of reading."""
        reaches: list[Reach] = []
        examples: dict[Loss, ReadAnswer] = {}
        asked = _AskedOnce(server)
        for piece in pieces:
            model = ThroughServer(self._job().row, asked, piece)
            valid, first = self._verdicts(model), dict[str, Loss]()
            for entry_id, answers in model.answers.items():
                for answer in answers:
                    if (loss := answer.loss) is None:
                        continue
                    first.setdefault(entry_id, loss)
                    known = examples.setdefault(loss, answer)
                    if known.piece == piece and len(answer.written.text) < len(known.written.text):
                        examples[loss] = answer
            reaches += self._reaches(piece, valid, first)
            log(f"read {'at once' if not piece else f'in pieces of {piece}'}")
        return Ceiling(server.version, self.rules, reaches, examples)

    def _job(self) -> Job:
        sampled = {} if self.sample is None else dict.fromkeys(self.categories, self.sample)
        return Job(
            row=model_row(load_models(), ORACLE),
            categories=tuple(self.categories),
            run="ceiling",
            selection=Selection(sample=sampled),
            web=WebChoice(mode="off"),
            paths=JobPaths(data=self.data, encoder_cache=self.cache / "encoder"),
        )

    def _verdicts(self, model: Oracle) -> dict[str, bool]:
        """Whether each answer of a model is valid, by entry id; entries with a verdict only."""
        conversations = prepare(self._job())
        completed = asyncio.run(conversations.run(LocalBackend(model, conversations.entries)))
        constants = read_constants(self.data)
        verdicts = {}
        for one in completed:
            if not one.entry.prerequisite:
                verdict = judge(one.entry, _answered(one.response), self.rules, constants)
                if verdict.valid is not None:
                    verdicts[one.entry.entry_id] = verdict.valid
        return verdicts

    def _reaches(
        self, piece: int, valid: Mapping[str, bool], changes: Mapping[str, Loss]
    ) -> Iterator[Reach]:
        """changes: the first loss of each entry that has any."""
        for category in self.categories:
            ids = [entry_id for entry_id in valid if self._entries[entry_id].category == category]
            possible = [entry_id for entry_id in ids if self._possible.get(entry_id)]
            first = {entry_id: self._first(entry_id, changes) for entry_id in possible}
            yield Reach(
                category=category,
                piece=piece,
                entries=len(ids),
                possible=len(possible),
                reached=sum(valid[entry_id] for entry_id in possible),
                lost=_counted(first[entry_id] for entry_id in possible if not valid[entry_id]),
                changed=_counted(first[entry_id] for entry_id in possible if valid[entry_id]),
            )

    def _first(self, entry_id: str, changes: Mapping[str, Loss]) -> Loss | None:
        """The first loss of an entry, or of the sessions before it."""
        chain = (*self._entries[entry_id].depends_on, entry_id)
        return next((changes[one] for one in chain if one in changes), None)


def _counted(losses: Iterable[Loss | None]) -> dict[Loss, int]:
    counts = Counter(loss for loss in losses if loss is not None)
    return {loss: counts[loss] for loss in Loss if counts[loss]}


def _answered(response: Response) -> Response:
    """A response that is judged in any case: what the machinery could not do is no answer."""
    if response.status is Status.ANSWERED:
        return response
    return replace(response, status=Status.ANSWERED, result_json='""')
