"""`python -m bfcl_pipeline.cli`: the console script `bfcl-pipeline`."""

import sys

from bfcl_pipeline.cli import main

sys.exit(main())
