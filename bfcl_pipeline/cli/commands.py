"""The commands: those of the core, and those that each wing brings.

Without its line in `COMMANDS` and its folder, a wing is gone and the rest works.
"""

CORE: dict[str, str] = {
    "run": "evaluate models: stage, generate, score and report what is missing, with Snakemake",
    "watch": "show how far a run is: models, rates, time left, cost, failures",
    "runs": "list the runs in results/: date, state, models, entries, best score, requests, size",
    "stage": "fetch the pinned release, verify it, write data/entries/*.parquet",
    "categories": "list what the benchmark tests: each category, its entries, weight and an example",
    "models": "list every known model, and what is missing to run it",
    "ping": "make one cheap request to a model, and show the answer or what to do next",
    "serve": "run vLLM's server for one local model until it receives TERM or INT",
    "generate": "run one model on the entries of the given categories",
    "gather": "merge the shards of one model's responses",
    "score": "score a table of responses",
    "aggregate": "turn verdicts into the leaderboard's tables and CSV files",
    "report": "write the page of a run: one HTML file, with figures and every entry",
    "figures": "draw the figures of a run again, or those that join several runs",
    "table": "print the leaderboard table of a run",
    "web": "inspect and check records of the web; try a search or a fetch",
    "import-official": "turn result folders of the official tool into a run, or a table of responses",
}
"""What evaluates models: from the release to the tables and the page."""

COMPARE: dict[str, str] = {
    "compare": "compare models or runs on the same entries: differences, intervals, tests, flips",
    "diff": "show what two runs differ in, and where each conversation parts",
    "gate": "exit with 0 if a run is no worse than a baseline, by the interval of the difference",
}
"""Of the wing `show.compare`."""

ENTRY: dict[str, str] = {
    "show": "print one entry, or one model's conversation over it, and why it passed or failed",
    "audit": "list suspected defects of the entries, and how each was adjudicated",
    "journal": "inspect the journals of exchanges with models, down to raw answers",
}
"""Of the wing `show.entry`."""

PLANNING: dict[str, str] = {
    "plan": "before a run: which sample is precise enough, what it costs, how long it takes",
}
"""Of the wing `show.planning`."""

NOISE: dict[str, str] = {
    "noise": "show how much equal runs differ: flips, scores, and whether server or agent flips",
}
"""Of the wing `show.noise`; `plan --gate`, `plan --preset` and `gate --sentinel` need it, too."""

SERVERS: dict[str, str] = {
    "ceiling": "measure the score that a perfect model reaches through a server; nothing is generated",
    "blame": "put each wrong answer of a run down to entry, server, limit or model, in points",
    "reparse": "read the recorded answers of a run again with another server or parser",
}
"""Of the wing `show.servers`."""

CONDITIONS: dict[str, str] = {
    "conditions": "show what streams, load, strict tools or another API change, entry by entry",
}
"""Of the wing `show.conditions`."""

SHARE: dict[str, str] = {
    "replay": "derive a run again from its records, offline, and compare every byte",
    "archive": "package a run as a verifiable archive (RO-Crate)",
    "sign": "sign a statement about an archive, with an SSH key or by sigstore",
    "verify": "check an archive, derive its results again, and compare them",
    "submit": "write a run as a bundle for others: archive, exports, checksums, README",
    "gallery": "write a static site of the archives of many runs, each verified",
    "export": "write the results of a run as LaTeX, Markdown, or files of other evaluation programs",
    "export-official": "write the responses of a run as result folders of the official tool",
}
"""Of the wing `share`."""

ENVIRONMENTS: dict[str, str] = {
    "split": "divide the entries for training and testing without shared scenarios; show a run by side",
}
"""Of the wing `environments`."""

COMMANDS: dict[str, str] = {
    **CORE,
    **PLANNING,
    **ENTRY,
    **COMPARE,
    **NOISE,
    **SERVERS,
    **CONDITIONS,
    **SHARE,
    **ENVIRONMENTS,
}
"""Every command and its help in one line; its module is the name with `_` for `-`."""
