"""A made-up run with its tables, for the tests of this directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.records import Mode
from tests.support.synthetic_run import MadeUpModel, Marks, made_up_tables, marks

HOSTILE = "<script>alert('&\"')</script>, \u202eevil"


@pytest.fixture(scope="session")
def made_up_models() -> list[MadeUpModel]:
    """A perfect model, a hostile one, and two with unanswered entries on which the rule sets differ."""
    lost = Marks(
        [True, False, False, None], [True, True, False, None], ["value_error:string", "type_error:simple"]
    )
    formats = Marks([index % 26 < 13 or index < 26 for index in range(52)])
    return [
        MadeUpModel("oracle", {"simple_python": marks(4), "irrelevance": marks(2)}, Mode.PROMPT),
        MadeUpModel(HOSTILE, {"simple_python": marks(1, 3), "live_simple": marks(0, 2)}),
        MadeUpModel("tie/b", {"simple_python": lost, "format_sensitivity": formats}, Mode.PROMPT),
        MadeUpModel("tie/a", {"simple_python": lost}, latencies={"simple_python": [1.0, 2.0, 3.0, None]}),
    ]


@pytest.fixture(scope="session")
def made_up_run(tmp_path_factory: pytest.TempPathFactory, made_up_models: list[MadeUpModel]) -> Path:
    """The directory of a run of these models with its tables; read-only."""
    return made_up_tables(tmp_path_factory.mktemp("made-up"), made_up_models)
