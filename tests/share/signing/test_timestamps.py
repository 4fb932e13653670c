"""Time stamps: by a local authority, wrong answers of services, and tokens that were changed."""

from __future__ import annotations

import random
import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from bfcl_pipeline.base.errors import BadSignature, ConfigError, SigningError
from bfcl_pipeline.share.signing import timestamp_service
from bfcl_pipeline.share.signing.timestamps import check_time_stamp, request_time_stamp
from tests.support.certificates import root
from tests.support.time_stamp_authority import HAS_OPENSSL, Authority, Service, send, serving

pytestmark = pytest.mark.skipif(not HAS_OPENSSL, reason="openssl makes the time stamps")

SIGNATURE = b"the bytes of a signature"


@pytest.fixture(scope="module")
def stamp(authority: Authority) -> bytes:
    return authority.stamp(SIGNATURE)


def test_requested_and_checked(authority: Authority, service: Service) -> None:
    """A time stamp is requested with the hash of the signature alone, and names time and authority."""
    response = request_time_stamp(SIGNATURE, service.url, [authority.roots])
    checked = check_time_stamp(response, SIGNATURE, [authority.roots])
    assert checked.trusted
    assert checked.authority == "Clock of the tests"
    assert checked.time.endswith("Z")
    assert authority.own.certificate.not_valid_before_utc.isoformat() < checked.time
    [query] = service.asked
    assert SIGNATURE not in query
    assert len(query) < 100


def test_unknown_authority(tmp_path: Path, stamp: bytes) -> None:
    """Without a root that vouches for it, an authority is not trusted, and its name is reported."""
    other = tmp_path / "other.pem"
    other.write_bytes(root("Another root").pem)
    for roots in ([], [other]):
        checked = check_time_stamp(stamp, SIGNATURE, roots)
        assert not checked.trusted
        assert checked.authority == "Clock of the tests"


def test_one_of_several_roots(authority: Authority, tmp_path: Path, stamp: bytes) -> None:
    """Several files may be given; one that vouches for the authority is enough."""
    other = tmp_path / "other.pem"
    other.write_bytes(root("Another root").pem)
    assert check_time_stamp(stamp, SIGNATURE, [other, authority.roots]).trusted


def test_without_certificate(authority: Authority, tmp_path: Path) -> None:
    """A time stamp without its authority's certificate is checked with that from the file of roots."""
    stamp = authority.stamp(SIGNATURE, with_certificate=False)
    with pytest.raises(BadSignature, match="lacks the certificate"):
        check_time_stamp(stamp, SIGNATURE, [authority.roots])
    both = tmp_path / "both.pem"
    both.write_bytes(authority.own.pem + authority.root.pem)
    assert check_time_stamp(stamp, SIGNATURE, [both]).trusted


def test_root_of_the_same_name(tmp_path: Path, stamp: bytes) -> None:
    """A root with the name of the right one and another key is refused, not called unknown."""
    other = tmp_path / "other.pem"
    other.write_bytes(root("Root of time").pem)
    with pytest.raises(BadSignature, match="not by Clock of the tests"):
        check_time_stamp(stamp, SIGNATURE, [other])


def test_of_another_signature(authority: Authority, stamp: bytes, tmp_path: Path) -> None:
    """A time stamp of other bytes is refused, whether or not its authority is known."""
    for roots in ([authority.roots], []):
        with pytest.raises(BadSignature, match="of other bytes"):
            check_time_stamp(stamp, b"another signature", roots)


def test_expired_authority(tmp_path: Path) -> None:
    """A time outside of the validity of the authority's certificate is refused, known or not."""
    expired = Authority(tmp_path, days=(-30, -20))
    stamp = expired.stamp(SIGNATURE)
    for roots in ([expired.roots], []):
        with pytest.raises(BadSignature, match="outside of the validity"):
            check_time_stamp(stamp, SIGNATURE, roots)


def test_edited(authority: Authority, stamp: bytes) -> None:
    """No changed byte of a time stamp leaves it valid with another time, and none causes another error."""
    valid = check_time_stamp(stamp, SIGNATURE, [authority.roots])
    chance, refused = random.Random(1), 0
    for place in range(len(stamp)):
        edited = bytearray(stamp)
        edited[place] ^= 1 << chance.randrange(8)
        try:
            checked = check_time_stamp(bytes(edited), SIGNATURE, [authority.roots])
        except BadSignature:
            refused += 1
        else:
            assert not checked.trusted or checked == valid, place
    assert refused > 0.8 * len(stamp)


def test_edited_time(authority: Authority, stamp: bytes) -> None:
    """An earlier time within the token is refused."""
    year = stamp.index(b"\x18\x0f20") + 2  # GeneralizedTime
    edited = (
        stamp[: year + 11]
        + (b"00" if stamp[year + 10 : year + 12] != b"00" else b"01")
        + stamp[year + 13 :]
    )
    assert edited != stamp
    with pytest.raises(BadSignature):
        check_time_stamp(edited, SIGNATURE, [authority.roots])


@pytest.mark.parametrize("content", [b"", b"\x30", b"<html>", b"\x00" * 5000, b"\x30\x80" * 3000])
def test_garbage(content: bytes) -> None:
    """What is not a response is refused as such."""
    with pytest.raises(BadSignature, match="RFC 3161"):
        check_time_stamp(content, SIGNATURE, [])


def test_wrong_root_file(tmp_path: Path, stamp: bytes) -> None:
    """A file without certificates is an error of the command line that names the file."""
    file = tmp_path / "roots.pem"
    for content in (b"", b"text"):
        file.write_bytes(content)
        with pytest.raises(ConfigError, match=r"roots\.pem"):
            check_time_stamp(stamp, SIGNATURE, [file])
    with pytest.raises(ConfigError, match=r"missing\.pem"):
        check_time_stamp(stamp, SIGNATURE, [tmp_path / "missing.pem"])


def test_another_nonce(authority: Authority, service: Service, stamp: bytes) -> None:
    """An answer to an earlier request is not accepted as the answer to this one."""
    service.reply = lambda handler, query: send(handler, stamp)
    with pytest.raises(SigningError, match="nonce"):
        request_time_stamp(SIGNATURE, service.url)


def test_another_hash(authority: Authority, service: Service) -> None:
    """An answer for other bytes is not accepted."""

    def reply(handler: BaseHTTPRequestHandler, query: bytes) -> None:
        place = query.index(b"\x04\x20") + 2  # the hash
        send(handler, authority.answer(query[:place] + bytes(32) + query[place + 32 :]))

    service.reply = reply
    with pytest.raises(SigningError, match="of other bytes"):
        request_time_stamp(SIGNATURE, service.url)


def test_refusal(authority: Authority, service: Service) -> None:
    """The reason of an authority that refuses is reported."""
    config = authority.folder / "ts.cnf"
    text = config.read_text()
    config.write_text(text.replace("digests = sha256", "digests = sha512"))
    try:
        with pytest.raises(SigningError, match=r"refused \(status 2; .*not supported"):
            request_time_stamp(SIGNATURE, service.url)
    finally:
        config.write_text(text)


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (500, b"broken", "HTTP status 500"),
        (404, b"", "HTTP status 404"),
        (200, b"<!DOCTYPE html><p>Sign in to the network", "RFC 3161"),
        (200, b"", "RFC 3161"),
        (200, b"\x30" * 70_000, "more than 65,536 bytes"),
    ],
)
def test_wrong_answers(service: Service, status: int, body: bytes, message: str) -> None:
    """Errors, pages of a captive portal and answers without end are refused, with the address."""
    service.reply = lambda handler, query: send(handler, body, status)
    with pytest.raises(SigningError, match=message) as error:
        request_time_stamp(SIGNATURE, service.url)
    assert service.url in str(error.value)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect(service: Service, status: int) -> None:
    """A redirect is not followed; where it leads is reported."""
    service.reply = lambda handler, query: send(handler, b"", status, Location=f"{service.url}elsewhere")
    with pytest.raises(SigningError, match=r"redirects to .*/elsewhere"):
        request_time_stamp(SIGNATURE, service.url)
    assert len(service.asked) == 1


def test_silent_service(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that does not answer is waited for as long as the limit says."""
    monkeypatch.setattr(timestamp_service, "READ_SECONDS", 0.1)
    service.reply = lambda handler, query: service.over.wait(60) and None
    with pytest.raises(SigningError, match="did not answer in time"):
        request_time_stamp(SIGNATURE, service.url)


def test_slow_service(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that sends byte by byte is waited for as long as the limit of the whole answer says."""
    monkeypatch.setattr(timestamp_service, "TOTAL_SECONDS", 0.0)
    begun = threading.Event()

    def reply(handler: BaseHTTPRequestHandler, query: bytes) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b"\x30")
        handler.wfile.flush()
        begun.set()
        service.over.wait(60)

    service.reply = reply
    with pytest.raises(SigningError, match="did not answer in time"):
        request_time_stamp(SIGNATURE, service.url)
    assert begun.is_set()


def test_no_service(service: Service) -> None:
    """An address where nothing listens is reported."""
    with serving(lambda handler, query: None) as gone:
        address = gone.url
    with pytest.raises(SigningError, match="cannot be reached"):
        request_time_stamp(SIGNATURE, address)


@pytest.mark.parametrize(
    "url", ["", "ftp://host/", "file:///etc/passwd", "http://", "https://host:99999/", "x"]
)
def test_wrong_addresses(url: str) -> None:
    """Only addresses of HTTP are accepted."""
    with pytest.raises(ConfigError, match=r"http:// or https://"):
        request_time_stamp(SIGNATURE, url)


def test_password_is_not_shown(service: Service) -> None:
    """The password in an address is sent to the service, and is not in messages."""
    service.reply = lambda handler, query: send(handler, b"", 500)
    with pytest.raises(SigningError, match="HTTP status 500") as error:
        request_time_stamp(SIGNATURE, service.url.replace("http://", "http://me:hidden@"))
    assert "hidden" not in str(error.value)
