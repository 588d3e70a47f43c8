"""Contract tests for every application."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from sregym_core.interfaces import ClusterError, ClusterSpec
from sregym_core.model import ObjectRef
from sregym_core.settings import Settings
from sregym_kubernetes.operations.objects import capture, differences

from sregym_testing.worlds import ready_world

if TYPE_CHECKING:
    from sregym_core.interfaces import Application, Cluster, Vocabulary

    from sregym_testing.clusters import Provision

HEALTHY_SUCCESS_RATE = 0.99
_TELLING = re.compile(r"\b(sregym|(?<!x-envoy-)faults?|chaos|benchmark|inject\w*)\b", re.IGNORECASE)
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_WARM_UP_S = 60.0
_WINDOW_S = 30.0


class ApplicationContract:
    """Override `application`. Holds on any cluster, also one that runs nothing."""

    @pytest.fixture
    def application(self) -> Application:
        """The application under test."""
        raise NotImplementedError("override the fixture `application`")

    def test_is_described(self, application: Application) -> None:
        """Name, title, description and namespaces are filled."""
        name, _, options = application.name.partition(":")
        assert _NAME.fullmatch(name)
        assert all("=" in option for option in options.split(",") if options)
        assert application.title.strip()
        assert application.description.strip()
        assert len(application.namespaces) >= 1

    def test_manifests_stay_in_its_namespaces(self, application: Application) -> None:
        """Every namespaced object is in one of the application's namespaces."""
        used = {ObjectRef.of(obj).namespace for obj in application.manifests()}
        assert used - {""} <= set(application.namespaces)

    def test_manifests_are_copies(self, application: Application) -> None:
        """Changing a returned manifest does not change the application."""
        expected = json.dumps(application.manifests(), sort_keys=True)
        application.manifests()[0]["metadata"]["name"] = "scribbled"
        assert json.dumps(application.manifests(), sort_keys=True) == expected

    def test_nothing_tells_of_an_examination(self, application: Application) -> None:
        """Manifests and description contain no word of chaos engineering or of the harness."""
        text = json.dumps(application.manifests()) + application.description
        assert _TELLING.findall(text) == []

    @pytest.fixture(scope="class")
    @classmethod
    def vocabulary(cls) -> Vocabulary | None:
        """What the simulated clusters that are installed know."""
        from sregym_core.conductor.component_factory import ComponentFactory
        from sregym_lint import vocabulary_of

        return vocabulary_of(ComponentFactory(Settings()))

    def test_files_are_without_defects(
        self, application: Application, vocabulary: Vocabulary | None
    ) -> None:
        """Names, addresses, routes and operations agree; each defect is told with line and field."""
        found = application.lint(vocabulary)
        assert not found, "\n".join(map(str, found))

    def test_components_are_sorted_and_unique(self, application: Application) -> None:
        """By name."""
        names = [part.name for part in application.components()]
        assert names == sorted(set(names))
        assert names

    def test_components_refer_to_manifests(self, application: Application) -> None:
        """Workload, Service and required configuration of each component are deployed."""
        deployed = {ObjectRef.of(obj) for obj in application.manifests()}
        needed: set[ObjectRef] = set()
        for part in application.components():
            needed.add(part.workload)
            needed |= {use.ref for use in part.services if not use.made}
            needed |= {use.source for use in part.config if use.required}
        assert sorted(map(str, needed - deployed)) == []

    def test_callers_are_components(self, application: Application) -> None:
        """Who calls a component is one itself."""
        names = {part.name for part in application.components()}
        assert {caller for part in application.components() for caller in part.callers} <= names

    def test_gets_ready(self, application: Application, provision: Provision) -> None:
        """After `deploy` all manifests exist and all parts get ready."""
        world = ready_world(application, provision)
        missing = [
            str(ObjectRef.of(obj))
            for obj in application.manifests()
            if world.cluster.get(ObjectRef.of(obj)) is None
        ]
        assert missing == []

    def test_a_missing_part_is_noticed(
        self, application: Application, provision: Provision
    ) -> None:
        """`ready` names what is not there."""
        world = ready_world(application, provision)
        part = application.components()[0]
        world.cluster.delete(part.workload)
        assert world.cluster.clock.wait_until(lambda: bool(application.ready(world.cluster)), 60.0)

    def test_second_deployment(self, application: Application, provision: Provision) -> None:
        """Is refused in the API server's words, or changes nothing."""
        world = ready_world(application, provision)
        try:
            application.deploy(world.cluster)
        except ClusterError as error:
            assert (error.status, error.reason) == (409, "AlreadyExists")
        assert world.lasting_changes() == []

    def test_removal_leaves_nothing(self, application: Application, provision: Provision) -> None:
        """After `remove` the cluster's configuration is as before `deploy`."""
        cluster = provision(ClusterSpec(seed=7, applications=(application,)))
        before = capture(cluster, application.namespaces)
        application.deploy(cluster)
        application.remove(cluster)

        def left() -> list[str]:
            spaces = [ns for ns in application.namespaces if _namespace_exists(cluster, ns)]
            return spaces + list(differences(before, capture(cluster, application.namespaces)))

        cluster.clock.wait_until(lambda: not left(), 300.0, 2.0)
        assert left() == []


class ApplicationTrafficContract(ApplicationContract):
    """Override `application` and `provision`: a cluster that runs programs."""

    def test_users_are_served(self, application: Application, provision: Provision) -> None:
        """Nearly all requests get good answers, for every operation."""
        world = ready_world(application, provision)
        world.cluster.clock.advance(_WARM_UP_S)
        traffic = application.traffic(world.cluster, _WINDOW_S)
        assert traffic.requests > 0
        bad = {
            name: seen.success_rate
            for name, seen in traffic.operations.items()
            if seen.success_rate < HEALTHY_SUCCESS_RATE
        }
        assert bad == {}

    def test_operations_are_those_of_the_components(
        self, application: Application, provision: Provision
    ) -> None:
        """What users do is what components say passes through them."""
        world = ready_world(application, provision)
        world.cluster.clock.advance(_WARM_UP_S)
        traffic = application.traffic(world.cluster, _WINDOW_S)
        named = {operation for part in application.components() for operation in part.operations}
        assert sorted(traffic.operations) == sorted(named)

    def test_users_notice_when_a_part_fails(
        self, application: Application, provision: Provision
    ) -> None:
        """Without the component that most operations pass through, requests fail."""
        world = ready_world(application, provision)
        world.cluster.clock.advance(_WARM_UP_S)
        healthy = application.traffic(world.cluster, _WINDOW_S).success_rate
        key = max(application.components(), key=lambda part: len(part.operations))
        world.cluster.patch(key.workload, {"spec": {"replicas": 0}}, "merge")
        world.cluster.clock.advance(_WARM_UP_S + _WINDOW_S)
        assert application.traffic(world.cluster, _WINDOW_S).success_rate < healthy - 0.1


def _namespace_exists(cluster: Cluster, name: str) -> bool:
    return cluster.get(ObjectRef(api_version="v1", kind="Namespace", name=name)) is not None
