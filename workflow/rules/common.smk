# Shared by all rules: wildcards, the shell prefix of commands, the messages at the end of a run.


EMBEDDED = list(dict.fromkeys(job.folder for job in RUN.jobs if job.embedded))
API_JOBS = [job_files(job) for job in RUN.jobs if not job.embedded]


wildcard_constraints:
    run=re.escape(RUN.name),
    model="|".join(map(re.escape, RUN.folders)),
    category="|".join(CATEGORIES),


# `bfcl-pipeline` is found beside this Python even if its environment is not activated.
shell.prefix(
    f"set -euo pipefail; export PATH=$PATH:{quote(str(Path(sys.executable).parent))}; "
)


# Not called in a dry run, which starts nothing and cancels nothing.
onstart:
    if ALIVE and ALIVE.alone:
        try:
            end_orphaned_jobs(Path.cwd(), lambda line: print(line, file=sys.stderr))
        except ConfigError as error:
            sys.exit(str(error))
        ALIVE.forget_interrupted()


onsuccess:
    print(
        f"To print the V4 table: bfcl-pipeline table results/{RUN.name} --rules {RUN.rules}"
    )


onerror:
    print(
        "A step failed: its log is shown above. Finished steps are kept; run the same command again to continue."
    )
