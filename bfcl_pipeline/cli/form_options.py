"""The options that say in which form answers are, where `results.found_form` does not find it."""

import argparse
from collections.abc import Callable
from enum import StrEnum
from typing import TypeVar

from bfcl_pipeline.ask.results.found_form import FormChoice
from bfcl_pipeline.benchmark.records import Mode, NameStyle

_Form = TypeVar("_Form", bound=StrEnum)


def add_form_options(parser: argparse.ArgumentParser) -> None:
    """`--mode` and `--name-style`, each for all models or for one; may be repeated."""
    for flag, form, what in (
        ("--mode", Mode, "fc if answers are lists of calls, prompt if they are text"),
        ("--name-style", NameStyle, "whether called functions keep the dots in their names"),
    ):
        parser.add_argument(
            flag,
            action="append",
            default=[],
            type=_of_model(form),
            metavar=f"[MODEL=]{{{','.join(form)}}}",
            help=f"{what} (default: found in the answers of each model); of all models, which is an error "
            "where the answers contradict it, or of one model, which is not checked; may be repeated",
        )


def _of_model(form: type[_Form]) -> Callable[[str], tuple[str | None, _Form]]:
    def parse(text: str) -> tuple[str | None, _Form]:
        model, equals, value = text.rpartition("=")
        if value not in [*form]:
            raise argparse.ArgumentTypeError(f"expected [MODEL=]{' or '.join(form)}, got {text!r}")
        return (model if equals else None), form(value)

    return parse


def form_choice(options: argparse.Namespace) -> FormChoice:
    """What the options say."""
    return FormChoice(dict(options.mode), dict(options.name_style))
