"""An automation puts a wrong value back, again and again: after a repair of the victim alone the fault returns."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field
from sregym_core.interfaces import Command
from sregym_core.model import (
    Change,
    Check,
    Component,
    FailureMode,
    GroundTruth,
    ObjectRef,
    pod_spec,
)
from sregym_injectors.component_fault import ComponentFault, not_custom, not_load, not_rolling
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.manifests import manifest_of
from sregym_injectors.restarts import ClientParameters
from sregym_injectors.templates import container_patch
from sregym_injectors.workloads import workload_defects
from typing_extensions import override

from sregym_injector_operator import accounts
from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.interfaces.cluster import KubeObject

_MINUTE_S = 60
# Until the image of its pods is there, at most.
_PULLED_S = 120.0
_PATCH_FILE, _SCRIPT = "patch.json", "apply.sh"
_ONCE = f"""set -e
kubectl patch {{kind}} {{name}} -n {{namespace}} --type=strategic --patch-file {accounts.SCRIPTS}/{_PATCH_FILE}
"""
_LOOP = f"""while true; do
  kubectl patch {{kind}} {{name}} -n {{namespace}} --type=strategic --patch-file {accounts.SCRIPTS}/{_PATCH_FILE}
  sleep {{seconds}}
done
"""
_RECREATE = {"type": "Recreate", "rollingUpdate": None}


class ActorRecurring(ComponentFault):
    """Adds an automation that patches the component's workload every period."""

    name: ClassVar[str] = "actor-recurring"
    title: ClassVar[str] = "Automation puts a wrong value back"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.RECURRING,)
    layer: ClassVar[str] = "kubernetes"

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            by: What runs it: a `cronjob`, or a `deployment` with a loop.
            period_s: How often it acts; a CronJob in whole minutes.
            memory: Limit (and request) of memory that it sets.
            patch: What it patches instead, a strategic merge patch of the workload:
                `{spec: {replicas: 0}}`.
            actor: Name of what it consists of.
            image: Of its pods, which has kubectl and a shell.
        """

        by: Literal["cronjob", "deployment"] = "cronjob"
        period_s: int = Field(default=60, ge=15, le=1800)
        memory: str = "4Mi"
        patch: dict[str, Any] = Field(default_factory=dict)
        actor: str = "resource-tuner"
        image: str = accounts.IMAGE

    @override
    def mismatch_reason(self, component: Component) -> str:
        return not_load(component) or not_custom(component) or not_rolling(component)

    @override
    def inject(self, context: FaultContext) -> None:
        edits, ref = Edits(context), context.component.workload
        workload = edits.save(ref)
        if ref.kind == "Deployment" and "template" in _patch(context)["spec"]:
            # A strategy that keeps the old pods until new ones are ready would hide it.
            strategy = (workload["spec"].get("strategy") or {}).get("type")
            if strategy != "Recreate":
                edits.patch(ref, {"spec": {"strategy": _RECREATE}}, "merge")
        for obj in self._objects(context):
            edits.create(obj)
        # Nothing is wrong before it has acted for the first time.
        limit_s = 2 * self.period_s(context) + _PULLED_S
        context.cluster.clock.wait_until(lambda: not self.outstanding(context), limit_s, 2.0)

    @override
    def outstanding(self, context: FaultContext) -> str:
        ref = context.component.workload
        if _holds(context.cluster.get(ref) or {}, _patch(context)):
            return ""
        return f"{self._actor(context)} has not changed {ref} yet"

    @override
    def period_s(self, context: FaultContext) -> float:
        given = context.parameters
        return float(_minutes(context) * _MINUTE_S if given.by == "cronjob" else given.period_s)

    @override
    def present(self, context: FaultContext) -> Check:
        ref, patch = context.component.workload, _patch(context)
        found = workload_defects(context.cluster, ref)
        if not found and _holds(context.cluster.get(ref) or {}, patch):
            found = [f"{ref} has {_told(patch)}"]
        found = found or self._armed(context)
        return defect_check(f"{ref} without {_told(patch)}, for good", found)

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        actor, ref = self._actor(context), context.component.workload
        what = "jobTemplate" if actor.kind == "CronJob" else "template"
        return truth_of(
            context,
            actor,
            "automation-reverts-repairs",
            (
                "automation puts the wrong value back",
                "recurring automation breaks the workload again",
                f"{actor.kind} patches the workload periodically",
                f"{actor.kind} {actor.name} keeps patching {ref.name}",
                f"{actor.name} overwrites the configuration of {ref.name}",
                "a job reverts the repair",
                "scheduled job lowers the limits",
                "drift is reintroduced by an automation",
                "controller fights the repair",
            ),
            Change(what=f"spec.{what}", before="", after=f"patches {ref.name}: {_told(_patch(context))}"),
            "breaks again after each repair",
            "OOMKilled",
            "crash loop",
        )  # fmt: skip

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        actor = self._actor(context)
        own = ("-n", actor.namespace, "-l", f"app={actor.name}")
        if actor.kind == "CronJob":
            stop = commands.patch(actor, {"spec": {"suspend": True}}, "merge")
            runs = Command(("kubectl", "delete", "jobs", *own))
        else:
            stop = commands.scale(actor, 0)
            # A shell that sleeps acts once more before it is killed.
            runs = Command(("kubectl", "delete", "pods", *own, "--now"))
        return (stop, runs, *self.hasty_fix(context))

    @override
    def hasty_fix(self, context: FaultContext) -> tuple[Command, ...]:
        ref = context.component.workload
        manifest = manifest_of(context.application, ref)
        spec = {"op": "replace", "path": "/spec/template/spec", "value": pod_spec(manifest)}
        operations = [spec]
        if "replicas" in _patch(context)["spec"]:
            replicas = manifest["spec"].get("replicas", 1)
            operations.append({"op": "add", "path": "/spec/replicas", "value": replicas})
        return (commands.patch(ref, operations, "json"), commands.rollout_status(ref))

    def _armed(self, context: FaultContext) -> list[str]:
        """Whether the automation will act again, however late: a slower one is none the better."""
        ref, actor = context.component.workload, self._actor(context)
        live = context.cluster.get(actor)
        if live is None or "deletionTimestamp" in live["metadata"]:
            return []
        spec, wanted = pod_spec(live), accounts.pod(actor.name, "", _SCRIPT)
        if live["spec"].get("suspend") or live["spec"].get("replicas") == 0:
            return []
        runs = [one.get("command") for one in spec["containers"]]
        scripts = context.cluster.get(_scripts(actor)) or {}
        kept = (scripts.get("data") or {}).get(_PATCH_FILE, "")
        if wanted["containers"][0]["command"] not in runs or not _same(kept, _patch(context)):
            return []
        return [f"{actor} will patch {ref} again"]

    def _actor(self, context: FaultContext) -> ObjectRef:
        cron = context.parameters.by == "cronjob"
        return ObjectRef(
            api_version="batch/v1" if cron else "apps/v1",
            kind="CronJob" if cron else "Deployment",
            namespace=context.component.namespace,
            name=context.parameters.actor,
        )

    def _objects(self, context: FaultContext) -> tuple[KubeObject, ...]:
        given, component = context.parameters, context.component
        name, namespace, kind = given.actor, component.namespace, component.workload.kind.lower()
        cron = given.by == "cronjob"
        script = (_ONCE if cron else _LOOP).format(
            kind=kind, name=component.workload.name, namespace=namespace, seconds=given.period_s
        )
        files = {_PATCH_FILE: json.dumps(_patch(context), indent=2) + "\n", _SCRIPT: script}
        spec = accounts.pod(name, given.image, _SCRIPT)
        rules = (accounts.rule("apps", f"{kind}s", "get", "list", "patch"),)
        return (
            *accounts.account(name, namespace, rules),
            accounts.scripts(name, namespace, files),
            accounts.cron_job(name, namespace, spec, _minutes(context))
            if cron
            else accounts.deployment(name, namespace, spec),
        )


def _scripts(actor: ObjectRef) -> ObjectRef:
    """Where an automation has its program from."""
    place = {"namespace": actor.namespace, "name": actor.name}
    return ObjectRef(api_version="v1", kind="ConfigMap", **place)


def _same(text: str, patch: dict[str, Any]) -> bool:
    try:
        return bool(json.loads(text) == patch)
    except (ValueError, RecursionError):
        return False


def _minutes(context: FaultContext) -> int:
    period_s: int = context.parameters.period_s
    return max(1, round(period_s / _MINUTE_S))


def _patch(context: FaultContext) -> dict[str, Any]:
    given = context.parameters
    if given.patch:
        return {"spec": {}, **given.patch}
    resources = {one: {"memory": given.memory} for one in ("limits", "requests")}
    found: dict[str, Any] = container_patch(context.component, {"resources": resources})
    return found


def _holds(live: Any, patch: Any) -> bool:
    """Whether an object is as a strategic merge patch leaves it; entries of lists go by their names."""
    if isinstance(patch, dict):
        known = live if isinstance(live, dict) else {}
        return all(_holds(known.get(key), value) for key, value in patch.items())
    if isinstance(patch, list) and all(isinstance(one, dict) and "name" in one for one in patch):
        by_name = {one.get("name"): one for one in live or () if isinstance(one, dict)}
        return all(_holds(by_name.get(one["name"]), one) for one in patch)
    return bool(live == patch)


def _told(patch: Any, path: str = "") -> str:
    """The values of a patch with their paths, for people."""
    if isinstance(patch, dict):
        parts = [
            _told(value, f"{path}.{key}" if path else key)
            for key, value in patch.items()
            if key != "name"
        ]
        return ", ".join(filter(None, parts))
    if isinstance(patch, list):
        return ", ".join(
            _told(one, f"{path}[{one.get('name', '')}]") if isinstance(one, dict) else str(one)
            for one in patch
        )
    return f"{path} {patch}"
