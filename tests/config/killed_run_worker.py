"""A run that is to be killed, or suspended: it marks its folder as Snakemake does and writes half a table.

Usage: killed_run_worker.py STATE TABLE [HOST]. Says `ready`, then waits for the end of its input.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from bfcl_pipeline.config import clear_killed_run
from bfcl_pipeline.ownership import Rhythm, this_process
from bfcl_pipeline.tables import atomic_path

state, table, *host = sys.argv[1:]
here = replace(this_process(), host=host[0]) if host else this_process()
assert clear_killed_run(Path(state), [], rhythm=Rhythm(beat=0.05), here=here) is not None
mark = Path(state) / "locks/0.output.lock"
mark.parent.mkdir(exist_ok=True)
mark.write_text(f"{table}\n")
with atomic_path(Path(table)):
    print("ready", flush=True)
    sys.stdin.read()
