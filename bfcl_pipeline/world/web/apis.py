"""The web APIs of each mode of the web, as scoring uses them: simulated, or replayed from the web cache.

Nothing here makes a request or imports an HTTP client; `api_recording` does.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import cast

from bfcl_pipeline.base.errors import NotRecorded
from bfcl_pipeline.benchmark.config.job import RECORDED_MODES
from bfcl_pipeline.dialogue.release_texts import read_recorded_calls
from bfcl_pipeline.world.executables import ApiAnswer, ApiRequest, Apis, NoApis, SimulatedApis
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.keys import ApiKey


def why_unanswered(request: ApiRequest) -> str:
    """Why a verdict has no answer to a request that the web cache lacks, for a person.

    The directory is not named: the text is in tables, which do not depend on where a cache is.
    """
    return (
        f"The web cache has no answer to the {ApiKey(request)}. Record it (web=record), or give a "
        "web cache that has it (--cache)."
    )


class ReplayingApis:
    """The web cache as web APIs. Raises NotRecorded for a missing answer, WebError for a damaged one."""

    def __init__(self, cache: WebCache) -> None:
        self._cache = cache

    def get(self, request: ApiRequest) -> ApiAnswer:
        """The recorded answer."""
        answer = self._cache.find(ApiKey(request))
        if answer is None:
            raise NotRecorded(why_unanswered(request))
        return cast("ApiAnswer", answer)


@dataclass(frozen=True, slots=True)
class ApisByMode:
    """The web APIs by the column `web` of a response, without sending anything. A `judging.ApisOf`."""

    data: Path  # the staged release
    cache: Path  # the web cache

    def __call__(self, web: str | None) -> Apis:
        """The APIs of one mode of the web; of an answer without a mode, the simulated ones."""
        if web in (None, "simulated"):
            return SimulatedApis(read_recorded_calls(self.data))
        if web in RECORDED_MODES:
            return ReplayingApis(WebCache(self.cache))
        return NoApis(f"Answers of web APIs are not recorded in the web mode {web}.")
