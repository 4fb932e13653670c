"""The benchmark as an environment in which agents are trained and tested: episodes, splits, two interfaces.

A wing: nothing else of the package needs it but the command of splits.
"""

from bfcl_pipeline.environments.answers import PolicyAnswer
from bfcl_pipeline.environments.episode import (
    REFUSED,
    Answered,
    ChatRequest,
    Episode,
    Snapshot,
    oracle_answers,
)

__all__ = [
    "REFUSED",
    "Answered",
    "ChatRequest",
    "Episode",
    "PolicyAnswer",
    "Snapshot",
    "oracle_answers",
]
