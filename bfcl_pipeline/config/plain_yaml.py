"""YAML files that may come from an untrusted archive: size and nesting are limited, values are plain."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

import yaml

from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.text import unknown_name

Member = TypeVar("Member", bound=StrEnum)

MAX_CONFIG_BYTES = 8 * 2**20
"""Size of the config and of the models file of a run."""

_MAX_DEPTH = 30  # nesting levels of a config


def read_plain_yaml(file: Path) -> Any:
    """A YAML document of plain values.

    Raises:
        ConfigError: it is something else, or a document that expands when it is loaded.
        FileNotFoundError: there is no such file.
    """
    try:
        if file.stat().st_size > MAX_CONFIG_BYTES:
            raise ConfigError(f"{file}: more than {MAX_CONFIG_BYTES:,} bytes.")
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: not readable as YAML ({error}).") from error
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    depth = 0
    try:
        for event in yaml.parse(text, loader):
            if isinstance(event, yaml.AliasEvent):
                raise ConfigError(f"{file}: contains a YAML alias, which is not read.")
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > _MAX_DEPTH:
                raise ConfigError(f"{file}: nested more than {_MAX_DEPTH} levels deep.")
        document = yaml.load(text, loader)  # noqa: S506  # both are safe
    except (yaml.YAMLError, ValueError) as error:  # ValueError: an invalid date, a number too long
        raise ConfigError(f"{file}: not readable as YAML ({error}).") from error
    if not _is_plain(document):
        raise ConfigError(
            f"{file}: a value is not a text, number, list or mapping of texts; a date needs quotes."
        )
    return document


def _is_plain(value: object) -> bool:
    """Whether JSON can represent the value; it cannot represent dates, sets and the like."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(item) for key, item in value.items())
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | int | float)


def recorded_keys(run_dir: Path) -> Mapping[str, Any]:
    """The recorded config of a run; empty if it recorded none.

    Raises ConfigError if it is not a mapping of plain values, as it may come from elsewhere.
    """
    path = run_dir / "config.yaml"
    try:
        document = read_plain_yaml(path)
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
