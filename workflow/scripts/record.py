"""Writes what a run was asked to do beside its results. Run by Snakemake, which gives `snakemake`."""

from pathlib import Path

from bfcl_pipeline.tables import write_text

write_text(Path(snakemake.output.config), snakemake.params.config)  # noqa: F821
write_text(Path(snakemake.output.models), snakemake.params.models)  # noqa: F821
