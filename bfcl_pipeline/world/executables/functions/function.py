"""A function without network: how its arguments are bound and its work is bounded."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from bfcl_pipeline.world.executables.binding import RAISED, REQUIRED, BoundParameter, bound, failure
from bfcl_pipeline.world.executables.functions.work import EvaluationWork


@dataclass(frozen=True, slots=True)
class Function:
    """One function of the benchmark."""

    name: str
    parameters: tuple[BoundParameter, ...]
    body: Callable[..., Any]  # its first parameter is `work` if `counts_work`
    counts_work: bool

    @classmethod
    def of(cls, name: str, body: Callable[..., Any]) -> Self:
        """The function whose parameters are those of `body`, but for a first one named `work`."""
        first, *others = inspect.signature(body).parameters.values()
        counts_work = first.name == "work"
        parameters = tuple(
            BoundParameter(one.name, REQUIRED if one.default is one.empty else one.default)
            for one in (others if counts_work else (first, *others))
        )
        return cls(name, parameters, body, counts_work)

    def run(self, arguments: Mapping[str | None, Any], work: EvaluationWork | None = None) -> Any:
        """What the function returns. `arguments` are not changed.

        work: what may still be done for the call that this one is a part of; None: it is the whole call.
        Raises ExecutionFailed with the error that Python would report, or with the bound that is exceeded.
        """
        work = work or EvaluationWork()
        values = bound(self.name, self.parameters, arguments)
        work.check_arguments(values)
        try:
            value = self.body(work, *values) if self.counts_work else self.body(*values)
        except RAISED as error:
            raise failure(error) from error
        return work.checked(value)
