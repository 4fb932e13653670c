"""Statements signed with an SSH key, with the time stamp of an authority."""

from __future__ import annotations

import json
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.base.errors import BadSignature, ConfigError, SigningError
from bfcl_pipeline.share.signing import ssh_keygen
from bfcl_pipeline.share.signing.signature import TIME_STAMP_FIELD, SigningOptions, SigstoreSigning, Trust
from bfcl_pipeline.share.signing.signed_line import check_line, sign_statement
from tests.support.certificates import root
from tests.support.ssh_keys import allow, needs_ssh
from tests.support.time_stamp_authority import HAS_OPENSSL, Authority, Service, send, serving

pytestmark = [needs_ssh, pytest.mark.skipif(not HAS_OPENSSL, reason="openssl makes the time stamps")]

PAYLOAD = b'{"b":2}'


@pytest.fixture
def stamped(keys: tuple[Path, Path], service: Service) -> bytes:
    """Signed by Alice, with a time stamp."""
    return sign_statement(PAYLOAD, SigningOptions(key=keys[0], timestamp=service.url))


def _edited(line: bytes, **fields: Any) -> bytes:
    document = json.loads(line)
    document["signatures"][0].update(fields)
    return json.dumps(document).encode()


def _stamp_of(line: bytes) -> str:
    return json.loads(line)["signatures"][0][TIME_STAMP_FIELD]


def test_time_and_authority(stamped: bytes, authority: Authority) -> None:
    """The check returns the time and the authority, and whether a root of the verifier vouches for it."""
    for roots, trusted in (((authority.roots,), True), ((), False)):
        stamp = check_line(stamped, Trust(timestamp_roots=roots)).time_stamp
        assert stamp is not None
        assert (stamp.authority, stamp.trusted) == ("Clock of the tests", trusted)


def test_time_of_the_key(
    stamped: bytes,
    authority: Authority,
    keys: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A key must have been valid at the time of a trusted stamp; an unknown authority decides nothing."""
    asked = []
    real = ssh_keygen.owners

    def owners(data: bytes, signature: bytes, signers: Path, at: datetime | None) -> tuple[list[str], str]:
        asked.append(at)
        return real(data, signature, signers, at)

    monkeypatch.setattr(ssh_keygen, "owners", owners)
    signers = allow(tmp_path / "signers", ("alice@example.org", keys[0]))
    known = check_line(stamped, Trust(signers, timestamp_roots=(authority.roots,)))
    unknown = check_line(stamped, Trust(signers))
    assert known.signer.principals == unknown.signer.principals == ("alice@example.org",)
    assert known.time_stamp is not None
    assert asked == [datetime.fromisoformat(known.time_stamp.time), None]
    past = allow(tmp_path / "past", ("alice@example.org", keys[0]), options='valid-before="20200101"')
    assert check_line(stamped, Trust(past, timestamp_roots=(authority.roots,))).signer.principals == ()


def test_stamp_of_another_signature(
    stamped: bytes, keys: tuple[Path, Path], service: Service, authority: Authority
) -> None:
    """The time stamp of another statement, and of the same by another key, is refused."""
    other = sign_statement(b'{"b":3}', SigningOptions(key=keys[0], timestamp=service.url))
    another = sign_statement(PAYLOAD, SigningOptions(key=keys[1], timestamp=service.url))
    for line in (other, another):
        with pytest.raises(BadSignature, match="of other bytes"):
            check_line(_edited(stamped, rfc3161=_stamp_of(line)), Trust())


def test_stamp_edited(stamped: bytes, authority: Authority) -> None:
    """A time stamp that was changed, cut or replaced by anything else is refused."""
    stamp = _stamp_of(stamped)
    for changed in (
        "",
        "AAAA",
        "?",
        stamp[: len(stamp) // 2 // 4 * 4],
        stamp[:-8] + "AAAAAAA=",
        f"{stamp}AAAA",
    ):
        with pytest.raises(BadSignature):
            check_line(_edited(stamped, rfc3161=changed), Trust(timestamp_roots=(authority.roots,)))


def test_stamp_of_a_root_with_the_same_name(stamped: bytes, tmp_path: Path) -> None:
    """A root of the verifier that has the name, and not the key, is refused, not called unknown."""
    other = tmp_path / "other.pem"
    other.write_bytes(root("Root of time").pem)
    with pytest.raises(BadSignature, match="not by Clock of the tests"):
        check_line(stamped, Trust(timestamp_roots=(other,)))


def test_expired_authority(keys: tuple[Path, Path], tmp_path: Path) -> None:
    """An authority whose certificate has expired gives no time stamp that is accepted."""
    expired = Authority(tmp_path, days=(-30, -20))
    with (
        serving(lambda handler, query: send(handler, expired.answer(query))) as service,
        pytest.raises(SigningError, match="outside of the validity"),
    ):
        sign_statement(PAYLOAD, SigningOptions(key=keys[0], timestamp=service.url))


def test_package_missing(stamped: bytes, keys: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package, the signature is checked and the time stamp is not, which is reported."""
    monkeypatch.setitem(sys.modules, "rfc3161_client", None)
    checked = check_line(stamped, Trust())
    assert checked.payload == PAYLOAD
    assert checked.time_stamp is None
    assert "pip install 'bfcl-pipeline[sign]'" in checked.unchecked
    with pytest.raises(SigningError, match=r"pip install 'bfcl-pipeline\[sign\]'"):
        sign_statement(PAYLOAD, SigningOptions(key=keys[0], timestamp="http://127.0.0.1/"))


def test_what_cannot_work(keys: tuple[Path, Path], service: Service, tmp_path: Path) -> None:
    """Options that cannot be followed are refused before anything is signed or sent."""
    with pytest.raises(ConfigError, match="http"):
        sign_statement(PAYLOAD, SigningOptions(key=keys[0], timestamp="ftp://127.0.0.1/"))
    with pytest.raises(SigningError, match="leave out --timestamp"):
        sign_statement(PAYLOAD, SigningOptions(sigstore=SigstoreSigning(), timestamp=service.url))
    with pytest.raises(ConfigError, match="no such file"):
        sign_statement(PAYLOAD, SigningOptions(sigstore=SigstoreSigning(tmp_path / "missing")))
    assert not service.asked


def test_unstamped(keys: tuple[Path, Path]) -> None:
    """Without a service there is no time."""
    assert check_line(sign_statement(PAYLOAD, SigningOptions(key=keys[0])), Trust()).time_stamp is None
