from bfcl_pipeline.benchmark.errata import errata_digest


rule score:
    """Scores all responses of one model. One row is the verdict of one rule set on one response."""
    input:
        staged=lambda wildcards: ancient(
            CHECKED.staged(
                [
                    "data/release/texts.json",
                    *expand(
                        "data/entries/{category}.parquet",
                        category=RUN.categories_of(wildcards.model),
                    ),
                ],
                wildcards.model,
            )
        ),
        responses=lambda wildcards: expand(
            "results/{{run}}/responses/{{model}}/{category}.parquet",
            category=RUN.categories_of(wildcards.model),
        ),
        errata=RUN.errata,
    output:
        "results/{run}/verdicts/{model}.parquet",
    log:
        "results/{run}/logs/score/{model}.log",
    benchmark:
        "results/{run}/benchmarks/score/{model}.tsv"
    params:
        # Verified verdicts depend on them: a change scores again.
        errata=lambda wildcards: errata_digest(RUN.categories_of(wildcards.model)),
        own_errata=lambda wildcards, input: [
            f"--errata={path}" for path in input.errata
        ],
    message:
        "Score {wildcards.model}"
    shell:
        "bfcl-pipeline score {input.responses:q} --out {output:q} --data data --rules all"
        " {params.own_errata:q} --processes {threads} 2> {log:q}"
