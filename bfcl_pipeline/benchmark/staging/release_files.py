"""The files of the release that staging reads, as data.

Covers names only: the entries of each category, the truths, the docs of the simulated APIs, and the Python
modules whose literal constants belong to the benchmark. `staging.source`, `staging.json_lines` and
`staging.literals` read them.

Source: the layout of the wheel bfcl-eval 2026.3.23.
"""

from dataclasses import dataclass

from bfcl_pipeline.benchmark.definition import CATEGORIES, Check, category_of

PACKAGE = "bfcl_eval"

_DATA = f"{PACKAGE}/data"
_SOURCES = f"{PACKAGE}/eval_checker/multi_turn_eval/func_source_code"

MODEL_CONFIG = f"{PACKAGE}/constants/model_config.py"
FORMAT_SENSITIVITY_IDS = f"{_DATA}/BFCL_v4_format_sensitivity.json"

SCENARIOS = ("customer", "healthcare", "finance", "student", "notetaker")
"""The memory scenarios, in the order in which the release numbers their prerequisite sessions."""

API_DOCS: dict[str, str] = {
    api: f"{_DATA}/multi_turn_func_doc/{file}.json"
    for api, file in {
        "GorillaFileSystem": "gorilla_file_system",
        "MathAPI": "math_api",
        "MessageAPI": "message_api",
        "TwitterAPI": "posting_api",
        "TicketAPI": "ticket_api",
        "TradingBot": "trading_bot",
        "TravelAPI": "travel_booking",
        "VehicleControlAPI": "vehicle_control",
        "WebSearchAPI": "web_search",
        "MemoryAPI_kv": "memory_kv",
        "MemoryAPI_vector": "memory_vector",
        "MemoryAPI_rec_sum": "memory_rec_sum",
    }.items()
}
"""The file that documents the functions of each simulated API."""

_UNUSED = f"{_DATA}/unused_datasets"
_RECORDED = f"{_UNUSED}/executable_eval_sanity_check/api_status_check_ground_truth"

RECORDED_CALLS = f"{_RECORDED}_executable.json"
"""Calls of functions that use the network, each with the value that it once had."""

REFERENCE_REQUESTS = f"{_RECORDED}_rest.json"
"""One request for each entry of the category rest: the one that its recorded response answers."""

_SHARED = {Check.MEMORY: "memory", Check.WEB_SEARCH: "web_search"}
_WITHOUT_TRUTH = (Check.IRRELEVANCE, Check.RELEVANCE, Check.FORMAT_SENSITIVITY)


def questions_file(category: str) -> str:
    """The file with the questions of `category`; several categories may share a file."""
    folder = f"{_UNUSED}/question" if CATEGORIES[category].group == "executable" else _DATA
    return f"{folder}/BFCL_v4_{_SHARED.get(CATEGORIES[category].check, category)}.json"


def release_id(entry_id: str) -> str:
    """The id in the release's files of a staged entry; several categories may share it."""
    category = category_of(entry_id)
    shared = _SHARED.get(CATEGORIES[category].check)
    return entry_id if shared is None else shared + entry_id.removeprefix(category)


def truths_file(category: str) -> str | None:
    """The file with the truths of `category`, or None if the benchmark has none."""
    check = CATEGORIES[category].check
    if check in _WITHOUT_TRUTH:
        return None
    folder = _UNUSED if CATEGORIES[category].group == "executable" else _DATA
    return f"{folder}/possible_answer/BFCL_v4_{_SHARED.get(check, category)}.json"


def sessions_file(scenario: str) -> str:
    """The file with the prerequisite sessions of one memory scenario."""
    return f"{_DATA}/memory_prereq_conversation/memory_{scenario}.json"


@dataclass(frozen=True, slots=True)
class LiteralModule:
    """A Python module of the release whose literal constants are part of the benchmark."""

    key: str  # its name in texts.json
    path: str  # in the release
    required: tuple[str, ...] = ()  # names that must exist; all other constants are staged too
    inner: tuple[str, ...] = ()  # literals in classes and functions, as Class.method.variable


LITERAL_MODULES: tuple[LiteralModule, ...] = (
    LiteralModule(
        "default_prompts",
        f"{PACKAGE}/constants/default_prompts.py",
        required=(
            "MAXIMUM_STEP_LIMIT",
            "OUTPUT_FORMAT_MAPPING",
            "PARAM_TYPE_MAPPING",
            "PROMPT_STYLE_TEMPLATES",
            "PROMPT_TEMPLATE_MAPPING",
            "DEFAULT_SYSTEM_PROMPT_FORMAT",
            "DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC",
            "DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_PROMPTING",
            "ADDITIONAL_SYSTEM_PROMPT_FOR_AGENTIC_RESPONSE_FORMAT",
            "MEMORY_AGENT_SETTINGS",
            "MEMORY_BACKEND_INSTRUCTION_CORE_ARCHIVAL",
            "MEMORY_BACKEND_INSTRUCTION_UNIFIED",
        ),
    ),
    LiteralModule(
        "long_context",
        f"{_SOURCES}/long_context.py",
        required=(
            "WATCH_LIST_EXTENSION",
            "TRANSACTION_HISTORY_EXTENSION",
            "MA_5_EXTENSION",
            "MA_20_EXTENSION",
            "TECHNOLOGY_EXTENSION",
            "AUTOMOBILE_EXTENSION",
            "ORDER_DETAIL_EXTENSION",
            "FILE_CONTENT_EXTENSION",
            "POPULATE_FILE_EXTENSION",
            "CAR_STATUS_METADATA_EXTENSION",
            "LONG_WEATHER_EXTENSION",
            "PARKING_BRAKE_INSTRUCTION",
            "INTERMEDIARY_CITIES",
            "CREDIT_CARD_EXTENSION",
            "BOOKING_RECORD_EXTENSION",
            "FILES_TAIL_USED",
        ),
    ),
    LiteralModule(
        "trading_bot",
        f"{_SOURCES}/trading_bot.py",
        required=("DEFAULT_STATE",),
        inner=("TradingBot.get_symbol_by_name.symbol_map",),
    ),
    LiteralModule(
        "travel_booking",
        f"{_SOURCES}/travel_booking.py",
        required=("DEFAULT_STATE",),
        inner=(
            "TravelAPI.get_flight_cost.base_costs",
            "TravelAPI.compute_exchange_rate.exchange_rates",
            "TravelAPI.get_nearest_airport_by_city.airport_map",
            "TravelAPI.list_all_airports.return",
        ),
    ),
    LiteralModule("message_api", f"{_SOURCES}/message_api.py", required=("DEFAULT_STATE",)),
    LiteralModule("posting_api", f"{_SOURCES}/posting_api.py", required=("DEFAULT_STATE",)),
    LiteralModule("ticket_api", f"{_SOURCES}/ticket_api.py", required=("DEFAULT_STATE",)),
    LiteralModule(
        "vehicle_control",
        f"{_SOURCES}/vehicle_control.py",
        required=("DEFAULT_STATE", "MAX_FUEL_LEVEL", "MIN_FUEL_LEVEL", "MILE_PER_GALLON"),
    ),
    LiteralModule("memory_kv", f"{_SOURCES}/memory_kv.py", required=("MAX_CORE_MEMORY_SIZE",)),
    LiteralModule("memory_vector", f"{_SOURCES}/memory_vector.py", required=("MAX_CORE_MEMORY_SIZE",)),
    LiteralModule("memory_rec_sum", f"{_SOURCES}/memory_rec_sum.py", required=("MAX_MEMORY_ENTRY_LENGTH",)),
    LiteralModule("web_search", f"{_SOURCES}/web_search.py", required=("ERROR_TEMPLATES",)),
)
"""The modules whose literals are written to texts.json."""


FAMILY_MODULES: dict[str, str] = {
    name: f"{PACKAGE}/model_handler/local_inference/{name}.py"
    for name in (
        "arch",
        "bitagent",
        "functiongemma",
        "glm",
        "granite",
        "granite_3",
        "granite_4",
        "hammer",
        "llama_3_1",
        "minicpm_fc",
        "nanbeige_fc",
        "pelican_vl_fc",
        "qwen_fc",
        "salesforce_llama",
        "salesforce_qwen",
        "think_agent",
    )
}
"""Modules of the official tool. Prompts of open-weight models contain their long texts."""


def _all_files() -> tuple[str, ...]:
    files = {
        MODEL_CONFIG,
        RECORDED_CALLS,
        REFERENCE_REQUESTS,
        *API_DOCS.values(),
        *(module.path for module in LITERAL_MODULES),
    }
    files.update(FAMILY_MODULES.values())
    files.update(sessions_file(scenario) for scenario in SCENARIOS)
    files.update(questions_file(category) for category in CATEGORIES)
    files.update(path for category in CATEGORIES if (path := truths_file(category)))
    return tuple(sorted(files))


RELEASE_FILES: tuple[str, ...] = _all_files()
"""All files that staging reads; no other file of the release is opened."""
