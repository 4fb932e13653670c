"""Requests to the web APIs that the executable categories know, and their answers: the contract.

A request holds the official placeholder wherever a key belongs; only `web.apis` puts a key in its
place, when it sends the request. So no key is in a prompt, an answer, a table, the web cache or an archive.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from bfcl_pipeline.base.errors import NotRecorded

PLACEHOLDERS: Mapping[str, str] = {
    "RAPID_API_KEY": "YOUR-RAPID-API-KEY",
    "EXCHANGERATE_API_KEY": "YOUR-EXCHANGERATE-API-KEY",
    "OMDB_API_KEY": "YOUR-OMDB-API-KEY",
    "GEOCODE_API_KEY": "YOUR-GEOCODE-API-KEY",
}
"""The environment variable of each key and its placeholder in the release's texts."""

MASKS = ("RAPID-API-KEY", "EXCHANGERATE-API-KEY", "OMDB-API-KEY", "GEOCODE-API-KEY", "MASKED-KEY")
"""Texts that published answers have in the place of the key that the model was given."""

HOSTS: Mapping[str, str | None] = {
    "api.open-meteo.com": None,
    "covid-193.p.rapidapi.com": "RAPID_API_KEY",
    "date.nager.at": None,
    "geocode.maps.co": "GEOCODE_API_KEY",
    "ip-api.com": None,
    "mashape-community-urban-dictionary.p.rapidapi.com": "RAPID_API_KEY",
    "real-time-amazon-data.p.rapidapi.com": "RAPID_API_KEY",
    "timezone-by-location.p.rapidapi.com": "RAPID_API_KEY",
    "v6.exchangerate-api.com": "EXCHANGERATE_API_KEY",
    "www.omdbapi.com": "OMDB_API_KEY",
    "yahoo-finance15.p.rapidapi.com": "RAPID_API_KEY",
    "ziptasticapi.com": None,
}
"""The hosts that are asked, each with the variable of the key that it receives."""


@dataclass(frozen=True, slots=True)
class ApiRequest:
    """One GET request in a normalized form: equal requests have equal answers."""

    url: str  # scheme, host in lower case, path; without query and fragment
    params: tuple[tuple[str, str], ...] = ()  # query parameters, sorted
    headers: tuple[tuple[str, str], ...] = ()  # those that choose the API: names in lower case, sorted
    function: str | None = field(default=None, compare=False)
    """The function that makes the request; None: a REST entry does. Not compared: it is not sent."""


@dataclass(frozen=True, slots=True)
class ApiAnswer:
    """The answer to a request."""

    status: int  # HTTP status
    body: str  # decoded text, usually JSON


class Apis(Protocol):
    """The web APIs in one mode of the web."""

    def get(self, request: ApiRequest) -> ApiAnswer:
        """The answer. Raises NotRecorded if it is not known; WebError if none can be had now."""


class NoApis:
    """No API: everything that needs an answer is not recorded."""

    def __init__(self, why: str = "No recorded answers of web APIs are given.") -> None:
        self._why = why

    def get(self, request: ApiRequest) -> ApiAnswer:
        """Raises NotRecorded."""
        raise NotRecorded(f"{self._why} Needed: {request.url}")
