from __future__ import annotations

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.interfaces import FaultContext
from sregym_core.model import Component, ObjectRef, Outcome, ProgramSetting
from sregym_core.testing import FaultCase, FullShop, InjectorContract, MemoryCluster, PluginContract
from sregym_injector_datastore.cache_cold import CacheCold, actor_of, stores_behind
from sregym_injector_datastore.conditions import LockHeld
from sregym_injector_datastore.lag import Lag
from sregym_injector_datastore.mongodb_accounts import MongodbRoleRevoked, MongodbUserDropped
from sregym_injector_datastore.password_rotated import PasswordRotated
from sregym_injector_datastore.tls_required import TlsRequired
from sregym_injector_datastore.user_dropped import UserDropped

FAULTS = (MongodbRoleRevoked(), MongodbUserDropped(), LockHeld(), PasswordRotated(), TlsRequired())


class TestPlugin(PluginContract):
    distribution = "sregym-injector-datastore"


class TestFaults(InjectorContract):
    @pytest.fixture(params=FAULTS, ids=lambda fault: fault.name)
    def case(self, request: pytest.FixtureRequest) -> FaultCase:
        return FaultCase(request.param, FullShop(), "catalog-db")


def test_what_fits():
    fitting = {f.name: [p.name for p in FullShop().components() if f.fits(p)] for f in FAULTS}
    assert fitting == {
        "mongodb-role-revoked": ["catalog-db"],
        "mongodb-user-dropped": ["catalog-db"],
        "lock-held": ["catalog-db"],
        "password-rotated": ["catalog-db"],
        "tls-required": ["catalog-db"],
    }


class CachedShop(FullShop):
    """The shop, whose front is a memcached beside the catalog's database."""

    def components(self) -> tuple[Component, ...]:
        """Those of the shop."""
        cache = {"kind": "cache", "image": "memcached:1.6", "callers": ("catalog",)}
        return tuple(
            part.model_copy(update=cache) if part.name == "front" else part
            for part in super().components()
        )


class TestCaches(InjectorContract):
    @pytest.fixture
    def case(self) -> FaultCase:
        return FaultCase(CacheCold(), CachedShop(), "front")


def test_the_truth_of_a_cold_cache_tells_of_the_stores_that_were_made_small():
    shop, fault = CachedShop(), CacheCold()
    truths = []
    for parameters in ({}, {"store_cpu": ""}):
        values = fault.Parameters(**parameters)
        context = FaultContext(
            MemoryCluster(), shop, shop.component("front"), values, UndoJournal()
        )
        truth = fault.ground_truth(context)
        truths.append((truth.contributing, truth.changed.after))
    assert truths == [
        (
            ("catalog-db",),
            "empties front every 1 s, while a CPU limit of 8m keeps catalog-db small",
        ),
        ((), "empties front every 1 s"),
    ]


def test_which_caches_can_be_emptied():
    shop, fault = CachedShop(), CacheCold()
    front = shop.component("front")
    assert front is not None
    others = [
        front.model_copy(update=fields)
        for fields in (
            {"image": "acme/cache:1"},
            {"service": None},
            {"operations": ()},
            {"workload": ObjectRef(api_version="batch/v1", kind="Job", namespace="shop", name="x")},
        )
    ]
    assert [fault.misfit(part) for part in (front, *others, *shop.components()[:1])] == [
        "",
        "it is neither a memcached nor a Redis: no command is known that empties it",
        "no Service leads to it, so that nobody else reaches it",
        "no request of users passes through it",
        "it is no cache",
        "it is no cache",
    ]
    assert [part.name for part in stores_behind(shop.components(), front)] == ["catalog-db"]


def test_how_a_cache_is_emptied():
    shop, fault = CachedShop(), CacheCold()
    front = shop.component("front")
    assert front is not None
    found = []
    for image in ("memcached:1.6", "valkey/valkey:9"):
        port = front.ports[0].model_copy(update={"container_port": 6379, "port": 6379})
        part = front.model_copy(update={"image": image, "ports": (port,)})
        context = FaultContext(
            MemoryCluster(), shop, part, fault.Parameters(every_s=2), UndoJournal()
        )
        (entry,) = fault.added(context)["spec"]["template"]["spec"]["containers"]
        found.append((actor_of(context).name, entry["image"], entry["command"][2]))
    assert found == [
        (
            "front-refresh",
            "busybox:1.36",
            "while true; do printf 'flush_all\\r\\nquit\\r\\n' | nc -w 1 front 6379 >/dev/null; "
            "sleep 2; done",
        ),
        (
            "front-refresh",
            "valkey/valkey:9",
            "while true; do valkey-cli -h front -p 6379 FLUSHALL >/dev/null; sleep 2; done",
        ),
    ]


def test_whose_accounts_can_go_and_who_sends_records():
    database, visitors = (FullShop().component(name) for name in ("catalog-db", "visitors"))
    assert database is not None
    assert visitors is not None
    assert UserDropped().misfit(database) == "it is no PostgreSQL, MySQL or RabbitMQ server"
    assert Lag().misfit(visitors) == "it is the load generator, which sends no records"
    assert Lag().misfit(database) == "none of its settings says how many records it sends"
    setting = ProgramSetting(name="RATE", role="rate")
    assert Lag().misfit(database.model_copy(update={"settings": (setting,)})) == ""


def test_who_empties_a_cache_is_known_by_what_it_runs():
    """A loop that was made harmless is repaired; the same loop under another name is not."""
    shop, fault = CachedShop(), CacheCold()
    cluster = MemoryCluster()
    shop.deploy(cluster)
    context = FaultContext(
        cluster, shop, shop.component("front"), fault.Parameters(store_cpu=""), UndoJournal()
    )
    fault.inject(context)
    made = cluster.get(actor_of(context))
    assert made is not None
    entry = made["spec"]["template"]["spec"]["containers"][0]
    idle = {"spec": {"template": {"spec": {"containers": [{**entry, "command": ["sleep", "9"]}]}}}}
    cluster.patch(actor_of(context), idle)
    assert fault.present(context).outcome is Outcome.PASS
    other = {"name": "janitor", "namespace": made["metadata"]["namespace"]}
    cluster.create({**made, "metadata": other})
    assert fault.present(context).got == "Deployment shop/janitor empties front"
