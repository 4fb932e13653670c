"""What users of the simulated file system rely on, the release's quirks, and the bounds."""

from __future__ import annotations

import collections
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.world.tools import Constants, World, WorldConfig, effects, snapshot
from bfcl_pipeline.world.tools.api import BoundExceeded, CallFailed
from bfcl_pipeline.world.tools.file_system import walks
from bfcl_pipeline.world.tools.file_system.api import MAX_COPIED, FileSystemState, GorillaFileSystem
from bfcl_pipeline.world.tools.file_system.nodes import Directory, File
from bfcl_pipeline.world.tools.file_system.walks import FIND_DEPTH, MAX_FOUND, TOO_DEEP
from tests.world.tools.scenes import OneApi, scene_test, scenes

INITIAL: dict[str, Any] = {
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

SCENES = scenes(
    r"""
# cd changes one level at a time, up, and to the root; pwd includes the root's name.
cd(folder='docs/') => {"current_working_directory": "docs"}
pwd() => {"current_working_directory": "/home/docs"}
cd(folder='..') => {}
cd(folder='..') => {"error": "Current directory is already the root. Cannot go back."}
cd(folder='docs/x') => {"error": "cd: docs/x: Unsupported path. Only one folder level at a time is
    supported."}
cd(folder='notes.txt') => {"error": "cd: 'notes.txt': No such file or directory"}
cd(folder='') => {"current_working_directory": "home"}

# Without an initial state the root is an empty "/", and its path has two slashes.
given only {}
pwd() => {"current_working_directory": "//"}
ls(a=True) => {"current_directory_content": []}

# ls omits names that start with a dot by default; find does not.
ls() => {"current_directory_content": ["notes.txt", "more.txt", "docs"]}
ls(a=True) => {"current_directory_content": ["notes.txt", "more.txt", ".hidden", "docs"]}
find(name='h') => {"matches": ["./.hidden"]}

# find takes a path of any depth and writes it before each match, directories before their items.
find(path='/', name='o') => {"matches": ["/notes.txt", "/more.txt", "/docs", "/docs/report.txt"]}
find(path='/docs/') => {"matches": ["/docs/report.txt"]}
find(path='nowhere') => {"error": "find: 'nowhere': No such file or directory"}

# Reading methods return the release's numbers and lines, and do not change the state.
sort(file_name='notes.txt') => {"sorted_content": "alpha\nbeta\nbeta"}
grep(file_name='notes.txt', pattern='alpha') => {"matching_lines": ["alpha"]}
wc(file_name='notes.txt') => {"count": 3, "type": "lines"}
wc(file_name='notes.txt', mode='c') => {"count": 15, "type": "characters"}
wc(file_name='notes.txt', mode='x') => {"error": "wc: invalid mode 'x'"}
tail(file_name='notes.txt', lines=1) => {"last_lines": "beta"}
tail(file_name='notes.txt', lines=0) => {"last_lines": "beta\nalpha\nbeta"}
diff(file_name1='notes.txt', file_name2='more.txt') => {"diff_lines": "- alpha\n+ alphA"}
du() => {"disk_usage": "31 bytes"}
du(human_readable=True) => {"disk_usage": "31.00 B"}
cat(file_name='notes.txt') => {"file_content": "beta\nalpha\nbeta"}

# echo replaces the content of an existing file, and without a file name returns the text.
touch(file_name='new') => None
echo(content='text', file_name='new') => None
cat(file_name='new') => {"file_content": "text"}
echo(content='text', file_name='none') => {"error": "echo: cannot write to 'none': No such file"}
echo(content='text') => {"terminal_output": "text"}
echo(content='text', file_name='docs') => Error during execution: 'Directory' object has no attribute
    '_write'

# mv and cp put an item into a directory or rename it, and never overwrite another item.
cp(source='notes.txt', destination='docs') => {"result": "'notes.txt' copied to 'docs/notes.txt'"}
mv(source='notes.txt', destination='docs') => {"error": "mv: cannot move 'notes.txt' to
    'docs/notes.txt': File exists"}
cp(source='notes.txt', destination='docs') => Error during execution: File 'notes.txt' already exists in
    directory 'docs'.
mv(source='notes.txt', destination='n.txt') => {"result": "'notes.txt' moved to 'n.txt'"}
cat(file_name='n.txt') => {"file_content": "beta\nalpha\nbeta"}
cd(folder='docs') => {"current_working_directory": "docs"}
cat(file_name='notes.txt') => {"file_content": "beta\nalpha\nbeta"}

# Writing to a file in a copied directory changes the original, and cd .. can lead there.
mkdir(dir_name='sub') => None
mv(source='sub', destination='docs') => {"result": "'sub' moved to 'docs/sub'"}
cp(source='docs', destination='copy') => {"result": "'docs' copied to 'copy'"}
cd(folder='copy') => {"current_working_directory": "copy"}
echo(content='changed', file_name='report.txt') => None
cd(folder='sub') => {"current_working_directory": "sub"}
cd(folder='..') => {}
pwd() => {"current_working_directory": "/home/docs"}
cat(file_name='report.txt') => {"file_content": "changed"}

# An item called "." can be created, and every use of that name means the current directory.
touch(file_name='.') => None
cat(file_name='.') => {"error": "cat: '.': Is a directory"}
rmdir(dir_name='.') => {"error": "rmdir: cannot remove '.': Directory not empty"}
rm(file_name='.') => {"result": "'.' removed"}

# A wrong type fails with Python's message; a content that is not text is stored unchanged.
mkdir(dir_name=5) => Error during execution: argument of type 'int' is not iterable
rm(file_name=['a']) => Error during execution: unhashable type: 'list'
find(name=5) => Error during execution: 'in <string>' requires string as left operand, not int
echo(content=[1], file_name='notes.txt') => None
cat(file_name='notes.txt') => {"file_content": [1]}
sort(file_name='notes.txt') => Error during execution: 'list' object has no attribute 'splitlines'
mkdir() => Error during execution: GorillaFileSystem.mkdir() missing 1 required positional argument:
    'dir_name'
"""
)

test_scenes = scene_test("GorillaFileSystem", INITIAL, SCENES)


class Shell(OneApi):
    """A world with one file system."""

    def __init__(self, setting: WorldConfig) -> None:
        super().__init__("GorillaFileSystem", INITIAL, setting)

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


def test_the_current_directory_is_not_compared(shell: Shell) -> None:
    """States with different current directories are equal."""
    before = snapshot(shell.state)
    shell.text("cd", folder="docs")
    assert shell.state == before


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
