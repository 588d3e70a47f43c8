"""Recorded answers to GET: tables and discovery documents."""

from __future__ import annotations

import difflib
import json
import re
import tempfile
from pathlib import Path
from typing import Any

import orjson

from harness.cluster import Shell, fresh_world
from harness.results import Failure, Result

# The tables' own namespace and the one custom resource among them: what they hold besides is not
# recorded, so that of rows only those of the cluster itself can be compared.
NAMESPACE = "shop-tables"
CACHES = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "caches.tables.example"},
    "spec": {
        "group": "tables.example",
        "scope": "Namespaced",
        "names": {
            "plural": "caches",
            "singular": "cache",
            "kind": "Cache",
            "listKind": "CacheList",
        },
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "x-kubernetes-preserve-unknown-fields": True,
                    }
                },
                "additionalPrinterColumns": [
                    {"name": "Size", "type": "integer", "jsonPath": ".spec.size", "priority": 1}
                ],
            }
        ],
    },
}
WEB = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": NAMESPACE},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "web", "image": "registry.example/shop/web:1.0"}]},
        },
    },
}
# Ages, moments, and what is the machine's: names of its kernel and system, the runtime's version.
MASKED = re.compile(
    r"^(?:\d+(?:ms|[smhdy]))+$|^<unknown>$|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
    r"|^Debian GNU/Linux.*|^\d+\.\d+\.\d+.* \(amd64\)$|^containerd://.*"
)
# Members that differ from cluster to cluster: a digest of the schema, a place in a list.
VOLATILE = ("resourceVersion", "continue", "remainingItemCount", "serverRelativeURL")


def replay(path: Path, area: str) -> Result:
    """Ask again what was asked and compare status, media type and body."""
    recorded = orjson.loads(path.read_bytes())
    request = recorded["request"]
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        shell = Shell(fresh_world("documents"), Path(folder))
        if area == "tables":
            extra_setup(shell)
        answer = shell.call("GET", request["path"], accept=request["accept"])
    try:
        body = orjson.loads(answer.body)
    except orjson.JSONDecodeError:
        body = answer.body.decode(errors="replace")
    got = {"status": answer.status, "content_type": answer.content_type, "body": body}
    wanted = {key: recorded.get(key) for key in got}
    one, other = text_of(wanted), text_of(got)
    if area == "tables":
        single = "/deployments/web" in request["path"]
        one, other = text_of(tabular(wanted, single)), text_of(tabular(got, single))
    if one == other:
        return Result(area, path.stem, 1, 1)
    lines = difflib.unified_diff(
        one.splitlines(), other.splitlines(), "recorded", "embedded", lineterm="", n=1
    )
    failure = Failure(0, f"GET {request['path']}", tuple(list(lines)[2:]))
    return Result(area, path.stem, 0, 1, [failure])


def extra_setup(shell: Shell) -> None:
    """Make what the paths of the tables name."""
    shell.make_namespace(NAMESPACE)
    shell.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", CACHES)
    other = {**WEB, "metadata": {"name": "web-b"}}
    for deployment in (WEB, other):
        shell.call("POST", f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments", deployment)
    shell.advance(30.0)


def tabular(answer: dict[str, Any], one: bool) -> dict[str, Any]:
    """A table with those rows that are comparable, masked: all of them when it shows `one` object."""
    body = answer["body"]
    if not isinstance(body, dict) or "rows" not in body:
        return {**answer, "body": {k: v for k, v in body.items() if k != "items"}}
    rows = [row["cells"] for row in body["rows"] if one or is_own(row)]
    masked = [[MASKED.sub("<masked>", str(cell)) for cell in cells] for cells in rows]
    return {**answer, "body": {**body, "rows": masked}}


def is_own(row: dict[str, Any]) -> bool:
    """Whether a row is of an object that the cluster made itself."""
    metadata = (row.get("object") or {}).get("metadata", {})
    return metadata.get("namespace") != NAMESPACE and "tables" not in json.dumps(row["cells"])


def text_of(document: Any) -> str:
    """JSON with sorted keys, a line a value, what differs from cluster to cluster masked."""
    text = json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False)
    for name in VOLATILE:
        text = re.sub(rf'("{name}": )("[^"]*"|\d+)', r"\1<masked>", text)
    return text
