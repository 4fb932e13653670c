"""HTTP requests to a model's API, against real servers on loopback."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import ssl
import zlib
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path
from typing import Any

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
from tests.support.api_server import CLOSED, Answer, Scripted, answer, serve

TARGET = "model 'm' at home"
GOOD = answer({"said": "yes"})
KEY = "sk-a-secret-key"


def transport_to(endpoint: str, key: str = KEY) -> Transport:
    return Transport(endpoint, {"Authorization": f"Bearer {key}"}, TARGET)


async def post(transport: Transport, body: bytes = b"{}") -> bytes:
    return await transport.send("POST", "/chat", body, {"X-Extra": "1"})


def with_server(
    use: Callable[[Transport, Scripted], Awaitable[Any]], *answers: Answer, key: str = KEY
) -> Any:
    """The result of `use`, called with a server that returns those answers and a transport to it."""

    async def run() -> Any:
        with serve(*answers) as server:
            transport = transport_to(server.endpoint, key)
            try:
                return await use(transport, server)
            finally:
                await transport.close()

    return asyncio.run(run())


def failure(*answers: Answer) -> ModelError:
    """The error of one request."""

    async def use(transport: Transport, server: Scripted) -> ModelError:
        with pytest.raises(ModelError) as raised:
            await post(transport)
        return raised.value

    error: ModelError = with_server(use, *answers)
    assert str(error).startswith(TARGET)
    assert KEY not in str(error)
    return error


def test_a_request_is_sent_unchanged() -> None:
    """Target, headers and body arrive; compressed answers are not requested."""

    async def use(transport: Transport, server: Scripted) -> None:
        await post(transport, b"\x00body")
        (received,) = server.requests
        assert (received.target, received.body) == ("/v1/chat", b"\x00body")
        assert received.headers["authorization"] == f"Bearer {KEY}"
        assert received.headers["x-extra"] == "1"
        assert received.headers["accept-encoding"] == "identity"
        assert received.headers["content-type"] == "application/json"
        assert received.headers["user-agent"].startswith("bfcl-pipeline/")

    with_server(use, GOOD)


def test_long_requests_arrive_over_one_connection() -> None:
    """A body of more than a megabyte arrives, without a warning; the connection is kept alive."""
    body = b"x" * (2 * 2**20)

    async def use(transport: Transport, server: Scripted) -> None:
        for _ in range(2):
            await post(transport, body)
        assert [(received.connection, received.body) for received in server.requests] == [(0, body)] * 2

    with_server(use, GOOD)


def test_a_reused_connection_that_is_closed_is_not_a_failure() -> None:
    """The request is sent a second time, over a new connection."""

    async def use(transport: Transport, server: Scripted) -> None:
        await post(transport)
        assert json.loads(await post(transport)) == {"said": "yes"}
        assert [received.connection for received in server.requests] == [0, 0, 1]

    with_server(use, GOOD, CLOSED, GOOD)


def test_a_new_connection_that_is_closed_is_a_failure() -> None:
    """The request is not repeated: further attempts are made by the scheduler."""

    async def use(transport: Transport, server: Scripted) -> None:
        with pytest.raises(Transient, match="connection broke"):
            await post(transport)
        assert len(server.requests) == 1

    with_server(use, CLOSED)


@pytest.mark.parametrize(
    ("packing", "pack"), [("gzip", gzip.compress), ("x-gzip", gzip.compress), ("deflate", zlib.compress)]
)
def test_a_compressed_answer_is_decompressed(packing: str, pack: Callable[[bytes], bytes]) -> None:
    """Some servers compress although the request refuses compression."""

    async def use(transport: Transport, server: Scripted) -> None:
        assert await post(transport) == b'{"a": 1}'

    with_server(use, answer(pack(b'{"a": 1}'), headers=[f"Content-Encoding: {packing}"]))


@pytest.mark.parametrize(
    ("packing", "content"),
    [("gzip", b"{}"), ("gzip", gzip.compress(b"{}", mtime=0)[:-3]), ("deflate", b""), ("br", b"{}")],
)
def test_an_answer_that_cannot_be_decompressed_is_malformed(packing: str, content: bytes) -> None:
    """Invalid, incomplete and unsupported compression are errors."""
    assert type(failure(answer(content, headers=[f"Content-Encoding: {packing}"]))) is Malformed


def test_redirects_are_refused() -> None:
    """The key is not sent to another server; the message has the location."""

    async def use(transport: Transport, server: Scripted) -> None:
        with pytest.raises(AccessDenied, match=r"HTTP 307.*https://elsewhere/'"):
            await post(transport)
        assert len(server.requests) == 1

    with_server(
        use, answer(b"", "307 Temporary Redirect", ["Location: https://elsewhere/?token=secret"]), GOOD
    )


def test_a_key_that_a_server_repeats_is_redacted() -> None:
    """Neither an answer nor an error contains the key, so no journal and no log can."""
    assert "[key] is wrong" in str(failure(answer(f"{KEY} is wrong".encode(), "401 Unauthorized")))

    async def use(transport: Transport, server: Scripted) -> None:
        assert json.loads(await post(transport)) == {"echo": "Bearer [key]"}

    with_server(use, answer({"echo": f"Bearer {KEY}"}))


ESCAPED = "".join(f"\\u{ord(letter):04x}" for letter in KEY).encode()


@pytest.mark.parametrize(
    "repeated",
    [
        answer(b'{"error": {"message": "' + ESCAPED + b' is wrong"}}', "400 Bad Request"),
        answer(b"{}", "302 Found", [f"Location: http://other/{KEY}"]),
        answer(b"{}", "200 OK", [f"Content-Encoding: {KEY}"]),
        Answer(f"{KEY} 200 OK\r\n\r\n".encode(), ends=True),
    ],
    ids=["escaped", "redirect", "encoding", "status line"],
)
def test_an_error_does_not_repeat_the_key(repeated: Answer) -> None:
    """Neither a key in JSON escapes, nor one in a header or in place of HTTP, is in the error's text."""
    assert KEY[3:9] not in str(failure(repeated))


def test_a_placeholder_is_not_redacted() -> None:
    """The placeholder for a key may be a word of the answer."""

    async def use(transport: Transport, server: Scripted) -> None:
        assert json.loads(await post(transport)) == {"echo": "none"}

    with_server(use, answer({"echo": "none"}), key="none")


def test_the_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """HTTP_PROXY receives requests with the complete URL, user and password; NO_PROXY is respected."""

    async def use(_: Transport, server: Scripted) -> None:
        proxy = server.endpoint.removesuffix("/v1").replace("//", "//ann:pass@")
        monkeypatch.setenv("http_proxy", proxy)
        proxied = transport_to("http://api.invalid/v1")
        await post(proxied)
        await proxied.close()
        (received,) = server.requests
        assert received.target == "http://api.invalid/v1/chat"
        assert received.headers["proxy-authorization"] == f"Basic {base64.b64encode(b'ann:pass').decode()}"

        monkeypatch.setenv("no_proxy", "api.invalid")
        direct = transport_to("http://api.invalid/v1")
        with pytest.raises(NoConnection, match="Check the endpoint and the network"):
            await post(direct)
        await direct.close()
        assert len(server.requests) == 1

    with_server(use, GOOD)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_server_on_this_machine_is_reached_without_a_proxy(
    host: str, closed_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HTTP_PROXY names a port without a server, NO_PROXY nothing, and the request arrives."""
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{closed_port}")

    async def use(_: Transport, server: Scripted) -> None:
        transport = transport_to(server.endpoint.replace("127.0.0.1", host))
        await post(transport)
        await transport.close()
        assert server.requests[0].target == "/v1/chat"

    with_server(use, GOOD)


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

    async def use() -> str:
        transport = transport_to("http://api.invalid/v1")
        with pytest.raises(NoConnection) as raised:
            await post(transport)
        await transport.close()
        return str(raised.value)

    message = asyncio.run(use())
    assert f"no connection through the proxy http://127.0.0.1:{closed_port} (" in message
    assert "HTTP_PROXY" in message
    assert "pass" not in message


def test_a_proxy_of_another_kind_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message about an unsupported proxy does not contain its password."""
    monkeypatch.setenv("http_proxy", "socks5://ann:pass@127.0.0.1:1")

    async def use() -> None:
        with pytest.raises(ConfigError, match="got one of kind 'socks5'"):
            await post(transport_to("http://api.invalid/v1"))

    asyncio.run(use())


def test_certificates_are_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server with an untrusted certificate is refused unless the user names its authority."""
    certificate = _certificate(tmp_path)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate)

    async def run() -> None:
        with serve(GOOD, tls=tls) as server:
            transport = transport_to(server.endpoint)
            with pytest.raises(AccessDenied, match="certificate is not accepted"):
                await post(transport)
            await transport.close()
            assert not server.requests
            monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
            assert json.loads(await post(transport)) == {"said": "yes"}
            await transport.close()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("endpoint", "key"),
    [("http://[::1/v1", KEY), ("http://127.0.0.1:port/v1", KEY), (None, f"{KEY}\nX: y")],
)
def test_an_endpoint_or_a_key_that_cannot_be_sent_denies_access(endpoint: str | None, key: str) -> None:
    """It is an error of the model's row, and the message does not contain the key."""

    async def use(_: Transport, server: Scripted) -> None:
        transport = transport_to(endpoint or server.endpoint, key)
        with pytest.raises(AccessDenied, match="Correct the model's row") as raised:
            await post(transport)
        await transport.close()
        assert KEY not in str(raised.value)
        assert not server.requests

    with_server(use, GOOD)


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

    async def use(transport: Transport, server: Scripted) -> None:
        with pytest.raises(ContextOverflow, match="the request has 64 MiB and was not sent"):
            await post(transport, b" " * (MAX_REQUEST_BYTES + 1))
        assert not server.requests
        await post(transport)
        assert len(server.requests) == 1

    with_server(use, GOOD)
