"""`bfcl-pipeline ping`: tries a model as a run would ask it, and says what is to blame for what fails.

The questions offer one small function each, so they cost next to nothing. For open weights that are sent
the prompts of their family, the first prompt and its raw answer are printed, too.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping

from bfcl_pipeline.ask.jobs.options import add_models
from bfcl_pipeline.ask.models import build_adapter
from bfcl_pipeline.ask.ping import Blame, Pinged, Tried, ping
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import cut_middle, line_of, on_one_line, plural, printable, text_table
from bfcl_pipeline.benchmark.config import KINDS, load_models, model_row
from bfcl_pipeline.benchmark.config.families import way_of_asking
from bfcl_pipeline.benchmark.records import Json, total
from bfcl_pipeline.cli.models import location
from bfcl_pipeline.cli.options import add_data, print_to_stderr

SECONDS = 120.0
"""Default time limit: some servers load a model when the first request for it arrives."""

_WIDTH = 80  # of what is printed for people
_ASKED, _CAME = 22, 31  # characters of what was asked and of what came in the table
_MAX_CHARACTERS = 400  # of an answer below it
_MAX_PROMPT = 2_000  # characters of a prompt, and of a raw answer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.description = (
        "Try a model as a run would ask it: one call, two calls, a call with nested arguments, no call, a "
        "second turn. Exit status: 0, all is right; else what is to be looked at first: 1, the model's row "
        "(its key, address, options); 3, the server; 4, the model."
    )
    parser.add_argument("model", metavar="MODEL", help="name of a model; `bfcl-pipeline models` lists them")
    add_models(parser)
    about = "API of a running server, for a model that vLLM serves during a run"
    parser.add_argument("--endpoint", metavar="URL", help=about)
    about = f"time limit of a request (default: {SECONDS:g})"
    parser.add_argument("--seconds", type=float, default=SECONDS, metavar="N", help=about)
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_data(parser)


def run(options: argparse.Namespace) -> int:
    """Prints what came of each try, and what is to blame; returns the exit status."""
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
    terms = row, options.endpoint, options.data, options.seconds
    pinged = asyncio.run(ping(build_adapter(row, options.endpoint), *terms, print_to_stderr))
    if options.json:
        print(json.dumps(_document(pinged), indent=2))
    else:
        print(printable("\n".join(_lines(pinged))))
    return 0 if pinged.blame is None else pinged.blame.status


def _document(pinged: Pinged) -> dict[str, Json]:
    """The JSON output."""
    answers = pinged.answers
    return {
        "model": pinged.row.name,
        "blame": pinged.blame,
        "tries": [
            {"try": each.name, "asked": each.asked, "came": each.came, "blame": each.blame, "why": each.why}
            for each in pinged.tries
        ],
        "answers": len(answers),
        "input_tokens": total(answer.input_tokens for answer in answers),
        "output_tokens": total(answer.output_tokens for answer in answers),
        "seconds": total(answer.latency_seconds for answer in answers),
        "dollars": pinged.dollars,
    }


def _lines(pinged: Pinged) -> Iterator[str]:
    """What is printed for people."""
    row = pinged.row
    yield f"{row.name} ({row.kind}, {location(row)})"
    if row.family is not None and pinged.answers:
        yield f"  asked   {way_of_asking(row.family, row.mode)}"
        yield f"  prompt  {line_of(pinged.answers[0].request.prompt or '', _MAX_PROMPT)}"
        raw = next(raw for tried in pinged.tries for raw in tried.raws)
        yield f"  raw     {line_of(_raw_text(raw), _MAX_PROMPT)}"
    cells = []
    for each in pinged.tries:
        right = "yes" if each.blame is None else f"no: {each.blame}"
        came = _cell(each.came or "no answer", _CAME)
        cells.append((each.name, _cell(each.asked, _ASKED), came, right))
    yield f"\n{text_table(('Try', 'Asked for', 'Came', 'Right'), cells)}\n"
    for why in dict.fromkeys(each.why for each in pinged.tries if each.why):
        tries = [each for each in pinged.tries if each.why == why]
        came = tries[0].came or ""
        sent = f" It sent: {line_of(came, _MAX_CHARACTERS)}" if len(came) > _CAME else ""
        yield _wrapped(f"{_names(tries)}: {why}{sent}")
    yield _wrapped(_totals(_document(pinged)))
    if pinged.blame in (Blame.ROW, Blame.SERVER):
        blamed = _names(each for each in pinged.tries if each.blame is pinged.blame)
        yield _wrapped(f"Look at the {pinged.blame} first ({blamed}).")
        yield f"Then: bfcl-pipeline ping {row.name}"
        return
    if pinged.blame is Blame.MODEL:
        yield "Nothing shows a defect of row or server; a run counts such answers as wrong."
    yield f"Next: bfcl-pipeline run -m {row.name} --sample 100"


def _names(tries: Iterable[Tried]) -> str:
    return ", ".join(tried.name for tried in tries)


def _cell(text: str, room: int) -> str:
    return cut_middle(on_one_line(printable(text)), room)


def _totals(totals: Mapping[str, Json]) -> str:
    """Tokens, seconds and price of all answers."""
    counts = totals["input_tokens"], totals["output_tokens"]
    sent, received = ("unknown" if count is None else count for count in counts)
    dollars, unknown = totals["dollars"], "unknown price (no prices in the row, or no token counts)"
    price = unknown if dollars is None else f"${dollars:.6f}"
    answers = plural(totals["answers"], "answer", "answers")
    return f"{answers}, tokens: {sent} sent, {received} received; {totals['seconds'] or 0:.2f} s; {price}."


def _wrapped(text: str) -> str:
    return textwrap.fill(on_one_line(text), _WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def _raw_text(raw: Json) -> str:
    """The text of a completion as the server sent it; another answer as JSON."""
    match raw:
        case {"choices": [{"text": str(text)}, *_]}:
            return text
    return json.dumps(raw, ensure_ascii=False)
