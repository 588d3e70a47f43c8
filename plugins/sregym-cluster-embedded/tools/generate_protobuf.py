"""The numbers under which the fields of the API's types stand in protobuf.

    python tools/generate_protobuf.py PATH

reads the files `generated.proto` below `PATH` (the folder with the modules `api`, `apimachinery` and
`apiextensions-apiserver` of one Kubernetes version) and writes `protobuf.json.gz` into the `data` of
the toolkit `sregym_kubernetes`: for each kind that has a definition in `structure.json.gz` its message,
and for each message its fields in the form that `sregym_kubernetes.protobuf` describes.
"""

from __future__ import annotations

import gzip
import re
import sys
from collections.abc import Iterable
from pathlib import Path

import orjson
from sregym_cluster_embedded.api import schema

DATA = Path(__file__).parents[3] / "sregym_kubernetes/src/sregym_kubernetes/data"
_MESSAGE = re.compile(r"^message (\w+) \{\n(.*?)^\}", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"^  (optional|repeated|map<string, *([\w.]+)>) ?([\w.]*) (\w+) = (\d+);", re.M)
_TARGET = re.compile(r"[@^](\S+)$")
_PACKAGE = re.compile(r"^package ([\w.]+);", re.M)
_APIMACHINERY = "k8s.io.apimachinery.pkg"
_EXTENSIONS = "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1"
_AUTHENTICATION, _AUTHORIZATION = "k8s.io.api.authentication.v1", "k8s.io.api.authorization.v1"
_CODES = {
    "string": "s",
    "bytes": "y",
    "bool": "b",
    "double": "d",
    "int32": "i",
    "int64": "i",
    f"{_APIMACHINERY}.api.resource.Quantity": "Q",
    f"{_APIMACHINERY}.apis.meta.v1.Time": "T",
    f"{_APIMACHINERY}.apis.meta.v1.MicroTime": "M",
    f"{_APIMACHINERY}.util.intstr.IntOrString": "I",
    f"{_APIMACHINERY}.runtime.RawExtension": "R",
    f"{_APIMACHINERY}.apis.meta.v1.FieldsV1": "R",
    f"{_EXTENSIONS}.JSON": "R",
    f"{_EXTENSIONS}.JSONSchemaPropsOrArray": f"A@{_EXTENSIONS}.JSONSchemaProps",
    f"{_EXTENSIONS}.JSONSchemaPropsOrStringArray": f"P@{_EXTENSIONS}.JSONSchemaProps",
    f"{_EXTENSIONS}.JSONSchemaPropsOrBool": f"B@{_EXTENSIONS}.JSONSchemaProps",
    f"{_AUTHENTICATION}.ExtraValue": "E",
    f"{_AUTHORIZATION}.ExtraValue": "E",
    "k8s.io.api.certificates.v1.ExtraValue": "E",
}
# Served from a module of its own.
_AGGREGATION = "k8s.io.kube_aggregator.pkg.apis.apiregistration.v1"
_AGGREGATED = {
    "APIService": {"1": f"metadata @{_APIMACHINERY}.apis.meta.v1.ObjectMeta"}
    | {
        "2": f"spec @{_AGGREGATION}.APIServiceSpec",
        "3": f"status @{_AGGREGATION}.APIServiceStatus",
    },
    "APIServiceSpec": {"1": f"service @{_AGGREGATION}.ServiceReference", "2": "group s"}
    | {"3": "version s", "4": "insecureSkipTLSVerify b", "5": "caBundle y"}
    | {"7": "groupPriorityMinimum i", "8": "versionPriority i"},
    "APIServiceStatus": {"1": f"conditions []@{_AGGREGATION}.APIServiceCondition"},
    "APIServiceCondition": {"1": "type s", "2": "status s", "3": "lastTransitionTime T"}
    | {"4": "reason s", "5": "message s"},
    "ServiceReference": {"1": "namespace s", "2": "name s", "3": "port i"},
}

Messages = dict[str, dict[str, str]]


def main(root: Path) -> None:
    """Write the file from the sources below `root`."""
    messages: Messages = {f"{_AGGREGATION}.{name}": one for name, one in _AGGREGATED.items()}
    for path in sorted(root.glob("*/**/generated.proto")):
        messages |= read(path.read_text())
    kinds = {
        "/".join(part for part in kind if part): message
        for name in schema.names()
        if (message := message_of(name)) in messages
        for kind in schema.definition(name).kinds
    }
    options = f"{_APIMACHINERY}.apis.meta.v1.DeleteOptions"
    kinds = {kind: name for kind, name in kinds.items() if name != options}
    kinds["v1/DeleteOptions"] = options
    kept = {name: messages[name] for name in reachable(messages, kinds.values())}
    text = orjson.dumps({"kinds": kinds, "messages": kept}, option=orjson.OPT_SORT_KEYS)
    (DATA / "protobuf.json.gz").write_bytes(gzip.compress(short(text), mtime=0))


def short(text: bytes) -> bytes:
    """Names without what all have in common."""
    for long, brief in ((_APIMACHINERY, "machinery"), (_EXTENSIONS, "extensions"), ("k8s.io.", "")):
        text = text.replace(long.encode(), brief.encode())
    return text


def message_of(definition: str) -> str:
    """How the message of a definition is called."""
    return definition.replace("io.k8s.", "k8s.io.", 1).replace("-", "_")


def read(text: str) -> Messages:
    """The messages of a file."""
    package = _PACKAGE.search(text)
    assert package is not None
    prefix = package[1]
    found: Messages = {}
    for name, body in _MESSAGE.findall(text):
        fields: dict[str, str] = {}
        for label, value, type_, field, number in _FIELD.findall(body):
            form = "[]" if label == "repeated" else "{}" if value else ""
            code = code_of(value or type_, prefix)
            fields[number] = named(f"{prefix}.{name}", field, form + code)
        found[f"{prefix}.{name}"] = fields
    return found


def code_of(type_: str, prefix: str) -> str:
    """The code of a type; names without a package are of this one."""
    name = type_.removeprefix(".")
    full = name if name in _CODES or "." in name else f"{prefix}.{name}"
    return _CODES.get(full, f"@{full}")


def named(message: str, field: str, code: str) -> str:
    """A field under its name in JSON; one that is none there stands for its fields."""
    definition = message.replace("k8s.io.", "io.k8s.", 1).replace("_", "-")
    if definition not in schema.names():
        return f"{field} {code}"
    known = {_plain(name): name for name in schema.definition(definition).fields}
    if _plain(field) in known:
        return f"{known[_plain(field)]} {code}"
    return f"{field} ^{code[1:]}" if code.startswith("@") else f"{field} {code}"


def _plain(name: str) -> str:
    return re.sub(r"[$-]", "", name).lower()


def reachable(messages: Messages, roots: Iterable[str]) -> list[str]:
    """The messages that these need, these included."""
    left, seen = [*roots], dict[str, None]()
    while left:
        name = left.pop()
        if name in seen:
            continue
        seen[name] = None
        for text in messages[name].values():
            target = _TARGET.search(text)
            if target is not None:
                left.append(target[1])
    return sorted(seen)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
