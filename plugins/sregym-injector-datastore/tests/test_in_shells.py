"""Faults in the shells of running stores: users feel it, the reference fix heals it, undo restores it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pytest
from sregym_app_astronomy_shop.application import AstronomyShop
from sregym_app_astronomy_shop.fulfillment.application import AstronomyShopFulfillment
from sregym_app_synthetic.application import Synthetic
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.conductor.journal import UndoJournal
from sregym_core.errors import UsageError, WorldError
from sregym_core.interfaces import (
    Application,
    Checkpoint,
    Cluster,
    ClusterSpec,
    Command,
    Fault,
    FaultContext,
)
from sregym_core.model import Outcome
from sregym_injector_datastore.access import ConnectionsCapped, PasswordRequired, RoleRevoked
from sregym_injector_datastore.brokers import BrokerOverrun, BrokerWrong
from sregym_injector_datastore.conditions import LockHeld, ServerMode, StoreFlooded
from sregym_injector_datastore.data_lost import DataLost
from sregym_injector_datastore.families import Family, family_of
from sregym_injector_datastore.password_rotated import PasswordRotated
from sregym_injector_datastore.poison_record import PoisonRecord
from sregym_injector_datastore.schema_changed import SchemaChanged
from sregym_injector_datastore.store_overrun import StoreOverrun
from sregym_injector_datastore.user_dropped import UserDropped
from sregym_kubernetes.operations.objects import capture, differences


class Running(NamedTuple):
    """An application under load, to be forked."""

    application: Application
    spec: ClusterSpec
    state: Checkpoint

    def context(self, cluster: Cluster, fault: Fault, target: str, **given: Any) -> FaultContext:
        component = self.application.component(target)
        assert component is not None
        assert fault.fits(component), fault.mismatch_reason(component)
        values = fault.Parameters(**given)
        return FaultContext(cluster, self.application, component, values, UndoJournal())


def running(application: Application) -> Iterator[Running]:
    spec = ClusterSpec(seed=7, applications=(application,))
    cluster = Embedded().provision(spec)
    application.deploy(cluster)
    assert cluster.clock.wait_until(lambda: not application.ready(cluster), 900.0, 2.0)
    cluster.clock.advance(60.0)
    state = cluster.checkpoint()
    assert state is not None
    yield Running(application, spec, state)
    cluster.close()


@pytest.fixture(scope="module")
def shop() -> Iterator[Running]:
    yield from running(AstronomyShopFulfillment())


@pytest.fixture(scope="module")
def made() -> Iterator[Running]:
    yield from running(Synthetic())


CASES: list[tuple[str, Fault, str, Mapping[str, Any]]] = [
    ("shop", PasswordRequired(), "valkey-cart", {}),
    ("shop", ServerMode(), "valkey-cart", {}),
    ("shop", StoreFlooded(), "valkey-cart", {"mib": 2}),
    ("shop", RoleRevoked(), "valkey-cart", {}),
    ("shop", StoreOverrun(), "valkey-cart", {}),
    ("shop", RoleRevoked(), "postgresql", {}),
    ("shop", LockHeld(), "postgresql", {}),
    ("shop", ConnectionsCapped(), "postgresql", {"number": 0}),
    ("shop", SchemaChanged(), "postgresql", {}),
    ("shop", DataLost(), "postgresql", {}),
    ("shop", UserDropped(), "postgresql", {}),
    ("made", UserDropped(), "promotions-matcher-db", {}),
    ("made", LockHeld(), "promotions-matcher-db", {"table": "matcher"}),
    ("made", RoleRevoked(), "promotions-matcher-db", {}),
    ("made", RoleRevoked(), "vouchers-events", {}),
    ("made", PasswordRotated(), "vouchers-events", {}),
    ("made", PasswordRotated(), "account-core-db", {}),
]
# Repaired by what is said here, which is not what the reference fix does.
OTHERWISE = [
    (ServerMode(), "valkey-cart", {}, "valkey-cli CONFIG SET min-replicas-to-write 0"),
    (StoreFlooded(), "valkey-cart", {"mib": 2}, "valkey-cli CONFIG SET maxmemory-policy allkeys-lru"),
    (LockHeld(), "postgresql", {}, "psql -U root -d otel -c \"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'\""),
    (SchemaChanged(), "postgresql", {"column": "price_units"}, "psql -U root -d otel -c 'ALTER TABLE catalog.products ADD COLUMN price_units BIGINT'"),
    (ConnectionsCapped(), "postgresql", {"number": 0}, "psql -U root -d otel -c 'ALTER ROLE otelu CONNECTION LIMIT 40'"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("where", "fault", "target", "given"), CASES, ids=[f"{c[1].name}-{c[2]}" for c in CASES]
)
def test_it_hurts_heals_and_is_undone(
    where: str, fault: Fault, target: str, given: Mapping[str, Any], request: pytest.FixtureRequest
) -> None:
    home: Running = request.getfixturevalue(where)
    cluster, application = home.state.fork(home.spec), home.application
    context = home.context(cluster, fault, target, **given)
    before = capture(cluster, application.namespaces), cluster.hidden_state()

    def restored() -> bool:
        now = capture(cluster, application.namespaces)
        return not [*differences(before[0], now)] and cluster.hidden_state() == before[1]

    assert fault.present(context).outcome == Outcome.PASS
    fault.inject(context)
    assert fault.present(context).outcome == Outcome.FAIL
    cluster.clock.advance(60.0)
    assert application.traffic(cluster, 30.0).success_rate < 0.98
    undone = cluster.checkpoint()
    assert undone is not None
    for command in fault.reference_fix(context):
        result = cluster.kubectl(command)
        assert result.ok, f"{command}\n{result.stderr}"
    assert fault.present(context).outcome == Outcome.PASS
    cluster.clock.advance(90.0)
    assert application.traffic(cluster, 30.0).success_rate >= 0.995
    cluster.close()
    cluster = undone.fork(home.spec)
    fault.recover(context)
    context.journal.undo_objects(cluster)
    context.journal.undo_commands(cluster)
    assert cluster.clock.wait_until(restored, 300.0, 5.0)
    cluster.close()


@pytest.mark.parametrize(("fault", "target", "given", "text"), OTHERWISE)
def test_other_repairs_count(
    shop: Running, fault: Fault, target: str, given: Mapping[str, Any], text: str
) -> None:
    cluster = shop.state.fork(shop.spec)
    context = shop.context(cluster, fault, target, **given)
    fault.inject(context)
    assert fault.present(context).outcome == Outcome.FAIL
    words = ("kubectl", "exec", "-n", "astronomy-shop", f"deploy/{target}", "--", "sh", "-c", text)
    assert cluster.kubectl(Command(words)).ok
    assert fault.present(context).outcome == Outcome.PASS
    cluster.close()


def test_a_record_holds_up_all_behind_it(shop: Running) -> None:
    cluster = shop.state.fork(shop.spec)
    fault = PoisonRecord()
    context = shop.context(cluster, fault, "orders-validator")
    before = cluster.hidden_state()
    assert fault.present(context).outcome == Outcome.PASS
    fault.inject(context)
    cluster.clock.advance(30.0)
    (stuck,) = fault.present(context).got.splitlines()
    assert stuck.startswith(
        "group orders-validator stands before a record of orders-fulfillment-0 that is no JSON, at"
    )
    undone = cluster.checkpoint()
    assert undone is not None
    for command in fault.reference_fix(context):
        result = cluster.kubectl(command)
        assert result.ok, f"{command}\n{result.stderr}"
    cluster.clock.advance(60.0)
    assert fault.present(context).outcome == Outcome.PASS
    cluster.close()
    cluster = undone.fork(shop.spec)
    context.journal.undo_commands(cluster)
    assert cluster.hidden_state() == before
    cluster.close()


@pytest.mark.parametrize(
    ("fault", "codes"),
    # That of a JVM whose heap is full.
    [(BrokerOverrun(), {3}), (BrokerWrong(), set())],
    ids=lambda value: getattr(value, "name", ""),
)
def test_brokers_feel_records(shop: Running, fault: Fault, codes: set[int]) -> None:
    cluster = shop.state.fork(shop.spec)
    context = shop.context(cluster, fault, "kafka")
    before = cluster.hidden_state()
    assert fault.present(context).outcome == Outcome.PASS
    fault.inject(context)
    assert fault.present(context).outcome == Outcome.FAIL
    cluster.clock.advance(90.0)
    (pod,) = cluster.list("v1", "Pod", "astronomy-shop", "opentelemetry.io/name=kafka")
    (status,) = pod["status"]["containerStatuses"]
    ends = [status[key].get("terminated", {}).get("exitCode") for key in ("state", "lastState")]
    assert {code for code in ends if code is not None} == codes
    for command in fault.reference_fix(context):
        assert cluster.kubectl(command).ok
    cluster.clock.advance(60.0)
    assert fault.present(context).outcome == Outcome.PASS
    context.journal.undo_objects(cluster)
    context.journal.undo_commands(cluster)
    assert cluster.hidden_state() == before
    cluster.close()


def test_topics_and_brokers_that_are_not_there(shop: Running) -> None:
    cluster = shop.state.fork(shop.spec)
    fault = PoisonRecord()
    context = shop.context(cluster, fault, "orders-validator")
    told = []
    for changed in (
        {"env": {**context.component.env, "TOPIC": "none"}},
        {"name": "nobody"},
    ):
        part = context.component.model_copy(update=changed)
        with pytest.raises(WorldError) as caught:
            fault.inject(
                FaultContext(cluster, shop.application, part, context.parameters, UndoJournal())
            )
        told.append(str(caught.value))
    assert told == [
        "poison-record on component 'orders-validator': topic 'none' of component 'kafka' took no "
        "record: [main] WARN org.apache.kafka.clients.NetworkClient - Error while fetching metadata: "
        "{none=UNKNOWN_TOPIC_OR_PARTITION}; check the component's settings",
        "poison-record on component 'nobody': no Kafka broker of application "
        "'astronomy-shop-fulfillment' has it among its callers; say so in components.yaml",
    ]
    cluster.close()


def test_a_server_that_refuses(shop: Running) -> None:
    cluster = shop.state.fork(shop.spec)
    fault = RoleRevoked()
    context = shop.context(cluster, fault, "postgresql", grant="SELECT ON nowhere")
    with pytest.raises(WorldError) as caught:
        fault.inject(context)
    assert str(caught.value) == (
        "role-revoked on component 'postgresql': 'REVOKE SELECT ON nowhere FROM \"otelu\"' in "
        'Deployment astronomy-shop/postgresql was refused: ERROR:  relation "nowhere" does not '
        "exist; check what the component declares"
    )
    cluster.close()


def test_families() -> None:
    found = {part.name: family_of(part) for part in AstronomyShop().components()}
    assert {name: family for name, family in found.items() if family} == {
        "kafka": Family.KAFKA,
        "postgresql": Family.POSTGRES,
        "valkey-cart": Family.REDIS,
    }


def test_what_does_not_fit() -> None:
    parts = {part.name: part for part in AstronomyShop().components()}
    told = [
        ServerMode().mismatch_reason(parts["kafka"]),
        PasswordRequired().mismatch_reason(parts["postgresql"]),
    ]
    assert told == ["it is no PostgreSQL, MySQL or Redis server", "it is no Redis server"]
    assert StoreOverrun().mismatch_reason(parts["kafka"]) == "it is no Redis server"
    bare = parts["valkey-cart"].model_copy(update={"memory_limit": ""})
    assert StoreOverrun().mismatch_reason(bare) == (
        "its container has no memory limit, so that it would take the memory of its node"
    )
    alone = parts["valkey-cart"].model_copy(update={"service": None})
    assert (
        StoreOverrun().mismatch_reason(alone) == "no Service leads to it, so that no Job reaches it"
    )
    assert PoisonRecord().mismatch_reason(parts["accounting"]) == (
        "its settings name no topic and group of a Kafka broker from which it takes records"
    )
    stores = {part.name: part for part in Synthetic().components()}
    text = "its account is the administrator's, for whom no rights and limits count"
    assert RoleRevoked().mismatch_reason(stores["account-core-db"]) == text


def test_what_a_restart_repairs() -> None:
    parts = {part.name: part for part in (*AstronomyShop().components(), *Synthetic().components())}
    volatile = [
        ServerMode().restart_recovers(parts["valkey-cart"]),
        LockHeld().restart_recovers(parts["account-core-db"]),
    ]
    assert volatile == [True, True]
    # Accounts stand on the volume where there is one.
    kept = [
        ConnectionsCapped().restart_recovers(parts[name])
        for name in ("postgresql", "promotions-matcher-db")
    ]
    assert kept == [True, False]


def test_a_column_that_no_script_tells_of_has_to_be_named(shop: Running) -> None:
    fault = SchemaChanged()
    context = shop.context(shop.state.fork(shop.spec), fault, "postgresql", table="catalog.sales")
    with pytest.raises(UsageError) as caught:
        fault.change(context)
    assert str(caught.value) == (
        "parameter 'column' of fault 'schema-changed' on component 'postgresql': no script of it makes "
        "table 'catalog.sales'; say which column is renamed"
    )


def test_a_table_is_lost_that_a_script_can_make_again(shop: Running) -> None:
    fault = DataLost()
    context = shop.context(shop.state.fork(shop.spec), fault, "postgresql", table="catalog.sales")
    with pytest.raises(UsageError) as caught:
        fault.change(context)
    assert str(caught.value) == (
        "fault 'data-lost' on component 'postgresql': no script of it makes table 'catalog.sales'; name "
        "one that a script makes"
    )
    bare = context.component.model_copy(update={"config": ()})
    assert fault.mismatch_reason(bare) == "no script in a ConfigMap makes its tables"
    assert (
        fault.mismatch_reason(bare.model_copy(update={"accounts": ()}))
        == "no account of it tells of a table"
    )


def test_columns_are_renamed_where_a_script_makes_the_tables(shop: Running) -> None:
    context = shop.context(shop.state.fork(shop.spec), SchemaChanged(), "postgresql")
    bare = context.component.model_copy(update={"config": ()})
    assert SchemaChanged().mismatch_reason(bare) == "no script in a ConfigMap makes its tables"
    assert SchemaChanged().mismatch_reason(context.component) == ""
