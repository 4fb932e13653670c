"""The places of the vehicle's navigation: zip codes by city, distances between zip codes.

Some distances are to zip codes without a city in the directory. Source: the behaviour of the
release's vehicle_control.
"""

from collections.abc import Mapping

UNKNOWN_ZIP_CODE = "00000"
"""The zip code of an unknown city."""

_ZIP_CODES: Mapping[str, str] = {
    "Autumnville": "51479",
    "Crescent Hollow": "69238",
    "Maplecrest": "56108",
    "Oakendale": "47329",
    "Rivermist": "83214",
    "San Francisco": "94016",
    "Shadowridge": "71354",
    "Silverpine": "62947",
    "Stonebrook": "74532",
    "Sunset Valley": "83462",
    "Willowbend": "52013",
}

_DISTANCES_KM: Mapping[str, Mapping[str, float]] = {
    "08540": {"94016": 1950.0, "94704": 2550.0},
    "47329": {"52013": 290.0, "62947": 1053.0},
    "51479": {"69238": 630.0},
    "56108": {"62947": 320.0},
    "62947": {"94016": 780.0},
    "71354": {"83462": 450.0},
    "74532": {"83214": 750.0, "94016": 880.0},
    "83214": {"94016": 980.0},
    "94016": {"94704": 600.0},
}  # from the lower zip code to the higher ones


def zip_code(city: object) -> str:
    """The zip code of `city`; a value that is not text is an unknown city."""
    return _ZIP_CODES.get(city, UNKNOWN_ZIP_CODE) if isinstance(city, str) else UNKNOWN_ZIP_CODE


def distance_km(first: object, second: object) -> float | None:
    """The distance between two zip codes, the same in both directions; None if it is unknown."""
    if not (isinstance(first, str) and isinstance(second, str)):
        return None
    return _DISTANCES_KM.get(min(first, second), {}).get(max(first, second))
