"""The connections of one fetch: to checked addresses only, counted byte by byte, and cut when time is up.

An adapter for `requests` whose connections are opened here. A name is looked up once, every answer is
checked, and the connection goes to a checked answer: nothing is looked up a second time, while the Host
header, the name asked for in TLS and the certificate's check keep the name. Connections to a proxy are
counted and cut too, but not checked: a proxy is the user's own, and it looks up names itself.
"""

from __future__ import annotations

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

from bfcl_pipeline.errors import WebError
from bfcl_pipeline.web.addresses import Endpoint, Lookup, endpoints

WITNESS = "duckduckgo.com"
"""A name that is looked up when names seem not to be looked up at all."""


class TooMuch(Exception):
    """A server sent more than is taken. The text is what the model is told."""


class Wire:
    """What the connections of one fetch share."""

    def __init__(self, lookup: Lookup, most_bytes: int, *, allow_private: bool) -> None:
        self._lookup = lookup
        self._most_bytes = most_bytes
        self._allow_private = allow_private
        self._received = 0
        self._lock = Lock()
        self._is_cut = False
        self._held: list[socket.socket] = []  # second handles: the first ones are given away, to TLS too

    def connect(self, host: str, port: int, timeout: float | None, *, checked: bool) -> socket.socket:
        """A connection to the first address of `host` that takes one.

        Raises AddressRefused, WebError if no name can be looked up at all, or OSError.
        """
        failed = OSError("Network is unreachable")
        for endpoint in self._endpoints(host, port, checked=checked):
            try:
                return self._open(endpoint, timeout)
            except OSError as error:
                failed = error
        raise failed

    def count(self, received: int) -> None:
        """Counts what a connection brought, headers and body, as it came. Raises TooMuch past the bound."""
        self._received += received
        if self._received > self._most_bytes:
            raise TooMuch(f"Content of more than {self._most_bytes:,} bytes")

    def cut(self) -> None:
        """Ends all connections at once, whoever waits on them, and lets no other be opened."""
        with self._lock:
            self._is_cut = True
            for held in self._held:
                with suppress(OSError):  # it has ended already
                    held.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Gives up the handles; the connections are closed by those who use them."""
        with self._lock:
            self._is_cut = True
            for held in self._held:
                held.close()
            self._held.clear()

    def _endpoints(self, host: str, port: int, *, checked: bool) -> list[Endpoint]:
        try:
            return endpoints(host, port, self._lookup, allow_private=self._allow_private or not checked)
        except socket.gaierror as error:
            if error.errno == socket.EAI_AGAIN and self._is_without_names():
                raise WebError(
                    f"pages: expected to look up {host!r}, but neither it nor {WITNESS} can be looked up. "
                    "Check the network and its name servers, then run again."
                ) from error
            raise

    def _is_without_names(self) -> bool:
        # A broken domain fails like a broken resolver does; only the first is an outcome of its page.
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
            self._hold(connection)
            connection.connect(endpoint.address)
        except OSError:
            connection.close()
            raise
        return connection

    def _hold(self, connection: socket.socket) -> None:
        with self._lock:
            if self._is_cut:
                raise TimeoutError("timed out")
            self._held.append(connection.dup())


class WireAdapter(HTTPAdapter):
    """Sends requests over a wire."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        super().__init__(max_retries=0)

    def get_connection_with_tls_context(
        self,
        request: PreparedRequest,
        verify: bool | str | None,
        proxies: Mapping[str, str] | None = None,
        cert: tuple[str, str] | str | None = None,
    ) -> HTTPConnectionPool:
        """The pool for a request, told to open its connections over the wire."""
        made = super().get_connection_with_tls_context(request, verify, proxies, cert)
        pool = cast(HTTPConnectionPool, made)
        kind = _SecureConnection if isinstance(pool, HTTPSConnectionPool) else _Connection
        pool.ConnectionCls = partial(kind, wire=self._wire, checked=pool.proxy is None)  # type: ignore[assignment]
        return pool


class _Meter(io.RawIOBase):
    """What comes from a connection, counted."""

    def __init__(self, source: io.RawIOBase, wire: Wire) -> None:
        self._source = source
        self._wire = wire

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        received: int | None = self._source.readinto(buffer)
        self._wire.count(received or 0)
        return received

    def close(self) -> None:
        self._source.close()
        super().close()


class _Response(http.client.HTTPResponse):
    def __init__(self, *args: Any, wire: Wire, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fp = io.BufferedReader(_Meter(self.fp.detach(), wire))


class _Connection(HTTPConnection):
    _name = "HTTPConnection"  # as urllib3 calls it in the texts of failures

    def __init__(self, *args: Any, wire: Wire, checked: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._wire = wire
        self._checked = checked
        self.response_class = partial(_Response, wire=wire)  # type: ignore[assignment]

    def __str__(self) -> str:
        return f"{self._name}(host={self.host!r}, port={self.port!r})"

    def _new_conn(self) -> socket.socket:
        # The failures and their texts are those of urllib3, which the release shows to the model.
        host = self._dns_host.strip("[]")
        try:
            return self._wire.connect(host, self.port, self.timeout, checked=self._checked)
        except UnicodeError:
            raise LocationParseError(f"'{host}', label empty or too long") from None
        except socket.gaierror as error:
            raise NameResolutionError(self.host, self, error) from error
        except TimeoutError as error:
            told = f"Connection to {self.host} timed out. (connect timeout={self.timeout})"
            raise ConnectTimeoutError(self, told) from error
        except OSError as error:
            raise NewConnectionError(self, f"Failed to establish a new connection: {error}") from error


class _SecureConnection(_Connection, HTTPSConnection):
    _name = "HTTPSConnection"
