"""The resource types of Kubernetes that this cluster serves, as data.

The order is that of discovery documents.
"""

from __future__ import annotations

from dataclasses import replace

from sregym_cluster_embedded.api.resource import (
    CREATE_ONLY,
    PROXY_VERBS,
    READ_WRITE,
    Resource,
    Subresource,
)

_STATUS = Subresource("status")
_SCALE = Subresource("scale", "Scale", READ_WRITE, "autoscaling", "v1")
_ALL = ("all",)
_EXTENSIONS = ("api-extensions",)

_CORE = (
    Resource("bindings", "Binding", verbs=CREATE_ONLY, storage=None),
    Resource(
        "componentstatuses",
        "ComponentStatus",
        False,
        singular="componentstatus",
        short_names=("cs",),
        verbs=("get", "list"),
        storage=None,
    ),
    Resource("configmaps", "ConfigMap", short_names=("cm",)),
    Resource("endpoints", "Endpoints", short_names=("ep",)),
    Resource("events", "Event", short_names=("ev",)),
    Resource("limitranges", "LimitRange", short_names=("limits",)),
    Resource(
        "namespaces",
        "Namespace",
        False,
        short_names=("ns",),
        verbs=("create", "delete", "get", "list", "patch", "update", "watch"),
        subresources=(Subresource("finalize", verbs=("update",)), _STATUS),
    ),
    Resource(
        "nodes",
        "Node",
        False,
        short_names=("no",),
        subresources=(Subresource("proxy", "NodeProxyOptions", PROXY_VERBS), _STATUS),
    ),
    Resource(
        "persistentvolumeclaims",
        "PersistentVolumeClaim",
        short_names=("pvc",),
        subresources=(_STATUS,),
    ),
    Resource(
        "persistentvolumes", "PersistentVolume", False, short_names=("pv",), subresources=(_STATUS,)
    ),
    Resource(
        "pods",
        "Pod",
        short_names=("po",),
        categories=_ALL,
        generation=True,
        subresources=(
            Subresource("attach", "PodAttachOptions", ("create", "get")),
            Subresource("binding", "Binding", CREATE_ONLY),
            Subresource("ephemeralcontainers"),
            Subresource("eviction", "Eviction", CREATE_ONLY, "policy", "v1"),
            Subresource("exec", "PodExecOptions", ("create", "get")),
            Subresource("log", verbs=("get",)),
            Subresource("portforward", "PodPortForwardOptions", ("create", "get")),
            Subresource("proxy", "PodProxyOptions", PROXY_VERBS),
            Subresource("resize"),
            _STATUS,
        ),
    ),
    Resource("podtemplates", "PodTemplate", generation=True),
    Resource(
        "replicationcontrollers",
        "ReplicationController",
        short_names=("rc",),
        categories=_ALL,
        generation=True,
        subresources=(_SCALE, _STATUS),
    ),
    Resource("resourcequotas", "ResourceQuota", short_names=("quota",), subresources=(_STATUS,)),
    Resource("secrets", "Secret"),
    Resource(
        "serviceaccounts",
        "ServiceAccount",
        short_names=("sa",),
        subresources=(
            Subresource("token", "TokenRequest", CREATE_ONLY, "authentication.k8s.io", "v1"),
        ),
    ),
    Resource(
        "services",
        "Service",
        short_names=("svc",),
        categories=_ALL,
        subresources=(Subresource("proxy", "ServiceProxyOptions", PROXY_VERBS), _STATUS),
    ),
)

_APPS = (
    Resource("controllerrevisions", "ControllerRevision"),
    Resource(
        "daemonsets",
        "DaemonSet",
        short_names=("ds",),
        categories=_ALL,
        generation=True,
        subresources=(_STATUS,),
    ),
    Resource(
        "deployments",
        "Deployment",
        short_names=("deploy",),
        categories=_ALL,
        generation=True,
        subresources=(_SCALE, _STATUS),
    ),
    Resource(
        "replicasets",
        "ReplicaSet",
        short_names=("rs",),
        categories=_ALL,
        generation=True,
        subresources=(_SCALE, _STATUS),
    ),
    Resource(
        "statefulsets",
        "StatefulSet",
        short_names=("sts",),
        categories=_ALL,
        generation=True,
        subresources=(_SCALE, _STATUS),
    ),
)

_AUTOSCALER = Resource(
    "horizontalpodautoscalers",
    "HorizontalPodAutoscaler",
    short_names=("hpa",),
    categories=_ALL,
    subresources=(_STATUS,),
    storage="autoscaling/v2",
)

_BATCH = (
    Resource(
        "cronjobs",
        "CronJob",
        short_names=("cj",),
        categories=_ALL,
        generation=True,
        subresources=(_STATUS,),
    ),
    Resource("jobs", "Job", categories=_ALL, generation=True, subresources=(_STATUS,)),
)

_NETWORKING = (
    Resource("ingressclasses", "IngressClass", False, singular="ingressclass", generation=True),
    Resource(
        "ingresses", "Ingress", short_names=("ing",), generation=True, subresources=(_STATUS,)
    ),
    Resource("ipaddresses", "IPAddress", False, short_names=("ip",)),
    Resource("networkpolicies", "NetworkPolicy", short_names=("netpol",), generation=True),
    Resource("servicecidrs", "ServiceCIDR", False, subresources=(_STATUS,)),
)

_ADMISSION = (
    Resource(
        "mutatingadmissionpolicies",
        "MutatingAdmissionPolicy",
        False,
        categories=_EXTENSIONS,
        generation=True,
        storage="admissionregistration.k8s.io/v1beta1",
    ),
    Resource(
        "mutatingadmissionpolicybindings",
        "MutatingAdmissionPolicyBinding",
        False,
        categories=_EXTENSIONS,
        generation=True,
        storage="admissionregistration.k8s.io/v1beta1",
    ),
    Resource(
        "mutatingwebhookconfigurations",
        "MutatingWebhookConfiguration",
        False,
        categories=_EXTENSIONS,
        generation=True,
    ),
    Resource(
        "validatingadmissionpolicies",
        "ValidatingAdmissionPolicy",
        False,
        categories=_EXTENSIONS,
        generation=True,
        subresources=(_STATUS,),
    ),
    Resource(
        "validatingadmissionpolicybindings",
        "ValidatingAdmissionPolicyBinding",
        False,
        categories=_EXTENSIONS,
        generation=True,
    ),
    Resource(
        "validatingwebhookconfigurations",
        "ValidatingWebhookConfiguration",
        False,
        categories=_EXTENSIONS,
        generation=True,
    ),
)

_STORAGE = (
    Resource("csidrivers", "CSIDriver", False),
    Resource("csinodes", "CSINode", False),
    Resource("csistoragecapacities", "CSIStorageCapacity"),
    Resource("storageclasses", "StorageClass", False, short_names=("sc",)),
    Resource("volumeattachments", "VolumeAttachment", False, subresources=(_STATUS,)),
    Resource("volumeattributesclasses", "VolumeAttributesClass", False, short_names=("vac",)),
)

# In the order in which discovery lists groups; within a group the preferred version stands first.
_TABLE: tuple[tuple[str, str, tuple[Resource, ...]], ...] = (
    ("", "v1", _CORE),
    (
        "apiregistration.k8s.io",
        "v1",
        (
            Resource(
                "apiservices", "APIService", False, categories=_EXTENSIONS, subresources=(_STATUS,)
            ),
        ),
    ),
    ("apps", "v1", _APPS),
    (
        "events.k8s.io",
        "v1",
        (Resource("events", "Event", short_names=("ev",), storage="v1", stored_as="events"),),
    ),
    (
        "authentication.k8s.io",
        "v1",
        (
            Resource(
                "selfsubjectreviews", "SelfSubjectReview", False, verbs=CREATE_ONLY, storage=None
            ),
            Resource("tokenreviews", "TokenReview", False, verbs=CREATE_ONLY, storage=None),
        ),
    ),
    (
        "authorization.k8s.io",
        "v1",
        tuple(
            Resource(f"{kind.lower()}s", kind, "Local" in kind, verbs=CREATE_ONLY, storage=None)
            for kind in (
                "LocalSubjectAccessReview",
                "SelfSubjectAccessReview",
                "SelfSubjectRulesReview",
                "SubjectAccessReview",
            )
        ),
    ),
    ("autoscaling", "v2", (_AUTOSCALER,)),
    ("autoscaling", "v1", (_AUTOSCALER,)),
    ("batch", "v1", _BATCH),
    (
        "certificates.k8s.io",
        "v1",
        (
            Resource(
                "certificatesigningrequests",
                "CertificateSigningRequest",
                False,
                short_names=("csr",),
                subresources=(Subresource("approval"), _STATUS),
            ),
        ),
    ),
    ("networking.k8s.io", "v1", _NETWORKING),
    (
        "policy",
        "v1",
        (
            Resource(
                "poddisruptionbudgets",
                "PodDisruptionBudget",
                short_names=("pdb",),
                generation=True,
                subresources=(_STATUS,),
            ),
        ),
    ),
    (
        "rbac.authorization.k8s.io",
        "v1",
        (
            Resource("clusterrolebindings", "ClusterRoleBinding", False),
            Resource("clusterroles", "ClusterRole", False),
            Resource("rolebindings", "RoleBinding"),
            Resource("roles", "Role"),
        ),
    ),
    ("storage.k8s.io", "v1", _STORAGE),
    ("admissionregistration.k8s.io", "v1", _ADMISSION),
    (
        "apiextensions.k8s.io",
        "v1",
        (
            Resource(
                "customresourcedefinitions",
                "CustomResourceDefinition",
                False,
                short_names=("crd", "crds"),
                categories=_EXTENSIONS,
                generation=True,
                subresources=(_STATUS,),
                storage="apiextensions.k8s.io/v1beta1",
            ),
        ),
    ),
    (
        "scheduling.k8s.io",
        "v1",
        (
            Resource(
                "priorityclasses", "PriorityClass", False, short_names=("pc",), generation=True
            ),
        ),
    ),
    ("coordination.k8s.io", "v1", (Resource("leases", "Lease"),)),
    ("node.k8s.io", "v1", (Resource("runtimeclasses", "RuntimeClass", False),)),
    ("discovery.k8s.io", "v1", (Resource("endpointslices", "EndpointSlice", generation=True),)),
    (
        "resource.k8s.io",
        "v1",
        (
            Resource("deviceclasses", "DeviceClass", False, generation=True),
            Resource("resourceclaims", "ResourceClaim", subresources=(_STATUS,)),
            Resource("resourceclaimtemplates", "ResourceClaimTemplate"),
            Resource("resourceslices", "ResourceSlice", False, generation=True),
        ),
    ),
    (
        "flowcontrol.apiserver.k8s.io",
        "v1",
        (
            Resource("flowschemas", "FlowSchema", False, generation=True, subresources=(_STATUS,)),
            Resource(
                "prioritylevelconfigurations",
                "PriorityLevelConfiguration",
                False,
                generation=True,
                subresources=(_STATUS,),
            ),
        ),
    ),
)

BUILT_IN: tuple[Resource, ...] = tuple(
    replace(entry, group=group, version=version, singular=entry.singular or entry.kind.lower())
    for group, version, entries in _TABLE
    for entry in entries
)
