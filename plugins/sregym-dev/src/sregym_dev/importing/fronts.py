"""nginx in front of others: the routes of its configuration, as far as they lead to Services."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sregym_dev.importing.call_graph import Edge
    from sregym_dev.importing.container_inputs import Part
    from sregym_dev.importing.listening import Listener

_LOCATION = re.compile(r"location\s+(?:[=~^*]+\s+)?(?P<path>\S+)\s*\{(?P<inside>[^{}]*)\}")
_PASS = re.compile(r"(?:proxy|grpc|fastcgi|uwsgi)_pass\s+(?:\w+://)?(?P<host>[\w.-]+)")
_UPSTREAM = re.compile(r"upstream\s+(?P<name>\S+)\s*\{[^{}]*?server\s+(?P<host>[\w.-]+)")


def front_entry(
    parts: Sequence[Part],
    listeners: Sequence[Listener],
    edges: Iterable[Edge],
    version: str,
) -> tuple[dict[str, Any], dict[str, str]]:
    """The entry of a web server's program, and the component behind each of its routes.

    Args:
        parts: Containers that run it.
        listeners: Their ports.
        edges: Their calls.
        version: Of the image; empty where it has none.
    """
    port = next((one.port for one in listeners if one.protocol == "http"), 80)
    routes: dict[str, dict[str, Any]] = {}
    behind: dict[str, str] = {}
    for edge in edges:
        name = edge.callee.component
        paths = [path for part in parts for path in _paths_to(edge, part.files)]
        path = paths[0] if paths else f"/{name}"
        upstream = f"http://{edge.service['metadata']['name']}:{edge.port}"
        routes[name] = {"request": f"GET {path}", "upstream": upstream, "timeout_s": 5}
        routes[name]["ask"] = "GET /"
        behind[name] = name
    if all(one["request"] != "GET /*" for one in routes.values()):
        routes["home"] = {"request": "GET /*", "answer": {"body": "OK\n"}}
    # The first that fits counts: longer paths before shorter ones.
    ordered = dict(sorted(routes.items(), key=lambda item: -len(item[1]["request"])))
    entry: dict[str, Any] = {"kind": "http-proxy", "flavour": "nginx"}
    if version:
        entry["version"] = version
    return {**entry, "port": port, "routes": ordered}, behind


def request_of(route: Mapping[str, Any]) -> str:
    """A request that a route answers."""
    return str(route["request"]).removesuffix("*")


def _paths_to(edge: Edge, files: Mapping[str, str]) -> Iterator[str]:
    """Paths that a configuration passes on to a Service."""
    service = edge.service["metadata"]["name"]
    for text in files.values():
        upstreams = {found["name"]: found["host"] for found in _UPSTREAM.finditer(text)}
        for found in _LOCATION.finditer(text):
            passed = _PASS.search(found["inside"])
            if passed is None:
                continue
            host = upstreams.get(passed["host"], passed["host"])
            if host.partition(".")[0] == service and found["path"].startswith("/"):
                yield found["path"].rstrip("*") + "*"
