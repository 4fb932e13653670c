"""The modules that one entry behind an API enters: python -m benchmarks.entry_path [--list]

Runs the five commands from staging to the page in this process, for simple_python_0 against a server on
loopback, and counts the modules of the package in which a function was called. Importing a module does not
count. For staging, pip fetches the release unless --wheel FILE names it.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
import tempfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import FrameType

import bfcl_pipeline
from bfcl_pipeline.cli import main as command

PACKAGE = Path(bfcl_pipeline.__file__).parent
ANSWER = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 0,
    "model": "path",
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {
                            "name": "calculate_triangle_area",
                            "arguments": '{"base": 10, "height": 5}',
                        },
                    }
                ],
            },
        }
    ],
    "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
}


class Handler(BaseHTTPRequestHandler):
    """Answers every request with the same tool call."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        body = json.dumps(ANSWER).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Prints nothing."""


@contextlib.contextmanager
def server() -> Iterator[str]:
    """The endpoint of a server that ends with the block."""
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=httpd.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{httpd.server_address[1]}/v1"
    finally:
        httpd.shutdown()
        thread.join()
        httpd.server_close()


def entered(arguments: list[str]) -> set[str]:
    """The modules in which a function was called by one command."""
    found: set[str] = set()
    root = str(PACKAGE)

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(root) and code.co_filename.endswith(".py"):
            name = str(Path(code.co_filename).relative_to(root))
            if name not in found and not _is_importing(frame):
                found.add(name)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
            code = command(arguments)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    if code:
        sys.exit(f"{' '.join(arguments)}: exit status {code}\n{said.getvalue()}")
    return found


def _is_importing(frame: FrameType | None) -> bool:
    """Whether a frame runs because a module of the package is being imported."""
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(str(PACKAGE)):
            return True
        frame = frame.f_back
    return False


def main() -> None:
    """Prints the number of modules for each command, and of all together."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheel", type=Path, help="the release's wheel (default: fetched by pip)")
    parser.add_argument("--list", action="store_true", help="print the modules, too")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, server() as endpoint:
        run = Path(folder, "run")
        models = Path(folder, "models.yaml")
        models.write_text(
            json.dumps({"models": [{"name": "path-FC", "kind": "openai_chat", "endpoint": endpoint}]})
        )
        data = str(Path(folder, "data"))
        common = ["--data", data]
        source = ["--source", str(args.wheel)] if args.wheel else []
        responses = str(run / "responses" / "path-FC")
        generate = ["generate", "--run", "run", "--model", "path-FC", "--models", str(models)]
        generate += ["--category", "simple_python", "--entry-ids", "simple_python_0", "--out", responses]
        generate += ["--cache", str(Path(folder, "exchanges")), *common]
        table = f"{responses}/simple_python.parquet"
        verdicts = str(run / "verdicts" / "path-FC.parquet")
        legs = {
            "stage": ["stage", *common, *source],
            "generate": generate,
            "score": ["score", table, "--out", verdicts, "--rules", "all", "--processes", "1", *common],
            "aggregate": ["aggregate", str(run), "--models", str(models), "--model=path-FC", *common],
            "report": ["report", str(run)],
        }
        modules: dict[str, set[str]] = {leg: entered(arguments) for leg, arguments in legs.items()}
    for leg, names in modules.items():
        print(f"{leg:<10} {len(names):>3}")
        if args.list:
            print(*(f"  {name}" for name in sorted(names)), sep="\n")
    print(f"{'all':<10} {len(set().union(*modules.values())):>3}")


if __name__ == "__main__":
    main()
