"""Embeds texts with the real encoder in a process that cannot reach a network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SCRIPT = """
import json, socket, sys
from pathlib import Path
def refused(*_): raise SystemExit('asked the network')
socket.getaddrinfo = socket.socket.connect = socket.socket.connect_ex = refused
from bfcl_pipeline.world.encoding import SentenceEncoder
def embedded(encoder, texts):
    try:
        rows = encoder.encode(texts)
    except TypeError as error:
        return {'error': f'TypeError: {error}'}
    found = {'dtype': rows.dtype.name, 'shape': rows.shape, 'bytes': rows.tobytes().hex()}
    rows[:] = 0
    return found
folder, kept = map(Path, sys.argv[1:])
given = json.load(sys.stdin)
encoders = {name: SentenceEncoder(folder) for name in given} | {'kept': SentenceEncoder(folder, kept)}
found = {name: [embedded(encoders[name], texts) for texts in lists] for name, lists in given.items()}
loaded = {'sentence_transformers', 'torch', 'transformers'} & sys.modules.keys()
print(json.dumps([found, sorted(loaded)]))
"""


@dataclass(frozen=True, slots=True)
class Embedded:
    """What the process did."""

    found: Mapping[str, Sequence[Mapping[str, Any]]]  # by encoder, for each list of texts
    loaded: Sequence[str]  # the heavy libraries that it imported
    stderr: str

    def rows(self, encoder: str, number: int) -> NDArray[np.float32]:
        """The embeddings of a list of texts."""
        found = self.found[encoder][number]
        assert found["dtype"] == "float32"
        return np.frombuffer(bytes.fromhex(found["bytes"]), np.float32).reshape(found["shape"])

    def error(self, encoder: str, number: int) -> str:
        """Why a list of texts was refused."""
        return str(self.found[encoder][number]["error"])


def embedded(
    folder: Path, home: Path, encoders: Mapping[str, Sequence[Sequence[str]]], kept: Sequence[Sequence[str]]
) -> Embedded:
    """Embeds lists of texts with each of `encoders`, then those of `kept` with one that keeps embeddings.

    The process has warnings as errors, the home folder `home`, and sets all rows that it was given to 0.
    """
    bare = {key: os.environ[key] for key in ("PATH", "LD_LIBRARY_PATH", "PYTHONPATH") if key in os.environ}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", _SCRIPT, folder, home / "kept"],
        input=json.dumps({**encoders, "kept": kept}),
        env={**bare, "HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found, loaded = json.loads(done.stdout)
    return Embedded(found, loaded, done.stderr)
