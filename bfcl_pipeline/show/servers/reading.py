"""What a server makes of an answer: calls, or an error.

Two ways: vLLM's template and parsers in a process of its own, started here, and the routes of a server that
runs, in which nothing is generated. Requests are chat completions.
"""

import json
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import requests

from bfcl_pipeline.ask.jobs.captured import Written
from bfcl_pipeline.ask.models.serving.program import PYTHON_VARIABLE, find_program
from bfcl_pipeline.base.errors import ConfigError, ModelError
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.show.servers.formats import Format

PIECES = (0, 1, 3, 8, 32)
"""Tokens in one piece of a stream; 0: the whole answer at once."""

_SECONDS = 120.0  # for one answer of a server
_SCRIPT = Path(__file__).with_name("vllm_process.py")
_OFFLINE = ("VLLM_NO_USAGE_STATS", "DO_NOT_TRACK", "HF_HUB_OFFLINE", "TORCHDYNAMO_DISABLE")
_ENDS = re.compile(
    r"(?:<\|(?:im_end|eot_id|eom_id|endoftext|user|observation)\|>|</s>|<｜end▁of▁sentence｜>)\Z"
)
USER: Json = {"role": "user", "content": "."}
"""Of a request in which nothing is asked."""


class ServerError(ModelError):
    """A server that answers a request with an error."""


@dataclass(frozen=True, slots=True)
class ServerReading:
    """What the server makes of an answer."""

    calls: tuple[tuple[str, str], ...] = ()  # names, and arguments as the server's text
    content: str | None = None  # the text beside the calls
    error: str | None = None  # why the server has no answer

    @property
    def result(self) -> Json:
        """In the official form of mode fc."""
        return [{name: arguments} for name, arguments in self.calls] or self.content or ""


class ParsingServer(Protocol):
    """Writes and reads answers as one server does."""

    version: str  # the server's program and its version

    def prompt(self, messages: Sequence[Json], tools: Sequence[Json]) -> str:
        """What the chat template makes of messages, with the beginning of an answer. Raises ServerError."""

    def write(self, messages: Sequence[Json], tools: Sequence[Json]) -> Written:
        """What a model has to write for the last message, the assistant's. Raises ServerError."""

    def read(self, written: Written, tools: Sequence[Json], piece: int) -> ServerReading:
        """What the server makes of it, received in pieces of so many tokens; 0: at once."""


class ParserProcess:
    """A ParsingServer: vLLM's template and parsers without weights, run by the Python that has vLLM."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def set_up(
        self, parser: str, tokenizer: Path, template: str | None = None, reasoning: str | None = None
    ) -> None:
        """Goes on with another parser. Arguments as of `parser_process`. Raises ModelError."""
        try:
            self.version = f"vLLM {self._ask('set_up', str(tokenizer), template, parser, reasoning)}"
        except ServerError as error:
            raise ModelError(f"vLLM refuses the parser {parser!r}: {error}") from None

    def prompt(self, messages: Sequence[Json], tools: Sequence[Json]) -> str:
        """As the chat template does."""
        return str(self._ask("prompt", messages, tools))

    def write(self, messages: Sequence[Json], tools: Sequence[Json]) -> Written:
        """As the chat template does."""
        tokens, text = self._ask("write", messages, tools)
        return Written(tuple(tokens), text)

    def read(self, written: Written, tools: Sequence[Json], piece: int) -> ServerReading:
        """As the parser does; without tokens, its text is tokenized."""
        try:
            calls, content = self._ask("read", written.tokens or written.text, tools, piece)
        except ServerError as error:
            return ServerReading(error=str(error))
        return ServerReading(tuple((name, arguments) for name, arguments in calls), content)

    def _ask(self, *request: Json) -> Any:
        written, read = self._process.stdin, self._process.stdout
        assert written is not None and read is not None  # noqa: S101, PT018  # pipes
        try:
            written.write(json.dumps(request) + "\n")
            written.flush()
            answer = json.loads(read.readline())
        except (OSError, ValueError):
            status = self._process.wait()
            raise ModelError(f"the process with vLLM's parsers ended (exit status {status}).") from None
        if isinstance(answer, dict):
            raise ServerError(str(answer["error"]))
        return answer


@contextmanager
def parser_process(
    parser: str,
    tokenizer: Path,
    template: str | None = None,
    reasoning: str | None = None,
    python: str | None = None,
) -> Iterator[ParserProcess]:
    """A process with vLLM's template and parsers; it has ended afterwards.

    Args:
        parser: the name of the tool parser.
        tokenizer: the folder of the model's tokenizer.
        template: the chat template; None: that of the tokenizer.
        reasoning: the name of the reasoning parser; None: none.
        python: the Python that has vLLM; None: `find_program` searches.

    Raises ConfigError or ModelError if vLLM is not found, or refuses parser, tokenizer or template.
    """
    program = find_program(python)
    if program[1:2] != ("-m",):
        raise ModelError(f"{program[0]}: name the Python that has vLLM: --python or {PYTHON_VARIABLE}.")
    passed = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    process = subprocess.Popen(
        [program[0], "-P", str(_SCRIPT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**passed, **dict.fromkeys(_OFFLINE, "1")},
        text=True,
        encoding="utf-8",
    )
    try:
        server = ParserProcess(process)
        server.set_up(parser, tokenizer, template, reasoning)
        yield server
    finally:
        process.communicate()


class ServerRoutes:
    """A ParsingServer: the routes `render` and `derender` of a vLLM server, with or without weights."""

    def __init__(self, url: str, model: str | None = None) -> None:
        """Asks for the version and, unless given, the served model. Raises ModelError without an answer."""
        self._connect(url)
        self._model = model or self._call("/v1/models")["data"][0]["id"]
        self.version = f"vLLM {self._call('/version')['version']}"

    def _connect(self, url: str) -> None:
        self._root = url.rstrip("/").removesuffix("/v1")
        self._session = requests.Session()
        self._session.trust_env = False  # no proxy

    def prompt(self, messages: Sequence[Json], tools: Sequence[Json], answer: bool = True) -> str:
        """As the server's chat template does. answer: with the beginning of an answer."""
        body = {**self._request(messages, tools), "add_generation_prompt": answer}
        tokens = self._call("/v1/chat/completions/render", body)["token_ids"]
        return str(self._call("/detokenize", {"model": self._model, "tokens": tokens})["prompt"])

    def write(self, messages: Sequence[Json], tools: Sequence[Json]) -> Written:
        """As the server's chat template does."""
        text = self._rest(messages, tools).removesuffix(self._end)
        tokens = self._call(
            "/tokenize", {"model": self._model, "prompt": text, "add_special_tokens": False}
        )
        return Written(tuple(tokens["tokens"]), text)

    def read(self, written: Written, tools: Sequence[Json], piece: int) -> ServerReading:
        """As the server's parsers do."""
        found: dict[int, list[str]] = {}
        content = ""
        try:
            for message in self._messages(list(written.tokens), tools, piece):
                content += message.get("content") or ""
                for place, call in enumerate(message.get("tool_calls") or ()):
                    function = call.get("function") or {}
                    named = found.setdefault(call.get("index", place), ["", ""])
                    named[0] += function.get("name") or ""
                    named[1] += function.get("arguments") or ""
        except ServerError as error:
            return ServerReading(error=str(error))
        return ServerReading(tuple((found[at][0], found[at][1]) for at in sorted(found)), content or None)

    def _messages(self, tokens: list[int], tools: Sequence[Json], piece: int) -> Iterator[Any]:
        """The message of an answer, or what each of its pieces adds."""
        given = {"chat_request": self._request([USER], tools), "prompt_token_ids": [0]}
        state = None
        for start in range(0, max(1, len(tokens)), piece or len(tokens) or 1):
            end = start + piece if piece else len(tokens)
            reason = "stop" if end >= len(tokens) else None
            choice = {"index": 0, "finish_reason": reason, "token_ids": tokens[start:end]}
            generated = {"request_id": "0", "choices": [choice]}
            if piece:
                body = {"stream": True, "generate_chunk": generated, "stream_state": state, **given}
            else:
                body = {"stream": False, "generate_response": generated, **given}
            answer = self._call("/v1/chat/completions/derender", body)
            state = answer.get("stream_state")
            for each in answer.get("chunk", answer)["choices"]:
                yield each.get("delta") or each.get("message") or {}

    @cached_property
    def _end(self) -> str:
        """What the chat template writes after an answer."""
        return self._rest([USER, {"role": "assistant", "content": "x"}], ()).partition("x")[2]

    def _rest(self, messages: Sequence[Json], tools: Sequence[Json]) -> str:
        """What the chat template writes for the last message."""
        before, whole = self.prompt(messages[:-1], tools), self.prompt(messages, tools, answer=False)
        if not whole.startswith(before):
            raise ServerError("the template writes an answer that does not begin with its prompt")
        return whole[len(before) :]

    def _request(self, messages: Sequence[Json], tools: Sequence[Json]) -> dict[str, Json]:
        offered = {"tools": list(tools), "tool_choice": "auto"} if tools else {}
        return {"model": self._model, "messages": list(messages), **offered}

    def _call(self, path: str, body: Json = None) -> Any:
        """The answer of a route: of POST with a body, else of GET. Raises ServerError."""
        try:
            method = "GET" if body is None else "POST"
            answer = self._session.request(method, f"{self._root}{path}", json=body, timeout=_SECONDS)
            answer.raise_for_status()
            return answer.json()
        except requests.HTTPError as error:
            raise ServerError(f"{path}: {error.response.status_code}: {error.response.text:.500}") from None
        except (requests.RequestException, ValueError) as error:
            raise ModelError(f"{self._root}{path}: {error}") from None


class SGLangRoute(ServerRoutes):
    """A ParsingServer: SGLang's route `parse_function_call` reads, at once; our template writes.

    Source: docs.sglang.io, advanced features, tool parser. Tried with a server that imitates it only.
    """

    def __init__(self, url: str, form: Format) -> None:
        """Raises ConfigError if SGLang has no parser of the form."""
        if form.sglang is None:
            raise ConfigError(f"SGLang has no parser of the form {form.parser}.")
        self._form, self.version = form, f"SGLang's parser {form.sglang}"
        self._connect(url)

    def write(self, messages: Sequence[Json], tools: Sequence[Json]) -> Written:
        """As our template does."""
        return Written((), self._form.write(messages, tools))

    def read(self, written: Written, tools: Sequence[Json], piece: int) -> ServerReading:  # noqa: ARG002
        """As the server's parser does."""
        text = _ENDS.sub("", written.text)  # the server's engine leaves it out, too
        body = {"text": text, "tools": list(tools), "tool_call_parser": self._form.sglang}
        try:
            answer = self._call("/parse_function_call", body)
            calls = tuple((str(call["name"]), str(call["parameters"])) for call in answer["calls"])
            return ServerReading(calls, answer["normal_text"] or None)
        except (ServerError, LookupError, TypeError) as error:
            return ServerReading(error=str(error))
