"""The web APIs of executed calls: simulated or replayed for scoring; which may be asked, with which key.

Nothing here makes a request or imports an HTTP client; `api_recording` does. Keys come from the
environment, under the official names. A key is put into the place of its placeholder only here, for a
request that is sent next; it is sent to the hosts that it belongs to, and over TLS only.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast
from urllib.parse import quote, urlsplit, urlunsplit

from bfcl_pipeline.base.errors import NotRecorded
from bfcl_pipeline.base.secrets import SHORTEST, Redactor
from bfcl_pipeline.benchmark.config.job import RECORDED_MODES
from bfcl_pipeline.dialogue.release_texts import read_recorded_calls
from bfcl_pipeline.world.executables import ApiAnswer, ApiRequest, Apis, NoApis, SimulatedApis
from bfcl_pipeline.world.executables.apis import HOSTS, PLACEHOLDERS
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.keys import ApiKey


def why_unanswered(request: ApiRequest) -> str:
    """Why a verdict has no answer to a request that the web cache lacks, for a person.

    The directory is not named: the text is in tables, which do not depend on where a cache is.
    """
    return (
        f"The web cache has no answer to the {ApiKey(request)}. Record it (web=record), or give a "
        "web cache that has it (--cache)."
    )


class ReplayingApis:
    """The web cache as web APIs. Raises NotRecorded for a missing answer, WebError for a damaged one."""

    def __init__(self, cache: WebCache) -> None:
        self._cache = cache

    def get(self, request: ApiRequest) -> ApiAnswer:
        """The recorded answer."""
        answer = self._cache.find(ApiKey(request))
        if answer is None:
            raise NotRecorded(why_unanswered(request))
        return cast("ApiAnswer", answer)


@dataclass(frozen=True, slots=True)
class ApisByMode:
    """The web APIs by the column `web` of a response, without sending anything. A `judging.ApisOf`."""

    data: Path  # the staged release
    cache: Path  # the web cache

    def __call__(self, web: str | None) -> Apis:
        """The APIs of one mode of the web; of an answer without a mode, the simulated ones."""
        if web in (None, "simulated"):
            return SimulatedApis(read_recorded_calls(self.data))
        if web in RECORDED_MODES:
            return ReplayingApis(WebCache(self.cache))
        return NoApis(f"Answers of web APIs are not recorded in the web mode {web}.")


_LONGEST_KEY = 500


@dataclass(frozen=True, slots=True)
class Sendable:
    """A request with its key, ready to be sent. Its representation has no text that may contain the key."""

    host: str
    url: str = field(repr=False)
    params: tuple[tuple[str, str], ...] = field(repr=False)
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    variable: str | None  # of the key that it contains

    def may_go_to(self, url: str) -> bool:
        """Whether a redirect to `url` is followed: only to known hosts, with a key not to another host."""
        host = _host(url)
        if self.variable is not None:
            return host == self.host and url.startswith("https:")
        return host in HOSTS


def keys_in(environment: Mapping[str, str]) -> dict[str, str]:
    """The API keys that are set, by the name of their variable.

    A text that cannot be a key (fewer than eight characters, white space, a placeholder) is not set.
    """
    given = {name: environment.get(name, "").strip() for name in PLACEHOLDERS}
    return {name: key for name, key in given.items() if _is_key(key)}


def missing_keys(environment: Mapping[str, str]) -> list[str]:
    """The environment variables without a usable key."""
    keys = keys_in(environment)
    return [name for name in PLACEHOLDERS if name not in keys]


def sendable(request: ApiRequest, keys: Mapping[str, str]) -> Sendable:
    """`request` with its key. Raises NotRecorded if it must not, or cannot, be sent."""
    parts = [request.url, *(text for pair in (*request.params, *request.headers) for text in pair)]
    for variable, key in keys.items():
        redactor = Redactor([key])
        if any(redactor.text(part) != part for part in parts):
            # The request is not named, since its text contains the key.
            raise NotRecorded(
                f"A request contains the key in {variable} itself, not its placeholder. It is not sent."
            )
    host = _host(request.url)
    if host not in HOSTS:
        raise NotRecorded(
            f"The {ApiKey(request)} is not sent: only these hosts are asked: {', '.join(HOSTS)}."
        )
    needed = {name for name, text in PLACEHOLDERS.items() if any(text in part for part in parts)}
    foreign = sorted(needed - {HOSTS[host]})
    if foreign:
        raise NotRecorded(f"The {ApiKey(request)} is not sent: {host} must not receive {foreign[0]}.")
    if not needed:
        return Sendable(host, request.url, request.params, request.headers, None)
    (variable,) = needed
    if variable not in keys:
        raise NotRecorded(f"The {ApiKey(request)} needs a key: export {variable}=... and record it.")
    key, placeholder = keys[variable], PLACEHOLDERS[variable]
    return Sendable(
        host,
        urlunsplit(urlsplit(request.url)._replace(scheme="https")).replace(
            placeholder, quote(key, safe="")
        ),
        _replaced(request.params, placeholder, key),
        _replaced(request.headers, placeholder, key),
        variable,
    )


def _host(url: str) -> str:
    """The host of an address; empty if the address has more before its path, such as a port or a user."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return ""
    return host if parts.scheme in ("http", "https") and parts.netloc == host else ""


def _replaced(pairs: Iterable[tuple[str, str]], placeholder: str, key: str) -> tuple[tuple[str, str], ...]:
    return tuple((name.replace(placeholder, key), value.replace(placeholder, key)) for name, value in pairs)


def _is_key(text: str) -> bool:
    return (
        SHORTEST <= len(text) <= _LONGEST_KEY
        and text.isascii()
        and text.isprintable()
        and " " not in text
        and text not in PLACEHOLDERS.values()
    )
