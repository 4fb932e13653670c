"""What users of the simulated file system rely on, the release's quirks, and the bounds."""

from __future__ import annotations

import collections
import json
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.records import Call, Entry
from bfcl_pipeline.world.tools import Constants, World, WorldConfig, effects, snapshot
from bfcl_pipeline.world.tools.api import BoundExceeded, CallFailed
from bfcl_pipeline.world.tools.file_system import walks
from bfcl_pipeline.world.tools.file_system.api import MAX_COPIED, FileSystemState, GorillaFileSystem
from bfcl_pipeline.world.tools.file_system.nodes import Directory, File
from bfcl_pipeline.world.tools.file_system.walks import FIND_DEPTH, MAX_FOUND, TOO_DEEP

FILES: dict[str, Any] = {
    "root": {
        "home": {
            "type": "directory",
            "contents": {
                "notes.txt": {"type": "file", "content": "beta\nalpha\nbeta"},
                "more.txt": {"type": "file", "content": "beta\nalphA"},
                ".hidden": {"type": "file", "content": ""},
                "docs": {
                    "type": "directory",
                    "contents": {"report.txt": {"type": "file", "content": "café\n"}},
                },
            },
        }
    }
}
FAILED = "Error during execution: "


class Shell:
    """A world with one file system; methods take keywords."""

    def __init__(self, setting: WorldConfig, initial: Any = FILES) -> None:
        self._world = World.of(["GorillaFileSystem"], {"GorillaFileSystem": initial}, setting, "test")
        self.state: FileSystemState = self._world.states()["GorillaFileSystem"]

    def text(self, name: str, /, **arguments: Any) -> str:
        return self._world.run(Call(name, dict(arguments.items())))

    def shown(self, name: str, /, **arguments: Any) -> Any:
        return json.loads(self.text(name, **arguments))

    def item(self, *names: str) -> File | Directory:
        item: File | Directory = self.state.root
        for name in names:
            assert isinstance(item, Directory)
            item = item.contents[name]
        return item


@pytest.fixture
def shell(setting: WorldConfig) -> Shell:
    return Shell(setting)


def test_the_state_has_the_form_that_the_release_compares() -> None:
    """The compared attributes are those of the release; the current directory is not among them."""
    assert [field.name for field in fields(FileSystemState)] == ["long_context", "root"]
    assert len(effects(GorillaFileSystem)) == 18


def test_changing_the_directory(shell: Shell) -> None:
    """cd changes one level at a time, up, and to the root; pwd includes the root's name."""
    assert shell.shown("cd", folder="docs/") == {"current_working_directory": "docs"}
    assert shell.shown("pwd") == {"current_working_directory": "/home/docs"}
    assert shell.shown("cd", folder="..") == {}
    assert shell.shown("cd", folder="..") == {
        "error": "Current directory is already the root. Cannot go back."
    }
    assert shell.shown("cd", folder="docs/x") == {
        "error": "cd: docs/x: Unsupported path. Only one folder level at a time is supported."
    }
    assert shell.shown("cd", folder="notes.txt") == {"error": "cd: 'notes.txt': No such file or directory"}
    assert shell.shown("cd", folder="") == {"current_working_directory": "home"}


def test_the_current_directory_is_not_compared(shell: Shell) -> None:
    """States with different current directories are equal."""
    before = snapshot(shell.state)
    shell.text("cd", folder="docs")
    assert shell.state == before


def test_the_path_of_an_empty_file_system(setting: WorldConfig) -> None:
    """Without an initial state the root is an empty "/", and its path has two slashes."""
    shell = Shell(setting, {})
    assert shell.shown("pwd") == {"current_working_directory": "//"}
    assert shell.shown("ls", a=True) == {"current_directory_content": []}


def test_hidden_items(shell: Shell) -> None:
    """ls omits names that start with a dot by default; find does not."""
    assert shell.shown("ls") == {"current_directory_content": ["notes.txt", "more.txt", "docs"]}
    assert ".hidden" in shell.shown("ls", a=True)["current_directory_content"]
    assert shell.shown("find", name="h") == {"matches": ["./.hidden"]}


def test_finding(shell: Shell) -> None:
    """find takes a path of any depth and writes it before each match, directories before their items."""
    assert shell.shown("find", path="/", name="o")["matches"] == [
        "/notes.txt",
        "/more.txt",
        "/docs",
        "/docs/report.txt",
    ]
    assert shell.shown("find", path="/docs/") == {"matches": ["/docs/report.txt"]}
    assert shell.shown("find", path="nowhere") == {"error": "find: 'nowhere': No such file or directory"}


def test_reading(shell: Shell) -> None:
    """Reading methods return the release's numbers and lines, and do not change the state."""
    before = snapshot(shell.state)
    assert shell.shown("sort", file_name="notes.txt") == {"sorted_content": "alpha\nbeta\nbeta"}
    assert shell.shown("grep", file_name="notes.txt", pattern="alpha") == {"matching_lines": ["alpha"]}
    assert shell.shown("wc", file_name="notes.txt") == {"count": 3, "type": "lines"}
    assert shell.shown("wc", file_name="notes.txt", mode="c") == {"count": 15, "type": "characters"}
    assert shell.shown("wc", file_name="notes.txt", mode="x") == {"error": "wc: invalid mode 'x'"}
    assert shell.shown("tail", file_name="notes.txt", lines=1) == {"last_lines": "beta"}
    assert shell.shown("tail", file_name="notes.txt", lines=0) == {"last_lines": "beta\nalpha\nbeta"}
    assert shell.shown("diff", file_name1="notes.txt", file_name2="more.txt") == {
        "diff_lines": "- alpha\n+ alphA"
    }
    assert shell.shown("du") == {"disk_usage": "31 bytes"}
    assert shell.shown("du", human_readable=True) == {"disk_usage": "31.00 B"}
    assert shell.state == before


def test_writing(shell: Shell) -> None:
    """echo replaces the content of an existing file, and without a file name returns the text."""
    assert shell.text("touch", file_name="new") == "None"
    assert shell.text("echo", content="text", file_name="new") == "None"
    assert shell.shown("cat", file_name="new") == {"file_content": "text"}
    assert shell.shown("echo", content="text", file_name="none") == {
        "error": "echo: cannot write to 'none': No such file"
    }
    assert shell.shown("echo", content="text") == {"terminal_output": "text"}
    assert shell.text("echo", content="text", file_name="docs") == (
        f"{FAILED}'Directory' object has no attribute '_write'"
    )


def test_moving_and_copying(shell: Shell) -> None:
    """mv and cp put an item into a directory or rename it, and never overwrite another item."""
    assert shell.shown("cp", source="notes.txt", destination="docs") == {
        "result": "'notes.txt' copied to 'docs/notes.txt'"
    }
    assert shell.shown("mv", source="notes.txt", destination="docs") == {
        "error": "mv: cannot move 'notes.txt' to 'docs/notes.txt': File exists"
    }
    assert shell.text("cp", source="notes.txt", destination="docs") == (
        f"{FAILED}File 'notes.txt' already exists in directory 'docs'."
    )
    assert shell.shown("mv", source="notes.txt", destination="n.txt") == {
        "result": "'notes.txt' moved to 'n.txt'"
    }
    assert shell.item("n.txt") == File("n.txt", "beta\nalpha\nbeta")
    assert shell.item("docs", "notes.txt") == File("notes.txt", "beta\nalpha\nbeta")


def test_a_copied_directory_shares_its_files(shell: Shell) -> None:
    """Writing to a file in a copied directory changes the original, and cd .. can lead there."""
    shell.text("mkdir", dir_name="sub")
    shell.text("mv", source="sub", destination="docs")
    shell.text("cp", source="docs", destination="copy")
    shell.text("cd", folder="copy")
    shell.text("echo", content="changed", file_name="report.txt")
    assert shell.item("docs", "report.txt") == File("report.txt", "changed")
    shell.text("cd", folder="sub")
    shell.text("cd", folder="..")
    assert shell.shown("pwd") == {"current_working_directory": "/home/docs"}


def test_a_directory_within_itself(setting: WorldConfig) -> None:
    """A directory copied into itself is a loop: find and du fail as in the release; states compare."""
    one, other = Shell(setting), Shell(setting)
    for shell in (one, other):
        assert shell.shown("cp", source="docs", destination="docs") == {
            "result": "'docs' copied to 'docs/docs'"
        }
        assert shell.text("find") == FAILED + TOO_DEEP
        assert shell.text("du") == FAILED + TOO_DEEP
    assert one.state == other.state == snapshot(one.state)
    for name in ("docs", "docs"):
        one.text("cd", folder=name)
    one.text("touch", file_name="x")
    assert one.state != other.state


def test_an_item_called_dot(shell: Shell) -> None:
    """An item called "." can be created, and every use of that name means the current directory."""
    assert shell.text("touch", file_name=".") == "None"
    assert shell.shown("cat", file_name=".") == {"error": "cat: '.': Is a directory"}
    assert shell.shown("rmdir", dir_name=".") == {"error": "rmdir: cannot remove '.': Directory not empty"}
    assert shell.shown("rm", file_name=".") == {"result": "'.' removed"}


def test_arguments_of_other_types(shell: Shell) -> None:
    """A wrong type fails with Python's message; a content that is not text is stored unchanged."""
    assert shell.text("mkdir", dir_name=5) == f"{FAILED}argument of type 'int' is not iterable"
    assert shell.text("rm", file_name=["a"]) == f"{FAILED}unhashable type: 'list'"
    assert shell.text("find", name=5) == (f"{FAILED}'in <string>' requires string as left operand, not int")
    shell.text("echo", content=[1], file_name="notes.txt")
    assert shell.shown("cat", file_name="notes.txt") == {"file_content": [1]}
    assert shell.text("sort", file_name="notes.txt") == (
        f"{FAILED}'list' object has no attribute 'splitlines'"
    )
    assert shell.text("mkdir") == (
        f"{FAILED}GorillaFileSystem.mkdir() missing 1 required positional argument: 'dir_name'"
    )


def test_fillers_of_long_contexts(setting: WorldConfig, constants: Constants) -> None:
    """Long contexts append a text to most files, and add files to directories without subdirectories."""
    shell = Shell(replace(setting, long_context=True))
    filler = constants.text("long_context", "FILE_CONTENT_EXTENSION")
    assert shell.item("notes.txt") == File("notes.txt", "beta\nalpha\nbeta" + filler)
    assert shell.item("docs", "report.txt") == File("report.txt", "café\n")
    names = constants.items("long_context", "POPULATE_FILE_EXTENSION")
    docs = shell.item("docs")
    assert isinstance(docs, Directory)
    assert list(docs.contents) == ["report.txt", *names]
    assert len(shell.state.root.contents) == 4


@pytest.mark.parametrize(
    ("initial", "expected"),
    [
        ({"root": {}}, "root: expected a directory by its name, got nothing"),
        ({"root": []}, "root: expected dict, got list"),
        ({"root": {"r": {"type": "directory"}}}, "root['r']: expected 'contents' among its keys, got type"),
        (
            {"root": {"r": {"contents": {"a": {}}}}},
            "root['r']['a']: expected 'type' among its keys, got none",
        ),
        (
            {"root": {"r": {"contents": {"a": {"type": "file", "content": 5}}}}},
            "root['r']['a']['content']: expected str or list, got int",
        ),
    ],
)
def test_initial_states_that_the_release_cannot_load(
    setting: WorldConfig, initial: dict[str, Any], expected: str
) -> None:
    """A state on which the release's loader fails is reported with its path."""
    with pytest.raises(MalformedRelease) as raised:
        GorillaFileSystem.load(initial, replace(setting, long_context=True))
    assert expected in str(raised.value)


def test_real_states_load_and_are_equal(
    entries: Callable[[str], list[Entry]], constants: Constants
) -> None:
    """Every file system of the release loads, and equals itself when loaded again."""
    category = "multi_turn_long_context"
    involved = [entry for entry in entries(category) if "GorillaFileSystem" in entry.apis]
    assert involved
    for entry in involved:
        one, other = (World.for_entry(entry, WorldConfig(constants), "test").states() for _ in range(2))
        assert one["GorillaFileSystem"] == other["GorillaFileSystem"]
        assert one["GorillaFileSystem"].long_context


def test_deep_nesting_ends(setting: WorldConfig) -> None:
    """100,000 nested directories compare and copy; find fails near the release's depth."""
    one, other = GorillaFileSystem.load({}, setting), GorillaFileSystem.load({}, setting)
    for api in (one, other):
        for level in range(100_000):
            api.mkdir("a")
            api.cd("a")
            if level == FIND_DEPTH - 1:
                api.cd("/")
                assert len(api.find()["matches"]) == FIND_DEPTH
                for _ in range(FIND_DEPTH):
                    api.cd("a")
    assert one.state == other.state
    other.touch("z")
    assert one.state != other.state
    assert snapshot(other.state) == other.state
    other.cd("/")
    with pytest.raises(CallFailed, match=TOO_DEEP):
        other.find()


def test_doubling_is_bounded(shell: Shell) -> None:
    """A directory that contains its predecessor twice, many times, is measured exactly but not listed."""
    shell.text("cp", source="docs", destination="d")
    for _ in range(40):
        shell.text("cp", source="d", destination="e")
        shell.text("mkdir", dir_name="n")
        for source, destination in (("d", "n"), ("e", "n"), ("n", "d")):
            shell.text("mv", source=source, destination=destination)
    shell.text("cd", folder="d")
    assert shell.shown("du") == {"disk_usage": f"{6 * 2**40} bytes"}
    assert shell.text("find") == f"{FAILED}find: more than {MAX_FOUND:,} items"
    assert snapshot(shell.state) == shell.state


def test_copies_are_bounded(setting: WorldConfig) -> None:
    """The total number of items in copies of directories is bounded."""
    api = GorillaFileSystem.load({}, setting)
    api.mkdir("a")
    api.cd("a")
    for number in range(MAX_COPIED // 10):
        api.touch(f"{number}")
    api.cd("..")
    for number in range(10):
        api.cp("a", f"copy{number}")
    with pytest.raises(BoundExceeded, match="cp: more than 100,000 items"):
        api.cp("a", "last")
    assert len(api.state.root.contents) == 11


@pytest.mark.parametrize("search", [lambda api: api.find("/", "zzz"), lambda api: api.du()])
def test_searches_are_bounded_together(
    setting: WorldConfig, monkeypatch: pytest.MonkeyPatch, search: Callable[[Any], Any]
) -> None:
    """The total number of items that searches visit is bounded, even if they find nothing."""
    monkeypatch.setattr(walks, "MAX_VISITED", 1_000)
    api = GorillaFileSystem.load({}, setting)
    for number in range(100):
        api.touch(f"{number}")
    for _ in range(5):
        search(api)
    with pytest.raises(BoundExceeded, match="more than 1,000 items in one conversation"):
        collections.deque(search(api) for _ in range(6))
