"""The recorded config of a run, which may come from an untrusted archive."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.text import unknown_name
from bfcl_pipeline.yaml_reader import read_yaml_file

Member = TypeVar("Member", bound=StrEnum)


def recorded_keys(run_dir: Path) -> Mapping[str, Any]:
    """The recorded config of a run; empty if it recorded none.

    Raises ConfigError if it is not a mapping of plain values, as it may come from elsewhere.
    """
    path = run_dir / "config.yaml"
    try:
        document = read_yaml_file(path)
    except FileNotFoundError:
        return {}
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise ConfigError(f"{path}: expected a mapping of keys, got {type(document).__name__}.")
    return document


def recorded_member(run_dir: Path, given: object, default: Member, about: str) -> Member:
    """The member of the enumeration of `default` that a value of the recorded config names.

    given: the value; None: `default`. about: what it is, for the message. Raises ConfigError if there is no
    such member.
    """
    members = type(default)
    if given is None:
        return default
    if given not in [*members]:
        raise ConfigError(f"{run_dir}/config.yaml: {unknown_name(about, str(given), map(str, members))}")
    return members(str(given))
