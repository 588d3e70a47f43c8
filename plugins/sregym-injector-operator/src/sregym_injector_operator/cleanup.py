"""Finalizers that are never removed: objects that never go, and controllers that stand still."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import BaseModel, ConfigDict
from sregym_core.interfaces import Command
from sregym_core.model import (
    Change,
    Check,
    Component,
    FailureMode,
    GroundTruth,
    ObjectRef,
    TargetKind,
)
from sregym_injectors.component_fault import ComponentFault, not_load
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.ground_truth import truth_of
from typing_extensions import override

from sregym_injector_operator import accounts
from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.interfaces.cluster import KubeObject

_SCRIPT = "reconcile.sh"
_CLEANUP = "cleanup"
# Removes the finalizer of what is to go, once its own work is done.
_LOOP = """selector={label}=pending
gone='{{range .items[?(@.metadata.deletionTimestamp)]}}{{.metadata.name}}{{" "}}{{end}}'
while true; do
  for name in $(kubectl get configmaps -n {namespace} -l $selector -o jsonpath="$gone"); do
    echo "cleaning up after configmap/$name"
    kubectl patch configmap $name -n {namespace} --type=merge -p '{{"metadata":{{"finalizers":null}}}}'
  done
  sleep {seconds}
done
"""
_LOOK_S = 5
_GRANTED = ("get", "list", "watch", "patch")


class FinalizerParameters(BaseModel):
    """Parameters of both.

    Attributes:
        finalizer: On the object that is to go.
        controller: Name of who removes it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    finalizer: str = "cleanup.reservations.io/pending-cleanup"
    controller: str = "cleanup-controller"


class FinalizerFault(ComponentFault):
    """Base: an object of the component's namespace is deleted and stays."""

    layer: ClassVar[str] = "kubernetes"
    # Nothing that serves waits for the object.
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.LATENT,)
    # The object is added; it is no part of a component.
    breaks: ClassVar[TargetKind | None] = TargetKind.NAMESPACE

    class Parameters(FinalizerParameters):
        """What both have."""

    @override
    def mismatch_reason(self, component: Component) -> str:
        return not_load(component)

    @abstractmethod
    def around(self, context: FaultContext) -> tuple[KubeObject, ...]:
        """What is created before the object."""

    @override
    def inject(self, context: FaultContext) -> None:
        edits = Edits(context)
        for obj in self.around(context):
            edits.create(obj)
        edits.create(_object(context))
        edits.delete(_stuck(context))

    @override
    def recover(self, context: FaultContext) -> None:
        """Take the finalizer away, or the object could not be deleted."""
        if context.cluster.get(_stuck(context)) is not None:
            context.cluster.patch(_stuck(context), {"metadata": {"finalizers": None}}, "merge")

    def remains(self, context: FaultContext) -> list[str]:
        """The object, as long as it is to go and does not."""
        live = context.cluster.get(_stuck(context))
        if live is None or "deletionTimestamp" not in live["metadata"]:
            return []
        names = ", ".join(live["metadata"].get("finalizers") or ())
        return [f"{_stuck(context)} waits to be deleted for the finalizer {names}"]


class FinalizerStuck(FinalizerFault):
    """Deletes an object whose finalizer belongs to a controller that is not there."""

    name: ClassVar[str] = "finalizer-stuck"
    title: ClassVar[str] = "Object that is never deleted for its finalizer"

    @override
    def around(self, context: FaultContext) -> tuple[KubeObject, ...]:
        return ()

    @override
    def present(self, context: FaultContext) -> Check:
        return defect_check("nothing that waits for ever to be deleted", self.remains(context))

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        finalizer = context.parameters.finalizer
        return truth_of(
            context,
            _stuck(context),
            "finalizer-never-removed",
            (
                "finalizer blocks deletion",
                "object stuck in Terminating because of a finalizer",
                "finalizer is never removed",
                "finalizer without a controller",
                f"finalizer {finalizer}",
                "deletion is blocked by a finalizer",
            ),
            Change(what="metadata.finalizers", before="", after=finalizer),
            "users are not affected yet",
            "stuck in Terminating",
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        return (commands.patch(_stuck(context), {"metadata": {"finalizers": None}}, "merge"),)


class ControllerDown(FinalizerFault):
    """Adds a controller that cannot do its work, and an object that waits for it."""

    name: ClassVar[str] = "controller-down"
    title: ClassVar[str] = "Controller stands still and its finalizers stay"

    class Parameters(FinalizerParameters):
        """Parameters.

        Attributes:
            mode: What is wrong with it: its role lacks a verb (`rights`), it has no `replicas`, or
                an `image` that does not exist.
            verb: Which one it lacks.
            image: Of its pods, which has kubectl and a shell.
        """

        mode: Literal["rights", "replicas", "image"] = "rights"
        verb: Literal["get", "list", "patch"] = "patch"
        image: str = accounts.IMAGE

    @override
    def around(self, context: FaultContext) -> tuple[KubeObject, ...]:
        given, namespace = context.parameters, context.component.namespace
        name = given.controller
        lacks = given.verb if given.mode == "rights" else ""
        verbs = [verb for verb in _GRANTED if verb != lacks]
        image = f"{given.image}-edge" if given.mode == "image" else given.image
        script = _LOOP.format(label=_CLEANUP, namespace=namespace, seconds=_LOOK_S)
        spec = accounts.pod(name, image, _SCRIPT)
        return (
            *accounts.account(name, namespace, (accounts.rule("", "configmaps", *verbs),)),
            accounts.scripts(name, namespace, {_SCRIPT: script}),
            accounts.deployment(name, namespace, spec, 0 if given.mode == "replicas" else 1),
        )

    @override
    def present(self, context: FaultContext) -> Check:
        found = self.remains(context)
        deployment = context.cluster.get(self._deployment(context))
        ready = ((deployment or {}).get("status") or {}).get("readyReplicas", 0)
        if deployment is None and not self._left(context):
            pass  # there is no such controller in this cluster
        elif deployment is None or not ready:
            found.append(f"{self._deployment(context)} has no ready pod")
        else:
            account = deployment["spec"]["template"]["spec"].get("serviceAccountName", "default")
            found += self._refused(context, account)
        return defect_check("a controller that works, and nothing left that waits for it", found)

    def _left(self, context: FaultContext) -> bool:
        """Whether something of the controller is there without what runs it."""
        scripts = {"api_version": "v1", "kind": "ConfigMap"}
        return context.cluster.get(self._deployment(context).model_copy(update=scripts)) is not None

    def _refused(self, context: FaultContext, account: str) -> list[str]:
        namespace = context.component.namespace
        who = f"system:serviceaccount:{namespace}:{account}"
        found = []
        for verb in ("list", "patch"):
            words = ("auth", "can-i", verb, "configmaps", "--as", who, "-n", namespace)
            if context.cluster.kubectl(Command(("kubectl", *words))).stdout.strip() != "yes":
                found.append(f"the account {account} may not {verb} configmaps")
        return found

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        given = context.parameters
        what, before, after = {
            "rights": ("rules[0].verbs", ", ".join(_GRANTED), f"without {given.verb}"),
            "replicas": ("spec.replicas", "1", "0"),
            "image": ("containers[0].image", given.image, f"{given.image}-edge"),
        }[given.mode]
        return truth_of(
            context,
            self._broken(context),
            "controller-stands-still",
            (
                "controller cannot remove its finalizer",
                "controller stands still",
                "controller does not reconcile",
                "finalizer is never removed since its controller is broken",
                f"{given.controller} lacks the verb {given.verb}",
                f"{given.controller} may not {given.verb} configmaps",
                f"{given.controller} does not work",
                "controller lost a permission",
                "RBAC permission missing",
                "object stuck in Terminating",
            ),
            Change(what=what, before=before, after=after),
            "users are not affected yet",
            "stuck in Terminating",
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        given, deployment = context.parameters, self._deployment(context)
        if given.mode == "rights":
            value = list(_GRANTED)
            operation = {"op": "replace", "path": "/rules/0/verbs", "value": value}
            return (commands.patch(self._broken(context), [operation], "json"),)
        if given.mode == "replicas":
            return (commands.scale(deployment, 1), commands.rollout_status(deployment))
        return (
            commands.set_image(deployment, given.controller, given.image),
            commands.rollout_status(deployment),
        )

    def _deployment(self, context: FaultContext) -> ObjectRef:
        return ObjectRef(
            api_version="apps/v1",
            kind="Deployment",
            namespace=context.component.namespace,
            name=context.parameters.controller,
        )

    def _broken(self, context: FaultContext) -> ObjectRef:
        if context.parameters.mode != "rights":
            return self._deployment(context)
        role = {"api_version": "rbac.authorization.k8s.io/v1", "kind": "Role"}
        return self._deployment(context).model_copy(update=role)


def _stuck(context: FaultContext) -> ObjectRef:
    component = context.component
    return ObjectRef(
        api_version="v1",
        kind="ConfigMap",
        namespace=component.namespace,
        name=f"{component.name}-cleanup-token",
    )


def _object(context: FaultContext) -> KubeObject:
    ref = _stuck(context)
    metadata = {
        "name": ref.name,
        "namespace": ref.namespace,
        "labels": {_CLEANUP: "pending"},
        "finalizers": [context.parameters.finalizer],
    }
    data = {"owner": context.component.name}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
