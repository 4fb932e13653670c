"""A holder on another machine is observed until it is known to be alive or dead."""

import os

import pytest

from bfcl_pipeline.base.errors import LeaseError
from bfcl_pipeline.base.leases import Lease, LeaseTiming, read_holder, read_lease
from bfcl_pipeline.base.leases.holder import renew


def test_a_silent_holder_is_replaced(path, leave, time, timing, capsys):
    """After a minute without a heartbeat it counts as dead; one log line announces the wait."""
    dead = leave(host="elsewhere", job="4711")
    lease = Lease(path, "writes", timing=timing)
    assert lease.replaced == dead
    assert 60 <= time.seconds - 1000 < 63
    (line,) = capsys.readouterr().err.splitlines()
    assert f"process {dead.process.pid} on elsewhere (SLURM job 4711), since 2026-10-01T12:00" in line
    assert line.endswith("or has died; taking over after 60 s without a heartbeat.")
    lease.check()


def test_a_holder_with_a_heartbeat_is_alive(path, leave, time, timing):
    """The first heartbeat ends the observation, whatever the clock of its machine shows."""
    holder = leave(host="elsewhere")
    os.utime(path, (5_000_000_000, 5_000_000_000))  # its clock is ahead

    def beat(sleeps):
        if sleeps == 5:
            renew(path, holder)

    time.then = beat
    with pytest.raises(
        LeaseError, match=r"on elsewhere, since .* writes\. Wait for it, .* delete .*\.owner"
    ):
        Lease(path, "writes", timing=timing)
    assert time.seconds == 1000 + 5 * timing.poll_seconds
    assert read_holder(path) == holder


def test_waiting_is_logged_once_a_minute(path, leave, time, timing, capsys):
    """A holder that is alive is waited for, however long, until it releases the lease."""
    holder = leave(host="elsewhere")

    def live(sleeps):
        if sleeps < 300:
            renew(path, holder)
        elif path.exists():
            path.unlink()

    time.then = live
    lease = Lease(path, "writes", wait=True, timing=timing)
    assert lease.replaced is None
    assert time.seconds - 1000 == 300 * timing.poll_seconds == 600
    first, *lines = capsys.readouterr().err.splitlines()
    assert "or has died" in first
    assert len(lines) == 9
    assert all(line.endswith(" writes; waiting for it to end.") for line in lines)


def test_a_holder_that_dies_while_waited_for_is_replaced(path, leave, time, timing):
    """The timeout starts at the last heartbeat."""
    holder = leave(host="elsewhere")
    time.then = lambda sleeps: renew(path, holder) if sleeps <= 40 else None
    assert Lease(path, "writes", wait=True, timing=timing).replaced == holder
    assert 80 + 60 <= time.seconds - 1000 < 80 + 63


def test_time_without_observation_does_not_count(path, leave, time, timing):
    """While the file system hangs the holder cannot renew its file either: it has a minute after that."""
    holder = leave(host="elsewhere")

    def hang(sleeps):
        if sleeps == 3:
            time.seconds += 7200
        if sleeps == 20:
            renew(path, holder)

    time.then = hang
    with pytest.raises(LeaseError, match="Wait for it"):
        Lease(path, "writes", timing=timing)


def test_a_new_holder_is_observed_from_the_start(path, leave, time, timing):
    """The silence of the previous holder does not count for its successor."""
    leave(host="elsewhere")
    time.then = lambda sleeps: leave(token="u" * 32, host="third") if sleeps == 25 else None
    assert Lease(path, "writes", timing=timing).replaced.token == "u" * 32
    assert 50 + 60 <= time.seconds - 1000 < 50 + 63


def test_a_holder_appears_alive_to_other_machines(path, elsewhere):
    """A thread renews the lock file until the lease is released."""
    quick = LeaseTiming(heartbeat_seconds=0.01, poll_seconds=0.01, timeout_seconds=3600)
    lease = Lease(path, "writes", timing=quick)
    with pytest.raises(LeaseError, match="Wait for it"):
        Lease(path, "writes", timing=quick, here=elsewhere)
    first = read_lease(path)
    while read_lease(path) == first:
        pass
    lease.release()
    assert not path.exists()
