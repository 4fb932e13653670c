"""How a run presents its web to a conversation: the tools that are offered, and the world behind them.

Covers the name of the search tool, a web without tools, and injected failures: some fetches fail on
purpose, with the texts of the release's failure simulation, which the release has switched off; as there
and in the post on web search, the model sees them alone, without the prefix of a real failure. `jobs`
presents a web that answers; `playback` presents the recorded one.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from urllib.parse import urlparse

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config.job import SEARCH_TOOL, WebChoice
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.world.tools import WorldConfig
from bfcl_pipeline.world.tools.web_search.web import Hits, Page, Web, WebFailure


def searches(entry: Entry) -> bool:
    """Whether the entry is of a web category."""
    return CATEGORIES[entry.category].check is Check.WEB_SEARCH


def present_entry(entry: Entry, web: WebChoice) -> Entry:
    """`entry` with the web tools as `web` has them: the search tool renamed, or no tools at all."""
    if not searches(entry):
        return entry
    if web.mode == "off":
        return replace(entry, functions=(), apis=())
    renamed = [
        {**doc, "name": web.search_tool} if doc["name"] == SEARCH_TOOL else doc for doc in entry.functions
    ]
    return replace(entry, functions=tuple(renamed))


def with_web(config: WorldConfig, entry: Entry, web: Web, choice: WebChoice, seed: int) -> WorldConfig:
    """`config` with `web` as the conversation over `entry` reaches it. seed: of injected failures."""
    if choice.fetch_failures:
        templates = config.constants.items("web_search", "ERROR_TEMPLATES")
        web = Faulty(web, choice.fetch_failures, seed, entry.entry_id, templates)
    return replace(config, web=web, aliases={choice.search_tool: SEARCH_TOOL})


_LEAST_ID, _MOST_ID = 0x10000000, 0xFFFFFFFE  # of objects in memory, as the release draws them


class Faulty:
    """The web of one conversation, with injected failures."""

    def __init__(
        self, web: Web, probability: float, seed: int, entry_id: str, templates: Sequence[str]
    ) -> None:
        """probability: of failure, 0 to 1. templates: texts with the fields url, host, path, id1, id2.

        Raises ConfigError if the probability is outside that range or there is no text.
        """
        if not 0 <= probability <= 1 or not templates:
            raise ConfigError(
                "fetch failures: expected a probability from 0 to 1 and at least one text, got "
                f"{probability} and {len(templates)} texts. Change the configuration."
            )
        self._web = web
        self._probability = probability
        self._seed = seed
        self._entry_id = entry_id
        self._templates = templates
        self._attempts: Counter[str] = Counter()  # by URL

    def search(self, keywords: str, region: str) -> Hits | WebFailure:
        """The results of the wrapped web."""
        return self._web.search(keywords, region)

    def fetch(self, url: str) -> Page | WebFailure:
        """The outcome of the wrapped web, or an injected failure instead of a page.

        The wrapped web is always called, so that the web cache does not depend on the injected failures.
        """
        self._attempts[url] += 1
        outcome = self._web.fetch(url)
        return outcome if isinstance(outcome, WebFailure) else self._failure(url) or outcome

    def _failure(self, url: str) -> WebFailure | None:
        drawn_from = json.dumps([self._seed, self._entry_id, url, self._attempts[url]])
        drawn = sha256(drawn_from.encode()).digest()
        if int.from_bytes(drawn[:6]) / 2**48 >= self._probability:
            return None
        parts = urlparse(url)  # the path is without what follows a semicolon, as in the release
        template = self._templates[int.from_bytes(drawn[6:14]) % len(self._templates)]
        message = template.format(
            url=url,
            host=parts.hostname or "unknown",
            path=parts.path or "/",
            id1=_object_id(drawn[14:22]),
            id2=_object_id(drawn[22:30]),
        )
        return WebFailure(message, injected=True)


def _object_id(drawn: bytes) -> int:
    return _LEAST_ID + int.from_bytes(drawn) % (_MOST_ID - _LEAST_ID + 1)
