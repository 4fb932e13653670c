"""`bfcl-pipeline ping`: sends one request to a model, as a run would, and prints the answer.

The question is about the weather and offers one small function, so it costs next to nothing. The body has
the options of the model's row: a server that refuses the requests of a run refuses this one. For a model
that is sent prompts, the prompt and the raw answer are printed, too.
"""

from __future__ import annotations

import argparse
import asyncio
import difflib
import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from bfcl_pipeline.ask.generation import Adapter
from bfcl_pipeline.ask.generation.remote import RunTerms
from bfcl_pipeline.ask.jobs.options import add_models
from bfcl_pipeline.ask.models import build_adapter
from bfcl_pipeline.ask.models.adapters.openai_adapter import COMPATIBLE_KINDS, listed_models
from bfcl_pipeline.base.errors import (
    AccessDenied,
    ConfigError,
    ContextOverflow,
    Malformed,
    ModelError,
    NoConnection,
    RateLimited,
    Transient,
)
from bfcl_pipeline.base.text import cut, loaded_json, on_one_line, printable
from bfcl_pipeline.benchmark.config import KINDS, ModelRow, load_models, model_row
from bfcl_pipeline.benchmark.config.families import way_of_asking
from bfcl_pipeline.benchmark.records import Entry, Exchange, Json, Mode, Request
from bfcl_pipeline.cli.models import location
from bfcl_pipeline.cli.options import add_data
from bfcl_pipeline.dialogue.prompts import WireFormat, tool_schemas
from bfcl_pipeline.dialogue.release_texts import read_texts

SECONDS = 120.0
"""Default time limit: some servers load a model when the first request for it arrives."""

_MAX_LISTED = 8  # models of an endpoint in a message
_MAX_CHARACTERS = 400  # of an answer that is printed
_MAX_PROMPT = 2_000  # characters of a prompt, and of a raw answer

_WEATHER = {
    "name": "get_weather",
    "description": "Tells the weather of a city.",
    "parameters": {
        "type": "dict",
        "properties": {"city": {"type": "string", "description": "The name of the city."}},
        "required": ["city"],
    },
}
"""The function that is offered, documented as in the release."""

_QUESTION = "What is the weather in Oslo?"
_IN_WORDS = (
    " You can call the function get_weather(city: str). Answer with the call alone, in Python, in a list: "
    "[get_weather(city='...')]"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument("model", metavar="MODEL", help="name of a model; `bfcl-pipeline models` lists them")
    add_models(parser)
    parser.add_argument(
        "--endpoint",
        metavar="URL",
        help="API of a running server, for a model that vLLM serves during a run",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=SECONDS,
        metavar="N",
        help=f"time limit of the request (default: {SECONDS:g})",
    )
    add_data(parser)


def run(options: argparse.Namespace) -> int:
    """Prints the answer, or the error with advice; then returns 1."""
    row = model_row(load_models(options.models), options.model)
    if KINDS[row.kind].embedded:
        print(
            f"{row.name} is part of the pipeline: it answers {KINDS[row.kind].about}, and is always ready."
        )
        return 0
    if row.recorded:
        raise ConfigError(f"{row.name}: its answers are read from {row.path}; nothing is asked.")
    if row.served and options.endpoint is None:
        raise ConfigError(
            f"{row.name} is served by vLLM during a run: the workflow starts the server (snakemake), and "
            "none is running now. To ping it, serve it in another terminal (bfcl-pipeline serve "
            f"{row.name} --address-out address.json --port 8000), then: bfcl-pipeline ping {row.name} "
            "--endpoint http://127.0.0.1:8000/v1"
        )
    if options.endpoint is not None and not row.served:
        # Otherwise a vendor's key would be sent to another server.
        raise ConfigError(
            f"{row.name}: --endpoint is for models that vLLM serves; set `endpoint` in the model's row."
        )
    adapter = build_adapter(row, options.endpoint)
    request = _request(adapter) if row.family is None else _prompt(adapter, options.data)
    try:
        exchange, raw, seconds = asyncio.run(_exchange(adapter, request, options.seconds))
    except ModelError as error:
        print(f"{row.name}: {printable(str(error))}", file=sys.stderr)
        for line in asyncio.run(_advice(row, options.endpoint, error)):
            print(printable(line), file=sys.stderr)
        return 1
    _print(row, adapter.asking.mode, exchange, raw, seconds)
    return 0


async def _exchange(
    adapter: Adapter, request: Request, limit_seconds: float
) -> tuple[Exchange, Json, float]:
    """The exchange of one request, its raw answer and its duration in seconds."""
    body = adapter.body(request)
    try:
        adapter.open(_log)  # imports the client, which may take seconds
        started = time.perf_counter()
        async with asyncio.timeout(limit_seconds):
            raw = await adapter.send(body)
        seconds = time.perf_counter() - started
    except TimeoutError:
        raise Transient(f"no answer within {limit_seconds:g} s. Wait longer with --seconds.") from None
    finally:
        await adapter.close()
    return adapter.read(request, raw), raw, seconds


def _log(line: str) -> None:
    print(printable(line), file=sys.stderr)


def _request(adapter: Adapter) -> Request:
    asking = adapter.asking
    if asking.mode is Mode.PROMPT:
        return Request(asking.mode, ({"role": "user", "content": _QUESTION + _IN_WORDS},))
    tools = tool_schemas([_WEATHER], WireFormat.OPENAI_CHAT)
    return Request(asking.mode, ({"role": "user", "content": _QUESTION},), tools)


def _prompt(adapter: Adapter, data: Path) -> Request:
    """The question to a model that is sent prompts, which may have texts of the staged release."""
    question = ({"role": "user", "content": _QUESTION},)
    entry = Entry("ping", "simple_python", (question,), (_WEATHER,))
    texts = read_texts(data)
    return adapter.asking.written(adapter.asking.first(entry, texts), texts)


def _print(row: ModelRow, mode: Mode, exchange: Exchange, raw: Json, seconds: float) -> None:
    result, prompt = exchange.result, exchange.request.prompt
    # Nothing is journaled, so nothing is recorded of what made the answer.
    terms = RunTerms(None, "", input_price=row.input_price, output_price=row.output_price)
    dollars = terms.dollars(exchange)
    sent, received = (
        "an unknown number" if count is None else count
        for count in (exchange.input_tokens, exchange.output_tokens)
    )
    lines = {
        "answer": ", ".join(f"{name}({arguments})" for call in result for name, arguments in call.items())
        if isinstance(result, list)
        else cut(json.dumps(result, ensure_ascii=False), _MAX_CHARACTERS),
        "tokens": f"{sent} sent, {received} received",
        "seconds": f"{seconds:.2f}",
        "price": "unknown: the model's row has no prices, or the answer has no token counts"
        if dollars is None
        else f"${dollars:.6f}",
    }
    if prompt is not None:
        asked = {
            "asked": way_of_asking(row.family, row.mode),
            "prompt": cut(prompt, _MAX_PROMPT),
            "raw": cut(_raw_text(raw), _MAX_PROMPT),
        }
        lines = {**asked, **lines}
    if exchange.finish_reason is not None:
        lines["ended"] = exchange.finish_reason
    print(f"{row.name} ({row.kind}, {location(row)}) answers.")
    for name, text in lines.items():
        print(f"  {name:<8} {on_one_line(printable(text))}")
    print(_doubt(row, mode, exchange) or f"Next: bfcl-pipeline run --model {row.name} --sample 100")


def _raw_text(raw: Json) -> str:
    """The text of a completion as the server sent it; another answer as JSON."""
    match raw:
        case {"choices": [{"text": str(text)}, *_]}:
            return text
    return json.dumps(raw, ensure_ascii=False)


def _doubt(row: ModelRow, mode: Mode, exchange: Exchange) -> str:
    """What is wrong with the answer of a model of mode fc; empty if nothing is."""
    calls = exchange.result if isinstance(exchange.result, list) else []
    if mode is not Mode.FC or any(map(_names_a_city, calls)):
        return ""
    vllm = row.kind == "vllm"
    if row.family is not None:
        return (
            "No call with the argument `city` was read from the answer: the model may not write calls as "
            f"the family {row.family} does. Another `family`"
            f"{', or `prompting: server`, asks' if vllm else ' asks'} in another way."
        )
    problem = (
        "The call lacks the argument `city`, which the function requires. Either the model does not fill "
        "it in, or its server loses arguments"
        if calls
        else "It answers in words and calls nothing, though mode fc offers a function. A model that cannot "
        "call functions belongs in mode prompt (a name without -FC)"
    )
    return problem + ("; or another `tool_parser` reads its calls." if vllm else ".")


def _names_a_city(call: Mapping[str, Json]) -> bool:
    """Whether a call, {name: arguments as JSON text}, has the argument that was asked for."""
    arguments = [loaded_json(text) if isinstance(text, str) else text for text in call.values()]
    return any(isinstance(given, Mapping) and given.get("city") for given in arguments)


async def _advice(row: ModelRow, endpoint: str | None, error: ModelError) -> list[str]:
    """What to do next, in addition to what the error says."""
    address = endpoint or row.endpoint
    compatible = address is not None and row.kind in COMPATIBLE_KINDS
    match error:
        case RateLimited():
            return ["It is too busy or still starting, or a limit is reached. Runs wait and try again."]
        case ContextOverflow() if row.kind == "vllm":
            return [
                "Start the server with a longer context (vLLM: --max-model-len); entries need far more."
            ]
        case AccessDenied(status=status):
            lines = [
                "No key was sent: set `key` in the model's row to the environment variable with the key."
                if row.key is None
                else f"The key came from {row.key}."
            ]
            names = await listed_models(row, endpoint)
            if row.family is not None and status == 404 and row.model in names:
                return [
                    f"{address} lists the model, but has no /completions, to which prompts are sent. "
                    "`prompting: server` sends chat completions instead."
                ]
            if names and row.model not in names:
                return [
                    f"There is no {row.model!r} at {address}; it offers {_some(names, row.model)}.",
                    *lines,
                ]
            if compatible and not names and status == 404:
                lines.insert(0, f"{address} does not list its models either. Most endpoints end in /v1.")
            return lines
        case Malformed() if compatible:
            return [f"Is {address} an API of kind {row.kind}? Most endpoints end in /v1."]
        case NoConnection() if address is not None:
            return [f"Is a server running at {address}?"]
    return []


def _some(names: tuple[str, ...], wanted: str) -> str:
    """Some of the names, those similar to `wanted` first, and the number of the others."""
    near = difflib.get_close_matches(wanted, names, n=_MAX_LISTED, cutoff=0.3)
    ordered = [*near, *(name for name in names if name not in near)]
    more = len(ordered) - _MAX_LISTED
    return ", ".join(ordered[:_MAX_LISTED]) + (f" and {more} more" if more > 0 else "")
