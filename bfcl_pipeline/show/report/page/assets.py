"""The files of the page's templates, and content security policies that allow them and nothing else."""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

TEMPLATES = Path(__file__).parent / "templates"


@cache
def environment(*folders: Path) -> Environment:
    """Templates that escape everything, compiled once; those of the page, after those of `folders`."""
    return Environment(
        loader=FileSystemLoader([*folders, TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def template_text(name: str, folder: Path = TEMPLATES) -> str:
    """The text of a style or script."""
    return (folder / name).read_text(encoding="utf-8")


def policy(style: str, scripts: Iterable[str], further: Sequence[str] = ()) -> str:
    """A content security policy that allows this style and these scripts, and no request.

    further: other sources of scripts.
    """
    sources = [*(f"'{_source(script)}'" for script in scripts), *further]
    rules = {"default-src": "'none'", "base-uri": "'none'", "form-action": "'none'"}
    rules |= {"style-src": f"'{_source(style)}'", "script-src": " ".join(sources) or "'none'"}
    return "; ".join(f"{name} {allowed}" for name, allowed in rules.items())


def _source(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
