"""The web APIs of each mode of the web, as scoring uses them: simulated, or replayed from the web cache."""

from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.executables import Apis, NoApis, SimulatedApis
from bfcl_pipeline.tables.texts import read_recorded_calls
from bfcl_pipeline.web.api_recording import ReplayingApis
from bfcl_pipeline.web.cache import WebCache

RECORDED = ("record", "replay")
"""Modes of the web whose answers of web APIs are in the web cache."""


@dataclass(frozen=True, slots=True)
class ApisByMode:
    """The web APIs by the column `web` of a response, without sending anything. A `judging.ApisOf`."""

    data: Path  # the staged release
    cache: Path  # the web cache

    def __call__(self, web: str | None) -> Apis:
        """The APIs of one mode of the web; of an answer without a mode, the simulated ones."""
        if web in (None, "simulated"):
            return SimulatedApis(read_recorded_calls(self.data))
        if web in RECORDED:
            return ReplayingApis(WebCache(self.cache))
        return NoApis(f"Answers of web APIs are not recorded in the web mode {web}.")
