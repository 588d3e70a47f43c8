"""HorizontalPodAutoscalers: every 15 seconds from metrics to a size, with the reasons in the status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import events, internal_client
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.api.quantity import parse
from sregym_cluster_embedded.controllers.autoscaling import limits
from sregym_cluster_embedded.controllers.autoscaling.metrics import Failed, Valid, evaluate
from sregym_cluster_embedded.controllers.autoscaling.replicas import Tolerances
from sregym_cluster_embedded.controllers.autoscaling.targets import (
    Scale,
    ScaleError,
    scale_of,
    set_scale,
)
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

HANDLER = "controllers.autoscaling"
RESOURCE = "horizontalpodautoscalers.autoscaling"
_COMPONENT = "horizontal-pod-autoscaler"
_PERIOD_S = 15.0
_UNKNOWN = {"type": ""}


def listen(world: World, change: Change) -> None:
    """A new or changed autoscaler is looked at a whole period later, as the real queue does."""
    if change.type is ChangeType.DELETED:
        limits.forget(world, change.obj["metadata"]["uid"])
    elif change.old is None or change.old["spec"] is not change.obj["spec"]:
        enqueue(world, HANDLER, change.key, _PERIOD_S)


def reconcile(world: World, key: Key) -> None:
    """Handler: look at one autoscaler, and again in 15 seconds."""
    mark_processing(world, HANDLER, key)
    autoscaler = world.store.get(key)
    if autoscaler is None or "deletionTimestamp" in autoscaler["metadata"]:
        return
    enqueue(world, HANDLER, key, _PERIOD_S)
    _Round(world, key, autoscaler).run()


class _Round:
    """One look at one autoscaler."""

    def __init__(self, world: World, key: Key, autoscaler: Object) -> None:
        self.world = world
        self.key = key
        self.autoscaler = autoscaler
        self.spec = autoscaler["spec"]
        old: Object = autoscaler.get("status") or {}
        self.old = old
        self.conditions: list[Object] = list(old.get("conditions") or ())
        self.statuses: list[Object] | None = None

    def run(self) -> None:
        """Compute a size, apply it, and write the status."""
        try:
            scale = scale_of(self.world, self.key.namespace, self.spec["scaleTargetRef"])
        except ScaleError as error:
            self._say("Warning", "FailedGetScale", str(error))
            text = f"the HPA controller was unable to get the target's current scale: {error}"
            self._condition("AbleToScale", "False", "FailedGetScale", text)
            self._write(self.old)
            return
        text = "the HPA controller was able to get the target's current scale"
        self._condition("AbleToScale", "True", "SucceededGetScale", text)
        uid = self.autoscaler["metadata"]["uid"]
        limits.remember_first(self.world, uid, scale.spec_replicas)
        found = self._desired(scale, uid)
        if found is not None:
            self._apply(scale, *found)

    def _desired(self, scale: Scale, uid: str) -> tuple[int, str] | None:
        """The size to ask for and why; None when the metrics do not tell."""
        current = scale.spec_replicas
        minimum, maximum = self.spec.get("minReplicas", 1), self.spec["maxReplicas"]
        if current == 0 and minimum != 0:
            text = "scaling is disabled since the replica count of the target is zero"
            self._condition("ScalingActive", "False", "ScalingDisabled", text)
            return 0, ""
        if current > maximum:
            return maximum, "Current number of replicas above Spec.MaxReplicas"
        if current < minimum:
            return minimum, "Current number of replicas below Spec.MinReplicas"
        best = self._propose(scale)
        if best is None:
            return None
        reason = ""
        if best.replicas > current:
            reason = f"{best.name} above target"
        elif best.replicas < current:
            reason = "All metrics below target"
        bounds = limits.Bounds(uid, current, minimum, maximum)
        wanted, said = limits.settle(self.world, bounds, self.spec.get("behavior"), best.replicas)
        for condition in said:
            self._condition(*condition)
        return wanted, reason

    def _propose(self, scale: Scale) -> Valid | None:
        """The largest proposal of all metrics; None, with the status written, when none counts."""
        if scale.selector is None:
            self._say("Warning", "SelectorRequired", "selector is required")
            text = "the HPA target's scale is missing a selector"
            self._condition("ScalingActive", "False", "InvalidSelector", text)
            self._give_up(scale, "selector is required", [])
            return None
        metrics = self.spec.get("metrics") or []
        tolerances = _tolerances(self.spec.get("behavior") or {})
        statuses: list[Object] = []
        failures: list[Failed] = []
        best: Valid | None = None
        for metric in metrics:
            found = evaluate(self.world, scale, metric, self.key.namespace, tolerances)
            if isinstance(found, Failed):
                self._say("Warning", found.reason, found.why)
                failures.append(found)
                statuses.append(_UNKNOWN)
                continue
            statuses.append(found.status)
            if best is None or found.replicas > best.replicas:
                best = found
        if best is None or (failures and best.replicas < scale.spec_replicas):
            first = failures[0]
            text = f"the HPA was unable to compute the replica count: {first.why}"
            self._condition("ScalingActive", "False", first.reason, text)
            share = f"({len(failures)} invalid out of {len(metrics)})"
            message = f"invalid metrics {share}, first error is: {first.error}"
            self._give_up(scale, message, statuses)
            return None
        self.statuses = statuses
        text = f"the HPA was able to successfully calculate a replica count from {best.name}"
        self._condition("ScalingActive", "True", "ValidMetricFound", text)
        return best

    def _give_up(self, scale: Scale, message: str, statuses: list[Object]) -> None:
        self._say("Warning", "FailedComputeMetricsReplicas", message)
        status = self._status(scale, self.old.get("desiredReplicas", 0), statuses)
        self._write(status)

    def _apply(self, scale: Scale, desired: int, reason: str) -> None:
        current = scale.spec_replicas
        rescale = desired != current
        if rescale:
            try:
                set_scale(self.world, scale, desired)
            except ApiError as error:
                message = error.status["message"]
                text = f"New size: {desired}; reason: {reason}; error: {message}"
                self._say("Warning", "FailedRescale", text)
                text = f"the HPA controller was unable to update the target scale: {message}"
                self._condition("AbleToScale", "False", "FailedUpdateScale", text)
                old = self.old.get("desiredReplicas", 0)
                self._write(self._status(scale, old, self.statuses))
                return
            text = f"the HPA controller was able to update the target scale to {desired}"
            self._condition("AbleToScale", "True", "SucceededRescale", text)
            text = f"New size: {desired}; reason: {reason}"
            self._say("Normal", "SuccessfulRescale", text)
            uid = self.autoscaler["metadata"]["uid"]
            limits.scaled(self.world, uid, current, desired)
        status = self._status(scale, desired, self.statuses)
        if rescale:
            status["lastScaleTime"] = self.world.timestamp()
        self._write(status)

    def _status(self, scale: Scale, desired: int, statuses: list[Object] | None) -> Object:
        status: Object = {
            "currentMetrics": statuses or None,
            "desiredReplicas": desired,
        }
        if scale.spec_replicas:
            status["currentReplicas"] = scale.spec_replicas
        if "lastScaleTime" in self.old:
            status["lastScaleTime"] = self.old["lastScaleTime"]
        return status

    def _write(self, status: Object) -> None:
        status = {**status, "conditions": self.conditions}
        # What was not computed yet is not there, but for two fields that always are.
        status.setdefault("currentMetrics", None)
        status.setdefault("desiredReplicas", 0)
        internal_client.update_status(self.world, self.key, status)

    def _condition(self, type_: str, status: str, reason: str, message: str) -> None:
        now = self.world.timestamp()
        for index, entry in enumerate(self.conditions):
            if entry.get("type") == type_:  # anybody may have written what is no condition
                same = entry.get("status") == status
                since = entry.get("lastTransitionTime", now) if same else now
                self.conditions[index] = _entry(type_, status, since, reason, message)
                return
        self.conditions.append(_entry(type_, status, now, reason, message))

    def _say(self, type_: str, reason: str, message: str) -> None:
        events.record(self.world, self.autoscaler, RESOURCE, type_, reason, message, _COMPONENT)


def _entry(type_: str, status: str, since: str, reason: str, message: str) -> Object:
    return {
        "lastTransitionTime": since,
        "message": message,
        "reason": reason,
        "status": status,
        "type": type_,
    }


def _tolerances(behavior: Object) -> Tolerances:
    def given(rules: Any, default: float) -> float:
        value = (rules or {}).get("tolerance")
        return default if value is None else float(parse(str(value)))

    plain = Tolerances()
    return Tolerances(
        given(behavior.get("scaleUp"), plain.up), given(behavior.get("scaleDown"), plain.down)
    )
