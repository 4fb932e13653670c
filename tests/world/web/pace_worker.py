"""Asks a host several times at its pace, for tests with several processes.

Prints the time of each start as the pace noted it, by the clock that all processes share.
"""

import sys
import time
import urllib.request
from pathlib import Path

from bfcl_pipeline.world.web.pace import HostPace


def main(folder: str, url: str, pause: float, requests: int) -> None:
    """Sends `requests` to `url`, `pause` seconds apart from all others that share `folder`."""
    noted: list[float] = []

    def clock() -> float:
        noted.append(time.time())
        return noted[-1]

    pace = HostPace(pause, Path(folder), clock=clock)
    for _ in range(requests):
        pace.wait("pages.example")
        print(repr(noted[-1]), flush=True)
        urllib.request.urlopen(url).close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4]))
