"""The web APIs of each mode of the web: simulated, recorded into the web cache, or replayed from it."""

from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.executables import Apis, NoApis, SimulatedApis
from bfcl_pipeline.tables.texts import read_recorded_calls


@dataclass(frozen=True, slots=True)
class ApisByMode:
    """The web APIs by the column `web` of a response, without sending anything. A `judging.ApisOf`."""

    data: Path  # the staged release
    cache: Path  # the web cache

    def __call__(self, web: str | None) -> Apis:
        """The APIs of one mode of the web; of an answer without a mode, the simulated ones."""
        if web in (None, "simulated"):
            return SimulatedApis(read_recorded_calls(self.data))
        return NoApis(f"The web was {web} in this run.")
