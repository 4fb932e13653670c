"""The functions of V1's executable categories: run by look-up, with bounded work.

Covers the value of a call (`Evaluator`), the functions without and with network, the HTTP requests of the
category rest, and the simulated network. The network is used through `Apis` only. What a verdict makes of a
value is `scoring.executable`; `web.api_recording` records the network, and `web.apis` replays it.
"""

from bfcl_pipeline.world.executables.apis import ApiAnswer, ApiRequest, Apis, NoApis
from bfcl_pipeline.world.executables.evaluation import Evaluator, ExecutionFailed, read_call
from bfcl_pipeline.world.executables.rest import api_request, reference_request
from bfcl_pipeline.world.executables.simulated import SimulatedApis

__all__ = [
    "ApiAnswer",
    "ApiRequest",
    "Apis",
    "Evaluator",
    "ExecutionFailed",
    "NoApis",
    "SimulatedApis",
    "api_request",
    "read_call",
    "reference_request",
]
