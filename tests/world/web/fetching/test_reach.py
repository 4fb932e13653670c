"""Where pages may be fetched from: public addresses, names, certificates."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.world.tools.web_search.web import Page, WebFailure
from bfcl_pipeline.world.web.proxies import Proxies
from tests.support.proven_fetcher import ProvenFetcher as Fetcher
from tests.support.web_server import WebServer, http, moved, web_server


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0x7f.1", "2130706433"])
def test_private_addresses_are_refused(server: WebServer, host: str) -> None:
    """This machine is refused, however its address is written, unless the user allows it."""
    fetched = Fetcher().fetch(f"http://{host}:{server.port}/")
    assert isinstance(fetched, WebFailure)
    assert "its address is not on the public internet" in fetched.message
    assert not server.asked


def test_a_name_of_a_private_address_is_refused(names: Any, server: WebServer) -> None:
    """The resolved address is checked, not the name."""
    fetched = Fetcher(lookup=names(page_example="127.0.0.1")).fetch(f"http://page.example:{server.port}/")
    assert isinstance(fetched, WebFailure)
    assert not server.asked


def test_a_redirect_to_a_private_address_is_refused(
    server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each hop is checked: a public page cannot send the fetcher to the metadata of a cloud."""
    url = server.script("/", moved("http://169.254.169.254/latest/meta-data/"))
    monkeypatch.setattr(
        "bfcl_pipeline.world.web.addresses.is_public", lambda address: address == "127.0.0.1"
    )  # the test's server is treated as a public one
    fetched = Fetcher().fetch(url)
    assert len(server.asked) == 1
    assert fetched == WebFailure(
        "Failed to connect to 169.254.169.254: its address is not on the public internet"
    )


def test_a_name_is_looked_up_once_and_kept_in_the_request(names: Any, server: WebServer) -> None:
    """The connection uses the address that was checked, so that a second, different lookup has no
    effect."""
    lookup = names(page_example="127.0.0.1")
    server.script("/", http("x"))
    fetched = Fetcher(allow_private=True, lookup=lookup).fetch(f"http://page.example:{server.port}/")
    assert fetched == Page("x")
    assert lookup.asked == ["page.example"]
    assert server.asked[0].host == f"page.example:{server.port}"


def test_certificates_are_checked_for_the_name(
    names: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TLS accepts only a certificate for the name that was looked up."""
    lookup = names(page_example="127.0.0.1", other_example="127.0.0.1")
    asked: list[str | None] = []
    with web_server(tmp_path, ["page.example"]) as server:
        server.context.sni_callback = lambda _socket, name, _context: asked.append(name)
        server.trusted(monkeypatch)
        server.script("/", http("x"))
        fetcher = Fetcher(allow_private=True, proxies=Proxies.of("none"), lookup=lookup)
        assert fetcher.fetch(f"https://page.example:{server.port}/") == Page("x")
        mismatch = fetcher.fetch(f"https://other.example:{server.port}/")
        unknown = Fetcher(allow_private=True, lookup=lookup).fetch(f"https://page.example:{server.port}/")
    assert asked == ["page.example", "other.example", "page.example"]
    assert isinstance(mismatch, WebFailure)
    assert "Hostname mismatch" in mismatch.message
    assert isinstance(unknown, WebFailure)  # unless the environment names the certificate
    assert "CERTIFICATE_VERIFY_FAILED" in unknown.message


def test_passwords_of_the_user_are_not_sent(
    server: WebServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A .netrc is not read, even where the environment is trusted."""
    netrc = tmp_path / "netrc"
    netrc.write_text("default login me password secret")
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("no_proxy", "*")
    Fetcher(allow_private=True, proxies=Proxies.of("environment")).fetch(server.script("/", http("x")))
    assert "authorization" not in server.asked[0].headers


def test_an_unknown_name_is_an_outcome(names: Any) -> None:
    """A name that does not exist is a failure of the page."""
    fetched = Fetcher(lookup=names()).fetch("http://page.example/")
    assert isinstance(fetched, WebFailure)
    assert "Failed to resolve 'page.example' ([Errno -2] Name or service not known)" in fetched.message


@pytest.mark.parametrize("witness", [True, False])
@pytest.mark.parametrize("number", [socket.EAI_AGAIN, socket.EAI_NONAME, socket.EAI_FAIL])
def test_a_broken_resolver_is_not_an_outcome(witness: bool, number: int) -> None:
    """A resolver that fails for every name raises WebError, whatever it says; if it fails for one name, the
    page failed."""

    def lookup(host: str, *_: object) -> list[Any]:
        if witness and host != "page.example":
            return []
        raise socket.gaierror(number, "The lookup failed")

    fetcher = Fetcher(lookup=lookup)
    if witness:
        assert "The lookup failed" in str(fetcher.fetch("http://page.example/"))
    else:
        with pytest.raises(WebError, match="can be looked up"):
            fetcher.fetch("http://page.example/")
