"""The requests of the category rest: what is sent, what is refused, and what is never touched."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from bfcl_pipeline.base.errors import MalformedRelease, NotRecorded
from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.world.executables import ApiRequest, ExecutionFailed, api_request, reference_request
from bfcl_pipeline.world.executables.apis import HOSTS
from bfcl_pipeline.world.executables.rest import MAX_CHARACTERS
from tests.support.work import measured

URL = "https://api.open-meteo.com/v1/forecast"

_TOUCHED: list[str] = []
_WATCHED = ("open", "socket.", "os.", "subprocess.", "exec", "compile", "import", "shutil.", "glob.")


def _watch(event: str, _: tuple[Any, ...]) -> None:
    if _TOUCHED and event.startswith(_WATCHED):
        _TOUCHED.append(event)


sys.addaudithook(_watch)


@contextmanager
def nothing_touched(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fails if a file, an address, a module or code is opened, looked up, imported or run."""

    def touched(*arguments: Any, **options: Any) -> Any:
        raise AssertionError(f"touched: {arguments} {options}")

    with monkeypatch.context() as patched:
        for name in ("stat", "lstat", "open", "scandir"):
            patched.setattr(os, name, touched)
        for name in ("exists", "isdir", "isfile", "expanduser"):
            patched.setattr(os.path, name, touched)
        for name in ("socket", "getaddrinfo", "create_connection", "gethostbyname"):
            patched.setattr(socket, name, touched)
        _TOUCHED.append("begin")
        try:
            yield
        finally:
            events = [*_TOUCHED]
            _TOUCHED.clear()
    assert events == ["begin"]


def refusal(arguments: Mapping[str | None, Any]) -> str:
    """The name of the exception with which `requests` refuses `arguments`."""
    with pytest.raises(ExecutionFailed) as failed:
        api_request(arguments)
    return str(failed.value).partition(":")[0]


def test_every_reference_request_can_be_sent(entries):
    """All 70 requests of the release are requests to the known hosts, with placeholders for keys."""
    requests = [reference_request(entry.truth["request"]) for entry in entries("rest")]
    assert len(requests) == 70
    assert {request.url.split("/")[2] for request in requests} == HOSTS.keys() - {
        "real-time-amazon-data.p.rapidapi.com",
        "ziptasticapi.com",
    }
    with_key = [request for request in requests if "-API-KEY" in repr(request)]
    assert len(with_key) == 51


def test_a_reference_request_is_one_call_of_requests_get():
    """Another text in the release is an error of the release."""
    for text in ("requests.post(url='https://a.b')", "requests.get", "f(x=1), g(y=2)", ""):
        with pytest.raises(MalformedRelease):
            reference_request(text)


def test_a_request_is_normalized():
    """Host and scheme are in lower case, parameters by name, only headers that choose an API are kept."""
    request = api_request(
        {
            "url": "HTTPS://Geocode.Maps.CO:443/search?q=a+b#there",
            "params": {"format": "json", "api_key": "YOUR-GEOCODE-API-KEY", "none": None},
            "headers": {"Accept": "text/html", "X-RapidAPI-Host": "h", "Authorization": "Bearer x"},
            "timeout": (3, 4.5),
            "cookies": {"a": "b"},
            "allow_redirects": False,
            "stream": True,
        }
    )
    assert request == ApiRequest(
        "https://geocode.maps.co/search",
        (("api_key", "YOUR-GEOCODE-API-KEY"), ("format", "json"), ("q", "a b")),
        (("authorization", "Bearer x"), ("x-rapidapi-host", "h")),
    )


LATITUDE = {"url": URL, "params": {"latitude": 1}}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        # What a server cannot tell apart is one request.
        (
            {"url": f"{URL}?latitude=1.5&longitude=2"},
            {"url": URL, "params": {"longitude": "2", "latitude": 1.5}},
            True,
        ),
        ({"url": URL, "params": {"daily": ["a", "b"]}}, {"url": URL, "params": {"daily": "a,b"}}, True),
        ({"url": "http://ip-api.com"}, {"url": "http://IP-API.com:80/", "headers": {}, "params": {}}, True),
        (
            {"url": URL, "verify": True, "cert": None, "proxies": {}},
            {"url": URL, "auth": [], "cert": ""},
            True,
        ),
        ({"url": "http://a.b/%7Ec/./d"}, {"url": " http://a.b/~c/d"}, True),
        ({"url": "http://[::1]:80/"}, {"url": "http://[::1]"}, True),
        # Another value, parameter, scheme, path, key, port or user is another request.
        (LATITUDE, {"url": URL, "params": {"latitude": 2}}, False),
        (LATITUDE, {"url": URL, "params": {"latitude": 1, "x": ""}}, False),
        (LATITUDE, {**LATITUDE, "url": URL.replace("https", "http")}, False),
        (LATITUDE, {**LATITUDE, "url": f"{URL}/"}, False),
        (LATITUDE, {**LATITUDE, "headers": {"X-RapidAPI-Key": "another"}}, False),
        (LATITUDE, {**LATITUDE, "url": URL.replace(".com", ".com:8443")}, False),
        (LATITUDE, {**LATITUDE, "auth": ("user", "password")}, False),
        (LATITUDE, {**LATITUDE, "url": URL.replace("//", "//user:password@")}, False),
        # Undecodable bytes stay apart.
        ({"url": "https://a.b/?x=%ff"}, {"url": "https://a.b/?x=%fe"}, False),
    ],
)
def test_which_requests_are_the_same(one, other, same):
    """Two forms of one request are equal, and no others."""
    assert (api_request(one) == api_request(other)) is same


def test_the_order_of_repeated_parameters_counts():
    """Pairs of coordinates stay pairs."""
    one = api_request({"url": "https://a.b/", "params": [("x", 1), ("y", 3), ("x", 2)]})
    assert one.params == (("x", "1"), ("x", "2"), ("y", "3"))
    assert one != api_request({"url": "https://a.b/", "params": [("x", 2), ("y", 3), ("x", 1)]})


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({}, "TypeError"),
        ({"params": {"lang": "fr"}}, "TypeError"),
        ({"url": URL, "lang": "fr"}, "TypeError"),
        ({"url": URL, "method": "POST"}, "TypeError"),
        ({"url": URL, "self": 1}, "TypeError"),
        ({"url": URL, None: {"params": {}}}, "TypeError"),
        ({"url": "ip-api.com/json"}, "MissingSchema"),
        ({"url": None}, "MissingSchema"),
        ({"url": ""}, "MissingSchema"),
        ({"url": "https://"}, "InvalidURL"),
        ({"url": "https://*.com"}, "InvalidURL"),
        ({"url": "https://a.b:port/"}, "InvalidURL"),
        ({"url": "https://a.b:99999/"}, "InvalidURL"),
        ({"url": "file:///etc/passwd"}, "InvalidSchema"),
        ({"url": "ftp://a.b/c"}, "InvalidSchema"),
        ({"url": "http+unix://%2Fvar%2Frun%2Fdocker.sock/info"}, "InvalidSchema"),
        ({"url": "data:text/plain,x"}, "InvalidSchema"),
        ({"url": [URL]}, "InvalidSchema"),
        ({"url": {"default": URL}}, "InvalidSchema"),
        ({"url": "https://a..b/"}, "UnicodeError"),
        ({"url": f"https://{'a' * 64}.com/"}, "UnicodeError"),
        ({"url": URL, "headers": "X-RapidAPI-Key: 1"}, "AttributeError"),
        ({"url": URL, "headers": ["Accept"]}, "AttributeError"),
        ({"url": URL, "headers": {"c": 1}}, "InvalidHeader"),
        ({"url": URL, "headers": {"c": " 1"}}, "InvalidHeader"),
        ({"url": URL, "headers": {"c": "1\r\nHost: evil"}}, "InvalidHeader"),
        ({"url": URL, "headers": {"c\r\nd": "1"}}, "InvalidHeader"),
        ({"url": URL, "headers": {"c": "\u20ac"}}, "UnicodeEncodeError"),
        ({"url": URL, "auth": "None"}, "TypeError"),
        ({"url": URL, "auth": ["a", "b"]}, "TypeError"),
        ({"url": URL, "auth": ("a",)}, "TypeError"),
        ({"url": URL, "cookies": "a=b"}, "TypeError"),
        ({"url": URL, "timeout": 0}, "ValueError"),
        ({"url": URL, "timeout": -1}, "ValueError"),
        ({"url": URL, "timeout": True}, "ValueError"),
        ({"url": URL, "timeout": "ten"}, "ValueError"),
        ({"url": URL, "timeout": [3, 4]}, "ValueError"),
        ({"url": URL, "timeout": (3, 4, 5)}, "ValueError"),
        ({"url": URL, "timeout": float("nan")}, "OverflowError"),
        ({"url": URL, "timeout": 1e300}, "OverflowError"),
        ({"url": URL, "verify": "True"}, "OSError"),
        ({"url": URL, "verify": "/etc/ssl/certs"}, "OSError"),
        ({"url": URL, "verify": 1}, "OSError"),
        ({"url": "http://ip-api.com/json", "cert": "None"}, "OSError"),
        ({"url": URL, "cert": ("a.pem", "b.pem")}, "OSError"),
        ({"url": URL, "cert": []}, "TypeError"),
        ({"url": URL, "proxies": "None"}, "AttributeError"),
        ({"url": URL, "proxies": {"https": "http://proxy:3128"}}, "ProxyError"),
        ({"url": URL, "proxies": {"all": "socks5://proxy"}}, "ProxyError"),
        ({"url": URL, "hooks": "f"}, "AttributeError"),
        ({"url": URL, "hooks": {"request": "f"}}, "ValueError"),
        ({"url": URL, "params": {"x": 10**5000}}, "ValueError"),
        ({"url": URL, "params": {"x": Call("system", {"command": "ls"})}}, "NameError"),
        ({"url": Call("open", {"file": "/etc/passwd"})}, "NameError"),
        ({"url": URL, "headers": {"a": [{"b": Call("f", {})}]}}, "NameError"),
    ],
)
def test_what_requests_refuses_is_an_error_of_execution(arguments, name):
    """The error has the name of the exception that the library raises before it connects."""
    assert refusal(arguments) == name


@pytest.mark.parametrize(
    "arguments",
    [
        {"url": "http://ip-api.com/json", "verify": "True"},
        {"url": URL, "verify": False, "cert": ("", "")},
        {"url": URL, "proxies": {"None": "None", "http": "http://proxy"}},
        {"url": URL, "hooks": {"response": "print"}},
        {"url": URL, "timeout": None, "auth": None, "cookies": None, "stream": "False"},
        {"url": URL, "auth": (1, 2)},
        {"url": URL, "params": "latitude=1"},
        {"url": URL, "data": {}, "files": [], "json": None},
    ],
)
def test_what_requests_accepts_can_be_sent(arguments):
    """Options without an effect before the connection are no errors."""
    assert api_request(arguments).url in (URL, "http://ip-api.com/json")


@pytest.mark.parametrize(
    "body", [{"data": {"a": 1}}, {"json": {}}, {"files": {"a": "/etc/passwd"}}, {"data": "x"}]
)
def test_a_request_with_a_body_is_not_recorded(body):
    """No request of the APIs has a body, so none is sent."""
    with pytest.raises(NotRecorded):
        api_request({"url": URL, **body})


def request_or_refusal(arguments: Mapping[str | None, Any]) -> str:
    """The request, or why there is none."""
    try:
        return repr(api_request(arguments))
    except (ExecutionFailed, NotRecorded) as error:
        return f"refused: {error}"


HOSTILE = (
    {"url": "file:///etc/passwd"},
    {"url": "https://../../etc/passwd"},
    {"url": "https://user:password@127.0.0.1:22/../../x"},
    {"url": "http://169.254.169.254/latest/meta-data/"},
    {"url": "http://[::1]/"},
    {"url": "http://localhost%00.evil/"},
    {"url": "https://xn--/"},
    {"url": "https://b\u00fccher.example/\u202e"},
    {"url": "https://\u2100.example/"},
    {"url": "https://" + "\u0131" * 2_000 + ".example/"},
    {"url": "https://a.b/\r\nHost: evil"},
    {"url": "https://a.b\\@evil/"},
    {"url": URL, "verify": "/etc/passwd", "cert": "/etc/passwd"},
    {"url": URL, "proxies": {"https": "http://127.0.0.1:1", "no_proxy": "*"}},
    {"url": URL, "files": {"a": ("/etc/passwd", "/etc/passwd")}},
    {"url": URL, "params": {"x": "\ud800"}},
    {"url": URL, "params": [[]]},
    {"url": URL, "params": [1, 2]},
    {"url": URL, "params": {"x": {"y": [1, {"z": None}]}}},
    {"url": URL, "headers": {"Cookie": "a" * 40_000}},
    {"url": URL, "auth": (10**5_000, "x")},
    {"url": URL, "hooks": {"response": ["os.system"]}},
    {"url": "%" * 40_000},
    {"url": "https://a.b/" + "/.." * 10_000},
    {"url": "https://" + "@" * 40_000},
    {"url": "https://" + "." * 40_000 + "/"},
    {"url": "https://" + "1." * 20_000 + "\u00e9/"},
    {"url": URL, "params": {"x": "y" * 10_000_000}},
    {"url": URL, "params": {"x": [1] * 1_000_000}},
)


@pytest.mark.parametrize("arguments", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_arguments_touch_nothing(arguments, monkeypatch):
    """No argument reaches a file, the network, a module or code; the work is bounded."""
    api_request(
        {"url": "https://b\u00fccher.example/", "auth": ("a", "b")}
    )  # loads what is loaded on first use
    with nothing_touched(monkeypatch), measured() as work:
        outcome = request_or_refusal(arguments)
    assert len(outcome) < 200_000
    assert work.calls < 500_000


def test_the_guard_sees_files_and_addresses(monkeypatch, tmp_path):
    """The guard of the test above fails for a file and for an address."""
    with pytest.raises(AssertionError), nothing_touched(monkeypatch):
        (tmp_path / "x").exists()
    with pytest.raises(AssertionError), nothing_touched(monkeypatch):
        socket.getaddrinfo("localhost", 80)


def test_the_environment_changes_no_request(monkeypatch, tmp_path):
    """Proxies, certificates and passwords of the environment are not read."""
    plain = api_request({"url": "http://ip-api.com/json"})
    (tmp_path / "netrc").write_text("machine ip-api.com login a password b\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/nowhere")
    assert api_request({"url": "http://ip-api.com/json"}) == plain


def test_arguments_are_bounded_in_all():
    """Texts and items count together, at any depth; just as many as the bound are read."""
    assert refusal({"url": URL, "params": {"x": "y" * MAX_CHARACTERS}}) == "ValueError"
    assert refusal({"url": URL, "params": {"x": [["y"]] * MAX_CHARACTERS}}) == "ValueError"
    room = MAX_CHARACTERS - len(URL) - 3
    assert api_request({"url": URL, "params": {"x": "y" * room}}).params == (("x", "y" * room),)
