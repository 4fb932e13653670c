"""What the rules of the workflow have for one job: its files, its command, and what repeats it."""

from dataclasses import dataclass, replace

from bfcl_pipeline.ask.jobs.options import to_argv
from bfcl_pipeline.ask.jobs.result_paths import result_inputs
from bfcl_pipeline.ask.orchestration.job_files import JobFiles
from bfcl_pipeline.ask.orchestration.job_resources import (
    LargestNode,
    Value,
    generation_resources,
    serving_resources,
)
from bfcl_pipeline.benchmark.config import Job


@dataclass(frozen=True, slots=True)
class GenerationStep:
    """The step of one `bfcl-pipeline generate`."""

    files: JobFiles
    largest: LargestNode  # of a cluster

    @property
    def job(self) -> Job:
        """The job that the step runs."""
        return self.files.job

    @property
    def answers(self) -> list[str]:
        """The files with answers that exist already, for a model of kind `results`."""
        return result_inputs(self.job)

    @property
    def options(self) -> list[str]:
        """The options of its command, without those for outputs."""
        return [*to_argv(self.job), *self.files.provenance]

    @property
    def deciding(self) -> list[str]:
        """Those options on which answers depend: a change of one repeats the step."""
        return to_argv(replace(self.job, web=self.job.web.deciding))

    @property
    def resources(self) -> dict[str, Value]:
        """Of the step on a cluster; none if it sends no requests."""
        if self.job.replay or not self.job.remote:
            return {}
        return generation_resources(self.job.row, served=bool(self.files.server), largest=self.largest)

    @property
    def server_resources(self) -> dict[str, Value]:
        """Of the server that the run starts for the step."""
        return serving_resources(self.job.row, self.largest)
