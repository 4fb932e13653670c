"""The nested parts of a models row."""

import pytest

from bfcl_pipeline.config import Limits, Serving
from bfcl_pipeline.config.row_parts import part
from bfcl_pipeline.errors import ConfigError


def test_what_is_not_said_holds_by_default():
    """A part names only what differs from the defaults."""
    assert part("row: limits", Limits, {"in_flight": 4}) == Limits(in_flight=4)
    assert part("row: vllm", Serving, {}) == Serving()


def test_options_of_the_server_are_texts():
    """Numbers among the options of a server are taken as they are written."""
    assert part("row: vllm", Serving, {"args": ["--seed", 7]}).args == ("--seed", "7")


@pytest.mark.parametrize(
    ("kind", "values", "message"),
    [
        (Limits, ["in_flight"], "must be a mapping of in_flight, requests_per_minute"),
        (Limits, {"in_fligth": 1}, "unknown key 'in_fligth'. Did you mean 'in_flight'"),
        (Limits, {"in_flight": 1.5}, "in_flight must be a whole number above 0"),
        (Limits, {"attempts": True}, "attempts must be a whole number above 0"),
        (Limits, {"seconds": 0}, "seconds must be a number above 0"),
        (Limits, {"tokens_per_minute": "many"}, "tokens_per_minute must be a number above 0"),
        (Serving, {"gpus": 0}, "gpus must be a whole number above 0"),
        (Serving, {"tool_parser": " "}, "tool_parser must be a text"),
        (Serving, {"dtype": 16}, "dtype must be a text"),
        (Serving, {"args": "--seed 7"}, "args must be a list of options"),
        (Serving, {"args": [["--seed"]]}, "args must be a list of options"),
    ],
)
def test_a_wrong_part_is_refused(kind, values, message):
    """What a part may not say is refused, with the row, the key and what would be right."""
    with pytest.raises(ConfigError, match="row: part") as caught:
        part("row: part", kind, values)
    assert message in str(caught.value)
