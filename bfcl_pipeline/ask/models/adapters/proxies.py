"""HTTP proxies of the environment: through which a host is reached."""

from ipaddress import ip_address
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from bfcl_pipeline.base.errors import ConfigError


def proxy_for(scheme: str, host: str) -> str | None:
    """The HTTP proxy in the environment, if there is one. Raises ConfigError for a proxy of another kind.

    A server on this machine is always reached directly. aiohttp's own support starts a thread for each
    request, and sends credentials from ~/.netrc.
    """
    proxy = None if is_loopback(host) or proxy_bypass(host) else getproxies().get(scheme)
    if proxy and not proxy.startswith(("http://", "https://")):
        kind = proxy.partition("://")[0] if "://" in proxy else "unknown"
        raise ConfigError(
            f"{scheme.upper()}_PROXY: expected an address that begins with http:// or https://; got one of "
            f"kind {kind!r}. Correct it, or set NO_PROXY={host} to connect directly."
        )
    return proxy or None


def is_loopback(host: str) -> bool:
    """Whether a host of a URL is this machine: `localhost`, 127.0.0.0/8, ::1, or 0.0.0.0."""
    name = host.rstrip(".").lower()
    try:
        address = ip_address(name)
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_loopback or address.is_unspecified


def without_password(proxy: str) -> str:
    """The address of a proxy for a message."""
    url = urlsplit(proxy)
    return f"{url.scheme}://{url.netloc.rpartition('@')[2]}"
