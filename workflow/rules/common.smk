# What all rules share: which wildcards there are, how commands start, what is said at the end.


ROWS = {folder: MODELS[RUN.model_of(folder)] for folder in RUN.folders}
EMBEDDED = [folder for folder, row in ROWS.items() if row.kind in EMBEDDED_KINDS]
REMOTE = {folder: row for folder, row in ROWS.items() if row.kind not in EMBEDDED_KINDS}
# A replay asks nobody: it has no servers, and needs nothing but what was recorded.
SERVED = [folder for folder, row in ROWS.items() if row.served and not config["replay"]]
REPLAY = ["--replay", "--observed", "observed"] if config["replay"] else []
PARTS = [
    part
    for folder, row in REMOTE.items()
    for part in parts_of(folder, row, served=folder in SERVED)
]


wildcard_constraints:
    run=re.escape(RUN.name),
    model="|".join(map(re.escape, RUN.folders)),
    category="|".join(CATEGORIES),


# `bfcl-pipeline` is found beside this Python even if its environment is not activated.
shell.prefix(
    f"set -euo pipefail; export PATH=$PATH:{quote(str(Path(sys.executable).parent))}; "
)


# Not when it is planned only: a dry run starts nothing, and ends nothing.
onstart:
    if ALIVE and ALIVE.alone:
        try:
            end_left_jobs(Path.cwd(), lambda line: print(line, file=sys.stderr))
        except ConfigError as error:
            sys.exit(str(error))
        ALIVE.settle()


onsuccess:
    print(
        f"The V4 table, any time: bfcl-pipeline table results/{RUN.name} --rules {RUN.rules}"
    )


onerror:
    print(
        "A step failed: its log is shown above. Finished steps are kept; the same command goes on from there."
    )
