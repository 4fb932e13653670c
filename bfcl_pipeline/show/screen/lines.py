"""What a run reports in words: the progress of a job, the steps of a dry run, the end of a log file.

Covers lines for logs, and parts of the picture of a run.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from textwrap import wrap

from bfcl_pipeline.base.text import cut, duration, plural, printable, span
from bfcl_pipeline.show.screen.progress import JobProgress


def progress_text(job: JobProgress) -> str:
    """The progress of a running job in one line, without what is not known."""
    parts = [f"{job.name}: {done_text(job)}", waiting_text(job)]
    if job.requests_in_flight:
        parts.append(f"{job.requests_in_flight:,} in flight")
    if job.requests_per_second:
        parts.append(f"{job.requests_per_second:,.1f} requests/s")
    parts += [searches_text(job), *_amounts(job)]
    if job.seconds_left is not None:
        parts.append(f"about {duration(job.seconds_left)} left")
    return ", ".join(filter(None, parts))


def summary_text(job: JobProgress) -> str:
    """What a job did, after its end, without its name."""
    if not job.complete:
        saved = f"; {saved_text([job])}" if job.saved else ""
        return f"stopped after {duration(job.seconds)}, {done_text(job)} complete{saved}"
    sessions = f" + {plural(job.sessions_total, 'session', 'sessions')}" if job.sessions_total else ""
    entries = f"{job.entries_answered:,}/" if job.entries_failed else ""
    entries += plural(job.entries_total, "entry", "entries")
    parts = [f"{entries}{sessions} in {duration(job.seconds)}"]
    if job.requests_done:
        parts.append(plural(job.requests_done, "request", "requests"))
    if job.searches:
        parts.append(plural(job.searches, "search", "searches"))
    return ", ".join([*parts, *_amounts(job)])


def saved_text(jobs: Iterable[JobProgress]) -> str:
    """The answers that jobs saved, apart from those that they had from journals: of earlier runs, too."""
    jobs = list(jobs)
    recorded = sum(job.replayed for job in jobs)
    text = f"{plural(sum(job.requests_done for job in jobs), 'answer is', 'answers are')} saved"
    return f"{text}, beside {recorded:,} that the journal had" if recorded else text


def done_text(job: JobProgress) -> str:
    """Entries with an answer and, if there are any, memory sessions: `12/102 entries + 3/49 sessions`."""
    text = f"{job.entries_answered:,}/{plural(job.entries_total, 'entry', 'entries')}"
    if job.sessions_total:
        text += f" + {job.sessions_done:,}/{plural(job.sessions_total, 'session', 'sessions')}"
    return text


def waiting_text(job: JobProgress) -> str:
    """How long nothing is sent, and why; empty if requests are sent."""
    if job.wait_seconds is None:
        return ""
    return f"waits {duration(job.wait_seconds)}" + (f": {job.wait_reason}" if job.wait_reason else "")


def searches_text(job: JobProgress) -> str:
    """Searches of web questions, and about how many are left; empty if there are none."""
    if not job.searches and not job.searches_left:
        return ""
    left = f", about {job.searches_left:,} left" if job.searches_left else ""
    return plural(job.searches, "search", "searches") + left


def _amounts(job: JobProgress) -> list[str]:
    """Tokens, cost, journal hits, retries and failures, as far as there are any."""
    dates = f" (recorded on {span(job.recorded)})" if job.recorded else ""
    texts = {
        f"{short(job.tokens)} tokens": job.tokens,
        cost_text(job): cost_text(job),
        f"{job.replayed:,} from the journal{dates}": job.replayed,
        plural(job.retries, "retry", "retries"): job.retries,
        f"{job.entries_failed:,} failed": job.entries_failed,
    }
    return [text for text, known in texts.items() if known]


def cost_text(job: JobProgress) -> str:
    """The cost of a job; with a budget, how much of it is spent. Empty if it is not known."""
    if job.budget is not None and job.spent is not None:
        return f"{cost(job.spent)} of {cost(job.budget)}"
    return "" if job.dollars is None else cost(job.dollars)


def failures_text(job: JobProgress) -> str:
    """Failures by status and failed attempts by kind, without the last error; empty if there are none."""
    parts = []
    if job.failures:
        parts.append(f"without an answer: {_kinds(job.failures)}")
    if job.errors:
        parts.append(f"failed attempts: {_kinds(job.errors)}")
    if job.retries:
        parts.append(plural(job.retries, "retry", "retries"))
    return "; ".join(parts)


def _kinds(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in sorted(counts.items()))


def cost(dollars: float) -> str:
    """An amount of US dollars, to the cent."""
    return f"${dollars:,.2f}"


def short(number: int) -> str:
    """A large number with one decimal: 950, 12.3k, 1.2M."""
    for size, unit in ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")):
        if number >= size:
            return f"{number / size:.1f}{unit}"
    return str(number)


LINES = 15
"""Lines of a log that are shown."""

_BYTES = 64 * 1024  # that are read
_CHARACTERS = 1000  # of a line


def log_tail(log: str) -> tuple[str, ...]:
    """The last lines of a file, invisible characters escaped; none if it cannot be read."""
    try:
        with Path(log).open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - _BYTES))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return ()
    return tuple(cut(printable(line.rstrip()), _CHARACTERS) for line in text.splitlines()[-LINES:])


NAMED = 8
"""Steps of a group that are named; of more, the number is given."""

WIDTH = 100
"""Columns of a line, unless a name is longer."""


def dry_run_text(run: str, steps: Sequence[str]) -> str:
    """The steps of a run by their messages; those that begin with the same word are one group."""
    of_run = f" of run {run}" if run else ""
    groups: dict[str, set[str]] = {}
    for step in steps:
        groups.setdefault(step.partition(" ")[0], set()).add(step)
    lines = (line for group in groups.values() for line in _group(sorted(group)))
    return "\n".join([f"Dry run{of_run}: {plural(len(steps), 'step', 'steps')}, nothing is run.", *lines])


def _group(steps: Sequence[str]) -> Iterator[str]:
    if len(steps) == 1:
        yield f"  {steps[0]}"
        return
    words = [step.split(" ") for step in steps]
    common = sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, zip(*words, strict=False)))
    rest = [" ".join(step[common:]) for step in words]
    more = f", and {len(rest) - NAMED:,} more" if len(rest) > NAMED else ""
    what = " ".join(words[0][:common]).removesuffix(" the")
    text = f"{what} ({plural(len(steps), 'step', 'steps')}): {', '.join(rest[:NAMED])}{more}"
    yield from wrap(
        text,
        WIDTH,
        initial_indent="  ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
