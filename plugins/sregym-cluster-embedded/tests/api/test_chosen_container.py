"""Which container a request for logs or a stream means when clients do not ask kubectl."""

from __future__ import annotations

import pytest

POD = "/api/v1/namespaces/shop/pods/p"


@pytest.fixture
def two(client, make_pod):
    """A pod with two containers, one before them, and one that kubectl takes by default."""
    pod = make_pod(nodeName="node1", initContainers=[{"name": "first", "image": "i"}])
    pod["spec"]["containers"] = [{"name": name, "image": "i"} for name in ("a", "b")]
    pod["metadata"]["annotations"] = {"kubectl.kubernetes.io/default-container": "b"}
    client("POST", "/api/v1/namespaces/shop/pods", pod)


@pytest.mark.parametrize("what", ["exec", "attach", "log"])
@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({}, "a container name must be specified for pod p, choose one of: [first a b]"),
        ({"container": "c"}, "container c is not valid for pod p"),
    ],
)
def test_a_container_that_cannot_be_meant_is_refused(client, two, what, query, message):
    answer = client("GET", f"{POD}/{what}", stdout="true", command="ls", **query)
    assert (answer["code"], answer["reason"], answer["message"]) == (400, "BadRequest", message)
