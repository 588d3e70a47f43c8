"""An account may not do what its pods need to do with the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_core.interfaces import Command
from sregym_core.model import ComponentPart, ObjectRef
from sregym_injectors.restarts import TemplateParameters
from sregym_injectors.template_change import PodTemplateFault, Template, TemplateChange
from typing_extensions import override

from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component

_GROUP = "rbac.authorization.k8s.io"

# Asks the API as pods without a client library do, until it answers.
_ASKING = """account=/var/run/secrets/kubernetes.io/serviceaccount
until curl -sf --cacert $account/ca.crt -H "Authorization: Bearer $(cat $account/token)" \\
    https://kubernetes.default.svc{path} > /dev/null; do
  echo waiting for {path}
  sleep 2
done
"""


class RbacMissing(PodTemplateFault):
    """Starts the pods with a look at the API for which their account has no right."""

    name: ClassVar[str] = "rbac-missing"
    title: ClassVar[str] = "Account lacks a verb that its pods need"
    # What is wrong is the pod's, not one container's.
    parts: ClassVar[tuple[ComponentPart, ...]] = ()
    mechanism: ClassVar[str] = "rbac-permission-missing"
    phrases: ClassVar[tuple[str, ...]] = (
        "RBAC misconfigured",
        "RBAC permission missing",
        "Role lacks the verb get",
        "Role is missing a permission",
        "ServiceAccount lacks permissions",
        "ServiceAccount is not authorized",
        "account of the pod may not get services",
        "forbidden: cannot get resource services",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("pods stay in Init:0/1", "Forbidden")
    expected: ClassVar[str] = "an account that may do what its pods need"

    class Parameters(TemplateParameters):
        """Parameters.

        Attributes:
            container: Name of the init container that asks the API.
            image: Its image, which has `curl` and a shell.
        """

        container: str = "wait-for-service"
        image: str = "curlimages/curl:8.8.0"

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        return "" if component.service else "no Service leads to it for which its pods could ask"

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        component, given = context.component, context.parameters
        entry = {
            "name": given.container,
            "image": given.image,
            "imagePullPolicy": "IfNotPresent",
            "command": ["sh", "-c", _ASKING.format(path=_path(context))],
        }
        name = self.broken(context).name
        metadata = {"name": name, "namespace": component.namespace}
        account: KubeObject = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}
        rule = {"apiGroups": [""], "resources": ["services"], "verbs": ["list"]}
        role: KubeObject = {
            "apiVersion": f"{_GROUP}/v1",
            "kind": "Role",
            "metadata": metadata,
            "rules": [rule],
        }
        subject = {"kind": "ServiceAccount", "name": name, "namespace": component.namespace}
        binding: KubeObject = {
            "apiVersion": f"{_GROUP}/v1",
            "kind": "RoleBinding",
            "metadata": metadata,
            "roleRef": {"apiGroup": _GROUP, "kind": "Role", "name": name},
            "subjects": [subject],
        }
        return TemplateChange(
            "rules[0].verbs",
            "list",
            "get, list",
            pod={"serviceAccountName": name, "initContainers": [entry]},
            objects=(account, role, binding),
        )

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        service, namespace = _service(context), context.component.namespace
        asks = any(
            _path(context) in " ".join((*(one.get("command") or ()), *(one.get("args") or ())))
            for one in live.spec.get("initContainers") or ()
        )
        if not asks:
            return []
        account = live.spec.get("serviceAccountName") or "default"
        who = f"system:serviceaccount:{namespace}:{account}"
        words = ("auth", "can-i", "get", f"services/{service}", "--as", who, "-n", namespace)
        said = live.cluster.kubectl(Command(("kubectl", *words)))
        if said.stdout.strip() == "yes":
            return []
        return [f"asks for the Service {service}, which the account {account} may not get"]

    @override
    def broken(self, context: FaultContext) -> ObjectRef:
        component = context.component
        name = f"{component.name}-starter"
        namespace = component.namespace
        return ObjectRef(api_version=f"{_GROUP}/v1", kind="Role", namespace=namespace, name=name)

    @override
    def more_phrases(self, context: FaultContext) -> tuple[str, ...]:
        return (f"Role {self.broken(context).name} lacks get",)

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        operation = {"op": "replace", "path": "/rules/0/verbs", "value": ["get", "list"]}
        ref = context.component.workload
        return (
            commands.patch(self.broken(context), [operation], "json"),
            *commands.restart_and_wait((ref,)),
        )


def _path(context: FaultContext) -> str:
    return f"/api/v1/namespaces/{context.component.namespace}/services/{_service(context)}"


def _service(context: FaultContext) -> str:
    service = context.component.service
    return service.name if service else context.component.name
