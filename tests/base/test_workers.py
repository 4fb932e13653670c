"""Worker processes end with the process that started them."""

import subprocess
import sys

from tests.support import ROOT

_KILLED = """
import os, signal
from bfcl_pipeline.base.workers import process_pool
with process_pool(2) as pool:
    print(*pool.map(abs, [-1, 2]), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_workers_end_with_a_killed_parent():
    """They hold its standard output open as long as they live."""
    done = subprocess.run([sys.executable, "-c", _KILLED], cwd=ROOT, stdout=subprocess.PIPE, timeout=300)
    assert done.stdout == b"1 2\n"
    assert done.returncode < 0
