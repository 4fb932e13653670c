"""The data of the page's list of entries, and of its conversations: within the page, or in files beside it.

A browser forbids a page opened from disk to read files, but not to run scripts: where conversations are too
large for the page they lie in report/ beside it as script files, which the page loads when they are needed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.files import replaced_folder
from bfcl_pipeline.base.text import plural
from bfcl_pipeline.benchmark.config.choices import ShownEntries
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.explorer.conversations import Block, Told, conversations, silent
from bfcl_pipeline.show.report.explorer.index import read_index
from bfcl_pipeline.show.report.page.run_tables import RunTables
from bfcl_pipeline.show.report.page.views import ERRATA_MARK, defects

MOST_WITHIN = 1_500_000
"""Characters of conversations that a page carries itself."""

FOLDER = "report"
"""The folder beside the page."""

INDEX = "index"
"""The name of the block with the list of entries."""


@dataclass(frozen=True, slots=True)
class Explorer:
    """What the page needs for its list of entries."""

    blocks: Mapping[str, str] = field(default_factory=dict)  # data within the page, by name
    about: str = ""  # where the conversations are
    beside: bool = False  # whether the page loads files of the folder
    executes: bool = False  # whether calls of some entries are executed to score them


@dataclass(slots=True)
class _Conversations:
    """Blocks as they are made: kept until they are too large for the page, then written to the folder."""

    folder: Path
    digests: dict[str, str] = field(default_factory=dict)
    within: dict[str, str] = field(default_factory=dict)
    beside: bool = False
    size: int = 0  # characters

    def add(self, name: str, block: Block) -> None:
        self.digests[name] = block.digest
        self.size += len(block.text)
        if self.beside:
            self._write(name, block.text)
            return
        self.within[name] = block.text
        if self.size > MOST_WITHIN:
            self.beside = True
            for kept, text in self.within.items():
                self._write(kept, text)
            self.within.clear()

    def _write(self, name: str, text: str) -> None:
        block = Block(self.digests[name], text)
        (self.folder / f"{name}.js").write_text(block.script(name), encoding="ascii", newline="\n")


def make_explorer(
    run: Run, tables: RunTables, shown: ShownEntries, *, processes: int | None = None, told: Told = silent
) -> Explorer:
    """Reads the entries of a run, and writes its conversations to report/ if they are large.

    The folder is replaced; it is empty if the page carries all conversations. The other arguments are those
    of `conversations`.

    Raises:
        ConfigError: the recorded config of the run cannot be read.
        TableError: a table cannot be read.
        OSError: the folder cannot be written.
    """
    index = read_index(run, [row["model"] for row in tables["leaderboard"]])
    with replaced_folder(run.folder / FOLDER) as folder:
        made = _Conversations(folder)
        pairs = {(row["first"], row["second"]) for row in tables["comparisons"]}
        found = conversations(run, index, shown, pairs, processes=processes, told=told)
        for name, block in found:
            made.add(name, block)
    names = {row["model"]: row["display_name"] for row in tables["leaderboard"]}
    document: dict[str, Any] = {
        **index.as_json(),
        "run": tables["leaderboard"][0]["run"] or run.folder.name,
        "mark": ERRATA_MARK,
        "rule": list(Rules).index(tables.rules),
        "models": [{"name": model, "shown": names[model]} for model in index.verdicts],
        "defects": defects(tables),
        "entries": shown.value,
        "blocks": made.digests,
        "folder": size_text(made.size) if made.beside else "",
    }
    blocks = {INDEX: Block.of(document).text, **made.within}
    executes = any(CATEGORIES[one.name].executes for one in index.categories)
    return Explorer(blocks, " ".join(_about(shown, made)), made.beside, executes)


def _about(shown: ShownEntries, made: _Conversations) -> Iterator[str]:
    """Sentences on which conversations there are, and where."""
    if not made.digests:
        yield "This report was made without conversations."
        return
    if shown is ShownEntries.WRONG:
        yield "Shown are conversations that are not right under every rule set."
    if made.beside:
        files = f"{size_text(made.size)} in {plural(len(made.digests), 'file', 'files')}"
        yield (
            f"The conversations lie in the folder {FOLDER}/ beside this page ({files}): copy it together "
            "with the page."
        )


def size_text(size: int) -> str:
    """A size in the unit that fits it."""
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size / 1e3:.0f} kB"
