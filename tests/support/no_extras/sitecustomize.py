"""Hides pandas, which Arrow and Snakemake import where it is installed, for values that no run has."""

import sys
from importlib.machinery import PathFinder
from typing import Any


class WithoutPandas(PathFinder):
    """Finds all modules but pandas."""

    @classmethod
    def find_spec(cls, fullname: str, *places: Any) -> Any:
        """None for pandas."""
        return None if fullname == "pandas" else super().find_spec(fullname, *places)


sys.meta_path[sys.meta_path.index(PathFinder)] = WithoutPandas
