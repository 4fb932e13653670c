rule generate:
    """Asks one model one category. One row is one entry and all that the model did on it."""
    input:
        texts="data/release/texts.json",
        entries="data/entries/{category}.parquet",
    output:
        responses="results/{run}/responses/{model}/{category}.parquet",
    log:
        "results/{run}/logs/generate/{model}/{category}.log",
    benchmark:
        "results/{run}/benchmarks/generate/{model}/{category}.tsv"
    wildcard_constraints:
        category="(?!memory_).*",
    params:
        models="config/models.yaml",
        # Read by no command: a model that is someone else now is asked again.
        kind=lambda wildcards: MODELS[
            RUN.job(wildcards.model, wildcards.category).model
        ].kind,
        model=lambda wildcards: RUN.job(wildcards.model, wildcards.category).model,
        selection=lambda wildcards: RUN.job(wildcards.model, wildcards.category).options,
        sessions=lambda wildcards, output: (
            ["--sessions-out", output.sessions] if "sessions" in output.keys() else []
        ),
    message:
        "Ask {wildcards.model} {wildcards.category}"
    shell:
        "bfcl-pipeline generate --run {wildcards.run:q} --model {params.model:q} --models {params.models:q}"
        " --category {wildcards.category:q} --data data --out {output.responses:q}"
        " {params.sessions:q} {params.selection:q} 2> {log:q}"


use rule generate as generate_memory with:
    input:
        texts="data/release/texts.json",
        entries="data/entries/{category}.parquet",
        encoder=lambda wildcards: (
            ["data/encoder/model.safetensors"]
            if wildcards.category == "memory_vector"
            else []
        ),
    output:
        responses="results/{run}/responses/{model}/{category}.parquet",
        sessions="results/{run}/memory/{model}/{category}.parquet",
    wildcard_constraints:
        category="memory_.*",
