"""The digest of what makes the prompts of a family: its row and its templates.

Their long texts are of the release, which a run pins by its own SHA-256, and the template of a model's own
tokenizer is one of the files that identify its weights; the code that renders them is not covered.
"""

import hashlib
import json
from dataclasses import asdict

from jinja2 import Environment, meta

from bfcl_pipeline.benchmark.config.families import OWN_TEMPLATE, load_families
from bfcl_pipeline.dialogue.families.rendering import TEMPLATES


def prompts_digest(family: str) -> str:
    """`sha256:` and the digest of `family`, a name of the table of families."""
    row = load_families()[family]
    facts = {key: value for key, value in asdict(row).items() if key not in ("name", "models")}
    content = {"row": facts, "templates": _templates(row.template)}
    return f"sha256:{hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()}"


def _templates(name: str) -> dict[str, str]:
    """The text of a template and of those that it refers to, by name; none, if it is each model's own."""
    parser = Environment(autoescape=True)  # which only parses: nothing is rendered
    texts: dict[str, str] = {}
    waiting = [] if name == OWN_TEMPLATE else [name]
    while waiting:
        one = waiting.pop()
        if one not in texts:
            texts[one] = (TEMPLATES / one).read_text(encoding="utf-8")
            found = meta.find_referenced_templates(parser.parse(texts[one]))
            waiting += [other for other in found if other is not None]
    return texts
