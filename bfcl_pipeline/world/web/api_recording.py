"""The web APIs of the mode `record`: each request has one answer, which is recorded once.

`RecordingApis` requests what the web cache lacks; `web.apis` replays, without requests. An answer is
whatever the API returns for a request, errors included. Not answers: a refused key, a rate limit, HTTP
5xx, no connection. They raise WebError, and the request is made again in the next run.

`request_api` sends a request. No message quotes an address, and no error is chained: both may contain a
key.
"""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import ClassVar, cast
from urllib.parse import urljoin, urlsplit

from requests import PreparedRequest, Request, RequestException, Session
from requests.exceptions import TooManyRedirects

from bfcl_pipeline.base.errors import NotRecorded, WebError
from bfcl_pipeline.base.text import loaded_json
from bfcl_pipeline.world.executables import ApiAnswer, ApiRequest
from bfcl_pipeline.world.executables.apis import HOSTS
from bfcl_pipeline.world.web.apis import Sendable, sendable
from bfcl_pipeline.world.web.cache import LONGEST_BODY, WebCache
from bfcl_pipeline.world.web.engines.asking import Breaker, RetryPolicy, SearchUnavailable
from bfcl_pipeline.world.web.http_client import HttpClient, HttpLimits, HttpReply, NoAnswer
from bfcl_pipeline.world.web.keys import ApiKey
from bfcl_pipeline.world.web.recording import REQUESTS, Recorder, utc_now
from bfcl_pipeline.world.web.transport import TooMuch


class ApiUnavailable(SearchUnavailable):
    """A web API that did not answer now and may answer later."""

    subject: ClassVar[str] = "The web API"
    advice = (
        "Check the connection, and the quota of the key if it has one, and run again: answers of models "
        "that were given are not asked for again."
    )


API_LIMITS = HttpLimits(
    read_seconds=30,
    total_seconds=90,
    redirects=5,
    received_bytes=LONGEST_BODY,
    head_bytes=65_536,
    body_bytes=LONGEST_BODY,
)
"""Bounds on one request, redirects included."""


def request_api(client: HttpClient, sent: Sendable) -> HttpReply:
    """The reply to `sent`, whatever its status.

    Raises:
        ApiUnavailable: no complete reply was received.
        NotRecorded: the reply is too large, or redirects to where requests are not sent.
        WebError: no names can be looked up at all.
    """

    def prepare(session: Session, url: str) -> PreparedRequest:
        headers = dict(sent.headers) if urlsplit(url).hostname == sent.host else {}
        params = list(sent.params) if url == sent.url else []
        try:
            return session.prepare_request(Request("GET", url, params=params, headers=headers))
        except (RequestException, ValueError):  # its text may quote the address
            failure = f"{sent.host}: a request to it cannot be sent: it is not valid HTTP."
        raise NotRecorded(failure)

    def redirect(url: str, target: str) -> str:
        if not sent.may_go_to(joined := urljoin(url, target)):
            raise NotRecorded(f"{sent.host}: its answer is not recorded: it redirects to another place.")
        return joined

    try:
        return client.reply(sent.url, prepare, redirect)
    except (TooMuch, TooManyRedirects) as error:
        raise NotRecorded(f"{sent.host}: its answer is not recorded: {error}.") from None
    except NoAnswer as error:
        raise ApiUnavailable(sent.host, str(error)) from None


API_PAUSES: Mapping[str, float] = {
    **dict.fromkeys(HOSTS, 0.25),
    "geocode.maps.co": 2.0,  # as in the official tool
    "ip-api.com": 1.5,
}
"""The shortest time between two requests to a host."""

PRODUCT_HOST = "real-time-amazon-data.p.rapidapi.com"
"""The host that is asked again while it answers without a product, as in the official tool."""

PRODUCT_ATTEMPTS = 5


class RecordingApis:
    """The real web APIs, whose answers are recorded; each request is made once (`Recorder`)."""

    def __init__(
        self,
        cache: WebCache,
        keys: Mapping[str, str],
        client: HttpClient | None = None,
        *,
        retries: RetryPolicy | None = None,
        secrets: Collection[str] = (),
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        """keys: API keys by environment variable (`apis.keys_in`). secrets: others, never written."""
        self._keys = keys
        self._client = client or HttpClient(API_LIMITS)
        self._retries = retries or RetryPolicy(attempts=3)
        self._recorder = Recorder(cache, secrets=[*keys.values(), *secrets], now=now)
        self._refused: dict[str, str] = {}  # by host, why its key is not sent again
        self._breaker = Breaker("requests", WebError)

    def get(self, request: ApiRequest) -> ApiAnswer:
        """The recorded answer, or that of the API.

        Raises:
            NotRecorded: the request is not sent: another host, or its key is not set.
            WebError: there is no answer now.
        """
        answer = self._recorder.outcome(ApiKey(request), REQUESTS, lambda: self.ask(request))
        return cast("ApiAnswer", answer)

    def ask(self, request: ApiRequest) -> ApiAnswer:
        """The answer of the API, which is not recorded. Raises as `get` does."""
        sent = sendable(request, self._keys)
        return self._breaker(sent.host, lambda: self._answer(sent))

    def _answer(self, sent: Sendable) -> ApiAnswer:
        answer = self._retries(lambda: self._attempt(sent))
        if sent.host == PRODUCT_HOST:
            for attempt in range(PRODUCT_ATTEMPTS - 1):
                if not _lacks_product(answer.body):
                    break
                self._retries.pause(2.0**attempt)
                answer = self._retries(lambda: self._attempt(sent))
        return answer

    def _attempt(self, sent: Sendable) -> ApiAnswer:
        if sent.variable is not None and sent.host in self._refused:
            raise WebError(self._refused[sent.host])
        reply = request_api(self._client, sent)
        if reply.status == 429 or reply.status >= 500:
            raise ApiUnavailable(
                sent.host, f"it answered with HTTP {reply.status}", reply.retry_after_seconds()
            )
        if sent.variable is not None and reply.status in (401, 403):
            self._refused[sent.host] = (
                f"{sent.host} refused the key in {sent.variable} with HTTP {reply.status}. Check the key, "
                "its subscription to this API and its quota, and run again."
            )
            raise WebError(self._refused[sent.host])
        return ApiAnswer(reply.status, reply.text)


def _lacks_product(body: str) -> bool:
    """Whether an answer is one that the official functions ask for again."""
    document = loaded_json(body)
    if not isinstance(document, dict):
        return False
    product = document.get("data", {})
    return isinstance(product, dict) and "product_title" not in product
