"""Comparing, copying and showing directories, however they hang together."""

from __future__ import annotations

import json

from bfcl_pipeline.tools.file_nodes import MAX_SHOWN_DEPTH, NOT_SHOWN, Directory, File


def tree(**changed: str) -> Directory:
    """/ with a, and sub with b."""
    root = Directory("/")
    sub = Directory("sub", root)
    root.add(File("a", changed.get("a", "1")))
    root.add(sub)
    sub.add(File("b", changed.get("b", "2")))
    return root


def loop(length: int) -> Directory:
    """A directory that leads to itself after `length` steps to x."""
    first = last = Directory("x")
    for _ in range(length - 1):
        following = Directory("x", last)
        last.add(following)
        last = following
    last.contents["x"] = first
    return first


def test_equal_by_value() -> None:
    """Directories are equal if names and all that is below are; order and parents do not count."""
    one, other = tree(), tree()
    other.contents = dict(reversed(other.contents.items()))
    other.parent = Directory("elsewhere")
    assert one == other
    assert one != tree(b="3")
    assert tree(a="1") != tree(a="")
    assert one != Directory("/")
    assert Directory("a") != File("a", "")
    assert Directory("a") != Directory("b")


def test_loops_of_other_lengths() -> None:
    """Loops are equal if the same ways lead to the same, whatever their lengths."""
    assert loop(2) == loop(3)
    assert loop(701) == loop(800)  # some half a million pairs if taken one by one
    odd = loop(3)
    odd.contents["file"] = File("file", "")
    assert odd != loop(3)


def test_a_copy_is_left_alone() -> None:
    """A copy is equal, and stays as it is when the original changes."""
    original = tree()
    copy = original.copied()
    assert copy == original
    sub = original.contents["sub"]
    assert isinstance(sub, Directory)
    sub.contents["b"] = File("b", "new")
    assert copy == tree()
    turning = loop(3)
    assert turning.copied() == turning


def test_plain_form() -> None:
    """People are shown contents by name, with a slash after directories, and loops up to a bound."""
    assert tree().plain() == {"a": "1", "sub/": {"b": "2"}}
    shown = json.dumps(loop(1).plain())
    assert shown.count("x/") == MAX_SHOWN_DEPTH
    assert shown.count(NOT_SHOWN) == 2  # name and value


def test_repr_is_short() -> None:
    """A directory prints as one line, even if it is within itself."""
    assert repr(loop(1)) == "<Directory 'x' of 1 items>"
