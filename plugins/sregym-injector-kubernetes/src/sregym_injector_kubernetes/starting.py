"""Faults that keep the containers of new pods from starting, or from doing their work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field
from sregym_core.model import ComponentPart, ContainerKind, FailureMode, ObjectRef
from sregym_injectors.restarts import TemplateParameters
from sregym_injectors.template_change import (
    PodTemplateFault,
    Template,
    TemplateChange,
    right_container,
    right_pod,
)
from typing_extensions import override

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.model import Component


# Users of one world ask more than those of another: what takes less than this part of a limit has room.
_ROOM = 0.4


class CommandWrong(PodTemplateFault):
    """Starts something that is not in the image."""

    name: ClassVar[str] = "command-wrong"
    title: ClassVar[str] = "Command of a container is wrong"
    mechanism: ClassVar[str] = "command-wrong"
    phrases: ClassVar[tuple[str, ...]] = (
        "wrong command",
        "wrong binary",
        "command not found in the image",
        "executable file not found",
        "container command is misconfigured",
        "entry point does not exist",
        "starts the wrong program",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("container does not start", "CrashLoopBackOff")
    expected: ClassVar[str] = "the command of the manifest"

    class Parameters(TemplateParameters):
        """Parameters.

        Attributes:
            command: The wrong one; empty: the right one mistyped, or a script that is not there
                where the image's own is right.
        """

        command: tuple[str, ...] = ()

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        right, wrong = self._commands(context)
        return TemplateChange(
            f"containers[name={context.component.container}].command",
            " ".join(wrong),
            " ".join(right),
            container={"command": list(wrong)},
        )

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        _, wrong = self._commands(context)
        found = tuple(live.container.get("command") or ())
        return [f"has the command {' '.join(found)}"] if found == wrong else []

    def _commands(self, context: FaultContext) -> tuple[tuple[str, ...], tuple[str, ...]]:
        right = tuple(right_container(context).get("command") or ())
        if context.parameters.command:
            return right, context.parameters.command
        if not right:
            return right, ("/usr/local/bin/start.sh",)
        folder, slash, program = right[0].rpartition("/")
        return right, (f"{folder}{slash}{program}-server", *right[1:])


class InitHang(PodTemplateFault):
    """Adds an init container that waits for a name that no longer exists."""

    name: ClassVar[str] = "init-hang"
    title: ClassVar[str] = "Init container waits for ever"
    # What is wrong is the pod's, not one container's.
    parts: ClassVar[tuple[ComponentPart, ...]] = ()
    mechanism: ClassVar[str] = "init-container-waits"
    phrases: ClassVar[tuple[str, ...]] = (
        "init container hangs",
        "init container never completes",
        "init container waits for a Service that does not exist",
        "init container dependency hang",
        "waits for a retired dependency",
        "stuck in Init",
        "Init:0/1",
        "pod is stuck initializing",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("pods stay in Init:0/1", "pods do not start")
    expected: ClassVar[str] = "init containers that come to an end"

    class Parameters(TemplateParameters):
        """Parameters.

        Attributes:
            waits_for: Name of the Service that it waits for.
            container: Name of the init container.
            image: Its image, which has `nslookup`.
        """

        waits_for: str = "legacy-config-service"
        container: str = "wait-for-legacy-config"
        image: str = "busybox:1.36"

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        given = context.parameters
        script = f"until nslookup {given.waits_for}; do echo waiting for {given.waits_for}; sleep 2; done"
        entry = {
            "name": given.container,
            "image": given.image,
            "imagePullPolicy": "IfNotPresent",
            "command": ["sh", "-c", script],
        }
        return TemplateChange(
            "initContainers", f"{given.container} waits for {given.waits_for}", pod={"initContainers": [entry]}
        )  # fmt: skip

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        given = context.parameters
        waiting = any(
            given.waits_for in " ".join((*(one.get("command") or ()), *(one.get("args") or ())))
            for one in live.spec.get("initContainers") or ()
        )
        namespace = context.component.namespace
        service = ObjectRef(
            api_version="v1", kind="Service", namespace=namespace, name=given.waits_for
        )
        if not waiting or live.cluster.get(service) is not None:
            return []
        return [f"has an init container that waits for {given.waits_for}"]

    @override
    def more_phrases(self, context: FaultContext) -> tuple[str, ...]:
        return (f"waits for {context.parameters.waits_for}", context.parameters.container)


class ClaimMissing(PodTemplateFault):
    """Mounts a claim that does not exist."""

    name: ClassVar[str] = "claim-missing"
    title: ClassVar[str] = "PersistentVolumeClaim of another name"
    # What is wrong is the pod's, not one container's.
    parts: ClassVar[tuple[ComponentPart, ...]] = ()
    mechanism: ClassVar[str] = "claim-name-wrong"
    phrases: ClassVar[tuple[str, ...]] = (
        "PersistentVolumeClaim not found",
        "persistentvolumeclaim does not exist",
        "wrong claim name",
        "claimName does not match any PVC",
        "PVC name mismatch",
        "claim is missing",
        "claim of the pod is missing",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("pods are Pending", "pods cannot be scheduled")
    expected: ClassVar[str] = "claims that exist"

    class Parameters(TemplateParameters):
        """Parameters.

        Attributes:
            suffix: What is appended to the name of the claim.
        """

        suffix: str = Field(default="-old", min_length=1)

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        mounts = component.volumes and component.workload.kind != "StatefulSet"
        return "" if mounts else "it mounts no PersistentVolumeClaim by name"

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        (name, claim), *_ = _claims(right_pod(context))
        wrong = claim + context.parameters.suffix
        volume: dict[str, Any] = {"name": name, "persistentVolumeClaim": {"claimName": wrong}}
        what = f"volumes[name={name}].persistentVolumeClaim.claimName"
        return TemplateChange(what, wrong, claim, pod={"volumes": [volume]})

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        namespace = context.component.namespace
        found = []
        for _, claim in _claims(live.spec):
            ref = ObjectRef(
                api_version="v1", kind="PersistentVolumeClaim", namespace=namespace, name=claim
            )
            if live.cluster.get(ref) is None:
                found.append(f"mounts the claim {claim}, which does not exist")
        if not found and not _claims(live.spec):
            found.append("mounts no claim: what it stores is lost with the pod")
        return found


def _claims(spec: dict[str, Any]) -> list[tuple[str, str]]:
    """Volumes of a pod that are claims: name of the volume, and of the claim."""
    return [
        (volume["name"], volume["persistentVolumeClaim"]["claimName"])
        for volume in spec.get("volumes") or ()
        if volume.get("persistentVolumeClaim")
    ]


class RunAsNonRoot(PodTemplateFault):
    """Forbids the root user to a container whose image has no other."""

    name: ClassVar[str] = "security-context"
    title: ClassVar[str] = "Security context that the image cannot meet"
    mechanism: ClassVar[str] = "security-context-unmet"
    phrases: ClassVar[tuple[str, ...]] = (
        "runAsNonRoot",
        "runAsNonRoot with an image that runs as root",
        "image will run as root",
        "security context misconfigured",
        "securityContext forbids root",
        "container must not run as root",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("container is not created",)
    expected: ClassVar[str] = "a security context that the image meets"

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        user = component.own_container.user
        return f"it runs as user {user}, who is not root" if user else ""

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        return TemplateChange(
            f"containers[name={context.component.container}].securityContext.runAsNonRoot",
            "true",
            container={"securityContext": {"runAsNonRoot": True}},
        )

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        merged = {
            **(live.spec.get("securityContext") or {}),
            **(live.container.get("securityContext") or {}),
        }
        unmet = merged.get("runAsNonRoot") and not merged.get("runAsUser")
        return ["has runAsNonRoot: true and names no user"] if unmet else []


class CpuLimit(PodTemplateFault):
    """Leaves a container less of a processor than its requests need."""

    name: ClassVar[str] = "cpu-limit"
    title: ClassVar[str] = "CPU limit below what the process needs"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.SLOW,)
    mechanism: ClassVar[str] = "cpu-quota-too-low"
    phrases: ClassVar[tuple[str, ...]] = (
        "cpu limit too low",
        "cpu throttling",
        "CFS throttling",
        "cpu quota too small",
        "throttled by its cpu limit",
        "insufficient cpu limit",
        "cpu starved",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("high latency", "timeouts", "throttled periods")
    expected: ClassVar[str] = "a CPU limit of at least that of the manifest, or none"

    class Parameters(TemplateParameters):
        """Parameters.

        Attributes:
            millicores: The limit, in thousandths of a processor.
        """

        millicores: int = Field(default=4, ge=1)

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        init = component.own_container.kind is ContainerKind.INIT
        return "an init container ends before anything needs its processor" if init else ""

    @override
    def unnoticed(self, component: Component) -> str:
        usual = self.Parameters().millicores
        needs = None if component.kind == "service" else component.millicores
        if needs is None or needs[0] > usual * _ROOM:
            return ""
        return f"requests take {needs[0]:.1f}m of a processor there, and {usual}m is enough"

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        amount = f"{self.size(context)}m"
        right = right_container(context).get("resources") or {}
        return TemplateChange(
            f"containers[name={context.component.container}].resources.limits.cpu",
            amount,
            str((right.get("limits") or {}).get("cpu", "")),
            container={"resources": {"limits": {"cpu": amount}, "requests": {"cpu": amount}}},
        )

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        limits = (live.container.get("resources") or {}).get("limits") or {}
        found = str(limits.get("cpu", ""))
        right = right_container(context).get("resources") or {}
        given = str((right.get("limits") or {}).get("cpu", ""))
        needed = _millicores(given) if given else float("inf")
        # Half as much again is a different size; less than a tenth of a processor is little.
        enough = max(100.0, 1.5 * self.size(context))
        too_low = found and _millicores(found) < min(needed, enough)
        return [f"has a CPU limit of {found}"] if too_low else []

    def size(self, context: FaultContext) -> int:
        """The limit, in thousandths of a processor."""
        return int(context.parameters.millicores)


def _millicores(quantity: str) -> float:
    return float(quantity[:-1]) if quantity.endswith("m") else float(quantity) * 1000
