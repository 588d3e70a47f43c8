"""What holds for one request: the blocks around it, and its variables."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote

from sregym_cluster_embedded.sdk.servers import moment

from sregym_server_nginx.configuration import PREFIX
from sregym_server_nginx.loading import compiled
from sregym_server_nginx.variables import expanded

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import Process, WebRequest, World

    from sregym_server_nginx.configuration import Directive
    from sregym_server_nginx.loading import Loaded, Server


class Scope:
    """The blocks from the outermost to the location, and the variables.

    Args:
        world: The cluster.
        process: nginx.
        version: Of nginx.
        loaded: Its configuration.
        server: The server block that answers.
        request: What is asked.
    """

    def __init__(
        self, world: World, process: Process, version: str, loaded: Loaded, server: Server,
        request: WebRequest,
    ) -> None:  # fmt: skip
        self.outer = [loaded.tree, loaded.http, server.block]
        self.blocks = list(self.outer)
        self.request = request
        self.version = version
        path, mark, query = request.path.partition("?")
        name = server.names[0]
        when = moment(world, world.now)
        self.variables: dict[str, str] = {
            "request_uri": request.path,
            "args": query,
            "query_string": query,
            "is_args": mark,
            "host": request.host or name,
            "hostname": process.config.hostname,
            "scheme": "https" if request.secure else "http",
            "https": "on" if request.secure else "",
            "request_method": request.method,
            "request": f"{request.method} {request.path} HTTP/1.1",
            "server_name": name,
            "server_port": str(request.port),
            "server_addr": process.config.pod_ip,
            "server_protocol": "HTTP/1.1",
            "remote_addr": request.client,
            "remote_port": "40000",
            "nginx_version": version,
            "pid": str(loaded.worker),
            "time_local": f"{when:%d/%b/%Y:%H:%M:%S} +0000",
            "time_iso8601": f"{when:%Y-%m-%dT%H:%M:%S}+00:00",
            "msec": f"{when.timestamp():.3f}",
            "content_type": request.headers.get("content-type", ""),
            "content_length": request.headers.get("content-length", ""),
            "proxy_add_x_forwarded_for": ", ".join(
                [*filter(None, [request.headers.get("x-forwarded-for")]), request.client]
            ),
            "ssl_protocol": "TLSv1.3" if request.secure else "",
            "ssl_server_name": request.host if request.secure else "",
            "request_completion": "OK",
        }
        for header, value in request.headers.items():
            self.variables["http_" + header.lower().replace("-", "_")] = value
        self.variables.update({f"arg_{key}": value for key, value in parse_qsl(query)})
        for pattern in [text[1:] for text in server.names if text.startswith("~")]:
            match = compiled(pattern).search(request.host)
            self.variables.update(match.groupdict() if match is not None else {})
        self.go_to(unquote(path))
        self._map(loaded.http)

    @property
    def uri(self) -> str:
        """The path as it is by now, without its query."""
        return self.variables["uri"]

    def go_to(self, uri: str) -> None:
        """Another path for the same request."""
        path, mark, query = uri.partition("?")
        merged = posixpath.normpath(path) if ("//" in path or "/." in path) else path
        if path.endswith("/") and not merged.endswith("/"):
            merged += "/"
        self.variables["uri"] = self.variables["document_uri"] = merged.replace("//", "/")
        if mark:
            self.variables.update(args=query, query_string=query, is_args="?" if query else "")

    def enter(self, locations: list[Directive]) -> None:
        """Stand in a location, or in one of its blocks `if`."""
        self.blocks = [*self.outer, *locations]

    def fill(self, text: str) -> str:
        """A text with its variables filled in."""
        return expanded(text, self.variables)

    def inherited(self, name: str) -> list[Directive]:
        """The directives of a name of the innermost block that has any."""
        for block in reversed(self.blocks):
            found = block.all(name)
            if found:
                return found
        return []

    def word(self, name: str, otherwise: str = "") -> str:
        """The first word of a directive in force."""
        found = self.inherited(name)
        return found[0].words[0] if found else otherwise

    def on(self, name: str, *, otherwise: bool = False) -> bool:
        """Whether a switch is on."""
        return self.word(name, "on" if otherwise else "off").lower() == "on"

    def seconds(self, name: str, otherwise: float) -> float:
        """A duration in force."""
        text = self.word(name)
        for unit, factor in (("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)):
            number = text.removesuffix(unit)
            if text.endswith(unit) and number.isdecimal():
                return int(number) * factor
        return float(text) if text.isdecimal() else otherwise

    @property
    def signature(self) -> str:
        """How nginx names itself."""
        return "nginx" if self.word("server_tokens") == "off" else f"nginx/{self.version}"

    def file_of(self, uri: str) -> str:
        """Where the file of a path stands."""
        location = self.blocks[-1]
        alias = location.first("alias") if location.name == "location" else None
        if alias is not None:
            prefix = location.words[-1] if location.words[0] not in ("~", "~*") else uri
            return posixpath.join(PREFIX, self.fill(alias.words[0])) + uri[len(prefix) :]
        root = posixpath.join(PREFIX, self.fill(self.word("root", "html")))
        self.variables["document_root"] = self.variables["realpath_root"] = root
        return root.rstrip("/") + uri

    def _map(self, http: Directive) -> None:
        """Set the variables of blocks `map`: what follows from others."""
        for entry in http.all("map"):
            source, name = self.fill(entry.words[0]), entry.words[1].lstrip("$")
            values = {line.name: line.words[0] for line in entry.block if line.words}
            found = values.get(source, values.get("default", ""))
            for key, value in values.items():
                if key.startswith("~") and _fits(key[1:], source):
                    found = value
                    break
            self.variables[name] = self.fill(found)


def _fits(pattern: str, text: str) -> bool:
    return compiled(pattern.removeprefix("*"), any_case=pattern.startswith("*")).search(text) is not None  # fmt: skip
