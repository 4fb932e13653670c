"""Searches, pages and requests of web APIs through a proxy."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.base.errors import ConfigError, WebError
from bfcl_pipeline.base.secrets import Redactor
from bfcl_pipeline.world.executables import ApiRequest
from bfcl_pipeline.world.tools.web_search.web import Hits, Page, WebFailure
from bfcl_pipeline.world.web.api_recording import API_LIMITS, ApiUnavailable, RecordingApis
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.engines.asking import RetryPolicy
from bfcl_pipeline.world.web.engines.client import SITE, Connection, EngineClient
from bfcl_pipeline.world.web.engines.serpapi import SerpApi
from bfcl_pipeline.world.web.evidence.tape import taping
from bfcl_pipeline.world.web.fetcher import Fetcher
from bfcl_pipeline.world.web.http_client import HttpClient
from bfcl_pipeline.world.web.keys import FetchKey
from bfcl_pipeline.world.web.modes import LiveWeb
from bfcl_pipeline.world.web.proxies import DIRECT, Proxies
from bfcl_pipeline.world.web.recording import RecordingWeb
from tests.support.api_hosts import answered
from tests.support.web_server import WebServer, http

PASSWORD = "pass%2Fword-4711"
PAGE = http("<p>x ")


@pytest.fixture
def proxy(hosts: WebServer) -> Iterator[WebServer]:
    """The hosts of web APIs, reached as behind a proxy."""
    hosts.login, hosts.refusal = None, b""
    yield hosts
    hosts.login, hosts.refusal = None, b""


ONE, ALL = "http://one.example:3128", "http://all:1"
BOTH = {"http_proxy": "http://a:1", "https_proxy": "http://a:1", "all_proxy": "socks5://a:2"}
BY_SCHEME = {"HTTP_PROXY": "ignored", "http_proxy": "one.example:3128", "ALL_PROXY": ALL}


@pytest.mark.parametrize(
    ("choice", "environment", "url", "address"),
    [
        # The environment's, in lower case first; hosts in NO_PROXY are asked directly.
        ("environment", BY_SCHEME, "http://page.example/", ONE),
        ("environment", BY_SCHEME, "https://page.example/", ALL),
        ("environment", BY_SCHEME, "http://localhost:8000/", None),
        ("environment", BY_SCHEME, "https://127.0.0.1/", None),
        ("environment", BY_SCHEME, "https://a.inside.example/", None),
        ("environment", BOTH, "https://page.example/", "http://a:1"),  # one that is not used is no error
        # A given one is for all hosts, and none for no host.
        (ONE, BY_SCHEME, "https://a.inside.example/", ONE),
        (ONE, BY_SCHEME, "http://page.example/", ONE),
        ("none", BY_SCHEME, "https://page.example/", None),
    ],
)
def test_which_proxy_is_used(
    monkeypatch: pytest.MonkeyPatch, choice: str, environment: dict[str, str], url: str, address: str | None
) -> None:
    """The proxy of an address, by the config and the environment."""
    monkeypatch.setenv("NO_PROXY", "localhost,127.0.0.1,.inside.example")
    monkeypatch.delenv("no_proxy", raising=False)
    proxies = Proxies.of(choice, environment)
    assert proxies.address(url) == address
    assert proxies.for_requests(url) == ({} if address is None else {url.partition(":")[0]: address})
    assert (proxies == DIRECT) is (choice == "none")
    assert choice != ONE or proxies.shown == ONE


@pytest.mark.parametrize(
    ("environment", "text"),
    [
        ({"ALL_PROXY": "socks5://me:pass%2Fword-4711@proxy.example:1080"}, "ALL_PROXY.*(socks5://...)"),
        ({"HTTPS_PROXY": "http://:3128"}, "HTTPS_PROXY: expected http://host:port"),
        ({"https_proxy": "http://proxy.example:99999"}, "HTTPS_PROXY: expected http://host:port"),
        ({"REQUESTS_CA_BUNDLE": "/no/such/file.pem"}, "expected a file with certificates"),
    ],
)
def test_what_cannot_be_a_proxy_is_an_error_before_the_first_request(
    environment: dict[str, str], text: str
) -> None:
    """SOCKS and malformed addresses, and certificates that do not exist; no password is repeated."""
    with pytest.raises(ConfigError, match=text) as raised:
        Proxies.of("environment", environment)
    assert PASSWORD not in str(raised.value)


def test_pages_come_through_the_proxy(proxy: WebServer) -> None:
    """A plain page is requested of the proxy, one by TLS through a tunnel, with its own certificate check;
    names are looked up by the proxy."""
    proxy.script("ip-api.com/json", PAGE)
    plain = Fetcher(proxies=Proxies.of(proxy.address, {}), lookup=_only("127.0.0.1"))
    assert plain.fetch("http://ip-api.com/json") == Page("<p>x ")
    assert proxy.lines == ["GET http://ip-api.com/json HTTP/1.1"]
    proxy.lines.clear()
    trusted = {"REQUESTS_CA_BUNDLE": str(proxy.authority)}
    tls = Fetcher(proxies=Proxies.of(proxy.address, trusted), lookup=_only("127.0.0.1"))
    assert tls.fetch("https://ip-api.com/json") != tls.fetch("https://v6.exchangerate-api.com/nothing")
    assert proxy.lines == [
        "CONNECT ip-api.com:443 HTTP/1.0",
        "CONNECT v6.exchangerate-api.com:443 HTTP/1.0",
    ]
    other = tls.fetch("https://not-in-the-certificate.example/")
    assert isinstance(other, WebFailure)
    assert "CERTIFICATE_VERIFY_FAILED" in other.message


@pytest.mark.parametrize(
    "url", ["http://169.254.169.254/latest", "http://localhost/", "https://[::1]/", "http://0x7f.1/"]
)
def test_private_addresses_are_refused_through_a_proxy_too(proxy: WebServer, url: str) -> None:
    """The proxy would reach its own network: what is written as such an address is not sent to it."""
    fetched = Fetcher(proxies=Proxies.of(proxy.address, {})).fetch(url)
    assert "its address is not on the public internet" in str(fetched)
    assert proxy.lines == []


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_is_down_is_no_outcome(closed_port: int, scheme: str) -> None:
    """If no page can be fetched a WebError is raised, which names the proxy and what to do."""
    address = f"http://me:{PASSWORD}@127.0.0.1:{closed_port}"
    proxies = Proxies.of("environment", {"all_proxy": address})
    with pytest.raises(WebError, match=f"the proxy http://127.0.0.1:{closed_port}.*web_proxy") as raised:
        Fetcher(proxies=proxies).fetch(f"{scheme}://page.example/")
    assert not _has_password(str(raised.value))


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("login", ["other:word", None])
def test_a_proxy_that_wants_a_password_is_no_outcome(
    proxy: WebServer, scheme: str, login: str | None
) -> None:
    """HTTP 407 is the proxy's, whatever the page would be; a 502 of the proxy is the page's failure."""
    proxy.login = login
    proxy.refusal = b"" if login else http("", "502 Bad Gateway")
    fetcher = Fetcher(proxies=Proxies.of(proxy.address, {}))
    if login:
        with pytest.raises(WebError, match="407"):
            fetcher.fetch(f"{scheme}://page.example/")
        assert proxy.asked == []
    else:
        assert "502" in str(fetcher.fetch(f"{scheme}://page.example/"))


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_the_password_of_a_proxy_is_recorded_nowhere(proxy: WebServer, tmp_path: Path, scheme: str) -> None:
    """It is sent to the proxy, and is neither in outcomes nor in cassettes, even if the page repeats it."""
    proxy.login = "me:pass/word-4711"
    environment = {
        "REQUESTS_CA_BUNDLE": str(proxy.authority),
        "all_proxy": f"http://me:{PASSWORD}@127.0.0.1:{proxy.port}",
    }
    proxies = Proxies.of("environment", environment)
    sent = b64encode(b"me:pass/word-4711")
    body = b"pass/word-4711 and pass%2Fword-4711, sent as Basic " + sent
    proxy.script("ip-api.com/json", answered(body.decode(), Content_Type="text/html"))
    fetcher = Fetcher(proxies=proxies)
    cache = WebCache(tmp_path)
    web = RecordingWeb(cache, LiveWeb("serpapi", SerpApi("key"), fetcher), secrets=proxies.secrets)
    page = web.fetch(f"{scheme}://ip-api.com/json")
    assert isinstance(page, Page)
    assert not _has_password(page.text)
    assert sent.decode() not in page.text
    assert cache.find(FetchKey.of(f"{scheme}://ip-api.com/json")) == page
    written = "".join(path.read_text() for path in tmp_path.rglob("*") if path.is_file())
    assert "SCRUBBED" in written
    assert not _has_password(written)
    assert "roxy-Auth" not in written
    assert sent.decode() not in written
    assert not _has_password(repr(proxies))


def test_serpapi_searches_through_the_proxy(proxy: WebServer) -> None:
    """And only through it."""
    proxy.script("ip-api.com/search", answered({"organic_results": []}))
    trusted = {"REQUESTS_CA_BUNDLE": str(proxy.authority)}
    client = HttpClient(proxies=Proxies.of(proxy.address, trusted), lookup=_only("127.0.0.1"))
    engine = SerpApi("key", "https://ip-api.com/search", client=client)
    assert engine.search("ducks", "us-en") == Hits(())
    assert proxy.lines == ["CONNECT ip-api.com:443 HTTP/1.0"]


def test_serpapi_reads_neither_proxies_nor_passwords_of_the_environment(
    server: WebServer, closed_port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a proxy it asks directly, whatever the environment says, and no .netrc is sent."""
    netrc = tmp_path / "netrc"
    netrc.write_text("default login me password secret")
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{closed_port}")
    monkeypatch.setenv("no_proxy", "")
    url = server.script("", http('{"organic_results": []}'))
    assert SerpApi("key", url, client=HttpClient(allow_private=True)).search("ducks", "us-en") == Hits(())
    assert "authorization" not in server.asked[0].headers


def test_ddgs_searches_through_the_proxy(
    proxy: WebServer, closed_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its client uses the proxy that is given, or none, and never that of the environment; its password
    is in no message and on no tape."""
    monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{closed_port}")
    proxy.script("ip-api.com/found", answered("found"))
    proxy.login = "me:pass/word-4711"

    def ask(proxies: Proxies, site: str = "https://ip-api.com") -> str:
        connection = Connection(proxies=replace(proxies, certificates=str(proxy.authority)), site=site)
        return EngineClient(connection, RetryPolicy(attempts=1)).request("POST", f"{SITE}/found", data={})

    def through(port: int) -> Proxies:
        return Proxies.of("environment", {"https_proxy": f"http://me:{PASSWORD}@127.0.0.1:{port}"})

    with taping() as tape:
        assert ask(through(proxy.port)) == "found"
        with pytest.raises(WebError, match="the connection failed") as raised:
            ask(through(closed_port))
    assert proxy.lines == ["CONNECT ip-api.com:443 HTTP/1.1"]
    assert not _has_password(str(raised.value) + str(tape.exchanges) + str(tape.cassette()))
    with pytest.raises(WebError, match=r"certificate"):  # it is not for this name, but was reached
        ask(Proxies.of("none"), f"https://127.0.0.1:{proxy.port}")


def test_web_apis_are_asked_through_the_proxy(proxy: WebServer, closed_port: int, tmp_path: Path) -> None:
    """And if it is down there is no answer, which is no outcome."""
    place = "v6.exchangerate-api.com/v6/x"
    proxy.script(place, answered("{}"))
    trusted = {"REQUESTS_CA_BUNDLE": str(proxy.authority)}

    def apis(proxy: str) -> RecordingApis:
        client = HttpClient(API_LIMITS, proxies=Proxies.of(proxy, trusted), lookup=_only("127.0.0.1"))
        retries = RetryPolicy(attempts=1, sleep=lambda _: None)
        return RecordingApis(WebCache(tmp_path), {}, client, retries=retries)

    request = ApiRequest(f"https://{place}")
    with pytest.raises(WebError) as raised:
        apis(f"http://127.0.0.1:{closed_port}").get(request)
    assert isinstance(raised.value.__cause__, ApiUnavailable)
    assert apis(proxy.address).get(request).body == "{}"
    assert len(proxy.lines) == 1


def _only(address: str) -> Any:
    """A name lookup of this address alone."""

    def lookup(host: str, port: int, *_: int) -> list[Any]:
        assert host == address
        return [(2, 1, 0, "", (address, port))]

    return lookup


def test_a_password_in_html_is_redacted() -> None:
    """A page may repeat a password with the characters of markup escaped."""
    proxies = Proxies.of("environment", {"all_proxy": "http://me:a%26b%3Cc%22d7890@proxy.example:1"})
    redactor = Redactor(proxies.secrets)
    for repeated in ('a&b<c"d7890', 'a&amp;b&lt;c"d7890', "a&amp;b&lt;c&quot;d7890"):
        assert redactor.text(f"<p>{repeated}</p>") == "<p>SCRUBBED</p>"


def _has_password(text: str) -> bool:
    return bool(re.search("pass(/|%2F)word", text, re.IGNORECASE))
