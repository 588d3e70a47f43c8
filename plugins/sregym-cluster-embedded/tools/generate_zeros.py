"""Which fields of the API's types are written even when they hold nothing.

    python tools/generate_zeros.py PATH

reads the Go types below `PATH` (the folder with the modules `api`, `apimachinery` and
`apiextensions-apiserver` of one Kubernetes version) and writes `zeros.json` into `api/data`: for
each definition of `structure.json.gz` its texts, numbers and truth values that are pointers or have
no `omitempty`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import orjson
from sregym_cluster_embedded.api import schema

DATA = Path(__file__).parents[1] / "src/sregym_cluster_embedded/api/data"
META = "apimachinery/pkg/apis/meta/v1"
EXTENSIONS = "apiextensions-apiserver/pkg/apis/apiextensions/v1"
_STRUCT = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"^\s+(?:\w+\s+)?(\*?)([\w.\[\]{}*]+)\s+`.*json:\"([^\"]*)\".*`", re.MULTILINE)
_PLAIN = ("string", "integer", "boolean")
# Served from a module of its own.
AGGREGATION = "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1."
AGGREGATED = {
    "APIServiceCondition": ["status", "type"],
    "APIServiceSpec": ["groupPriorityMinimum", "versionPriority"],
    "ServiceReference": ["port"],
}

Struct = list[tuple[str, bool, bool, str]]


def main(root: Path) -> None:
    """Write the file from the sources below `root`."""
    structs: dict[str, Struct] = {}
    for folder, prefix in packages(root):
        for path in sorted(folder.glob("*.go")):
            if not path.name.startswith(("zz_", "generated")):
                structs |= read(path.read_text(), prefix)
    kept = {name: fields for name in schema.names() if (fields := kept_of(name, structs))}
    kept |= {f"{AGGREGATION}{name}": fields for name, fields in AGGREGATED.items()}
    (DATA / "zeros.json").write_bytes(orjson.dumps(kept, option=orjson.OPT_SORT_KEYS))


def packages(root: Path) -> Iterator[tuple[Path, str]]:
    """Folders with types, and how the definitions of each are called."""
    yield root / META, "io.k8s.apimachinery.pkg.apis.meta.v1"
    yield root / EXTENSIONS, "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1"
    for folder in sorted((root / "api").glob("*/*")):
        if folder.is_dir():
            yield folder, f"io.k8s.api.{folder.parent.name}.{folder.name}"


def read(text: str, prefix: str) -> dict[str, Struct]:
    """The structs of a file: (JSON name, pointer, omitted when empty, Go type) of each field."""
    found = {}
    for match in _STRUCT.finditer(text):
        fields = []
        for pointer, type_, tag in _FIELD.findall(match[2]):
            name, _, options = tag.partition(",")
            fields.append((name, bool(pointer), "omit" in options, type_))
        found[f"{prefix}.{match[1]}"] = fields
    return found


def kept_of(name: str, structs: dict[str, Struct]) -> list[str]:
    """The fields of a definition that are written when empty."""
    definition = schema.definition(name)
    flags = dict(_flags(name, structs))
    return [
        field
        for field, known in definition.fields.items()
        if known.type.form in _PLAIN and flags.get(field)
    ]


def _flags(name: str, structs: dict[str, Struct]) -> Iterator[tuple[str, bool]]:
    prefix = name.rpartition(".")[0]
    for field, pointer, omitted, type_ in structs.get(name, ()):
        if field:
            yield field, pointer or not omitted
        else:
            yield from _flags(f"{prefix}.{type_}", structs)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
