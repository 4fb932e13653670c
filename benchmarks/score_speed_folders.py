"""Rows as result folders of the official tool: `<n>/<model>/<group>/BFCL_v4_<category>_result.json`.

A folder has all models of the official list with the plain result form; each model answers an entry once,
so rows that repeat an entry are assigned to the next model, and then to the next folder.
"""

from __future__ import annotations

import json
from pathlib import Path

from bfcl_pipeline.benchmark.definition import CATEGORIES

_PLAIN_HANDLER = "OpenAIResponsesHandler"


def lay_out(rows: list[dict[str, str]], folder: Path, data: Path) -> Path:
    """Writes `rows` below `folder` and returns it.

    This layout cannot express a name style other than that of the mode; such rows are written with the
    mode's style, since only the time counts here.
    """
    models = json.loads((data / "release" / "models.json").read_text(encoding="utf-8"))
    plain = [model for model in models if model["handler"] == _PLAIN_HANDLER]
    names = {
        "fc": [model["name"] for model in plain if model["is_fc_model"]],
        "prompt": [model["name"] for model in plain if not model["is_fc_model"]],
    }
    seen: dict[tuple[str, str], int] = {}
    files: dict[Path, list[str]] = {}
    for row in rows:
        mode = row["mode"]
        turn = seen.get((mode, row["entry_id"]), 0)
        seen[mode, row["entry_id"]] = turn + 1
        number, place = divmod(turn, len(names[mode]))
        group = CATEGORIES[row["category"]].group
        name = f"BFCL_v4_{row['category']}_result.json"
        path = folder / str(number) / names[mode][place].replace("/", "_") / group / name
        line = json.dumps({"id": row["entry_id"], "result": json.loads(row["result_json"])})
        files.setdefault(path, []).append(line)
    for path, lines in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return folder
