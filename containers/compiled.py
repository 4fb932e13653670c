"""Compiles the Python code that a run loads, that of the standard library included: python compiled.py

The user of an image cannot write beside the code, so what is not compiled here is compiled anew by every
process. Written are files under PYTHONPYCACHEPREFIX that are never compared with their source: the same
bytes whenever they are made, and valid whatever times the files of the image get.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import py_compile
import sys
from py_compile import PycInvalidationMode

LOADED = (
    "faiss",
    "google.genai",
    "litellm",
    "anthropic",
    "openai",
    "rocrate.rocrate",
    "sentence_transformers",
    "snakemake.cli",
    "transformers.models.bert.modeling_bert",
)

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # nothing is fetched


def main() -> None:
    """Loads what a run may load, as far as it is installed, and compiles all that was loaded."""
    import bfcl_pipeline

    names = [module.name for module in pkgutil.walk_packages(bfcl_pipeline.__path__, "bfcl_pipeline.")]
    for name in [*names, *LOADED]:
        if name.endswith("__main__"):
            continue
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            print(f"not compiled: {name}, for lack of {error.name}")
    loaded = {getattr(module, "__file__", None) or "" for module in list(sys.modules.values())}
    for source in sorted(loaded):
        if source.startswith("/") and source.endswith(".py"):  # some packages invent modules without a file
            py_compile.compile(source, doraise=True, invalidation_mode=PycInvalidationMode.UNCHECKED_HASH)
    print(f"compiled: {len(loaded)} modules")


if __name__ == "__main__":
    main()
