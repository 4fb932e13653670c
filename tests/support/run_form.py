"""The line that a recorded config has beside what a test writes in it."""

from bfcl_pipeline.benchmark.config.run_form import FORM_KEY, RUN_FORM

FORM_LINE = f"{FORM_KEY}: {RUN_FORM}\n"
