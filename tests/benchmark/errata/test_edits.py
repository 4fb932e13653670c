"""Edits of JSON values: how records describe them, where they fit, what they change."""

from typing import Any

import pytest

from bfcl_pipeline.base.errors import ErrataError
from bfcl_pipeline.benchmark.errata.edits import edit_line, read_edit
from bfcl_pipeline.benchmark.records import Json

LINE = {
    "id": "simple_python_0",
    "question": [[{"role": "user", "content": "On Monday, and again on Friday."}]],
    "ground_truth": [{"f": {"day": ["Monday", ""], "count": [1, True]}}, "f(x=2023)"],
}


def after(*records: dict[str, Any]) -> Json:
    """LINE after the edits of the records."""
    return edit_line(LINE, tuple(read_edit("here", record) for record in records))


COUNT = ("ground_truth", 0, "f", "count")


@pytest.mark.parametrize(
    ("record", "path", "expected"),
    [
        ({"at": [*COUNT], "add": 2}, COUNT, [1, True, 2]),
        ({"at": [*COUNT, 0], "old": 1, "new": 3}, (*COUNT, 0), 3),
        ({"at": [*COUNT], "remove": True}, COUNT[:3], {"day": ["Monday", ""]}),
        ({"at": ["ground_truth", 1], "old": "2023", "new": "2026"}, ("ground_truth", 1), "f(x=2026)"),
        ({"at": ["ground_truth", 0, "f"], "set": {"day": []}}, ("ground_truth", 0, "f", "day"), []),
        ({"at": ["ground_truth", 1], "remove": True}, ("ground_truth",), LINE["ground_truth"][:1]),
        (
            {"at": ["question", 0, 0, "content"], "old": "Friday", "new": "Sunday"},
            ("question", 0, 0, "content"),
            "On Monday, and again on Sunday.",
        ),
    ],
)
def test_an_edit_changes_one_value(record, path, expected):
    """Each form of an edit changes the value at its path, and the original stays as it was."""
    value = after(record)
    for key in path:
        value = value[key]
    assert value == expected
    assert LINE["ground_truth"][1] == "f(x=2023)"
    assert LINE["ground_truth"][0]["f"]["count"] == [1, True]


def test_edits_are_made_in_order():
    """A later edit sees what an earlier one made."""
    place = ["ground_truth", 0, "f", "day"]
    changed = after({"at": place, "add": "Tuesday"}, {"at": [*place, 2], "old": "Tues", "new": "Satur"})
    assert changed["ground_truth"][0]["f"]["day"] == ["Monday", "", "Saturday"]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"at": ["ground_truth", 2], "add": 1}, "nothing at"),
        ({"at": ["answers"], "remove": True}, "nothing at"),
        ({"at": ["ground_truth", 1, "x"], "remove": True}, "nothing at"),
        ({"at": ["ground_truth", 1, 0], "old": "f", "new": "g"}, "a letter of a text"),
        ({"at": ["ground_truth", 1], "add": 1}, "does not fit"),
        ({"at": ["ground_truth"], "set": {"x": 1}}, "does not fit"),
        ({"at": ["ground_truth", 0, "f", "count", 1], "old": 1, "new": 2}, "does not fit"),
        ({"at": ["ground_truth", 1], "old": "2024", "new": "2026"}, "does not fit"),
        ({"at": ["ground_truth", 1], "old": 2023, "new": 2026}, "does not fit"),
        ({"at": ["question", 0, 0, "content"], "old": "on", "new": "at"}, "does not fit"),
    ],
)
def test_an_edit_that_does_not_fit_is_an_error(record, message):
    """A missing place, another value, and a fragment that is not there exactly once are errors."""
    if record.get("old") == "on":
        assert LINE["question"][0][0]["content"].count("on") == 2
    with pytest.raises(ErrataError, match=message):
        after(record)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("x", "needs `at`"),
        ({"add": 1}, "needs `at`"),
        ({"at": [], "add": 1}, "needs `at`"),
        ({"at": "ground_truth", "add": 1}, "needs `at`"),
        ({"at": ["ground_truth", 1.5], "add": 1}, "needs `at`"),
        ({"at": ["ground_truth", True], "add": 1}, "needs `at`"),
        ({"at": [0], "add": 1}, "needs `at`"),
        ({"at": ["ground_truth"]}, "got at"),
        ({"at": ["ground_truth"], "old": 1}, "got at, old"),
        ({"at": ["ground_truth"], "add": 1, "new": 2}, "got add, at, new"),
        ({"at": ["ground_truth"], "remove": False}, "got at, remove"),
        ({"at": ["ground_truth"], "set": [1]}, "got at, set"),
    ],
)
def test_a_malformed_record_of_an_edit_is_an_error(record, message):
    """The error has the place of the record and the keys that were found."""
    with pytest.raises(ErrataError, match=f"^file, record 3: .*{message}"):
        read_edit("file, record 3", record)


@pytest.mark.parametrize(
    ("record", "truth", "truths_file"),
    [
        ({"at": ["ground_truth", 0], "add": 1}, True, True),
        ({"at": ["source"], "add": 1}, False, True),
        ({"at": ["question"], "add": 1}, False, False),
    ],
)
def test_the_first_key_names_the_file(record, truth, truths_file):
    """Truths and sources are in the file of truths; only truths mend an entry."""
    edit = read_edit("here", record)
    assert (edit.in_truth, edit.in_truths_file) == (truth, truths_file)


@pytest.mark.parametrize(
    ("record", "shown"),
    [
        (
            {"at": ["ground_truth", 0, "f"], "old": "a", "new": "b"},
            'ground_truth[0]["f"]: replace "a" by "b"',
        ),
        ({"at": ["ground_truth"], "add": "é"}, 'ground_truth: add "é"'),
        ({"at": ["function", 0], "set": {"a": 1}}, 'function[0]: set {"a": 1}'),
        ({"at": ["question"], "remove": True}, "question: remove"),
        ({"at": ["a"], "add": "x" * 200}, f'a: add "{"x" * 99} ... (102 more characters)'),
    ],
)
def test_an_edit_is_one_line_for_people(record, shown):
    """Its text has the place and the change; long values are cut."""
    assert str(read_edit("here", record)) == shown
