"""Work in other processes, which end with the process that uses them: after Ctrl-C, and if it is killed."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")
Result = TypeVar("Result")

_AT_ONCE = 16  # items that a process is given


def new_pool(
    processes: int, prepare: Callable[..., object] | None = None, *arguments: Any
) -> ProcessPoolExecutor:
    """A pool of so many processes, which end when this process has ended, however that was.

    prepare: called with `arguments` in each process before its first task, if given; both are pickled.
    """
    context = multiprocessing.get_context("spawn")  # no fork: pyarrow has threads of its own
    return ProcessPoolExecutor(processes, context, initializer=_start, initargs=(prepare, arguments))


@contextmanager
def process_pool(
    processes: int, prepare: Callable[..., object] | None = None, *arguments: Any
) -> Iterator[Executor]:
    """`new_pool` for a block. An exception in it, also that of Ctrl-C, ends the processes at once."""
    others = set(multiprocessing.active_children())
    pool = new_pool(processes, prepare, *arguments)
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    finally:
        pool.shutdown()


@contextmanager
def results_of(
    work: Callable[[T], Result], items: Sequence[T], processes: int, *, few: int
) -> Iterator[Iterable[Result]]:
    """The result of `work` for each item, in order; it is pickled if there are several processes.

    few: with fewer items, one process is done sooner than others have started.
    """
    if processes < 2 or len(items) < few:
        yield map(work, items)
        return
    with process_pool(processes) as pool:
        yield pool.map(work, items, chunksize=_AT_ONCE)


def _start(prepare: Callable[..., object] | None, arguments: tuple[Any, ...]) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C interrupts the first process, which ends the others
    if prepare is not None:
        prepare(*arguments)


def _end_with_parent() -> None:
    """A process that waits for tasks does not notice by itself that nobody is left to send any."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
