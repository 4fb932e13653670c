"""The interface of a text encoder for the vector memory.

The memory rejects values that cannot be encoded and passes only texts. A failure of the encoder itself (no
model, out of memory) is raised as `errors.ModelError` and becomes a status of the entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DIMENSIONS = 384
"""Numbers in an embedding."""


class Encoder(Protocol):
    """Turns texts into embeddings; the embedding of a text depends only on that text.

    The vector memory encodes one text at a time, and the same texts in every entry that starts from the
    same memory, so an encoder should cache them.
    """

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of `DIMENSIONS` numbers per text, normalised to length 1. Raises ModelError."""
