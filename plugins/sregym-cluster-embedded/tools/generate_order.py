"""In which order the fields of the API's types are written.

    python tools/generate_order.py PATH

reads the Go types below `PATH`, as `generate_zeros.py` does, and writes `order.json.gz` into `api/data`:
for each definition of `structure.json.gz` the names of its fields in the order of the struct, where
that is not the alphabet's.
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from pathlib import Path

import orjson
from generate_zeros import DATA, Struct, packages, read
from sregym_cluster_embedded.api import schema


def main(root: Path) -> None:
    """Write the file from the sources below `root`."""
    structs: dict[str, Struct] = {}
    for folder, prefix in packages(root):
        for path in sorted(folder.glob("*.go")):
            if not path.name.startswith(("zz_", "generated")):
                structs |= read(path.read_text(), prefix)
    found = {}
    for name in schema.names():
        known = schema.definition(name).fields
        order = [field for field in fields(name, structs) if field in known]
        if order != sorted(known) and len(order) == len(known):
            found[name] = order
    text = orjson.dumps(found, option=orjson.OPT_SORT_KEYS)
    (DATA / "order.json.gz").write_bytes(gzip.compress(text, mtime=0))


def fields(name: str, structs: dict[str, Struct]) -> Iterator[str]:
    """The fields of a struct in order, those of embedded ones at their place."""
    prefix = name.rpartition(".")[0]
    for field, _, _, type_ in structs.get(name, ()):
        if field:
            yield field
        elif type_.endswith("TypeMeta"):
            yield from ("kind", "apiVersion")
        else:
            yield from fields(f"{prefix}.{type_}", structs)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
