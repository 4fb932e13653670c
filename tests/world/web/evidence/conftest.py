"""A local server of pages of all kinds, and the client of pages for it."""

import gzip
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urljoin

import brotli
import pytest
from requests import Request

from bfcl_pipeline.world.tools.web_search.web import Hit, Hits
from bfcl_pipeline.world.web.http_client import HttpClient, HttpLimits
from tests.support.simulated_sites import duckduckgo_page

TEXT = "Gr\u00fcner Tee \U0001f375 \x85\u2028 \t end "


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.asked.append(self.path)
        kind = self.path.split("/")[1].split("?")[0]
        text = (TEXT + (self.path if kind == "echo" else kind)).encode()
        if kind == "gzip":
            self._answer(200, gzip.compress(text), {"Content-Encoding": "gzip"})
        elif kind == "brotli":
            self._answer(200, brotli.compress(text), {"Content-Encoding": "br"})
        elif kind == "binary":
            self._answer(200, bytes(range(256)), {"Content-Type": "image/png"})
        elif kind == "redirect":
            self._answer(302, b"gone", {"Location": self.path.replace("redirect", "page")})
        elif kind == "missing":
            self._answer(404, text)
        elif kind == "busy":
            self._answer(200 if self.server.asked.count(self.path) % 2 == 0 else 429, text)
        elif kind == "reset":
            self.close_connection = True
        elif kind == "cut":
            self._answer(200, text, {"Content-Length": "99999"})
            self.close_connection = True
        else:
            self._answer(200, text, {"Set-Cookie": "session=topsecret", "Vary": "a"})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/html/":  # where DuckDuckGo is asked
            found = duckduckgo_page(Hits((Hit("Green tea", "https://tea.example/", TEXT),)))
            self._answer(200, found.encode(), {"Set-Cookie": "session=topsecret"})
        else:
            self._answer(200, b"posted " + body)

    def _answer(self, status, body, headers=None):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def get(url, headers=None, **limits):
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
def server():
    """A local server; yields its address."""
    local = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    local.daemon_threads = True
    local.asked = []
    thread = threading.Thread(target=local.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{local.server_port}"
    local.shutdown()
    thread.join()
    local.server_close()
