"""`python -m bfcl_pipeline.cli`, the same as the console script."""

import sys

from bfcl_pipeline.cli import main

sys.exit(main())
