"""Notes that follow from programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.notes import load_notes
from sregym_apps.table import expanded, with_table

if TYPE_CHECKING:
    from pathlib import Path

TABLE = """\
derive: [callers, operations]
templates:
  web:
    defaults: {calls: [], operations: {}}
    components: {"{{ name }}": {kind: service}}
    programs:
      "{{ name }}":
        config: {"{{ each call in calls }}": {"{{ call }}": {env: ADDRESS, default: "{{ call }}:80"}}}
        clients: {"{{ each call in calls }}": {"{{ call }}": {protocol: http, address: "http://${{{ call }}}/"}}}
        operations: "{{ operations }}"
  store:
    components: {"{{ name }}": {kind: datastore}}
    programs: {mongod: {kind: mongodb}}
  edge:
    components: {"{{ name }}": {kind: service}}
    programs:
      nginx: {kind: http-proxy, routes: {buy: {request: GET /buy, upstream: "http://shop"}, home: {request: GET /}}}
  load:
    components: {"{{ name }}": {kind: load}}
    programs:
      locust:
        kind: load-generator
        target: "http://me:secret@edge.shop:80"
        mix: {buy: {request: "GET /buy?what=1"}, look: {request: GET /}, lost: {request: GET /nowhere}}
rows:
  - {template: edge, name: edge}
  - template: web
    name: shop
    calls: [stock, db, mail]
    operations:
      buy:
        route: GET /buy
        calls:
          - cache: db
            miss: [{parallel: [{call: stock.GET /items/7}]}]
      other: {route: GET /other, calls: [{call: mail.GET /}]}
  - {template: web, name: stock, calls: [shop], operations: {item: {route: "GET /items/*", calls: [{call: shop.GET /buy}]}}}
  - {template: web, name: mail}
  - {template: store, name: db}
  - {template: load, name: users}
"""


def derived(folder: Path, own: str = "{}") -> dict[str, tuple[list[str], list[str]]]:
    """Callers and operations of each component."""
    (folder / "table.yaml").write_text(TABLE)
    (folder / "components.yaml").write_text(own)
    notes = load_notes(with_table(folder) / "components.yaml")
    return {name: (list(note.callers), list(note.operations)) for name, note in notes.items()}


def test_callers_and_operations_follow_from_the_programs(tmp_path: Path) -> None:
    assert derived(tmp_path) == {
        "edge": (["users"], ["buy", "look", "lost"]),
        "shop": (["edge", "stock"], ["buy"]),
        "stock": (["shop"], ["buy"]),
        "mail": (["shop"], []),
        "db": (["shop"], ["buy"]),
        "users": ([], ["buy", "look", "lost"]),
    }


def test_addresses_may_stand_in_the_environment(tmp_path: Path) -> None:
    table = """\
derive: [callers]
templates:
  peer:
    objects:
      - {apiVersion: v1, kind: ConfigMap, metadata: {name: "{{ name }}"}, data: {FIRST: "{{ first }}:80"}}
      - apiVersion: apps/v1
        kind: Deployment
        metadata: {name: "{{ name }}"}
        spec: {template: {spec: {containers: [{name: one, env: [{name: SECOND, value: "{{ second }}:80"}, {name: KEY, valueFrom: {}}]}]}}}
    components: {"{{ name }}": {kind: service}}
    programs:
      "{{ name }}-server":
        config: {first: {env: FIRST}, second: {env: SECOND}, third: {env: KEY}, usual: {env: FIRST, default: none}}
        clients:
          first: {protocol: http, address: "http://${first}"}
          second: {protocol: http, address: "http://${second}"}
          third: {protocol: http, address: "http://${third}"}
          usual: {protocol: http, address: "${usual}"}
rows:
  - {template: peer, name: a, first: b, second: c}
  - {template: peer, name: b, first: c, second: nobody}
  - {template: peer, name: c, first: "", second: a}
"""
    (tmp_path / "table.yaml").write_text(table)
    notes = load_notes(with_table(tmp_path) / "components.yaml")

    assert {name: note.callers for name, note in notes.items()} == {
        "a": ("c",),
        "b": ("a",),
        "c": ("a", "b"),
    }


def test_what_notes_say_themselves_counts(tmp_path: Path) -> None:
    assert derived(tmp_path, "mail: {kind: service, operations: [look]}")["mail"] == (
        ["shop"],
        ["look"],
    )
    own = "mail: {kind: service, callers: [users]}"
    assert derived(tmp_path, own)["mail"] == (["users"], [])


def test_only_what_is_asked_for_is_derived(tmp_path: Path) -> None:
    (tmp_path / "table.yaml").write_text(TABLE.replace("[callers, operations]", "[callers]"))
    notes = load_notes(with_table(tmp_path) / "components.yaml")

    assert (notes["shop"].callers, notes["shop"].operations) == (("edge", "stock"), ())


def test_a_note_that_cannot_be_derived() -> None:
    made = expanded(TABLE.replace("operations]", "kind]", 1), "table.yaml")

    assert [str(defect) for defect in made.defects] == [
        "table.yaml:1: derive[1]: there is no note to derive 'kind'; there is: callers, operations"
    ]


def test_requests_that_pass_a_broker_pass_through_whoever_takes_them(tmp_path: Path) -> None:
    programs = """
programs:
  shop:
    clients: {bus: {protocol: kafka, address: "db:9092"}, workers: {protocol: tcp, registry: bus, name: orders}}
    operations: {buy: {route: GET /buy, calls: [{call: workers.book}]}}
  mail:
    config: {topic: {env: TOPIC, default: orders}}
    clients: {bus: {protocol: kafka, address: "db:9092"}}
    consumers: {all: {client: bus, topic: "${topic}", group: mail, operation: take}}
    operations: {book: {listener: "", calls: [{call: bus.produce}]}, take: {listener: ""}}
"""
    (tmp_path / "service_model.yaml").write_text(f"application: shop\n{programs}")
    found = derived(tmp_path)

    assert (found["mail"], found["db"]) == (([], ["buy"]), (["shop", "mail"], ["buy"]))
