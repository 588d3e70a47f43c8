"""What mongo and mongosh print: mongosh as version 2.12 prints it against a server of MongoDB 7."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from sregym_cluster_embedded.sdk.testing import Mount

MODEL = """
application: shelf
images:
  - repository: mongo
    tags: ["7.0"]
    size_mib: 160
    entrypoint: [docker-entrypoint.sh]
    cmd: [mongod]
    binaries: {/usr/local/bin/docker-entrypoint.sh: mongod, /usr/bin/mongod: mongod}
    tools: [debian, mongo, mongosh]
programs:
  mongod: {kind: mongodb, version: 7.0.16}
"""
ROOT = "mongosh admin --quiet -u root -p root --eval"
APP = "'mongodb://app:pw@localhost/shop?authSource=admin' --quiet --eval"
USER = """'db.createUser({user: "app", pwd: "pw", roles: [{role: "readWrite", db: "shop"}]})'"""
REVOKE = """'db.revokeRolesFromUser("app", [{role: "readWrite", db: "shop"}])'"""
DENIED = 'MongoServerError: not authorized on shop to execute command {{ {}, @, $db: "shop" }}\n'
SESSION = re.compile(r'lsid: \{ id: UUID\(\\?"[0-9a-f-]+\\?"\) \}')
NO_SERVER = "MongoNetworkError: connect ECONNREFUSED 127.0.0.1:27018\n"
STRANGE = "MongoshUnimplementedError: [COMMON-10001]   Error parsing command line: unrecognized option: --nosuch\n"


@pytest.fixture
def shelf(started: Any) -> Any:
    return started.fork()


@pytest.fixture(scope="module")
def started(make_shop: Callable[..., Any]) -> Any:
    shop = make_shop(MODEL)
    shop.name("mongodb", "9")
    env = {"MONGO_INITDB_ROOT_USERNAME": "root", "MONGO_INITDB_ROOT_PASSWORD": "root"}
    shop.start("mongodb", "mongo:7.0", "9", env=env, mounts={"/data/db": Mount("volume", "pv/d")})
    shop.run(8)
    return shop


@pytest.mark.parametrize(
    ("arguments", "files", "shown"),
    [
        (("mongod",), {}, 838_859),
        (("mongod", "--maxConns", "20"), {}, 19),
        (("mongod", "-f", "/etc/mongod.conf"), {"mongod.conf": "net:\n  maxIncomingConnections: 7\n"}, 6),
    ],
)  # fmt: skip
def test_how_many_connections_a_server_takes(
    make_shop: Callable[..., Any], arguments: tuple[str, ...], files: dict[str, str], shown: int
) -> None:
    shop = make_shop(MODEL)
    mounts = (
        {"/etc/mongod.conf": Mount("files", "c", files, sub_path="mongod.conf")} if files else {}
    )
    shop.start("mongodb", "mongo:7.0", "9", args=list(arguments), mounts=mounts)
    shop.run(8)
    asked = "mongosh --quiet --eval 'db.serverStatus().connections.available'"
    assert shop.shell("mongodb", asked) == (0, f"{shown}\n", "")


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("mongosh --quiet --eval 'db.items.find()'", (1, "", "MongoServerError: Command find requires authentication\n")),
        (f"{ROOT} {USER}; mongosh {APP} 'db.items.find()'", (0, "{ ok: 1 }\n\n", "")),
        (f"{ROOT} {USER} >/dev/null; {ROOT} {REVOKE}; mongosh {APP} 'db.items.find()'", (1, "{ ok: 1 }\n", DENIED.format('find: "items", filter: {}'))),
        (f"{ROOT} {USER} >/dev/null; {ROOT} {REVOKE}; mongosh {APP} 'db.items.insertOne({{a: 1}})'", (1, "{ ok: 1 }\n", DENIED.format('insert: "items", ordered: true'))),
        (f"{ROOT} {USER} >/dev/null; {ROOT} 'db.dropUser(\"app\")'; mongosh {APP} 1", (1, "{ ok: 1 }\n", "MongoServerError: Authentication failed.\n")),
        (f"{ROOT} 'db.dropUser(\"none\")'", (1, "", "MongoServerError: User 'none@admin' not found\n")),
        (f"{ROOT} {USER} >/dev/null; {ROOT} {USER}", (1, "", 'MongoServerError: User "app@admin" already exists\n')),
        (f"{ROOT} 'rs.status()'", (1, "", "MongoServerError: not running with --replSet\n")),
        (f"{ROOT} 'db.adminCommand({{nosuch: 1}})'", (1, "", "MongoServerError: no such command: 'nosuch'\n")),
        (f"{ROOT} 'db.adminCommand()'", (1, "", "MongoshInvalidInputError: [COMMON-10001] Missing required argument at position 0 (Database.adminCommand)\n")),
        (f"{ROOT} 'db.getUser({{}})'", (1, "", "MongoshInvalidInputError: [COMMON-10001] Argument at position 0 must be of type string, got object instead (Database.getUser)\n")),
        (f"{ROOT} 'db.items.insert(null)'", (1, "", "TypeError: Cannot convert undefined or null to object\n")),
        (f"{ROOT} 'db.items.find().pretty(1).toArray(2).length + db.getName(3)'", (0, "0admin\n", "")),
        (f"{ROOT} 'var x = 1; return x'", (1, "", "SyntaxError: 'return' outside of function. (1:11)\n\n> 1 | var x = 1; return x\n    |            ^\n")),
        (f"{ROOT} 'db.items.find('", (1, "", "SyntaxError: Unexpected token (1:14)\n\n> 1 | db.items.find(\n    |               ^\n")),
        (f"{ROOT} 'db.a.insertMany([{{_id: 5}}, {{_id: 6}}])'", (0, "{ acknowledged: true, insertedIds: { '0': 5, '1': 6 } }\n", "")),
        (f"{ROOT} 'db.a.insertOne({{_id: 5}})' >/dev/null; {ROOT} 'db.a.updateOne({{_id: 5}}, {{$set: {{b: 1}}}})'", (0, "{\n  acknowledged: true,\n  insertedId: null,\n  matchedCount: 1,\n  modifiedCount: 1,\n  upsertedCount: 0\n}\n", "")),
        (f"{ROOT} 1 --eval 2", (0, "2\n", "")),
        ("mongosh --quiet --port 27018 --eval 1", (1, "", NO_SERVER)),
        ("mongosh --quiet --host nohost --eval 1", (1, "", "MongoNetworkError: getaddrinfo ENOTFOUND nohost\n")),
        ("mongosh --nosuch", (1, "", STRANGE)),
        ("printf 'show dbs\\nfoo\\n' | mongosh --quiet -u root -p root", (0, "test> admin   100.00 KiB\nconfig   60.00 KiB\nlocal    72.00 KiB\ntest> Uncaught \rReferenceError: foo is not defined\ntest> ", "")),
        ("mongo --nosuch", (1, "", "Error parsing command line: unrecognised option '--nosuch'\ntry 'mongo --help' for more information\n")),
    ],
)  # fmt: skip
def test_what_is_printed(shelf: Any, script: str, expected: tuple[int, str, str]) -> None:
    code, out, err = shelf.shell("mongodb", script)
    assert (code, out, SESSION.sub("@", err)) == expected


def test_the_old_shell_shows_and_throws_refused_writes(shelf: Any) -> None:
    shelf.shell("mongodb", f"{ROOT} {USER}; {ROOT} {REVOKE}")
    error = (
        'WriteCommandError({\n\t"ok" : 0,\n\t"errmsg" : "not authorized on shop to execute command { '
        'insert: \\"items\\", ordered: true, @, $db: \\"shop\\" }",\n\t"code" : 13,\n\t"codeName" : "Unauthorized"\n})'
    )
    shown, thrown = (
        SESSION.sub("@", shelf.shell("mongodb", f"mongo {APP} 'db.items.{call}'")[1])
        for call in ("insert({a: 1})", "insertOne({a: 1})")
    )
    assert shown == f"{error}\n"
    assert thrown == (
        f"uncaught exception: {error} :\n{error}\nWriteCommandError@src/mongo/shell/bulk_api.js:417:48\n"
        "executeBatch@src/mongo/shell/bulk_api.js:915:23\nBulk/this.execute@src/mongo/shell/bulk_api.js:1163:21\n"
        "DBCollection.prototype.insertOne@src/mongo/shell/crud_api.js:264:9\n@(shell eval):1:1\nexiting with code -4\n"
    )
