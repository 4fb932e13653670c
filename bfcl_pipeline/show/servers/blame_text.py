"""Blame as a table for the terminal, and as `blame.csv` of a run."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence

from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.base.text import cut, plural, text_table
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.servers.blame import SERVER, Cause, Share
from bfcl_pipeline.show.servers.recorded import ServedAnswer

COLUMNS = ("model", "cause", "category", "wrong", "accidental", "points", "low", "high")
"""Of the table: answers, and points with the limits of their interval."""


EXAMPLES = 3
"""Answers that the server made wrong, or right, which are printed."""

_LONGEST = 400  # characters of what was written in one step, and of what was read


def blame_lines(model: str, answers: int, shares: Sequence[Share]) -> Iterator[str]:
    """What each cause costs a model, overall and where it costs anything."""
    of = {(share.cause, share.category): share for share in shares}
    wrong = sum(of[cause, "overall"].wrong for cause in Cause)
    yield f"{model}: {answers} answers with a verdict, {wrong} wrong (official rules)"
    rows = [_row(of[cause, "overall"]) for cause in Cause]
    headings = ["cause", "wrong", "right by accident", "points of the overall score", "95 % interval"]
    yield text_table(headings, rows, right={1, 2, 3, 4})
    categories = [name for name in dict.fromkeys(share.category for share in shares) if name != "overall"]
    worst = [cause for cause in Cause if of[cause, "overall"].wrong]
    if worst and len(categories) > 1:
        yield ""
        yield "Points of each category:"
        cells = [[name, *(f"{of[cause, name].points:.1f}" for cause in worst)] for name in categories]
        yield text_table(["category", *worst], cells, right=set(range(1, len(worst) + 1)))
    lost = sum(of[cause, "overall"].wrong for cause in SERVER)
    if lost:
        wrong_answers = plural(lost, "answer is", "answers are")
        yield f"\n{wrong_answers} wrong through the server alone: check --tool-call-parser and template."


def example_lines(answers: Sequence[ServedAnswer]) -> Iterator[str]:
    """What the model wrote in each step of some answers, and what the server made of it."""
    for answer in answers:
        yield f"\n{answer.entry.entry_id}:"
        for step in answer.steps:
            wrote = json.dumps(step.text, ensure_ascii=False) if step.text else "(not recorded)"
            yield cut(f"  the model wrote {wrote}", _LONGEST)
            read = json.dumps(step.result, ensure_ascii=False) if step.result else "nothing"
            yield cut(f"  the server read {read}", _LONGEST)


def write_blame(run: Run, shares: Mapping[str, Sequence[Share]]) -> None:
    """Writes the table of a run. shares: by model."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(COLUMNS)
    for model, of_model in shares.items():
        for share in of_model:
            numbers = (share.points, share.low, share.high)
            cells = ["" if number is None else f"{number:.4f}" for number in numbers]
            writer.writerow(
                [model, share.cause.value, share.category, share.wrong, share.accidental, *cells]
            )
    write_text(run.folder / "blame.csv", lines.getvalue())


def _row(share: Share) -> list[str]:
    limits = "-" if share.low is None or share.high is None else f"{share.low:.2f} to {share.high:.2f}"
    return [share.cause.value, str(share.wrong), str(share.accidental), f"{share.points:.2f}", limits]
