"""The steps of a replay on the screen."""

from __future__ import annotations

import io

from bfcl_pipeline.base.text import step_line
from bfcl_pipeline.cli.steps import StepsShown


def test_a_log_has_about_ten_lines_however_many_steps() -> None:
    """Each tenth of 88 steps has a line, and the last step."""
    stream = io.StringIO()
    with StepsShown(stream, terminal=False) as steps:
        for done in range(1, 89):
            steps(step_line(done, 88, f"Score {done}"))
    lines = stream.getvalue().splitlines()
    assert len(lines) == 10
    assert (lines[0], lines[-1]) == ("Step 9 of 88: Score 9", "Step 88 of 88: Score 88")


def test_a_terminal_has_one_line_that_is_redrawn_and_removed() -> None:
    """Other lines are printed as they are."""
    stream = io.StringIO()
    with StepsShown(stream, terminal=True) as steps:
        steps(step_line(1, 2, "Score a"))
        steps("a note")
        steps(step_line(2, 2, "Score b"))
    erase = "\r\x1b[2K"
    assert stream.getvalue() == (
        f"{erase}Step 1 of 2: Score a{erase}a note\n{erase}Step 2 of 2: Score b{erase}"
    )
