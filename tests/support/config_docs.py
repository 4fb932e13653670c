"""The keys of a config in config/README.md and config.yaml, from the schema.

To config.yaml keys that it lacks are added, with their description and default.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from bfcl_pipeline.benchmark.config.check import config_schema
from bfcl_pipeline.benchmark.config.run_form import FORM_KEY
from tests.support import ROOT
from tests.support.docs_parts import rewrite, with_table

PAGE, CONFIG = ROOT / "config/README.md", ROOT / "config/config.yaml"

_TITLES = ("key", "default", "meaning", "what a change recomputes")


def document(page: str) -> str:
    """The page with the table of all keys as the schema has them."""
    return with_table(page, _TITLES, _rows())


def completed(config: str) -> str:
    """The text of a config, to which the keys that it lacks are added."""
    given = yaml.safe_load(config)
    for key, about in config_schema()["properties"].items():
        if key != FORM_KEY and key not in given:
            config += f"\n# {about['description']}\n{yaml.safe_dump({key: default_of(about)}, width=200)}"
    return config


def default_of(about: Mapping[str, Any]) -> Any:
    """The default of a key; of a mapping, the defaults of its keys."""
    if about["type"] != "object":
        return about["default"]
    return {key: default_of(inner) for key, inner in about["properties"].items()}


def _rows() -> Iterator[tuple[str, ...]]:
    for key, about in config_schema()["properties"].items():
        if key != FORM_KEY:
            inner = about["properties"].items() if about["type"] == "object" else ()
            keys = {f"{key}.{name}": of_key for name, of_key in inner} or {key: about}
            for name, of_key in keys.items():
                yield f"`{name}`", _default(of_key), _meaning(of_key, about), about["x-recomputes"]


def _default(about: Mapping[str, Any]) -> str:
    text = yaml.safe_dump(about["default"], default_flow_style=True, width=200)
    text = text.removesuffix("...\n").strip()
    return "the pinned wheel's" if re.fullmatch("[0-9a-f]{64}", text) else f"`{text}`"


def _meaning(about: Mapping[str, Any], of_top: Mapping[str, Any]) -> str:
    """The description, the words that the key may be, and where there is more."""
    text = str(about["description"]).rstrip(".")
    if "enum" in about:
        text += f": {', '.join(f'`{word}`' for word in about['enum'])}"
    return f"{text} ([more]({of_top['x-see']}))" if "x-see" in of_top else text


if __name__ == "__main__":
    rewrite(PAGE, document)
    rewrite(CONFIG, completed)
