"""Models of synthetic runs that the tests of tables and pages share."""

from __future__ import annotations

from bfcl_pipeline.benchmark.records import Mode
from tests.support.synthetic_run import MadeUpModel, Marks, marks

HOSTILE = "<script>alert('&\"')</script>, \u202eevil"


def typical_models() -> list[MadeUpModel]:
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
