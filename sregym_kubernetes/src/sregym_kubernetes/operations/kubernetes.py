"""The operations of any cluster whose objects, pods and nodes are those of Kubernetes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_core.interfaces import Baseline, Operations, SystemState, node_access
from sregym_core.model import ObjectRef

from sregym_kubernetes import command_lines
from sregym_kubernetes.attacks import KubernetesAttacks
from sregym_kubernetes.node_settings import parse_setting
from sregym_kubernetes.operations import alerts, client_probes, objects, role
from sregym_kubernetes.operations.containers import containers
from sregym_kubernetes.operations.node_recovery import delete_failed_pods, failed_pods, wait_nodes
from sregym_kubernetes.operations.nodes import nodes_of, nodes_running
from sregym_kubernetes.operations.observed import give_back_observed, observed, outside
from sregym_kubernetes.operations.ordered_pods import delete_blocking_pods
from sregym_kubernetes.operations.ready_pods import ready_pod
from sregym_kubernetes.operations.rollouts import under_way
from sregym_kubernetes.operations.starting import StartingPods

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_core.interfaces import (
        Application,
        Cluster,
        Command,
        CommandResult,
        ContainerRuns,
        Prober,
        Traffic,
    )
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component, Node


class KubernetesOperations(Operations):
    """Does everything through the other methods of a cluster, and holds nothing itself.

    Args:
        cluster: The cluster that the operations act on.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def capture(self, namespaces: Sequence[str]) -> dict[str, KubeObject]:
        """Objects that no controller made."""
        return objects.capture(self._cluster, tuple(namespaces))

    def desired(self, obj: KubeObject) -> KubeObject:
        """Without status, and without what the server chose."""
        return objects.desired(obj)

    def differences(
        self, before: Mapping[str, KubeObject], after: Mapping[str, KubeObject]
    ) -> Sequence[str]:
        """With the path of the first field that differs."""
        return list(objects.differences(before, after))

    def digest(self, found: Mapping[str, KubeObject]) -> str:
        """Of what people decide."""
        return objects.digest(found, {})

    def baseline(self, namespaces: Sequence[str], traffic: Traffic) -> Baseline:
        """Objects, machines, and state outside of objects."""
        cluster, places = self._cluster, tuple(namespaces)
        return Baseline(
            objects=objects.capture(cluster, places),
            hidden=cluster.hidden_state(),
            traffic=traffic,
            nodes=() if cluster.nodes is None else cluster.nodes.settings(),
            machines=cluster.save_machines(),
            failed_pods=failed_pods(cluster, places),
            stored=outside(cluster),
            observed=observed(cluster, places),
        )

    def state(self, namespaces: Sequence[str]) -> SystemState:
        """As in a baseline, and the Namespace objects."""
        cluster, places = self._cluster, tuple(namespaces)
        found = objects.capture(cluster, places)
        for name in places:
            ref = ObjectRef(api_version="v1", kind="Namespace", name=name)
            if (place := cluster.get(ref)) is not None:
                found[str(ref)] = place
        return SystemState(found, outside(cluster), observed(cluster, places))

    def remove_blockers(self, application: Application, baseline: Baseline) -> None:
        """Admission, quotas and limits that are not of the baseline go; namespaces come back."""
        objects.remove_blockers(self._cluster, baseline.objects, application.namespaces)
        places = [obj for obj in application.manifests() if obj["kind"] == "Namespace"]
        objects.recreate_namespaces(self._cluster, places, baseline.objects)

    def restore_object(self, ref: ObjectRef, before: KubeObject | None) -> None:
        """In place where that can be, else recreated."""
        objects.restore_by_ref(self._cluster, ref, before)

    def restore(self, application: Application, baseline: Baseline) -> None:
        """Objects first; then pods that would keep a StatefulSet, and nodes as their kubelets say."""
        cluster, places = self._cluster, application.namespaces
        objects.restore(cluster, baseline.objects, places)
        give_back_observed(cluster, baseline.observed, places)
        delete_blocking_pods(cluster, places)
        wait_nodes(cluster, baseline.objects)
        delete_failed_pods(cluster, places, baseline.failed_pods)

    def set_node(self, setting: Mapping[str, Any]) -> None:
        """Through the cluster's access to its machines."""
        node_access(self._cluster).apply(parse_setting(setting))

    def run_in(
        self, namespace: str, workload: ObjectRef, argv: Sequence[str], stdin: str
    ) -> CommandResult | None:
        """In the first ready pod, by the workload's selector."""
        pod = ready_pod(self._cluster, workload)
        return None if pod is None else self._cluster.exec(namespace, pod, argv, stdin=stdin)

    def read_command(self, line: str, stdin: str = "") -> Command:
        """A line of kubectl."""
        return command_lines.parse(line, stdin)

    def check_command(self, command: Command) -> None:
        """By kubectl's verbs and flags."""
        command_lines.check(command)

    def starting(self, application: Application) -> StartingPods:
        """By the states of its pods."""
        return StartingPods(self._cluster, application)

    def rolling(self, application: Application) -> Sequence[str]:
        """Deployments, StatefulSets and DaemonSets."""
        return under_way(self._cluster, application)

    def grant(self, namespaces: Sequence[str], suffix: str = "") -> None:
        """Roles and bindings."""
        role.grant(self._cluster, namespaces, suffix)

    def revoke(self, namespaces: Sequence[str], suffix: str = "") -> None:
        """Bindings and roles."""
        role.revoke(self._cluster, namespaces, suffix)

    def probe(self, prober: Prober, seconds: float) -> Traffic:
        """In a namespace of their own."""
        return client_probes.probe(self._cluster, prober, seconds)

    def restart(self, workloads: Sequence[ObjectRef]) -> None:
        """As `kubectl rollout restart` does."""
        client_probes.restart(self._cluster, workloads)

    def containers(self, namespaces: Sequence[str]) -> Sequence[ContainerRuns]:
        """As their kubelets count."""
        return list(containers(self._cluster, namespaces))

    def wait_for_alerts(self, since: float) -> dict[str, Any] | None:
        """Of the cluster's Alertmanager."""
        return alerts.wait_for_alerts(self._cluster, since)

    def wait_for_quiet(self) -> None:
        """A cluster without Alertmanager is quiet."""
        alerts.wait_for_quiet(self._cluster)

    def firing(self) -> dict[str, Any] | None:
        """Of the cluster's Alertmanager."""
        return alerts.firing(self._cluster)

    @property
    def attacks(self) -> KubernetesAttacks:
        """By commands of kubectl."""
        return KubernetesAttacks()

    def nodes(self) -> Sequence[Node]:
        """By well-known labels."""
        return nodes_of(self._cluster)

    def nodes_running(self, component: Component) -> frozenset[str]:
        """By the labels of its pods."""
        return nodes_running(self._cluster, component)
