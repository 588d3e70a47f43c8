"""A strategy that takes all pods at once meets a template whose pods never start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sregym_injectors.component_fault import article
from sregym_injectors.manifests import manifest_of
from sregym_injectors.restarts import ClientParameters
from sregym_injectors.rollouts import replaces_all_pods
from sregym_injectors.template_change import PodTemplateFault, Template, TemplateChange
from typing_extensions import override

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.model import Component, ComponentPart

_ALL_AT_ONCE = {"maxUnavailable": "100%", "maxSurge": 0}


class RolloutStrategy(PodTemplateFault):
    """Lets a rolling update take every pod at once, and rolls out a template that hangs."""

    name: ClassVar[str] = "rollout-strategy"
    title: ClassVar[str] = "Rolling update takes all pods at once"
    # What is wrong is the pod's, not one container's.
    parts: ClassVar[tuple[ComponentPart, ...]] = ()
    mechanism: ClassVar[str] = "rolling-update-misconfigured"
    phrases: ClassVar[tuple[str, ...]] = (
        "rolling update misconfigured",
        "rolling update strategy is misconfigured",
        "maxUnavailable 100%",
        "maxUnavailable of 100 percent",
        "maxSurge 0",
        "rollout strategy takes all pods at once",
        "wrong rollout strategy",
        "update strategy allows all pods to be unavailable",
    )
    symptoms: ClassVar[tuple[str, ...]] = (
        "pods stay in Init:0/1",
        "no ready pods during the rollout",
    )
    expected: ClassVar[str] = "a strategy that keeps pods, and a template whose pods start"

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            container: Name of the init container that never ends.
            image: Its image, which has `sleep`.
        """

        container: str = "migrate-cache"
        image: str = "busybox:1.36"

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        kind = component.workload.kind
        return "" if kind == "Deployment" else f"{article(kind)} has no surge to take away"

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        given = context.parameters
        entry = {
            "name": given.container,
            "image": given.image,
            "imagePullPolicy": "IfNotPresent",
            "command": ["sleep", "infinity"],
        }
        strategy = {"type": "RollingUpdate", "rollingUpdate": _ALL_AT_ONCE}
        return TemplateChange(
            "strategy.rollingUpdate",
            "maxUnavailable 100%, maxSurge 0",
            _told(_right(context)),
            pod={"initContainers": [entry]},
            workload={"strategy": strategy},
        )

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        found = []
        strategy = live.workload.get("strategy") or {}
        rolling = strategy.get("rollingUpdate") or {}
        kept = {"kind": "Deployment", "spec": {**live.workload, "paused": False}}
        as_meant = _told(strategy) == _told(_right(context))
        if rolling.get("maxUnavailable") is not None and replaces_all_pods(kept) and not as_meant:
            found.append(f"takes all pods at once: {_told(strategy)}")
        found += [
            f"has an init container {entry['name']} that never ends"
            for entry in live.spec.get("initContainers") or ()
            if [*(entry.get("command") or ()), *(entry.get("args") or ())] == ["sleep", "infinity"]
        ]
        return found

    @override
    def more_phrases(self, context: FaultContext) -> tuple[str, ...]:
        return (f"init container {context.parameters.container} never ends",)


def _right(context: FaultContext) -> dict[str, Any]:
    manifest = manifest_of(context.application, context.component.workload)
    return dict(manifest["spec"].get("strategy") or {})


def _told(strategy: dict[str, Any]) -> str:
    if strategy.get("type") == "Recreate":
        return "Recreate"
    rolling = strategy.get("rollingUpdate") or {}
    missing, more = rolling.get("maxUnavailable", "25%"), rolling.get("maxSurge", "25%")
    return f"maxUnavailable {missing}, maxSurge {more}"
