"""Objects of an application with the component to which each belongs, as their fields show it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    KubeObject: TypeAlias = Mapping[str, Any]

# What people deploy: a component goes by the name of its workload.
WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet", "CronJob")
# Kinds of what the audit log calls by its resource.
KIND_OF = {
    "configmaps": "ConfigMap", "cronjobs": "CronJob", "daemonsets": "DaemonSet",
    "deployments": "Deployment", "horizontalpodautoscalers": "HorizontalPodAutoscaler",
    "pods": "Pod", "secrets": "Secret", "services": "Service", "statefulsets": "StatefulSet",
    "persistentvolumeclaims": "PersistentVolumeClaim",
}  # fmt: skip
# Load generators have Services, but serve no requests.
DECLARED = ("ConfigMap", "Secret", "Service", *WORKLOADS)


class LogLine(NamedTuple):
    """A line of a log.

    Attributes:
        pod: The pod that it belongs to.
        text: Its text.
    """

    pod: str
    text: str


@dataclass(frozen=True)
class Listing:
    """Everything that was listed.

    Attributes:
        namespaces: Of the application.
        objects: Of all kinds, those of other namespaces and of the cluster included.
        alerts: Labels of the alerts that fire, those that came first at the beginning.
        lines: Lines of logs that report an error, the oldest first.
        audit: Events of the audit log of the API server, the oldest first.
    """

    namespaces: tuple[str, ...]
    objects: Sequence[KubeObject]
    alerts: Sequence[Mapping[str, str]] = ()
    lines: Sequence[LogLine] = field(default=())
    audit: Sequence[KubeObject] = field(default=())

    def of_kind(self, *kinds: str) -> list[KubeObject]:
        """Objects of these kinds in the application's namespaces."""
        return [
            obj
            for kind in kinds
            for obj in self._by_kind.get(kind, ())
            if obj["metadata"].get("namespace") in self.namespaces
        ]

    def elsewhere(self, kind: str) -> list[KubeObject]:
        """Objects of a kind outside the application's namespaces, and those of the cluster."""
        return [
            obj
            for obj in self._by_kind.get(kind, ())
            if obj["metadata"].get("namespace") not in self.namespaces
        ]

    def owned(self, *kinds: str) -> Iterator[tuple[str, KubeObject]]:
        """Objects of these kinds that belong to a component, with its name."""
        for obj in self.of_kind(*kinds):
            name = self.owner(obj)
            if name is not None:
                yield name, obj

    @cached_property
    def components(self) -> tuple[str, ...]:
        """Names of the workloads."""
        return tuple(dict.fromkeys(obj["metadata"]["name"] for obj in self.of_kind(*WORKLOADS)))

    @cached_property
    def events(self) -> list[tuple[str, KubeObject]]:
        """Events with the component to which they refer, the oldest first."""
        found = []
        for event in self.of_kind("Event"):
            ref = event.get("involvedObject") or {}
            name = self._named.get((ref.get("kind", ""), ref.get("name", "")))
            name = name or self._by_name(ref.get("name", ""))
            if name is not None:
                found.append((name, event))
        return sorted(
            found, key=lambda pair: pair[1].get("firstTimestamp") or pair[1].get("eventTime") or ""
        )

    def owner(self, obj: KubeObject) -> str | None:
        """The component to which an object belongs; None where no field shows it."""
        return self._named.get((obj["kind"], obj["metadata"]["name"]))

    def of_pod(self, pod: str) -> str | None:
        """The component of a pod by its name, also of one that is gone."""
        return self._named.get(("Pod", pod)) or self._by_name(pod)

    def of_request(self, event: KubeObject) -> str | None:
        """The component whose object a request of the audit log is about, also one that is gone."""
        about = event.get("objectRef") or {}
        if about.get("namespace") not in self.namespaces:
            return None
        name = about.get("name", "")
        kind = KIND_OF.get(about.get("resource", ""), "")
        return self._named.get((kind, name)) or self._by_name(name)

    @cached_property
    def _by_kind(self) -> dict[str, list[KubeObject]]:
        kinds: dict[str, list[KubeObject]] = {}
        for obj in self.objects:
            kinds.setdefault(obj["kind"], []).append(obj)
        return kinds

    @cached_property
    def _named(self) -> dict[tuple[str, str], str]:
        """Component by kind and name of the object."""
        named = {(o["kind"], o["metadata"]["name"]): o["metadata"]["name"] for o in self._workloads}
        for kind in ("ReplicaSet", "Job", "Pod"):  # each is owned by one before it
            for obj in self.of_kind(kind):
                for ref in obj["metadata"].get("ownerReferences", ()):
                    if (ref["kind"], ref["name"]) in named:
                        key = (kind, obj["metadata"]["name"])
                        named[key] = named[(ref["kind"], ref["name"])]
        for service in self.of_kind("Service"):
            if name := self._of_service(service):
                named["Service", service["metadata"]["name"]] = name
        for part in self.of_kind("EndpointSlice"):
            service = (part["metadata"].get("labels") or {}).get("kubernetes.io/service-name", "")
            if ("Service", service) in named:
                named["EndpointSlice", part["metadata"]["name"]] = named["Service", service]
        for workload in self._workloads:
            for key in references(workload):
                named.setdefault(key, workload["metadata"]["name"])
        for scaler in self.of_kind("HorizontalPodAutoscaler"):
            named["HorizontalPodAutoscaler", scaler["metadata"]["name"]] = scaler["spec"][
                "scaleTargetRef"
            ]["name"]
        return named

    @property
    def _workloads(self) -> list[KubeObject]:
        return self.of_kind(*WORKLOADS)

    def _of_service(self, service: KubeObject) -> str | None:
        """By its name, else by its selector: a Service with a component's name stands for it anyway."""
        name = service["metadata"]["name"]
        if name in self.components:
            return str(name)
        wanted = (service["spec"].get("selector") or {}).items()
        for workload in self._workloads:
            if wanted and wanted <= pod_labels(workload).items():
                return str(workload["metadata"]["name"])
        return self._by_name(name)

    def _by_name(self, name: str) -> str | None:
        """The component with the longest name with which another begins."""
        fitting = [part for part in self.components if name == part or name.startswith(f"{part}-")]
        return max(fitting, key=len, default=None)


def template(workload: KubeObject) -> Mapping[str, Any]:
    """The pod template of a workload."""
    spec = workload["spec"]
    if workload["kind"] == "CronJob":
        spec = spec["jobTemplate"]["spec"]
    found: Mapping[str, Any] = spec.get("template") or {}
    return found


def pod_labels(workload: KubeObject) -> Mapping[str, str]:
    """Labels of the pods of a workload."""
    return (template(workload).get("metadata") or {}).get("labels") or {}


def references(workload: KubeObject) -> list[tuple[str, str]]:
    """ConfigMaps, Secrets and claims of which a workload's pods read, by kind and name."""
    spec = template(workload).get("spec") or {}
    found = []
    for volume in spec.get("volumes") or ():
        found += [
            ("ConfigMap", (volume.get("configMap") or {}).get("name")),
            ("Secret", (volume.get("secret") or {}).get("secretName")),
            ("PersistentVolumeClaim", (volume.get("persistentVolumeClaim") or {}).get("claimName")),
        ]
    for container in (*(spec.get("initContainers") or ()), *(spec.get("containers") or ())):
        sources = [*(container.get("envFrom") or ())]
        sources += [entry.get("valueFrom") or {} for entry in container.get("env") or ()]
        for source in sources:
            for key, kind in (
                ("configMapRef", "ConfigMap"),
                ("configMapKeyRef", "ConfigMap"),
                ("secretRef", "Secret"),
                ("secretKeyRef", "Secret"),
            ):
                found.append((kind, (source.get(key) or {}).get("name")))
    return [(kind, name) for kind, name in found if name]
