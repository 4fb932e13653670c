"""The proxy of searches, page fetches and requests of web APIs: the environment's, a given one, or none.

The environment's are HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY, as `requests` reads them, read once.
A user and password in the address of a proxy are the environment's only: `secrets` are not to be written.
The certificates of REQUESTS_CA_BUNDLE or CURL_CA_BUNDLE are used whatever the proxy is.
"""

import os
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Self
from urllib.parse import unquote, urlsplit

from requests.utils import select_proxy, should_bypass_proxies

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config.job import NO_PROXY, PROXY_OF_ENVIRONMENT

_VARIABLES = ("http_proxy", "https_proxy", "all_proxy")
_CERTIFICATES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")

_KEY = "web_proxy"  # of the config


@dataclass(frozen=True, slots=True)
class Proxies:
    """Which proxy is used for which address."""

    by_scheme: Mapping[str, str] = field(default_factory=dict, repr=False)  # http, https, all: its address
    of_environment: bool = False  # then NO_PROXY excepts hosts
    certificates: str | bool = True  # a file with the accepted ones; True: the usual ones

    @classmethod
    def of(cls, choice: str, environment: Mapping[str, str] | None = None) -> Self:
        """The proxies of a `WebChoice.proxy`. Raises ConfigError if one is not http:// or https://."""
        environment = os.environ if environment is None else environment
        certificates = _certificates(environment)
        if choice == NO_PROXY:
            return cls(certificates=certificates)
        if choice != PROXY_OF_ENVIRONMENT:
            return cls({"all": _checked(choice, _KEY)}, certificates=certificates)
        given = {  # in lower case or, if there is none, in upper case
            name: (environment.get(name) or environment.get(name.upper()) or "").strip()
            for name in _VARIABLES
        }
        by_scheme = {
            name.removesuffix("_proxy"): _checked(address, name.upper())
            for name, address in given.items()
            # One for all is not used, so its scheme does not matter, if both others are given.
            if address and (name != "all_proxy" or not (given["http_proxy"] and given["https_proxy"]))
        }
        return cls(by_scheme, of_environment=True, certificates=certificates)

    def address(self, url: str) -> str | None:
        """The address of the proxy through which `url` is requested; None: directly."""
        if not self.by_scheme or (self.of_environment and should_bypass_proxies(url, no_proxy=None)):
            return None
        proxy: str | None = select_proxy(url, dict(self.by_scheme))
        return proxy

    def for_requests(self, url: str) -> dict[str, str]:
        """The proxy for `url` as `requests` expects it."""
        proxy = self.address(url)
        return {} if proxy is None else {urlsplit(url).scheme.lower(): proxy}

    @property
    def secrets(self) -> tuple[str, ...]:
        """Passwords in the addresses of proxies: as they are written, decoded, and as they are sent."""
        logins = [urlsplit(address) for address in self.by_scheme.values()]
        forms = [_secret_forms(login.username or "", login.password) for login in logins if login.password]
        return tuple(dict.fromkeys(chain.from_iterable(forms)))

    @property
    def shown(self) -> str:
        """Scheme, host and port of each proxy, for people; empty: there is none."""
        return ", ".join(dict.fromkeys(_shown(address) for address in self.by_scheme.values()))


DIRECT = Proxies()
"""No proxy, and the usual certificates."""


def _secret_forms(user: str, password: str) -> Iterator[str]:
    yield password
    yield unquote(password)
    for encoding in ("latin-1", "utf-8"):  # of requests, and of primp
        login = f"{unquote(user)}:{unquote(password)}".encode(encoding, "replace")
        yield b64encode(login).decode("ascii")


def _certificates(environment: Mapping[str, str]) -> str | bool:
    for name in _CERTIFICATES:
        if path := environment.get(name):
            if not Path(path).exists():
                raise ConfigError(f"{name}: expected a file with certificates, found none at {path}.")
            return path
    return True


def _checked(address: str, name: str) -> str:
    """The address of a proxy, with its scheme. Raises ConfigError, without quoting a password."""
    whole = address if "://" in address else f"http://{address}"
    try:
        parts = urlsplit(whole)
        usable = parts.scheme.lower() in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ConfigError(
            f"{name}: expected http://host:port or https://host:port, got another address "
            f"({whole.partition('://')[0][:20]}://...). Proxies of other kinds (SOCKS) are not supported: "
            f"set {_KEY} to an HTTP proxy, or to {NO_PROXY}."
        )
    return whole


def _shown(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "")
