"""Decodes stored answers with the official handlers; run by .venv-peer's Python.

Reads [[handler class, is_fc_model, [answer, ...]], ...] as JSON and prints, as the last line, a list of
decoded answers per handler: the list of calls, or null where decoding fails or has another result.
"""

import importlib
import json
import pkgutil
import sys

import bfcl_eval.model_handler
from bfcl_eval.constants.enums import ReturnFormat
from bfcl_eval.utils import is_function_calling_format_output


def find_class(name: str) -> type:
    """The handler class of this name."""
    packages = [
        f"{bfcl_eval.model_handler.__name__}.{part}" for part in ("api_inference", "local_inference")
    ]
    for package in packages:
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
            found = getattr(importlib.import_module(f"{package}.{module.name}"), name, None)
            if found is not None:
                return found
    raise LookupError(name)


def decode(handler, answer):
    """The calls in an answer, or None."""
    try:
        calls = handler.decode_ast(answer, ReturnFormat.PYTHON, False)
    except Exception:  # noqa: BLE001  # any exception of a handler is a failure
        return None
    return calls if is_function_calling_format_output(calls) else None


def main() -> None:
    """Reads the question, prints the answer."""
    rows = []
    for name, is_fc_model, answers in json.load(sys.stdin):
        kind = find_class(name)
        handler = kind.__new__(kind)  # the constructor may require a key, decoding does not
        handler.is_fc_model = is_fc_model
        rows.append([decode(handler, answer) for answer in answers])
    print(json.dumps(rows))


main()
