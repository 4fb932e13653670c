"""Options that several commands share."""

from __future__ import annotations

import argparse
import importlib

import pytest

from bfcl_pipeline.cli.commands import COMMANDS
from bfcl_pipeline.cli.options import SHORT, add_names


@pytest.mark.parametrize("command", COMMANDS)
def test_short_forms_mean_the_same_in_every_command(command: str) -> None:
    """-m is --model and -c is --category wherever one of them is, and --run takes one value."""
    parser = argparse.ArgumentParser()
    importlib.import_module(f"bfcl_pipeline.cli.{command.replace('-', '_')}").add_arguments(parser)
    for action in parser._actions:
        for long, short in SHORT.items():
            assert (long in action.option_strings) == (short in action.option_strings)
        if "--run" in action.option_strings:
            assert action.nargs is None


@pytest.mark.parametrize("spaced", [True, False])
def test_names_are_repeated_or_separated_by_commas(spaced: bool) -> None:
    """Every use of the option adds names; a parser that is used again starts anew."""
    parser = argparse.ArgumentParser()
    add_names(parser, "--model", "models", "models", spaced=spaced)
    words = ["-m", "a,b", "--model", "c", *(["d"] if spaced else [])]
    for _ in range(2):
        assert parser.parse_args(words).models == ["a", "b", "c", *(["d"] if spaced else [])]
    assert parser.parse_args([]).models == []
