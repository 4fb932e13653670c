"""The state of a run and of its jobs in lines of text, for logs and for `watch` without a terminal."""

from collections.abc import Iterator, Mapping
from textwrap import shorten

from bfcl_pipeline.base.text import duration, plural, span
from bfcl_pipeline.show.screen.progress import JobProgress
from bfcl_pipeline.show.screen.run_state import ModelJob, ModelState, Phase, RunState

QUIET_SECONDS = 120.0
"""A job or a run without a sign of life for so long may have been killed."""

_PHASES = {Phase.FAILED: "ended with failures", Phase.KILLED: "killed: its process ended without a report"}
_NAMES = 300  # characters of a list of waiting models


def state_lines(state: RunState) -> Iterator[str]:
    """The state of a run, whatever the width."""
    after = f", after {duration(state.seconds)}" if state.seconds else ""
    yield f"{state.title}; {_PHASES.get(state.phase, state.phase.value)}{after}"
    if state.phase is Phase.RUNNING and not state.at_work:
        yield "  No sign of life was seen: it may be at work on another machine, or have been killed."
    if silence := silence_text("the run", state.silent_seconds):
        yield f"  {silence}"
    if steps := steps_text(state):
        yield f"  {steps}"
    for step in state.failed:
        yield f"  failed: {step.text}" + (f" ({step.log})" if step.log else "")
        if step.reason:
            yield f"    {step.reason}"
    for model in state.in_state(ModelState.RUNNING, ModelState.FAILED, ModelState.FINISHED):
        yield from (f"  {line}" for line in _model_lines(model))
    if others := others_text(state, len(state.models)):
        yield f"  {others}"
    waiting = ", ".join(model.name for model in state.in_state(ModelState.WAITING))
    if waiting:
        yield f"  waiting: {shorten(waiting, _NAMES, placeholder=' ...')}"


def _model_lines(model: ModelJob) -> Iterator[str]:
    job = model.progress
    if job is None:
        at_work = model.state is ModelState.RUNNING
        yield f"{model.name}: {'started, nothing reported yet' if at_work else model.state.value}"
    elif model.state is ModelState.RUNNING:
        yield progress_text(job)
    else:
        yield f"{job.name}: {model.state.value}: {summary_text(job)}"
    yield from (f"  {note}" for note in troubles(model))


def troubles(model: ModelJob) -> list[str]:
    """What a user should know besides its figures: whether it is alive, and what failed."""
    job = model.progress
    if job is None:
        return []
    silence = silence_text("the job", model.silent_seconds) if model.state is ModelState.RUNNING else ""
    if silence and model.log:
        silence += f"; log: {model.log}"
    last = f"last error: {job.last_error}" if job.last_error else ""
    return [text for text in (silence, failures_text(job), last) if text]


def silence_text(what: str, seconds: float) -> str:
    """What a job or run that gives no sign of life may mean; empty if it gave one recently."""
    quiet = seconds >= QUIET_SECONDS
    return f"no news for {duration(seconds)}: {what} may have been killed" if quiet else ""


def steps_text(state: RunState) -> str:
    """Steps done, failed and running, without those that generate responses."""
    if not state.steps_total:
        return "" if state.models or state.phase is not Phase.RUNNING else "Planning the steps"
    parts = [f"{state.steps_done:,} of {plural(state.steps_total, 'step', 'steps')}"]
    if state.failed:
        parts[0] += f", {len(state.failed):,} failed"
    return " \N{MIDDLE DOT} ".join([*parts, *state.steps_running])


def others_text(state: RunState, shown: int) -> str:
    """How many models have finished, wait, failed or have reported nothing, and how many run unseen."""
    reported = len(state.reports(ModelState.RUNNING))
    running, waiting, finished, failed = (
        sum(1 for _ in state.in_state(one))
        for one in (ModelState.RUNNING, ModelState.WAITING, ModelState.FINISHED, ModelState.FAILED)
    )
    counts = {
        "more at work": max(0, reported - shown),
        "starting or queued": running - reported,
        "waiting": waiting,
        "finished": finished,
        "failed": failed,
    }
    texts = [f"{count:,} {what}" for what, count in counts.items() if count]
    return f"Models: {', '.join(texts)}" if texts else ""


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
