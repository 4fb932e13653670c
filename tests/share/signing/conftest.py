"""Two keys, and a statement signed with one of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.share.signing.signature import SigningOptions
from bfcl_pipeline.share.signing.signed_line import sign_statement
from tests.support.ssh_keys import make_key

PAYLOAD = b'{"a":1}'


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The keys of Alice and Bob."""
    folder = tmp_path_factory.mktemp("keys")
    return make_key(folder / "alice"), make_key(folder / "bob")


@pytest.fixture(scope="session")
def line(keys: tuple[Path, Path]) -> bytes:
    """Signed by Alice."""
    return sign_statement(PAYLOAD, SigningOptions(key=keys[0]))
