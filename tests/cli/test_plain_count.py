"""Lines on standard error during long work of one command."""

import io

from bfcl_pipeline.cli.steps import EVERY_SECONDS, PlainCount


def test_lines_come_now_and_then() -> None:
    """None at first, then one for each span of time in which something was done."""
    seconds = iter([0.0, 1.0, EVERY_SECONDS, EVERY_SECONDS + 1, 2 * EVERY_SECONDS])
    stream = io.StringIO()
    count = PlainCount("models", stream, clock=lambda: next(seconds))
    for done in (1, 2, 3, 1_200):
        count.show(done, 9_000)
    assert stream.getvalue() == "models: 2 of 9,000\nmodels: 1,200 of 9,000\n"
