"""Requests of random form: each gets an answer, none an exception, and reads change nothing."""

from __future__ import annotations

import random

import orjson
import pytest
from sregym_cluster_embedded.api import resources, schema
from sregym_cluster_embedded.api.request import Response, Watch

JUNK = (None, "", 0, -1, 1.5, True, [], {}, "x", "1Gi", [None], [{}], [1], {"a": None}, 2**60, [[]])
PATCHES = ("strategic-merge-patch+json", "merge-patch+json", "json-patch+json", "apply-patch+yaml")


def value(rng, type_, depth):
    if rng.random() < 0.12:
        return rng.choice(JUNK)
    if type_.form == "struct":
        definition = schema.definition(type_.name)
        if definition.scalar is None:
            return struct(rng, definition, depth)
        return rng.choice(("1", 80, "2026-01-01T00:00:00Z", "lots"))
    if type_.form == "list":
        return [value(rng, type_.item, depth) for _ in range(rng.randint(0, 2))]
    if type_.form == "map":
        return {rng.choice(("a", "cpu", "bad key!")): value(rng, type_.item, depth)}
    if type_.form == "string":
        return rng.choice(("a", "web", "Always", "ClusterIP", "Exists", ""))
    return rng.choice((0, 1, 80, -1, True, False))


def struct(rng, definition, depth=0):
    often = {"metadata", "spec", "template", "containers", "name", "selector"}
    return {
        name: value(rng, field.type, depth + 1)
        for name, field in definition.fields.items()
        if rng.random() < (0.9 if name in often else 0.15) * (0.3 if depth > 7 else 1)
    }


@pytest.mark.parametrize("seed", range(4))
def test_every_request_gets_an_answer(client, seed):
    rng = random.Random(seed)
    for _ in range(150):
        kind = rng.choice(resources.BUILT_IN)
        definition = schema.of_kind(kind.group, kind.version, kind.kind)
        sent = struct(rng, definition)
        if rng.random() < 0.8:
            sent["metadata"] = {"name": rng.choice("abc")}
        base = f"/apis/{kind.api_version}" if kind.group else f"/api/{kind.version}"
        base += "/namespaces/shop" * kind.namespaced + f"/{kind.plural}"
        method = rng.choice(("POST", "POST", "POST", "PUT", "PATCH", "GET", "DELETE"))
        path = base if method == "POST" else f"{base}/{rng.choice('abc')}"
        content = f"application/{rng.choice(PATCHES)}" if method == "PATCH" else "application/json"
        data = orjson.dumps(sent, option=orjson.OPT_NON_STR_KEYS, default=str)
        query = {"fieldManager": "m"} if method == "PATCH" else {}
        answer = client.raw(method, path, data, content=content, **query)
        assert isinstance(answer, Response | Watch)
        assert not isinstance(answer, Response) or answer.status < 500, answer.body
        accept = "application/json;as=Table;v=v1;g=meta.k8s.io"
        before = client.world.store.revision
        client.raw("GET", base, accept=accept)
        assert client.world.store.revision == before
