"""Which addresses a page may be fetched from, and name lookups that return only those.

Addresses come from a model or from a redirect, so whatever is not public is refused: this machine, its
network, the metadata service of a cloud. The list follows the special-purpose registries of IANA (RFC 6890
and later) rather than `ipaddress.is_global`, which differs between releases of Python. Ports are not
restricted: a public web server may listen on any.
"""

import socket
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

Lookup = Callable[..., list[tuple[Any, ...]]]
"""A name lookup with the signature of `socket.getaddrinfo`."""

_REFUSED_4 = tuple(
    map(
        ip_network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # shared by customers of a carrier; metadata of Alibaba Cloud
            "127.0.0.0/8",  # loopback
            "168.63.129.16/32",  # host services of Azure
            "169.254.0.0/16",  # link-local; metadata of most clouds
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # protocol assignments; metadata of Oracle Cloud
            "192.0.2.0/24",  # documentation
            "192.88.99.0/24",  # 6to4 relays, deprecated
            "192.168.0.0/16",  # private
            "198.18.0.0/15",  # benchmarking
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, and broadcast
        ),
    )
)

_GLOBAL_6 = ip_network("2000::/3")  # all allocated addresses; loopback, local and multicast are outside
_REFUSED_6 = tuple(
    map(
        ip_network,
        (
            "2001::/23",  # protocol assignments, with Teredo
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4: another way to an IPv4 address
            "3fff::/20",  # documentation
        ),
    )
)

_WITH_4_INSIDE = tuple(map(ip_network, ("::ffff:0:0/96", "64:ff9b::/96")))  # mapped; translated (NAT64)


class AddressRefused(Exception):
    """A host is, or may be, at an address that is not public. The model sees the text."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address to connect to: the arguments of `socket.socket` and `connect`."""

    family: int
    kind: int
    protocol: int
    address: tuple[Any, ...]


def is_public(address: str) -> bool:
    """Whether an IPv4 or IPv6 address belongs to the public internet. Raises ValueError for other text."""
    parsed = ip_address(address)
    if isinstance(parsed, IPv6Address):
        bare = IPv6Address(int(parsed))  # without the interface, as in fe80::1%eth0
        if not any(bare in network for network in _WITH_4_INSIDE):
            return bare in _GLOBAL_6 and not any(bare in network for network in _REFUSED_6)
        parsed = IPv4Address(int(bare) & 0xFFFFFFFF)
    return not any(parsed in network for network in _REFUSED_4)


def endpoints(host: str, port: int, lookup: Lookup, *, allow_private: bool) -> list[Endpoint]:
    """The addresses of `host`, in the order of the resolver; connections use them without another lookup.

    Raises:
        AddressRefused: one of them is not public and `allow_private` is false.
        socket.gaierror: there are none.
        UnicodeError: `host` is not a valid name.
    """
    answers = lookup(host, port, 0, socket.SOCK_STREAM)
    resolved = [Endpoint(family, kind, protocol, address) for family, kind, protocol, _, address in answers]
    if not resolved:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    if not allow_private and not all(is_public(str(endpoint.address[0])) for endpoint in resolved):
        raise AddressRefused(f"Failed to connect to {host}: its address is not on the public internet")
    return resolved


def refuse_written(host: str) -> None:
    """Raises AddressRefused if `host` is literally a non-public address or a name of this machine.

    For fetches through a proxy, which looks up names itself.
    """
    name = host.rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        raise AddressRefused(f"Failed to connect to {host}: its address is not on the public internet")
    try:
        written = socket.getaddrinfo(name, 0, 0, socket.SOCK_STREAM, 0, socket.AI_NUMERICHOST)
    except (socket.gaierror, UnicodeError):  # a name
        return
    endpoints(host, 0, lambda *_: list(written), allow_private=False)
