"""The connections of one fetch: to checked addresses only, within limits on bytes and time.

An adapter for `requests` that opens its own connections. A name is looked up once, every resulting address
is checked, and the connection uses a checked address without a second lookup; the Host header, the TLS
server name and the certificate check still use the name. Connections to a proxy are counted and closed too,
but not checked: a proxy is the user's own, and it looks up names itself.
"""

import http.client
import io
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import closing, contextmanager, suppress
from contextvars import copy_context
from functools import partial
from threading import Lock, Thread
from typing import Any, TypeVar, cast

from requests import PreparedRequest, Response
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
from bfcl_pipeline.world.web.evidence.tape import give_up

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


T = TypeVar("T")

_POLL_SECONDS = 0.2  # between two looks at a time limit that stands still


class OutOfTime(Exception):
    """The time for the whole exchange is over."""


class TimeLimit:
    """The time for an exchange; it stands still while the exchange waits for its turn."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        """It begins now."""
        self.seconds = seconds
        self._clock = clock
        self._end = clock() + seconds
        self._stopped_at: float | None = None

    @property
    def is_over(self) -> bool:
        """Whether no time is left."""
        return self._stopped_at is None and self._clock() >= self._end

    def left(self) -> float:
        """Seconds until it may be over."""
        if self._stopped_at is not None:
            return _POLL_SECONDS
        return max(0.0, self._end - self._clock())

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """The block is not part of the time."""
        self._stopped_at = self._clock()
        try:
            yield
        finally:
            self._end += self._clock() - self._stopped_at
            self._stopped_at = None


def in_time(work: Callable[[], T], connections: FetchConnections, limit: TimeLimit) -> T:
    """The result of `work`, which uses `connections`. Raises OutOfTime, and what `work` raises."""
    # In its own thread: no socket timeout stops a server that sends single bytes slowly.
    outcome: Future[T] = Future()
    run = copy_context().run  # the thread adds to the tape of this one
    Thread(target=run, args=(_run, work, connections, outcome), name="fetch", daemon=True).start()
    while not wait([outcome], limit.left()).done:
        if limit.is_over:
            over = OutOfTime(f"(total timeout={limit.seconds})")
            give_up(over)
            connections.cut()
            raise over
    try:
        return outcome.result()
    except OutOfTime as error:  # played from a cassette, it may have no text
        raise OutOfTime(str(error) or f"(total timeout={limit.seconds})") from None


def _run(work: Callable[[], T], connections: FetchConnections, outcome: Future[T]) -> None:
    try:
        with closing(connections):
            result = work()
    except BaseException as error:  # noqa: BLE001  # raised again by outcome.result()
        outcome.set_exception(error)
    else:
        outcome.set_result(result)


def check_head(response: Response, most_bytes: int) -> None:
    """Closes the response and raises TooMuch if its headers have more than `most_bytes`."""
    if sum(len(name) + len(value) for name, value in response.headers.items()) > most_bytes:
        response.close()
        error = TooMuch(f"Headers of more than {most_bytes:,} bytes")
        give_up(error)
        raise error
