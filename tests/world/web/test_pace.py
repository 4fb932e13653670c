"""The pause between two requests to one host."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest

from bfcl_pipeline.world.web import pace as pace_module
from bfcl_pipeline.world.web.evidence.playing import CassettePlayer, playing
from bfcl_pipeline.world.web.pace import LONGEST_AHEAD_SECONDS, LONGEST_HOLD_SECONDS, HostPace
from tests.support.paused_time import PausedTime
from tests.support.web_server import Asked, WebServer, http


@pytest.fixture
def time_() -> PausedTime:
    return PausedTime()


def paced(at: PausedTime, folder: Path | None, pause: float = 2.0) -> HostPace:
    """A pace of one process."""
    return HostPace(pause, folder, clock=at.clock, sleep=at.sleep)


DAY = -86_400.0

STEPS = [
    # The first request starts at once, each further one a pause after the one before; other hosts are not
    # affected. A number is time that passes.
    ([("one", "a"), ("one", "a"), ("one", "a"), ("one", "b"), 1.5, ("one", "A.")], [0, 2, 2, 0, 0.5]),
    # What one process starts, another one waits for.
    ([("one", "a"), ("other", "a"), ("one", "a")], [0, 2, 2]),
    # After the clock was set back by a day, a request waits for one pause.
    ([("one", "a"), DAY, ("one", "a")], [0, 2]),
]


@pytest.mark.parametrize(("steps", "waited"), STEPS, ids=range(len(STEPS)))
def test_requests_to_a_host_are_a_pause_apart(
    time_: PausedTime, tmp_path: Path, steps: list[float | tuple[str, str]], waited: list[float]
) -> None:
    """By files, over all processes; and in one process without them."""
    processes = {"one": paced(time_, tmp_path), "other": paced(time_, tmp_path)}
    assert _waits(time_, steps, processes) == waited
    alone = paced(time_, None)
    assert _waits(time_, steps, {"one": alone, "other": alone}) == waited


def _waits(
    at: PausedTime, steps: list[float | tuple[str, str]], processes: dict[str, HostPace]
) -> list[float]:
    waits = []
    for step in steps:
        if isinstance(step, tuple):
            waits.append(processes[step[0]].wait(f"{step[1][0]}.example{step[1][1:]}"))
        else:
            at.now += step
    return waits


def test_pauses_of_their_own(time_: PausedTime, tmp_path: Path) -> None:
    """A host may have a pause of its own. 0 means none, also after a host asked for one, and no file."""
    pace = HostPace(2.0, of_hosts={"a.example": 0.25}, clock=time_.clock, sleep=time_.sleep)
    assert [pace.wait(f"{host}.example") for host in "aabb"] == [0.0, 0.25, 0.0, 2.0]
    none = paced(time_, tmp_path / "pace", 0.0)
    none.hold("a.example", 60)
    assert [none.wait("a.example") for _ in range(3)] == [0.0] * 3
    assert not (tmp_path / "pace").exists()


def test_a_requested_wait_holds_for_all(time_: PausedTime, tmp_path: Path) -> None:
    """A Retry-After that one process sees holds back the others, those that wait already included."""
    one, other = paced(time_, tmp_path), paced(time_, tmp_path)
    one.wait("a.example")
    time_.meanwhile = lambda: one.hold("a.example", 30)
    assert other.wait("a.example") == 32.0
    assert time_.slept == [2.0, 30.0]
    one.hold("a.example", 1e9)
    assert other.wait("a.example") == LONGEST_HOLD_SECONDS
    one.hold("a.example", None)
    assert other.wait("a.example") == 2.0


def test_a_booked_start_that_nobody_uses_costs_one_pause(time_: PausedTime, tmp_path: Path) -> None:
    """A process that is killed while it waits leaves a gap of one pause."""
    killed, other = paced(time_, tmp_path), paced(time_, tmp_path)
    killed.wait("a.example")

    def kill() -> None:
        raise KeyboardInterrupt

    time_.meanwhile = kill
    with pytest.raises(KeyboardInterrupt):
        killed.wait("a.example")
    time_.now -= 2.0  # the moment at which it was killed
    assert other.wait("a.example") == 4.0
    assert killed.wait("a.example") == 2.0  # its queue goes on


@pytest.mark.parametrize(
    ("content", "most"),
    [
        *((one, 0.0) for one in (b"", b"\xff\x00", b"nan 1 1 1", b"inf inf inf inf", b"1 2 3", b"9" * 300)),
        (b"1 2 3 1e300", 0.0),
        (b"1e300 1e300 1e300 1e300", LONGEST_AHEAD_SECONDS),
    ],
)
def test_a_damaged_file_begins_anew(time_: PausedTime, tmp_path: Path, content: bytes, most: float) -> None:
    """What is not a time is ignored, and the wait that a file may cause is bounded."""
    pace = paced(time_, tmp_path)
    pace.wait("a.example")
    (file,) = tmp_path.iterdir()
    file.write_bytes(content)
    assert pace.wait("a.example") <= most
    assert pace.wait("a.example") == 2.0


@pytest.mark.parametrize("obstacle", ["folder", "lock"])
def test_without_files_or_locks_the_pause_holds_in_the_process(
    time_: PausedTime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, obstacle: str
) -> None:
    """Where no file can be made or locked, the threads of the process still keep the pause."""
    folder = tmp_path / "pace"
    if obstacle == "folder":
        folder.write_text("not a directory")
    else:

        def refuse(*_: object) -> None:
            raise OSError("no locks")

        monkeypatch.setattr(pace_module.fcntl, "flock", refuse)
    pace = paced(time_, folder)
    assert [pace.wait("a.example") for _ in range(3)] == [0.0, 2.0, 2.0]


def test_played_requests_do_not_wait(time_: PausedTime) -> None:
    """While a cassette is played nothing is sent, so nothing waits."""

    pace = paced(time_, None)
    with playing(CassettePlayer(None)):
        assert [pace.wait("a.example") for _ in range(2)] == [0.0, 0.0]


def test_threads_take_turns(tmp_path: Path) -> None:
    """Each of 200 threads waits for a pause after the one before it."""
    at = PausedTime()
    pace = paced(at, tmp_path)
    pace.wait("a.example")
    with ThreadPoolExecutor(200) as threads:
        assert [*threads.map(pace.wait, ["a.example"] * 200)] == [2.0] * 200
    assert at.slept == [2.0] * 200


def test_real_processes_keep_the_pause(server: WebServer, tmp_path: Path) -> None:
    """Four processes, one of which is killed, never start two requests within the pause, and each of the
    others gets its turns."""
    arrived: list[float] = []

    def answering(_: Asked) -> bytes:
        arrived.append(time.time())
        return http("", "204 No Content")

    server.answering = answering
    pause, each = 0.1, 4
    worker = [
        sys.executable,
        "-m",
        "tests.world.web.pace_worker",
        str(tmp_path),
        server.address,
        str(pause),
    ]
    began = time.time()
    workers = [
        subprocess.Popen([*worker, str(number)], stdout=subprocess.PIPE, text=True)
        for number in (each, each, each, 1_000_000)
    ]
    doomed = workers.pop()
    assert doomed.stdout is not None
    before = [doomed.stdout.readline() for _ in range(2)]
    doomed.send_signal(signal.SIGKILL)
    rest, _ = doomed.communicate()
    printed = [worker.communicate()[0] for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0, 0]
    assert [len(lines.split()) for lines in printed] == [each] * 3
    starts = sorted(map(float, " ".join([*before, rest, *printed]).split()))
    assert all(later - earlier >= 0.99 * pause for earlier, later in pairwise(starts))
    assert len(arrived) >= 3 * each
    assert max(arrived) - began >= (len(arrived) - 1) * pause * 0.99
