"""Currencies and stocks."""

from typing import Any

from bfcl_pipeline.world.executables.apis import PLACEHOLDERS, ApiAnswer, ApiRequest
from bfcl_pipeline.world.executables.network.reading import OK, Otherwise, Reading, failed_with, json_of
from bfcl_pipeline.world.executables.network.request import get, rapid_get

_FINANCE = "https://yahoo-finance15.p.rapidapi.com/api/v1/markets"
_CANDLES = 10
_MAX_REPEATED = 100_000


def rates_request(amount: Any, from_currency: Any, to_currency: Any) -> ApiRequest:
    """The exchange rates of a currency."""
    del amount, to_currency
    key = PLACEHOLDERS["EXCHANGERATE_API_KEY"]
    return get(f"https://v6.exchangerate-api.com/v6/{key}/latest", segments=[from_currency])


def read_converted(answer: ApiAnswer, amount: Any, from_currency: Any, to_currency: Any) -> Any:
    """The amount times the rate of the target currency."""
    del from_currency
    if answer.status != OK:
        return failed_with(answer)
    rates = json_of(answer).get("conversion_rates", {})
    if to_currency not in rates:
        return "Target currency code not found."
    rate = rates[to_currency]
    if not isinstance(rate, int | float):
        raise TypeError("the rate is not a number")
    if isinstance(amount, str | bytes | list | tuple) and len(amount) * abs(rate) > _MAX_REPEATED:
        raise ValueError(f"the amount is not a number and would be repeated {rate} times")
    return amount * rate


def company_request(stock_name: Any) -> ApiRequest:
    """The companies of a stock's name."""
    return rapid_get(f"{_FINANCE}/search", {"search": stock_name})


read_company = Reading((("body", 0, "name"),), Otherwise.BODY)


def quote_request(stock_name: Any) -> ApiRequest:
    """The quotes of a stock."""
    return rapid_get(f"{_FINANCE}/stock/quotes", {"ticker": stock_name})


read_price = Reading((("body", 0, "regularMarketPrice"),), Otherwise.BODY, convert=float)


def history_request(stock_name: Any, interval: Any, diffandsplits: Any) -> ApiRequest:
    """The past prices of a stock.

    The API accepts the texts "true" and "false" for `diffandsplits`. Either adds the same candles, so the
    request is the same; anything else is refused by the API, so it stays in the request.
    """
    params = {"symbol": stock_name, "interval": interval}
    if diffandsplits not in ("true", "false"):
        params["diffandsplits"] = diffandsplits
    return rapid_get(f"{_FINANCE}/stock/history", params)


def _last_candles(history: Any) -> Any:
    return {key: history[key] for key in list(history)[-_CANDLES:]}


read_history = Reading((("body",),), Otherwise.BODY, convert=_last_candles)
