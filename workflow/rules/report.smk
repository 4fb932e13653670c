import json

from bfcl_pipeline.benchmark.definition import GROUPS

RETIRED = [name for name in GROUPS["executable"] if name in RUN.categories]


rule aggregate:
    """Computes the tables of the run. docs/tables.md describes the rows and columns of each."""
    input:
        models="results/{run}/models.yaml",
        errata=[f"results/{{run}}/errata/{path.name}" for path in RUN.errata],
        entries=ancient("data/entries/format_sensitivity.parquet"),
        executed=ancient(expand("data/entries/{category}.parquet", category=RETIRED)),
        responses=[
            f"results/{{run}}/responses/{model}/{category}.parquet"
            for model in RUN.folders
            for category in RUN.categories_of(model)
        ],
        sessions=[
            f"results/{{run}}/memory/{model}/{category}.parquet"
            for model in RUN.folders
            for category in RUN.memory_of(model)
        ],
        verdicts=expand("results/{{run}}/verdicts/{model}.parquet", model=RUN.folders),
        published=lambda wildcards: (
            []
            if RUN.settings.replay
            else [item["path"] for item in config["published"]]
        ),
    output:
        tables=expand(
            "results/{{run}}/tables/{table}.parquet",
            table=[
                "categories",
                "coverage",
                "error_types",
                "formats",
                "intervals",
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
            labels={"table": "rule sets compared"},
        ),
        coverage=report(
            "results/{run}/tables/coverage.csv",
            caption="../report/coverage.rst",
            category="Details",
            labels={"table": "entries by status"},
        ),
        intervals=report(
            "results/{run}/tables/intervals.csv",
            caption="../report/intervals.rst",
            category="Details",
            labels={"table": "intervals and design effects"},
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
        executable=(
            [
                report(
                    "results/{run}/tables/executable.csv",
                    caption="../report/executable.rst",
                    category="Details",
                    labels={"table": "executable categories of V1"},
                ),
                "results/{run}/tables/executable.parquet",
            ]
            if RETIRED
            else []
        ),
    log:
        "results/{run}/logs/aggregate.log",
    params:
        # Named, because the directory may contain verdicts of models that are no longer in the config.
        models=[f"--model={name}" for name in RUN.models],
        rules=RUN.settings.rules,
        # A function, because Snakemake takes {...} in a text for a wildcard.
        published=lambda wildcards: (
            ["--published-from=observed/tables/published.parquet"]
            if RUN.settings.replay and config["published"]
            else ["--published", json.dumps(config["published"])]
        ),
    message:
        "Tabulate the verdicts of {wildcards.run}"
    shell:
        "bfcl-pipeline aggregate results/{wildcards.run} --data data --models {input.models:q}"
        " --rules {params.rules} {params.models:q} {params.published:q} 2> {log:q}"


if RUN.comparisons:

    rule compare:
        """Compares models of the run; one row of `comparisons` is one pair and score, of `flips` one entry."""
        input:
            verdicts=expand(
                "results/{{run}}/verdicts/{model}.parquet",
                model=CHECKED.compared.values(),
            ),
            config="results/{run}/config.yaml",  # its release; and recording it removes earlier comparisons
        output:
            comparisons="results/{run}/tables/comparisons.parquet",
            flips="results/{run}/tables/flips.parquet",
            comparisons_csv=report(
                "results/{run}/tables/comparisons.csv",
                caption="../report/comparisons.rst",
                category="Details",
                labels={"table": "models compared"},
            ),
            flips_csv="results/{run}/tables/flips.csv",
        log:
            "results/{run}/logs/compare.log",
        params:
            sides=lambda wildcards: [
                f"results/{wildcards.run}:{name}" for name in CHECKED.compared
            ],
            groups=[word for group in RUN.comparisons for word in ("--group", *group)],
            rules=RUN.settings.rules,
        message:
            "Compare models of {wildcards.run}"
        shell:
            "bfcl-pipeline compare {params.sides:q} {params.groups:q} --common --rules {params.rules}"
            " --out {output.comparisons:q} --out {output.comparisons_csv:q}"
            " --flips {output.flips:q} --flips {output.flips_csv:q} > {log:q} 2>&1"


rule report:
    """Writes the report of the run as one HTML page; one row of its first table is one model."""
    input:
        texts=ancient("data/release/texts.json"),
        entries=ancient(
            expand("data/entries/{category}.parquet", category=sorted(RUN.categories))
        ),
        responses=rules.aggregate.input.responses,
        sessions=rules.aggregate.input.sessions,
        verdicts=expand("results/{{run}}/verdicts/{model}.parquet", model=RUN.folders),
        tables=rules.aggregate.output.tables,
        executable=rules.aggregate.output.executable,
        comparisons=rules.compare.output if RUN.comparisons else [],
        config="results/{run}/config.yaml",  # stated in the page
    output:
        page=report(
            "results/{run}/report.html",
            caption="../report/report.rst",
            category="Leaderboard",
            labels={"table": "report"},
        ),
        conversations=directory("results/{run}/report"),  # empty if they fit in the page
        figures=report(
            directory("results/{run}/figures"),
            patterns=["{figure}.svg"],
            caption="../report/figures.rst",
            category="Figures",
            labels={"figure": "{figure}"},
        ),
    log:
        "results/{run}/logs/report.log",
    threads: 4  # for conversations; fewer if the run has fewer
    params:
        rules=RUN.settings.rules,
        entries=RUN.settings.shown,
    message:
        "Write the report of {wildcards.run}"
    shell:
        "bfcl-pipeline report results/{wildcards.run} --data data --rules {params.rules}"
        " --entries {params.entries} --processes {threads} 2> {log:q}"


localrules:
    record,


rule record:
    """Records the configuration of the run beside its results."""
    input:
        errata=RUN.errata,
    output:
        config="results/{run}/config.yaml",  # stated in the page
        models="results/{run}/models.yaml",
        errata=[f"results/{{run}}/errata/{path.name}" for path in RUN.errata],
    log:
        "results/{run}/logs/record.log",
    # First of all, so that results are never beside the config of an earlier run.
    priority: 1
    params:
        # Tables of an earlier config. All tables are made again if one is missing, also if this run is interrupted and then
        # copied without the times of files; comparisons only if the config asks for them.
        earlier=expand(
            "results/{{run}}/tables/{name}.{suffix}",
            name=["leaderboard", "comparisons", "flips"],
            suffix=["parquet", "csv"],
        ),
        # Functions, because Snakemake takes {...} in a text for a wildcard, and options may contain braces.
        config=lambda wildcards: CHECKED.record["config.yaml"],
        models=lambda wildcards: CHECKED.record["models.yaml"],
    message:
        "Record the config of {wildcards.run}"
    # Not a script, whose file is newer than all results in a new clone, which would repeat the step.
    shell:
        "exec 2> {log:q}; rm -f {params.earlier:q};"
        ' for file in {input.errata:q}; do cp -- "$file" results/{wildcards.run}/errata/; done;'
        " printf %s {params.config:q} > {output.config:q}.tmp; mv {output.config:q}.tmp {output.config:q};"
        " printf %s {params.models:q} > {output.models:q}.tmp; mv {output.models:q}.tmp {output.models:q}"
