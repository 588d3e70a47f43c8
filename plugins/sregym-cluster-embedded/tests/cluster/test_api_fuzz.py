"""A short run of benchmarks/api_fuzz.py: no request breaks the server or its promises."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from sregym_cluster_embedded.api.request import Request, Response

SCRIPT = Path(__file__).parents[4] / "benchmarks" / "api_fuzz.py"


@pytest.fixture(scope="module")
def fuzz():
    spec = spec_from_file_location("api_fuzz", SCRIPT)
    module = module_from_spec(spec)
    sys.modules["api_fuzz"] = module
    sys.path.insert(0, str(SCRIPT.parent))
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(SCRIPT.parent))
    for name in ("api_fuzz", "random_requests", "odd_bodies"):
        del sys.modules[name]


@pytest.mark.parametrize("requests", [600, pytest.param(1500, marks=pytest.mark.thorough)])
def test_nothing_breaks(fuzz, requests):
    tally = fuzz.run(fuzz.prepared(), requests, seed=42)
    assert tally.broken == []
    assert {200, 201, 400, 404, 405, 406, 409, 415, 422} <= tally.statuses.keys()


def test_what_is_broken_would_be_seen(fuzz, monkeypatch):
    def careless(world, request):
        world.store.put("configmaps", {"metadata": {"name": "left", "namespace": "shop"}})
        return Response(500, b'{"kind":"Status","status":"Failure","message":"x","code":400}')

    base = fuzz.prepared()
    monkeypatch.setattr(fuzz, "served", careless)
    tally = fuzz.run(base, 3, seed=1)
    assert [text.partition(":")[0] for text in tally.broken] == ["a Status that does not fit"] * 3


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b'{"kind":"Status","status":"Failure","message":"x","reason":"Gone","code":409}',
         "an unknown reason, or the reason of another code"),
        (b'{"kind":"Pod"}', "a refusal without a Status"),
        (b'{"kind":"Status","status":"Failure","message":"x","reason":"Conflict","code":409}', ""),
    ],
)  # fmt: skip
def test_a_refusal_is_looked_at(fuzz, body, why):
    assert fuzz._wrong(Response(409, body), Request("GET", "/api/v1/pods")) == why
