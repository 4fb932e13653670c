"""The progress of a job in words: lines for logs, and parts of the picture of a run."""

from collections.abc import Mapping

from bfcl_pipeline.base.text import duration, plural, span
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
        saved = (
            f"; {plural(job.saved, 'answer is', 'answers are')} saved in the journal" if job.saved else ""
        )
        return f"stopped after {duration(job.seconds)}, {done_text(job)} complete{saved}"
    sessions = f" + {plural(job.sessions_total, 'session', 'sessions')}" if job.sessions_total else ""
    parts = [f"{plural(job.entries_total, 'entry', 'entries')}{sessions} in {duration(job.seconds)}"]
    if job.requests_done:
        parts.append(plural(job.requests_done, "request", "requests"))
    if job.searches:
        parts.append(plural(job.searches, "search", "searches"))
    return ", ".join([*parts, *_amounts(job)])


def done_text(job: JobProgress) -> str:
    """Entries and, where there are any, memory sessions: `12/102 entries + 3/49 sessions`."""
    text = f"{job.entries_done:,}/{plural(job.entries_total, 'entry', 'entries')}"
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
