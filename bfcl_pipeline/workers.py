"""A pool of processes that ends with the block that uses it, also after Ctrl-C."""

import multiprocessing
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any


@contextmanager
def process_pool(processes: int, prepare: Callable[..., object], *arguments: Any) -> Iterator[Executor]:
    """A pool of so many processes. An exception in the block, also that of Ctrl-C, ends them at once.

    prepare: called with `arguments` in each process before its first task; both are pickled.
    """
    context = multiprocessing.get_context("spawn")  # no fork: pyarrow has threads of its own
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(processes, context, initializer=_start, initargs=(prepare, arguments))
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    finally:
        pool.shutdown()


def _start(prepare: Callable[..., object], arguments: tuple[Any, ...]) -> None:
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C interrupts the first process, which ends the others
    prepare(*arguments)
