"""The page of the service model holds a complete example; every mistake in it is named."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import pytest
from sregym_apps.model import (
    Log,
    Poison,
    ServiceModelError,
    ServiceProgram,
    StoreProgram,
    Text,
    count,
    expand,
    load_service_model,
    parse_reference,
    parse_service_model,
    seconds,
)
from sregym_apps.model.application import GENERIC_PROGRAMS, kind_of
from sregym_apps.simulation import Extension, Installed, ServerKind, WireProtocol
from sregym_core.plugins import Found, PluginStatus


class DocumentStore(StoreProgram):
    """As much of a kind of server as the example needs."""

    kind: Literal["mongodb"]
    port: Text = "27017"
    version: Text = "4.4.6"
    log: Log = Log(format="plain")


EXTENSION = Extension(
    name="server-mongodb",
    server_kinds=(
        ServerKind(
            name="mongodb",
            program=DocumentStore,
            behaviour="acme.behaviour:Store",
            protocols=(WireProtocol("mongodb", 27017),),
        ),
    ),
)
STATUS = PluginStatus("server-mongodb", "sregym-server-mongodb", "1.0", "ok")
# Nothing but what the example needs.
INSTALLED = Installed([Found(STATUS, EXTENSION)])
KINDS = ", ".join(sorted([*map(kind_of, GENERIC_PROGRAMS), "mongodb"]))
PAGE = Path(__file__).parents[3] / "docs" / "reference" / "service-model.md"


@pytest.fixture(scope="module")
def example() -> str:
    found = re.search(r"<!-- example -->\n```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert found is not None
    return found.group(1)


def test_the_documented_example_is_a_service_model(example: str, tmp_path: Path) -> None:
    path = tmp_path / "shop.yaml"
    path.write_text(example)
    model = load_service_model(path, INSTALLED)
    assert [(name, program.kind) for name, program in model.programs.items()] == [
        ("web", "service"),
        ("web-broken", "service"),
        ("stock", "service"),
        ("mongod", "mongodb"),
        ("load", "load-generator"),
    ]
    stock = model.programs["stock"]
    assert isinstance(stock, ServiceProgram)
    assert stock.config["port"].default == "8081"
    assert [type(step).__name__ for step in stock.startup] == [
        "ReadStep",
        "DialStep",
        "SeedStep",
        "ListenStep",
    ]


@pytest.mark.parametrize(
    ("before", "after", "error"),
    [
        *(
            (
                "weight: 1}",
                f"weight: {weight}}}",
                "shop.yaml:102: programs.load.mix.buy.weight: needs a number above 0, or a setting",
            )
            for weight in ("0", "often", "-3")
        ),
        (
            "listen: grpc",
            "listen: grpx",
            "shop.yaml:77: programs.stock.startup[3].listen: there is no listener 'grpx' (there are: grpc); did you mean 'grpc'?",
        ),
        (
            "size_mib: 10\n",
            "size_mib: big\n",
            "shop.yaml:29: images[3].size_mib: must be a number, not 'big'",
        ),
        (
            'rate: "${rate}"',
            'rate: "${rat}"',
            "shop.yaml:100: programs.load.rate: there is no setting 'rat' (there are: rate, target); did you mean 'rate'?",
        ),
        (
            "- exit: 2",
            "- leave: 2",
            "shop.yaml:62: programs.web-broken.startup[1]: a step has exactly one verb of: "
            "log, read, require, dial, query, seed, register, listen, wait_s, grow, run, exit",
        ),
        (
            "kind: mongodb",
            "kind: mongo",
            f"shop.yaml:92: programs.mongod: there is no kind 'mongo' (there are: {KINDS}); did you mean 'mongodb'?",
        ),
        (
            "cpu_ms: 0.3",
            "cpu_mss: 0.3",
            "shop.yaml:86: programs.stock.operations.Reserve.cpu_mss: unknown; did you mean 'cpu_ms'?",
        ),
        (
            "call: mongo.find",
            "call: mango.find",
            "shop.yaml:88: programs.stock.operations.Reserve.calls[0].call: there is no client 'mango' (there are: mongo); did you mean 'mongo'?",
        ),
        (
            "port: {env: PORT, type: integer, default: 8080}",
            "port: {key: PORT, type: integer, default: 8080}",
            "shop.yaml:37: programs.web.config.port: 'key' needs the 'file' or the variable 'env' it stands in",
        ),
        (
            "protocol: grpc, address",
            "protocol: grpc, library: reqwest, address",
            "shop.yaml:48: programs.web.clients.stock: there is no library 'reqwest' for protocol 'grpc' (there are: grpc-node, grpc-python)",
        ),
        (
            "stock: {env: STOCK_ADDR}",
            "stock: {type: integer}",
            "shop.yaml:38: programs.web.config.stock: a setting needs a flag, argument, env, file or default",
        ),
        (
            'protocol: grpc, address: "${stock}", ',
            "protocol: grpc, ",
            "shop.yaml:48: programs.web.clients.stock: a client needs either 'address', or 'registry' and 'name'",
        ),
        (
            'address: "${stock}", ',
            'registry: "${stock}", ',
            "shop.yaml:48: programs.web.clients.stock: a client with a 'registry' needs the 'name' to look up there",
        ),
        (
            "    memory: {base_mib: 20",
            "    gc: {heap_mib: 64, growth: 100}\n    memory: {base_mib: 20",
            "shop.yaml:39: programs.web.gc: a heap needs either 'heap_mib' or 'growth'",
        ),
        (
            '      - require: [stock]\n        on_failure: {log: ["missing ${key}"], code: 1}\n',
            "",
            "shop.yaml:38: programs.web.config.stock: setting 'stock' has no default, "
            "and no 'require' step says what its absence does",
        ),
        (
            "/load: load}",
            "/load: lode}",
            "shop.yaml:31: images[3].binaries./load: there is no program 'lode' "
            "(there are: load, mongod, stock, web, web-broken); did you mean 'load'?",
        ),
    ],
)
def test_a_mistake_is_named_with_file_line_and_field(
    example: str, before: str, after: str, error: str
) -> None:
    assert before in example
    with pytest.raises(ServiceModelError) as caught:
        parse_service_model(example.replace(before, after, 1), "shop.yaml", INSTALLED)
    assert str(caught.value) == error


def test_what_is_no_yaml_is_refused_with_its_line() -> None:
    with pytest.raises(ServiceModelError) as caught:
        parse_service_model("application: shop\nimages: [\n", "shop.yaml")
    assert str(caught.value).startswith("shop.yaml:3: not valid YAML: ")


@pytest.mark.parametrize("text", ["", "- application: shop\n", "shop\n"])
def test_what_is_no_mapping_is_refused(text: str) -> None:
    with pytest.raises(ServiceModelError) as caught:
        parse_service_model(text, "shop.yaml", INSTALLED)
    assert str(caught.value) == "shop.yaml:1: a service model is a mapping with 'application'"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("1.5", 1.5),
        ("50ms", 0.05),
        (" 2m ", 120.0),
        ("1h", 3600.0),
        (".5s", 0.5),
        ("0s", 7.0),
        ("-1s", 7.0),
        ("5 minutes", 7.0),
        ("", 7.0),
    ],
)
def test_durations(text: str, read: float) -> None:
    assert seconds(text, 7.0) == read


@pytest.mark.parametrize(("text", "read"), [(" 12 ", 12), ("0", 0), ("1.5", 7), ("-1", 7), ("", 7)])
def test_counts(text: str, read: int) -> None:
    assert count(text, 7) == read


def test_references_are_completed_as_container_runtimes_do() -> None:
    assert parse_reference("mongo") == ("docker.io/library/mongo", "latest")
    assert parse_reference("docker.io/mongo:7") == ("docker.io/library/mongo", "7")
    assert parse_reference("index.docker.io/library/mongo") == ("docker.io/library/mongo", "latest")
    assert parse_reference("docker.io/acme/mongo") == ("docker.io/acme/mongo", "latest")
    assert parse_reference("deathstarbench/wrk2-client:1") == (
        "docker.io/deathstarbench/wrk2-client",
        "1",
    )
    assert parse_reference("host:5000/a/b:c") == ("host:5000/a/b", "c")


def test_texts_are_filled_in_and_unknown_names_stay() -> None:
    assert expand("${a} and ${b}", {"a": "1"}) == "1 and ${b}"


def test_what_is_done_with_records_that_cannot_be_read() -> None:
    with pytest.raises(ValueError, match=r"'wait' is neither 'retry' nor 'skip'"):
        Poison(then="wait")
    poison = Poison(then="${unreadable}")
    said = [poison.with_facts({"unreadable": text}).then for text in ("skip", "retry", "")]
    assert said == ["skip", "retry", "retry"]
