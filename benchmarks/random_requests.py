"""Requests of random form, mostly right: what benchmarks/api_fuzz.py sends."""

from __future__ import annotations

import random
from copy import deepcopy
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson
import yaml
from odd_bodies import OddBodies
from sregym_cluster_embedded.api import schema
from sregym_cluster_embedded.api.builtin import BUILT_IN
from sregym_cluster_embedded.api.request import Request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.api.resource import Resource

Sample: TypeAlias = "tuple[Resource, dict[str, Any]]"
JUNK: tuple[Any, ...] = (
    None, "", 0, -1, 1.5, True, [], {}, "x", "1Gi", [None], [{}], [1], {"a": None}, 2**60, 2**70,
    [[]], "a/b", "é", "x" * 300, {"$patch": "delete"}, {"$retainKeys": ["a"]}, "0x10", "-5%",
)  # fmt: skip
TEXTS = (
    "a", "web", "Always", "ClusterIP", "Exists", "", "1", "80", "10.96.0.9", "default", "Never",
    "100m", "RollingUpdate", "shop", "v1", "apps/v1", "* * * * *", "10%", "In", "TCP", "None",
)  # fmt: skip
METHODS = (*("GET", "POST", "POST", "POST", "PUT", "PATCH", "PATCH", "DELETE") * 4, "HEAD", "BREW")
PATCHES = ("strategic-merge-patch+json", "merge-patch+json", "json-patch+json", "apply-patch+yaml")
QUERIES = {
    "limit": ("1", "x", "-1", "0", "9" * 30),
    "continue": ("zzz", "e30", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0", "%"),
    "labelSelector": ("a=b", "a in (b", "a notin (x,y),!c", "=", "a==b,", ",", "a>1", "((", "!"),
    "fieldSelector": ("metadata.name=a", "spec..==", "status.phase!=Running", "a", "=", ","),
    "dryRun": ("All", "x", ""),
    "fieldManager": ("me", "x" * 200, "\n"),
    "force": ("true", "x"),
    "fieldValidation": ("Strict", "Ignore", "Warn", "Other"),
    "watch": ("true", "1", "x"),
    "sendInitialEvents": ("true", "false", "x"),
    "allowWatchBookmarks": ("true", "x"),
    "resourceVersion": ("1", "0", "-1", "x", "99999999", "9" * 30),
    "resourceVersionMatch": ("Exact", "NotOlderThan", "Sometimes"),
    "propagationPolicy": ("Foreground", "Orphan", "Background", "Never"),
    "gracePeriodSeconds": ("0", "-1", "x", "9" * 30),
    "timeoutSeconds": ("1", "y", "-1"),
    "tailLines": ("a", "-1", "5"),
    "sinceSeconds": ("-1", "1"),
    "container": ("c", "nope"),
    "command": ("ls", ""),
    "ports": ("80", "x"),
    "includeObject": ("None", "Object", "x"),
    "pretty": ("true",),
}
ACCEPTS = (
    *(("application/json",) * 12),
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
    "application/yaml",
    "text/x",
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json",
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    "application/vnd.kubernetes.protobuf",
    "application/json;as=Table;v=v9;g=meta.k8s.io",
    "",
    "*/*",
    ";;,=",
)
CONTENTS = (*(("json",) * 8), "yaml", "vnd.kubernetes.protobuf", "x", "octet-stream", "json; a=b")
HEADERS = (
    *("impersonate-user", "impersonate-group", "impersonate-uid", "if-none-match", "if-match", "range"),
    *("authorization", "content-encoding", "accept-encoding", "user-agent", "audit-id", "x-remote-user", "content-length"),
)  # fmt: skip
ODD_HEADERS = (
    "",
    "x",
    "é",
    "*",
    "gzip",
    "Bearer x",
    "Bearer ",
    "Basic YTpi",
    "a,b;q=2",
    "x" * 9000,
    "-1",
    "bytes=0-1",
    "\x00",
)
NOISE = (
    b"", b"{", b"\xff\x00", b"k8s\x00\x0a\x01", b"[]", b"null", b"- a: [", b"5", b'"x"', b"k8s\x00",
    b"&a [*a]", b"a: !!python/object:os.system {}", b"[" * 3000, b'{"a":' * 3000, b"1e999",
    b'{"kind":"Pod","kind":"Pod"}', b"NaN", b'{"metadata":{"name":"\\ud800"}}', b"a: 1\na: 2\n",
    b"? {a: b}\n: c\n", b"2026-01-01", b"{1: 2}", b"k8s\x00" + b"\xff" * 50,
)  # fmt: skip
PATHS = (
    "", "/", "/api", "/apis", "/api/v1", "/apis/apps", "/apis/apps/v1", "/apis/nope/v1", "/version",
    "/openapi/v2", "/openapi/v3", "/openapi/v3/api/v1", "/healthz", "/livez/ping", "/metrics", "//",
    "/api/v1/", "/api/v1//", "/api/v1/namespaces//pods", "/api/v1/namespaces/shop/pods//log", "/é",
    "/apis/apps/v1/namespaces/shop/deployments/a/b/c/d", "/api/v1/pods/a", "/api/v1/watch/pods",
    "/api/v1/namespaces/shop/pods/a/proxy/x/y", "/readyz", "/logs/", "/apis/apps/v9/deployments",
)  # fmt: skip
_COMMON = tuple(
    entry
    for entry in BUILT_IN
    if entry.name
    in (
        *("pods", "services", "configmaps", "deployments.apps", "statefulsets.apps", "jobs.batch"),
        *("resourcequotas", "limitranges", "roles.rbac.authorization.k8s.io"),
        *("clusterroles.rbac.authorization.k8s.io", "rolebindings.rbac.authorization.k8s.io"),
        *("networkpolicies.networking.k8s.io", "persistentvolumeclaims", "daemonsets.apps"),
    )
)


_DELETION = schema.definition("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions")


class Requests:
    """Makes requests from a seed, mostly right: that reaches further than noise does.

    Args:
        seed: Of all chance.
        samples: Objects that a server holds; some requests change one of them a little.
    """

    def __init__(self, seed: int, samples: Sequence[Sample] = ()) -> None:
        self._random = random.Random(seed)
        self._samples = samples
        self._odd = OddBodies(self._random)

    def one(self) -> Request:
        """The next request."""
        pick, chance = self._random.choice, self._random.random
        if self._samples and chance() < 0.5:
            return self._after(pick(self._samples))
        resource = pick((pick(BUILT_IN), *_COMMON)) if chance() > 0.08 else None
        method = pick(METHODS)
        kind = "application/" + (
            pick(PATCHES) if method == "PATCH" and chance() < 0.9 else pick(CONTENTS)
        )
        headers = {"accept": pick(ACCEPTS), "content-type": kind}
        if chance() < 0.05:
            headers[pick(tuple(HEADERS))] = pick(ODD_HEADERS)
        query = self._query()
        if chance() < 0.03:
            return Request(method, pick(PATHS), query, headers, self._body(None, kind, method))
        return Request(
            method, self._path(resource, method), query, headers, self._body(resource, kind, method)
        )

    def _after(self, sample: Sample) -> Request:
        """A request with an object as a server holds it, but for one oddity."""
        pick = self._random.choice
        resource, obj = sample[0], deepcopy(sample[1])
        metadata = obj["metadata"]
        name, namespace = metadata["name"], metadata.get("namespace", "")
        root = f"/apis/{resource.api_version}" if resource.group else f"/api/{resource.version}"
        place = f"{root}/namespaces/{namespace}" if namespace else root
        path = f"{place}/{resource.plural}"
        obj |= {"apiVersion": resource.api_version, "kind": resource.kind}
        method = pick(("POST", "POST", "PUT", "PATCH", "PATCH", "PATCH", "DELETE"))
        content = pick(PATCHES) if method == "PATCH" else "json"
        headers = {"accept": "application/json", "content-type": f"application/{content}"}
        query = (("dryRun", "All"),) if self._random.random() < 0.1 else ()
        if method == "POST":
            for field in ("uid", "resourceVersion"):
                metadata.pop(field, None)
            metadata["name"] = pick(("a", "b", "c", "d"))
        else:
            path += f"/{name}"
            if resource.subresources and self._random.random() < 0.15:
                path += f"/{pick(resource.subresources).name}"
            metadata.pop("resourceVersion", None)
        for _ in range(pick((1, 1, 1, 2))):
            self._odd.spoil(obj, resource.kind)
        if content.startswith("json-patch"):
            return Request(method, path, query, headers, _json(self._differences(obj)))
        if content.startswith("apply"):
            query = (*query, ("fieldManager", "me"), ("force", "true"))
            if isinstance(obj.get("metadata"), dict) and self._random.random() < 0.7:
                obj["metadata"].pop("managedFields", None)
        if method == "PATCH" and self._random.random() < 0.5:
            obj = {
                key: obj[key]
                for key in obj
                if key in ("apiVersion", "kind", "metadata", pick(tuple(obj)))
            }
        if method == "DELETE":
            obj = {"preconditions": pick(({}, None, {"uid": 1}, {"uid": "x"}, []))}
        return Request(method, path, query, headers, _json(obj))

    def _differences(self, obj: dict[str, Any]) -> list[Any]:
        """Operations at places that are there, with odd values."""
        made = []
        for _ in range(self._random.randint(1, 3)):
            value: Any = obj
            path = ""
            while isinstance(value, dict | list) and value and self._random.random() < 0.8:
                key = self._random.choice(
                    list(value) if isinstance(value, dict) else range(len(value))
                )
                path += "/" + str(key).replace("~", "~0").replace("/", "~1")
                value = value[key]
            word = self._random.choice(
                ("add", "remove", "replace", "replace", "copy", "move", "test")
            )
            made.append(
                {
                    "op": word,
                    "path": path,
                    "value": self._odd.value(),
                    "from": path.rpartition("/")[0],
                }
            )
        return made

    def _query(self) -> tuple[tuple[str, str], ...]:
        number = self._random.choice((0, 0, 0, 0, 1, 1, 2, 3))
        names = [self._random.choice(tuple(QUERIES)) for _ in range(number)]
        return tuple((name, self._random.choice(QUERIES[name])) for name in names)

    def _path(self, resource: Resource | None, method: str) -> str:
        pick, chance = self._random.choice, self._random.random
        if resource is None:
            root, plural, namespaced = "/apis/shop.example/v1", "caches", True
            below: tuple[str, ...] = ("status", "scale", "nope")
        else:
            root = f"/apis/{resource.api_version}" if resource.group else f"/api/{resource.version}"
            plural, namespaced = resource.plural, resource.namespaced
            below = (*(sub.name for sub in resource.subresources), "nope")
        if namespaced and chance() < 0.95:
            root += f"/namespaces/{pick((*(('shop',) * 12), 'default', 'none', 'Ü'))}"
        path = f"{root}/{plural}"
        if (method == "POST") == (chance() < 0.08):
            path += f"/{pick((*'abcdabcd', 'web', 'web', 'default', 'A_', 'node1'))}"
            if chance() < 0.25:
                path += f"/{pick(below)}"
        return path

    def _body(self, resource: Resource | None, kind: str, method: str) -> bytes:
        chance = self._random.random
        if chance() < 0.06:
            return self._random.choice(NOISE)
        if "protobuf" in kind:
            return b"k8s\x00" + self._random.randbytes(self._random.randint(0, 60))
        if "json-patch" in kind:
            return _json([self._operation() for _ in range(self._random.randint(0, 3))])
        obj = self._object(resource) if method != "DELETE" else self._struct(_DELETION, 0)
        obj = deepcopy(obj)  # what is odd is taken from one list, and spoilt again
        for _ in range(self._random.choice((0, 0, 0, 1, 2))):
            self._spoil(obj)
        for _ in range(self._random.choice((0, 0, 0, 1, 1, 1, 2))):
            self._odd.spoil(obj, resource.kind if resource is not None else "Cache")
        if "yaml" in kind and chance() < 0.5:
            return yaml.safe_dump(obj).encode()
        return _json(obj)

    def _operation(self) -> Any:
        pick = self._random.choice
        words = ("metadata", "spec", "labels", "name", "replicas", "0", "-", "a~1b", "data", "1e3")
        path = "".join(f"/{pick(words)}" for _ in range(pick((0, 1, 2, 2, 3))))
        word = pick(("add", "remove", "replace", "move", "copy", "test", "nope"))
        full = {"op": word, "path": path, "value": pick(JUNK), "from": "/spec"}
        return pick((full, full, full, {"op": word}, 1, {"op": 1, "path": 2}))

    def _object(self, resource: Resource | None) -> dict[str, Any]:
        if resource is None:
            spec = {"size": self._random.choice((1, 20, "x")), "names": ["a"], "port": 1}
            obj: dict[str, Any] = {"apiVersion": "shop.example/v1", "kind": "Cache", "spec": spec}
        else:
            definition = schema.of_kind(resource.group, resource.version, resource.kind)
            obj = self._struct(definition, 0) if definition else {}
            obj |= {"apiVersion": resource.api_version, "kind": resource.kind}
        metadata = {"name": self._random.choice("abcd"), "labels": {"app": "web"}}
        if self._random.random() < 0.2:
            metadata |= obj.get("metadata") if isinstance(obj.get("metadata"), dict) else {}
        return {**obj, "metadata": metadata}

    def _struct(self, definition: schema.Definition, depth: int) -> dict[str, Any]:
        often = {"metadata", "spec", "template", "containers", "name", "selector", "image"}
        often.update(definition.required)
        return {
            name: self._value(known.type, depth + 1)
            for name, known in definition.fields.items()
            if self._random.random() < (0.9 if name in often else 0.12) * (0.2 if depth > 7 else 1)
        }

    def _value(self, type_: schema.Type, depth: int) -> Any:
        pick = self._random.choice
        if self._random.random() < 0.03:
            return pick(JUNK)
        if type_.form == "struct":
            definition = schema.definition(type_.name)
            if definition.scalar is None:
                return self._struct(definition, depth)
            return pick(("1", 80, "2026-01-01T00:00:00Z", "lots"))
        if type_.form == "list" and type_.item is not None:
            return [self._value(type_.item, depth) for _ in range(pick((0, 1, 1, 2)))]
        if type_.form == "map" and type_.item is not None:
            return {pick(("app", "cpu", "bad key!")): self._value(type_.item, depth)}
        if type_.form == "string":
            return pick(TEXTS)
        return pick((0, 1, 1, 2, 80, -1, True, False))

    def _spoil(self, value: Any) -> None:
        """Change something somewhere inside."""
        while True:
            keys = list(value) if isinstance(value, dict) else list(range(len(value)))
            if not keys or self._random.random() < 0.25:
                break
            below = value[self._random.choice(keys)]
            if not isinstance(below, dict | list):
                break
            value = below
        odd = orjson.loads(orjson.dumps(self._random.choice([j for j in JUNK if j != 2**70])))
        if isinstance(value, list):
            value.append(odd)
        else:
            value[self._random.choice([*value, "nope", "$patch"])] = odd


def _json(value: Any) -> bytes:
    try:
        return orjson.dumps(value)
    except (TypeError, ValueError):  # what only others send: wide integers, halves of characters
        import json

        return json.dumps(value).encode()
