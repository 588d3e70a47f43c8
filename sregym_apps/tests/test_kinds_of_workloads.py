"""Components with several containers, Services and kinds of workloads."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from sregym_apps.components import components_of_operators, derive_components
from sregym_apps.notes import ComponentNotes
from sregym_core.errors import UsageError
from sregym_core.model import Component, ContainerKind, ObjectRef, VolumeUse

MANIFESTS = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: proxy-config, namespace: shop}
data: {proxy.json: '{"upstream": "localhost:8080"}'}
---
apiVersion: v1
kind: Service
metadata: {name: cart-admin, namespace: shop}
spec: {selector: {app: cart}, ports: [{port: 9901}]}
---
apiVersion: v1
kind: Service
metadata: {name: cart-pods, namespace: shop}
spec: {clusterIP: None, selector: {app: cart}, ports: [{port: 8080}]}
---
apiVersion: v1
kind: Service
metadata: {name: cart, namespace: shop}
spec: {selector: {app: cart}, ports: [{port: 80, targetPort: http}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: cart, namespace: shop}
spec:
  template:
    metadata: {labels: {app: cart}}
    spec:
      initContainers:
        - {name: migrate, image: "acme/migrate:1"}
        - {name: agent, image: "acme/agent:1", restartPolicy: Always}
      containers:
        - name: proxy
          image: acme/proxy:1
          ports: [{containerPort: 9901}]
          volumeMounts: [{name: config, mountPath: /etc/proxy}]
        - name: app
          image: acme/cart:1
          ports: [{name: http, containerPort: 8080}]
      volumes:
        - name: config
          projected: {sources: [{configMap: {name: proxy-config}}]}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: cart, namespace: shop}
spec:
  schedule: "*/5 * * * *"
  jobTemplate:
    spec:
      template:
        metadata: {labels: {app: sweep}}
        spec: {restartPolicy: Never, containers: [{name: sweep, image: "acme/sweep:1"}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: fill, namespace: shop}
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: fill, image: "acme/fill:1"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: bastion, namespace: shop, labels: {app: bastion}}
spec: {containers: [{name: shell, image: "acme/shell:1"}]}
---
apiVersion: acme.example/v1
kind: Ledger
metadata: {name: main, namespace: shop}
spec: {size: 2}
"""
MAKES: tuple[dict[str, Any], ...] = (
    {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "main-ledger"},
        "spec": {
            "replicas": 2,
            "volumeClaimTemplates": [{"metadata": {"name": "data"}}],
            "template": {
                "metadata": {"labels": {"ledger": "main"}},
                "spec": {
                    "containers": [
                        {
                            "name": "ledger",
                            "image": "acme/ledger:1",
                            "ports": [{"containerPort": 7000}],
                            "volumeMounts": [{"name": "data", "mountPath": "/data"}],
                        }
                    ]
                },
            },
        },
    },
    {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "main-ledger"},
        "spec": {"selector": {"ledger": "main"}, "ports": [{"port": 7000}]},
    },
)
NOTES = {
    "bastion": ComponentNotes(),
    "cart": ComponentNotes(workload="Deployment/cart"),
    "fill": ComponentNotes(kind="job"),
    "ledger": ComponentNotes(kind="datastore", workload="Ledger/main", makes=MAKES),
    "sweep": ComponentNotes(kind="job", workload="CronJob/cart"),
}


def objects() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(MANIFESTS))


@pytest.fixture
def parts() -> dict[str, Component]:
    return {part.name: part for part in derive_components(objects(), NOTES)}


def refused(notes: dict[str, ComponentNotes]) -> str:
    with pytest.raises(UsageError) as caught:
        derive_components(objects(), notes)
    return str(caught.value)


def test_all_containers_of_a_pod_are_known(parts: dict[str, Component]) -> None:
    assert [(one.name, one.kind) for one in parts["cart"].containers] == [
        ("migrate", ContainerKind.INIT),
        ("agent", ContainerKind.SIDECAR),
        ("proxy", ContainerKind.CONTAINER),
        ("app", ContainerKind.CONTAINER),
    ]


def test_the_service_of_its_name_carries_its_traffic(parts: dict[str, Component]) -> None:
    cart = parts["cart"]
    assert [(one.ref.name, one.headless) for one in cart.services] == [
        ("cart-admin", False),
        ("cart-pods", True),
        ("cart", False),
    ]
    assert cart.service == cart.services[2].ref


def test_the_container_to_which_that_leads_serves(parts: dict[str, Component]) -> None:
    assert (parts["cart"].container, parts["cart"].image) == ("app", "acme/cart:1")


def test_what_only_another_container_mounts_belongs_to_it(parts: dict[str, Component]) -> None:
    (use,) = parts["cart"].config
    assert (use.source.name, use.path, use.keys) == (
        "proxy-config",
        "/etc/proxy",
        ("proxy.json",),
    )


def test_a_component_can_be_pointed_at_a_container_and_a_service(
    parts: dict[str, Component],
) -> None:
    cart = parts["cart"].pointed_at("proxy", "cart-admin")
    assert (cart.container, cart.image) == ("proxy", "acme/proxy:1")
    assert (cart.service, [port.port for port in cart.ports]) == (
        ObjectRef(api_version="v1", kind="Service", namespace="shop", name="cart-admin"),
        [9901],
    )


def test_a_container_or_service_that_is_not_there_is_named(parts: dict[str, Component]) -> None:
    with pytest.raises(UsageError) as caught:
        parts["cart"].pointed_at("prxy")
    assert str(caught.value) == (
        "component 'cart' has no container 'prxy'; it has: migrate, agent, proxy, app"
    )
    with pytest.raises(UsageError) as caught:
        parts["fill"].pointed_at(service="fill")
    assert str(caught.value) == "component 'fill' has no Service 'fill'; it has: none"


@pytest.mark.parametrize(
    ("name", "kind", "image"),
    [
        ("sweep", "CronJob", "acme/sweep:1"),
        ("fill", "Job", "acme/fill:1"),
        ("bastion", "Pod", "acme/shell:1"),
    ],
)
def test_other_kinds_of_workloads(
    parts: dict[str, Component], name: str, kind: str, image: str
) -> None:
    part = parts[name]
    assert (part.workload.kind, part.image, part.workloads) == (kind, image, (part.workload,))


def test_a_custom_resource_is_what_its_operator_makes_of_it(parts: dict[str, Component]) -> None:
    ledger = parts["ledger"]
    assert ledger.workload.kind == "Ledger"
    assert [str(ref) for ref in ledger.workloads] == ["StatefulSet shop/main-ledger"]
    assert (ledger.container, ledger.replicas, ledger.pod_labels) == (
        "ledger",
        2,
        {"ledger": "main"},
    )
    assert [(one.ref.name, one.made) for one in ledger.services] == [("main-ledger", True)]
    assert ledger.volumes == (
        VolumeUse(claim="data-main-ledger-0", path="/data"),
        VolumeUse(claim="data-main-ledger-1", path="/data"),
    )
    made = components_of_operators(objects(), NOTES)
    assert [obj["metadata"]["namespace"] for obj in made] == ["shop", "shop"]


def test_notes_may_choose_container_and_service() -> None:
    notes = ComponentNotes(workload="Deployment/cart", container="proxy", service="cart-admin")
    parts = {p.name: p for p in derive_components(objects(), {**NOTES, "cart": notes})}
    assert parts["cart"].container == "proxy"
    assert parts["cart"].service == parts["cart"].services[0].ref


def test_what_notes_say_wrongly_is_named() -> None:
    assert refused({**NOTES, "cart": ComponentNotes()}) == (
        "component 'cart': Deployment/cart and CronJob/cart are there; say in components.yaml "
        "which is meant: `workload: Deployment/cart`"
    )
    assert refused({name: NOTES[name] for name in NOTES if name != "sweep"}) == (
        "component 'cart': no notes on CronJob/cart; manifests and components.yaml must agree"
    )
    assert refused({**NOTES, "fill": ComponentNotes(workload="Job/fil")}) == (
        "component 'fill': no Job/fil in the manifests; manifests and components.yaml must agree"
    )
    cart = {"workload": "Deployment/cart"}
    assert refused({**NOTES, "cart": ComponentNotes(**cart, container="ap")}) == (
        "component 'cart': its pods have no container 'ap'; they have: migrate, agent, proxy, app"
    )
    assert refused({**NOTES, "cart": ComponentNotes(**cart, service="main-ledger")}) == (
        "component 'cart': no Service 'main-ledger' selects its pods; these do: cart-admin, "
        "cart-pods, cart"
    )


def test_what_notes_lack_of_a_custom_resource_is_named() -> None:
    ledger = {"workload": "Ledger/main"}
    assert refused({**NOTES, "ledger": ComponentNotes(**ledger)}) == (
        "component 'ledger': Ledger/main is a custom resource; say in components.yaml under "
        "`makes` which workloads its operator makes of it"
    )
    assert refused({**NOTES, "ledger": ComponentNotes(**ledger, makes=MAKES[1:])}) == (
        "component 'ledger': none of the objects under `makes` is a workload; they are "
        "Deployment, StatefulSet, DaemonSet, Job, CronJob, Pod"
    )
    assert refused({**NOTES, "ledger": ComponentNotes(**ledger, makes=({"kind": "Service"},))}) == (
        "component 'ledger', field 'makes.0': an object has apiVersion, kind and metadata.name"
    )
