"""What the embedded models share: the row that describes them."""

from __future__ import annotations

from dataclasses import dataclass

from bfcl_pipeline.config import ModelRow
from bfcl_pipeline.records import Mode


@dataclass(frozen=True, slots=True)
class EmbeddedModel:
    """A model that answers in this process."""

    row: ModelRow  # how config/models.yaml describes it

    @property
    def name(self) -> str:
        """As in config/models.yaml."""
        return self.row.name

    @property
    def mode(self) -> Mode:
        """How it is given the functions."""
        return self.row.mode
