"""What the embedded models share: the row that describes them."""

from __future__ import annotations

from collections.abc import Sequence

from bfcl_pipeline.config import ModelRow
from bfcl_pipeline.records import Entry, Mode


class EmbeddedModel:
    """A model that answers in this process."""

    __slots__ = ("row",)

    def __init__(self, row: ModelRow) -> None:
        self.row = row  # how config/models.yaml describes it

    @property
    def name(self) -> str:
        """As in config/models.yaml."""
        return self.row.name

    def meet(self, entries: Sequence[Entry]) -> None:
        """Most do not listen."""

    @property
    def mode(self) -> Mode:
        """How it is given the functions."""
        return self.row.mode
