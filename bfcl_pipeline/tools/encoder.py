"""What the vector memory asks of an encoder of texts, whichever it is.

A text that cannot be encoded is the memory's business, which passes on texts only. A failure of the
machinery (no model, no memory left) is raised as `errors.ModelError` and becomes a status of the entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # numpy loads where it is used
    import numpy as np
    from numpy.typing import NDArray

DIMENSIONS = 384
"""Numbers in an embedding."""


class Encoder(Protocol):
    """Turns texts into embeddings; the embedding of a text depends on that text alone.

    The vector memory asks for one text at a time, and for the same texts again in every entry that
    starts from the same memory: an encoder does well to remember them.
    """

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of `DIMENSIONS` numbers for each text, of length 1. Raises ModelError."""
