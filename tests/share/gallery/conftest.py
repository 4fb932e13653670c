"""The small run of the tests of archives, and made-up records of archives."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.share.archive.conftest import archived, own_run, small_run
from tests.support.gallery_records import Records, made_up_records

__all__ = ["archived", "own_run", "small_run"]


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What `gallery` finds is kept in a folder of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def records(tmp_path_factory: pytest.TempPathFactory) -> Records:
    """Made-up archives of every outcome, some with hostile names; read-only."""
    return made_up_records(tmp_path_factory.mktemp("records"))
