"""A function that asks a web API: one request from its arguments, one value from the answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from bfcl_pipeline.world.executables.apis import ApiAnswer, ApiRequest, Apis
from bfcl_pipeline.world.executables.binding import RAISED, BoundParameter, bound, failure
from bfcl_pipeline.world.executables.network.reading import Reading


@dataclass(frozen=True, slots=True)
class NetworkFunction:
    """One function of the benchmark; `request` receives the values of the parameters in order."""

    name: str
    parameters: tuple[BoundParameter, ...]
    request: Callable[..., ApiRequest]
    read: Reading | Callable[..., Any]  # not a Reading: the answer, then the values of the parameters

    def run(self, arguments: Mapping[str | None, Any], apis: Apis) -> Any:
        """What the function returns. Raises ExecutionFailed, and what `Apis.get` raises."""
        return self.value(arguments, apis.get(self.request_of(arguments)))

    def request_of(self, arguments: Mapping[str | None, Any]) -> ApiRequest:
        """The request that the function makes with `arguments`. Raises ExecutionFailed."""
        values = bound(self.name, self.parameters, arguments)
        try:
            return replace(self.request(*values), function=self.name)
        except RAISED as error:
            raise failure(error) from error

    def value(self, arguments: Mapping[str | None, Any], answer: ApiAnswer) -> Any:
        """What the function returns if its request has `answer`. Raises ExecutionFailed."""
        values = bound(self.name, self.parameters, arguments)
        try:
            return self.read(answer) if isinstance(self.read, Reading) else self.read(answer, *values)
        except RAISED as error:
            raise failure(error) from error
