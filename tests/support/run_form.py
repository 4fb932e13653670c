"""Configs as runs record them, with every key."""

import yaml

from bfcl_pipeline.benchmark.config.run_form import FORM_KEY, RUN_FORM
from bfcl_pipeline.benchmark.config.run_settings import complete_values, keys_recorded

FORM_LINE = f"{FORM_KEY}: {RUN_FORM}\n"


def recorded(text: str) -> str:
    """The config that a run with the keys of `text` records; an imported run records no others.

    What is not a mapping in YAML is as it is, below the line with the form.
    """
    try:
        given = yaml.safe_load(text)
    except yaml.YAMLError:
        given = None
    if not isinstance(given, dict) or "imported" in given:
        return FORM_LINE + text
    usual = {key: value for key, value in complete_values({}).items() if key not in keys_recorded("never")}
    for key, value in given.items():
        inner = isinstance(value, dict) and isinstance(usual.get(key), dict)
        usual[key] = {**usual[key], **value} if inner else value
    return FORM_LINE + yaml.safe_dump(usual, allow_unicode=True)
