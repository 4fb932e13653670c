"""The record of what makes the answers of a job, collected once when the job starts to ask.

Covers the weights, the prompts and the server of its model; what is recorded of software and machine is in
`bfcl_pipeline.runs.provenance`. Values of keys are redacted, and nothing that cannot be read fails the job.
"""

import ipaddress
import os
from collections.abc import Iterator
from dataclasses import asdict
from http.client import HTTPException
from pathlib import Path
from urllib.parse import urlsplit

from bfcl_pipeline.ask.models.chat_template import chat_template_digest, noted_template
from bfcl_pipeline.ask.models.serving.address import server_of
from bfcl_pipeline.ask.models.weights import cached_snapshot, file_digests, identify_weights
from bfcl_pipeline.base import __version__
from bfcl_pipeline.base.errors import ConfigError, JournalError
from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.base.project import project_file, project_folder
from bfcl_pipeline.base.secrets import Redactor, named_secrets
from bfcl_pipeline.base.strict_json import canonical
from bfcl_pipeline.base.text import Log, loaded_json
from bfcl_pipeline.benchmark.config import Job, ModelRow
from bfcl_pipeline.benchmark.config.choices import OPEN_KINDS
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.runs.provenance import (
    BESIDE_LOG,
    MOST_BYTES,
    TEMPLATE_BESIDE_LOG,
    ModelFiles,
    Pipeline,
    Provenance,
    ServerRecord,
    write_provenance,
)
from bfcl_pipeline.runs.provenance.document import MOST_TEXT, from_document
from bfcl_pipeline.runs.provenance.http_get import http_get
from bfcl_pipeline.runs.provenance.machine import this_machine
from bfcl_pipeline.runs.provenance.software import find_pipeline, installed_packages

MOST_FILES = 300
"""Files of a model that are listed; of a model with more, only the digest of all is recorded."""

ANSWER_SECONDS = 3.0
"""Time limit of a whole request for the version of a server that the run did not start."""

_MOST_ANSWER_BYTES = 2**20


def record_making(job: Job, log: Log, out: Path | None = None) -> Provenance:
    """Records what makes the answers of `job`, whose server must be ready; returns the record.

    It is written beside the journals of the job's model, if it has any, and to `out`: there with the chat
    template of the model's own tokenizer beside it, without which nothing could be derived.

    Raises ConfigError if a file of the model cannot be read, JournalError or OSError if the record cannot
    be written.
    """
    record = job_record(job, log)
    if out is not None:
        write_text(out, record.content().decode("ascii"))
        if job.row.own_template:
            note = out.name.removesuffix(BESIDE_LOG) + TEMPLATE_BESIDE_LOG
            write_text(out.with_name(note), noted_template(job.row))
    if not job.remote:
        return record
    folder = job.paths.journals / job.folder
    try:
        write_provenance(folder, record)
    except OSError as error:
        what = "cannot write the record of what makes the answers"
        raise JournalError(f"{folder}: {what} ({error}).") from error
    return record


def job_record(job: Job, log: Log) -> Provenance:
    """What makes the answers of `job`. Raises ConfigError if a file of the model cannot be read."""
    record = Provenance(
        _pipeline(),
        installed_packages(),
        this_machine(),
        model_files(job.row, job.paths.weights_cache, log),
        _server(job),
    )
    secrets = named_secrets(os.environ, {job.row.key} if job.row.key else ())
    redactor, document = Redactor(secrets.values()), asdict(record)
    document |= {part: redactor.document(document[part]) for part in ("machine", "server")}
    return from_document(_fitting(document))


def model_files(row: ModelRow, cache: Path, log: Log) -> ModelFiles:
    """What identifies the model of `row`, as far as its files are on this machine.

    Raises ConfigError if a file cannot be read.
    """
    revision = None if row.revision is None else row.revision[:MOST_TEXT]
    if row.kind not in OPEN_KINDS or (row.kind == "vllm" and not row.served):
        return ModelFiles(None, revision, {}, row.prompts)
    row = identify_weights(row, log, cache)
    named = Path(row.model)
    folder = named if named.exists() else cached_snapshot(row.model, row.revision)
    files = {} if folder is None else file_digests(folder, log, cache)
    if len(files) > MOST_FILES or any(len(name) > 200 for name in files):
        files = {}
    return ModelFiles(row.weights, revision, files, _template(row, folder))


def _template(row: ModelRow, folder: Path | None) -> str | None:
    """The digest of what makes the prompts: of the family, or the chat template that the server uses."""
    if row.family is not None:
        return row.prompts
    given = row.vllm.chat_template
    if given is not None:
        path = project_file(given)
        return f"sha256:{file_digests(path)[path.name]}" if path.is_file() else None
    return None if folder is None else chat_template_digest(folder)


def _server(job: Job) -> ServerRecord | None:
    if job.paths.endpoint is not None:
        return server_of(job.paths.endpoint)
    endpoint = job.row.endpoint
    if endpoint is None or not (job.row.kind == "vllm" or is_private(endpoint)):
        return None  # the API of a vendor is sent nothing but the requests of the benchmark
    return next(_reported(endpoint), None)


def is_private(endpoint: str) -> bool:
    """Whether a URL names this machine or one of a private network."""
    host = urlsplit(endpoint).hostname or ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host != "" and "." not in host
    return address.is_private


def _reported(endpoint: str) -> Iterator[ServerRecord]:
    """What vLLM or llama.cpp report at an endpoint that already runs. No key is sent, no proxy is used."""
    root = endpoint.removesuffix("/").removesuffix("/v1")
    for kind, path, name in (("vllm", "/version", "version"), ("llama.cpp", "/props", "build_info")):
        try:
            content = http_get(f"{root}{path}", ANSWER_SECONDS, _MOST_ANSWER_BYTES)
        except (OSError, HTTPException, ValueError):
            return
        answer = loaded_json(content)
        value = answer.get(name) if isinstance(answer, dict) else None
        if isinstance(value, str) and value:
            yield ServerRecord(kind, value[:MOST_TEXT])


def _pipeline() -> Pipeline:
    try:
        return find_pipeline(project_folder())
    except ConfigError:  # a package without its workflow can run a job, too
        return Pipeline(__version__, None, changed=False)


def _fitting(document: Json) -> Json:
    """`document` without its longest parts, if it is longer than a record may be."""
    for part in ("files", "command", "environment"):
        if len(canonical(document)) <= MOST_BYTES:
            break
        for holder in (document["model"], document["server"] or {}):
            if part in holder:
                holder[part] = type(holder[part])()
    return document
