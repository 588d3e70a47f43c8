"""Collect the column definitions of server-side tables from answers of a real API server.

    python tools/generate_columns.py FOLDER

reads every recorded answer to a list with `as=Table` in FOLDER and writes `columns.json.gz` into
`api/data`: for each resource name a list of [name, type, format, description, priority].
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path
from typing import Any

import orjson

DATA = Path(__file__).parents[1] / "src/sregym_cluster_embedded/api/data"
PARTS = ("name", "type", "format", "description", "priority")


def main(folder: Path) -> None:
    """Write the columns of all built-in resources that FOLDER has tables of."""
    columns: dict[str, list[list[Any]]] = {}
    for path in sorted(folder.glob("*.json")):
        recorded = orjson.loads(path.read_bytes())
        body, address = recorded["body"], recorded["request"]["path"]
        if body.get("kind") == "Table" and ".example/" not in address:
            columns[resource_of(address)] = [
                [column[part] for part in PARTS] for column in body["columnDefinitions"]
            ]
    encoded = gzip.compress(orjson.dumps(dict(sorted(columns.items()))), 9, mtime=0)
    (DATA / "columns.json.gz").write_bytes(encoded)


def resource_of(address: str) -> str:
    """`/apis/apps/v1/namespaces/x/deployments?a=b` -> `deployments.apps`."""
    parts = address.partition("?")[0].strip("/").split("/")
    group = "" if parts[0] == "api" else parts[1]
    rest = parts[2:] if parts[0] == "api" else parts[3:]
    if rest[0] == "namespaces" and len(rest) > 2:
        rest = rest[2:]
    return f"{rest[0]}.{group}" if group else rest[0]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
