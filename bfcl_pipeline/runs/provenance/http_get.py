"""A small GET request with a time limit on the whole of it, for what a server says of itself."""

import socket
import time
from contextlib import closing, suppress
from http.client import OK, HTTPConnection, HTTPSConnection
from threading import Timer
from urllib.parse import urlsplit


def http_get(url: str, seconds: float, most_bytes: int) -> bytes | None:
    """The content at `url`; None unless the status is 200 and the content small. No proxy, no redirects.

    seconds: to connect, and as many for all that follows, however slowly single bytes arrive.

    Raises OSError, http.client.HTTPException or ValueError if there is no complete answer in time.
    """
    address = urlsplit(url)
    kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
    with closing(kind(address.hostname or "", address.port, timeout=seconds)) as connection:
        connection.connect()
        until = time.monotonic() + seconds
        timer = Timer(seconds, _cut, [connection.sock])  # the limit of a socket is for each piece
        timer.start()
        try:
            connection.request("GET", address.path)
            answer = connection.getresponse()
            content = answer.read(most_bytes + 1)
        finally:
            timer.cancel()
    if time.monotonic() >= until:  # what was cut may look complete
        raise TimeoutError(f"no complete answer in {seconds:g} s")
    return content if answer.status == OK and len(content) <= most_bytes else None


def _cut(connection: socket.socket) -> None:
    with suppress(OSError):  # already closed
        connection.shutdown(socket.SHUT_RDWR)
