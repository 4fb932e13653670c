"""What the embedded models have in common: the row that describes them."""

from collections.abc import Sequence

from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.records import Entry, Mode


class EmbeddedModel:
    """A model that answers in this process."""

    __slots__ = ("row",)

    def __init__(self, row: ModelRow) -> None:
        self.row = row  # how config/models.yaml describes it

    @property
    def name(self) -> str:
        """As in config/models.yaml."""
        return self.row.name

    def prepare(self, entries: Sequence[Entry]) -> None:
        """Does nothing: a model that prepares for the entries overrides it."""

    @property
    def mode(self) -> Mode:
        """How it is given the functions."""
        return self.row.mode
