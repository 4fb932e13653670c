"""Who may write what, among processes on any number of machines that share nothing but a file system."""

from bfcl_pipeline.ownership.owner import Owner, look, read_owner
from bfcl_pipeline.ownership.ownership import RHYTHM, Ownership
from bfcl_pipeline.ownership.process import Process, is_alive, this_process
from bfcl_pipeline.ownership.temporary import clear_temporaries, temporary_path
from bfcl_pipeline.ownership.watch import Fate, Rhythm, Watch

__all__ = [
    "RHYTHM",
    "Fate",
    "Owner",
    "Ownership",
    "Process",
    "Rhythm",
    "Watch",
    "clear_temporaries",
    "is_alive",
    "look",
    "read_owner",
    "temporary_path",
    "this_process",
]
