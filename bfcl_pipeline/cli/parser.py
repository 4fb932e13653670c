"""The parser of all commands: help texts that fit the terminal, and similar names after a mistake."""

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
from bfcl_pipeline.cli.commands import COMMANDS, GROUPS


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
