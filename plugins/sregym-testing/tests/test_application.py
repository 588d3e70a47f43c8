"""The application contracts accept good applications and find each kind of bad one."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_core.interfaces import ClusterError, OperationTraffic, Traffic
from sregym_lint import Defect
from sregym_testing import (
    ApplicationContract,
    ApplicationTrafficContract,
    MemoryProvider,
    ReadyWorlds,
    Shop,
)


class Nameless(Shop):
    description = " "


class Wanders(Shop):
    def manifests(self):
        objects = super().manifests()
        objects[1]["metadata"]["namespace"] = "default"
        return objects


class Unguarded(Shop):
    def __init__(self) -> None:
        super().__init__()
        self.kept = super().manifests()

    def manifests(self):
        return self.kept


class GivesItselfAway(Shop):
    description = "A shop for fault injection."


class Mistyped(Shop):
    def lint(self, vocabulary=None):
        return [Defect("shop.yaml", 3, "images[0].tools[1]", "there is no command 'crul'")]


class Unsorted(Shop):
    def components(self):
        return super().components()[::-1]


class Incomplete(Shop):
    def manifests(self):
        return [obj for obj in super().manifests() if obj["kind"] != "ConfigMap"]


class CalledByNobody(Shop):
    def components(self):
        return tuple(p.model_copy(update={"callers": ("ghost",)}) for p in super().components())


class DeploysHalf(Shop):
    def deploy(self, cluster):
        for obj in self.manifests()[:-1]:
            cluster.create(obj)


class AlwaysReady(Shop):
    def ready(self, cluster):
        return []


class Overwrites(Shop):
    """Gives its second deployment another image."""

    def deploy(self, cluster):
        for obj in self.manifests():
            try:
                cluster.create(obj)
            except ClusterError:
                if obj["kind"] == "Deployment":
                    obj["spec"]["template"]["spec"]["containers"][0]["image"] = "other"
                    cluster.replace(obj)


class LeavesCrumbs(Shop):
    def remove(self, cluster):
        for part in self.components():
            cluster.delete(part.workload)


BAD: dict[str, type[Shop]] = {
    "test_is_described": Nameless,
    "test_manifests_stay_in_its_namespaces": Wanders,
    "test_manifests_are_copies": Unguarded,
    "test_nothing_tells_of_an_examination": GivesItselfAway,
    "test_files_are_without_defects": Mistyped,
    "test_components_are_sorted_and_unique": Unsorted,
    "test_components_refer_to_manifests": Incomplete,
    "test_callers_are_components": CalledByNobody,
    "test_gets_ready": DeploysHalf,
    "test_a_missing_part_is_noticed": AlwaysReady,
    "test_second_deployment": Overwrites,
    "test_removal_leaves_nothing": LeavesCrumbs,
}


class BusyShop(Shop):
    """A shop whose customers follow from the replicas of `web`."""

    def traffic(self, cluster, seconds):
        found: dict[str, Any] | None = cluster.get(self.component("web").workload)
        served = 100 if found and found["spec"]["replicas"] else 0
        return Traffic(seconds, {name: OperationTraffic(100, served) for name in self.offers()})

    def offers(self):
        return ("browse", "buy")


class DeadShop(BusyShop):
    def traffic(self, cluster, seconds):
        return Traffic(seconds, {name: OperationTraffic(100, 90) for name in self.offers()})


class SecretiveShop(BusyShop):
    def offers(self):
        return ("browse", "return")


class NumbShop(BusyShop):
    def traffic(self, cluster, seconds):
        return Traffic(seconds, {name: OperationTraffic(100, 100) for name in self.offers()})


BAD_ALIVE: dict[str, type[Shop]] = {
    "test_users_are_served": DeadShop,
    "test_operations_are_those_of_the_components": SecretiveShop,
    "test_users_notice_when_a_part_fails": NumbShop,
}


class TestShop(ApplicationContract):
    @pytest.fixture
    def application(self):
        return Shop()


class TestBusyShop(ApplicationTrafficContract):
    @pytest.fixture
    def application(self):
        return BusyShop()


@pytest.mark.parametrize("kept", [False, True], ids=["made anew", "kept"])
@pytest.mark.parametrize("check", [*BAD, *BAD_ALIVE])
def test_bad_application_is_found(check, kept, run_check, memory) -> None:
    application = (BAD | BAD_ALIVE)[check]()
    values = {"provision": ReadyWorlds(MemoryProvider()) if kept else memory, "vocabulary": None}
    with pytest.raises(AssertionError):
        run_check(ApplicationTrafficContract, check, application=application, **values)


def test_every_check_has_a_bad_application(checks_of) -> None:
    assert set(BAD) == checks_of(ApplicationContract)
    assert set(BAD | BAD_ALIVE) == checks_of(ApplicationTrafficContract)
