"""`bfcl-pipeline web ACTION`: the web cache and the real web behind it.

Each action is a module of this package with `HELP`, `add_arguments(parser)` and `run(options) -> int`.
"""

import argparse
from types import ModuleType

from bfcl_pipeline.cli.web import check, status, tryout

ACTIONS: dict[str, ModuleType] = {
    "check": check,
    "status": status,
    "try": tryout,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the actions and their options."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, action in ACTIONS.items():
        one = actions.add_parser(name, help=action.HELP, description=action.HELP)
        action.add_arguments(one)


def run(options: argparse.Namespace) -> int:
    """Runs the action. Returns the exit status."""
    status: int = ACTIONS[options.action].run(options)
    return status
