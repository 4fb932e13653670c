"""An offline-reproducible evaluation pipeline for the Berkeley Function-Calling Leaderboard V4.

docs/python.md documents the names below, docs/architecture.md the rooms of the package. Importing the
package has no effects and loads nothing: a name of the API is imported when it is first used.
"""

TYPE_CHECKING = False  # type checkers take it for true; importing it from typing would take milliseconds
if TYPE_CHECKING:
    from bfcl_pipeline.api import (
        Job,
        Selection,
        WebChoice,
        load_model,
        read_tables,
        replay,
        response_frame,
        run_job,
        sample_by_weight,
        score,
        verify,
    )
    from bfcl_pipeline.base import __version__ as __version__

__all__ = [
    "Job",
    "Selection",
    "WebChoice",
    "load_model",
    "read_tables",
    "replay",
    "response_frame",
    "run_job",
    "sample_by_weight",
    "score",
    "verify",
]


def __getattr__(name: str) -> object:
    if name == "__version__":
        from bfcl_pipeline import base

        return base.__version__
    if name in __all__:
        from bfcl_pipeline import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
