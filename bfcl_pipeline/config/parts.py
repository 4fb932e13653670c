"""What one job asks of a model behind a wire: all of it, or what one of several servers answers.

A served model may have shards: servers that share its entries. Each has a job of its own, whose results are
joined afterwards. Which entries are whose is `bfcl_pipeline.generation`.
"""

from __future__ import annotations

from dataclasses import dataclass

from bfcl_pipeline.config.model_rows import ModelRow


@dataclass(frozen=True, slots=True)
class Part:
    """One job of one model, or of a trial of it."""

    folder: str  # the name of the model or its trial as a file name
    number: int = 1  # from 1
    of: int = 1  # all of them together ask everything

    @property
    def whole(self) -> bool:
        """Whether there is but one."""
        return self.of == 1

    @property
    def name(self) -> str:
        """As a file name: of its log, its server, and of its results where there are others."""
        return self.folder if self.whole else f"{self.folder}@{self.number}of{self.of}"

    @property
    def options(self) -> tuple[str, ...]:
        """Which part it is, as options of `bfcl-pipeline generate`."""
        return () if self.whole else ("--shard", f"{self.number}/{self.of}")

    def responses(self, run: str) -> str:
        """The folder of its tables of responses."""
        return f"results/{run}/responses/{self.folder}" if self.whole else f"{self._shard(run)}/responses"

    def sessions(self, run: str) -> str:
        """The folder of its tables of memory sessions."""
        return f"results/{run}/memory/{self.folder}" if self.whole else f"{self._shard(run)}/memory"

    def _shard(self, run: str) -> str:
        return f"results/{run}/shards/{self.name}"


def parts_of(folder: str, row: ModelRow, *, served: bool) -> tuple[Part, ...]:
    """The jobs that ask one model; several only where they are `served` by several servers."""
    count = row.vllm.shards if served else 1
    return tuple(Part(folder, number, count) for number in range(1, count + 1))
