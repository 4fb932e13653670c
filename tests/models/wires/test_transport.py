"""The connection under the vendors' clients, against real servers on loopback."""

from __future__ import annotations

import asyncio
import base64
import gzip
import ssl
import zlib
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from loopback import CLOSED, Answer, Loopback, answer

from bfcl_pipeline.errors import (
    AccessDenied,
    ConfigError,
    Malformed,
    ModelError,
    RateLimited,
    Transient,
)
from bfcl_pipeline.models.wires.transport import MOST_BYTES, client_over, own_error

ASKED = "model 'm' at home"
GOOD = answer({"said": "yes"})
KEY = "sk-a-secret-key"


async def post(client: Any, endpoint: str, body: bytes = b"{}") -> Any:
    return await client.post(
        f"{endpoint}/chat", content=body, headers={"Authorization": f"Bearer {KEY}", "X-Extra": "1"}
    )


def with_server(
    use: Callable[[Any, Loopback], Awaitable[Any]], *answers: Answer, base: type = httpx.AsyncClient
) -> Any:
    """What `use` makes of a client and a server with those answers."""

    async def run() -> Any:
        async with Loopback(*answers) as server:
            client = client_over(base, ASKED)
            try:
                return await use(client, server)
            finally:
                await client.aclose()

    return asyncio.run(run())


def failure(*answers: Answer) -> ModelError:
    """The error in which one request ends."""

    async def use(client: Any, server: Loopback) -> ModelError:
        with pytest.raises(ModelError) as raised:
            await post(client, server.endpoint)
        return raised.value

    error: ModelError = with_server(use, *answers)
    assert str(error).startswith(ASKED)
    assert KEY not in str(error)
    return error


@pytest.mark.parametrize("module", [httpx, httpx2])
def test_both_generations_of_clients_are_served(module: Any) -> None:
    """A request of httpx gets a response of httpx, one of httpx2 one of httpx2."""

    async def use(client: Any, server: Loopback) -> None:
        response = await post(client, server.endpoint, b"[1]")
        assert isinstance(response, module.Response)
        assert (response.status_code, response.json()) == (200, {"said": "yes"})
        assert response.headers["content-type"] == "application/json"
        assert str(response.request.url) == f"{server.endpoint}/chat"

    with_server(use, GOOD, base=module.AsyncClient)


def test_a_request_is_sent_as_it_is() -> None:
    """Target, headers and body arrive; only packed answers are not asked for."""

    async def use(client: Any, server: Loopback) -> None:
        await post(client, server.endpoint, b"\x00body")
        (received,) = server.requests
        assert (received.target, received.body) == ("/v1/chat", b"\x00body")
        assert received.headers["authorization"] == f"Bearer {KEY}"
        assert received.headers["x-extra"] == "1"
        assert received.headers["accept-encoding"] == "identity"

    with_server(use, GOOD)


def test_a_long_request_is_sent_whole() -> None:
    """A body of more than a megabyte arrives, and nothing warns of it."""
    body = b"x" * (2 * 2**20)

    async def use(client: Any, server: Loopback) -> None:
        await post(client, server.endpoint, body)
        assert server.requests[0].body == body

    with_server(use, GOOD)


def test_connections_are_kept() -> None:
    """Requests one after the other go over one connection."""

    async def use(client: Any, server: Loopback) -> None:
        for _ in range(3):
            await post(client, server.endpoint)
        assert [received.connection for received in server.requests] == [0, 0, 0]

    with_server(use, GOOD)


def test_a_kept_connection_that_ends_when_it_is_used_is_no_failure() -> None:
    """The request is sent once more, over a new connection."""

    async def use(client: Any, server: Loopback) -> None:
        await post(client, server.endpoint)
        assert (await post(client, server.endpoint)).json() == {"said": "yes"}
        assert [received.connection for received in server.requests] == [0, 0, 1]

    with_server(use, GOOD, CLOSED, GOOD)


def test_a_new_connection_that_ends_is_a_failure() -> None:
    """A server that hangs up on a request is not asked again here: attempts are the scheduler's."""

    async def use(client: Any, server: Loopback) -> None:
        with pytest.raises(Transient, match="connection broke"):
            await post(client, server.endpoint)
        assert len(server.requests) == 1

    with_server(use, CLOSED)


def test_no_server_is_transient() -> None:
    """A refused connection may be taken later."""

    async def use(client: Any, server: Loopback) -> None:
        with pytest.raises(Transient, match="no connection"):
            await post(client, "http://127.0.0.1:1/v1")

    with_server(use, GOOD)


@pytest.mark.parametrize(
    ("broken", "kind"),
    [
        (answer(b"{}", length=100), Transient),
        (Answer(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n{}", ends=True), Transient),
        (Answer(b"HTTP/1.1 200 OK\r\nContent-Ty", ends=True), Transient),
        (Answer(b"SSH-2.0-server\r\n\r\n", ends=True), Malformed),
        (Answer(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", ends=True), Malformed),
        (Answer(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 5000, ends=True), Malformed),
    ],
)
def test_half_and_broken_answers_are_failures(broken: Answer, kind: type[ModelError]) -> None:
    """What breaks off is transient, and what is no HTTP is malformed."""
    assert type(failure(broken)) is kind


@pytest.mark.parametrize(
    "long",
    [
        answer(b"x", length=MOST_BYTES + 1),
        Answer(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            + b"100000\r\n%s\r\n" % (b"x" * 2**20) * 17
            + b"0\r\n\r\n",
            ends=True,
        ),
        answer(gzip.compress(b"x" * (MOST_BYTES + 1)), headers=["Content-Encoding: gzip"]),
    ],
    ids=["as told", "in chunks", "unpacked"],
)
def test_an_answer_is_bounded(long: Answer) -> None:
    """Too long an answer is refused: by the length it tells, as it comes, and as it unpacks."""
    error = failure(long)
    assert type(error) is Malformed
    assert "16,777,216" in str(error)


@pytest.mark.parametrize(
    ("packing", "pack"), [("gzip", gzip.compress), ("x-gzip", gzip.compress), ("deflate", zlib.compress)]
)
def test_a_packed_answer_is_unpacked(packing: str, pack: Callable[[bytes], bytes]) -> None:
    """Servers that pack what they were asked not to are understood."""

    async def use(client: Any, server: Loopback) -> None:
        assert (await post(client, server.endpoint)).content == b'{"a": 1}'

    with_server(use, answer(pack(b'{"a": 1}'), headers=[f"Content-Encoding: {packing}"]))


@pytest.mark.parametrize(
    ("packing", "content"),
    [("gzip", b"{}"), ("gzip", gzip.compress(b"{}")[:-3]), ("deflate", b""), ("br", b"{}")],
)
def test_what_cannot_be_unpacked_is_malformed(packing: str, content: bytes) -> None:
    """Broken packing, half of it, and packing of another kind are no answer."""
    assert type(failure(answer(content, headers=[f"Content-Encoding: {packing}"]))) is Malformed


def test_redirects_are_refused() -> None:
    """A key is not carried to where a server points; the message says where that is."""

    async def use(client: Any, server: Loopback) -> None:
        with pytest.raises(AccessDenied, match=r"HTTP 307.*https://elsewhere/'"):
            await post(client, server.endpoint)
        assert len(server.requests) == 1

    with_server(
        use, answer(b"", "307 Temporary Redirect", ["Location: https://elsewhere/?token=secret"]), GOOD
    )


def test_a_status_is_an_error_with_what_the_server_said() -> None:
    """Status, words and waiting time of an error answer are in the error."""
    error = failure(
        answer({"error": {"message": "Slow down."}}, "429 Too Many Requests", ["Retry-After: 7"])
    )
    assert isinstance(error, RateLimited)
    assert error.wait_seconds == 7
    assert "HTTP 429 Too Many Requests: Slow down." in str(error)


def test_a_key_that_a_server_repeats_is_blotted_out() -> None:
    """Neither an answer nor an error holds the key, so that no journal and no log can."""
    assert "[key] is wrong" in str(failure(answer(f"{KEY} is wrong".encode(), "401 Unauthorized")))

    async def use(client: Any, server: Loopback) -> None:
        assert (await post(client, server.endpoint)).json() == {"echo": "Bearer [key]"}

    with_server(use, answer({"echo": f"Bearer {KEY}"}))


def test_a_placeholder_is_not_blotted_out() -> None:
    """What stands in a key's place where none is needed may be a word of the answer."""

    async def use(client: Any, server: Loopback) -> None:
        response = await client.post(server.endpoint, headers={"Authorization": "Bearer none"})
        assert response.json() == {"echo": "none"}

    with_server(use, answer({"echo": "none"}))


def test_the_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """HTTP_PROXY is asked for the whole address, with its name and password; NO_PROXY is heeded."""

    async def use(client: Any, server: Loopback) -> None:
        proxy = server.endpoint.removesuffix("/v1").replace("//", "//ann:pass@")
        monkeypatch.setenv("http_proxy", proxy)
        await post(client, "http://api.invalid/v1")
        (received,) = server.requests
        assert received.target == "http://api.invalid/v1/chat"
        assert received.headers["proxy-authorization"] == f"Basic {base64.b64encode(b'ann:pass').decode()}"

        monkeypatch.setenv("no_proxy", "127.0.0.1")
        direct = client_over(httpx.AsyncClient, ASKED)
        await post(direct, server.endpoint)
        await direct.aclose()
        assert server.requests[-1].target == "/v1/chat"

    with_server(use, GOOD)


def test_proxies_of_other_kinds_are_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy that cannot be used is an error of the configuration, without its password."""
    monkeypatch.setenv("http_proxy", "socks5://ann:pass@127.0.0.1:1")

    async def use(client: Any, server: Loopback) -> None:
        with pytest.raises(ConfigError, match="got one of kind 'socks5'"):
            await post(client, server.endpoint)

    with_server(use, GOOD)


def test_certificates_are_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that cannot prove its name is refused; the user may name an authority."""
    certificate = _certificate(tmp_path)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate)

    async def run() -> None:
        async with Loopback(GOOD, tls=tls) as server:
            wary = client_over(httpx.AsyncClient, ASKED)
            with pytest.raises(AccessDenied, match="certificate is not accepted"):
                await post(wary, server.endpoint)
            await wary.aclose()
            assert not server.requests
            monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
            told = client_over(httpx.AsyncClient, ASKED)
            assert (await post(told, server.endpoint)).status_code == 200
            await told.aclose()

    asyncio.run(run())


def test_what_a_client_wrapped_is_found() -> None:
    """The error of ours inside a client's own is raised; another failure of a client is transient."""
    inner = RateLimited("busy", 3)
    wrapped = RuntimeError("Connection error.")
    wrapped.__cause__ = inner
    assert own_error(wrapped, ASKED) is inner
    other = own_error(ValueError("odd"), ASKED)
    assert type(other) is Transient
    assert str(other) == f"{ASKED}: ValueError: odd"


def _certificate(folder: Path) -> Path:
    """A key and a certificate for 127.0.0.1 that no authority has signed, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "loopback")])
    today = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(today - timedelta(days=1))
        .not_valid_after(today + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = folder / "loopback.pem"
    file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return file
