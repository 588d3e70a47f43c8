"""Batch work that runs while users are there, and asks for as much as all of them together and more."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field
from sregym_core.errors import UsageError
from sregym_core.model import Check, FailureMode, ObjectRef, pod_spec
from sregym_injectors.added_object import AddedObjectFault
from sregym_injectors.component_fault import not_custom, not_rolling
from sregym_injectors.defects import defect_check
from sregym_injectors.manifests import manifest_of
from sregym_injectors.restarts import ClientParameters
from sregym_injectors.settings import locate_setting, settings_of
from sregym_injectors.triggers import multiplied
from typing_extensions import override

from sregym_injectors import scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import FaultContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component

_MINUTE_S = 60
# Runs of before are over when the next one begins.
_PAUSE_S = 5


class JobAtPeak(AddedObjectFault):
    """Adds a CronJob that reads all there is through the front end, every few minutes, in the daytime."""

    name: ClassVar[str] = "job-at-peak"
    title: ClassVar[str] = "Batch work meets the peak of the day"
    layer: ClassVar[str] = "application"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.SLOW, FailureMode.RECURRING)
    mechanism: ClassVar[str] = "batch-job-at-peak"
    phrases: ClassVar[tuple[str, ...]] = (
        "batch job runs at peak time",
        "batch job overloads the service",
        "CronJob overloads the system",
        "CronJob schedule collides with peak load",
        "scheduled job competes with users",
        "export job floods the service",
        "report job causes overload",
        "wrong schedule of a CronJob",
        "job runs too often",
        "maintenance job at peak hours",
        "batch work takes the capacity of users",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("latency rises", "requests time out", "overload")

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            times: How many times as much as users it asks for.
            minutes: Between two runs.
            job: Name of the CronJob; empty: that of the application and `-export`.
        """

        restart_clients: bool | None = False
        times: float = Field(default=40.0, gt=1)
        minutes: int = Field(default=1, ge=1, le=59)
        job: str = Field(default="", pattern=r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$")

    @override
    def mismatch_reason(self, component: Component) -> str:
        if component.kind != scope.LOAD:
            return "it is no load generator, of which it could be told how users come in"
        if reason := not_custom(component) or not_rolling(component):
            return reason
        asked = settings_of(component, "rate", "users")
        return "" if asked else "none of its settings says how much it asks"

    @override
    def period_s(self, context: FaultContext) -> float:
        return float(context.parameters.minutes * _MINUTE_S)

    @override
    def added(self, context: FaultContext) -> KubeObject:
        ref, labels = job_of(context), {"app": job_of(context).name}
        spec = _pods(context)
        template = {"metadata": {"labels": labels}, "spec": {**spec, "restartPolicy": "Never"}}
        job = {
            "activeDeadlineSeconds": context.parameters.minutes * _MINUTE_S - _PAUSE_S,
            "backoffLimit": 0,
            "ttlSecondsAfterFinished": 30,
            "template": template,
        }
        return {
            "apiVersion": ref.api_version,
            "kind": ref.kind,
            "metadata": {"name": ref.name, "namespace": ref.namespace, "labels": labels},
            "spec": {
                "schedule": f"*/{context.parameters.minutes} * * * *",
                "concurrencyPolicy": "Replace",
                "failedJobsHistoryLimit": 1,
                "jobTemplate": {"metadata": {"labels": labels}, "spec": job},
            },
        }

    @override
    def describe(self, context: FaultContext) -> str:
        times, every = context.parameters.times, context.parameters.minutes
        return f"asks {times:g} times as much as all users, every {every} min"

    @override
    def restarted(self, context: FaultContext) -> Sequence[ObjectRef]:
        return ()

    @override
    def present(self, context: FaultContext) -> Check:
        ref = job_of(context)
        live = context.cluster.get(ref)
        runs = live is not None and not live["spec"].get("suspend")
        told = [f"{ref} {self.describe(context)}"] if runs else []
        return defect_check("no batch work takes the capacity of users", told)


def job_of(context: FaultContext) -> ObjectRef:
    """The CronJob."""
    return ObjectRef(
        api_version="batch/v1",
        kind="CronJob",
        namespace=context.component.namespace,
        name=context.parameters.job or f"{context.application.name}-export"[:52],
    )


def _pods(context: FaultContext) -> dict[str, Any]:
    """The specification of the load generator's pods, with settings that ask for more.

    Raises:
        UsageError: Its own workload does not say how much it asks.
    """
    component = context.component
    spec = deepcopy(pod_spec(manifest_of(context.application, component.workload)))
    entry = next(c for c in spec["containers"] if c["name"] == component.container)
    raised = False
    for setting in settings_of(component, "rate", "users"):
        place = locate_setting(context.application.manifest, component, setting)
        if place is None or place.ref != component.workload:
            continue
        many = str(round(float(multiplied(place.value, context.parameters.times))))
        if place.word is None:
            entry["env"] = [
                {"name": place.key, "value": many} if one["name"] == place.key else one
                for one in entry["env"]
            ]
        else:
            line = entry[place.key]
            line[place.word] = line[place.word].replace(place.value, many, 1)
        raised = True
    if not raised:
        raise UsageError(
            f"fault 'job-at-peak' on component {component.name!r}: its workload does not say how much "
            "it asks; give it the setting in the environment or the command of its container"
        )
    return spec
