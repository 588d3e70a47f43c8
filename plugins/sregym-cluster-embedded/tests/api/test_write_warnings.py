"""What the API server allows with a warning."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from sregym_cluster_embedded.api import resources
from sregym_cluster_embedded.api.validation import write_warnings

SPECS = {
    "{nodeSelector: {beta.kubernetes.io/os: linux}}": [
        "spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "
        '"kubernetes.io/os" instead'
    ],
    "{topologySpreadConstraints: [{topologyKey: a}]}": [
        "spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching "
        "no pod"
    ],
    "{containers: [{name: a, env: [{name: X, value: a}, {name: X, value: b}]}]}": [
        'spec.containers[0].env[1]: hides previous definition of "X", which may be dropped when '
        "using apply"
    ],
    "{containers: [{name: a, env: [{name: X, value: a}, {name: X, value: $(X)b}]}]}": [],
    "{containers: [{name: a, resources: {limits: {memory: 100m}}}]}": [
        'spec.containers[0].resources.limits[memory]: fractional byte value "100m" is invalid, must '
        "be an integer"
    ],
    "{containers: [{name: a, ports: [{containerPort: 80}]}, {name: b, ports: [{containerPort: 80}, "
    "{containerPort: 80, hostPort: 81}]}]}": [
        "spec.containers[1].ports[0]: duplicate port definition with spec.containers[0].ports[0]",
        "spec.containers[1].ports[1]: overlapping port definition with spec.containers[0].ports[0]",
        "spec.containers[1].ports[1]: overlapping port definition with spec.containers[1].ports[0]",
    ],
    "{imagePullSecrets: [{name: a}, {name: a}, {}]}": [
        'spec.imagePullSecrets[1].name: duplicate name "a"',
        'spec.imagePullSecrets[2].name: invalid empty name ""',
    ],
    "{terminationGracePeriodSeconds: -1}": [
        "spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be "
        "treated as 1"
    ],
}


@pytest.mark.parametrize(("spec", "texts"), list(SPECS.items()))
def test_of_a_pod(spec: str, texts: list[str]) -> None:
    pod = {"metadata": {"name": "p"}, "spec": yaml.safe_load(spec)}
    assert write_warnings.of(kind("pods"), pod, None) == texts
    assert write_warnings.of(kind("pods"), pod, pod) == []


def test_of_a_template_only_when_it_changes() -> None:
    template = {"spec": {"containers": [{"resources": {"requests": {"memory": "1.5"}}}]}}
    new = {"metadata": {"name": "d"}, "spec": {"template": template}}
    found = [
        "spec.template.spec.containers[0].resources.requests[memory]: fractional byte value "
        '"1500m" is invalid, must be an integer'
    ]
    assert write_warnings.of(kind("deployments.apps"), new, None) == found
    assert write_warnings.of(kind("deployments.apps"), new, new) == []
    assert write_warnings.of(kind("deployments.apps"), new, {"spec": {}}) == found


def test_of_an_ingress_with_the_old_annotation() -> None:
    obj = {"metadata": {"annotations": {"kubernetes.io/ingress.class": "nginx"}}}
    found = write_warnings.of(kind("ingresses.networking.k8s.io"), obj, None)
    assert found == [
        'annotation "kubernetes.io/ingress.class" is deprecated, please use '
        "'spec.ingressClassName' instead"
    ]


def kind(name: str) -> Any:
    """A built-in type."""
    return resources.named(name)
