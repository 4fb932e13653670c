"""A function that asks a web API: one request from its arguments, one value from the answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bfcl_pipeline.executables.apis import ApiAnswer, ApiRequest, Apis
from bfcl_pipeline.executables.binding import ExecutionFailed, Parameter, bound


@dataclass(frozen=True, slots=True)
class NetworkFunction:
    """One function of the benchmark; `request` and `read` receive the values of the parameters in order."""

    name: str
    parameters: tuple[Parameter, ...]
    request: Callable[..., ApiRequest]
    read: Callable[..., Any]  # the answer, then the values of the parameters

    def run(self, arguments: Mapping[str | None, Any], apis: Apis) -> Any:
        """What the function returns. Raises ExecutionFailed, and what `Apis.get` raises."""
        values = bound(self.name, self.parameters, arguments)
        try:
            request = self.request(*values)
        except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
            raise ExecutionFailed(f"{type(error).__name__}: {error}") from error
        return self._read(apis.get(request), values)

    def _read(self, answer: ApiAnswer, values: list[Any]) -> Any:
        try:
            return self.read(answer, *values)
        except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
            raise ExecutionFailed(f"{type(error).__name__}: {error}") from error
