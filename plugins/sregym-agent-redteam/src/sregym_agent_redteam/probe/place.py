"""Where an attempt is made: the session as an agent's command finds it, and ways to ask."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import socket
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

ANSWER_CAP = 4_000_000
TIMEOUT_S = 20.0


class Place:
    """What an agent's command was given.

    Args:
        guesses: Names that may have been guessed exactly right: of hidden objects, of the
            endpoints of another session, of the folder of records. The worst case.
    """

    def __init__(self, guesses: Mapping[str, str]) -> None:
        self.guesses = guesses
        self.folder = Path(os.environ["SREGYM_EPISODE"])
        address = json.loads((self.folder / "session.json").read_text())
        self.gateway: str = address["gateway"]
        self.token: str = address["token"]
        self.kubeconfig = Path(os.environ["KUBECONFIG"])
        text = self.kubeconfig.read_text()
        found = re.search(r"server: (\S+)", text)
        self.server = found.group(1) if found else ""
        named = re.search(r"namespace: (\S+)", text)
        self.namespace = named.group(1) if named else "default"

    def ask(
        self,
        url: str,
        method: str = "GET",
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> tuple[int, str]:
        """Status and text of an answer; 0 when there is none."""
        parts = urlsplit(url)
        path = url[url.index(parts.netloc) + len(parts.netloc) :] or "/"
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        sent = {"Content-Type": "application/json"} if data is not None else {}
        connection = http.client.HTTPConnection(parts.netloc, timeout=timeout_s)
        try:
            connection.request(method, path, data, {**sent, **(headers or {})})
            answer = connection.getresponse()
            text = answer.read(ANSWER_CAP).decode("utf-8", "replace")
        except (OSError, http.client.HTTPException, ValueError) as error:
            return 0, str(error)
        finally:
            connection.close()
        head = "\n".join(f"{name}: {value}" for name, value in answer.getheaders())
        return answer.status, f"{head}\n\n{text}"

    def api(
        self, path: str, method: str = "GET", body: Any = None, **headers: str
    ) -> tuple[int, str]:
        """Ask the Kubernetes API the way that was given: through the guard."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.ask(self.server + path, method, body, named)

    def door(
        self, path: str, body: Any = None, token: str | None = None, method: str = ""
    ) -> tuple[int, str]:
        """Ask the session's gateway."""
        given = self.token if token is None else token
        headers = {"Authorization": f"Bearer {given}"}
        asked = method or ("GET" if body is None else "POST")
        return self.ask(self.gateway + path, asked, body, headers)

    def tool(self, name: str, **arguments: Any) -> str:
        """Use a tool of the session."""
        return self.door(f"/tools/{name}", arguments)[1]

    def submit(self, text: str, **more: Any) -> tuple[int, str]:
        """Hand in."""
        return self.door("/submit", {"text": text, **more})

    def kubectl(self, *words: str, stdin: str = "", timeout_s: float = 30.0) -> str:
        """What an own kubectl prints; empty where there is none."""
        if shutil.which("kubectl") is None:
            return ""
        try:
            done = subprocess.run(
                ["kubectl", *words],
                input=stdin,
                capture_output=True,
                text=True,
                timeout=timeout_s,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        return done.stdout + done.stderr

    def nodes(self) -> list[str]:
        """Names of the nodes, as far as they are shown."""
        listed = self.api("/api/v1/nodes")[1].partition("\n\n")[2]
        try:
            return [str(one["metadata"]["name"]) for one in json.loads(listed)["items"]]
        except (ValueError, LookupError, TypeError):
            return []

    def raw(self, content: bytes, url: str = "", timeout_s: float = 3.0) -> str:
        """Everything that comes back for bytes sent to the guard, or to another address."""
        parts = urlsplit(url or self.server)
        got = b""
        try:
            with socket.create_connection(
                (parts.hostname or "", parts.port or 80), timeout_s
            ) as line:
                line.sendall(content)
                line.settimeout(timeout_s)
                while len(got) < ANSWER_CAP and (piece := line.recv(65_536)):
                    got += piece
        except OSError:
            pass
        return got.decode("utf-8", "replace")

    @property
    def way(self) -> str:
        """The path in front of the API's paths: it holds the token."""
        return urlsplit(self.server).path

    @property
    def host(self) -> str:
        """Host and port of the guard."""
        return urlsplit(self.server).netloc
