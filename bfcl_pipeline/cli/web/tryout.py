"""`bfcl-pipeline web try`: one live search or fetch now, through the code of a run.

Covers the options and what is printed: the requests with their statuses, what came, whether a run would
record it, and what to do about a refusal. Nothing is recorded.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from bfcl_pipeline.base.errors import ConfigError, WebError
from bfcl_pipeline.base.project import project_file
from bfcl_pipeline.base.secrets import Redactor
from bfcl_pipeline.base.text import cut, on_one_line, printable, text_table
from bfcl_pipeline.benchmark.config.job import (
    PROXY_OF_ENVIRONMENT,
    SEARCH_ENGINE_KEYS,
    SEARCH_ENGINES,
    WebChoice,
)
from bfcl_pipeline.benchmark.config.models_files import CONFIG_FILE, config_values
from bfcl_pipeline.cli.web.options import add_record

if TYPE_CHECKING:
    from bfcl_pipeline.world.web.attempt import Attempt
    from bfcl_pipeline.world.web.keys import FetchKey, SearchKey
    from bfcl_pipeline.world.web.proxies import Proxies

HELP = "search or fetch once, live: what comes, and whether a run would record it; records nothing"

_REGION = "wt-wt"
_FORMS = ("raw", "markdown", "truncate")  # of a page, as models can ask for it
_SHOWN_RESULTS = 5
_SHOWN_LINES = 12  # of a page
_LONGEST = 300  # characters of a title, an address, a snippet, a line
_LONGEST_FAILURE = 1_000  # characters
_LONGEST_ASKED = 20_000  # characters; a run asks for no more
_NARROWEST, _WIDEST = 40, 120  # columns
_SWITCHED_OFF = "ddgs does not use this engine at present, because its site refuses programs"
_NAMED = "{:<10}"  # what stands before a value
_ADDRESS = re.compile(
    r"[a-z][a-z0-9+.-]{0,20}://.*|(?:[a-z0-9-]{1,63}\.){1,9}[a-z]{2,24}(?::[0-9]+)?(?:/\S*)?",
    re.IGNORECASE | re.DOTALL,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the action. What is not given is as in config/config.yaml."""
    add = parser.add_argument
    add("asked", metavar="QUERY|URL", help="what to search for, or the address of a page to fetch")
    add("--search", action="store_true", help="search for it although it looks like an address")
    add(
        "--search-engine",
        choices=SEARCH_ENGINES,
        metavar="NAME",
        help=f"one of {', '.join(SEARCH_ENGINES)} (default: that of the config)",
    )
    add("--region", default=_REGION, metavar="XX-XX", help=f"of the search (default: {_REGION}, none)")
    add(
        "--pages",
        type=_count,
        default=1,
        metavar="N",
        help="ask for up to N pages of results (default: 1; a run asks for up to 30 results)",
    )
    add("--proxy", metavar="URL", help="environment, none, or an address (default: that of the config)")
    add("--retry", action="store_true", help="after a refusal, ask again as a run does: takes minutes")
    add("--as", dest="form", choices=_FORMS, default=_FORMS[0], help="form of the page (default: raw)")
    add_record(parser)
    add("--json", action="store_true", help="print all of it as JSON")


def run(options: argparse.Namespace) -> int:
    """Prints what came. Returns 1 if it was nothing that a run would record."""
    from bfcl_pipeline.world.web.attempt import asking, attempt
    from bfcl_pipeline.world.web.proxies import Proxies

    choice = _choice(options)
    key = _key(options, choice.search_engine)
    proxies = Proxies.of(choice.proxy)
    made = attempt(key, asking(key, choice, pages=options.pages, retry=options.retry))
    keys = [os.environ.get(name, "").strip() for name in SEARCH_ENGINE_KEYS.values()]
    redactor = Redactor([*filter(None, keys), *proxies.secrets])
    document = redactor.document(_document(made, choice, proxies, options))
    if options.json:
        print(json.dumps(document, indent=1))
    else:
        _print(document)
    return 1 if made.outcome is None else 0


def _key(options: argparse.Namespace, engine: str) -> SearchKey | FetchKey:
    """What is asked. Raises ConfigError for what no run can ask."""
    from bfcl_pipeline.world.web.attempt import page_key
    from bfcl_pipeline.world.web.keys import SearchKey

    asked = options.asked.strip()
    if not asked:
        raise ConfigError("try: nothing to search for. Give words, or the address of a page.")
    if len(asked) > _LONGEST_ASKED or len(options.region) > _LONGEST_ASKED:
        raise ConfigError(f"try: more than {_LONGEST_ASKED:,} characters; a run asks for no more.")
    if options.search or not _ADDRESS.fullmatch(asked):
        return SearchKey.of(asked, options.region, engine)
    if "://" not in asked:
        raise ConfigError(
            f"{asked}: a page or words? For the page give https://{asked}, for a search add --search."
        )
    return page_key(asked)


def _choice(options: argparse.Namespace) -> WebChoice:
    """Engine, proxy and pause: as given, else as in the config. Raises ConfigError."""
    given = {
        "cache": options.record,
        "search_engine": options.search_engine or _configured("search_engine", str),
        "proxy": options.proxy or _configured("web_proxy", str),
        "pause": _configured("web_pause", (int, float)),
    }
    return WebChoice(mode="live", **{name: value for name, value in given.items() if value is not None})


def _configured(name: str, kind: type | tuple[type, ...]) -> Any:
    """The value of a key in the config; None if it is missing. Raises ConfigError if it is another type."""
    value = config_values(project_file(CONFIG_FILE)).get(name)
    if value is None or isinstance(value, kind):
        return value
    raise ConfigError(f"config/config.yaml: {name}: unexpected value {cut(str(value), 100)}.")


def _document(
    made: Attempt, choice: WebChoice, proxies: Proxies, options: argparse.Namespace
) -> dict[str, Any]:
    """The attempt as JSON."""
    from bfcl_pipeline.world.tools.web_search.web import Page
    from bfcl_pipeline.world.web.attempt import advice, in_a_run, switched_off
    from bfcl_pipeline.world.web.cache import outcome_document
    from bfcl_pipeline.world.web.evidence.redaction import redact_address
    from bfcl_pipeline.world.web.keys import SearchKey, key_document
    from bfcl_pipeline.world.web.modes import PAGES_BY, engine_text

    kind = "search" if isinstance(made.key, SearchKey) else "fetch"
    outcome = None if made.outcome is None else outcome_document(made.outcome)
    if isinstance(made.outcome, Page):
        content = _seen(made.outcome.text, options.form)
        outcome = {"kind": "page", "characters": len(made.outcome.text), "form": options.form, **content}
    if outcome is not None and outcome["kind"] == "failure":
        outcome["message"] = redact_address(str(outcome["message"]))
    asked = key_document(made.key)
    if kind == "fetch":
        asked["url"] = redact_address(str(asked["url"]))
    proxied = any(proxies.address(f"https://{sent.host}") for sent in made.requests)
    return {
        "asked": asked,
        "software": engine_text(choice.search_engine) if kind == "search" else PAGES_BY,
        "note": _SWITCHED_OFF if kind == "search" and switched_off(choice.search_engine) else "",
        "proxy": _proxy(choice, proxies),
        "recorded_before": _recorded(made.key, choice),
        "requests": [asdict(sent) for sent in made.requests],
        "seconds": round(made.seconds, 3),
        "outcome": outcome,
        "failure": made.failure,
        "in_a_run": in_a_run(made, choice.search_engine, options.pages),
        "advice": list(advice(made, choice.search_engine, proxied=proxied)),
    }


def _proxy(choice: WebChoice, proxies: Proxies) -> str:
    """The proxy and where it is named, for people."""
    of_environment = choice.proxy == PROXY_OF_ENVIRONMENT
    if not proxies.shown:
        return "none" + (", as in the environment" if of_environment else "")
    return proxies.shown + (", of the environment" if of_environment else "")


def _seen(html: str, form: str) -> dict[str, str]:
    """A page's text in the form in which a model asks for it, or why it has none."""
    from bfcl_pipeline.world.tools.api import BoundExceeded
    from bfcl_pipeline.world.tools.web_search.page_text import page_text

    try:
        return {"text": page_text(html, form), "problem": ""}
    except (ValueError, BoundExceeded) as error:
        return {"text": "", "problem": str(error)}


def _recorded(key: SearchKey | FetchKey, choice: WebChoice) -> str:
    """When the outcome was recorded before, and by what; empty if it was not."""
    from bfcl_pipeline.world.web.cache import WebCache

    cache = WebCache(choice.cache)
    try:
        recorded = cache.read(cache.path(key))
    except WebError as error:
        return str(error)
    if recorded is None:
        return ""
    return f"{recorded.recorded_at:%Y-%m-%d %H:%M} UTC by {recorded.engine}"


def _print(document: dict[str, Any]) -> None:
    asked = document["asked"]
    words = {"search": "keywords", "fetch": "url"}[asked["function"]]
    for name, value in (
        (asked["function"], asked[words]),
        ("region", asked.get("region", "")),
        ("by", document["software"]),
        ("note", document["note"]),
        ("proxy", document["proxy"]),
        ("recorded", document["recorded_before"]),
    ):
        if value:
            _row(name, value)
    print()
    if document["requests"]:
        print(_requests(document["requests"], str((document["outcome"] or {}).get("message", ""))))
        print()
    _print_outcome(document)
    print()
    _row("in a run", document["in_a_run"])
    for number, line in enumerate(document["advice"], 1):
        _row("" if number > 1 else "to do", f"{number}. {line}")


def _requests(sent: Sequence[dict[str, Any]], message: str) -> str:
    """The table of requests; under it why some have no complete answer.

    message: is printed too, so a reason that contains it is left out.
    """
    rows = [
        (
            one["method"],
            _line(one["host"]),
            str(one["status"] or "-"),
            f"{one['bytes']:,}",
            "-" if one["seconds"] is None else f"{1000 * one['seconds']:,.0f}",
            _line(one["kind"]) or "-",
        )
        for one in sent
    ]
    table = text_table(("request", "host", "status", "bytes", "ms", "type"), rows)
    problems = dict.fromkeys(  # retries have the same one
        _wrapped(f"{one['host']}: {one['problem']}", "  ")
        for one in sent
        if one["problem"] and not (message and message in one["problem"])
    )
    return "\n".join([table, *problems])


def _print_outcome(document: dict[str, Any]) -> None:
    took = f"{document['seconds']:.1f} s"
    match document["outcome"]:
        case {"kind": "hits", "hits": []}:
            print(f"No results, as the site itself says, after {took}.")
        case {"kind": "hits", "hits": hits}:
            shown = "" if len(hits) <= _SHOWN_RESULTS else f" The first {_SHOWN_RESULTS}:"
            print(f"{len(hits)} result{'s' if len(hits) > 1 else ''} in {took}.{shown}")
            for number, hit in enumerate(hits[:_SHOWN_RESULTS], 1):
                print("\n".join(_hit(number, hit)))
        case {
            "kind": "page",
            "characters": characters,
            "form": form,
            "text": str(text),
            "problem": problem,
        }:
            lines = text.splitlines()
            print(f"{characters:,} characters in {took}. In the form {form!r} a model sees:")
            for line in lines[:_SHOWN_LINES]:
                print(f"  {_to_the_border(line)}".rstrip())
            if len(lines) > _SHOWN_LINES:
                print(f"  ... ({len(lines) - _SHOWN_LINES:,} more lines)")
            if problem:
                print(_wrapped(f"an error: {problem}", "  "))
        case {"kind": "failure", "message": message}:
            print(f"A failure after {took}. A model sees this text:")
            print(_wrapped(message, "  ", _LONGEST_FAILURE))
        case _:
            print(f"Nothing after {took}:")
            print(_wrapped(document["failure"], "  ", _LONGEST_FAILURE))


def _hit(number: int, hit: dict[str, str]) -> Iterator[str]:
    yield f"{number:>2}. {_line(hit['title'])}"
    yield f"    {_line(hit['href'])}"
    if hit["body"]:
        yield _wrapped(hit["body"], "    ")


def _row(name: str, value: str) -> None:
    print(_wrapped(value, _NAMED.format(""), _LONGEST_FAILURE, first=_NAMED.format(name)))


def _wrapped(text: str, indent: str, longest: int = _LONGEST, first: str | None = None) -> str:
    return textwrap.fill(
        _line(text, longest),
        _columns(),
        initial_indent=indent if first is None else first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _to_the_border(line: str) -> str:
    """A line of a page as far as the terminal shows it."""
    shown, room = _line(line), _columns() - 2
    return shown if len(shown) <= room else f"{shown[: room - 1]}\N{HORIZONTAL ELLIPSIS}"


def _columns() -> int:
    return max(_NARROWEST, min(_WIDEST, shutil.get_terminal_size().columns))


def _line(text: str, longest: int = _LONGEST) -> str:
    return on_one_line(printable(cut(text, longest)))


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 10:
        raise argparse.ArgumentTypeError(f"expected a number from 1 to 10, got {text!r}")
    return int(text)
