# Shared by all rules: wildcards, the shell prefix of commands, the start and the end of a run.

import re
from pathlib import Path
from shlex import quote

from bfcl_pipeline.benchmark.definition import CATEGORIES


wildcard_constraints:
    run=re.escape(RUN.name),
    model="|".join(map(re.escape, RUN.folders)),
    category="|".join(CATEGORIES),


# `bfcl-pipeline` is found beside this Python even if its environment is not activated.
shell.prefix(
    f"set -euo pipefail; export PATH=$PATH:{quote(str(Path(sys.executable).parent))}; "
)


# The processes of single jobs show nothing and call none of the hooks below.
if CHECKED.main:
    from bfcl_pipeline.show.screen.interruption import INTERRUPTION
    from bfcl_pipeline.show.screen.run_description import (
        describe_run,
        exit_without_answers,
    )

    describe_run(RUN)


# Not called in a dry run.
onstart:
    INTERRUPTION.handle_signals()  # Snakemake has set its own handlers by now
    CHECKED.main.start(touch=workflow.touch)


onsuccess:
    if not RUN.settings.replay:
        exit_without_answers(Path("results") / RUN.name)


# What failed was shown when it did. Ends here, before Snakemake's own closing error.
onerror:
    INTERRUPTION.exit_if_requested()
    if not RUN.settings.replay:
        CHECKED.main.tabulate_complete()
    sys.exit(1)
