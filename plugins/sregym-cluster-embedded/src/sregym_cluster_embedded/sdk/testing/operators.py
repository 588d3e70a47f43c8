"""Contract tests for every operator of a custom resource."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.controllers import Operator
    from sregym_cluster_embedded.sdk.testing.cluster import ClusterTestbed
    from sregym_cluster_embedded.store import Object

_SETTLES_S, _LOOKS_S = 180.0, 60.0
_RBAC = "rbac.authorization.k8s.io"


class OperatorContract:
    """Override `operator` and `cluster`."""

    @pytest.fixture
    def operator(self) -> Operator:
        """The operator under test."""
        raise NotImplementedError("override the fixture `operator`")

    @pytest.fixture
    def cluster(self) -> ClusterTestbed:
        """A cluster on which stands all that the operator needs, and one custom resource."""
        raise NotImplementedError("override the fixture `cluster`")

    @pytest.fixture
    def settled(self, cluster: ClusterTestbed) -> ClusterTestbed:
        """The same three minutes later."""
        cluster.run(_SETTLES_S)
        return cluster

    def test_it_makes_something(self, settled: ClusterTestbed, operator: Operator) -> None:
        """There is a custom resource, and objects of all that it owns, which say so."""
        assert settled.world.store.list(operator.resource), f"no {operator.resource}"
        made = {resource for resource, _ in _owned(settled, operator)}
        assert sorted(made) == sorted(operator.owns)

    def test_it_writes_under_its_own_name(
        self, settled: ClusterTestbed, operator: Operator
    ) -> None:
        """`managedFields` of what it makes name it."""
        for resource, obj in _owned(settled, operator):
            managers = [entry["manager"] for entry in obj["metadata"].get("managedFields", ())]
            assert operator.name in managers, f"{resource} {obj['metadata']['name']}: {managers}"

    def test_it_comes_to_rest(self, settled: ClusterTestbed, operator: Operator) -> None:
        """When nothing changes, it writes nothing: no reconciliation calls forth the next one."""
        before = _versions(settled, operator)
        settled.run(300.0)
        assert _versions(settled, operator) == before

    def test_it_mends_what_it_made(self, settled: ClusterTestbed, operator: Operator) -> None:
        """Each object that is deleted is there again."""
        for resource, obj in _owned(settled, operator):
            copy = settled.fork()
            _delete(copy, resource, obj)
            copy.run(_LOOKS_S)
            assert _find(copy, operator, resource, obj) is not None, f"{resource} is not made again"

    def test_it_acts_as_its_service_account(
        self, settled: ClusterTestbed, operator: Operator
    ) -> None:
        """Without its roles it can do nothing; when it has them again, it makes up for it."""
        roles = _take_rights(settled, operator)
        assert roles, f"no binding gives the ServiceAccount {operator.account!r} any rights"
        resource, obj = next(iter(_owned(settled, operator)))
        _delete(settled, resource, obj)
        settled.run(_LOOKS_S)
        assert _find(settled, operator, resource, obj) is None, "it acts without any rights"
        for binding in roles:
            settled.cluster.create(binding)
        settled.run(600.0)
        assert _find(settled, operator, resource, obj) is not None, "it does not try again"

    def test_it_acts_while_its_pods_run(self, settled: ClusterTestbed, operator: Operator) -> None:
        """Scaled to nothing it does nothing."""
        if not operator.pods:
            return  # it runs outside of the cluster
        scaled = _stop(settled, operator)
        assert scaled, f"no Deployment in {operator.namespace!r} runs it"
        settled.run(_LOOKS_S)
        resource, obj = next(iter(_owned(settled, operator)))
        _delete(settled, resource, obj)
        settled.run(_LOOKS_S)
        assert _find(settled, operator, resource, obj) is None, "it acts without a pod"

    def test_copies_of_a_cluster_share_nothing(
        self, settled: ClusterTestbed, operator: Operator
    ) -> None:
        """What it sees in one copy it does not act on in another; both are the same then."""
        first, second = settled.fork(), settled.fork()
        resource, obj = next(iter(_owned(settled, operator)))
        _delete(first, resource, obj)
        first.run(_LOOKS_S)
        digest = second.world.digest()
        assert digest == settled.fork().world.digest()
        _delete(second, resource, obj)
        second.run(_LOOKS_S)
        assert first.world.digest() == second.world.digest()


def _owned(cluster: ClusterTestbed, operator: Operator) -> list[tuple[str, Object]]:
    uids = {one["metadata"]["uid"] for one in cluster.world.store.list(operator.resource)}
    return [
        (resource, obj)
        for resource in operator.owns
        for obj in cluster.world.store.list(resource)
        if any(one["uid"] in uids for one in obj["metadata"].get("ownerReferences") or ())
    ]


def _versions(cluster: ClusterTestbed, operator: Operator) -> list[tuple[str, str]]:
    objects = [obj for _, obj in _owned(cluster, operator)]
    objects += cluster.world.store.list(operator.resource)
    return [(obj["metadata"]["name"], obj["metadata"]["resourceVersion"]) for obj in objects]


def _find(
    cluster: ClusterTestbed, operator: Operator, resource: str, gone: Object
) -> Object | None:
    same = (gone["metadata"].get("namespace"), gone["metadata"]["name"])
    for kind, obj in _owned(cluster, operator):
        metadata = obj["metadata"]
        if kind == resource and (metadata.get("namespace"), metadata["name"]) == same:
            return obj
    return None


def _delete(cluster: ClusterTestbed, resource: str, obj: Object) -> None:
    metadata = obj["metadata"]
    place = ("-n", metadata["namespace"]) if metadata.get("namespace") else ()
    done = cluster.kubectl(*place, "delete", resource, metadata["name"])
    assert done.ok, done.stderr


def _take_rights(cluster: ClusterTestbed, operator: Operator) -> list[Any]:
    """Delete the bindings of its ServiceAccount; what is to be created to give them back."""
    taken = []
    for kind in ("ClusterRoleBinding", "RoleBinding"):
        for obj in cluster.cluster.list(f"{_RBAC}/v1", kind):
            for subject in obj.get("subjects") or ():
                whose = (subject["kind"], subject.get("namespace"), subject["name"])
                if whose == ("ServiceAccount", operator.namespace, operator.account):
                    metadata = {
                        name: obj["metadata"][name]
                        for name in ("name", "namespace")
                        if name in obj["metadata"]
                    }
                    taken.append({**obj, "metadata": metadata})
                    _delete(cluster, f"{kind.lower()}s.{_RBAC}", obj)
    return taken


def _stop(cluster: ClusterTestbed, operator: Operator) -> bool:
    """Scale the Deployments to nothing that run it."""
    found = False
    for obj in cluster.cluster.list("apps/v1", "Deployment", operator.namespace):
        labels = obj["spec"]["template"]["metadata"].get("labels", {})
        if operator.pods.items() <= labels.items():
            name = obj["metadata"]["name"]
            words = ("-n", operator.namespace, "scale", "deployment", name, "--replicas=0")
            found = cluster.kubectl(*words).ok
    return found
