"""Failures put into a web on purpose: some of the pages that would come do not.

Covers which fetch fails and with which text. The texts are those that the release once simulated
failures with, a feature that it has switched off. What fails is drawn anew for each attempt from a hash
of what is fetched, so that neither order nor parallelism matters. Searches never fail.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from urllib.parse import urlparse

from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.tools.web import Failure, Hits, Page, Web

_LEAST_ID, _MOST_ID = 0x10000000, 0xFFFFFFFE  # of objects in memory, as the release draws them


class Faulty:
    """A web as one conversation meets it, with failures put in."""

    def __init__(
        self, web: Web, probability: float, seed: int, entry_id: str, templates: Sequence[str]
    ) -> None:
        """probability: of a fetch, 0 to 1. templates: texts with the fields url, host, path, id1, id2.

        Raises ConfigError if the probability is none or there is no text.
        """
        if not 0 <= probability <= 1 or not templates:
            raise ConfigError(
                "failures of pages: expected a probability from 0 to 1 and a text at least, got "
                f"{probability} and {len(templates)} texts. Change it in the configuration."
            )
        self._web = web
        self._probability = probability
        self._seed = seed
        self._entry_id = entry_id
        self._templates = templates
        self._attempts: Counter[str] = Counter()  # by URL

    def search(self, keywords: str, region: str) -> Hits | Failure:
        """What the web answers."""
        return self._web.search(keywords, region)

    def fetch(self, url: str) -> Page | Failure:
        """What the web answers, or a failure in the place of a page.

        The web is asked in any case, so that what a record holds does not depend on what fails here.
        """
        self._attempts[url] += 1
        outcome = self._web.fetch(url)
        return outcome if isinstance(outcome, Failure) else self._failure(url) or outcome

    def _failure(self, url: str) -> Failure | None:
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
        return Failure(message)


def _object_id(drawn: bytes) -> int:
    return _LEAST_ID + int.from_bytes(drawn) % (_MOST_ID - _LEAST_ID + 1)
