"""Documents that clients keep: under which tag, for how long, and what a look for news costs."""

from __future__ import annotations

import pytest
from sregym_cluster_embedded.api.request import Request, Response
from sregym_cluster_embedded.api.server import handle

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


def get(world, path, **headers):
    path, _, hash_ = path.partition("?hash=")
    query = (("hash", hash_),) if hash_ else ()
    answer = handle(world, Request("GET", path, query, headers))
    assert isinstance(answer, Response)
    return answer


def tag(answer):
    return answer.headers.get("ETag") or answer.headers.get("Etag")


@pytest.mark.parametrize("path", ["/apis", "/api", "/openapi/v2", "/openapi/v3", "/openapi/v3/api"])
def test_what_has_not_changed_is_not_sent_again(world, path):
    first = get(world, path, accept=f"{AGGREGATED},application/json")
    again = get(
        world, path, accept=f"{AGGREGATED},application/json", **{"if-none-match": tag(first)}
    )
    assert (again.status, again.body, tag(again)) == (304, b"", tag(first))
    other = get(world, path, accept="application/json", **{"if-none-match": '"other"'})
    assert other.status == 200


def test_a_document_is_kept_under_its_hash(world):
    path = "/openapi/v3/apis/apps/v1"
    bare = get(world, path)
    assert sorted(bare.headers) == ["Etag", "Vary"]
    hash_ = tag(bare).strip('"')
    kept = get(world, f"{path}?hash={hash_}")
    assert (kept.status, kept.body, dict(kept.headers)) == (
        200,
        bare.body,
        {
            "Vary": "Accept",
            "Etag": f'"{hash_}"',
            "Cache-Control": "public, immutable",
            "Expires": kept.headers["Expires"],
        },
    )
    assert kept.headers["Expires"].endswith(" UTC")
    moved = get(world, f"{path}?hash=OLD")
    assert (moved.status, moved.headers["Location"]) == (301, f"{path}?hash={hash_}")


@pytest.mark.parametrize("path", ["/api", "/apis"])
def test_discovery_is_looked_for_again_however_far_ahead_the_world_is(world, path):
    answer = get(world, path, accept=AGGREGATED)
    assert sorted(answer.headers) == ["ETag", "Vary"]
