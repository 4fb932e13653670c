"""The simulated APIs of the multi-turn and agentic categories, and running calls against them. No I/O."""

from bfcl_pipeline.benchmark.constants import Constants
from bfcl_pipeline.world.tools.api import Effect, WorldConfig, effects
from bfcl_pipeline.world.tools.state import plain, snapshot
from bfcl_pipeline.world.tools.world import APIS, World, parameters_of

__all__ = [
    "APIS",
    "Constants",
    "Effect",
    "World",
    "WorldConfig",
    "effects",
    "parameters_of",
    "plain",
    "snapshot",
]
