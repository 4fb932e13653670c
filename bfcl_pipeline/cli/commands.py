"""The commands of the core and of each wing, and their parser: help, and similar names after a mistake."""

import argparse
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path
from typing import Any, NoReturn

from bfcl_pipeline.base.text import did_you_mean

CORE = {  # what evaluates models: from the release to the tables and the page
    "run": "evaluate models, from staging to the report",
    "watch": "show how far a run is: rates, time left, cost, failures",
    "runs": "list the runs in results/: state, models, best score, size",
    "stage": "fetch the pinned release, verify it, write data/entries",
    "categories": "list what the benchmark tests: categories, entries, weights",
    "models": "list the known models and what each lacks; add one",
    "ping": "try a model; say whether row, server or model is to blame",
    "serve": "run vLLM's server for one model until it receives TERM or INT",
    "generate": "run one model on the entries of the given categories",
    "gather": "merge the shards of one model's responses",
    "score": "score a table of responses",
    "aggregate": "turn verdicts into the leaderboard's tables and CSV files",
    "report": "write the page of a run: one HTML file with every entry",
    "figures": "draw the figures of a run again, or those that join several",
    "table": "print the leaderboard table of a run",
    "web": "inspect and check recorded web outcomes; try a search",
    "import-official": "turn result folders of the official tool into a run",
}

COMPARE = {  # of the wing `show.compare`
    "compare": "compare models or runs: differences, intervals, tests, flips",
    "diff": "show what two runs differ in, and where conversations part",
    "gate": "exit with 0 if a run is no worse than a baseline",
}

ENTRY = {  # of the wing `show.entry`
    "show": "print an entry, or one model's conversation and why it failed",
    "audit": "list suspected defects of the entries, and their adjudication",
    "journal": "inspect recorded exchanges with models, down to raw answers",
}

PLANNING = {  # of the wing `show.planning`
    "plan": "say before a run how precise a sample is, its cost and time",
}

NOISE = {  # of the wing `show.noise`; `plan --gate`, `plan --preset` and `gate --sentinel` need it, too
    "noise": "show how much equal runs differ, and what a gate can tell",
}

SERVERS = {  # of the wing `show.servers`
    "ceiling": "measure what a perfect model scores through a server",
    "blame": "put wrong answers down to entry, server, limit or model",
    "reparse": "read recorded answers again with another server or parser",
}

CONDITIONS = {  # of the wing `show.conditions`
    "conditions": "show what streams, load or strict tools change",
}

SHARE = {  # of the wing `share`
    "replay": "derive a run again from its records, and compare every byte",
    "archive": "package a run as a verifiable archive (RO-Crate)",
    "sign": "sign a statement about an archive, with SSH or sigstore",
    "verify": "check an archive, derive its results again, compare them",
    "submit": "write a bundle of a run: archive, exports, checksums, README",
    "gallery": "write a static site of the archives of many runs, verified",
    "export": "write results as LaTeX, Markdown, or for other programs",
    "export-official": "write responses as result folders of the official tool",
}

ENVIRONMENTS = {  # of the wing `environments`
    "split": "divide the entries for training and testing by scenario",
}

COMMANDS = CORE | PLANNING | ENTRY | COMPARE | NOISE | SERVERS | CONDITIONS | SHARE | ENVIRONMENTS
"""Every command and its help in one line; its module is the name with `_` for `-`."""

GROUPS = {
    "Evaluate models": "run watch models ping plan categories import-official",
    "Look at results": "runs table show compare diff gate noise figures audit journal web split",
    "Share results": "archive verify sign submit export export-official replay gallery",
    "Servers and parsers": "serve ceiling blame conditions reparse",
    "Steps of the workflow, which `run` calls": "stage generate gather score aggregate report",
}
"""The commands in the order of `bfcl-pipeline --help`, those of every day first."""


class HelpText(argparse.HelpFormatter):
    """Fills paragraphs of descriptions and epilogs; those with indented lines, such as examples, stay.

    A usage has the arguments that must be given; the list below it has the options.
    """

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        """Adds the usage; unless it is given, `[OPTION ...]` stands for what may be left out."""
        chosen = [group for group in groups if group.required]
        wanted = [action for group in chosen for action in group._group_actions]
        shown = [each for each in actions if each.required or not each.option_strings or each in wanted]
        left = [argparse.Action(["OPTION ..."], "", 0)] if len(shown) < len(actions) else []
        super().add_usage(usage, [*left, *shown], chosen, prefix)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        fill = super()._fill_text
        parts = text.strip("\n").split("\n\n")
        return "\n\n".join(part if "\n  " in f"\n{part}" else fill(part, width, indent) for part in parts)


class Parser(argparse.ArgumentParser):
    """An ArgumentParser whose errors suggest names."""

    given: Iterable[str] = ()  # the words of the command line

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"formatter_class": HelpText, **options})

    def error(self, message: str) -> NoReturn:
        """Ends with status 2, the usage, the message, and what was probably meant."""
        word, _, choices = message.partition("invalid choice: '")[2].partition("' (choose from ")
        meant = did_you_mean(word, re.findall(r"[\w.-]+", choices)) if choices else ""
        known = [name for name in self._option_string_actions if name.startswith("--")]
        given = takewhile(lambda word: word != "--", self.given)  # what follows is Snakemake's
        for name in (word.partition("=")[0] for word in given if word.startswith("--")):
            if not any(each.startswith(name) for each in known):
                meant += did_you_mean(name, known)
        super().error(wrapped(f"{message.rstrip('.')}.{meant}", f"{self.prog}: error: "))


def wrapped(text: str, before: str) -> str:
    """`text`, broken between words if standard error is a terminal. before: begins its first line."""
    if not sys.stderr.isatty():
        return text
    lines = textwrap.fill(
        f"{before}{text}",
        shutil.get_terminal_size().columns,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return lines.removeprefix(before)


def described_commands() -> str:
    """What the program is for and its commands by group, a line each: the description in its help."""
    groups = ["Evaluate BFCL V4, reproducibly. `bfcl-pipeline COMMAND --help` describes a command."]
    for title, names in GROUPS.items():
        lines = [f"  {name:<15}  {COMMANDS[name]}" for name in names.split() if name in COMMANDS]
        groups.append("\n".join([f"{title}:", *lines]))
    return "\n\n".join(groups)


def example_of(command: str) -> str:
    """A command line, from examples.txt."""
    lines = Path(__file__).with_name("examples.txt").read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.split()[1] == command)
