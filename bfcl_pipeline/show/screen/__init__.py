"""What a person sees while Snakemake runs the workflow: progress, failures, the result.

`snakemake_logger_plugin_bfcl` passes the log records of Snakemake to `screen.Screen`. Generating jobs, on a
cluster too, report their counts through small files (`state_file`), and so does the run itself.
"""
