"""Comparing, copying and showing directories, also in loops."""

from __future__ import annotations

import json

from bfcl_pipeline.world.tools.file_system.nodes import MAX_SHOWN_DEPTH, NOT_SHOWN, Directory, File


def tree(**changed: str) -> Directory:
    """A root with file a, and directory sub with file b."""
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
    """Directories are equal if names and contents at every depth are; order and parents do not count."""
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
    """Loops are equal if equal paths lead to equal items, even for different lengths."""
    assert loop(2) == loop(3)
    assert loop(701) == loop(800)  # some half a million pairs if taken one by one
    odd = loop(3)
    odd.contents["file"] = File("file", "")
    assert odd != loop(3)


def test_a_copy_is_independent() -> None:
    """A copy is equal, and does not change with the original."""
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
    """The form for people has contents by name, a slash after directories, and bounded loops."""
    assert tree().plain() == {"a": "1", "sub/": {"b": "2"}}
    shown = json.dumps(loop(1).plain())
    assert shown.count("x/") == MAX_SHOWN_DEPTH
    assert shown.count(NOT_SHOWN) == 2  # name and value


def test_repr_is_short() -> None:
    """A directory prints as one line, even if it contains itself."""
    assert repr(loop(1)) == "<Directory 'x' of 1 items>"
