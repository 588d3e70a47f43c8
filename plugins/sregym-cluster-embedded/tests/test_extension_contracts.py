"""The contracts of extensions accept good ones, and find each kind of bad one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from sregym_apps.simulation import Command, Extension, Installed, WireProtocol
from sregym_cluster_embedded.sdk.controllers import Operator
from sregym_cluster_embedded.sdk.exporters import Exporter, ObjectExporter, of_objects
from sregym_cluster_embedded.sdk.testing import (
    ClusterTestbed,
    ExporterContract,
    ExtensionContract,
    OperatorContract,
)
from sregym_cluster_embedded.userland.kinds.loading import with_in_tree
from sregym_core.plugins import Found, PluginStatus

OWNER = PluginStatus("acme", "sregym-acme", "1.0", "ok")


def known(**parts: Any) -> Installed:
    return Installed([Found(OWNER, Extension(name="acme", **parts))])


def checks_of(contract: type) -> list[str]:
    return [name for name in vars(contract) if name.startswith("test_")]


# Exporters.


def ports(service: Any) -> Iterator[tuple[Any, float]]:
    yield (("service", service["metadata"]["name"]),), float(len(service["spec"]["ports"]))


def nothing(service: Any) -> Iterator[tuple[Any, float]]:
    yield from ()


def infinite(service: Any) -> Iterator[tuple[Any, float]]:
    yield (), float("inf")


def exporter(*families: Any) -> Exporter:
    return ObjectExporter("services", "acme", [of_objects(*one) for one in families])


GOOD = ("acme_ports", "gauge", "Ports of a Service.", ports)


def check_exporter(exported: Exporter, name: str) -> None:
    cluster = ClusterTestbed.of(known=known(exporters=(exported,)))
    given: dict[str, Any] = {"exporter": exported, "cluster": cluster}
    if name in ("test_families_are_described", "test_counters_are_named_as_such"):
        given.pop("cluster")
    getattr(ExporterContract(), name)(**given)


@pytest.mark.parametrize("name", checks_of(ExporterContract))
def test_a_good_exporter_is_accepted(name: str) -> None:
    check_exporter(exporter(GOOD), name)


class Falls(ObjectExporter):
    """A counter that falls."""

    def parts(self, view: Any, target: Any, sample: str) -> Any:
        for part in super().parts(view, target, sample):
            rows = [row._replace(value=lambda seconds: -seconds) for row in part.rows()]
            yield part._replace(rows=lambda rows=rows: rows)


@pytest.mark.parametrize(
    ("exported", "name"),
    [
        (exporter(), "test_families_are_described"),
        (exporter(("acme-ports", "gauge", "x", ports)), "test_families_are_described"),
        (exporter(("acme_ports", "number", "x", ports)), "test_families_are_described"),
        (exporter(("acme_ports", "gauge", "", ports)), "test_families_are_described"),
        (exporter(("acme_ports", "counter", "x", ports)), "test_counters_are_named_as_such"),
        (exporter(("acme_total", "gauge", "x", ports)), "test_counters_are_named_as_such"),
        (exporter(("acme_ports", "gauge", "x", nothing)), "test_figures_are_scraped"),
        (exporter(("acme_ports", "gauge", "x", infinite)), "test_figures_are_scraped"),
        (
            Falls("services", "acme", [of_objects("acme_total", "counter", "x", ports)]),
            "test_counters_do_not_fall",
        ),
    ],
)
def test_a_bad_exporter_is_found(exported: Exporter, name: str) -> None:
    with pytest.raises(AssertionError):
        check_exporter(exported, name)


# Operators.

CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.acme.example"},
    "spec": {
        "group": "acme.example",
        "scope": "Namespaced",
        "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "x-kubernetes-preserve-unknown-fields": True,
                    }
                },
            }
        ],
    },
}
INSTALL = f"""
{json.dumps(CRD)}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {{name: acme}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}}
subjects: [{{kind: ServiceAccount, name: acme, namespace: default}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: acme, namespace: default}}
spec:
  replicas: 1
  selector: {{matchLabels: {{app: acme}}}}
  template:
    metadata: {{labels: {{app: acme}}}}
    spec: {{containers: [{{name: main, image: busybox, command: [sleep, infinity]}}]}}
---
apiVersion: acme.example/v1
kind: Widget
metadata: {{name: one, namespace: default}}
"""
MAPS = "/api/v1/namespaces/default/configmaps"
WIDGETS = "/apis/acme.example/v1/namespaces/default/widgets"


def wanted(widget: Any) -> Any:
    metadata = widget["metadata"]
    owner = {"apiVersion": "acme.example/v1", "kind": "Widget"}
    owner |= {"name": metadata["name"], "uid": metadata["uid"]}
    return {"metadata": {"name": metadata["name"], "ownerReferences": [owner]}}


def reconcile(client: Any, widget: Any) -> float | None:
    if client.get(f"{MAPS}/one") is None:
        client.create(MAPS, wanted(widget))
    return None


def lazy(client: Any, widget: Any) -> float | None:
    return None


def restless(client: Any, widget: Any) -> float | None:
    reconcile(client, widget)
    client.patch(f"{WIDGETS}/one/status", {"status": {"seen": client.world.timestamp()}})
    return 1.0


def once(client: Any, widget: Any) -> float | None:
    if "status" not in widget:
        reconcile(client, widget)
        client.patch(f"{WIDGETS}/one/status", {"status": {"made": True}})
    return None


def behind_the_api(client: Any, widget: Any) -> float | None:
    world = client.world
    metadata = {**wanted(widget)["metadata"], "namespace": "default", "uid": "made-up"}
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}
    if not [
        one for one in world.store.list("configmaps", "default") if one["metadata"]["name"] == "one"
    ]:
        world.store.put("configmaps", obj)
    return None


def operator(act: Any, **more: Any) -> Operator:
    return Operator(
        name="acme",
        resource="widgets.acme.example",
        version="v1",
        namespace="default",
        reconcile=act,
        **{"account": "acme", "owns": ("configmaps",), "pods": {"app": "acme"}, **more},
    )


def check_operator(made: Operator, name: str) -> None:
    cluster = ClusterTestbed.of(known=known(subsystems=(made.subsystem,)))
    cluster.apply(INSTALL)
    cluster.run(120)
    getattr(OperatorContract(), name)(cluster, made)


@pytest.mark.parametrize("name", checks_of(OperatorContract))
def test_a_good_operator_is_accepted(name: str) -> None:
    check_operator(operator(reconcile), name)


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (operator(lazy), "test_it_makes_something"),
        (operator(reconcile, owns=("configmaps", "secrets")), "test_it_makes_something"),
        (operator(behind_the_api), "test_it_writes_under_its_own_name"),
        (operator(restless), "test_it_comes_to_rest"),
        (operator(once), "test_it_mends_what_it_made"),
        (operator(reconcile, account="default"), "test_it_acts_as_its_service_account"),
        (operator(reconcile, pods={"app": "other"}), "test_it_makes_something"),
    ],
)
def test_a_bad_operator_is_found(made: Operator, name: str) -> None:
    with pytest.raises(AssertionError):
        check_operator(made, name)


# Protocols, and what all extensions have.


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (
            {"protocols": (WireProtocol("acme", errors={"refusd": "no"}),)},
            "test_protocols_say_what_can_be_filled_in",
        ),
        (
            {"protocols": (WireProtocol("acme", errors={"refused": "no ${hots}"}),)},
            "test_protocols_say_what_can_be_filled_in",
        ),
        (
            {"protocols": (WireProtocol("acme", 70_000),)},
            "test_protocols_say_what_can_be_filled_in",
        ),
        ({"commands": (Command("ls", print),)}, "test_commands_and_formats_can_be_called"),
    ],
)
def test_a_bad_extension_is_found(parts: Any, name: str) -> None:
    with pytest.raises(AssertionError):
        getattr(ExtensionContract(), name)(known(**parts))


@pytest.mark.parametrize(
    ("contract", "fixture", "message"),
    [
        (ExporterContract, "exporter", "override the fixture `exporter`"),
        (OperatorContract, "operator", "override the fixture `operator`"),
        (OperatorContract, "cluster", "override the fixture `cluster`"),
    ],
)
def test_what_was_not_overridden_is_asked_for(contract: Any, fixture: str, message: str) -> None:
    with pytest.raises(NotImplementedError) as caught:
        vars(contract)[fixture].__wrapped__(contract())
    assert str(caught.value) == message


def test_what_comes_with_the_cluster_keeps_its_word() -> None:
    """The kinds of programs and commands that no entry point offers are held to the same contract."""
    own, contract = with_in_tree(Installed([])), ExtensionContract()
    contract.test_servers_keep_their_word(own)
    contract.test_commands_and_formats_can_be_called(own)
