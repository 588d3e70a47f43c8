"""Jobs that never complete and hold the next ones back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.interfaces import Command
from sregym_core.model import FailureMode, ObjectRef
from sregym_injectors.restarts import ClientParameters
from sregym_injectors.template_change import AddedObjectFault, Template, TemplateChange
from typing_extensions import override

from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component

_GROUP = "batch/v1"
_FOR_EVER = ["sleep", "infinity"]
_SIDECAR = "log-shipper"
_POD = "/spec/jobTemplate/spec/template/spec"


class JobBacklog(AddedObjectFault):
    """Adds a CronJob whose Jobs cannot complete: a container beside the work never ends."""

    name: ClassVar[str] = "job-backlog"
    title: ClassVar[str] = "Sidecar keeps Jobs from completing"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.LATENT,)
    mechanism: ClassVar[str] = "job-never-completes"
    phrases: ClassVar[tuple[str, ...]] = (
        "Job never completes",
        "sidecar keeps the Job from completing",
        "sidecar container never exits",
        "Jobs of the CronJob do not complete",
        "CronJob is blocked by a run that does not end",
        "concurrencyPolicy Forbid holds the next runs back",
        "side container blocks job completion",
        "job backlog",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("users are not affected yet", "runs are missed")
    expected: ClassVar[str] = "a CronJob whose Jobs can complete"
    restarts: ClassVar[bool] = False

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            schedule: Of the CronJob.
            image: Of both containers, which has `wget` and `sleep`.
        """

        schedule: str = "*/2 * * * *"
        image: str = "busybox:1.36"

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        return "" if component.service else "no Service leads to it that Jobs could ask"

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        ref = self.broken(context)
        labels = {"app": ref.name}
        work = {
            "name": "report",
            "image": context.parameters.image,
            "command": ["sh", "/scripts/report.sh"],
            "volumeMounts": [{"name": "scripts", "mountPath": "/scripts"}],
        }
        pod = {
            "restartPolicy": "Never",
            "containers": [work, _sidecar(context)],
            "volumes": [{"name": "scripts", "configMap": {"name": ref.name}}],
        }
        job = {"metadata": {"labels": labels}, "spec": {"template": {"metadata": {"labels": labels}, "spec": pod}}}  # fmt: skip
        spec = {
            "schedule": context.parameters.schedule,
            "concurrencyPolicy": "Forbid",
            "jobTemplate": job,
        }
        added: KubeObject = {
            "apiVersion": _GROUP,
            "kind": "CronJob",
            "metadata": {"name": ref.name, "namespace": ref.namespace, "labels": labels},
            "spec": spec,
        }
        script: KubeObject = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": ref.name, "namespace": ref.namespace, "labels": labels},
            "data": {"report.sh": f"nslookup {_service(context)}\n"},
        }
        what = "jobTemplate.spec.template.spec.containers"
        return TemplateChange(what, f"{_SIDECAR}, which never ends", objects=(script, added))

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        ref = self.broken(context)
        cronjob = live.cluster.get(ref)
        if cronjob is None:
            # What it runs is there still: the CronJob was deleted instead of repaired.
            script = ref.model_copy(update={"api_version": "v1", "kind": "ConfigMap"})
            left = live.cluster.get(script) is not None
            return [f"has {script} and no {ref} that runs it"] if left else []
        found = [f"has the suspended {ref}"] if cronjob["spec"].get("suspend") else []
        if _endless(cronjob["spec"]["jobTemplate"]):
            found.append(f"has {ref} with a container that never ends")
        for job in live.cluster.list(_GROUP, "Job", ref.namespace, f"app={ref.name}"):
            if (job.get("status") or {}).get("active") and _endless(job):
                found.append(f"has Job {job['metadata']['name']}, which never completes")
        return found

    @override
    def broken(self, context: FaultContext) -> ObjectRef:
        component = context.component
        name = f"{component.name}-report"
        return ObjectRef(
            api_version=_GROUP, kind="CronJob", namespace=component.namespace, name=name
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        ref = self.broken(context)
        native = {**_sidecar(context), "restartPolicy": "Always"}
        operations = [
            {"op": "remove", "path": f"{_POD}/containers/1"},
            {"op": "add", "path": f"{_POD}/initContainers", "value": [native]},
        ]
        selector = ("-l", f"app={ref.name}")
        return (
            commands.patch(ref, operations, "json"),
            Command(("kubectl", "delete", "jobs", "-n", ref.namespace, *selector)),
        )


def _service(context: FaultContext) -> str:
    service = context.component.service
    return service.name if service else context.component.name


def _sidecar(context: FaultContext) -> dict[str, Any]:
    return {"name": _SIDECAR, "image": context.parameters.image, "command": _FOR_EVER}


def _endless(job: KubeObject) -> bool:
    """Whether a container of a Job, which is to end, never does."""
    containers = job["spec"]["template"]["spec"].get("containers") or ()
    return any(
        [*(entry.get("command") or ()), *(entry.get("args") or ())] == _FOR_EVER
        for entry in containers
    )
