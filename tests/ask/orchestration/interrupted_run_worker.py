"""A run to be killed or suspended: it writes lock files like Snakemake's, and half a table.

Usage: interrupted_run_worker.py STATE TABLE [HOST]. Prints `ready`, then waits for the end of its input.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from bfcl_pipeline.ask.orchestration.interrupted_run import clear_interrupted_runs
from bfcl_pipeline.base.files import atomic_path
from bfcl_pipeline.base.leases import LeaseTiming
from bfcl_pipeline.base.process import this_process

state, table, *host = sys.argv[1:]
here = replace(this_process(), host=host[0]) if host else this_process()
timing = LeaseTiming(heartbeat_seconds=0.05)
assert clear_interrupted_runs(Path(state), [], timing=timing, here=here) is not None
mark = Path(state) / "locks/0.output.lock"
mark.parent.mkdir(exist_ok=True)
mark.write_text(f"{table}\n")
with atomic_path(Path(table)):
    print("ready", flush=True)
    sys.stdin.read()
