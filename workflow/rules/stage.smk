rule stage:
    """Stages the pinned release. One row of data/entries/<category>.parquet is one entry of the benchmark."""
    output:
        texts="data/release/texts.json",
        family_texts="data/release/family_texts.json",
        models="data/release/models.json",
        recorded_calls="data/release/recorded_calls.json",
        entries=expand("data/entries/{category}.parquet", category=CATEGORIES),
    log:
        "data/release/stage.log",
    benchmark:
        "data/release/stage.benchmark.tsv"
    params:
        release=lambda wildcards: RUN.settings.release.options,  # a path may contain braces
    message:
        "Stage the release"
    shell:
        "bfcl-pipeline stage --data data {params.release:q} 2> {log:q}"


rule stage_encoder:
    """Stages the sentence encoder of the vector memory; the weights are renamed last, so that they exist only if all files do."""
    output:
        "data/encoder/model.safetensors",
    log:
        "data/encoder/stage.log",
    benchmark:
        "data/encoder/stage.benchmark.tsv"
    params:
        source=lambda wildcards: (
            ["--source", RUN.settings.encoder_source]
            if RUN.settings.encoder_source
            else []
        ),
    message:
        "Stage the sentence encoder"
    shell:
        "bfcl-pipeline stage --encoder --data data {params.source:q} 2> {log:q}"
