"""`kubectl autoscale`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.editing import Found, selected
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered, ServerError
from sregym_cluster_embedded.kubectl.flags import DRY_RUN, FILES, IGNORED, OUTPUT, Flag
from sregym_cluster_embedded.kubectl.printing import dry_run, dry_run_query, report
from sregym_cluster_embedded.kubectl.session import raise_all

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

FLAGS = (
    *OUTPUT, *DRY_RUN, *FILES, *IGNORED, Flag("min"), Flag("max"), Flag("name"), Flag("cpu"),
    Flag("memory"), Flag("cpu-percent"),
)  # fmt: skip

_SCALED = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController")
_PERCENT = (
    "Flag --cpu-percent has been deprecated, Use --cpu with percentage or resource quantity format "
    "(e.g., '70%' for utilization or '500m' for milliCPU)."
)


def autoscale(session: Session) -> None:
    """Run `kubectl autoscale`."""
    arguments = session.arguments
    if arguments.has("cpu-percent"):
        session.complain(_PERCENT)
    if not arguments.has("max"):
        raise CommandError('error: required flag(s) "max" not set')
    least, most = arguments.number("min", -1), arguments.number("max", -1)
    if most < 1:
        text = f"--max=MAXPODS is required and must be at least 1, max: {most}"
        raise CommandError(f"error: {text}")
    if most < least:
        told = f"max: {most}, min: {least}"
        text = f"--max=MAXPODS must be larger or equal to --min=MINPODS, {told}"
        raise CommandError(f"error: {text}")
    errors: list[CommandError] = []
    found = selected(session, arguments.words, errors)
    raise_all(errors)
    for one in found:
        if one.kind.kind not in _SCALED:
            where = f"{one.kind.group}/{one.kind.version}, Resource={one.kind.plural}"
            why = f"could not find scale subresource for {where} in discovery information"
            raise CommandError(f"error: cannot autoscale a {one.kind.kind}: {why}")
        _scale(session, one, least, most)


def _scale(session: Session, found: Found, least: int, most: int) -> None:
    arguments = session.arguments
    target = {"apiVersion": found.kind.api_version, "kind": found.kind.kind, "name": found.name}
    spec: Object = {"maxReplicas": most, "scaleTargetRef": target}
    metrics = _metrics(session)
    if metrics:
        spec["metrics"] = metrics
    if least > 0:
        spec["minReplicas"] = least
    metadata: Object = {"name": arguments.text("name") or found.name}
    metadata["namespace"] = found.namespace
    obj: Object = {
        "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": metadata,
        "spec": spec, "status": {"currentMetrics": None, "desiredReplicas": 0},
    }  # fmt: skip
    kind = session.client.resource_type("horizontalpodautoscalers.autoscaling")
    if dry_run(arguments) == "client":
        report(session, kind, obj, "autoscaled")
        return
    try:
        created = session.client.create(kind, found.namespace, obj, dry_run_query(arguments))
    except ServerError as error:
        # The binary then tries the older version, which says something else.
        raise NotCovered("what the server refuses") from error
    report(session, kind, created, "autoscaled")


def _metrics(session: Session) -> list[Object]:
    arguments = session.arguments
    found: list[Object] = []
    for name in ("cpu", "memory"):
        value = arguments.text(name)
        if name == "cpu" and not value and arguments.number("cpu-percent", -1) > 0:
            value = f"{arguments.number('cpu-percent', -1)}%"
        if not value:
            continue
        if re.fullmatch(r"[1-9]\d*%", value):
            target: Object = {"averageUtilization": int(value[:-1]), "type": "Utilization"}
        elif re.fullmatch(r"[1-9]\d*(m|[KMG]i)", value):
            target = {"averageValue": value, "type": "AverageValue"}
        else:
            raise NotCovered(f"--{name}={value}")
        found.append({"resource": {"name": name, "target": target}, "type": "Resource"})
    return found
