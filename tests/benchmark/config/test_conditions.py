"""Conditions as rows: what each changes, and in which order a run asks them."""

from __future__ import annotations

from typing import Any

import pytest

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import ModelRow, RequestLimits, load_run, model_row
from bfcl_pipeline.benchmark.config.run_record import recorded_config
from bfcl_pipeline.benchmark.config.run_settings import complete_values
from bfcl_pipeline.benchmark.records import Mode

CHAT = ModelRow(name="m-FC", kind="openai_chat", mode=Mode.FC, display_name="M", endpoint="http://h/v1")
ROWS = {
    "m-FC": CHAT,
    "r-FC": ModelRow(
        name="r-FC",
        kind="openai_responses",
        mode=Mode.FC,
        display_name="R",
        endpoint="http://h/v1",
        options={"temperature": None},
    ),
    "c-FC": ModelRow(name="c-FC", kind="anthropic", mode=Mode.FC, display_name="C"),
    "oracle": ModelRow(name="oracle", kind="oracle", mode=Mode.PROMPT, display_name="oracle"),
}


def run(*conditions: str, **config: Any) -> Any:
    values = {"models": ["m-FC"], "categories": ["simple_python", "multi_turn_base"], **config}
    return load_run(complete_values({**values, "conditions": list(conditions)}), ROWS)


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("m-FC+stream", {"options": {"stream": True}}),
        ("m-FC+strict", {"strict": True}),
        ("m-FC+load=16", {"limits": RequestLimits(in_flight=16)}),
        ("m-FC+effort=low", {"options": {"reasoning_effort": "low"}}),
        ("m-FC+api=prompt", {"mode": Mode.PROMPT}),
        ("m-FC+api=responses", {"kind": "openai_responses"}),
        ("m-FC+again", {}),
        ("r-FC+api=chat", {"kind": "openai_chat"}),
        ("r-FC+effort=high", {"options": {"temperature": None, "reasoning": {"effort": "high"}}}),
    ],
)
def test_a_row_under_a_condition_differs_in_that_alone(name: str, changed: dict[str, Any]) -> None:
    """It follows from the row of the model and the name, as any command reads it."""
    base, found = ROWS[name.partition("+")[0]], model_row(ROWS, name)
    for key in ModelRow.__slots__:
        if key not in ("name", "display_name"):
            assert getattr(found, key) == changed.get(key, getattr(base, key)), key


def test_a_run_asks_the_canary_the_row_as_it_is_and_each_condition() -> None:
    """`again` is asked unless declined; a condition that changes nothing is not asked twice."""
    asked = run("stream", "load=1:32", "api=chat", models=["oracle", "m-FC"])
    names = ["m-FC+first", "m-FC", "m-FC+again", "m-FC+stream", "m-FC+load=1", "m-FC+last"]
    assert asked.models == ("oracle", *names)
    assert run("no-again", "strict").models == ("m-FC+first", "m-FC", "m-FC+strict", "m-FC+last")
    canary, base = asked.job_of("m-FC+first"), asked.job_of("m-FC")
    assert canary.categories == ("simple_python",)
    assert canary.selection.sample == {"simple_python": 100}
    assert base.selection.sample == {}
    few = run("again", entry_ids=["simple_python_7", "multi_turn_base_3"]).job_of("m-FC+last")
    assert (few.selection.entry_ids, few.selection.sample) == (("simple_python_7",), {})


def test_a_run_without_conditions_records_none() -> None:
    """The record of such a run is as it was before there were conditions."""
    without, some = (complete_values({"conditions": value}) for value in (None, ["again"]))
    assert "conditions" not in recorded_config(without)
    assert "conditions:\n- again\n" in recorded_config(some)


@pytest.mark.parametrize(
    ("conditions", "config", "message"),
    [
        (["steam"], {}, "unknown condition 'steam'"),
        (["first"], {}, "unknown condition 'first'"),
        (["load=0"], {}, r"expected load=\[1-9\]\[0-9\]\{0,3\}, got 'load=0'"),
        (["load"], {}, "expected load=.*, got 'load'"),
        (["stream=1"], {}, "expected stream, got 'stream=1'"),
        (["api=chat:gopher"], {}, r"expected api=chat\|responses\|prompt, got 'api=gopher'"),
        (
            ["stream"],
            {"models": ["c-FC"]},
            "c-FC, of kind anthropic and mode fc, cannot be asked with stream",
        ),
        (["stream"], {"models": ["oracle"]}, "conditions need a model that is asked through an API"),
        (["stream"], {"trials": 2}, "`again` is the second"),
    ],
)
def test_a_wrong_condition_is_refused(conditions: list[str], config: dict[str, Any], message: str) -> None:
    """The message names it and says what is expected."""
    with pytest.raises(ConfigError, match=message):
        run(*conditions, **config)
