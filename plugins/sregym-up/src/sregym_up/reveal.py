"""What is broken, served to the dashboard of a person who asked for it with `--reveal`."""

from __future__ import annotations

import json
import secrets
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from types import TracebackType

    from sregym_core.api.catalogue import Solution


class Revealed:
    """One page of JSON on loopback, at an address that cannot be guessed.

    Args:
        content: What it says.
    """

    def __init__(self, content: dict[str, Any]) -> None:
        path = f"/{secrets.token_urlsafe(24)}"
        handler = partial(_Handler, path, json.dumps(content).encode())
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}{path}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, name="revealed", daemon=True
        )

    def __enter__(self) -> Revealed:
        """Serve."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Serve no more."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def behind(self, dashboard: str) -> str:
        """The address of a dashboard that asks here: the browser keeps the rest to itself."""
        return f"{dashboard}/#reveal={quote(self.url, safe='')}"


def causes(known: Solution) -> dict[str, Any]:
    """What is broken in a problem and what would repair it, in words."""
    return {
        "causes": [
            {"sentence": truth.sentence(), "fix": list(fix)}
            for truth, fix in zip(known.ground_truths, known.fixes, strict=True)
        ]
    }


class _Handler(BaseHTTPRequestHandler):
    def __init__(self, path: str, body: bytes, *arguments: Any) -> None:
        self._path = path
        self._body = body
        super().__init__(*arguments)

    def do_GET(self) -> None:
        """Answer at the one path; the page that asks was served by another port."""
        if not secrets.compare_digest(self.path.encode(), self._path.encode()):
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(self._body)))
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(self._body)

    def log_message(self, *_arguments: Any) -> None:
        """Say nothing: the output belongs to the command."""
