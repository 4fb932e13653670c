"""The connections of one fetch: to checked addresses only, with a byte limit, closed at the time limit.

An adapter for `requests` that opens its own connections. A name is looked up once, every resulting address
is checked, and the connection uses a checked address without a second lookup; the Host header, the TLS
server name and the certificate check still use the name. Connections to a proxy are counted and closed too,
but not checked: a proxy is the user's own, and it looks up names itself.
"""

import http.client
import io
import socket
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from threading import Lock
from typing import Any, cast

from requests import PreparedRequest
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import (
    ConnectTimeoutError,
    LocationParseError,
    NameResolutionError,
    NewConnectionError,
)

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.world.web.addresses import Endpoint, Lookup, endpoints

WITNESS = "duckduckgo.com"
"""A name that is looked up to find out whether name lookups work at all."""


class TooMuch(Exception):
    """A server sent more than the limit. The model sees the text."""


class FetchConnections:
    """The connections of one fetch, with their shared byte count."""

    def __init__(self, lookup: Lookup, most_bytes: int, *, allow_private: bool) -> None:
        self._lookup = lookup
        self._most_bytes = most_bytes
        self._allow_private = allow_private
        self._received = 0
        self._lock = Lock()
        self._is_cut = False
        self._handles: list[socket.socket] = []  # duplicates: the originals are passed on, to TLS too

    def connect(self, host: str, port: int, timeout: float | None, *, checked: bool) -> socket.socket:
        """A connection to the first address of `host` that accepts one.

        Raises:
            AddressRefused: an address of `host` is not public.
            WebError: no name can be looked up at all.
            OSError: no connection can be opened.
        """
        failed = OSError("Network is unreachable")
        for endpoint in self._endpoints(host, port, checked=checked):
            try:
                return self._open(endpoint, timeout)
            except OSError as error:
                failed = error
        raise failed

    def count(self, received: int) -> None:
        """Adds to the received bytes, headers and body as sent. Raises TooMuch above the limit."""
        self._received += received
        if self._received > self._most_bytes:
            raise TooMuch(f"Content of more than {self._most_bytes:,} bytes")

    def cut(self) -> None:
        """Shuts all connections down immediately, blocked reads included, and prevents new ones."""
        with self._lock:
            self._is_cut = True
            for handle in self._handles:
                with suppress(OSError):  # already closed
                    handle.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Closes the duplicate handles; the connections themselves are closed by the HTTP client."""
        with self._lock:
            self._is_cut = True
            for handle in self._handles:
                handle.close()
            self._handles.clear()

    def _endpoints(self, host: str, port: int, *, checked: bool) -> list[Endpoint]:
        try:
            return endpoints(host, port, self._lookup, allow_private=self._allow_private or not checked)
        except socket.gaierror as error:
            # A proxy has its own message. Some machines answer "no such name" when they have no network.
            if checked and self._is_without_names():
                raise WebError(
                    f"pages: expected to look up {host!r}, but neither it nor {WITNESS} can be looked up. "
                    "Check the network and its name servers, then run again."
                ) from error
            raise

    def _is_without_names(self) -> bool:
        # A broken domain and a broken resolver fail alike; only the former is an outcome of its page.
        try:
            self._lookup(WITNESS, 443, 0, socket.SOCK_STREAM)
        except socket.gaierror:
            return True
        return False

    def _open(self, endpoint: Endpoint, timeout: float | None) -> socket.socket:
        connection = socket.socket(endpoint.family, endpoint.kind, endpoint.protocol)
        try:
            connection.settimeout(timeout)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._register(connection)
            connection.connect(endpoint.address)
        except OSError:
            connection.close()
            raise
        return connection

    def _register(self, connection: socket.socket) -> None:
        with self._lock:
            if self._is_cut:
                raise TimeoutError("timed out")
            self._handles.append(connection.dup())


class FetchAdapter(HTTPAdapter):
    """Sends requests over the connections of one fetch."""

    def __init__(self, connections: FetchConnections) -> None:
        self._connections = connections
        super().__init__(max_retries=0)

    def get_connection_with_tls_context(
        self,
        request: PreparedRequest,
        verify: bool | str | None,
        proxies: Mapping[str, str] | None = None,
        cert: tuple[str, str] | str | None = None,
    ) -> HTTPConnectionPool:
        """The connection pool for a request, which opens its connections through `FetchConnections`."""
        made = super().get_connection_with_tls_context(request, verify, proxies, cert)
        pool = cast(HTTPConnectionPool, made)
        kind = _SecureConnection if isinstance(pool, HTTPSConnectionPool) else _Connection
        pool.ConnectionCls = partial(kind, connections=self._connections, checked=pool.proxy is None)  # type: ignore[assignment]
        return pool


class _Meter(io.RawIOBase):
    """The bytes of a connection, counted."""

    def __init__(self, source: io.RawIOBase, connections: FetchConnections) -> None:
        self._source = source
        self._connections = connections

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        received: int | None = self._source.readinto(buffer)
        self._connections.count(received or 0)
        return received

    def close(self) -> None:
        self._source.close()
        super().close()


class _Response(http.client.HTTPResponse):
    def __init__(self, *args: Any, connections: FetchConnections, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fp = io.BufferedReader(_Meter(self.fp.detach(), connections))


class _Connection(HTTPConnection):
    _name = "HTTPConnection"  # as urllib3 calls it in the texts of failures

    def __init__(self, *args: Any, connections: FetchConnections, checked: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._connections = connections
        self._checked = checked
        self.response_class = partial(_Response, connections=connections)  # type: ignore[assignment]

    def __str__(self) -> str:
        return f"{self._name}(host={self.host!r}, port={self.port!r})"

    def _new_conn(self) -> socket.socket:
        # The errors and their texts are those of urllib3, which the release shows to the model.
        host = self._dns_host.strip("[]")
        try:
            return self._connections.connect(host, self.port, self.timeout, checked=self._checked)
        except UnicodeError:
            raise LocationParseError(f"'{host}', label empty or too long") from None
        except socket.gaierror as error:
            raise NameResolutionError(self.host, self, error) from error
        except TimeoutError as error:
            text = f"Connection to {self.host} timed out. (connect timeout={self.timeout})"
            raise ConnectTimeoutError(self, text) from error
        except OSError as error:
            raise NewConnectionError(self, f"Failed to establish a new connection: {error}") from error


class _SecureConnection(_Connection, HTTPSConnection):
    _name = "HTTPSConnection"
