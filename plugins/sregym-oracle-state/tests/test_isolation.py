"""Network policies that leave workloads alone, and schedules that hardly ever come."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_core.model import ObjectRef, Severity, SideEffect
from sregym_oracle_state.isolation import isolated
from sregym_oracle_state.schedules import runs_a_year, stopped

from sregym_oracles import Difference, Found


def thing(kind: str, name: str, version: str = "v1", **fields: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "shop"}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **fields}


def workload(name: str, port: int) -> dict[str, Any]:
    containers = [{"name": "c", "ports": [{"containerPort": port, "name": f"{name}-port"}]}]
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": containers}}
    return thing("Deployment", name, "apps/v1", spec={"template": template})


def policy(selector: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return thing(
        "NetworkPolicy", "p", "networking.k8s.io/v1", spec={"podSelector": selector, **spec}
    )


def named(*objects: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {str(ObjectRef.of(obj)): obj for obj in objects}


HEALTHY = named(
    workload("web", 80), workload("orders", 81), workload("db", 82),
    thing("Service", "orders", spec={"selector": {"app": "orders"}}),
)  # fmt: skip
DB = {"matchLabels": {"app": "db"}}
ORDERS = {"matchExpressions": [{"key": "app", "operator": "In", "values": ["orders"]}]}
ALONE = "nobody reaches Deployment shop/orders"


def told(made: dict[str, Any], *more: dict[str, Any]) -> str:
    """What a new policy comes to; empty for no harm."""
    where = str(ObjectRef.of(made))
    effect = SideEffect(kind="object-added", severity=Severity.REPORT, where=where, what="new")
    found = Found(effect, Difference("NetworkPolicy", where, "", None, True, new=True))
    now = {**HEALTHY, **named(made, *more)}
    (one,) = isolated([found], HEALTHY, now)
    if one.effect.severity is Severity.REPORT:
        return ""
    assert one.effect.kind == "workload-isolated"
    return one.effect.what.removeprefix("new: ")


@pytest.mark.parametrize(
    ("made", "harm"),
    [
        (policy(ORDERS), ALONE),
        # What no Service leads to may well hear of nobody, but not be cut off from all others.
        (policy(DB), ""),
        (policy(DB, policyTypes=["Egress"]), "Deployment shop/db reaches nobody"),
        (policy(ORDERS, ingress=[{}]), ""),
        (policy(ORDERS, ingress=[{"from": [{"podSelector": {"matchLabels": {"app": "web"}}}]}]), ""),
        (policy(ORDERS, ingress=[{"from": [{"podSelector": {"matchLabels": {"app": "x"}}}]}]), ALONE),
        (policy(ORDERS, ingress=[{"from": [{"podSelector": ORDERS}]}]), ALONE),
        (policy(ORDERS, ingress=[{"ports": [{"port": 80, "endPort": 81}]}]), ""),
        (policy(ORDERS, ingress=[{"ports": [{"port": "orders-port"}]}]), ""),
        (policy(ORDERS, ingress=[{"ports": [{"port": 9}]}]), ALONE),
        (policy(ORDERS, ingress=[{"from": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]}]), ""),
        (policy(ORDERS, ingress=[{"from": [{"ipBlock": {"cidr": "192.0.2.1/32"}}]}]), ALONE),
        (policy(ORDERS, ingress=[{"from": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "shop"}}}]}]), ""),
        (policy(ORDERS, ingress=[{"from": [{"namespaceSelector": {"matchLabels": {"a": "b"}}}]}]), ALONE),
        (policy({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["orders"]}]}), ""),
        (policy({"matchExpressions": [{"key": "tier", "operator": "DoesNotExist"}]}), ALONE),
        (policy({"matchExpressions": [{"key": "tier", "operator": "Exists"}]}), ""),
    ],
)  # fmt: skip
def test_only_who_is_left_alone_is_harmed(made: dict[str, Any], harm: str) -> None:
    assert told(made) == harm


def test_what_another_policy_lets_in_is_not_left_alone() -> None:
    other = policy(ORDERS, ingress=[{}])
    other["metadata"]["name"] = "q"
    assert told(policy(ORDERS), other) == ""


@pytest.mark.parametrize(
    ("schedule", "times"),
    [
        ("0 0 31 2 *", 0.0),
        ("0 0 29 2 *", 0.25),
        ("@yearly", 1.0),
        ("@every 12h", 730.5),
        ("0 9 * * mon-fri", 7305 / 28),
        ("0,30 9 1-7/2 jan,feb ?", 16.0),
        # Either of both days is enough.
        ("0 0 1 jan 0-6", 31.0),
        ("TZ=Europe/Berlin 0 0 * * *", 365.25),
        ("5/20 0 1 1 *", 3.0),
        ("never", 0.0),
        ("a b c d e", 0.0),
    ],
)
def test_how_often_a_schedule_comes(schedule: str, times: float) -> None:
    assert runs_a_year(schedule) == pytest.approx(times)


@pytest.mark.parametrize(
    ("after", "targets", "kind"),
    [
        ("0 0 31 2 *", (), "schedule-stopped"),
        ("0 0 1 1 *", (), "schedule-stopped"),
        ("0 0 1 1 *", ("CronJob shop/report",), "spec-changed"),
        ("*/10 * * * *", (), "spec-changed"),
    ],
)
def test_a_job_that_hardly_runs_any_more(after: str, targets: tuple[str, ...], kind: str) -> None:
    where, what = "CronJob shop/report", "has spec/schedule"
    effect = SideEffect(kind="spec-changed", severity=Severity.REPORT, where=where, what=what)
    changed = Difference("CronJob", where, "spec/schedule", "*/5 * * * *", after)
    (one,) = stopped([Found(effect, changed)], targets)
    assert one.effect.kind == kind
    if after == "0 0 31 2 *":
        assert one.effect.what == f"{what}: it runs 0 times a year, not 105192"
