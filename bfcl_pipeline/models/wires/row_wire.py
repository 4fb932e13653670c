"""What all adapters have in common: the row of the model that they ask."""

from __future__ import annotations

from bfcl_pipeline.config import ModelRow
from bfcl_pipeline.models.wires.expecting import Expecting
from bfcl_pipeline.models.wires.row_terms import asked_of, endpoint_of, identity_of, key_of
from bfcl_pipeline.records import Json, Mode

NO_SERVER = "its server"
"""Where a model answers that a run served, once that run is over."""


class RowWire:
    """A model behind an API, as its row describes it."""

    def __init__(self, row: ModelRow, endpoint: str | None = None, *, offline: bool = False) -> None:
        """endpoint: where it answers, if not where the row says.

        offline: it will only make bodies and read answers, for which it needs neither key nor address.
        """
        self._row = row
        if offline and endpoint is None and row.served:
            endpoint = NO_SERVER
        self._endpoint = endpoint_of(row, endpoint)
        self._expect = Expecting(asked_of(row, endpoint))
        self._key = None if offline else key_of(row)

    @property
    def name(self) -> str:
        """As in config/models.yaml."""
        return self._row.name

    @property
    def mode(self) -> Mode:
        """How it is given the functions."""
        return self._row.mode

    @property
    def identity(self) -> Json:
        """Who is asked where."""
        return identity_of(self._row)
