"""What `requests.get` would send for given arguments, by the library itself, which here never sends.

The session has an adapter without connections, and reads neither the environment nor .netrc. What the
library's own adapter decides with the file system or the network is decided here from the arguments alone:
a path of certificates never exists, a proxy cannot be reached. Imports `requests`.
"""

import math
from collections.abc import Mapping
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

from requests import PreparedRequest, Response, Session
from requests.adapters import BaseAdapter
from requests.exceptions import ProxyError
from requests.utils import select_proxy
from urllib3.util import Timeout

from bfcl_pipeline.world.executables.binding import ExecutionFailed

_MAX_SECONDS = 9.2e9
"""A longer timeout does not fit into a socket's clock."""

_MAX_MESSAGE = 1_000
"""Characters of an exception's text that are kept: it may repeat the arguments."""


def prepare_request(arguments: Mapping[str, Any]) -> PreparedRequest:
    """The request that `requests.get(**arguments)` would send.

    arguments: of known names and bounded size; values as JSON or Python literals have them.
    Raises ExecutionFailed with the library's exception if it refuses them.
    """
    with Session() as session:
        session.trust_env = False
        session.adapters.clear()
        session.mount("https://", _Unsent())
        session.mount("http://", _Unsent())
        try:
            request = session.request("GET", **{**arguments, "auth": _plain(arguments.get("auth"))}).request
            _check_bytes(request)
        except Exception as error:  # noqa: BLE001  # arguments of any type: what is raised is the refusal
            text = f"{type(error).__name__}: {error}"
            raise ExecutionFailed(text[:_MAX_MESSAGE]) from None
    return request


class _Unsent(BaseAdapter):
    """Returns an empty response without connecting; refuses what the library's adapter refuses before."""

    def send(
        self,
        request: PreparedRequest,
        stream: Any = False,  # noqa: ARG002  # an adapter's signature
        timeout: Any = None,
        verify: Any = True,
        cert: Any = None,
        proxies: Any = None,
    ) -> Response:
        """An empty response that holds `request`."""
        proxies.get("no_proxy")  # which the library does where it reads the environment
        if select_proxy(request.url or "", proxies):
            raise ProxyError("a proxy cannot be reached")
        _check_certificates(str(request.url), verify, cert)
        _check_timeout(timeout)
        response = Response()
        response.request = request
        response.status_code = 200
        return response

    def close(self) -> None:
        """Has nothing to close."""


def _check_certificates(url: str, verify: Any, cert: Any) -> None:
    if url.startswith("https") and verify and verify is not True:
        raise OSError(f"Could not find a suitable TLS CA certificate bundle, invalid path: {verify}")
    if isinstance(cert, list | dict):
        raise TypeError(f"unhashable type: {type(cert).__name__!r}")
    if cert and not (isinstance(cert, tuple) and len(cert) == 2 and not any(cert)):
        raise OSError(f"Could not find the TLS certificate file, invalid path: {cert}")


def _check_timeout(timeout: Any) -> None:
    connect, read = timeout if isinstance(timeout, tuple) else (timeout, timeout)
    Timeout(connect=connect, read=read)
    for seconds in (connect, read):
        if seconds is not None and not (math.isfinite(float(seconds)) and float(seconds) < _MAX_SECONDS):
            raise OverflowError("timeout does not fit into a socket's clock")


def _check_bytes(request: PreparedRequest) -> None:
    """Raises what the HTTP client raises when it writes the request, before it connects."""
    address = urlsplit(str(request.url))
    host = address.hostname or ""
    host.encode("idna")
    connection = HTTPConnection(host, address.port)
    connection.putrequest("GET", request.path_url)
    for name, value in request.headers.items():
        connection.putheader(name, value)


def _plain(auth: Any) -> Any:
    """`auth` with the text of a user and password that are not text, for which the library only warns."""
    if isinstance(auth, tuple) and len(auth) == 2:
        return tuple(part if isinstance(part, str | bytes) else str(part) for part in auth)
    return auth
