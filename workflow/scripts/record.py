"""Writes config and models of a run beside its results. Run by Snakemake, which defines `snakemake`."""

from pathlib import Path

from bfcl_pipeline.files import write_text

write_text(Path(snakemake.output.config), snakemake.params.config)  # noqa: F821
write_text(Path(snakemake.output.models), snakemake.params.models)  # noqa: F821
