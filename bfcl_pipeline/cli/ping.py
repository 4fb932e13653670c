"""`bfcl-pipeline ping`: one request to a model, as a run would send it, and what came back.

The question is about the weather, with one small function, so it costs next to nothing. The body is that of
a run, options of the row and all: what a run would be refused, this is.
"""

from __future__ import annotations

import argparse
import asyncio
import difflib
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bfcl_pipeline.errors import AccessDenied, ConfigError, Malformed, ModelError, RateLimited, Transient

if TYPE_CHECKING:
    from bfcl_pipeline.config import ModelRow
    from bfcl_pipeline.generation import Wire
    from bfcl_pipeline.records import Exchange, Request

SECONDS = 120.0
"""How long an answer is waited for: servers may load a model when it is asked for the first time."""

_MOST_OFFERED = 8  # models of an endpoint that a message names
_MOST_SHOWN = 400  # characters of an answer

_WEATHER = {
    "name": "get_weather",
    "description": "Tells the weather of a city.",
    "parameters": {
        "type": "dict",
        "properties": {"city": {"type": "string", "description": "The name of the city."}},
        "required": ["city"],
    },
}
"""The function that is offered, as the release documents functions."""

_QUESTION = "What is the weather in Oslo?"
_IN_WORDS = (
    " You can call the function get_weather(city: str). Answer with the call alone, in Python, in a list: "
    "[get_weather(city='...')]"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument("model", metavar="MODEL", help="name of a model: `bfcl-pipeline models` lists them")
    parser.add_argument(
        "--models",
        type=Path,
        default=Path("config/models.yaml"),
        help="the models file (default: config/models.yaml)",
    )
    parser.add_argument(
        "--endpoint",
        metavar="URL",
        help="for a model that vLLM serves for a run: where a server of it already runs",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=SECONDS,
        metavar="N",
        help=f"how long to wait for the answer (default: {SECONDS:g})",
    )


def run(options: argparse.Namespace) -> int:
    """Prints the answer. Returns 1, after what to do next, if there is none."""
    from bfcl_pipeline.config import KINDS, load_models, model_row
    from bfcl_pipeline.models import build_wire

    row = model_row(load_models(options.models), options.model)
    if KINDS[row.kind].embedded:
        print(
            f"{row.name} is part of the pipeline: it answers {KINDS[row.kind].about}, and is always ready."
        )
        return 0
    if row.served and options.endpoint is None:
        raise ConfigError(_not_served(row))
    if options.endpoint is not None and not row.served:
        # Else a vendor's key would be sent to whoever answers there.
        raise ConfigError(
            f"{row.name}: --endpoint is for models that vLLM serves; put it into the model's row."
        )
    wire = build_wire(row, options.endpoint)
    try:
        exchange, seconds = asyncio.run(_asked(wire, options.seconds))
    except ModelError as error:
        print(f"{row.name}: {error}", file=sys.stderr)
        for line in asyncio.run(_advice(row, options.endpoint, error)):
            print(line, file=sys.stderr)
        return 1
    _print(row, exchange, seconds)
    return 0


async def _asked(wire: Wire, seconds: float) -> tuple[Exchange, float]:
    """The exchange of one request and how many seconds it took."""
    request = _request(wire)
    started = time.perf_counter()
    try:
        async with asyncio.timeout(seconds):
            raw = await wire.send(wire.body(request))
    except TimeoutError:
        raise Transient(f"no answer within {seconds:g} s. Wait longer with --seconds.") from None
    finally:
        await wire.close()
    return wire.read(request, raw), time.perf_counter() - started


def _request(wire: Wire) -> Request:
    from bfcl_pipeline.prompts import tool_schemas
    from bfcl_pipeline.records import Mode, Request

    if wire.mode is Mode.PROMPT:
        return Request(wire.mode, ({"role": "user", "content": _QUESTION + _IN_WORDS},))
    return Request(
        wire.mode, ({"role": "user", "content": _QUESTION},), tool_schemas([_WEATHER], wire.wire)
    )


def _print(row: ModelRow, exchange: Exchange, seconds: float) -> None:
    from bfcl_pipeline.cli.models import where
    from bfcl_pipeline.records import Mode

    print(f"{row.name} ({row.kind}, {where(row)}) answers.")
    print(f"  answer   {_shown(exchange)}")
    print(f"  tokens   {_count(exchange.input_tokens)} sent, {_count(exchange.output_tokens)} received")
    print(f"  seconds  {seconds:.2f}")
    print(f"  price    {_price(row, exchange)}")
    if exchange.finish_reason is not None:
        print(f"  ended    {exchange.finish_reason}")
    if row.mode is Mode.FC and not isinstance(exchange.result, list):
        print(
            "It answers in words and calls nothing, though mode fc offers a function. A model that cannot "
            "call functions belongs in mode prompt (a name without -FC)"
            + ("; or another `tool_parser` reads its calls." if row.kind == "vllm" else ".")
        )


def _shown(exchange: Exchange) -> str:
    """The calls, or the text in one line."""
    result = exchange.result
    if isinstance(result, list):
        return ", ".join(f"{name}({arguments})" for call in result for name, arguments in call.items())
    text = json.dumps(result, ensure_ascii=False)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


def _count(tokens: int | None) -> str:
    return "an unknown number" if tokens is None else str(tokens)


def _price(row: ModelRow, exchange: Exchange) -> str:
    from bfcl_pipeline.generation.remote import Terms

    dollars = Terms(None, input_price=row.input_price, output_price=row.output_price).dollars(exchange)
    if dollars is None:
        return "not known: its row has no prices, or it counts no tokens"
    return f"${dollars:.6f}"


def _not_served(row: ModelRow) -> str:
    return (
        f"{row.name} is served by vLLM for the time of a run: the workflow starts it (snakemake), and no "
        "server runs now. To ask it here, serve it in another terminal (bfcl-pipeline serve "
        f"{row.name} --address-out address.json --port 8000), then: bfcl-pipeline ping {row.name} "
        "--endpoint http://127.0.0.1:8000/v1"
    )


async def _advice(row: ModelRow, endpoint: str | None, error: ModelError) -> list[str]:
    """What to do next, beyond what the error says itself."""
    from bfcl_pipeline.models.offered import COMPATIBLE_KINDS, offered

    if isinstance(error, RateLimited):
        return ["The server or the account has no room now. Runs wait and try again by themselves."]
    address = endpoint or row.endpoint
    compatible = address is not None and row.kind in COMPATIBLE_KINDS
    if isinstance(error, AccessDenied):
        lines = [
            "No key was sent: a row says by `key` which environment variable holds it."
            if row.key is None
            else f"The key came from {row.key}."
        ]
        names = await offered(row, endpoint)
        if names and row.model not in names:
            return [f"There is no {row.model!r} at {address}; it offers {_some(names, row.model)}.", *lines]
        if compatible and not names and "HTTP 404" in str(error):
            lines.insert(0, f"Nor does {address} list its models. Most such addresses end in /v1.")
        return lines
    if isinstance(error, Malformed) and compatible:
        return [f"Does {address} speak the form of {row.kind}? Most such addresses end in /v1."]
    if isinstance(error, Transient) and address is not None:
        return [f"Is a server running at {address}?"] if "no connection" in str(error) else []
    return []


def _some(names: tuple[str, ...], wanted: str) -> str:
    """The names, the nearest to what is wanted first, and how many more there are."""
    near = difflib.get_close_matches(wanted, names, n=_MOST_OFFERED, cutoff=0.3)
    ordered = [*near, *(name for name in names if name not in near)]
    more = len(ordered) - _MOST_OFFERED
    return ", ".join(ordered[:_MOST_OFFERED]) + (f" and {more} more" if more > 0 else "")
