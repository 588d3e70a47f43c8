"""Faults in MongoDB accounts: what they change, which repairs count and which do not."""

from __future__ import annotations

import pytest
from sregym_core.errors import UsageError, WorldError
from sregym_core.interfaces import CommandResult
from sregym_core.model import Change, Check, Outcome
from sregym_injector_datastore.mongo_shell import parse_document
from sregym_injector_datastore.mongodb_accounts import MongodbRoleRevoked, MongodbUserDropped
from sregym_testing import FullShop

component = FullShop().component

EXPECTED = "user clerk logs in and has role readWrite on catalog"
STORE = component("catalog-db").workload
REVOKED, DROPPED = MongodbRoleRevoked(), MongodbUserDropped()
LOGIN = ("mongo", "admin", "--quiet", "-u", "root", "-p", "root-secret")


def got(fault, context):
    check = fault.present(context)
    assert (check.name, check.expected) == ("defect-gone", EXPECTED)
    return check.outcome, check.got


def failing(text):
    return (Outcome.FAIL, text)


PASSING = (Outcome.PASS, EXPECTED)


def test_a_revoked_role(cluster, at):
    context = at(REVOKED)
    catalog = component("catalog").workload
    generation = cluster.get(catalog)["metadata"]["generation"]
    REVOKED.inject(context)
    assert cluster.accounts["clerk"] == {"pwd": "clerk-secret", "roles": []}
    assert cluster.get(catalog)["metadata"]["generation"] == generation + 2
    assert REVOKED.present(context) == Check(
        name="defect-gone",
        outcome=Outcome.FAIL,
        expected=EXPECTED,
        got="user clerk has no role readWrite on catalog",
    )


def test_a_dropped_user(cluster, at):
    context = at(DROPPED)
    DROPPED.inject(context)
    assert list(cluster.accounts) == ["root"]
    assert got(DROPPED, context) == failing("user clerk does not exist in admin")


@pytest.mark.parametrize("fault", [REVOKED, DROPPED])
@pytest.mark.parametrize(
    ("roles", "expected"),
    [
        ([{"role": "readWrite", "db": "catalog"}], PASSING),
        ([{"role": "dbOwner", "db": "catalog"}], PASSING),
        ([{"role": "readWriteAnyDatabase", "db": "admin"}], PASSING),
        ([{"role": "root", "db": "admin"}], PASSING),
        ([{"role": "read", "db": "catalog"}], failing("user clerk has no role readWrite on catalog")),
        ([{"role": "readWrite", "db": "other"}], failing("user clerk has no role readWrite on catalog")),
        ([{"role": "root", "db": "catalog"}], failing("user clerk has no role readWrite on catalog")),
    ],
)  # fmt: skip
def test_repairs(cluster, at, fault, roles, expected):
    context = at(fault)
    fault.inject(context)
    cluster.accounts["clerk"] = {"pwd": "clerk-secret", "roles": roles}
    assert got(fault, context) == expected


def test_another_password_is_no_repair(cluster, at):
    context = at(DROPPED)
    DROPPED.inject(context)
    roles = [{"role": "readWrite", "db": "catalog"}]
    cluster.accounts["clerk"] = {"pwd": "new", "roles": roles}
    assert got(DROPPED, context) == failing(
        "user clerk cannot log in: Error: Authentication failed."
    )


def test_a_database_that_cannot_be_asked(cluster, at):
    context = at(REVOKED)
    cluster.accounts["root"] = {"pwd": "new", "roles": []}
    assert got(REVOKED, context) == failing(
        "user root cannot ask the database: Error: Authentication failed."
    )
    cluster.patch(STORE, {"spec": {"replicas": 0}}, "merge")
    cluster.clock.advance(1.0)
    assert got(REVOKED, context) == failing(
        "Deployment shop/catalog-db has no ready pod that could be asked"
    )


@pytest.mark.parametrize("fault", [REVOKED, DROPPED])
def test_undo_can_be_repeated_and_restores_the_account_whatever_became_of_it(cluster, at, fault):
    context = at(fault)
    before = cluster.hidden_state()
    fault.inject(context)
    cluster.accounts["clerk"] = {"pwd": "new", "roles": [{"role": "root", "db": "admin"}]}
    for _ in range(2):
        context.journal.undo_objects(cluster)
        context.journal.undo_commands(cluster)
        assert cluster.hidden_state() == before


def test_the_undo_command_is_written_before_the_step(at):
    context = at(REVOKED)
    REVOKED.inject(context)
    first = context.journal.entries[0]
    assert (first["op"], first["namespace"], first["workload"]["name"], first["argv"]) == (
        "command",
        "shop",
        "catalog-db",
        [
            *LOGIN,
            "--authenticationDatabase",
            "admin",
            "--eval",
            'db.getSiblingDB("admin").dropUser("clerk"); db.getSiblingDB("admin").createUser('
            '{"user": "clerk", "pwd": "clerk-secret", "roles": '
            '[{"role": "readWrite", "db": "catalog"}]})',
        ],
    )


@pytest.mark.parametrize(
    ("fault", "mechanism", "change", "expression"),
    [
        (
            REVOKED,
            "database-role-revoked",
            Change(what="roles of user clerk in admin", before="readWrite on catalog", after=""),
            'db.getSiblingDB("admin").grantRolesToUser("clerk", '
            '[{"role": "readWrite", "db": "catalog"}])',
        ),
        (
            DROPPED,
            "database-user-missing",
            Change(what="user clerk in admin", before="role readWrite on catalog", after=""),
            'db.getSiblingDB("admin").createUser({"user": "clerk", "pwd": "clerk-secret", '
            '"roles": [{"role": "readWrite", "db": "catalog"}]})',
        ),
    ],
)
def test_what_is_said_and_done(at, fault, mechanism, change, expression):
    context = at(fault)
    truth = fault.ground_truth(context)
    assert truth.model_dump(exclude={"mechanism_phrases", "impact_phrases", "changed"}) == {
        "component": "catalog-db",
        "kind": "DatabaseUser",
        "object_name": "clerk",
        "namespace": "shop",
        "mechanism": mechanism,
        "contributing": (),
        "affected": ("catalog", "front"),
        "impact": "Requests for browse and buy fail or time out.",
    }
    assert truth.changed == change
    fix = fault.reference_fix(context)
    assert [command.argv for command in fix] == [
        ("kubectl", "exec", "deployment/catalog-db", "-n", "shop", "-c", "mongod", "--",
         *LOGIN, "--authenticationDatabase", "admin", "--eval", expression),
        ("kubectl", "rollout", "restart", "deployment/catalog", "-n", "shop"),
        ("kubectl", "rollout", "status", "deployment/catalog", "-n", "shop", "--timeout=300s"),
    ]  # fmt: skip


def test_silence_is_told_by_its_exit_code(cluster, at):
    cluster.executor = lambda pod, argv, stdin: CommandResult(3)
    assert got(REVOKED, at(REVOKED)) == failing("user root cannot ask the database: exit code 3")


def test_no_such_user(at):
    with pytest.raises(UsageError) as caught:
        REVOKED.ground_truth(at(REVOKED, user="root"))
    assert str(caught.value) == (
        "parameter 'user' of fault 'mongodb-role-revoked': component 'catalog-db' has no account "
        "'root' that others use; it has clerk"
    )


def test_a_shell_that_refuses(cluster, at):
    del cluster.accounts["clerk"]
    with pytest.raises(WorldError) as caught:
        REVOKED.inject(at(REVOKED))
    assert str(caught.value) == (
        "mongodb-role-revoked on component 'catalog-db': the mongo shell in Deployment "
        'shop/catalog-db refused db.getSiblingDB("admin").revokeRolesFromUser("clerk", '
        '[{"role": "readWrite", "db": "catalog"}]): uncaught exception: Error: Could not find '
        "user clerk for db admin; check the account that the component declares"
    )


@pytest.mark.parametrize(
    ("output", "document"),
    [
        ("null\n", None),
        ('{ "a" : 1 }\n', {"a": 1}),
        ('{ "userId" : UUID("a-b"), "n" : NumberLong(3), "b" : BinData(0,"xy") }',
         {"userId": "a-b", "n": 3, "b": "xy"}),
    ],
)  # fmt: skip
def test_documents(output, document):
    assert parse_document(output) == document


@pytest.mark.parametrize("output", ["uncaught exception: boom\n", "1"])
def test_what_is_no_document(output):
    with pytest.raises(ValueError) as caught:
        parse_document(output)
    assert str(caught.value) == f"the mongo shell printed no document: {output.strip()!r}"
