"""HTTP requests to a model's API, against real servers on loopback."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import re
import ssl
import zlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from bfcl_pipeline.ask.models.adapters.proxies import is_loopback
from bfcl_pipeline.ask.models.adapters.transport import MAX_REQUEST_BYTES, Transport
from bfcl_pipeline.base.errors import (
    AccessDenied,
    ConfigError,
    ContextOverflow,
    Malformed,
    ModelError,
    NoConnection,
    Transient,
)
from tests.support import certificates
from tests.support.api_server import CLOSED, Answer, Asked, answer, serve

TARGET = "model 'm' at home"
GOOD = answer({"said": "yes"})
KEY = "sk-a-secret-key"


def transport_to(endpoint: str, key: str = KEY) -> Transport:
    return Transport(endpoint, {"Authorization": f"Bearer {key}"}, TARGET)


def posted(
    *answers: Answer, bodies: Sequence[bytes] = (b"{}",), to: str | None = None, key: str = KEY
) -> tuple[list[bytes | ModelError], list[Asked]]:
    """What requests over one transport lead to, and the requests that a server with these answers received.

    to: another endpoint than that of the server.
    """

    async def run(endpoint: str) -> list[bytes | ModelError]:
        transport, found = transport_to(endpoint, key), list[bytes | ModelError]()
        for body in bodies:
            try:
                found.append(await transport.send("POST", "/chat", body, {"X-Extra": "1"}))
            except ModelError as error:
                found.append(error)
        await transport.close()
        return found

    with serve(*answers) as server:
        return asyncio.run(run(to or server.endpoint)), server.requests


def failure(*answers: Answer, to: str | None = None, key: str = KEY) -> ModelError:
    """The error of one request, which does not repeat the key."""
    ((error,), _) = posted(*answers, to=to, key=key)
    assert isinstance(error, ModelError)
    assert str(error).startswith(TARGET)
    assert KEY not in str(error)
    return error


def test_a_request_is_sent_unchanged() -> None:
    """Target, headers and body arrive; compressed answers are not requested."""
    _, (received,) = posted(GOOD, bodies=[b"\x00body"])
    assert (received.target, received.body) == ("/v1/chat", b"\x00body")
    headers = received.headers
    assert headers.pop("user-agent").startswith("bfcl-pipeline/")
    assert {name: headers[name] for name in headers.keys() - {"host", "content-length", "accept"}} == {
        "authorization": f"Bearer {KEY}",
        "x-extra": "1",
        "accept-encoding": "identity",
        "content-type": "application/json",
    }


def test_long_requests_arrive_over_one_connection() -> None:
    """A body of more than a megabyte arrives, without a warning; the connection is kept alive."""
    body = b"x" * (2 * 2**20)
    _, received = posted(GOOD, bodies=[body] * 2)
    assert [(one.connection, one.body) for one in received] == [(0, body)] * 2


def test_a_reused_connection_that_is_closed_is_not_a_failure() -> None:
    """The request is sent a second time, over a new connection."""
    found, received = posted(GOOD, CLOSED, GOOD, bodies=[b"{}"] * 2)
    assert found == [b'{"said": "yes"}'] * 2
    assert [one.connection for one in received] == [0, 0, 1]


def test_a_new_connection_that_is_closed_is_a_failure() -> None:
    """The request is not repeated: further attempts are made by the scheduler."""
    ((error,), received) = posted(CLOSED)
    assert type(error) is Transient
    assert "connection broke" in str(error)
    assert len(received) == 1


@pytest.mark.parametrize(
    ("packing", "pack"), [("gzip", gzip.compress), ("x-gzip", gzip.compress), ("deflate", zlib.compress)]
)
def test_a_compressed_answer_is_decompressed(packing: str, pack: Callable[[bytes], bytes]) -> None:
    """Some servers compress although the request refuses compression."""
    packed = answer(pack(b'{"a": 1}'), headers=[f"Content-Encoding: {packing}"])
    assert posted(packed)[0] == [b'{"a": 1}']


@pytest.mark.parametrize(
    ("packing", "content"),
    [("gzip", b"{}"), ("gzip", gzip.compress(b"{}", mtime=0)[:-3]), ("deflate", b""), ("br", b"{}")],
)
def test_an_answer_that_cannot_be_decompressed_is_malformed(packing: str, content: bytes) -> None:
    """Invalid, incomplete and unsupported compression are errors."""
    assert type(failure(answer(content, headers=[f"Content-Encoding: {packing}"]))) is Malformed


def test_redirects_are_refused() -> None:
    """The key is not sent to another server; the message has the location."""
    elsewhere = answer(b"", "307 Temporary Redirect", ["Location: https://elsewhere/?token=secret"])
    ((error,), received) = posted(elsewhere, GOOD)
    assert type(error) is AccessDenied
    assert re.search(r"HTTP 307.*https://elsewhere/'", str(error))
    assert len(received) == 1


@pytest.mark.parametrize(
    ("key", "redacted"), [(KEY, "Bearer [key]"), ("none", "Bearer none")], ids=["a key", "a placeholder"]
)
def test_a_key_that_a_server_repeats_is_redacted(key: str, redacted: str) -> None:
    """So no journal can contain it; the placeholder for a key may be a word of the answer."""
    ((content,), _) = posted(answer({"echo": f"Bearer {key}"}), key=key)
    assert isinstance(content, bytes)
    assert json.loads(content) == {"echo": redacted}


ESCAPED = "".join(f"\\u{ord(letter):04x}" for letter in KEY).encode()


@pytest.mark.parametrize(
    "repeated",
    [
        answer(f"{KEY} is wrong".encode(), "401 Unauthorized"),
        answer(b'{"error": {"message": "' + ESCAPED + b' is wrong"}}', "400 Bad Request"),
        answer(b"{}", "302 Found", [f"Location: http://other/{KEY}"]),
        answer(b"{}", "200 OK", [f"Content-Encoding: {KEY}"]),
        Answer(f"{KEY} 200 OK\r\n\r\n".encode(), ends=True),
    ],
    ids=["as it is", "escaped", "redirect", "encoding", "status line"],
)
def test_an_error_does_not_repeat_the_key(repeated: Answer) -> None:
    """Neither a key in JSON escapes, nor one in a header or in place of HTTP, is in the error's text."""
    assert KEY[3:9] not in str(failure(repeated))


def test_the_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """HTTP_PROXY receives requests with the complete URL, user and password; NO_PROXY is respected."""
    away = "http://api.invalid/v1"
    with serve(GOOD) as proxy:
        monkeypatch.setenv("http_proxy", f"http://ann:pass@127.0.0.1:{proxy.port}")
        posted(to=away)
        (received,) = proxy.requests
        assert received.target == f"{away}/chat"
        assert received.headers["proxy-authorization"] == f"Basic {base64.b64encode(b'ann:pass').decode()}"
        monkeypatch.setenv("no_proxy", "api.invalid")
        error = failure(to=away)
        assert type(error) is NoConnection
        assert "Check the endpoint and the network" in str(error)
        assert len(proxy.requests) == 1


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_server_on_this_machine_is_reached_without_a_proxy(
    host: str, closed_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HTTP_PROXY names a port without a server, NO_PROXY nothing, and the request arrives."""
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{closed_port}")
    with serve(GOOD) as server:
        posted(to=server.endpoint.replace("127.0.0.1", host))
        assert [one.target for one in server.requests] == ["/v1/chat"]


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("127.8.0.1", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("LOCALHOST.", True),
        ("0.0.0.0", True),
        ("10.0.0.1", False),
        ("localhost.example.org", False),
        ("", False),
    ],
)
def test_hosts_of_this_machine_are_recognized(host: str, here: bool) -> None:
    """By name or address, in every spelling that a URL may have."""
    assert is_loopback(host) is here


def test_the_error_of_a_proxy_names_it(closed_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message has the address of the proxy that cannot be reached, without its password."""
    monkeypatch.setenv("http_proxy", f"http://ann:pass@127.0.0.1:{closed_port}")
    message = str(failure(to="http://api.invalid/v1"))
    assert f"no connection through the proxy http://127.0.0.1:{closed_port} (" in message
    assert "HTTP_PROXY" in message
    assert "pass" not in message


def test_a_proxy_of_another_kind_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message about an unsupported proxy does not contain its password."""
    monkeypatch.setenv("http_proxy", "socks5://ann:pass@127.0.0.1:1")
    with pytest.raises(ConfigError, match="got one of kind 'socks5'"):
        posted(to="http://api.invalid/v1")


def test_certificates_are_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server with an untrusted certificate is refused unless the user names its authority."""
    certificate = _certificate(tmp_path)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate)

    with serve(GOOD, tls=tls) as server:
        error = failure(to=server.endpoint)
        assert type(error) is AccessDenied
        assert "certificate is not accepted" in str(error)
        assert not server.requests
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert posted(to=server.endpoint)[0] == [b'{"said": "yes"}']


@pytest.mark.parametrize(
    ("endpoint", "key"),
    [("http://[::1/v1", KEY), ("http://127.0.0.1:port/v1", KEY), (None, f"{KEY}\nX: y")],
)
def test_an_endpoint_or_a_key_that_cannot_be_sent_denies_access(endpoint: str | None, key: str) -> None:
    """It is an error of the model's row, and the message does not contain the key."""
    error = failure(GOOD, to=endpoint, key=key)
    assert type(error) is AccessDenied
    assert "Correct the model's row" in str(error)


def _certificate(folder: Path) -> Path:
    """A key and a certificate for 127.0.0.1 that no authority has signed, in one file."""
    key, now, name = (
        ec.generate_private_key(ec.SECP256R1()),
        datetime.now(UTC),
        certificates.named("loopback"),
    )
    day = certificates.DAY
    builder = certificates.builder(name, name, key.public_key(), now - day, now + day)
    here = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    made = certificates.Holder(builder.add_extension(here, critical=False).sign(key, hashes.SHA256()), key)
    file = folder / "loopback.pem"
    file.write_bytes(made.key_pem + made.pem)
    return file


def test_a_request_that_is_too_long_is_not_sent() -> None:
    """Answers of the greatest size, which each request of a conversation repeats, have a bound."""
    (found, received) = posted(GOOD, bodies=[b" " * (MAX_REQUEST_BYTES + 1), b"{}"])
    assert [type(one) for one in found] == [ContextOverflow, bytes]
    assert "the request has 64 MiB and was not sent" in str(found[0])
    assert len(received) == 1
