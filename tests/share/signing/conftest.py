"""A statement signed with a key."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.share.signing.signature import SigningOptions
from bfcl_pipeline.share.signing.signed_line import sign_statement

PAYLOAD = b'{"a":1}'


@pytest.fixture(scope="session")
def line(keys: tuple[Path, Path]) -> bytes:
    """Signed by Alice."""
    return sign_statement(PAYLOAD, SigningOptions(key=keys[0]))
