"""The form of a run and of its archive: which files they have, and what these hold.

Each change after which this version cannot read what an earlier one wrote raises the number. Runs and
archives of another number are refused, not converted.
"""

from collections.abc import Mapping
from typing import Any

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import line_of

RUN_FORM = 1
"""Also in workflow/schemas/config.schema.yaml: a recorded config can be the config of another run."""

FORM_KEY = "form"
"""The key of the number in the recorded config of a run."""


def form_refusal(found: object, maker: str = "") -> str | None:
    """Why a run or an archive with this number cannot be read, and what to do; None if it can.

    found: the number; None if there is none. maker: names the version that made it, if it is known.
    """
    if found == RUN_FORM and isinstance(found, int) and not isinstance(found, bool):
        return None
    has = "has no form number" if found is None else f"has form {line_of(str(found), 20)}"
    return (
        f"{has}, and this version of bfcl-pipeline reads form {RUN_FORM}: use the version that made "
        f"it{maker}, or make the run again"
    )


def check_run_form(config: Mapping[str, Any], run: object) -> None:
    """Checks the number in the recorded config of a run.

    run: its directory or name, for the message. Raises ConfigError if it has another number or none.
    """
    refusal = form_refusal(config.get(FORM_KEY))
    if refusal is not None:
        raise ConfigError(f"{run}: this run {refusal}.")
