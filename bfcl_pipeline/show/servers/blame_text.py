"""Blame as a table for the terminal, and as the tables of a run, which its page shows."""

import json
from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa

from bfcl_pipeline.base.text import cut, plural, text_table, valid_unicode
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.benchmark.tables.text_forms import write_any_form
from bfcl_pipeline.runs.run import BLAME, BLAMED_ANSWERS, Run
from bfcl_pipeline.show.servers.blame import OVERALL, SERVER, Blamed, Cause, Share
from bfcl_pipeline.show.servers.recorded import ServedAnswer

COLUMNS = ("model", "cause", "category", "wrong", "accidental", "points", "low", "high")
"""Of the table of causes: answers, and points with the limits of their interval."""

ANSWER_COLUMNS = ("model", "entry_id", "cause", "valid", "step", "wrote", "read")
"""Of the table of answers that a server decided: the first step that it read otherwise, from 1."""

EXAMPLES = 3
"""Answers that the server decided, which are printed."""

_LONGEST = 2_000  # characters of what was written in one step, and of what was read; printed are fewer
_PRINTED = 400


def blame_lines(model: str, answers: int, shares: Sequence[Share]) -> Iterator[str]:
    """What each cause costs a model, overall and where it costs anything."""
    of = {(share.cause, share.category): share for share in shares}
    overall = [of[cause, OVERALL] for cause in Cause]
    wrong = sum(share.wrong for share in overall)
    yield f"{model}: {answers} verdicts, {wrong} wrong (official rules); points of the overall:"
    headings = ["cause", "wrong", "right by accident", "points", "95 % interval"]
    yield text_table(headings, list(map(_row, overall)), right={1, 2, 3, 4})
    categories = [name for name in dict.fromkeys(share.category for share in shares) if name != OVERALL]
    worst = [share.cause for share in overall if share.wrong]
    if worst and len(categories) > 1:
        yield "\nPoints of each category:"
        cells = [[name, *(f"{of[cause, name].points:.1f}" for cause in worst)] for name in categories]
        yield text_table(["category", *worst], cells, right=set(range(1, len(worst) + 1)))
    if lost := sum(share.wrong for share in overall if share.cause in SERVER):
        wrong_answers = plural(lost, "answer is", "answers are")
        yield f"\n{wrong_answers} wrong through the server alone: check --tool-call-parser and template."


def answer_row(model: str, one: Blamed, answer: ServedAnswer) -> list[str]:
    """A row of the table of answers that the server decided."""
    step = answer.steps[one.step]
    texts = (step.written.text or "(not recorded)", _json(step.result) if step.result else "nothing")
    cells = (one.entry_id, str(one.cause), str(one.valid).lower(), str(one.step + 1))
    return [model, *cells, *(cut(valid_unicode(text), _LONGEST) for text in texts)]


def example_lines(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """What the model wrote in some answers, and what the server made of it."""
    for _, entry_id, _, _, step, wrote, read in rows:
        yield f"\n{entry_id}, step {step}:"
        yield cut(f"  the model wrote {_json(wrote)}", _PRINTED)
        yield cut(f"  the server read {read}", _PRINTED)


def write_blame(run: Run, shares: Mapping[str, Sequence[Share]], answers: Sequence[Sequence[str]]) -> None:
    """Writes both tables of a run. shares: by model. answers: rows of `answer_row`."""
    causes = []
    for model, of_model in shares.items():
        for share in of_model:
            counts, numbers = (share.wrong, share.accidental), (share.points, share.low, share.high)
            cells = [*map(str, counts), *("" if one is None else f"{one:.4f}" for one in numbers)]
            causes.append([model, share.cause.value, share.category, *cells])
    for name, columns, rows in ((BLAME, COLUMNS, causes), (BLAMED_ANSWERS, ANSWER_COLUMNS, answers)):
        schema = pa.schema([(column, pa.string()) for column in columns])
        table = pa.Table.from_pylist([dict(zip(columns, row, strict=True)) for row in rows], schema)
        write_any_form(run.folder / name, table)


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _row(share: Share) -> list[str]:
    limits = "-" if share.low is None or share.high is None else f"{share.low:.2f} to {share.high:.2f}"
    return [share.cause.value, str(share.wrong), str(share.accidental), f"{share.points:.2f}", limits]
