"""GorillaFileSystem: files and directories, worked on from a current directory.

Covers going about, making, reading, changing, comparing and finding them. What they are made of is
`file_nodes`, `find` and `du` are in `file_walks`, what an entry starts with is `file_loading`. As in the
release, a copied directory shares the items of its original, going up from what is in a moved one leads
to where it was, and either can come to stand within itself. The current directory is hidden: a checker
does not compare it.
Source: the function docs and the behaviour of the release's gorilla_file_system.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from bfcl_pipeline.records import Json
from bfcl_pipeline.tools.api import Setting, changes, reads
from bfcl_pipeline.tools.file_loading import root_of
from bfcl_pipeline.tools.file_nodes import Directory, File, Name
from bfcl_pipeline.tools.file_walks import bytes_below, found_below
from bfcl_pipeline.tools.limits import BoundExceeded, CallFailed

Output = dict[str, Any]

MAX_COPIED = 100_000
"""Items that copies of directories take over from their originals, in one file system."""

_FORBIDDEN = '|/\\?%*:"><'
_UNITS = ("B", "KB", "MB", "GB", "TB")


@dataclass(slots=True)
class FileSystemState:
    """What the file system holds."""

    long_context: bool  # whether fillers were added
    root: Directory  # the directory that everything is in


class GorillaFileSystem:
    """The file system."""

    def __init__(self, state: FileSystemState) -> None:
        self.state = state
        self._here = state.root
        self._copies_left = MAX_COPIED

    @classmethod
    def load(cls, initial: Mapping[str, Json], setting: Setting) -> Self:
        """The file system that an entry starts with, at its root; empty if the entry says nothing."""
        return cls(FileSystemState(setting.long_context, root_of(initial, setting)))

    @reads
    def pwd(self) -> Output:
        """The path of the current directory; the root's own name stands in it."""
        names = []
        directory: Directory | None = self._here
        while directory is not None:
            names.append(directory.name)
            directory = directory.parent
        return {"current_working_directory": "/" + "/".join(reversed(names))}

    @reads
    def ls(self, a: bool = False) -> Output:
        """Names in the current directory, with `a` also those that start with a dot."""
        names = [name for name in self._here.contents if a or not name.startswith(".")]
        return {"current_directory_content": names}

    @changes
    def cd(self, folder: str) -> Output:
        """Goes one level down or up, or to the root."""
        folder = folder.rstrip("/") or "/"
        if folder == "..":
            if self._here.parent is None:
                return _error("Current directory is already the root. Cannot go back.")
            self._here = self._here.parent
            return {}
        if folder != "/" and "/" in folder:
            return _error(f"cd: {folder}: Unsupported path. Only one folder level at a time is supported.")
        directory = self._directory(folder)
        if directory is None:
            return _error(f"cd: '{folder}': No such file or directory")
        self._here = directory
        return {"current_working_directory": directory.name}

    @changes
    def mkdir(self, dir_name: str) -> Output | None:
        """Makes an empty directory in the current one."""
        problem = self._why_not_new(dir_name)
        if problem:
            return _error(f"mkdir: cannot create directory '{dir_name}': {problem}")
        self._here.add(Directory(dir_name, self._here))
        return None

    @changes
    def touch(self, file_name: str) -> Output | None:
        """Makes an empty file in the current directory."""
        problem = self._why_not_new(file_name)
        if problem:
            return _error(f"touch: cannot touch '{file_name}': {problem}")
        self._here.add(File(file_name, ""))
        return None

    @changes
    def echo(self, content: str, file_name: str | None = None) -> Output | None:
        """Makes `content` the whole content of a file that exists, or gives it back if none is named."""
        if file_name is None:
            return {"terminal_output": content}
        if _has_forbidden(file_name):
            return _error(f"echo: cannot write to '{file_name}': Invalid character")
        if not file_name:
            return {"terminal_output": content}
        item = self._item(file_name)
        if item is None:
            return _error(f"echo: cannot write to '{file_name}': No such file")
        if isinstance(item, Directory):
            raise CallFailed("'Directory' object has no attribute '_write'")
        item.content = content
        return None

    @reads
    def cat(self, file_name: str) -> Output:
        """The content of a file."""
        if _has_forbidden(file_name):
            return _error(f"cat: '{file_name}': Invalid character")
        item = self._item(file_name)
        if item is None:
            return _error(f"cat: '{file_name}': No such file or directory")
        if isinstance(item, Directory):
            return _error(f"cat: '{file_name}': Is a directory")
        return {"file_content": item.content}

    @reads
    def find(self, path: str = ".", name: str | None = None) -> Output:
        """Paths of all items below `path` whose names contain `name`."""
        top = self._directory(path)
        if top is None:
            return _error(f"find: '{path}': No such file or directory")
        return {"matches": found_below(top, path.rstrip("/"), name)}

    @reads
    def wc(self, file_name: str, mode: str = "l") -> Output:
        """The number of lines, words or characters of a file."""
        if mode not in ["l", "w", "c"]:
            return _error(f"wc: invalid mode '{mode}'")
        item = self._item(file_name)
        if not isinstance(item, File):
            return _error(f"wc: {file_name}: No such file or directory")
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
            return _error(f"sort: {file_name}: No such file or directory")
        return {"sorted_content": "\n".join(sorted(item.content.splitlines()))}

    @reads
    def grep(self, file_name: str, pattern: str) -> Output:
        """The lines of a file that contain `pattern`, as text."""
        item = self._item(file_name)
        if not isinstance(item, File):
            return _error(f"grep: {file_name}: No such file or directory")
        return {"matching_lines": [line for line in item.content.splitlines() if pattern in line]}

    @reads
    def du(self, human_readable: bool = False) -> Output:
        """Bytes of all files below the current directory, or in a unit that fits."""
        size: float = bytes_below(self._here)
        if not human_readable:
            return {"disk_usage": f"{size} bytes"}
        for unit in _UNITS:
            if size < 1024:
                return {"disk_usage": f"{size:.2f} {unit}"}
            size /= 1024
        return {"disk_usage": f"{size:.2f} PB"}

    @reads
    def tail(self, file_name: str, lines: int = 10) -> Output:
        """The last lines of a file, all for 0; a negative number leaves out as many at the start."""
        item = self._item(file_name)
        if not isinstance(item, File):
            return _error(f"tail: {file_name}: No such file or directory")
        content = item.content.splitlines()
        wanted = len(content) if lines > len(content) else lines
        return {"last_lines": "\n".join(content[-wanted:])}

    @reads
    def diff(self, file_name1: str, file_name2: str) -> Output:
        """The lines in which two files differ, line by line, as far as the shorter one goes."""
        one = self._item(file_name1)
        other = self._item(file_name2) if one is not None else None
        if not (isinstance(one, File) and isinstance(other, File)):
            return _error(f"diff: {file_name1} or {file_name2}: No such file or directory")
        mine, theirs = one.content.splitlines(), other.content.splitlines()
        pairs = zip(mine, theirs, strict=False)
        return {"diff_lines": "\n".join(f"- {left}\n+ {right}" for left, right in pairs if left != right)}

    @changes
    def mv(self, source: str, destination: str) -> Output:
        """Moves an item of the current directory into a directory in it, or gives it another name."""
        return self._transfer("mv", "move", source, destination)

    @changes
    def rm(self, file_name: str) -> Output:
        """Removes a file, or a directory with all that is in it."""
        if file_name not in self._here.contents:
            return _error(f"rm: cannot remove '{file_name}': No such file or directory")
        del self._here.contents[file_name]
        return {"result": f"'{file_name}' removed"}

    @changes
    def rmdir(self, dir_name: str) -> Output:
        """Removes an empty directory."""
        item = self._item(dir_name)
        if item is None:
            return _error(f"rmdir: cannot remove '{dir_name}': No such file or directory")
        if isinstance(item, File):
            return _error(f"rmdir: cannot remove '{dir_name}': Not a directory")
        if item.contents:
            return _error(f"rmdir: cannot remove '{dir_name}': Directory not empty")
        del self._here.contents[dir_name]
        return {"result": f"'{dir_name}' removed"}

    @changes
    def cp(self, source: str, destination: str) -> Output:
        """Copies an item of the current directory into a directory in it, or under another name."""
        return self._transfer("cp", "copy", source, destination)

    def _item(self, name: Name) -> File | Directory | None:
        """What is meant by a name that stands in the current directory; None if it does not stand there."""
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
        """What mv and cp have in common; they differ in what a directory shares with its original."""
        item = self._item(source)
        if item is None:
            return _error(f"{command}: cannot {verb} '{source}': No such file or directory")
        if "/" in destination:
            return _error(
                f"{command}: path not allowed in destination. Provide only a file or directory name."
            )
        target, name, place = self._here, destination, f"{destination}"
        known = self._item(destination)
        if isinstance(known, File):
            return _error(f"{command}: cannot {verb} '{source}' to '{destination}': Not a directory")
        if known is not None:
            target, name, place = known, source, f"{destination}/{source}"
            # For cp the release looks for the whole path among names, so `add` is what finds the other one.
            if (f"{source}" if command == "mv" else place) in known.contents:
                return _error(f"{command}: cannot {verb} '{source}' to '{place}': File exists")
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
    """Puts what `item` holds into `target` under `name`, a directory's items as they are."""
    if isinstance(item, File):
        target.add(File(name, item.content))
        return
    directory = Directory(name, target)
    target.add(directory)
    # Taken only now: where `item` is `target`, or shares its contents, it holds the new directory too.
    directory.contents = item.contents if is_moved else item.contents.copy()


def _has_forbidden(name: Name) -> bool:
    return any(character in name for character in _FORBIDDEN)


def _error(message: str) -> Output:
    return {"error": message}
