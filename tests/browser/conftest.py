"""Reports and a browser that opens them, shared by all tests here."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page

from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.page.render import write_page
from tests.support.browser import CHROMIUM, HEIGHT, Observed, OpenReport, running_browser
from tests.support.executable_run import executable_models
from tests.support.made_up_models import typical_models
from tests.support.snakemake_project import make_project
from tests.support.synthetic_run import made_up_tables

REQUIRED = "BFCL_BROWSER_REQUIRED"
TIMEOUT = 15_000  # milliseconds until an element that is not there fails the test


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Headless Chromium. Without one, skips with the reason, or fails if BFCL_BROWSER_REQUIRED=1 is set."""
    if CHROMIUM is None:
        reason = "not installed: chromium; tests/browser/install.sh installs it (Debian, as root)."
        if os.environ.get(REQUIRED) == "1":
            pytest.fail(f"{reason} {REQUIRED}=1 asks for it.")
        pytest.skip(reason)
    with running_browser() as started:
        yield started


@pytest.fixture
def open_report(browser: Browser) -> Iterator[OpenReport]:
    """Opens reports, each in a window with its own profile."""
    opened: list[tuple[Observed, tuple[str, ...]]] = []
    contexts = []

    def opener(
        report: Path,
        width: int = 1400,
        dark: bool = False,
        javascript: bool = True,
        fragment: str = "",
        expected: tuple[str, ...] = (),
    ) -> Page:
        scheme: Literal["dark", "light"] = "dark" if dark else "light"
        context = browser.new_context(
            viewport={"width": width, "height": HEIGHT},
            color_scheme=scheme,
            java_script_enabled=javascript,
            offline=True,
        )
        context.set_default_timeout(TIMEOUT)
        contexts.append(context)
        pages = tuple(path.name for path in report.parent.glob("*.html"))
        observed = Observed(report.parent.resolve(), pages)
        opened.append((observed, expected))
        page = context.new_page()
        observed.watch(page)
        page.goto(report.resolve().as_uri() + (f"#{fragment}" if fragment else ""))
        return page

    yield opener
    for context in contexts:
        context.close()
    for observed, expected in opened:
        assert observed.requests
        assert observed.foreign() == []
        assert observed.errors == []
        assert [line for line in observed.console if not line.startswith(expected or ("\0",))] == []


@pytest.fixture(scope="session")
def made_up_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a made-up run of four models, one of them with a hostile name; read-only."""
    run = made_up_tables(tmp_path_factory.mktemp("made-up"), typical_models())
    return write_page(Run(run, run.parent / "cache", run.parent / "cache"), Rules.OFFICIAL)


@pytest.fixture(scope="session")
def executable_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a made-up run with executable categories of V1; read-only."""
    run = made_up_tables(tmp_path_factory.mktemp("executable"), executable_models())
    return write_page(Run(run, run.parent / "cache", run.parent / "cache"), Rules.OFFICIAL)


@pytest.fixture(scope="session")
def embedded_run(tmp_path_factory: pytest.TempPathFactory, staged: Path, staged_encoder: Path) -> Path:
    """The folder of a run of two embedded models on 60 entries, some of every category; read-only.

    It lies in a project as a user has it: `data`, `cache` and `config` are three folders up.
    """
    project = make_project(tmp_path_factory.mktemp("embedded"))
    for part in ("release", "entries"):
        shutil.copytree(staged / part, project.folder / "data" / part)
    shutil.copytree(staged_encoder, project.folder / "data" / "encoder")
    made = project.snakemake(models="[oracle, lexical]", sample="60", run="small")
    assert made.returncode == 0, made.stdout
    return project.folder / "results/small"


@pytest.fixture(scope="session")
def embedded_report(embedded_run: Path) -> Path:
    """The report of `embedded_run`, as the workflow wrote it; read-only."""
    return embedded_run / "report.html"
