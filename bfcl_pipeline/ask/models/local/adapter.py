"""The adapter of a model in this process: prompts of its family to bodies, texts to exchanges.

Its answers take time and are journaled like those of an API. Requests that wait are answered in batches of
at most `limits.in_flight`, one batch after the other in one thread.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bfcl_pipeline.ask.generation.conversation import Asking
from bfcl_pipeline.ask.models.adapters.completions import read_completion
from bfcl_pipeline.ask.models.adapters.response_validator import ResponseValidator
from bfcl_pipeline.ask.models.chat_template import family_asking
from bfcl_pipeline.base.errors import ModelError
from bfcl_pipeline.base.text import Log
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.records import Exchange, Json, Request

if TYPE_CHECKING:
    from bfcl_pipeline.ask.models.local.engine import LocalEngine


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request."""

    text: str
    stop_token_ids: Sequence[int] = ()  # besides the model's own
    skip_special_tokens: bool = True  # leave them out of the text
    max_tokens: int | None = None  # None: the official limit


@dataclass(frozen=True, slots=True)
class LocalAnswer:
    """What the model wrote."""

    text: str  # without the token that ended it
    finish_reason: str  # stop, or length
    input_tokens: int
    output_tokens: int
    max_tokens: int  # the limit that held


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A request and the future of its answer."""

    prompt: Prompt
    answer: asyncio.Future[LocalAnswer]


class TransformersModel:
    """An open model that transformers runs in this process. An Adapter."""

    def __init__(
        self,
        row: ModelRow,
        endpoint: str | None = None,  # noqa: ARG002
        *,
        offline: bool = False,  # noqa: ARG002
        note: Path | None = None,
    ) -> None:
        """Args: see `models.build_adapter`; no weights are loaded yet. Raises as `family_asking`."""
        self.name = row.name  # as in the models file
        self.family = family_asking(row, note)
        self.asking: Asking = self.family
        self._row = row
        self._expect = ResponseValidator(f"model {row.model!r} in this process")
        self._waiting: deque[_Waiting] = deque()
        self._batches: asyncio.Task[None] | None = None
        self._engine: LocalEngine | None = None
        self._thread: ThreadPoolExecutor | None = None
        self._closing = threading.Event()

    @property
    def identity(self) -> Json:
        """What determines an answer besides the body. Device and number of threads are not among it."""
        return {"kind": self._row.kind, "model": self._row.model, **self._row.of_weights}

    def open(self, log: Log | None = None) -> None:
        """Loads the model. Raises ModelError if it cannot be loaded.

        Args:
            log: receives a line on what was loaded.
        """
        if self._engine is None:
            from bfcl_pipeline.ask.models.local.engine import LocalEngine  # imports torch

            self._engine = LocalEngine.load(self._row.model, self._row.revision, self._row.dtype)
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="transformers")
            if log is not None:
                log(f"{self.name}: {self._engine.about}")

    def body(self, request: Request) -> Json:
        """The prompt and its stop tokens; the options of the row win."""
        body = {"model": self._row.model, "prompt": request.prompt}
        return {**body, **self.family.row.request_options, **self._row.options}

    async def send(self, body: Json) -> Json:
        """The answer to one body. Raises ModelError: ContextOverflow, or RequestRefused."""
        self.open()
        waiting = _Waiting(_prompt(body), asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        if self._batches is None or self._batches.done():
            self._batches = asyncio.create_task(self._answer_all())
        answer = await waiting.answer
        return {
            "text": answer.text,
            "finish_reason": answer.finish_reason,
            "max_tokens": answer.max_tokens,
            "usage": {"prompt_tokens": answer.input_tokens, "completion_tokens": answer.output_tokens},
        }

    def read(self, request: Request, raw: Json) -> Exchange:
        """The exchange that a raw answer completes. Raises Malformed."""
        answer = self._expect.mapping(raw, "the answer")
        return read_completion(self.family, request, answer, answer.get("usage"), self._expect)

    async def close(self) -> None:
        """Ends the batch that is computed, and the thread."""
        self._closing.set()
        if self._batches is not None:
            await asyncio.gather(self._batches, return_exceptions=True)
        if self._thread is not None:
            self._thread.shutdown()
        self._engine = self._thread = None

    async def _answer_all(self) -> None:
        """Answers what waits, until nothing does."""
        while self._waiting and not self._closing.is_set():
            await asyncio.sleep(0)  # so that conversations that are ready can join the batch
            size = min(len(self._waiting), self._row.limits.in_flight)
            batch = [self._waiting.popleft() for _ in range(size)]
            await self._answer([one for one in batch if not one.answer.done()])

    async def _answer(self, batch: list[_Waiting]) -> None:
        """Answers one batch."""
        engine, thread = self._engine, self._thread
        if not batch or engine is None or thread is None:
            return

        def is_unwanted() -> bool:
            return self._closing.is_set() or all(one.answer.cancelled() for one in batch)

        prompts = [one.prompt for one in batch]
        loop = asyncio.get_running_loop()
        try:
            answers = await loop.run_in_executor(thread, engine.answers, prompts, is_unwanted)
        except Exception as error:  # noqa: BLE001  # each request raises it
            for one in batch:
                if not one.answer.done():
                    one.answer.set_exception(error)
            return
        for one, answer in zip(batch, answers, strict=True):
            if one.answer.done():
                continue
            if isinstance(answer, ModelError):
                one.answer.set_exception(answer)
            else:
                one.answer.set_result(answer)


def _prompt(body: Json) -> Prompt:
    return Prompt(
        body["prompt"],
        tuple(body.get("stop_token_ids", ())),
        skip_special_tokens=body.get("skip_special_tokens", True),
        max_tokens=body.get("max_tokens"),
    )
