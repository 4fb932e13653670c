"""`bfcl-pipeline web try`: one live search or fetch now, through the code of a run.

Prints the requests with their statuses, what came, whether a run would record it, and what to do about a
refusal. Nothing is recorded.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import textwrap
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from bfcl_pipeline.cli.web.status import add_record
from bfcl_pipeline.config.config_file import configured_value
from bfcl_pipeline.config.job import SEARCH_ENGINE_KEYS, SEARCH_ENGINES, WebChoice
from bfcl_pipeline.errors import ConfigError, WebError
from bfcl_pipeline.secrets import Redactor
from bfcl_pipeline.text import cut, on_one_line, plural, printable, text_table, unknown_name

HELP = "search or fetch once, live: what comes, and whether a run would record it; records nothing"

_REGION = "wt-wt"
_FORMS = ("raw", "markdown", "truncate")  # of a page, as models can ask for it
_SHOWN_RESULTS = 5
_SHOWN_LINES = 12  # of a page
_LONGEST = 300  # characters of a title, an address, a snippet, a line
_LONGEST_FAILURE = 1_000  # characters
_LONGEST_ASKED = 20_000  # characters; a run asks for no more
_WIDEST = 120  # columns
_NAMES = 9  # columns of what stands before a value
_ADDRESS = re.compile(
    r"[a-z][a-z0-9+.-]{0,20}://.*|(?:[a-z0-9-]{1,63}\.){1,9}[a-z]{2,24}(?::[0-9]+)?(?:/\S*)?",
    re.IGNORECASE | re.DOTALL,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the action. What is not given is as in config/config.yaml."""
    add = parser.add_argument
    add("asked", metavar="QUERY|URL", help="what to search for, or the address of a page to fetch")
    add("--search", action="store_true", help="search for the text, although it looks like an address")
    add("--search-engine", choices=SEARCH_ENGINES, help="default: that of the config")
    add("--region", default=_REGION, metavar="XX-XX", help=f"of the search (default: {_REGION}, none)")
    add(
        "--pages",
        type=_count,
        default=1,
        metavar="N",
        help="ask for up to N pages of results (default: 1; a run asks for more, up to 30 results)",
    )
    add("--proxy", metavar="URL", help="environment, none, or an address (default: that of the config)")
    add("--retry", action="store_true", help="after a refusal, ask again as a run does, which takes minutes")
    add("--as", dest="form", choices=_FORMS, default=_FORMS[0], help="form of the page (default: raw)")
    add_record(parser, "web cache in which to look whether this is recorded already")
    add("--json", action="store_true", help="print all of it as JSON")


def run(options: argparse.Namespace) -> int:
    """Prints what came. Returns 1 if it was nothing that a run would record."""
    from bfcl_pipeline.web.attempt import attempt  # loads the HTTP clients

    raise NotImplementedError


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 10:
        raise argparse.ArgumentTypeError(f"expected a number from 1 to 10, got {text!r}")
    return int(text)
