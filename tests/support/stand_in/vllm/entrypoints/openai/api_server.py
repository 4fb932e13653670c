"""Stands for vLLM's server where a real one cannot be made to do what is tested; STAND_IN says what.

Found as the real one is, by `python -m`, with this folder on PYTHONPATH. Its first line says which
processes there are.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from pathlib import Path

STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.pause()"


class Answers(BaseHTTPRequestHandler):
    """What the server says of itself."""

    def do_GET(self) -> None:
        """Ready at once; the version is the variables that it was given."""
        body = {"/health": b"", "/version": f'{{"version": "{os.environ.get("TOLD", "0")}"}}'.encode()}[
            self.path
        ]
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Chat(Answers):
    """A server that is asked: answers as the scripted chat model does, and tells of each request."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """One chat completion."""
        from tests.support.chat_answers import answer_to, digest_of

        body = self.rfile.read(int(self.headers["Content-Length"]))
        answer = answer_to(body, digest_of(body)).numbered(1)
        os.write(1, f"asked {digest_of(body)}\n".encode())  # in one piece: others write too
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


def main() -> None:
    """Does what STAND_IN says: answer, chat, fail, load, lose_port, stubborn, die."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--host")
    parser.add_argument("--port", type=int)
    options, _ = parser.parse_known_args()
    what = os.environ["STAND_IN"]
    child = subprocess.Popen([sys.executable, "-c", STUBBORN])
    print("processes", os.getpid(), child.pid, flush=True)
    if what == "fail":
        sys.exit("ValueError: no model of that name")
    if what == "load":
        signal.pause()
    if what == "lose_port":
        lost = Path(os.environ["LOST"])
        if not lost.exists():
            lost.write_text(str(options.port))
            sys.exit("OSError: [Errno 98] Address already in use")
    if what == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if what == "chat":
        with ThreadingHTTPServer((options.host, options.port), Chat) as server:
            server.serve_forever()
    with HTTPServer((options.host, options.port), Answers) as server:
        if what == "die":
            server.handle_request()  # /health
            server.handle_request()  # /version
            sys.exit("RuntimeError: engine core died")
        server.serve_forever()


if __name__ == "__main__":
    main()
