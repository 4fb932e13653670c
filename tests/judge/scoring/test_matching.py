"""Parallel calls."""

from bfcl_pipeline.benchmark.definition import Language
from bfcl_pipeline.benchmark.records import Call, NameStyle, Rules
from bfcl_pipeline.judge.scoring.expected import expected_call
from bfcl_pipeline.judge.scoring.matching import check_parallel

DOC = {"name": "f", "parameters": {"properties": {"a": {"type": "integer"}}, "required": ["a"]}}


def check(acceptable, given, rules=Rules.OFFICIAL):
    expected = [expected_call([DOC], "f", {"a": values}, Language.PYTHON) for values in acceptable]
    calls = [Call("f", {"a": value}) for value in given]
    return check_parallel(expected, calls, NameStyle.DOTTED, rules)


def test_any_order_is_right():
    """Parallel calls are accepted in any order."""
    assert check([[1], [2], [3]], [3, 1, 2]) is None


def test_counts_must_agree():
    """One call too many or too few is an error before calls are compared."""
    for given in ([1], [1, 2, 2]):
        finding = check([[1], [2]], given)
        assert finding is not None
        assert finding.error_type == "parallel_function_checker_no_order:wrong_count"


def test_a_call_is_used_once():
    """One call does not match two expected ones; the message names the one without a match."""
    for rules in Rules:
        finding = check([[1], [1]], [1, 2], rules)
        assert finding is not None
        assert finding.error_type == "parallel_function_checker_no_order:cannot_find_match"
        assert finding.message.startswith("Expected call 2 (f) has no match.")


def test_assignment_rule():
    """Official pairs greedily and misses a complete pairing; corrected finds it at any depth."""
    acceptable = [[1, 2], [1]]
    assert check(acceptable, [1, 2]) is not None
    assert check(acceptable, [1, 2], Rules.CORRECTED) is None
    chain = [[1, 2], [2, 3], [3, 4], [1]]
    assert check(chain, [1, 2, 3, 4], Rules.CORRECTED) is None
