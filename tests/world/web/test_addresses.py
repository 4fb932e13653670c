"""Tests of the addresses that pages may be fetched from."""

from __future__ import annotations

import socket
from contextlib import nullcontext
from typing import Any

import pytest

from bfcl_pipeline.world.web.addresses import AddressRefused, endpoints, is_public, refuse_written

PRIVATE = [
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "100.100.100.200",  # metadata of Alibaba Cloud
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",  # host services of Azure
    "169.254.169.254",  # metadata of most clouds
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",  # metadata of Oracle Cloud
    "192.168.0.1",
    "198.18.0.1",
    "203.0.113.9",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",  # the deprecated way to write an IPv4 address inside
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::10.0.0.1",
    "64:ff9b:1::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "fc00::1",
    "fd00:ec2::254",  # metadata of AWS
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
]

PUBLIC = [
    "1.1.1.1",
    "93.184.216.34",
    "100.63.255.255",
    "100.128.0.1",
    "172.15.255.255",
    "172.32.0.1",
    "192.0.1.1",
    "223.255.255.255",
    "::ffff:1.1.1.1",
    "64:ff9b::1.1.1.1",
    "2606:4700:4700::1111",
    "2a00:1450:4001::1",
]


def answering(*addresses: str) -> Any:
    """A resolver that returns these addresses for every name."""

    def lookup(host: str, port: int, *_: object) -> list[tuple[Any, ...]]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    return lookup


@pytest.mark.parametrize("address", [*PRIVATE, *PUBLIC])
def test_which_addresses_are_public(address: str) -> None:
    """Private, local, shared, reserved and metadata addresses are not, however they are written; addresses
    of the internet are, next to the private ranges too."""
    assert is_public(address) is (address in PUBLIC)


def test_a_name_is_refused_for_a_single_private_answer() -> None:
    """One private address among public ones is enough: which one is connected to is the server's choice."""
    with pytest.raises(AddressRefused, match="its address is not on the public internet"):
        endpoints("inside.example", 80, answering("1.1.1.1", "10.0.0.1"), allow_private=False)


def test_a_refusal_does_not_reveal_the_address() -> None:
    """The text is independent of the address, so that the network behind a name is not revealed."""
    with pytest.raises(AddressRefused) as refused:
        endpoints("inside.example", 80, answering("10.20.30.40"), allow_private=False)
    assert "10.20.30.40" not in str(refused.value)


def test_endpoints_keep_the_order_of_the_resolver() -> None:
    """All public addresses are returned, with the port, in the resolver's order."""
    found = endpoints("example.org", 8080, answering("9.9.9.9", "1.1.1.1"), allow_private=False)
    assert [one.address for one in found] == [("9.9.9.9", 8080), ("1.1.1.1", 8080)]


def test_private_addresses_can_be_allowed() -> None:
    """With `allow_private` addresses of an intranet are returned."""
    assert endpoints("wiki", 80, answering("10.0.0.1"), allow_private=True)


def test_a_name_without_an_address_is_unknown() -> None:
    """An empty result of the resolver is an error."""
    with pytest.raises(socket.gaierror, match="not known"):
        endpoints("example.org", 80, answering(), allow_private=True)


@pytest.mark.parametrize(
    ("host", "is_refused"),
    [
        # Hexadecimal, octal and shortened addresses are parsed as the system parses them.
        *((host, True) for host in ("127.0.0.1", "127.1", "0x7f.1", "2130706433", "0177.0.0.1", "::1")),
        *((host, True) for host in ("10.0.0.1", "localhost", "LOCALHOST.", "x.localhost")),
        # Public addresses, and names, which the proxy looks up.
        *((host, False) for host in ("1.1.1.1", "example.org", "localhost.example.org", "a" * 80, "")),
    ],
)
def test_what_is_written_as_a_private_address_is_refused(host: str, is_refused: bool) -> None:
    """Before a proxy is asked, without a resolver."""
    with pytest.raises(AddressRefused) if is_refused else nullcontext():
        refuse_written(host)
