"""`kubectl api-resources` and `kubectl api-versions`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from sregym_cluster_embedded.kubectl.client import CLIENT_VERSION, DISCOVERY
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.kubectl.flags import Flag, switch
from sregym_cluster_embedded.kubectl.tables import aligned
from sregym_cluster_embedded.kubectl.usage import usage_error
from sregym_cluster_embedded.kubectl.yaml_text import yaml_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.kubectl.session import Session

RESOURCES_FLAGS = (
    Flag("api-group"), switch("namespaced"), Flag("verbs", kind="list"), switch("no-headers"),
    Flag("output", "o"), Flag("sort-by"), Flag("categories", kind="list"), switch("cached"),
)  # fmt: skip
VERSION_FLAGS = (switch("client"), Flag("output", "o"))
VERSIONS_FLAGS = ()

_KUSTOMIZE = "v5.8.1"
# What the binary says of itself.
_CLIENT = {
    "major": "1",
    "minor": "37",
    "gitVersion": CLIENT_VERSION,
    "gitCommit": "f78e722310e50bcaca9276be22276d9e91d91308",
    "gitTreeState": "clean",
    "buildDate": "2026-09-23T17:10:04Z",
    "goVersion": "go1.26.8",
    "compiler": "gc",
    "platform": "linux/amd64",
}

_TITLES = ("NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND")


class _Row(NamedTuple):
    """One resource type in its preferred version."""

    group: str
    api_version: str
    entry: dict[str, Any]


def api_resources(session: Session) -> None:
    """Run `kubectl api-resources`."""
    arguments = session.arguments
    output = arguments.text("output")
    if arguments.words:
        words = " ".join(arguments.words)
        raise usage_error("api-resources", f"unexpected arguments: [{words}]")
    if output not in ("", "wide", "name"):
        raise NotCovered("api-resources in another format")
    sort = arguments.text("sort-by")
    if sort not in ("", "name", "kind"):
        raise CommandError("error: --sort-by accepts only name or kind")
    rows = [row for row in _rows(session) if _wanted(session, row)]
    rows.sort(key=lambda row: (row.group, row.entry["resource"]))
    if sort == "name":
        rows.sort(key=lambda row: row.entry["resource"])
    elif sort == "kind":
        rows.sort(key=lambda row: row.entry["responseKind"]["kind"])
    if output == "name":
        for row in rows:
            group = f".{row.group}" if row.group else ""
            session.say(row.entry["resource"] + group)
        return
    cells = [_cells(row, wide=output == "wide") for row in rows]
    head = [*_TITLES, *(("VERBS", "CATEGORIES") if output == "wide" else ())]
    table = cells if arguments.on("no-headers") else [head, *cells]
    session.out.append(aligned(table))


def _rows(session: Session) -> Iterator[_Row]:
    for path in ("/api", "/apis"):
        for group in session.client.send("GET", path, accept=DISCOVERY)["items"]:
            name = group["metadata"].get("name", "")
            seen: set[str] = set()
            for version in group["versions"]:
                for entry in version["resources"]:
                    if entry["resource"] not in seen and entry.get("verbs"):
                        seen.add(entry["resource"])
                        full = f"{name}/{version['version']}" if name else version["version"]
                        yield _Row(name, full, entry)


def _wanted(session: Session, row: _Row) -> bool:
    arguments = session.arguments
    if arguments.has("api-group") and row.group != arguments.text("api-group"):
        return False
    namespaced = row.entry["scope"] == "Namespaced"
    if arguments.has("namespaced") and namespaced != arguments.on("namespaced"):
        return False
    if not set(arguments.all("verbs")) <= set(row.entry["verbs"]):
        return False
    return set(arguments.all("categories")) <= set(row.entry.get("categories", ()))


def _cells(row: _Row, *, wide: bool) -> list[str]:
    entry = row.entry
    cells = [
        entry["resource"],
        ",".join(entry.get("shortNames", ())),
        row.api_version,
        "true" if entry["scope"] == "Namespaced" else "false",
        entry["responseKind"]["kind"],
    ]
    if wide:
        cells += [",".join(entry["verbs"]), ",".join(entry.get("categories", ()))]
    return cells


def version(session: Session) -> None:
    """Run `kubectl version`."""
    arguments = session.arguments
    if arguments.words:
        words = " ".join(arguments.words)
        raise CommandError(f"error: extra arguments: [{words}]")
    output = arguments.text("output")
    if output not in ("", "json", "yaml"):
        raise CommandError("error: --output must be 'yaml' or 'json'")
    server: dict[str, Any] = {}
    if not arguments.on("client"):
        server = orjson.loads(session.client.answer("GET", "/version").body)
    if output:
        found = {"clientVersion": _CLIENT, "kustomizeVersion": _KUSTOMIZE}
        found |= {"serverVersion": server} if server else {}
        text = orjson.dumps(found, option=orjson.OPT_INDENT_2).decode() + "\n"
        session.out.append(text if output == "json" else yaml_text(found) + "\n")
        return
    session.say(f"Client Version: {CLIENT_VERSION}\nKustomize Version: {_KUSTOMIZE}")
    if server:
        session.say(f"Server Version: {server['gitVersion']}")


def api_versions(session: Session) -> None:
    """Run `kubectl api-versions`."""
    if session.arguments.words:
        words = " ".join(session.arguments.words)
        raise usage_error("api-versions", f"unexpected arguments: [{words}]")
    found = []
    for path in ("/api", "/apis"):
        for group in session.client.send("GET", path, accept=DISCOVERY)["items"]:
            name = group["metadata"].get("name", "")
            for version in group["versions"]:
                found.append(f"{name}/{version['version']}" if name else version["version"])
    for version in sorted(found):
        session.say(version)
