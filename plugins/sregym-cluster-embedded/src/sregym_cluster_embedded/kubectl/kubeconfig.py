"""The kubeconfig that a command reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from sregym_cluster_embedded.kubectl.builder import load_all
from sregym_cluster_embedded.kubectl.errors import NotCovered

if TYPE_CHECKING:
    from pathlib import Path

    from sregym_cluster_embedded.kubectl.access import Access
    from sregym_cluster_embedded.store import Object

# The cluster and the user of a kubeconfig as it is handed out.
OWN = ("kubernetes", "kubernetes-admin")
_LISTS = {"clusters": "cluster", "users": "user", "contexts": "context"}


@dataclass(frozen=True)
class Kubeconfig:
    """What a kubeconfig says; empty where there is none.

    Attributes:
        clusters: By name: `server`, `certificate-authority-data` ...
        users: By name: credentials.
        contexts: By name: `cluster`, `user`, `namespace`.
        current: Name of the context that holds.
    """

    clusters: dict[str, Object]
    users: dict[str, Object]
    contexts: dict[str, Object]
    current: str = ""

    @property
    def context(self) -> Object:
        """The context that holds, or an empty one."""
        return self.contexts.get(self.current, {})

    def as_object(self) -> Object:
        """As a file holds it, its fields in the order of the struct."""
        found: Object = {"kind": "Config", "apiVersion": "v1"}
        for field, one in _LISTS.items():
            entries = getattr(self, field)
            found[field] = [{"name": name, one: entries[name]} for name in sorted(entries)] or None
        order = ("kind", "apiVersion", "clusters", "users", "contexts")
        return {name: found[name] for name in order} | {"current-context": self.current}


def read(path: Path) -> Kubeconfig:
    """The kubeconfig at `path`; an empty one when the file has nothing in it or is not there.

    Raises:
        NotCovered: It says more than is known here.
    """
    try:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        documents = list(load_all(text))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise NotCovered("a malformed kubeconfig") from error
    content: Any = documents[0] if documents else None
    if content is None:
        return Kubeconfig({}, {}, {})
    known = {"apiVersion", "kind", "current-context", "preferences", *_LISTS}
    if not isinstance(content, dict) or not set(content) <= known or content.get("preferences"):
        raise NotCovered("an unusual kubeconfig")
    found = {field: _named(content.get(field) or [], one) for field, one in _LISTS.items()}
    return Kubeconfig(**found, current=content.get("current-context") or "")


def _named(entries: Any, one: str) -> dict[str, Object]:
    found: dict[str, Object] = {}
    for entry in entries if isinstance(entries, list) else [entries]:
        held = entry.get(one) or {} if isinstance(entry, dict) else None
        if not isinstance(held, dict) or not isinstance(entry.get("name"), str):
            raise NotCovered("an unusual kubeconfig")
        found[entry["name"]] = held
    return found


def remember(memory: dict[str, Any], path: Path) -> None:
    """Note for later commands what a kubeconfig says that another program has changed."""
    try:
        context = read(path).context
    except NotCovered:
        context = {}
    memory["namespace"] = context.get("namespace", "default")
    memory["redirected"] = (context.get("cluster"), context.get("user")) != OWN


def default_kubeconfig(access: Access) -> Path:
    """The kubeconfig that holds when none is named.

    Raises:
        NotCovered: The cluster has none for this caller.
    """
    if access.kubeconfig is None:
        raise NotCovered("a kubeconfig that is not known")
    return access.kubeconfig()
