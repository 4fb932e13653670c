rule aggregate:
    """Adds the verdicts up. One row of a table is what its columns say in docs/tables.md."""
    input:
        models="config/models.yaml",
        entries="data/entries/format_sensitivity.parquet",
        responses=[
            f"results/{{run}}/responses/{job.folder}/{job.category}.parquet"
            for job in RUN.jobs
        ],
        sessions=[
            f"results/{{run}}/memory/{job.folder}/{job.category}.parquet"
            for job in RUN.jobs
            if CATEGORIES[job.category].prerequisites
        ],
        verdicts=expand("results/{{run}}/verdicts/{model}.parquet", model=RUN.folders),
    output:
        tables=expand(
            "results/{{run}}/tables/{table}.parquet",
            table=[
                "categories",
                "coverage",
                "error_types",
                "formats",
                "leaderboard",
                "rules",
                "usage",
            ],
        ),
        leaderboard=report(
            "results/{run}/tables/leaderboard.csv",
            caption="../report/leaderboard.rst",
            category="Leaderboard",
            labels={"table": "V4, with intervals"},
        ),
        categories=report(
            "results/{run}/tables/categories.csv",
            caption="../report/categories.rst",
            category="Details",
            labels={"table": "by category"},
        ),
        error_types=report(
            "results/{run}/tables/error_types.csv",
            caption="../report/error_types.rst",
            category="Details",
            labels={"table": "error types"},
        ),
        formats=report(
            "results/{run}/tables/formats.csv",
            caption="../report/formats.rst",
            category="Details",
            labels={"table": "prompt formats"},
        ),
        rules=report(
            "results/{run}/tables/rules.csv",
            caption="../report/rules.rst",
            category="Details",
            labels={"table": "official and corrected rules"},
        ),
        coverage=report(
            "results/{run}/tables/coverage.csv",
            caption="../report/coverage.rst",
            category="Details",
            labels={"table": "what was asked and answered"},
        ),
        usage=report(
            "results/{run}/tables/usage.csv",
            caption="../report/usage.rst",
            category="Details",
            labels={"table": "tokens, cost and latency"},
        ),
        official=report(
            expand(
                "results/{{run}}/tables/official/data_{table}.csv",
                table=[
                    "overall",
                    "non_live",
                    "live",
                    "multi_turn",
                    "agentic",
                    "format_sensitivity",
                ],
            ),
            caption="../report/official.rst",
            category="Official files",
        ),
    log:
        "results/{run}/logs/aggregate.log",
    params:
        # Named, because the folder may hold verdicts of models that the config no longer names.
        models=[f"--model={name}" for name in RUN.models],
        rules=RUN.rules,
    message:
        "Tabulate the verdicts of {wildcards.run}"
    shell:
        "bfcl-pipeline aggregate results/{wildcards.run} --data data --models {input.models:q}"
        " --rules {params.rules} {params.models:q} 2> {log:q}"


rule report:
    """Writes the run as one HTML page; one row of its first table is one model."""
    input:
        verdicts=expand("results/{{run}}/verdicts/{model}.parquet", model=RUN.folders),
        tables=rules.aggregate.output.tables,
    output:
        report(
            "results/{run}/report.html",
            caption="../report/report.rst",
            category="Leaderboard",
            labels={"table": "the whole report"},
        ),
    log:
        "results/{run}/logs/report.log",
    params:
        rules=RUN.rules,
    message:
        "Write the report of {wildcards.run}"
    shell:
        "bfcl-pipeline report results/{wildcards.run} --rules {params.rules} 2> {log:q}"


localrules:
    record,


rule record:
    """Keeps what the run was asked to do beside its results; makes no rows."""
    output:
        config="results/{run}/config.yaml",
        models="results/{run}/models.yaml",
    log:
        "results/{run}/logs/record.log",
    params:
        config=recorded_config(config),
        # Trials share a row.
        models=recorded_models({row.name: row for row in ROWS.values()}.values()),
    message:
        "Keep the config of {wildcards.run}"
    script:
        "../scripts/record.py"
