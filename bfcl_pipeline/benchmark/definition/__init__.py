"""The definition of BFCL V4 as data: categories, prompt formats, types, the pinned release.

Also the retired categories of V1."""

from bfcl_pipeline.benchmark.definition.categories import (
    CATEGORIES,
    GROUPS,
    V4_CATEGORIES,
    Category,
    Check,
    Language,
    MemoryBackend,
    category_of,
    resolve_categories,
)
from bfcl_pipeline.benchmark.definition.formats import (
    DEFAULT_FORMAT,
    FORMATS,
    PromptFormat,
    ReturnFormat,
    parse_format,
)

__all__ = [
    "CATEGORIES",
    "DEFAULT_FORMAT",
    "FORMATS",
    "GROUPS",
    "V4_CATEGORIES",
    "Category",
    "Check",
    "Language",
    "MemoryBackend",
    "PromptFormat",
    "ReturnFormat",
    "category_of",
    "parse_format",
    "resolve_categories",
]
