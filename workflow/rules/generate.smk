# An embedded model computes: a job for each category, side by side. A model behind a wire waits: one job for
# all its categories, so that its requests share one limit, one budget and one journal, the longest first.


rule generate:
    """Asks one embedded model one category. One row is one entry and all that the model did on it."""
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
        model="|".join(map(re.escape, EMBEDDED)) or "(?!)",
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
            ["--sessions-out", f"results/{wildcards.run}/memory/{wildcards.model}"]
            if "sessions" in output.keys()
            else []
        ),
    message:
        "Ask {wildcards.model} {wildcards.category}"
    shell:
        "bfcl-pipeline generate --run {wildcards.run:q} --model {params.model:q} --models {params.models:q}"
        " --category {wildcards.category:q} --data data --out results/{wildcards.run}/responses/{wildcards.model:q}"
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
        model="|".join(map(re.escape, EMBEDDED)) or "(?!)",
        category="memory_.*",


for folder, row in REMOTE.items():

    rule:
        """Asks one model behind a wire all its categories. One row is one entry, as above."""
        name:
            f"generate_{folder}"
        input:
            texts="data/release/texts.json",
            entries=expand(
                "data/entries/{category}.parquet", category=RUN.categories_of(folder)
            ),
            encoder=(
                ["data/encoder/model.safetensors"]
                if "memory_vector" in RUN.categories_of(folder)
                else []
            ),
            server=f"results/{{run}}/servers/{folder}.json" if row.served else [],
            # Side by side the trials of a model would be over its limits: one goes after the other.
            before=(
                ancient(
                    expand(
                        "results/{{run}}/responses/{model}/{category}.parquet",
                        model=RUN.trial_before(folder),
                        category=RUN.categories_of(folder),
                    )
                )
                if RUN.trial_before(folder)
                else []
            ),
        output:
            responses=expand(
                "results/{{run}}/responses/{model}/{category}.parquet",
                model=folder,
                category=RUN.categories_of(folder),
            ),
            sessions=expand(
                "results/{{run}}/memory/{model}/{category}.parquet",
                model=folder,
                category=[
                    category
                    for category in RUN.categories_of(folder)
                    if CATEGORIES[category].prerequisites
                ],
            ),
        log:
            f"results/{{run}}/logs/generate/{folder}.log",
        benchmark:
            f"results/{{run}}/benchmarks/generate/{folder}.tsv"
        params:
            models="config/models.yaml",
            model=RUN.model_of(folder),
            folder=folder,
            categories=RUN.categories_of(folder),
            selection=RUN.options_of(folder),
            budget=[] if RUN.budget is None else ["--budget", RUN.budget],
            server=lambda wildcards, input: (
                ["--endpoint-from", input.server] if input.server else []
            ),
            # Read by no command: a model that is asked elsewhere or otherwise now is asked again.
            row=row.asked,
            # Grows when a job ends with entries that the machinery failed: the next run asks them again.
            again=requeued(Path("results", RUN.name, "requeued", folder)),
        message:
            f"Ask {folder} everything"
        shell:
            "bfcl-pipeline generate --run {wildcards.run:q} --model {params.model:q} --models {params.models:q}"
            " --category {params.categories:q} --data data --out results/{wildcards.run}/responses/{params.folder:q}"
            " --sessions-out results/{wildcards.run}/memory/{params.folder:q} --cache cache/exchanges --progress-lines"
            " --requeue-out results/{wildcards.run}/requeued/{params.folder:q}"
            " {params.selection:q} {params.budget:q} {params.server:q} 2> {log:q}"
