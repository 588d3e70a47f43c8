"""A MongoDB server: init scripts, accounts, its shell, its data over restarts."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from sregym_cluster_embedded.kubelet.runtime import ExitState, Mount

GRANT = 'db.{}("admin", [{{"role": "readWrite", "db": "stock-db"}}])'
CREATE = 'db.createUser({"user": "admin", "pwd": "secret", "roles": [{"role": "readWrite", "db": "stock-db"}]})'
# What the shell calls its session.
SESSION = re.compile(r'lsid: \{ id: UUID\(\\?"[0-9a-f-]+\\?"\) \}')


@pytest.fixture
def database(shop: Any) -> Any:
    shop.start_mongo()
    shop.run(5)
    return shop


def test_init_scripts_run_once_in_an_empty_directory(database: Any) -> None:
    texts = database.texts("mongodb-stock")
    running = "/usr/local/bin/docker-entrypoint.sh: running /docker-entrypoint-initdb.d/user.sh"
    done = "MongoDB init process complete; ready for start up."
    assert (running in texts, done in texts) == (True, True)
    database.runtime.kill(database.world, database.ref("mongodb-stock"))
    mounts = {"/data/db": Mount("volume", "claim-1")}
    env = {"MONGO_INITDB_ROOT_USERNAME": "root", "MONGO_INITDB_ROOT_PASSWORD": "changed"}
    database.start("mongodb-stock", "mongo:4.4.6", "1", 1, env=env, mounts=mounts)
    database.run(5)
    assert done not in database.texts("mongodb-stock")
    assert database.mongo("db.getUsers().length") == (0, "2\n", "")


def test_every_line_of_the_server_is_json_once_it_runs(database: Any) -> None:
    last = json.loads(database.texts("mongodb-stock")[-1])
    assert (last["msg"], last["attr"]) == ("Waiting for connections", {"port": 27017, "ssl": "off"})


def test_a_failing_init_script_ends_the_container(shop: Any) -> None:
    scripts = Mount(
        "files", "scripts", {"a.sh": "echo before; false; echo after\n"}, ("configmaps", "s")
    )
    mounts = {"/docker-entrypoint-initdb.d": scripts}
    shop.start("mongodb-stock", "mongo:4.4.6", "1", mounts=mounts)
    shop.run(5)
    assert shop.ended("mongodb-stock") == ExitState(1, "Error")
    assert shop.texts("mongodb-stock")[-1] == "before"


def test_roles_are_revoked_and_granted(database: Any) -> None:
    roles = 'tojson(db.getUser("admin").roles)'
    assert database.mongo(GRANT.format("revokeRolesFromUser")) == (0, "", "")
    assert database.mongo(roles) == (0, "[ ]\n", "")
    code, out, err = database.mongo('db.getSiblingDB("stock-db").items.count()', "admin", "secret")
    assert (code, SESSION.sub("@", out), err) == (
        252,
        'uncaught exception: Error: count failed: {\n\t"ok" : 0,\n\t"errmsg" : "not authorized on '
        'stock-db to execute command { count: \\"items\\", query: {}, @, $db: \\"stock-db\\" }",\n\t"code" : 13,\n\t'
        '"codeName" : "Unauthorized"\n} :\n_getErrorWithCode@src/mongo/shell/utils.js:25:13\n'
        "@(shell eval):1:1\nexiting with code -4\n",
        "",
    )
    assert database.mongo(GRANT.format("grantRolesToUser")) == (0, "", "")
    assert database.mongo('db.getSiblingDB("stock-db").items.count()', "admin", "secret") == (
        0,
        "0\n",
        "",
    )


def test_a_dropped_user_cannot_log_in_until_made_anew(database: Any) -> None:
    before = database.runtime.durable_state(database.world)
    failed = (
        "Error: Authentication failed. :\nconnect@src/mongo/shell/mongo.js:374:17\n@(connect):2:6\n"
        "exception: connect failed\nexiting with code 1\n"
    )
    assert database.mongo('db.dropUser("admin")') == (0, "true\n", "")
    assert database.mongo('db.dropUser("admin")') == (0, "false\n", "")
    assert database.mongo('printjson(db.getUser("admin"))') == (0, "null\n", "")
    assert database.mongo("1", "admin", "secret") == (1, failed, "")
    assert database.mongo(CREATE)[0] == 0
    assert database.mongo("1", "admin", "secret") == (0, "1\n", "")
    assert database.runtime.durable_state(database.world) == before
    assert list(before) == ["mongodb at claim-1:"]


def test_mistakes_are_answered_in_the_words_of_the_shell(database: Any) -> None:
    cases = {
        'db.grantRolesToUser("nobody", ["read"])': 'Error: Could not find user "nobody" for db "admin" :',
        'db.createUser({user: "root", pwd: "x", roles: []})': (
            'Error: couldn\'t add user: User "root@admin" already exists :'
        ),
        "nothing.here()": "ReferenceError: nothing is not defined",
        "db.getUsers(": "SyntaxError: expected expression, got end of script :",
        "show dbs": "SyntaxError: unexpected token: identifier :",
        "db.items.noSuch.method()": "TypeError: db.items.noSuch.method is not a function",
    }
    columns = {"show dbs": 5, "db.getUsers(": 12}
    helper = "_getErrorWithCode@src/mongo/shell/utils.js:25:13\n"
    for expression, error in cases.items():
        shown = f"uncaught exception: {error.removesuffix(' :')} :\n"
        frames = f"{helper if error[:7] == 'Error: ' else ''}@(shell eval):1:{columns.get(expression, 1)}\n"
        expected = (252, f"{shown}{frames}exiting with code -4\n", "")
        assert database.mongo(expression) == expected


def test_statements_come_from_standard_input(database: Any) -> None:
    script = (
        "use stock-db\ndb.items.insert({name: 'tea', left: 3})\ndb.items.insert([\n  {name: 'milk'},\n])\n"
        "db.items.find({name: 'tea'}, {_id: 0}).limit(1).forEach(function (d) { print(d.name, d.left) })\n"
        "show collections\ndb.items.count()\nif (db.items.count() > 1) { print('more') } else { print('one') }\n"
    )
    ref = database.ref("mongodb-stock")
    command = ("mongo", "--quiet", "-u", "root", "-proot", "--authenticationDatabase", "admin")
    result = database.runtime.exec(database.world, ref, command, script)
    assert (result.exit_code, result.stdout) == (
        0,
        'switched to db stock-db\nWriteResult({ "nInserted" : 1 })\nWriteResult({ "nInserted" : 1 })\n'
        "tea 3\nitems\n2\nmore\n",
    )


def test_a_here_document_reaches_the_shell(database: Any) -> None:
    script = "mongo --quiet -u root -p root admin <<EOF\nshow users\nprint(db.getName())\nEOF"
    code, out, err = database.shell("mongodb-stock", script)
    assert (code, out.splitlines()[-1], err) == (0, "admin", "")


def test_without_an_account_nothing_is_allowed(database: Any) -> None:
    code, out, err = database.shell(
        "mongodb-stock", "mongo --quiet stock-db --eval 'db.items.find()'"
    )
    assert (code, err) == (252, "")
    assert '"errmsg" : "command find requires authentication"' in out


def test_a_server_that_is_not_there_is_named(shop: Any) -> None:
    shop.start("mongodb-stock", "mongo:4.4.6", "1", command=("sleep", "3600"))
    shop.run(1)
    code, out, err = shop.shell("mongodb-stock", "mongo --quiet --eval 1")
    assert (code, err, out.splitlines()[0]) == (
        1,
        "",
        "Error: couldn't connect to server 127.0.0.1:27017, connection attempt failed: SocketException: "
        "Error connecting to 127.0.0.1:27017 :: caused by :: Connection refused :",
    )


def test_files_of_another_version_are_refused(shop: Any) -> None:
    from sregym_server_mongodb.data import MongoData, store

    store(shop.world, "claim-1:", MongoData(version="3.6"))
    mounts = {"/data/db": Mount("volume", "claim-1")}
    shop.start("mongodb-stock", "mongo:4.4.6", "1", mounts=mounts)
    shop.run(5)
    assert shop.ended("mongodb-stock") == ExitState(62, "Error")
