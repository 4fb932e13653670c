"""The state of a run as plain lines and as JSON."""

from collections.abc import Iterator
from dataclasses import asdict
from textwrap import shorten
from typing import Any

from bfcl_pipeline.base.text import duration
from bfcl_pipeline.show.screen.picture import others_text
from bfcl_pipeline.show.screen.progress import progress_text, summary_text, troubles_text
from bfcl_pipeline.show.screen.run_view import (
    ModelState,
    ModelView,
    Phase,
    RunView,
    silence_text,
    steps_text,
)

_SHOWN = (ModelState.RUNNING, ModelState.FAILED, ModelState.FINISHED)
_PHASES = {
    Phase.RUNNING: "running",
    Phase.DONE: "done",
    Phase.FAILED: "ended with failures",
    Phase.INTERRUPTED: "interrupted",
    Phase.KILLED: "killed: its process has ended without reporting its end",
}
_NAMES = 300  # characters of a list of waiting models


def state_lines(view: RunView) -> Iterator[str]:
    """The state in lines for a person, whatever the width."""
    after = f", after {duration(view.seconds)}" if view.seconds else ""
    yield f"{view.title or f'Run {view.name}'}; {_PHASES[view.phase]}{after}"
    if view.phase is Phase.RUNNING and view.at_work is not True:
        yield "  No sign of life was seen: it may be at work on another machine, or have been killed."
    if silence := silence_text("the run", view.silent_seconds):
        yield f"  {silence}"
    if steps := steps_text(view):
        yield f"  {steps}"
    for step in view.failed:
        yield f"  failed: {step.text}" + (f" ({step.log})" if step.log else "")
        if step.reason:
            yield f"    {step.reason}"
    for model in view.in_state(*_SHOWN):
        yield from _model_lines(model)
    if others := others_text(view, len(view.models)):
        yield f"  {others}"
    waiting = ", ".join(model.name for model in view.in_state(ModelState.WAITING))
    if waiting:
        yield f"  waiting: {shorten(waiting, _NAMES, placeholder=' ...')}"


def _model_lines(model: ModelView) -> Iterator[str]:
    job = model.progress
    if job is None:
        what = "started, nothing reported yet" if model.state is ModelState.RUNNING else model.state.value
        yield f"  {model.name}: {what}"
        return
    if model.state is ModelState.RUNNING:
        yield f"  {progress_text(job)}"
        if silence := silence_text("the job", model.silent_seconds):
            yield f"    {silence}" + (f"; log: {model.log}" if model.log else "")
    else:
        yield f"  {job.name}: {model.state.value}: {summary_text(job)}"
    if troubles := troubles_text(job):
        yield f"    {troubles}"
    if job.last_error:
        yield f"    last error: {job.last_error}"


def state_object(view: RunView) -> dict[str, Any]:
    """The state for scripts: the fields of `RunView`, and the cost of all models and each one's share."""
    state = asdict(view)
    state["dollars"] = view.dollars
    for shown, model in zip(state["models"], view.models, strict=True):
        if model.progress is not None:
            shown["progress"]["share"] = model.progress.share
    return state
