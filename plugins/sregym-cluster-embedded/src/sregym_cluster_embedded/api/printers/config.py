"""The rows of configuration, policy, access control and of the API's own objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.printers.cell_texts import NONE, Cells, condition, selector
from sregym_cluster_embedded.api.printers.duration import human, since

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.printers.cell_texts import Printer
    from sregym_cluster_embedded.store import Object


def _name(obj: Object) -> str:
    return str(obj["metadata"]["name"])


def _age(obj: Object, now_s: float) -> str:
    return since(obj["metadata"].get("creationTimestamp"), now_s)


def created_at(obj: Object, _now_s: float) -> Cells:
    """Types without columns of their own: name and time of creation."""
    return [_name(obj), obj["metadata"].get("creationTimestamp")]


def name_and_age(obj: Object, now_s: float) -> Cells:
    """Name and age."""
    return [_name(obj), _age(obj, now_s)]


def config_map(obj: Object, now_s: float) -> Cells:
    """ConfigMap."""
    entries = len(obj.get("data") or ()) + len(obj.get("binaryData") or ())
    return [_name(obj), entries, _age(obj, now_s)]


def secret(obj: Object, now_s: float) -> Cells:
    """Secret."""
    return [_name(obj), obj.get("type", ""), len(obj.get("data") or ()), _age(obj, now_s)]


def namespace(obj: Object, now_s: float) -> Cells:
    """Namespace."""
    return [_name(obj), obj.get("status", {}).get("phase", ""), _age(obj, now_s)]


def resource_quota(obj: Object, now_s: float) -> Cells:
    """ResourceQuota."""
    status = obj.get("status", {})
    hard, used = status.get("hard", {}), status.get("used", {})
    requests: list[str] = []
    limits: list[str] = []
    for name in sorted(hard):
        column = limits if name.startswith("limits") else requests
        column.append(f"{name}: {used.get(name, '0')}/{hard[name]}")
    return [_name(obj), ", ".join(requests), ", ".join(limits), _age(obj, now_s)]


def lease(obj: Object, now_s: float) -> Cells:
    """Lease."""
    return [_name(obj), obj.get("spec", {}).get("holderIdentity", ""), _age(obj, now_s)]


def priority_class(obj: Object, now_s: float) -> Cells:
    """PriorityClass."""
    return [
        _name(obj),
        obj.get("value", 0),
        bool(obj.get("globalDefault")),
        _age(obj, now_s),
        obj.get("preemptionPolicy", ""),
    ]


def runtime_class(obj: Object, now_s: float) -> Cells:
    """RuntimeClass."""
    return [_name(obj), obj.get("handler", ""), _age(obj, now_s)]


def role_binding(obj: Object, now_s: float) -> Cells:
    """RoleBinding and ClusterRoleBinding."""
    role = obj["roleRef"]
    subjects: dict[str, list[str]] = {"User": [], "Group": [], "ServiceAccount": []}
    for subject in obj.get("subjects", ()):
        name = subject["name"]
        if subject["kind"] == "ServiceAccount":
            name = f"{subject.get('namespace', '')}/{name}"
        subjects.setdefault(subject["kind"], []).append(name)
    return [
        _name(obj),
        f"{role['kind']}/{role['name']}",
        _age(obj, now_s),
        *(", ".join(subjects[kind]) for kind in ("User", "Group", "ServiceAccount")),
    ]


def webhooks(obj: Object, now_s: float) -> Cells:
    """Validating- and MutatingWebhookConfiguration."""
    return [_name(obj), len(obj.get("webhooks") or ()), _age(obj, now_s)]


def admission_policy(obj: Object, now_s: float) -> Cells:
    """ValidatingAdmissionPolicy, MutatingAdmissionPolicy."""
    spec = obj.get("spec", {})
    rules = spec.get("validations") or spec.get("mutations") or ()
    kind = spec.get("paramKind")
    shown = f"{kind.get('apiVersion', '')}/{kind.get('kind', '')}" if kind else "<unset>"
    return [_name(obj), len(rules), shown, _age(obj, now_s)]


def scale(obj: Object, now_s: float) -> Cells:
    """Scale: a subresource of what has replicas."""
    wanted, present = (obj.get(part, {}).get("replicas", 0) for part in ("spec", "status"))
    return [_name(obj), wanted, present, _age(obj, now_s)]


def admission_binding(obj: Object, now_s: float) -> Cells:
    """ValidatingAdmissionPolicyBinding, MutatingAdmissionPolicyBinding."""
    spec = obj.get("spec", {})
    reference = spec.get("paramRef") or {}
    shown = "<unset>"
    if reference.get("name"):
        shown = f"{reference.get('namespace') or '*'}/{reference['name']}"
    elif reference.get("selector"):
        shown = selector(reference["selector"])
    return [_name(obj), spec.get("policyName", ""), shown, _age(obj, now_s)]


def api_service(obj: Object, now_s: float) -> Cells:
    """APIService."""
    service = obj.get("spec", {}).get("service")
    available = condition(obj, "Available")
    word = "Unknown"
    if available is not None:
        word = available["status"]
        if word != "True":
            word = f"{word} ({available.get('reason', '')})"
    place = f"{service.get('namespace', '')}/{service.get('name', '')}" if service else "Local"
    return [_name(obj), place, word, _age(obj, now_s)]


def signing_request(obj: Object, now_s: float) -> Cells:
    """CertificateSigningRequest."""
    spec, status = obj.get("spec", {}), obj.get("status", {})
    words = {entry["type"] for entry in status.get("conditions", ())}
    state = [word for word in ("Approved", "Denied", "Failed") if word in words] or ["Pending"]
    if status.get("certificate"):
        state.append("Issued")
    seconds = spec.get("expirationSeconds")
    return [
        _name(obj),
        _age(obj, now_s),
        spec.get("signerName") or NONE,
        spec.get("username", ""),
        NONE if seconds is None else human(seconds),
        ",".join(state),
    ]


def flow_schema(obj: Object, now_s: float) -> Cells:
    """FlowSchema."""
    spec = obj.get("spec", {})
    dangling = condition(obj, "Dangling")
    return [
        _name(obj),
        spec.get("priorityLevelConfiguration", {}).get("name", ""),
        spec.get("matchingPrecedence", 0),
        spec.get("distinguisherMethod", {}).get("type", NONE),
        _age(obj, now_s),
        "?" if dangling is None else dangling["status"],
    ]


def precedence(obj: Object) -> tuple[int, str]:
    """Where a FlowSchema stands among the others."""
    return obj.get("spec", {}).get("matchingPrecedence", 0), obj["metadata"]["name"]


def priority_level(obj: Object, now_s: float) -> Cells:
    """PriorityLevelConfiguration."""
    spec = obj.get("spec", {})
    limited: dict[str, Any] = spec.get("limited", {})
    queuing = limited.get("limitResponse", {}).get("queuing", {})
    return [
        _name(obj),
        spec.get("type", ""),
        limited.get("nominalConcurrencyShares", NONE),
        queuing.get("queues", NONE),
        queuing.get("handSize", NONE),
        queuing.get("queueLengthLimit", NONE),
        _age(obj, now_s),
    ]


def component_status(obj: Object, _now_s: float) -> Cells:
    """ComponentStatus."""
    healthy: Object = next(iter(obj.get("conditions", ())), {})
    word = "Healthy" if healthy.get("status") == "True" else "Unhealthy"
    return [_name(obj), word, healthy.get("message", ""), healthy.get("error", "")]


PRINTERS: dict[str, Printer] = {
    "configmaps": config_map,
    "secrets": secret,
    "namespaces": namespace,
    "serviceaccounts": name_and_age,
    "resourcequotas": resource_quota,
    "componentstatuses": component_status,
    "leases.coordination.k8s.io": lease,
    "priorityclasses.scheduling.k8s.io": priority_class,
    "runtimeclasses.node.k8s.io": runtime_class,
    "rolebindings.rbac.authorization.k8s.io": role_binding,
    "clusterrolebindings.rbac.authorization.k8s.io": role_binding,
    "validatingwebhookconfigurations.admissionregistration.k8s.io": webhooks,
    "mutatingwebhookconfigurations.admissionregistration.k8s.io": webhooks,
    "validatingadmissionpolicies.admissionregistration.k8s.io": admission_policy,
    "mutatingadmissionpolicies.admissionregistration.k8s.io": admission_policy,
    "validatingadmissionpolicybindings.admissionregistration.k8s.io": admission_binding,
    "mutatingadmissionpolicybindings.admissionregistration.k8s.io": admission_binding,
    "scales.autoscaling": scale,
    "apiservices.apiregistration.k8s.io": api_service,
    "certificatesigningrequests.certificates.k8s.io": signing_request,
    "flowschemas.flowcontrol.apiserver.k8s.io": flow_schema,
    "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": priority_level,
}
