"""Snakemake, as `python -m snakemake` is, but for one thing: how often it looks at the queue of a cluster.

The plugin for SLURM looks after a few seconds, and after ten more each time that no job has ended. Tests
would wait for that and prove nothing by it. What runs inside jobs is Snakemake as it is.
"""

from __future__ import annotations

import asyncio
import sys

from snakemake.cli import main
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor

LOOK_SECONDS = 0.5


async def _short_sleep(executor: RemoteExecutor) -> None:
    await asyncio.sleep(LOOK_SECONDS)


if __name__ == "__main__":
    RemoteExecutor.sleep = _short_sleep  # type: ignore[method-assign]
    sys.exit(main())
