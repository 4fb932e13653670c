"""Compiles the Python code that a run loads, including the standard library: python compiled.py

The user of an image cannot write beside the code, so modules that are not compiled here are compiled by
every process again. The bytecode is written under PYTHONPYCACHEPREFIX with unchecked hashes: its bytes are
reproducible, and it is valid with any modification time of the source files.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import py_compile
import sys
from py_compile import PycInvalidationMode

LOADED = (
    "aiohttp",
    "faiss",
    "litellm",
    "rocrate.rocrate",
    "sentence_transformers",
    "snakemake.cli",
    "transformers.models.bert.modeling_bert",
)

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # nothing is fetched


def main() -> None:
    """Imports the installed modules that a run may load, and compiles every module that was imported."""
    import bfcl_pipeline

    names = [module.name for module in pkgutil.walk_packages(bfcl_pipeline.__path__, "bfcl_pipeline.")]
    for name in [*names, *LOADED]:
        if name.endswith("__main__"):
            continue
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            print(f"not compiled: {name}, because {error.name} is not installed")
    loaded = {getattr(module, "__file__", None) or "" for module in list(sys.modules.values())}
    for source in sorted(loaded):
        if source.startswith("/") and source.endswith(".py"):  # some packages create modules without a file
            py_compile.compile(source, doraise=True, invalidation_mode=PycInvalidationMode.UNCHECKED_HASH)
    print(f"compiled: {len(loaded)} modules")


if __name__ == "__main__":
    main()
