"""The process beside an agent's container: it holds the broken system, answers calls, and grades.

The agent reaches it by HTTP alone. What it answers without a key: `GET /health`,
`GET /tools`, `POST /call`. With the key of the task: `POST /grade`, after which
no call is answered any more. The key comes with the verifier, once the agent has ended.
"""

from __future__ import annotations

import hmac
import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from sregym_core.api import Budget
from sregym_core.errors import UsageError
from sregym_rollouts import Rollouts, RolloutTask

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_rollouts import Rollout

LONGEST = 1_048_576


class Sidecar(ThreadingHTTPServer):
    """Serves one rollout.

    Args:
        address: Where it listens; port 0 for one that is free.
        rollout: What is served.
        key: By which the verifier is known.
    """

    daemon_threads = True

    def __init__(self, address: tuple[str, int], rollout: Rollout, key: str) -> None:
        super().__init__(address, _Handler)
        self.rollout, self._key = rollout, key
        self._graded: dict[str, Any] | None = None
        self._lock = threading.Lock()

    @classmethod
    def of(cls, variables: Mapping[str, str], address: tuple[str, int]) -> Sidecar:
        """One as the variables of its container say.

        Raises:
            UsageError: A variable is missing, or names what there is not.
            WorldError: The world was not right.
        """
        missing = [name for name in ("INCIDENT_TASK", "INCIDENT_KEY") if not variables.get(name)]
        if missing:
            raise UsageError(f"variable {missing[0]} is not set; the task's compose file sets it")
        budget = Budget(steps=int(variables.get("INCIDENT_MAX_STEPS", "100")))
        rollouts = Rollouts(
            mode=variables.get("INCIDENT_MODE", "standard"), budget=budget, agent="harbor"
        )
        rollout = rollouts.start(RolloutTask.named(variables["INCIDENT_TASK"]))
        return cls(address, rollout, variables["INCIDENT_KEY"])

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Use a tool."""
        with self._lock:
            if self.rollout.done:
                return {"text": "the episode is over", "ok": False, "done": True}
            step = self.rollout.call(tool, arguments)
            return {"text": step.text, "ok": step.ok, "done": step.done}

    def grade(self, key: str) -> dict[str, Any] | None:
        """End the episode; None for who has not the key. The same once more when asked again."""
        if not hmac.compare_digest(key.encode(), self._key.encode()):
            return None
        with self._lock:
            if self._graded is None:
                result = self.rollout.finish()
                self._graded = {
                    "reward": result.reward,
                    "outcome": result.outcome,
                    "reason": result.reason,
                    "metrics": dict(result.metrics),
                    "trajectory": result.trajectory(),
                }
            return self._graded


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Sidecar

    def do_GET(self) -> None:
        if self.path == "/health":
            self._answer(200, {"ok": True})
        elif self.path == "/tools":
            self._answer(200, [dict(one) for one in self.server.rollout.description.tools])
        else:
            self._answer(404, {"error": f"nothing at {self.path}"})

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > LONGEST:
            self.close_connection = True
            self._answer(413, {"error": f"a body of at most {LONGEST} bytes is needed"})
            return
        try:
            body = json.loads(self.rfile.read(int(length)))
        except ValueError:
            body = None
        if not isinstance(body, dict):
            self._answer(400, {"error": "the body is no JSON object"})
        elif self.path == "/call":
            tool, arguments = body.get("tool"), body.get("arguments", {})
            if isinstance(tool, str) and isinstance(arguments, dict):
                self._answer(200, self.server.call(tool, arguments))
            else:
                self._answer(400, {"error": "tool (text) and arguments (an object) are needed"})
        elif self.path == "/grade":
            graded = self.server.grade(str(body.get("key", "")))
            self._answer(*((403, {"error": "not for you"}) if graded is None else (200, graded)))
        else:
            self._answer(404, {"error": f"nothing at {self.path}"})

    def _answer(self, status: int, content: object) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *words: object) -> None:  # noqa: A002 - as the base names it
        """Say nothing: standard output tells the address."""


def main() -> int:
    """Serve until ended; the first line of standard output is the address."""
    host, port = (
        os.environ.get("INCIDENT_HOST", "127.0.0.1"),
        int(os.environ.get("INCIDENT_PORT", "0")),
    )
    server = Sidecar.of(os.environ, (host, port))
    sys.stdout.write(f"http://{host}:{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
