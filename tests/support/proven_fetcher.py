"""A fetcher that holds each outcome against its cassette: played without network, it must be the same."""

from __future__ import annotations

from typing import Any

from bfcl_pipeline.world.tools.web_search.web import Page, WebFailure
from bfcl_pipeline.world.web.evidence.playing import CassettePlayer, playing
from bfcl_pipeline.world.web.evidence.tape import taping
from bfcl_pipeline.world.web.fetcher import Fetcher


class ProvenFetcher(Fetcher):
    """A `Fetcher` whose every outcome is played again from its cassette and compared."""

    def fetch(self, url: str) -> Page | WebFailure:
        """The outcome, live. Raises AssertionError if its cassette says something else."""
        with taping() as tape:
            live = super().fetch(url)
        cassette = tape.cassette()
        if cassette is not None:
            player = CassettePlayer(cassette)
            offline = Fetcher(
                self.limits, allow_private=self._allow_private, proxies=self._proxies, lookup=_unreachable
            )
            with playing(player):
                assert offline.fetch(url) == live, cassette
            assert player.left() == 0
        return live


def _unreachable(*_: Any) -> list[Any]:
    raise AssertionError("a fetch that is played looks up a name")
