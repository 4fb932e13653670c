"""Data in the form in which the page carries them: JSON, compressed, in letters that no markup contains.

The browser decodes them with what every browser has: base64, gzip, JSON.
"""

import base64
import hashlib
import json
from dataclasses import dataclass
from typing import Any, Self

import pyarrow as pa

from bfcl_pipeline.text import valid_unicode


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of the page's data."""

    digest: str  # of its content, by which the page recognises a file of another report
    text: str  # base64

    @classmethod
    def of(cls, value: Any) -> Self:
        """The block of a value that JSON can hold; equal values give equal text on every machine."""
        plain = valid_unicode(json.dumps(value, ensure_ascii=False, separators=(",", ":"))).encode()
        packed = pa.compress(plain, codec="gzip", asbytes=True)  # its own zlib, the same everywhere
        return cls(hashlib.sha256(plain).hexdigest()[:16], base64.b64encode(packed).decode())

    def script(self, name: str) -> str:
        """The block as a script file, for a page opened from disk, which may load nothing else.

        name: letters and digits, chosen by the page.
        """
        return f'bfcl_data("{name}","{self.digest}","{self.text}");\n'
