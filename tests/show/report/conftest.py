"""A made-up run with its tables, for the tests of this directory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bfcl_pipeline.show.report.page import render
from tests.support.made_up_models import typical_models
from tests.support.synthetic_run import MadeUpModel, made_up_tables


@pytest.fixture(scope="session")
def made_up_models() -> list[MadeUpModel]:
    """A perfect model, a hostile one, and two with unanswered entries on which the rule sets differ."""
    return typical_models()


@pytest.fixture(scope="session")
def made_up_run(tmp_path_factory: pytest.TempPathFactory, made_up_models: list[MadeUpModel]) -> Path:
    """The directory of a run of these models with its tables; read-only."""
    return made_up_tables(tmp_path_factory.mktemp("made-up"), made_up_models)


@pytest.fixture
def without_figures() -> Iterator[None]:
    """Pages are written without figures, which take most of the time; test_figures.py has the figures."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(render, "draw_run", lambda tables: [])
        yield
