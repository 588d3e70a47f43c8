"""The load generator, which stands for users."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_app_synthetic.programs import port_of
from sregym_app_synthetic.sizing import user_rate
from sregym_app_synthetic.writing import setting_name

if TYPE_CHECKING:
    from sregym_app_synthetic.graph import UserOperation
    from sregym_app_synthetic.writing import Context

NAME = "visitors"
_TAG = "2.3.0"
_BINARY = "/usr/local/bin/visitors"


def weight_variable(operation: UserOperation) -> str:
    """The environment variable that is its weight."""
    return f"WEIGHT_{setting_name(operation.name).upper()}"


def write_users(context: Context, namespace: str) -> None:
    """Write the load generator, in a namespace of its own."""
    out, graph = context.out, context.graph
    door = graph.parts[graph.operations[0].gateway]
    target = f"http://{door.name}.{out.namespace}.svc.cluster.local:{port_of(door)}"
    repository = f"{out.registry}/platform/{NAME}"
    labels = {"app.kubernetes.io/name": NAME, "app.kubernetes.io/part-of": graph.brand}
    container = {
        "name": NAME,
        "image": f"{repository}:{_TAG}",
        "args": [f"--target={target}", f"--rate={user_rate(graph)}"],
        "env": [
            {"name": weight_variable(operation), "value": f"{operation.weight:g}"}
            for operation in graph.operations
        ],
        "resources": {
            "requests": {"cpu": "100m", "memory": "64Mi"},
            "limits": {"cpu": "1", "memory": "256Mi"},
        },
    }
    spec = {
        "replicas": 1,
        "selector": {"matchLabels": labels},
        "template": {
            "metadata": {"labels": labels},
            "spec": {"terminationGracePeriodSeconds": 1, "containers": [container]},
        },
    }
    metadata = {"name": NAME, "namespace": namespace, "labels": labels}
    out.objects.append(
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}
    )
    binaries = {_BINARY: NAME}
    image = {"repository": repository, "tags": [_TAG], "size_mib": 22, "entrypoint": [_BINARY]}
    out.images.append({**image, "binaries": binaries, "tools": ["alpine"]})
    out.programs[NAME] = _program(graph.operations, target, user_rate(graph))
    out.entry_points |= {
        one.name: {"service": one.gateway, "port": port_of(door), "request": one.request}
        for one in graph.operations
    }
    operations = sorted(operation.name for operation in graph.operations)
    settings = [{"name": "rate", "role": "rate", "argument": r"(?<=^--rate=)\d+"}]
    settings += [
        {"name": weight_variable(one), "role": "weight", "operation": one.name}
        for one in graph.operations
    ]
    out.notes[NAME] = {"kind": "load", "operations": operations, "settings": settings}


def _program(operations: tuple[UserOperation, ...], target: str, rate: int) -> dict[str, Any]:
    config: dict[str, Any] = {
        "target": {"flag": "target", "default": target},
        "rate": {"flag": "rate", "type": "number", "default": rate},
    }
    mix = {}
    for operation in operations:
        setting = f"weight_{setting_name(operation.name)}"
        weight = {"env": weight_variable(operation), "type": "number"}
        config[setting] = {**weight, "default": f"{operation.weight:g}"}
        mix[operation.name] = {"request": operation.request, "weight": f"${{{setting}}}"}
    return {
        "kind": "load-generator",
        "config": config,
        "target": "${target}",
        "rate": "${rate}",
        "round_s": 10,
        "timeout_s": 10,
        "memory": {"base_mib": 24},
        "mix": mix,
    }
