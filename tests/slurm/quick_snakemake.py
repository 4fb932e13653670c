"""Runs Snakemake like `python -m snakemake`, but checks the queue of the cluster more often.

The SLURM plugin checks after a few seconds, and ten seconds later each time that no job has ended, which
would only slow the tests down. Jobs themselves run unmodified Snakemake.
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
