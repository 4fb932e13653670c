"""The tables of a run as one HTML file that needs no network.

Covers rendering; what each section shows is in `report.view_*`, how it looks in `templates/`. Names of
models and text of errors are not trusted: everything is escaped, and the page forbids itself any
script and style but its own.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from bfcl_pipeline import __version__
from bfcl_pipeline.records import Rules
from bfcl_pipeline.report.run_tables import RunTables, read_run_tables
from bfcl_pipeline.report.view_categories import heat_map
from bfcl_pipeline.report.view_errors import errors
from bfcl_pipeline.report.view_formats import format_sensitivity
from bfcl_pipeline.report.view_memory import memory
from bfcl_pipeline.report.view_overview import overview
from bfcl_pipeline.report.view_rules import rules_comparison
from bfcl_pipeline.report.view_trials import trial_view
from bfcl_pipeline.report.view_usage import usage_view
from bfcl_pipeline.report.view_web import web_search
from bfcl_pipeline.tables import write_text

MANY_MODELS = 10
"""Up to so many models stand side by side; more stand one beneath the other wherever they can."""

_TEMPLATES = Path(__file__).parent / "templates"


def write_page(run_dir: Path, rules: Rules) -> Path:
    """Writes `run_dir`/report.html from `run_dir`/tables and returns its path. Raises TableError."""
    path = run_dir / "report.html"
    write_text(path, render_page(read_run_tables(run_dir, rules)))
    return path


def render_page(tables: RunTables) -> str:
    """The page as text; equal tables give equal text."""
    style, script = _template_text("style.css"), _template_text("sort.js")
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html.j2").render(
        policy=_policy(style, script),
        style=Markup(style),  # noqa: S704  # our own file
        script=Markup(script),  # noqa: S704  # our own file
        version=__version__,
        rules=tables.rules.value,
        many=len(tables.leaderboard) > MANY_MODELS,
        overview=overview(tables),
        heat_map=heat_map(tables),
        errors=errors(tables),
        formats=format_sensitivity(tables),
        comparison=rules_comparison(tables),
        memory=memory(tables),
        web=web_search(tables),
        usage=usage_view(tables),
        trials=trial_view(tables),
    )


def _template_text(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """A content security policy that lets exactly this style and script through, and no request."""
    return f"default-src 'none'; style-src '{_source(style)}'; script-src '{_source(script)}'"


def _source(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
