# Shared by all rules: wildcards, the shell prefix of commands, the messages at the end of a run.


JOBS = [job_files(job) for job in RUN.jobs]
UNSTAGED = not all(path.exists() for path in staged_files(RUN))


def staged(paths, model):
    """Staged files as inputs of a step of `model`.

    Their content follows from the release, whatever their time; results of another release are outdated. While they
    are missing, a model of which nothing else is missing needs none.
    """
    return [] if UNSTAGED and model in OUTDATED.finished else ancient(paths)


# Empty unless the executor is SLURM, which is known only after this file is read.
SLURM = SlurmLimits(
    lambda: workflow.executor_plugin and workflow.executor_plugin.name,
    lambda: workflow.resource_settings.default_resources,
)


wildcard_constraints:
    run=re.escape(RUN.name),
    model="|".join(map(re.escape, RUN.folders)),
    category="|".join(CATEGORIES),


# `bfcl-pipeline` is found beside this Python even if its environment is not activated.
shell.prefix(
    f"set -euo pipefail; export PATH=$PATH:{quote(str(Path(sys.executable).parent))}; "
)


# What the screen says of the run (bfcl_pipeline/screen).
if workflow.is_main_process:
    describe_run(
        RunDescription(
            name=RUN.name,
            models=len({job.row.name for job in RUN.jobs}),
            trials=config["trials"],
            categories=len(RUN.categories),
            sample=RUN.sample,
            rules=RUN.rules,
            replay=config["replay"],
            asks=any(job.remote for job in RUN.jobs),
        )
    )


# Not called in a dry run, which starts nothing and cancels nothing.
onstart:
    if SLURM.used and workflow.is_main_process:
        try:
            SLURM.check([job.row for job in RUN.jobs])
        except ConfigError as error:
            sys.exit(str(error))
        watch_pending_jobs(Path.cwd())
    if not workflow.touch:
        for path in OUTDATED.replaced:
            path.unlink(missing_ok=True)
    INTERRUPTION.handle_signals()  # Snakemake has set its own handlers by now
    if ALIVE and ALIVE.alone:
        try:
            end_orphaned_jobs(Path.cwd(), lambda line: print(line, file=sys.stderr))
        except ConfigError as error:
            sys.exit(str(error))
        ALIVE.forget_interrupted()


onsuccess:
    if not config["replay"]:
        exit_without_answers(Path("results") / RUN.name)


# What failed was shown when it did. Ends here, before Snakemake's own closing error.
onerror:
    if INTERRUPTION.requested:
        sys.exit(INTERRUPTED)
    if not config["replay"]:
        print(tabulate_complete(RUN, Path("results") / RUN.name), file=sys.stderr)
    sys.exit(1)
