"""Texts of web pages that several conversations fetched: each page is converted once.

Converting a large page takes a tenth of a second, and the models of a run fetch the same pages. Texts are
kept compressed up to a bound; what came first stays, since models are played one after the other, each with
the pages of the one before.
"""

import hashlib
import zlib
from dataclasses import dataclass, field

MOST_BYTES = 100_000_000
"""Of compressed texts that are kept."""


@dataclass(slots=True)
class PageTexts:
    """Converts pages, and remembers their texts."""

    most: int = MOST_BYTES
    _texts: dict[tuple[bytes, str], bytes] = field(default_factory=dict)
    _size: int = 0

    def text(self, html: str, mode: str) -> str:
        """As `page_text` returns it. Raises ValueError and BoundExceeded as it does."""
        # Its parser is slow to import, and few runs have pages.
        from bfcl_pipeline.world.tools.web_search.page_text import page_text

        if mode == "raw":
            return page_text(html, mode)
        key = (hashlib.sha256(html.encode("utf-8", "surrogatepass")).digest(), mode)
        kept = self._texts.get(key)
        if kept is not None:
            return zlib.decompress(kept).decode("utf-8", "surrogatepass")
        text = page_text(html, mode)
        if self._size < self.most:
            self._texts[key] = zlib.compress(text.encode("utf-8", "surrogatepass"), 1)
            self._size += len(self._texts[key])
        return text
