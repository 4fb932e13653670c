"""GorillaFileSystem: commands on files and directories, with a current directory.

The data classes and the initial file system are in `nodes`, the traversals of `find` and `du` in
`walks`. As in the release, a copied directory shares the items of its original, the parent of an item in
a moved directory stays the old one, and a directory can end up inside itself. The checker does not compare
the current directory.
Source: the function docs and the behaviour of the release's gorilla_file_system.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.world.tools.api import (
    BoundExceeded,
    CallFailed,
    WorldConfig,
    changes,
    reads,
    refuse_call,
)
from bfcl_pipeline.world.tools.file_system.nodes import Directory, File, Name, root_of
from bfcl_pipeline.world.tools.file_system.walks import Visits, bytes_below, found_below

Output = dict[str, Any]

MAX_COPIED = 100_000
"""Items in all copies of directories of one file system."""

_FORBIDDEN = '|/\\?%*:"><'
_UNITS = ("B", "KB", "MB", "GB", "TB")


@dataclass(slots=True)
class FileSystemState:
    """The state that the checker compares."""

    long_context: bool  # whether fillers were added
    root: Directory


class GorillaFileSystem:
    """The file system."""

    def __init__(self, state: FileSystemState) -> None:
        self.state = state
        self._here = state.root
        self._copies_left = MAX_COPIED
        self._visits = Visits()

    @classmethod
    def load(cls, initial: Mapping[str, Json], config: WorldConfig) -> Self:
        """The initial file system of an entry, at its root; empty if the entry has none."""
        return cls(FileSystemState(config.long_context, root_of(initial, config)))

    @reads
    def pwd(self) -> Output:
        """The path of the current directory, including the root's name."""
        names = []
        directory: Directory | None = self._here
        while directory is not None:
            names.append(directory.name)
            directory = directory.parent
        return {"current_working_directory": "/" + "/".join(reversed(names))}

    @reads
    def ls(self, a: bool = False) -> Output:
        """Names in the current directory; with `a` also names that start with a dot."""
        names = [name for name in self._here.contents if a or not name.startswith(".")]
        return {"current_directory_content": names}

    @changes
    def cd(self, folder: str) -> Output:
        """Changes the current directory by one level, or to the root."""
        folder = folder.rstrip("/") or "/"
        if folder == "..":
            if self._here.parent is None:
                return refuse_call("Current directory is already the root. Cannot go back.")
            self._here = self._here.parent
            return {}
        if folder != "/" and "/" in folder:
            return refuse_call(
                f"cd: {folder}: Unsupported path. Only one folder level at a time is supported."
            )
        directory = self._directory(folder)
        if directory is None:
            return refuse_call(f"cd: '{folder}': No such file or directory")
        self._here = directory
        return {"current_working_directory": directory.name}

    @changes
    def mkdir(self, dir_name: str) -> Output | None:
        """Creates an empty directory in the current directory."""
        problem = self._why_not_new(dir_name)
        if problem:
            return refuse_call(f"mkdir: cannot create directory '{dir_name}': {problem}")
        self._here.add(Directory(dir_name, self._here))
        return None

    @changes
    def touch(self, file_name: str) -> Output | None:
        """Creates an empty file in the current directory."""
        problem = self._why_not_new(file_name)
        if problem:
            return refuse_call(f"touch: cannot touch '{file_name}': {problem}")
        self._here.add(File(file_name, ""))
        return None

    @changes
    def echo(self, content: str, file_name: str | None = None) -> Output | None:
        """Replaces the content of an existing file; without a file name, returns `content`."""
        if file_name is None:
            return {"terminal_output": content}
        if _has_forbidden(file_name):
            return refuse_call(f"echo: cannot write to '{file_name}': Invalid character")
        if not file_name:
            return {"terminal_output": content}
        item = self._item(file_name)
        if item is None:
            return refuse_call(f"echo: cannot write to '{file_name}': No such file")
        if isinstance(item, Directory):
            raise CallFailed("'Directory' object has no attribute '_write'")
        item.content = content
        return None

    @reads
    def cat(self, file_name: str) -> Output:
        """The content of a file."""
        if _has_forbidden(file_name):
            return refuse_call(f"cat: '{file_name}': Invalid character")
        item = self._item(file_name)
        if item is None:
            return refuse_call(f"cat: '{file_name}': No such file or directory")
        if isinstance(item, Directory):
            return refuse_call(f"cat: '{file_name}': Is a directory")
        return {"file_content": item.content}

    @reads
    def find(self, path: str = ".", name: str | None = None) -> Output:
        """Paths of all items below `path` whose names contain `name`."""
        top = self._directory(path)
        if top is None:
            return refuse_call(f"find: '{path}': No such file or directory")
        return {"matches": found_below(top, path.rstrip("/"), name, self._visits)}

    @reads
    def wc(self, file_name: str, mode: str = "l") -> Output:
        """The number of lines, words or characters of a file."""
        if mode not in ["l", "w", "c"]:
            return refuse_call(f"wc: invalid mode '{mode}'")
        item = self._item(file_name)
        if not isinstance(item, File):
            return refuse_call(f"wc: {file_name}: No such file or directory")
        if mode == "l":
            return {"count": len(item.content.splitlines()), "type": "lines"}
        if mode == "w":
            return {"count": len(item.content.split()), "type": "words"}
        return {"count": len(item.content), "type": "characters"}

    @reads
    def sort(self, file_name: str) -> Output:
        """The lines of a file in order; the file stays as it is."""
        item = self._item(file_name)
        if not isinstance(item, File):
            return refuse_call(f"sort: {file_name}: No such file or directory")
        return {"sorted_content": "\n".join(sorted(item.content.splitlines()))}

    @reads
    def grep(self, file_name: str, pattern: str) -> Output:
        """The lines of a file that contain `pattern`, as text."""
        item = self._item(file_name)
        if not isinstance(item, File):
            return refuse_call(f"grep: {file_name}: No such file or directory")
        return {"matching_lines": [line for line in item.content.splitlines() if pattern in line]}

    @reads
    def du(self, human_readable: bool = False) -> Output:
        """Size of all files below the current directory, in bytes or in a suitable unit."""
        size: float = bytes_below(self._here, self._visits)
        if not human_readable:
            return {"disk_usage": f"{size} bytes"}
        for unit in _UNITS:
            if size < 1024:
                return {"disk_usage": f"{size:.2f} {unit}"}
            size /= 1024
        return {"disk_usage": f"{size:.2f} PB"}

    @reads
    def tail(self, file_name: str, lines: int = 10) -> Output:
        """The last lines of a file, all lines for 0; a negative number omits that many at the start."""
        item = self._item(file_name)
        if not isinstance(item, File):
            return refuse_call(f"tail: {file_name}: No such file or directory")
        content = item.content.splitlines()
        wanted = len(content) if lines > len(content) else lines
        return {"last_lines": "\n".join(content[-wanted:])}

    @reads
    def diff(self, file_name1: str, file_name2: str) -> Output:
        """The different lines of two files, compared line by line up to the end of the shorter one."""
        first = self._item(file_name1)
        second = self._item(file_name2) if first is not None else None
        if not (isinstance(first, File) and isinstance(second, File)):
            return refuse_call(f"diff: {file_name1} or {file_name2}: No such file or directory")
        pairs = zip(first.content.splitlines(), second.content.splitlines(), strict=False)
        return {"diff_lines": "\n".join(f"- {left}\n+ {right}" for left, right in pairs if left != right)}

    @changes
    def mv(self, source: str, destination: str) -> Output:
        """Moves an item of the current directory into a subdirectory, or renames it."""
        return self._transfer("mv", "move", source, destination)

    @changes
    def rm(self, file_name: str) -> Output:
        """Removes a file, or a directory with its contents."""
        if file_name not in self._here.contents:
            return refuse_call(f"rm: cannot remove '{file_name}': No such file or directory")
        del self._here.contents[file_name]
        return {"result": f"'{file_name}' removed"}

    @changes
    def rmdir(self, dir_name: str) -> Output:
        """Removes an empty directory."""
        item = self._item(dir_name)
        if item is None:
            return refuse_call(f"rmdir: cannot remove '{dir_name}': No such file or directory")
        if isinstance(item, File):
            return refuse_call(f"rmdir: cannot remove '{dir_name}': Not a directory")
        if item.contents:
            return refuse_call(f"rmdir: cannot remove '{dir_name}': Directory not empty")
        del self._here.contents[dir_name]
        return {"result": f"'{dir_name}' removed"}

    @changes
    def cp(self, source: str, destination: str) -> Output:
        """Copies an item of the current directory into a subdirectory, or to another name."""
        return self._transfer("cp", "copy", source, destination)

    def _item(self, name: Name) -> File | Directory | None:
        """The item with that name in the current directory; None if there is none."""
        return self._here.item(name) if name in self._here.contents else None

    def _directory(self, path: str | None) -> Directory | None:
        """The directory at `path`, from the root if it starts with a slash; None if there is none."""
        if path is None or path == ".":
            return self._here
        if path == "/":
            return self.state.root
        names = path.strip("/").split("/")
        directory = self.state.root if path.startswith("/") else self._here
        for name in names:
            item = directory.item(name)
            if not isinstance(item, Directory):
                return None
            directory = item
        return directory

    def _why_not_new(self, name: Name) -> str | None:
        if _has_forbidden(name):
            return "Invalid character"
        return "File exists" if name in self._here.contents else None

    def _transfer(self, command: str, verb: str, source: Name, destination: Name) -> Output:
        """The common part of mv and cp, which differ in what a directory shares with its original."""
        item = self._item(source)
        if item is None:
            return refuse_call(f"{command}: cannot {verb} '{source}': No such file or directory")
        if "/" in destination:
            return refuse_call(
                f"{command}: path not allowed in destination. Provide only a file or directory name."
            )
        target, name, place = self._here, destination, f"{destination}"
        existing = self._item(destination)
        if isinstance(existing, File):
            return refuse_call(f"{command}: cannot {verb} '{source}' to '{destination}': Not a directory")
        if existing is not None:
            target, name, place = existing, source, f"{destination}/{source}"
            # For cp the release looks up the whole path as a name, so only `add` detects an existing item.
            if (f"{source}" if command == "mv" else place) in existing.contents:
                return refuse_call(f"{command}: cannot {verb} '{source}' to '{place}': File exists")
        if command == "mv":
            del self._here.contents[source]
            _put(item, target, name, is_moved=True)
            return {"result": f"'{source}' moved to '{place}'"}
        self._count_copied(item)
        _put(item, target, name, is_moved=False)
        return {"result": f"'{source}' copied to '{place}'"}

    def _count_copied(self, item: File | Directory) -> None:
        items = len(item.contents) if isinstance(item, Directory) else 1
        if items > self._copies_left:
            raise BoundExceeded(f"cp: more than {MAX_COPIED:,} items")
        self._copies_left -= items


def _put(item: File | Directory, target: Directory, name: Name, is_moved: bool) -> None:
    """Puts the content of `item` into `target` under `name`; items of a directory are shared."""
    if isinstance(item, File):
        target.add(File(name, item.content))
        return
    directory = Directory(name, target)
    target.add(directory)
    # Only after `add`: if `item` is `target`, or shares its contents, it contains the new directory too.
    directory.contents = item.contents if is_moved else item.contents.copy()


def _has_forbidden(name: Name) -> bool:
    return any(character in name for character in _FORBIDDEN)
