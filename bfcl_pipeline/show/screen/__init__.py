"""What a person sees while Snakemake runs the workflow: progress, failures, the result.

`snakemake_logger_plugin_bfcl` passes the log records of Snakemake to `screen.Screen`. Generating jobs
report their counts through small files (`progress_file`), which cluster jobs can write as well.
"""
