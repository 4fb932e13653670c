"""A local server of pages of all kinds, and the client of pages for it."""

import gzip
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

import brotli
import pytest
from requests import Request

from bfcl_pipeline.world.tools.web_search.web import Hit, Hits
from bfcl_pipeline.world.web.http_client import HttpClient, HttpLimits
from tests.support.search_pages import duckduckgo_page
from tests.support.web_server import Asked, http, web_server

TEXT = "Gr\u00fcner Tee \U0001f375 \x85\u2028 \t end "


def _answer(asked: Asked) -> bytes | None:
    """The answer that the first part of a path names; None: a scripted one."""
    kind = asked.path.split("/")[1]
    text = (TEXT + (asked.target if kind == "echo" else kind)).encode()
    match kind:
        case "busy":
            return None
        case "html":  # where DuckDuckGo is asked
            found = Hits((Hit("Green tea", "https://tea.example/", TEXT),))
            return http(duckduckgo_page(found), Set_Cookie="session=topsecret")
        case "form":
            return http(b"posted " + asked.body)
        case "gzip":
            return http(gzip.compress(text), Content_Encoding="gzip")
        case "brotli":
            return http(brotli.compress(text), Content_Encoding="br")
        case "binary":
            return http(bytes(range(256)), kind="image/png")
        case "redirect":
            return http("gone", "302 Found", Location=asked.target.replace("redirect", "page"))
        case "missing":
            return http(text, "404 Not Found")
        case "reset":
            return b""
        case "cut":
            return http(text, length=99_999)
    return http(text, Set_Cookie="session=topsecret", Vary="a")


def get(url: str, headers: Any = None, **limits: Any) -> Any:
    """Status, reason, address, type and body of the answer to a request, redirects followed."""
    return HttpClient(HttpLimits(**limits), allow_private=True).get(
        url,
        lambda response, read_body: (
            response.status_code,
            response.reason,
            response.url,
            response.headers.get("Content-Type"),
            read_body(),
        ),
        lambda session, address: session.prepare_request(Request("GET", address, headers)),
        urljoin,
    )


@pytest.fixture
def server() -> Iterator[str]:
    """A local server; yields its address."""
    with web_server() as running:
        running.answering = _answer
        running.script("/busy", http("", "429 Too Many Requests"), http(""))
        yield running.address
