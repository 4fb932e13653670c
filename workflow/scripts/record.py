"""Writes config and models of a run beside its results. Run by Snakemake, which defines `snakemake`."""

from pathlib import Path

from bfcl_pipeline.files import write_text

# Those of an earlier config; the rule `compare` makes them again if the config asks for comparisons.
tables = Path(snakemake.output.config).parent / "tables"  # noqa: F821
for name in ("comparisons", "flips"):
    for suffix in (".parquet", ".csv"):
        (tables / f"{name}{suffix}").unlink(missing_ok=True)

for source, copy in zip(snakemake.input.errata, snakemake.output.errata, strict=True):  # noqa: F821
    write_text(Path(copy), Path(source).read_text(encoding="utf-8"))
write_text(Path(snakemake.output.config), snakemake.params.config)  # noqa: F821
write_text(Path(snakemake.output.models), snakemake.params.models)  # noqa: F821
