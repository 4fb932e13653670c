"""A function without network: how its arguments are bound and its work is bounded."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from bfcl_pipeline.executables.binding import REQUIRED, ExecutionFailed, Parameter, bound


@dataclass(frozen=True, slots=True)
class Function:
    """One function of the benchmark."""

    name: str
    parameters: tuple[Parameter, ...]
    body: Callable[..., Any]

    @classmethod
    def of(cls, body: Callable[..., Any]) -> Self:
        """The function whose name and parameters are those of `body`."""
        parameters = tuple(
            Parameter(one.name, REQUIRED if one.default is one.empty else one.default)
            for one in inspect.signature(body).parameters.values()
        )
        return cls(body.__name__, parameters, body)

    def run(self, arguments: Mapping[str | None, Any]) -> Any:
        """What the function returns. Raises ExecutionFailed with the error that Python would report."""
        values = bound(self.name, self.parameters, arguments)
        try:
            return self.body(*values)
        except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
            raise ExecutionFailed(f"{type(error).__name__}: {error}") from error
