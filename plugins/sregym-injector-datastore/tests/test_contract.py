from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.errors import UsageError
from sregym_core.interfaces import CommandResult, FaultContext
from sregym_core.model import Component, ObjectRef, Outcome, ProgramSetting, TableUse
from sregym_injector_datastore.cache_cold import CacheCold, actor_of, stores_behind
from sregym_injector_datastore.conditions import LockHeld, ServerMode
from sregym_injector_datastore.lag import Lag
from sregym_injector_datastore.mongodb_accounts import MongodbRoleRevoked, MongodbUserDropped
from sregym_injector_datastore.numbers_exhausted import NumbersExhausted
from sregym_injector_datastore.password_rotated import PasswordRotated
from sregym_injector_datastore.slow_query import SlowQuery
from sregym_injector_datastore.tls_required import TlsRequired
from sregym_injector_datastore.user_dropped import UserDropped
from sregym_injectors.templates import container_patch
from sregym_testing import (
    FaultCase,
    FullShop,
    InjectorContract,
    MemoryCluster,
    PluginContract,
    Provision,
)

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


class TabledShop(FullShop):
    """The shop, whose database is known to have an index."""

    def components(self) -> tuple[Component, ...]:
        """Those of the shop."""
        tables = (TableUse(name="items", database="catalog", indexes=("name",)),)
        return tuple(
            part.model_copy(update={"tables": tables}) if part.name == "catalog-db" else part
            for part in super().components()
        )


class TestIndexes(InjectorContract):
    @pytest.fixture
    def case(self) -> FaultCase:
        return FaultCase(SlowQuery(), TabledShop(), "catalog-db")


class CountedShop(FullShop):
    """The shop, whose database is a MySQL that counts out the keys of its items."""

    def components(self) -> tuple[Component, ...]:
        """Those of the shop."""
        made = []
        for part in super().components():
            if part.name == "catalog-db":
                ports = tuple(
                    port.model_copy(update={"port": 3306, "container_port": 3306})
                    for port in part.ports
                )
                bare = tuple(c.model_copy(update={"ports": ()}) for c in part.containers)
                tables = (TableUse(name="items", key="id"),)
                fields = {"ports": ports, "tables": tables, "accounts": (), "containers": bare}
                part = part.model_copy(update=fields)
            made.append(part)
        return tuple(made)


class CountingCluster(MemoryCluster):
    """Runs what the fault says to a MySQL: where the count stands, and what the column takes."""

    def __init__(self) -> None:
        super().__init__()
        self.following, self.kind = 21, "int"
        self.executor = self._mysql

    def hidden_state(self) -> Mapping[str, str]:
        return {"items": f"{self.following} {self.kind}"}

    def _mysql(self, pod: dict[str, Any], argv: Sequence[str], stdin: str) -> CommandResult:
        statement = argv[-1]
        for part in statement.split("; "):
            if (counts := re.search(r"AUTO_INCREMENT = (\d+)", part)) is not None:
                self.following = max(21, int(counts[1]))
            if (modified := re.search(r"MODIFY id (\w+)", part)) is not None:
                self.kind = modified[1].lower()
        room = self.kind == "bigint" or self.following < 2**31 - 1 - 1_000_000
        return CommandResult(0, f"{int(room)}\n" if statement.startswith("SELECT") else "")


class TestNumbers(InjectorContract):
    @pytest.fixture
    def provision(self) -> Provision:
        return lambda spec: CountingCluster()

    @pytest.fixture
    def case(self) -> FaultCase:
        return FaultCase(NumbersExhausted(), CountedShop(), "catalog-db")


def test_which_tables_are_known_well_enough():
    indexed, counted = (shop.component("catalog-db") for shop in (TabledShop(), CountedShop()))
    assert indexed is not None
    assert counted is not None
    assert [
        (SlowQuery().mismatch_reason(part), NumbersExhausted().mismatch_reason(part))
        for part in (indexed, counted)
    ] == [
        ("", "it is no PostgreSQL or MySQL server"),
        (
            "nothing is known of indexes of its tables",
            "",
        ),
    ]
    bare = counted.model_copy(update={"tables": ()})
    assert NumbersExhausted().mismatch_reason(bare) == (
        "of none of its tables it is known that the server counts out the keys"
    )
    for fault, shop, given, expected in (
        (
            SlowQuery(),
            TabledShop(),
            {"field": "price"},
            "fault 'slow-query' on component 'catalog-db': no index of table 'any' by field 'price' "
            "is known; it has items by name",
        ),
        (
            NumbersExhausted(),
            CountedShop(),
            {"table": "orders"},
            "parameter 'table' of fault 'numbers-exhausted': component 'catalog-db' has no table "
            "'orders' whose keys the server is known to count out; it has items",
        ),
    ):
        values = fault.Parameters.model_validate(given)
        part = shop.component("catalog-db")
        context = FaultContext(MemoryCluster(), shop, part, values, UndoJournal())
        with pytest.raises(UsageError) as caught:
            fault.ground_truth(context)
        assert str(caught.value) == expected


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
    ground_truths = []
    for parameters in ({}, {"store_cpu": ""}):
        values = fault.Parameters(**parameters)
        context = FaultContext(
            MemoryCluster(), shop, shop.component("front"), values, UndoJournal()
        )
        truth = fault.ground_truth(context)
        ground_truths.append((truth.contributing, truth.changed.after))
    assert ground_truths == [
        (
            ("catalog-db",),
            "empties front every 1 s, while a CPU limit of 8m keeps catalog-db small",
        ),
        ((), "empties front every 1 s"),
    ]


def test_stores_that_were_made_small_get_their_processors_back_after_the_loop_is_gone():
    shop, fault = CachedShop(), CacheCold()
    front = shop.component("front")
    assert front is not None
    found = []
    for parameters in ({}, {"store_cpu": ""}):
        values = fault.Parameters(**parameters)
        context = FaultContext(MemoryCluster(), shop, front, values, UndoJournal())
        found.append([command.argv[1:4] for command in fault.reference_fix(context)])
    gone = ("delete", "deployment/front-refresh", "-n")
    assert found == [
        [
            gone,
            ("patch", "deployment/catalog-db", "-n"),
            ("rollout", "status", "deployment/catalog-db"),
            ("rollout", "restart", "deployment/catalog"),
            ("rollout", "status", "deployment/catalog"),
        ],
        [gone],
    ]


def test_a_store_that_is_made_small_asks_for_no_more_than_its_limit():
    """The API refuses more, and the manifest of a store may ask for more."""
    shop, fault, cluster = CachedShop(), CacheCold(), MemoryCluster()
    shop.deploy(cluster)
    store = shop.component("catalog-db")
    assert store is not None
    asked = {"resources": {"requests": {"cpu": "100m"}}}
    cluster.patch(store.workload, container_patch(store, asked), "strategic")
    context = FaultContext(
        cluster, shop, shop.component("front"), fault.Parameters(), UndoJournal()
    )
    fault.inject(context)
    live = cluster.get(store.workload)
    assert live is not None
    (entry,) = live["spec"]["template"]["spec"]["containers"]
    found = [entry["resources"][side]["cpu"] for side in ("requests", "limits")]
    assert found == ["8m", "8m"]


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
    assert [fault.mismatch_reason(part) for part in (front, *others, *shop.components()[:1])] == [
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


def test_a_store_that_nobody_changes_is_missed_by_none_who_only_read():
    store = FullShop().component("catalog-db")
    assert store is not None
    reason = "hardly any request of users changes what it keeps"
    assert [
        fault.unnoticed(store.model_copy(update={"changed": changed}))
        for fault in (LockHeld(), ServerMode())
        for changed in (None, True, False)
    ] == ["", "", reason] * 2


def test_whose_accounts_can_go_and_who_sends_records():
    database, visitors = (FullShop().component(name) for name in ("catalog-db", "visitors"))
    assert database is not None
    assert visitors is not None
    assert (
        UserDropped().mismatch_reason(database) == "it is no PostgreSQL, MySQL or RabbitMQ server"
    )
    assert Lag().mismatch_reason(visitors) == "it is the load generator, which sends no records"
    assert Lag().mismatch_reason(database) == "none of its settings says how many records it sends"
    setting = ProgramSetting(name="RATE", role="rate")
    assert Lag().mismatch_reason(database.model_copy(update={"settings": (setting,)})) == ""


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
