"""CouchDB: its HTTP API, its administrator, and what it logs."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.sdk.testing import Mount

MODEL = """
application: notes
images:
  - {repository: couch, tags: ["2.3"], size_mib: 90, entrypoint: [/couchdb], binaries: {/couchdb: couchdb}, tools: [busybox, curl]}
  - {repository: couch, tags: ["3.3"], size_mib: 90, entrypoint: [/couchdb], binaries: {/couchdb: three}}
  - repository: notes
    tags: ["1.0"]
    size_mib: 9
    entrypoint: [/notes]
    binaries: {/notes: notes}
programs:
  couchdb: {kind: couchdb, databases: {activations: 0, whisks: 2}}
  three: {kind: couchdb, version: 3.3.3}
  notes:
    config: {password: {env: PASSWORD, default: secret}}
    clients: {db: {protocol: couchdb, address: "db:5984", user: admin, password: "${password}"}}
    startup:
      - seed: db.activations
        documents: 3
        record: '{"name": "a${n}"}'
        on_failure: {log: ["${error}"], code: 1}
      - query: db.get
        collection: whisks
        on_failure: {log: ["${error}"], code: 1}
      - log: done
      - exit: 0
"""  # fmt: skip
ACCOUNT = {"COUCHDB_USER": "admin", "COUCHDB_PASSWORD": "secret"}


def started(make_shop: Any, environment: dict[str, str]) -> Any:
    testbed = make_shop(MODEL)
    testbed.name("db", "5")
    mounts = {"/opt/couchdb/data": Mount("volume", "pv/data")}
    testbed.start("db", "couch:2.3", "5", env=environment, mounts=mounts)
    testbed.run(5)
    return testbed


@pytest.fixture
def couch(make_shop: Any) -> Any:
    return started(make_shop, ACCOUNT)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("curl -s localhost:5984/_up", '{"status":"ok"}\n'),
        ("curl -s localhost:5984/ | cut -d, -f1,2", '{"couchdb":"Welcome","version":"2.3.1"\n'),
        ("curl -s localhost:5984/_all_dbs", '{"error":"unauthorized","reason":"You are not a server admin."}\n'),
        ("curl -s http://admin:no@localhost:5984/_all_dbs", '{"error":"unauthorized","reason":"Name or password is incorrect."}\n'),
        ("curl -s -u admin:secret localhost:5984/_all_dbs", '["activations","whisks"]\n'),
        ("curl -s -u admin:secret -X PUT localhost:5984/notes; curl -s -u admin:secret localhost:5984/_all_dbs", '{"ok":true}\n["activations","notes","whisks"]\n'),
        ("curl -s -u admin:secret -X PUT localhost:5984/whisks", '{"error":"file_exists","reason":"The database could not be created, the file already exists."}\n'),
        ("curl -s -u admin:secret -X PUT localhost:5984/Notes | cut -c1-50", '{"error":"illegal_database_name","reason":"Name: \'\n'),
        ("curl -s -u admin:secret -X DELETE localhost:5984/whisks; curl -s -u admin:secret localhost:5984/whisks", '{"ok":true}\n{"error":"not_found","reason":"Database does not exist."}\n'),
        ("curl -s -u admin:secret localhost:5984/whisks | cut -d, -f1,6,7", '{"db_name":"whisks","doc_del_count":0,"doc_count":2\n'),
        ("curl -s -u admin:secret 'localhost:5984/whisks/_all_docs?limit=1' | cut -d, -f1-3", '{"total_rows":2,"offset":0,"rows":[{"id":"0"\n'),
        ("curl -s -u admin:secret localhost:5984/whisks/7", '{"error":"not_found","reason":"missing"}\n'),
        ("curl -s -u admin:secret localhost:5984/nothing/7", '{"error":"not_found","reason":"Database does not exist."}\n'),
        ("curl -s -u admin:secret -X PUT localhost:5984/whisks/7", '{"error":"bad_request","reason":"Document must be a JSON object"}\n'),
        ("curl -s -u admin:secret -X POST localhost:5984/whisks", '{"error":"bad_request","reason":"invalid UTF-8 JSON"}\n'),
        ("curl -s -u admin:secret -X PATCH localhost:5984/whisks", '{"error":"method_not_allowed","reason":"Only DELETE,GET,HEAD,POST allowed"}\n'),
        ("curl -s -u admin:secret localhost:5984/_active_tasks", "[]\n"),
    ],
)  # fmt: skip
def test_answers(couch: Any, script: str, expected: str) -> None:
    assert couch.shell("db", script) == (0, expected, "")


def client(testbed: Any, **environment: str) -> list[str]:
    testbed.start("notes", "notes:1.0", "6", env=environment)
    testbed.run(10)
    return [str(text) for text in testbed.texts("notes")]


def test_programs_log_in_and_find_their_databases(couch: Any) -> None:
    assert client(couch) == ["done"]
    ask = "curl -s -u admin:secret localhost:5984/activations/1"
    assert couch.shell("db", f"{ask} | cut -d, -f3") == (0, '"name":"a1"}\n', "")


def test_programs_with_another_password_are_not_let_in(couch: Any) -> None:
    assert client(couch, PASSWORD="other") == ["unauthorized: Name or password is incorrect."]


def test_a_database_that_is_gone_is_told(couch: Any) -> None:
    couch.shell("db", "curl -s -u admin:secret -X DELETE localhost:5984/whisks")
    assert client(couch) == ["not_found: Database does not exist."]


def test_without_an_administrator_everybody_may_do_everything(make_shop: Any) -> None:
    couch = started(make_shop, {})
    assert couch.shell("db", "curl -s localhost:5984/_all_dbs") == (
        0,
        '["activations","whisks"]\n',
        "",
    )
    assert couch.texts("db")[0] == (
        "WARNING: no admin account is set, everybody may do everything; set COUCHDB_USER and "
        "COUCHDB_PASSWORD"
    )


def test_release_three_does_not_start_without_an_administrator(make_shop: Any) -> None:
    testbed = make_shop(MODEL)
    testbed.start("db", "couch:3.3", "5")
    testbed.run(5)
    assert testbed.texts("db") == [
        "ERROR: CouchDB 3.0+ does not run without an admin account; set COUCHDB_USER and "
        "COUCHDB_PASSWORD"
    ]
    assert testbed.ended("db").exit_code == 1


def test_its_log_says_when_it_serves(couch: Any) -> None:
    *_, last = couch.texts("db")
    assert last.startswith("[info] ")
    assert last.endswith(
        "Z nonode@nohost <0.9.0> -------- Application couch started on node nonode@nohost"
    )
