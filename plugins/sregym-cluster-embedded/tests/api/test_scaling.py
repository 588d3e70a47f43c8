"""Scales as clients write them."""

from __future__ import annotations

SCALE = "/apis/apps/v1/namespaces/shop/deployments/web/scale"
STRATEGIC = "application/strategic-merge-patch+json"
MERGE = "application/merge-patch+json"


def test_a_strategic_patch_may_call_a_scale_what_it_scales(client, make_deployment):
    client("POST", "/apis/apps/v1/namespaces/shop/deployments", make_deployment())
    patch = {"kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": 3}}
    answer = client("PATCH", SCALE, patch, content=STRATEGIC)
    assert (answer["apiVersion"], answer["kind"]) == ("autoscaling/v1", "Scale")
    assert answer["spec"] == {"replicas": 3}
    refused = client("PATCH", SCALE, patch, content=MERGE)
    assert (refused["code"], refused["message"]) == (
        400,
        "the API version in the data (autoscaling/v1, Kind=Deployment) does not match the expected "
        "API version (autoscaling/v1, Kind=Scale)",
    )
