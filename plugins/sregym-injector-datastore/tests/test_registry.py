"""Instances that a registry has forgotten: nobody finds them until they register anew."""

from __future__ import annotations

import pytest
from sregym_app_deathstarbench.hotel_reservation.application import HotelReservation
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.conductor.journal import UndoJournal
from sregym_core.errors import UsageError, WorldError
from sregym_core.interfaces import ClusterSpec, CommandResult, FaultContext
from sregym_core.model import Outcome
from sregym_injector_datastore.registry_stale import RegistryStale
from sregym_testing import FullShop

APPLICATION = HotelReservation()


def context_for(cluster, target):
    component = APPLICATION.component(target)
    return FaultContext(cluster, APPLICATION, component, RegistryStale.Parameters(), UndoJournal())


def test_callers_do_not_find_it_until_it_starts_anew():
    cluster, fault = (
        Embedded().provision(ClusterSpec(seed=7, applications=(APPLICATION,))),
        RegistryStale(),
    )
    try:
        APPLICATION.deploy(cluster)
        assert cluster.clock.wait_until(lambda: not APPLICATION.ready(cluster), 600.0, 2.0)
        context = context_for(cluster, "recommendation")
        assert fault.present(context).outcome is Outcome.PASS
        fault.inject(context)
        check = fault.present(context)
        (pod,) = cluster.list("v1", "Pod", "hotel-reservation", "io.kompose.service=recommendation")
        assert (
            check.got
            == f"{pod['status']['podIP']} of recommendation is ready, and consul does not know it"
        )
        cluster.clock.advance(60.0)
        broken = APPLICATION.traffic(cluster, 30.0).operations
        assert {name for name, one in broken.items() if one.success_rate < 0.5} == {
            "recommendations"
        }
        for command in fault.reference_fix(context):
            assert cluster.kubectl(command).ok
        assert fault.present(context).outcome is Outcome.PASS
        cluster.clock.advance(60.0)
        assert APPLICATION.traffic(cluster, 30.0).success_rate > 0.99
        fault.inject(context)
        fault.recover(context)
        assert fault.present(context).outcome is Outcome.PASS
    finally:
        cluster.close()


class Deaf:
    """A cluster whose registry lists a pod and does not let go of it."""

    def get(self, ref):
        return {
            "kind": "Deployment",
            "metadata": {"namespace": ref.namespace},
            "spec": {"selector": {}},
        }

    def list(self, *_words):
        ready = {"conditions": [{"type": "Ready", "status": "True"}], "podIP": "10.0.0.7"}
        return [{"metadata": {"name": "p", "namespace": "n"}, "status": ready}]

    def exec(self, _namespace, _pod, argv, *_more, **_named):
        if argv[0] == "curl":
            return CommandResult(0, '{"a1": {"ID": "a1", "Address": "10.0.0.7"}}', "")
        return CommandResult(1, "", "Error deregistering service: timeout\n")


def test_a_registry_that_does_not_let_go(monkeypatch):
    monkeypatch.setattr("sregym_injector_datastore.registry_stale.Edits.pause", lambda _self: None)
    context = context_for(Deaf(), "recommendation")
    with pytest.raises(WorldError) as caught:
        RegistryStale().inject(context)
    assert str(caught.value) == (
        "registry-stale on component 'recommendation': 'consul' did not forget 'a1': "
        "Error deregistering service: timeout"
    )


def test_whom_it_fits():
    fault = RegistryStale()
    fitting = [part.name for part in APPLICATION.components() if fault.fits(part)]
    assert fitting == ["geo", "profile", "rate", "recommendation", "reservation", "search", "user"]
    frontend = APPLICATION.component("frontend")
    assert fault.mismatch_reason(frontend) == "its callers do not look for it in a registry"


def test_a_registry_that_is_not_there():
    shop = FullShop()
    part = shop.component("catalog").model_copy(update={"registered": True})
    context = FaultContext(None, shop, part, RegistryStale.Parameters(), UndoJournal())
    with pytest.raises(UsageError) as caught:
        RegistryStale().ground_truth(context)
    assert str(caught.value) == (
        f"component 'catalog': no component of {shop.name!r} is a Consul server (port 8500), in which "
        "it could be registered"
    )
