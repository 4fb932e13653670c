"""What a server makes of an answer: calls, or an error.

Two ways: vLLM's template and parsers in a process of its own, started here, and the routes of a server that
runs, in which nothing is generated. Requests are chat completions.
"""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

import requests

from bfcl_pipeline.ask.models.serving.program import PYTHON_VARIABLE, find_program
from bfcl_pipeline.base.errors import ModelError
from bfcl_pipeline.benchmark.records import Json

PIECES = (0, 1, 3, 8, 32)
"""Tokens in one piece of a stream; 0: the whole answer at once."""

_DERENDER = "/v1/chat/completions/derender"
_SECONDS = 120.0  # for one answer of a server
_SCRIPT = Path(__file__).with_name("vllm_process.py")


@dataclass(frozen=True, slots=True)
class Written:
    """What a model has to write so that its message is in the form of the chat template."""

    tokens: tuple[int, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What the server makes of an answer."""

    calls: tuple[tuple[str, str], ...] = ()  # names, and arguments as the server's text
    content: str | None = None  # the text beside the calls
    error: str | None = None  # why the server has no answer

    @property
    def result(self) -> Json:
        """In the official form of mode fc."""
        return [{name: arguments} for name, arguments in self.calls] or self.content or ""


class ServerError(ModelError):
    """A server that answers a request with an error."""


class Server(Protocol):
    """Writes and reads answers as one server does."""

    version: str
    """Of the server's program, as it states it."""

    def write(self, messages: Sequence[Json], tools: Sequence[Json]) -> Written:
        """The last message, the assistant's, as the chat template writes it. Raises ServerError."""

    def read(self, written: Written, tools: Sequence[Json], piece: int) -> Reading:
        """What the server makes of it, received in pieces of so many tokens; 0: at once."""


class ParserProcess:
    """vLLM's template and parsers, without weights, in a process of the Python that has vLLM. A Server."""

    def __init__(
        self,
        parser: str,
        tokenizer: Path,
        template: str | None = None,
        *,
        reasoning: str | None = None,
        python: str | None = None,
        log: Path | None = None,
    ) -> None:
        """Starts the process.

        Args:
            parser: the name of the tool parser.
            tokenizer: the folder of the model's tokenizer.
            template: the chat template; None: that of the tokenizer.
            reasoning: the name of the reasoning parser; None: none.
            python: the Python that has vLLM; None: `find_program` searches.
            log: the file for the output of vLLM; None: it is dropped.

        Raises:
            ConfigError: `python` does not exist.
            ModelError: vLLM is not found, or refuses parser, tokenizer or template.
        """
        program = find_program(python)
        if program[1:2] != ("-m",):
            raise ModelError(
                f"{program[0]}: name the Python that has vLLM, with --python or {PYTHON_VARIABLE}."
            )
        with (log or Path("/dev/null")).open("ab") as output:
            self._process = subprocess.Popen(
                [program[0], "-P", str(_SCRIPT)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                env=_environment(),
                text=True,
                encoding="utf-8",
            )
        self.version = self.setup(parser, tokenizer, template, reasoning)

    def setup(
        self, parser: str, tokenizer: Path, template: str | None = None, reasoning: str | None = None
    ) -> str:
        """Goes on with another parser; returns vLLM's version. Raises ModelError if vLLM refuses it."""
        setup = {
            "tokenizer": str(tokenizer),
            "template": template,
            "tool_parser": parser,
            "reasoning_parser": reasoning,
        }
        self._offered: dict[str, int] = {}
        answer = self._ask({"setup": setup})
        if "error" in answer:
            raise ModelError(f"vLLM refuses the parser {parser!r}: {answer['error']}")
        return str(answer["version"])

    def write(self, messages: Sequence[Json], tools: Sequence[Json]) -> Written:
        """As the chat template does."""
        answer = self._ask({"write": messages, "tools": self._place(tools)})
        if "error" in answer:
            raise ServerError(str(answer["error"]))
        return Written(tuple(answer["tokens"]), answer["text"])

    def read(self, written: Written, tools: Sequence[Json], piece: int) -> Reading:
        """As the parser does; without tokens, its text is tokenized."""
        given = list(written.tokens) or written.text
        answer = self._ask({"read": given, "tools": self._place(tools), "piece": piece})
        if "error" in answer:
            return Reading(error=answer["error"])
        return Reading(tuple((name, arguments) for name, arguments in answer["calls"]), answer["content"])

    def _place(self, tools: Sequence[Json]) -> int:
        """Of tools among those that were offered."""
        key = json.dumps(tools)
        if key not in self._offered:
            answer = self._ask({"offer": tools})
            if "error" in answer:
                raise ServerError(str(answer["error"]))
            self._offered[key] = len(self._offered)
        return self._offered[key]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate()

    def _ask(self, request: Json) -> Mapping[str, Any]:
        assert self._process.stdin is not None  # noqa: S101  # a pipe
        assert self._process.stdout is not None  # noqa: S101  # a pipe
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            answer: Mapping[str, Any] = json.loads(self._process.stdout.readline())
        except (OSError, ValueError):
            status = self._process.wait()
            raise ModelError(f"the process with vLLM's parsers ended (exit status {status}).") from None
        return answer


class ServerRoutes:
    """The routes `render` and `derender` of a vLLM server, with or without weights. A Server."""

    def __init__(self, url: str, model: str | None = None) -> None:
        """Asks for the version and, unless given, the served model. Raises ModelError without an answer."""
        self._root = url.rstrip("/").removesuffix("/v1")
        self._session = requests.Session()
        self._session.trust_env = False  # no proxy
        self._model = model or self._call("/v1/models")["data"][0]["id"]
        self.version = str(self._call("/version")["version"])

    def write(self, messages: Sequence[Json], tools: Sequence[Json]) -> Written:
        """As the server's chat template does."""
        before = self._text(self._rendered(messages[:-1], tools, prompt=True))
        whole = self._text(self._rendered(messages, tools, prompt=False))
        if not whole.startswith(before):
            raise ServerError("the template writes an answer that does not begin with its prompt")
        text = whole[len(before) :].removesuffix(self._end)
        rest = {"model": self._model, "prompt": text, "add_special_tokens": False}
        return Written(tuple(self._call("/tokenize", rest)["tokens"]), text)

    def read(self, written: Written, tools: Sequence[Json], piece: int) -> Reading:
        """As the server's parsers do."""
        request = self._request([{"role": "user", "content": "."}], tools)
        given = {"chat_request": request, "prompt_token_ids": [0]}
        tokens = list(written.tokens)
        try:
            if not piece:
                choice = {"index": 0, "finish_reason": "stop", "token_ids": tokens}
                body = {"stream": False, "generate_response": {"request_id": "0", "choices": [choice]}}
                answer = self._call(_DERENDER, {**body, **given})
                message = answer["choices"][0]["message"]
                calls = [call["function"] for call in message.get("tool_calls") or ()]
                named = tuple((call["name"], call["arguments"]) for call in calls)
                return Reading(named, message.get("content"))
            return self._streamed(tokens, piece, given)
        except ServerError as error:
            return Reading(error=str(error))

    def _streamed(self, tokens: Sequence[int], piece: int, given: Json) -> Reading:
        found: dict[int, list[str]] = {}
        content, state = "", None
        for start in range(0, max(1, len(tokens)), piece):
            last = start + piece >= len(tokens)
            choice = {
                "index": 0,
                "finish_reason": "stop" if last else None,
                "token_ids": tokens[start : start + piece],
            }
            chunk = {"request_id": "0", "choices": [choice]}
            body = {"stream": True, "generate_chunk": chunk, "stream_state": state, **given}
            answer = self._call(_DERENDER, body)
            state = answer["stream_state"]
            for each in answer["chunk"]["choices"]:
                delta = each["delta"]
                content += delta.get("content") or ""
                for call in delta.get("tool_calls") or ():
                    named = found.setdefault(call["index"], ["", ""])
                    function = call.get("function") or {}
                    named[0] += function.get("name") or ""
                    named[1] += function.get("arguments") or ""
        return Reading(tuple((found[at][0], found[at][1]) for at in sorted(found)), content or None)

    @cached_property
    def _end(self) -> str:
        """What the chat template writes after an answer."""
        asked, answer = {"role": "user", "content": "."}, {"role": "assistant", "content": "x"}
        before = self._text(self._rendered([asked], (), prompt=True))
        whole = self._text(self._rendered([asked, answer], (), prompt=False))
        return whole[len(before) :].partition("x")[2]

    def _request(self, messages: Sequence[Json], tools: Sequence[Json]) -> dict[str, Json]:
        offered = {"tools": list(tools), "tool_choice": "auto"} if tools else {}
        return {"model": self._model, "messages": list(messages), **offered}

    def _rendered(self, messages: Sequence[Json], tools: Sequence[Json], *, prompt: bool) -> list[int]:
        body = {**self._request(messages, tools), "add_generation_prompt": prompt}
        tokens: list[int] = self._call("/v1/chat/completions/render", body)["token_ids"]
        return tokens

    def _text(self, tokens: Sequence[int]) -> str:
        return str(self._call("/detokenize", {"model": self._model, "tokens": list(tokens)})["prompt"])

    def _call(self, path: str, body: Json = None) -> Any:
        """The answer of a route: of POST with a body, else of GET. Raises ServerError."""
        try:
            method = "GET" if body is None else "POST"
            answer = self._session.request(method, f"{self._root}{path}", json=body, timeout=_SECONDS)
            answer.raise_for_status()
            return answer.json()
        except requests.HTTPError as error:
            told = error.response.text[:500]
            raise ServerError(f"{path}: status {error.response.status_code}: {told}") from None
        except (requests.RequestException, ValueError) as error:
            raise ModelError(f"{self._root}{path}: {error}") from None


def _environment() -> dict[str, str]:
    """Of the process with vLLM's parsers: nothing is reported, downloaded or compiled."""
    passed = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    own = ("VLLM_NO_USAGE_STATS", "DO_NOT_TRACK", "HF_HUB_OFFLINE", "TORCHDYNAMO_DISABLE")
    return {**passed, **dict.fromkeys(own, "1")}
