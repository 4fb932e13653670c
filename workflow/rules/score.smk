rule score:
    """Scores all responses of one model. One row is the verdict of one rule set on one response."""
    input:
        staged=lambda wildcards: staged(
            [
                "data/release/texts.json",
                *expand(
                    "data/entries/{category}.parquet",
                    category=RUN.categories_of(wildcards.model),
                ),
            ],
            wildcards.model,
        ),
        responses=lambda wildcards: expand(
            "results/{{run}}/responses/{{model}}/{category}.parquet",
            category=RUN.categories_of(wildcards.model),
        ),
    output:
        "results/{run}/verdicts/{model}.parquet",
    log:
        "results/{run}/logs/score/{model}.log",
    benchmark:
        "results/{run}/benchmarks/score/{model}.tsv"
    params:
        # Verified verdicts depend on them: a change scores again.
        errata=lambda wildcards: errata_digest(RUN.categories_of(wildcards.model)),
    message:
        "Score {wildcards.model}"
    shell:
        "bfcl-pipeline score {input.responses:q} --out {output:q} --data data --rules all"
        " --processes {threads} 2> {log:q}"
