"""Listing everything once, and the guesses that need no knowledge of the trade."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from sregym_agents.survey import SHORTCUTS, SIGNALS, Listing, LogLine, is_green, list_everything
from sregym_core.interfaces import CommandResult, ToolResult
from sregym_testing import Provision, ScriptedSession, Shop


def made(kind: str, name: str, at: str = "10:00", **fields: Any) -> dict[str, Any]:
    metadata = {
        "name": name,
        "namespace": "shop",
        "creationTimestamp": at,
        "resourceVersion": "7",
        **fields.pop("metadata", {}),
    }
    return {"kind": kind, "metadata": metadata, **fields}


def workload(name: str, *configs: str, replicas: int = 1, ready: int = 1) -> dict[str, Any]:
    volumes = [{"configMap": {"name": config}} for config in configs]
    template = {"metadata": {"labels": {"app": name}}, "spec": {"volumes": volumes}}
    entry = {"manager": "kubectl-edit", "time": f"12:0{len(name)}"}
    return made(
        "Deployment",
        name,
        metadata={"managedFields": [entry], "generation": len(name)},
        spec={"replicas": replicas, "template": template},
        status={"readyReplicas": ready},
    )


def owned(kind: str, name: str, by: str, owner: str, at: str, **fields: Any) -> dict[str, Any]:
    refs = [{"kind": by, "name": owner}]
    return made(kind, name, at, metadata={"ownerReferences": refs}, **fields)


def pod(of: str, at: str, restarts: int, *, ready: bool) -> list[dict[str, Any]]:
    condition = {"type": "Ready", "status": str(ready)}
    status = {"containerStatuses": [{"restartCount": restarts}], "conditions": [condition]}
    return [
        owned("ReplicaSet", f"{of}-1", "Deployment", of, at),
        owned("Pod", f"{of}-1-a", "ReplicaSet", f"{of}-1", at, status=status),
    ]


def event(reason: str, kind: str, name: str, at: str, type_: str = "Warning") -> dict[str, Any]:
    about = {"kind": kind, "name": name}
    return made(
        "Event", f"{name}.{at}", involvedObject=about, type=type_, reason=reason, firstTimestamp=at
    )


def asked(
    verb: str,
    resource: str,
    name: str,
    code: int = 200,
    user: str = "admin",
    agent: str = "kubectl",
) -> dict[str, Any]:
    """An event of the audit log."""
    return {
        "kind": "Event",
        "verb": verb,
        "user": {"username": user},
        "userAgent": agent,
        "objectRef": {"resource": resource, "namespace": "shop", "name": name},
        "responseStatus": {"code": code},
    }


@pytest.fixture
def seen() -> Listing:
    part = made(
        "EndpointSlice",
        "web-x",
        metadata={"labels": {"kubernetes.io/service-name": "web"}},
        endpoints=[{"conditions": {"ready": False}}],
    )
    return Listing(
        ("shop",),
        [
            workload("web", "web-config"),
            workload("cart", ready=0),
            *pod("web", "11:00", 0, ready=True),
            *pod("cart", "11:30", 3, ready=False),
            made("ConfigMap", "web-config", metadata={"resourceVersion": "9"}),
            made("Service", "web", spec={"selector": {"app": "shop"}}),
            part,
            event("BackOff", "Pod", "cart-1-a", "11:40"),
            event("Unhealthy", "Pod", "web-1-gone", "11:20"),
        ],
        alerts=[
            {"alertname": "Slow", "service_name": "web"},
            {"alertname": "Down", "pod": "cart-1-a"},
        ],
        lines=[
            LogLine("web-1-a", "cannot reach cart"),
            LogLine("cart-1-a", "no cart-db"),
            LogLine("cart-1-a", "x"),
        ],
        audit=[
            asked("create", "services", "cart-canary"),
            asked("patch", "services", "web"),
            asked("patch", "deployments", "cart", agent="Helm"),
            asked("delete", "services", "cart-canary"),
            asked("delete", "configmaps", "web-gone"),
            asked("patch", "deployments", "cart", 403, "robot"),
            asked("patch", "configmaps", "web-config"),
            asked("delete", "pods", "cart-1-a"),
            {**asked("patch", "services", "web"), "objectRef": {"namespace": "other"}},
        ],
    )


def test_shortcuts_name_whoever_stands_out(seen: Listing) -> None:
    assert {name: shortcut(seen) for name, shortcut in SHORTCUTS.items()} == {
        "youngest pod": {"cart"},
        "newest ReplicaSet": {"cart"},
        "last managedFields time": {"cart"},
        "last managedFields time, no controllers": {"cart"},
        "highest resourceVersion": {"web"},
        "highest generation": {"cart"},
        "rarest manager": {"web", "cart"},
        "audit: last write": {"cart"},
        "audit: last write of a workload": {"cart"},
        "audit: last write of a Service": {"cart"},
        "audit: last write of configuration": {"web"},
        "audit: last deletion": {"web"},
        "audit: only deletion": set(),
        "audit: only deletion of what was not made": {"web"},
        "audit: rarest user": {"web", "cart"},
        "audit: rarest client": {"cart"},
        "audit: rarest kind of write": {"web", "cart"},
        "audit: write before a restart": {"web"},
        "audit: last refusal": {"cart"},
        "most restarts": {"cart"},
        "first Warning event": {"web"},
        "last Warning event": {"cart"},
        "first alert": {"web"},
        "most errors logged": {"cart"},
        "first error logged": {"web"},
        "only one not ready": {"cart"},
    }


def test_signals_are_where_a_component_looks_abnormal(seen: Listing) -> None:
    assert {name: signal(seen) for name, signal in SIGNALS.items()} == {
        "alerts": {"web", "cart"},
        "pods": {"cart"},
        "restarts": {"cart"},
        "events": {"web", "cart"},
        "endpoints": {"web"},
        "logs": {"web", "cart"},
        "logs of others": {"cart"},
    }


def test_nothing_stands_out_where_nothing_is() -> None:
    empty = Listing(("shop",), [])
    assert {name for name, shortcut in SHORTCUTS.items() if shortcut(empty)} == set()
    assert {name for name, signal in SIGNALS.items() if signal(empty)} == set()


def test_what_is_refused_is_left_out(provision: Provision) -> None:
    session = ScriptedSession(Shop(), provision)
    (namespace,) = Shop().namespaces
    asked = (
        "kubectl get deployments,statefulsets,daemonsets,replicasets,pods,services,configmaps,events "
        f"-n {namespace} -o json --show-managed-fields"
    )
    objects = [{"kind": "Deployment", "metadata": {"name": "cart", "namespace": namespace}}]
    answers = session.watched.behind.answers
    answers[asked] = CommandResult(0, json.dumps({"items": objects}))
    answers["kubectl get nodes -o json --show-managed-fields"] = CommandResult(1, "", "Forbidden")
    seen = list_everything(session)
    assert (seen.namespaces, seen.components, seen.elsewhere("Node")) == (
        (namespace,),
        ("cart",),
        [],
    )


def test_errors_are_read_in_the_order_of_their_times_over_all_namespaces(
    provision: Provision, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = ScriptedSession(Shop(), provision)
    told = {
        "load": '2026-01-01T10:00:02.5Z {pod="load-1"} op=buy failed=3\n',
        "shop": (
            '2026-01-01T10:00:01.5Z {pod="cart-1"} error: no answer\n'
            '2026-01-01T10:00:09.5Z {pod="web-1"} error: no cart\n'
        ),
    }
    queries = []

    def call(name: str, arguments: dict[str, Any]) -> ToolResult:
        query = arguments.get("query", "")
        namespace = re.match(r'{namespace="(\w+)"}', query)
        queries.extend([query] if namespace else [])
        return ToolResult(told[namespace[1]] if namespace else "")

    monkeypatch.setattr(session, "call", call)
    monkeypatch.setattr(type(session), "namespaces", ("load", "shop"))
    lines = list_everything(session).lines
    assert [line.pod for line in lines] == ["cart-1", "load-1", "web-1"]
    # Reports of clients that count no failure are none.
    assert {query.partition(" !~ ")[2] for query in queries} == {r"`\bfailed=0\b`"}


def about(kind: str, name: str, text: str = "", *, of: str = "Warning") -> dict[str, Any]:
    return {**event("Seen", kind, name, "11:50", of), "message": text}


@pytest.mark.parametrize(
    ("added", "green"),
    [
        ((), True),
        (pod("cart", "11:00", 0, ready=False), False),
        ([workload("cart", replicas=0, ready=0)], False),
        ([workload("cart", replicas=2, ready=1)], False),
        (
            [made("DaemonSet", "proxy", status={"desiredNumberScheduled": 2, "numberReady": 1})],
            False,
        ),
        ([about("Pod", "web-1-a")], False),
        ([about("Service", "web")], False),
        ([about("Node", "worker-1")], False),
        ([about("Pod", "cart-1-a", "cannot mount: worker-1 says no")], False),
        ([about("Pod", "cart-1-a", "probe of cart-1-a failed")], True),
        ([about("Pod", "web-1-a", of="Normal")], True),
    ],
)
def test_green_is_what_kubernetes_calls_healthy(added: list[dict[str, Any]], green: bool) -> None:
    whole = [workload("web"), *pod("web", "11:00", 0, ready=True)]
    if not any(obj["metadata"]["name"] == "cart" for obj in added):
        whole.append(workload("cart"))
    assert is_green(Listing(("shop",), [*whole, *added]), {"web", "worker-1"}) is green
