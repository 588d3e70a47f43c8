"""Reading kubeconfigs: several files as kubectl joins them, reduced to the one context in use."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from sregym_core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_kubernetes.options import ClusterOptions

# Fields that hold names of files; a relative one is meant from the folder of its kubeconfig.
_FILE_FIELDS = {
    "clusters": ("cluster", ("certificate-authority",)),
    "users": ("user", ("client-certificate", "client-key", "tokenFile")),
}
_LISTS = ("clusters", "contexts", "users")


def read_config(options: ClusterOptions) -> dict[str, Any]:
    """The kubeconfig, reduced to one context, with file names made absolute.

    Raises:
        UsageError: There is none, it is damaged, or it has no such context.
    """
    location = options.kubeconfig or os.environ.get("KUBECONFIG", "~/.kube/config")
    files = [Path(part).expanduser() for part in location.split(os.pathsep) if part]
    contents = [(file, _read(file)) for file in files if file.exists()]
    if not contents:
        msg = f"no kubeconfig at {location!r}; set KUBECONFIG or use --cluster kubeconfig:kubeconfig=FILE"
        raise UsageError(msg)
    current = next((str(c["current-context"]) for _, c in contents if c.get("current-context")), "")
    entries = {kind: _entries(contents, kind) for kind in _LISTS}
    contexts = entries["contexts"]
    name = options.context or current
    if name not in contexts:
        known = ", ".join(sorted(contexts)) or "none"
        wanted = f"no context {name!r}" if name else "no current context"
        msg = f"kubeconfig {location!r} has {wanted}; known: {known}"
        raise UsageError(msg)
    chosen = contexts[name].get("context") or {}
    found = {
        kind: _named(entries[kind], kind, str(chosen.get(key, "")), name, location)
        for kind, key in (("clusters", "cluster"), ("users", "user"))
    }
    if not (found["clusters"].get("cluster") or {}).get("server"):
        msg = f"kubeconfig {location!r}, cluster {chosen['cluster']!r}: it has no server"
        raise UsageError(msg)
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": name,
        "contexts": [contexts[name]],
        "clusters": [found["clusters"]],
        "users": [found["users"]],
    }


def _read(file: Path) -> dict[str, Any]:
    try:
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f", line {mark.line + 1}" if mark is not None else ""
        msg = (
            f"kubeconfig {str(file)!r}{place}: not YAML: {getattr(error, 'problem', None) or error}"
        )
        raise UsageError(msg) from error
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        msg = f"kubeconfig {str(file)!r} cannot be read: {why}"
        raise UsageError(msg) from error
    if content is None:
        return {}
    if not isinstance(content, dict):
        msg = f"kubeconfig {str(file)!r}: a mapping of fields is needed, this is {type(content).__name__}"
        raise UsageError(msg)
    return content


def _entries(contents: list[tuple[Path, dict[str, Any]]], kind: str) -> dict[str, dict[str, Any]]:
    """By name; the first file that has a name wins, as with kubectl."""
    found: dict[str, dict[str, Any]] = {}
    for file, content in contents:
        for entry in content.get(kind) or ():
            if not isinstance(entry, dict) or "name" not in entry:
                msg = f"kubeconfig {str(file)!r}: an entry of {kind!r} has no name"
                raise UsageError(msg)
            found.setdefault(str(entry["name"]), _absolute(entry, kind, file))
    return found


def _absolute(entry: Mapping[str, Any], kind: str, file: Path) -> dict[str, Any]:
    inner, names = _FILE_FIELDS.get(kind, ("", ()))
    body = dict(entry.get(inner) or {})
    if not body:
        return dict(entry)
    folder = file.absolute().parent
    body.update({name: str(folder / body[name]) for name in names if body.get(name)})
    return {**entry, inner: body}


def _named(
    entries: Mapping[str, dict[str, Any]], kind: str, name: str, context: str, location: str
) -> dict[str, Any]:
    if name in entries:
        return entries[name]
    msg = f"kubeconfig {location!r}: context {context!r} names {name!r}, which is not among its {kind}"
    raise UsageError(msg)
