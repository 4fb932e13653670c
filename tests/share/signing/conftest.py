"""Two keys, a statement signed with one of them, and a time stamp authority."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bfcl_pipeline.share.signing.signature import SigningOptions
from bfcl_pipeline.share.signing.signed_line import sign_statement
from tests.support.ssh_keys import make_key
from tests.support.time_stamp_authority import Authority, Service, send, serving

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


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Has certificates of its own; needs openssl."""
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def service(authority: Authority) -> Iterator[Service]:
    """The authority behind HTTP."""
    with serving(lambda handler, query: send(handler, authority.answer(query))) as running:
        yield running
