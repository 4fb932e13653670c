"""Fetches pages over HTTP as the release's web tool does, within bounds.

The headers, the timeout of 20 seconds and the failure texts (the messages of `requests`) are the release's.
Covers redirects, encodings and charsets; extracting a page's text is elsewhere. Compressed pages are
decoded (the release accepts brotli and, without the library, shows the bytes), and content that is not text
is a failure. The failure of a page is an outcome; a WebError means that no page can be fetched (names
cannot be looked up, a proxy is down). Only http and https, on any port.
"""

import re
from http.client import HTTPException
from urllib.parse import urljoin, urlsplit, urlunsplit

from requests import PreparedRequest, Request, RequestException, Response, Session
from requests.exceptions import ProxyError
from requests.structures import CaseInsensitiveDict
from requests.utils import requote_uri
from urllib3.exceptions import HTTPError

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.base.secrets import Redactor
from bfcl_pipeline.world.tools.web_search.web import Page, WebFailure
from bfcl_pipeline.world.web.addresses import AddressRefused
from bfcl_pipeline.world.web.content import decode_page, is_text_type, looks_binary, media_type
from bfcl_pipeline.world.web.http_client import Body, HttpClient
from bfcl_pipeline.world.web.transport import OutOfTime, TooMuch

HEADERS = {
    "User-Agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/112.0.0.0 Safari/537.36",
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,"
    "*/*;q=0.8,application/signed-exchange;v=b3;q=0.7",
    "Accept-Language": "en-US,en;q=0.9",
    "Accept-Encoding": "gzip, deflate, br",
    "Connection": "keep-alive",
    "Upgrade-Insecure-Requests": "1",
    "Referer": "https://www.google.com/",
    "Sec-Fetch-Site": "same-origin",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-User": "?1",
    "Sec-Fetch-Dest": "document",
}
"""The headers of every request, in this order: a browser's, because pages refuse other clients."""

_OBJECT_ADDRESS = re.compile(r"(?<= object at )0x[0-9a-fA-F]+")
LONGEST_FAILURE = 4_000
"""Characters of a failure text, which may quote the server."""


class Fetcher(HttpClient):
    """Fetches pages. Has no state between fetches; safe to use from several threads."""

    def fetch(self, url: str) -> Page | WebFailure:
        """The page at `url`, or the failure for the model. Raises WebError if nothing can be fetched."""
        try:
            return self.get(url, _page, _prepare, _redirected)
        except OutOfTime as error:
            return _failure(f"Read timed out. {error} for url: {url}")
        except TooMuch as error:
            return _failure(f"{error} for url: {url}")
        except ProxyError as error:
            if "Tunnel connection failed: 5" in str(error):  # the proxy works, the page does not
                return _failure(str(error))
            reason = Redactor(self._proxies.secrets).text(_stable(str(error)))
            raise WebError(
                f"pages: expected the proxy {self._proxies.shown} to fetch {url}, got: "
                f"{reason}. Check that it runs and accepts this machine, "
                "and web_proxy in the config or HTTP_PROXY and HTTPS_PROXY; then run again."
            ) from error
        except (AddressRefused, RequestException, HTTPError, HTTPException, OSError, ValueError) as error:
            return _failure(str(error))


def _page(response: Response, read_body: Body) -> Page | WebFailure:
    response.raise_for_status()
    content_type = response.headers.get("Content-Type", "")
    kind = media_type(content_type)
    if not is_text_type(kind):
        return _failure(f"Unsupported content type: {kind} for url: {response.url}")
    body = read_body()
    if looks_binary(body):
        return _failure(f"Unsupported content: binary data for url: {response.url}")
    return Page(decode_page(body, content_type))


def _prepare(session: Session, url: str) -> PreparedRequest:
    session.headers = CaseInsensitiveDict(HEADERS)
    return session.prepare_request(Request("GET", url))


def _redirected(url: str, target: str) -> str:
    """The target of a redirect; as in browsers, a target without a fragment inherits that of `url`."""
    parts = urlsplit(urljoin(url, requote_uri(target)))
    return urlunsplit(parts if parts.fragment else parts._replace(fragment=urlsplit(url).fragment))


def _stable(text: str) -> str:
    return _OBJECT_ADDRESS.sub("0x0", text)[:LONGEST_FAILURE]


def _failure(text: str) -> WebFailure:
    """A failure with a reproducible text: memory addresses are zeroed."""
    return WebFailure(_stable(text))
