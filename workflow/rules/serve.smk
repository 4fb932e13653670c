# A local model is served by vLLM for as long as the run asks it. Snakemake starts a service and those who ask it
# as one group, and ends the service after them; what it does not do is wait until a server is ready. So the
# address is there at once, and who asks waits (bfcl_pipeline/models/serving).

SERVED = [folder for folder, row in ROWS.items() if row.served]


rule serve:
    """Serves one local model to the step that asks it. Makes no rows."""
    output:
        service("results/{run}/servers/{model}.json"),
    log:
        own="results/{run}/logs/serve/{model}.log",
        vllm="results/{run}/logs/serve/{model}.vllm.log",
    wildcard_constraints:
        model="|".join(map(re.escape, SERVED)) or "(?!)",
    # The cores of a group are added up, and a run with one core must be able to ask a model.
    threads: 0
    resources:
        gpu=lambda wildcards: ROWS[wildcards.model].vllm.gpus,
        # As the profile has one of these, models on this machine are served one after the other.
        server=1,
    params:
        models="config/models.yaml",
        model=lambda wildcards: RUN.model_of(wildcards.model),
    message:
        "Serve {wildcards.model}"
    # The address first, for which Snakemake waits but seconds; exec, as it signals what it started.
    shell:
        ": > {output:q}; exec bfcl-pipeline serve {params.model:q} --models {params.models:q} --address-out {output:q}"
        " --log {log.vllm:q} --end-with-parent 2> {log.own:q}"
