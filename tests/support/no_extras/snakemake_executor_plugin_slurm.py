"""In the place of the plugin for SLURM: Snakemake imports those plugins that are packages."""
