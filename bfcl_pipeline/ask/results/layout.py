"""The layout of the official tool's result folders, of V1 to V4, and the models that it supports.

Covers the path of the results of a category, `<model>/<group>/.../BFCL_v4_<category>_result.json` with `_`
for each `/` in a model's name, and the memory snapshots of sessions beside them. `results.result_files`
finds such folders, `official.export_results` writes them. V3 has most entries of V4 under other names. Of
V1 and V2 only results of the retired categories are read: the entries of all others have changed since.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.benchmark.config import model_folder
from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS, Check
from bfcl_pipeline.benchmark.definition.categories import FORMER, former_name_hint
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.world.executables.apis import PLACEHOLDERS

SESSIONS = "_prereq"
"""The suffix of the category in results of memory sessions, which are never scored."""


def result_path(category: str, sessions: bool = False) -> PurePosixPath:
    """The file with the results of `category`, or of its memory sessions, in the folder of a model."""
    return _folder(category) / f"BFCL_v4_{category}{SESSIONS if sessions else ''}_result.json"


def snapshot_path(category: str, entry_id: str) -> PurePosixPath:
    """The file with the memory after the session `entry_id`, in the folder of a model."""
    return _folder(category) / "memory_snapshot" / "prereq_checkpoints" / f"{entry_id}.json"


def final_snapshot_path(category: str, scenario: str) -> PurePosixPath:
    """The file with the memory after the last session of `scenario`, with which the questions start."""
    return _folder(category) / "memory_snapshot" / f"{scenario}_final.json"


def _folder(category: str) -> PurePosixPath:
    group = PurePosixPath(CATEGORIES[category].group)
    if CATEGORIES[category].check is Check.MEMORY:
        return group / "memory" / category.removeprefix("memory_")
    return group


def official_models(data: Path) -> dict[str, Mapping[str, Json]]:
    """The rows of models.json in the staged data, by the folder of each model. Raises ConfigError."""
    path = data / "release" / "models.json"
    try:
        models = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"{path}: cannot be read ({error}). Stage the release first, or name its folder with --data."
        ) from error
    return {model_folder(model["name"]): model for model in models}


RESULT_FILE = re.compile(
    r"(?:gorilla_openfunctions_v1_test_(?P<first>\w{1,80}?)(?:_result)?"
    r"|BFCL_v(?P<version>[2-4])_(?P<name>\w{1,80})_result)\.json"
)
"""The name of a file of results."""

_ID = re.compile(r"(?P<name>[a-z_]{1,60}?)_(?P<rest>\d[^\n]*)")

_WITHOUT_BACKEND = {Check.MEMORY: "memory", Check.WEB_SEARCH: "web_search"}
"""How ids of these categories begin in the release's data files, which results may repeat."""

_QUOTED = r"['\"]\s{0,4}[:=]\s{0,4}['\"])[^'\"\\]{1,200}"
_KEYS = tuple(
    (re.compile(pattern), placeholder)
    for pattern, placeholder in (
        (rf"((?i:x-rapidapi-key){_QUOTED}", PLACEHOLDERS["RAPID_API_KEY"]),
        (rf"(['\"]api_key{_QUOTED}", PLACEHOLDERS["GEOCODE_API_KEY"]),
        (rf"(['\"]apikey{_QUOTED}", PLACEHOLDERS["OMDB_API_KEY"]),
        (r"([?&]api_key=)[^&'\"\s\\]{1,200}", PLACEHOLDERS["GEOCODE_API_KEY"]),
        (r"([?&]apikey=)[^&'\"\s\\]{1,200}", PLACEHOLDERS["OMDB_API_KEY"]),
        (r"(v6\.exchangerate-api\.com/v6/)[^/'\"\s\\]{1,200}", PLACEHOLDERS["EXCHANGERATE_API_KEY"]),
        (r"((?i:\bapi_?key)\s{0,4}=\s{0,4}['\"])[^'\"\\]{1,200}", "YOUR-API-KEY"),  # code, not a request
    )
)
"""Where an answer has a key, and what is written instead of it."""


@dataclass(frozen=True, slots=True)
class ResultName:
    """What the name of a file of results says."""

    category: str  # of V4, or a retired one
    version: int  # of the official tool
    sessions: bool  # of memory sessions, which are not scored; else of entries


def result_name(file_name: str) -> ResultName:
    """What the file of results with this name contains. Raises ConfigError if its category is not read."""
    match = RESULT_FILE.fullmatch(file_name)
    if match is None:
        raise ConfigError("not a file of results")
    named, version = match["first"] or match["name"], int(match["version"] or 1)
    category = named.removesuffix(SESSIONS)
    if category not in CATEGORIES and len(now := FORMER.get(category, ())) == 1:
        category, version = now[0], min(version, 3)
    if category not in CATEGORIES:
        raise ConfigError(unknown_name("category", named, CATEGORIES, former_name_hint(named)))
    if version < 3 and category not in GROUPS["executable"]:
        raise ConfigError(
            "of V1 and V2 only the retired categories are read (bfcl-pipeline categories executable)"
        )
    return ResultName(category, version, named.endswith(SESSIONS))


def entry_id_of(row: Mapping[str, Json], category: str) -> Json:
    """The id that the entry of a line has in the release.

    Lines may have numbers (V1), ids under a former name of the category, or ids without the backend of a
    memory or search. Other ids are returned as they are.
    """
    given = row.get("id", row.get("idx"))
    retired = category in GROUPS["executable"]
    if retired and isinstance(given, int):
        return f"{category}_{given}"
    match = _ID.fullmatch(given) if isinstance(given, str) else None
    if match is None:
        return given
    name = match["name"].removesuffix(SESSIONS)
    known = FORMER.get(name) == (category,) or _WITHOUT_BACKEND.get(CATEGORIES[category].check) == name
    if not known and not retired:
        return given
    return f"{category}{match['name'].removeprefix(name) if known else ''}_{match['rest']}"


def without_keys(result: Json, category: str) -> Json:
    """An answer with the release's placeholders instead of API keys, which V1 to V3 put into questions."""
    if CATEGORIES[category].check is not Check.REST:
        return result
    if isinstance(result, list):
        return [without_keys(item, category) for item in result]
    if isinstance(result, dict):
        return {key: without_keys(value, category) for key, value in result.items()}
    if isinstance(result, str):
        for pattern, placeholder in _KEYS:
            result = pattern.sub(rf"\g<1>{placeholder}", result)
    return result
