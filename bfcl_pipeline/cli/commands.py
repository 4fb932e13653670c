"""The commands: those of the core, and those that each wing brings; their groups in the help.

Without its name in `COMMANDS` and its folder, a wing is gone and the rest works. examples.txt has an
example of each command; the help of the command ends with it.
"""

CORE = {  # what evaluates models: from the release to the tables and the page
    "run": "evaluate models, from staging to the report",
    "watch": "show how far a run is: rates, time left, cost, failures",
    "runs": "list the runs in results/: state, models, best score, size",
    "stage": "fetch the pinned release, verify it, write data/entries",
    "categories": "list what the benchmark tests: categories, entries, weights",
    "models": "list the known models and what each lacks; add one",
    "ping": "try a model; say whether row, server or model is to blame",
    "serve": "run vLLM's server for one model until it receives TERM or INT",
    "generate": "run one model on the entries of the given categories",
    "gather": "merge the shards of one model's responses",
    "score": "score a table of responses",
    "aggregate": "turn verdicts into the leaderboard's tables and CSV files",
    "report": "write the page of a run: one HTML file with every entry",
    "figures": "draw the figures of a run again, or those that join several",
    "table": "print the leaderboard table of a run",
    "web": "inspect and check recorded web outcomes; try a search",
    "import-official": "turn result folders of the official tool into a run",
}

COMPARE = {  # of the wing `show.compare`
    "compare": "compare models or runs: differences, intervals, tests, flips",
    "diff": "show what two runs differ in, and where conversations part",
    "gate": "exit with 0 if a run is no worse than a baseline",
}

ENTRY = {  # of the wing `show.entry`
    "show": "print an entry, or one model's conversation and why it failed",
    "audit": "list suspected defects of the entries, and their adjudication",
    "journal": "inspect recorded exchanges with models, down to raw answers",
}

PLANNING = {  # of the wing `show.planning`
    "plan": "say before a run how precise a sample is, its cost and time",
}

NOISE = {  # of the wing `show.noise`; `plan --gate`, `plan --preset` and `gate --sentinel` need it, too
    "noise": "show how much equal runs differ, and what a gate can tell",
}

SERVERS = {  # of the wing `show.servers`
    "ceiling": "measure what a perfect model scores through a server",
    "blame": "put wrong answers down to entry, server, limit or model",
    "reparse": "read recorded answers again with another server or parser",
}

CONDITIONS = {  # of the wing `show.conditions`
    "conditions": "show what streams, load or strict tools change",
}

SHARE = {  # of the wing `share`
    "replay": "derive a run again from its records, and compare every byte",
    "archive": "package a run as a verifiable archive (RO-Crate)",
    "sign": "sign a statement about an archive, with SSH or sigstore",
    "verify": "check an archive, derive its results again, compare them",
    "submit": "write a bundle of a run: archive, exports, checksums, README",
    "gallery": "write a static site of the archives of many runs, verified",
    "export": "write results as LaTeX, Markdown, or for other programs",
    "export-official": "write responses as result folders of the official tool",
}

ENVIRONMENTS = {  # of the wing `environments`
    "split": "divide the entries for training and testing by scenario",
}

COMMANDS = CORE | PLANNING | ENTRY | COMPARE | NOISE | SERVERS | CONDITIONS | SHARE | ENVIRONMENTS
"""Every command and its help in one line; its module is the name with `_` for `-`."""

GROUPS = {
    "Evaluate models": "run watch models ping plan categories import-official",
    "Look at results": "runs table show compare diff gate noise figures audit journal web split",
    "Share results": "archive verify sign submit export export-official replay gallery",
    "Servers and parsers": "serve ceiling blame conditions reparse",
    "Steps of the workflow, which `run` calls": "stage generate gather score aggregate report",
}
"""The commands in the order of `bfcl-pipeline --help`, those of every day first."""
