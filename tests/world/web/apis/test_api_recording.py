"""Recording the answers of web APIs, and replaying them: which are answers, and where keys go."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import yaml

from bfcl_pipeline.base.errors import NotRecorded, WebError
from bfcl_pipeline.world.executables import ApiAnswer, ApiRequest
from bfcl_pipeline.world.web.api_recording import API_PAUSES, RecordingApis
from bfcl_pipeline.world.web.apis import ReplayingApis
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.coverage import survey
from bfcl_pipeline.world.web.engines.asking import RetryPolicy
from bfcl_pipeline.world.web.http_client import HttpClient
from bfcl_pipeline.world.web.keys import ApiKey
from bfcl_pipeline.world.web.pace import HostPace
from tests.support.api_hosts import KEYS, answered, client_of, names_at
from tests.support.paused_time import PausedTime
from tests.support.web_record import disorder
from tests.support.web_server import WebServer

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
Recording = Callable[..., RecordingApis]

ADDRESS = ApiRequest("http://ip-api.com/json/1.2.3.4", (("fields", "city,country"),))
RATES = ApiRequest("https://v6.exchangerate-api.com/v6/YOUR-EXCHANGERATE-API-KEY/latest/USD")
FILM = ApiRequest("http://www.omdbapi.com/", (("apikey", "YOUR-OMDB-API-KEY"), ("t", "Barbie")))
COVID = ApiRequest(
    "https://covid-193.p.rapidapi.com/statistics",
    (("country", "Tonga"),),
    (("x-rapidapi-host", "covid-193.p.rapidapi.com"), ("x-rapidapi-key", "YOUR-RAPID-API-KEY")),
)
PRODUCT = ApiRequest(
    "https://real-time-amazon-data.p.rapidapi.com/product-details",
    (("asin", "B08PPDJWC8"), ("country", "US")),
    (("x-rapidapi-key", "YOUR-RAPID-API-KEY"),),
)
FORMS = [
    form
    for key in KEYS.values()
    for form in (key, quote(key, safe=""), b64encode(key.encode()).decode(), json.dumps(key)[1:-1])
]


def written(folder: Path) -> str:
    return "\n".join(
        path.read_text() + str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()
    )


def test_a_request_is_sent_once_and_then_replayed(
    hosts: WebServer, recording: Recording, tmp_path: Path
) -> None:
    """Host, path, parameters and headers arrive as they are; the answer is that of every later mode."""
    hosts.script("ip-api.com/json/1.2.3.4", answered({"city": "Zürich"}))
    apis = recording()
    for _ in range(2):
        assert json.loads(apis.get(ADDRESS).body) == {"city": "Zürich"}
    (arrived,) = hosts.asked
    assert (arrived.tls, arrived.target) == (False, "/json/1.2.3.4?fields=city%2Ccountry")
    cache = WebCache(tmp_path / "web")
    assert ReplayingApis(cache).get(ADDRESS) == apis.get(ADDRESS)
    stats = survey(cache)
    assert (dict(stats.outcomes), disorder(cache)) == ({("api", "answer"): 1}, (0, 0, 0))
    assert stats.keys == {ApiKey(ADDRESS)}


@pytest.mark.parametrize(
    ("request_", "place", "sent"),
    [
        (RATES, "/v6/exchange%26key%3D0123/latest/USD", None),
        (FILM, "/?apikey=omdbkey1&t=Barbie", None),
        (COVID, "/statistics?country=Tonga", "rapid/key+0123456789"),
    ],
)
def test_a_key_is_sent_over_tls_and_written_nowhere(
    hosts: WebServer,
    recording: Recording,
    tmp_path: Path,
    request_: ApiRequest,
    place: str,
    sent: str | None,
) -> None:
    """It takes the place of its placeholder in path, parameter or header; no file has it in any form, even
    if the API echoes it."""
    echo = {"echo": FORMS, "nested": json.dumps({"echo": FORMS}), "in html": "&".join(FORMS)}
    host = request_.url.split("/")[2]
    answer = answered(json.dumps(echo).replace("rapid/key", "rapid\\/key"), X_Echo=" ".join(FORMS))
    hosts.script(f"{host}{place.partition('?')[0]}", answer)
    body = recording().get(request_).body
    (arrived,) = hosts.asked
    assert (arrived.tls, arrived.host, arrived.target) == (True, host, place)
    assert arrived.headers.get("x-rapidapi-key") == sent
    (variable,) = [
        name for name, key in KEYS.items() if key in f"{place}{sent}" or quote(key, safe="") in place
    ]
    key = KEYS[variable]
    own = [key, quote(key, safe=""), b64encode(key.encode()).decode(), key.replace("/", "\\/")]
    everything = written(tmp_path / "web") + body
    assert "SCRUBBED" in everything
    assert "YOUR-" in everything  # the key of the outcome has the placeholder
    assert not [form for form in own if form in everything]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32-be"])
def test_a_key_is_found_in_every_part_of_an_answer(
    hosts: WebServer, recording: Recording, tmp_path: Path, encoding: str
) -> None:
    """In the status line, in names of headers, and in a body of any encoding of JSON."""
    key = KEYS["OMDB_API_KEY"]
    body = json.dumps({"Error": f"{key} is not active"}).encode(encoding)
    kind = f"application/json; charset={encoding}"
    answer = answered(body, Content_Type=kind, **{f"X-{key}": "1"})
    hosts.script("www.omdbapi.com/", answer.replace(b"200 X", f"200 {key}".encode()))
    assert "SCRUBBED" in recording().get(FILM).body
    files = [path.read_bytes() for path in (tmp_path / "web").rglob("*") if path.is_file()]
    bodies = [
        content if isinstance(content, bytes) else content.encode()
        for one in files
        for content in _bodies(yaml.safe_load(one))
    ]
    forms = [key.encode(name) for name in ("utf-8", "utf-16-le", "utf-32-be")]
    assert bodies
    assert not [form for form in forms for one in [*files, *bodies] if form in one]


def _bodies(document: Any) -> list[str | bytes]:
    """The bodies in a cassette."""
    return [one["response"]["body"]["string"] for one in document.get("interactions", [])]


def test_a_request_without_its_key_is_not_sent(hosts: WebServer, recording: Recording) -> None:
    """The message names the variable; recorded answers need no key."""
    hosts.script("www.omdbapi.com/", answered({"Title": "Barbie"}))
    with pytest.raises(NotRecorded, match="export OMDB_API_KEY="):
        recording({}).get(FILM)
    assert hosts.asked == []
    recording().get(FILM)
    assert json.loads(recording({}).get(FILM).body) == {"Title": "Barbie"}


@pytest.mark.parametrize(
    "request_",
    [
        ApiRequest("https://evil.example/x"),
        ApiRequest("https://ip-api.com:8443/json"),
        ApiRequest("https://user@ip-api.com/json"),
        ApiRequest("https://ip-api.com@evil.example/json"),
        ApiRequest("ftp://ip-api.com/json"),
        ApiRequest("http://[::1/json"),
        ApiRequest("http://ip-api.com/json", (("key", "YOUR-OMDB-API-KEY"),)),
        ApiRequest("https://www.omdbapi.com/", (), (("x-rapidapi-key", "YOUR-RAPID-API-KEY"),)),
        ApiRequest("http://ip-api.com/json", (("key", KEYS["OMDB_API_KEY"]),)),
        ApiRequest(f"http://ip-api.com/{quote(KEYS['RAPID_API_KEY'], safe='')}"),
        ApiRequest("http://ip-api.com/json", (), (("x", "a\r\nHost: evil.example"),)),
    ],
)
def test_only_known_hosts_are_asked_and_each_for_its_own_key(
    hosts: WebServer, recording: Recording, tmp_path: Path, request_: ApiRequest
) -> None:
    """Other hosts, ports and users, keys of other hosts, and texts with a key itself are not sent."""
    with pytest.raises(NotRecorded) as raised:
        recording().get(request_)
    assert hosts.asked == []
    assert not [form for form in FORMS if form in str(raised.value)]
    assert written(tmp_path) == ""


PLACE = "ip-api.com/json/1.2.3.4"
PRODUCTS = "real-time-amazon-data.p.rapidapi.com/product-details"
COVIDS, MOVED = "covid-193.p.rapidapi.com/statistics", "covid-193.p.rapidapi.com/moved"
RATE = "v6.exchangerate-api.com/v6/exchange%26key%3D0123/latest/USD"
NO_PRODUCT, LAMP = answered({"data": {}}), {"data": {"product_title": "A lamp"}}
OK = ApiAnswer(200, "{}")
LIMITS = {"head_bytes": 2_000, "body_bytes": 5_000}
LARGE = b"x" * 5_001


@dataclass(frozen=True)
class Situation:
    """A request of which the first place has these answers."""

    request: ApiRequest
    place: str
    answers: list[bytes]
    outcome: ApiAnswer | str  # or the text of the error
    asked: int = 1  # requests that are sent
    waits: Sequence[float] = ()
    error: type[WebError] = NotRecorded


def busy(status: int) -> bytes:
    return answered("", status, Retry_After="7")


def to(place: str, status: int = 302) -> bytes:
    return answered("", status, Location=place)


SITUATIONS = [
    # An error is the answer, whatever its status, if it is about the request and not about our key.
    *(Situation(ADDRESS, PLACE, [answered("no", n)], ApiAnswer(n, "no")) for n in (400, 401, 403)),
    *(Situation(COVID, COVIDS, [answered("no", n)], ApiAnswer(n, "no")) for n in (301, 404)),
    # A busy API is asked up to three times, not before the time that it requests.
    *(Situation(ADDRESS, PLACE, [busy(n), answered({})], OK, 2, [7]) for n in (429, 500, 503)),
    Situation(RATES, RATE, [busy(503)], "API v6.exchangerate.* 3 times.* 503", 3, [7, 10], WebError),
    # A product is asked for up to five times, as by the official function; then the last answer counts.
    Situation(PRODUCT, PRODUCTS, [NO_PRODUCT, answered({"status": "ERROR"}), answered(LAMP)],
              ApiAnswer(200, json.dumps(LAMP)), 3, [1, 2]),
    Situation(PRODUCT, PRODUCTS, [NO_PRODUCT], ApiAnswer(200, '{"data": {}}'), 5, [1, 2, 4, 8]),
    # Without a key, redirects to known hosts are followed, and no others.
    Situation(ADDRESS, PLACE, [to("https://date.nager.at/x?y=1")], ApiAnswer(200, "there"), 2),
    *(Situation(ADDRESS, PLACE, [to(place)], "redirects to another place")
      for place in ("http://evil.example/", "http://169.254.169.254/", "file:///etc/passwd")),
    Situation(ADDRESS, PLACE, [to("//[")], "connection failed .ValueError", 3, [5, 10], WebError),
    Situation(ADDRESS, PLACE, [to("/json/1.2.3.4")], "Exceeded 5 redirects", 6),
    # With a key a redirect is followed at the same host over TLS only.
    Situation(COVID, COVIDS, [to("/moved", 307)], ApiAnswer(200, "here"), 2),
    Situation(COVID, COVIDS, [to("https://www.omdbapi.com/", 307)], "redirects to another place"),
    Situation(COVID, COVIDS, [to(f"http://{MOVED}", 307)], "redirects to another place"),
    # An answer is bounded; a connection that is closed is tried again.
    Situation(ADDRESS, PLACE, [answered(gzip.compress(b"{}"), Content_Encoding="gzip")], OK),
    Situation(ADDRESS, PLACE, [answered(LARGE)], "its answer is not recorded: .* more than"),
    Situation(ADDRESS, PLACE, [answered(gzip.compress(LARGE), Content_Encoding="gzip")], "more than 5,000"),
    Situation(ADDRESS, PLACE, [answered("", X="y" * 3_000)], "Headers of more than 2,000"),
    Situation(ADDRESS, PLACE, [b""], "connection failed .RemoteDisconnected", 3, [5, 10], WebError),
]  # fmt: skip


@pytest.mark.parametrize("one", SITUATIONS, ids=range(len(SITUATIONS)))
def test_what_is_an_answer(
    hosts: WebServer, recording: Recording, waits: list[float], tmp_path: Path, one: Situation
) -> None:
    """What is recorded, asked again, or neither. A key goes to its host over TLS, and is in no error."""
    hosts.script(one.place, *one.answers)
    hosts.script("date.nager.at/x", answered("there"))
    hosts.script(MOVED, answered("here"))
    if isinstance(one.outcome, ApiAnswer):
        assert recording(**LIMITS).get(one.request) == one.outcome
    else:
        with pytest.raises(WebError, match=one.outcome) as raised:
            recording(**LIMITS).get(one.request)
        assert type(raised.value) is one.error
        assert not [form for form in FORMS if form in str(raised.value)]
        assert written(tmp_path) == ""
    assert (len(hosts.asked), waits) == (one.asked, [*one.waits])
    if one.request is not ADDRESS:
        host = one.request.url.split("/")[2]
        assert {(arrived.tls, arrived.host) for arrived in hosts.asked} == {(True, host)}
    if one.request is COVID:
        assert {arrived.headers["x-rapidapi-key"] for arrived in hosts.asked} == {KEYS["RAPID_API_KEY"]}


def test_an_answer_that_does_not_end_is_an_outage(hosts: WebServer, recording: Recording) -> None:
    """After the time for it, each time that it is asked."""
    hosts.script(PLACE, hosts.drip(HEAD, b" "))
    with pytest.raises(WebError, match=r"3 times; the last failure: no complete answer after 0.05 s"):
        recording(total_seconds=0.05).get(ADDRESS)


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_not_recorded_and_not_sent_again(
    hosts: WebServer, recording: Recording, tmp_path: Path, status: int
) -> None:
    """The error names the variable and what to check; other requests to the host end with it too."""
    hosts.script("covid-193.p.rapidapi.com/statistics", answered({"message": "not subscribed"}, status))
    apis = recording()
    other = ApiRequest(COVID.url, (("country", "Fiji"),), COVID.headers)
    for request in (COVID, other, COVID):
        with pytest.raises(WebError, match=f"the key in RAPID_API_KEY with HTTP {status}") as raised:
            apis.get(request)
        assert not isinstance(raised.value, NotRecorded)
    assert len(hosts.asked) == 1
    assert written(tmp_path) == ""


def test_a_host_that_does_not_answer_is_not_asked_again(hosts: WebServer, recording: Recording) -> None:
    """After three requests without an answer, however many retries each had; another host still is."""
    busy = answered("", 503)
    paths = [f"/api/v3/LongWeekend/{year}/FR" for year in range(2000, 2006)]
    for path in paths:
        hosts.script(f"date.nager.at{path}", busy)
    hosts.script("ip-api.com/json/1.2.3.4", answered({}))
    apis = recording()
    for path in paths:
        with pytest.raises(WebError, match=r"date\.nager\.at"):
            apis.get(ApiRequest(f"https://date.nager.at{path}"))
    assert {one.target for one in hosts.asked} == set(paths[:3])
    assert apis.get(ADDRESS).status == 200


def test_a_private_address_is_not_asked(tmp_path: Path) -> None:
    """A known name that leads to this machine is refused."""
    apis = RecordingApis(
        WebCache(tmp_path), KEYS, HttpClient(lookup=names_at(1)), retries=RetryPolicy(attempts=1)
    )
    with pytest.raises(WebError, match="not on the public internet"):
        apis.get(ADDRESS)


def test_requests_to_a_host_are_kept_apart(hosts: WebServer, tmp_path: Path) -> None:
    """Each waits for the end of the interval of its own host, counted from the one before; a host that
    asks for a wait has it from all requests."""
    time = PausedTime()
    pace = HostPace(9.0, of_hosts=API_PAUSES, clock=time.clock, sleep=time.sleep)
    retries = RetryPolicy(attempts=2, sleep=lambda _: None)
    apis = RecordingApis(WebCache(tmp_path), KEYS, client_of(hosts, pace), retries=retries)
    hosts.script("ip-api.com/json", answered("{}"))
    requests = [ApiRequest("http://ip-api.com/json", (("n", str(number)),)) for number in range(4)]
    for request in requests[:2]:
        apis.get(request)
    assert time.slept == [1.5]
    time.now += 60
    apis.get(requests[2])
    assert time.slept == [1.5]
    hosts.script("ip-api.com/json", answered(status=429, Retry_After="20"), answered("{}"))
    apis.get(requests[3])
    assert time.slept == [1.5, 1.5, 20.0]


def test_replay_names_a_missing_answer(tmp_path: Path) -> None:
    """The request and what to do; the text does not depend on where the cache is."""
    texts = set()
    for folder in (tmp_path / "a", tmp_path / "b"):
        with pytest.raises(NotRecorded, match=r"covid-193.*country=Tonga.*web=record.*--cache") as raised:
            ReplayingApis(WebCache(folder)).get(COVID)
        texts.add(str(raised.value))
    assert len(texts) == 1
    with pytest.raises(NotRecorded) as raised:
        ReplayingApis(WebCache(tmp_path)).get(ApiRequest(f"http://ip-api.com/\x1b[2J{'x' * 9_000}"))
    assert len(str(raised.value)) < 600
    assert "\x1b" not in str(raised.value)


def test_a_damaged_answer_is_an_error(hosts: WebServer, recording: Recording, tmp_path: Path) -> None:
    """An edited file is neither replayed nor asked for again."""
    hosts.script("ip-api.com/json/1.2.3.4", answered("{}"))
    recording().get(ADDRESS)
    cache = WebCache(tmp_path / "web")
    path = cache.path(ApiKey(ADDRESS))
    path.write_text(path.read_text().replace('"status": 200', '"status": 201'))
    for apis in (ReplayingApis(cache), recording()):
        with pytest.raises(WebError, match=path.name) as raised:
            apis.get(ADDRESS)
        assert not isinstance(raised.value, NotRecorded)
    assert len(hosts.asked) == 1
