"""Data in the form in which the page carries them: JSON, compressed, in letters that no markup contains.

The browser decodes them with what every browser has: base64, gzip, JSON.
"""

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import pyarrow as pa

from bfcl_pipeline.base.text import valid_unicode


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


def records_block(records: Mapping[str, Any]) -> Block:
    """The block of records by id, in which an item that occurs several times is stored once.

    Questions over one memory have the same texts before them, entries of one API the same functions; these
    lie further apart than compression looks back.

    records: values of `transcripts.as_json`. In the block, `{"item": 3}` in the place of an item is the
    fourth of the list `items`.
    """
    counts: Counter[str] = Counter()
    first: dict[str, Any] = {}
    for item in _items(list(records.values())):
        key = _key(item)
        counts[key] += 1
        first.setdefault(key, item)
    places = {key: place for place, key in enumerate(key for key, number in counts.items() if number > 1)}
    return Block.of(
        {
            "items": [first[key] for key in places],
            "records": {name: _with_places(record, places) for name, record in records.items()},
        }
    )


def _key(item: Any) -> str:
    """Equal for items that are the same as JSON, whose objects have their names in one order."""
    return repr(item)


def _items(value: Any) -> Iterator[Any]:
    """The items anywhere in a value."""
    if isinstance(value, dict):
        if "kind" in value:
            yield value
            return
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from _items(part)


def _with_places(value: Any, places: Mapping[str, int]) -> Any:
    """A value with the places of items that occur several times in their place."""
    if isinstance(value, list):
        return [_with_places(part, places) for part in value]
    if not isinstance(value, dict):
        return value
    if "kind" in value:
        place = places.get(_key(value))
        return value if place is None else {"item": place}
    return {name: _with_places(part, places) for name, part in value.items()}
