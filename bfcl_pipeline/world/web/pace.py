"""A polite rate: at least a pause between the starts of two requests to one host.

Holds over all threads of a process and, by a small file for each host beside the web cache, over all
processes that share the cache: the two web categories of a model run as two jobs. Threads take turns,
processes go in the order in which they booked; a process books one start ahead, so that one that is killed
leaves a gap of one pause. Where files cannot be locked or written, the pause holds within the process.

The time in a file is that of the system clock, which may differ between machines or be set back: then
requests wait for at most as long as they would have at the moment when the file was written.
"""

import fcntl
import hashlib
import math
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass
from pathlib import Path

from bfcl_pipeline.world.web.evidence.playing import player

PAUSE_SECONDS = 2.0
"""Between two requests to one host, unless the run says otherwise."""

FOLDER = ".pace"
"""Of the files, in the directory of the web cache. It may be deleted while nothing is recorded."""

LONGEST_HOLD_SECONDS = 120.0
"""A host that asks for a longer wait (Retry-After) is asked again after this time."""

LONGEST_AHEAD_SECONDS = 100_000.0
"""A start further ahead was not booked here: such a file is damaged, and begins anew."""

_LOCK_ATTEMPTS = 500  # while other processes read and write the file, which takes microseconds
_LOCK_SECONDS = 0.01  # between two attempts
_LONGEST_FILE = 200  # bytes


@dataclass(slots=True)
class _PaceTimes:
    """What is known of one host; in seconds of the clock."""

    written: float = -math.inf  # when this was noted
    started: float = -math.inf  # the start of the last request
    booked: float = -math.inf  # before this, all starts are taken
    held: float = -math.inf  # before this, the host wants no request

    def read_at(self, now: float) -> None:
        """Moves all times back if the clock was set back since they were noted."""
        back = max(0.0, self.written - now)
        self.written = now
        self.started, self.booked, self.held = self.started - back, self.booked - back, self.held - back


class HostPace:
    """Keeps the requests to each host apart. Safe to use from several threads."""

    def __init__(
        self,
        pause: float = PAUSE_SECONDS,
        folder: Path | None = None,
        *,
        of_hosts: Mapping[str, float] | None = None,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """pause: seconds; 0: never any. folder: shared with other processes; None: of this one alone.

        of_hosts: the pauses of hosts that have one of their own.
        """
        self.pause = pause
        self._of_hosts = of_hosts or {}
        self._folder = folder
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._turns: dict[str, threading.Lock] = {}  # by place; held by the thread that waits for its start
        self._own: dict[str, _PaceTimes] = {}  # by place; where there is no file

    def wait(self, host: str) -> float:
        """Returns when a request to `host` may start, which it has to at once; the seconds waited."""
        pause = self._of_hosts.get(host, self.pause)
        if self.pause <= 0 or pause <= 0 or player() is not None:
            return 0.0
        place, waited = _place(host), 0.0
        with self._lock:
            turn = self._turns.setdefault(place, threading.Lock())
        with turn:
            left = self._book(place, pause)
            while left > 0:
                self._sleep(left)
                waited += left
                left = self._start(place, pause)
        return waited

    def hold(self, host: str, seconds: float | None) -> None:
        """Notes that `host` asked for a wait: no thread or process starts a request before its end."""
        if not seconds or seconds <= 0 or self.pause <= 0 or player() is not None:
            return
        with self._times(_place(host)) as times:
            times.held = max(times.held, times.written + min(seconds, LONGEST_HOLD_SECONDS))

    def _book(self, place: str, pause: float) -> float:
        """Seconds until the next free start, which is taken; 0: the request has started."""
        with self._times(place) as times:
            now = times.written
            start = max(now, times.booked, times.started + pause, times.held)
            times.booked = start + pause
            if start <= now:
                times.started = now
            return start - now

    def _start(self, place: str, pause: float) -> float:
        """Notes the start of a request whose time has come; else the seconds that are left.

        They are left if the host asked for a wait meanwhile, or another process started late.
        """
        with self._times(place) as times:
            now = times.written
            left = max(times.started + pause, times.held) - now
            if left > 0:
                return left
            times.started = now
            times.booked = max(times.booked, now + pause)
            return 0.0

    @contextmanager
    def _times(self, place: str) -> Iterator[_PaceTimes]:
        """The times of a host, which are kept after the block; meanwhile nobody else has them."""
        with self._lock, self._file(place) as file:
            times = self._own.setdefault(place, _PaceTimes()) if file is None else _read(file)
            times.read_at(self._clock())
            yield times
            if file is not None:
                with suppress(OSError):  # a full disk: the next one waits too little, once
                    _write(file, times)

    @contextmanager
    def _file(self, place: str) -> Iterator[int | None]:
        """The locked file of a host; None if there can be none."""
        if self._folder is None:
            yield None
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            file = os.open(self._folder / place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError:
            yield None
            return
        try:
            yield file if self._locked(file) else None
        finally:
            os.close(file)  # which unlocks it, as the end of a killed process does

    def _locked(self, file: int) -> bool:
        for _ in range(_LOCK_ATTEMPTS):
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(_LOCK_SECONDS)
            except OSError:  # a file system without locks
                return False
            else:
                return True
        return False


def _place(host: str) -> str:
    """The name of the file of a host: one of 4,096, because models choose hosts; a few hosts share one."""
    name = host.rstrip(".").lower().encode("utf-8", "surrogatepass")
    return hashlib.sha256(name).hexdigest()[:3]


def _read(file: int) -> _PaceTimes:
    """The times in a file; of an empty or damaged one, none."""
    try:
        numbers = [float(word) for word in os.pread(file, _LONGEST_FILE, 0).split()]
    except (OSError, ValueError):
        return _PaceTimes()
    if len(numbers) != 4 or any(math.isnan(number) for number in numbers):
        return _PaceTimes()
    times = _PaceTimes(*numbers)
    latest = times.written + LONGEST_AHEAD_SECONDS
    return times if max(times.started, times.booked, times.held) <= latest < math.inf else _PaceTimes()


def _write(file: int, times: _PaceTimes) -> None:
    content = " ".join(map(repr, astuple(times))).encode("ascii")
    os.pwrite(file, content, 0)
    os.ftruncate(file, len(content))
