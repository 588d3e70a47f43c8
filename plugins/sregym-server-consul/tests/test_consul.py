"""A Consul agent: its API, its command and its log tell of the same services."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

MODEL = """
application: desk
images:
  - repository: hashicorp/consul
    tags: ["1.15.4"]
    size_mib: 47
    cmd: [agent, -dev, -client, 0.0.0.0]
    entrypoint: [consul]
    binaries: {/bin/consul: consul}
    tools: [alpine, curl]
  - {repository: desk/back, tags: ["1"], size_mib: 1, binaries: {/bin/back: back}, entrypoint: [/bin/back]}
programs:
  consul: {kind: registry, version: 1.15.4, ports: [8600]}
  back:
    startup: [{listen: grpc}, {register: consul, name: srv-back, port: 81}]
    listeners: {grpc: {protocol: grpc, port: 81}}
    clients: {consul: {protocol: registry, address: "consul:8500"}}
    operations: {Get: {listener: grpc}}
"""


@pytest.fixture
def desk(make_shop: Any) -> Any:
    shop = make_shop(MODEL)
    shop.name("consul", "1")
    shop.start("consul", "hashicorp/consul:1.15.4", "1")
    shop.run(5)
    shop.start("back", "desk/back:1", "2")
    shop.run(5)
    return shop


def get(desk: Any, path: str) -> Any:
    code, out, err = desk.shell("consul", f"curl -s localhost:8500{path}")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_the_catalog_and_the_health_of_services(desk: Any) -> None:
    assert get(desk, "/v1/catalog/services") == {"consul": [], "srv-back": []}
    (healthy,) = get(desk, "/v1/health/service/srv-back?passing=1")
    (listed,) = get(desk, "/v1/catalog/service/srv-back")
    number = listed["ServiceID"]
    assert healthy["Service"] == {
        "ID": number,
        "Service": "srv-back",
        "Tags": [],
        "Address": "10.244.0.2",
        "Meta": {},
        "Port": 81,
        "Weights": {"Passing": 1, "Warning": 1},
        "EnableTagOverride": False,
    }
    assert (listed["ServiceAddress"], listed["ServicePort"], listed["Node"]) == (
        "10.244.0.2",
        81,
        "consul",
    )
    assert list(get(desk, "/v1/agent/services")) == [number]
    assert get(desk, "/v1/status/leader") == "127.0.0.1:8300"
    desk.runtime.kill(desk.world, desk.ref("back"))
    assert get(desk, "/v1/health/service/srv-back") == []


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (
            "consul members",
            (
                0,
                "Node    Address         Status  Type    Build   Protocol  DC   Partition  Segment\n"
                "consul  127.0.0.1:8301  alive   server  1.15.4  2         dc1  default    <all>\n",
                "",
            ),
        ),
        ("consul catalog services", (0, "consul\nsrv-back\n", "")),
        ("consul catalog datacenters", (0, "dc1\n", "")),
        ("consul kv get a/b", (1, "", "Error! No key exists at: a/b\n")),
        (
            "consul members -http-addr=127.0.0.1:9500",
            (
                1,
                "",
                'Error retrieving members: Get "http://127.0.0.1:9500/v1/agent/members?segment=_all": '
                "dial tcp 127.0.0.1:9500: connect: connection refused\n",
            ),
        ),
        ("curl -s -o /dev/null -w '%{http_code}' localhost:8500/v1/kv/none", (0, "404", "")),
        (
            "curl -s localhost:8500/v1/nothing",
            (0, "Invalid URL path: not a recognized HTTP API endpoint", ""),
        ),
        (
            "curl -s -X PUT localhost:8500/v1/agent/leave",
            (0, "method PUT not allowed", ""),
        ),
    ],
)
def test_what_people_ask_an_agent(desk: Any, command: str, expected: tuple[int, str, str]) -> None:
    assert desk.shell("consul", command) == expected


def test_the_log_of_an_agent(desk: Any) -> None:
    desk.run(200)
    texts = desk.texts("consul")
    assert texts[:2] == ["==> Starting Consul agent...", "          Version: '1.15.4'"]
    number = next(iter(get(desk, "/v1/agent/services")))
    said = [text.partition("Z ")[2] for text in texts]
    assert "[INFO]  agent: Starting server: address=[::]:8500 network=tcp protocol=http" in said
    in_sync = [
        "[DEBUG] agent: Node info in sync",
        f"[DEBUG] agent: Service in sync: service={number}",
    ]
    asked, peer = (
        "agent.http: Request finished: method=PUT url=/v1/agent/service/register",
        said[-5],
    )
    assert said[-6:] == [
        f"[INFO]  agent: Synced service: service={number}",
        peer,
        *in_sync,
        *in_sync,
    ]
    assert re.fullmatch(rf"\[DEBUG\] {asked} from=[\d.]+:\d{{5}} latency=\d\.\d{{6}}ms", peer)
    assert desk.texts("consul") == texts
    assert desk.fork().texts("consul") == texts


def test_its_api_answers_probes(desk: Any) -> None:
    probe = {"httpGet": {"path": "/v1/status/leader", "port": 8500}, "timeoutSeconds": 1}
    assert desk.runtime.probe(desk.world, desk.ref("consul"), probe).ok
    missing = {"httpGet": {"path": "/v1/nothing", "port": 8500}, "timeoutSeconds": 1}
    failed = desk.runtime.probe(desk.world, desk.ref("consul"), missing)
    assert (failed.ok, failed.message) == (False, "HTTP probe failed with statuscode: 404")


def test_a_service_that_is_taken_off(desk: Any) -> None:
    (number,) = get(desk, "/v1/agent/services")
    missing = (
        'Unknown service ID "back". Ensure that the service ID is passed, not the service name.'
    )
    gone = "consul services deregister -id="
    assert desk.shell("consul", f"{gone}back") == (
        1,
        "",
        f'Error deregistering service "back": Unexpected response code: 404 ({missing})\n',
    )
    assert desk.shell("consul", f"{gone}{number}") == (0, f"Deregistered service: {number}\n", "")
    assert get(desk, "/v1/agent/services") == {}
    again = f"curl -s -X PUT localhost:8500/v1/agent/service/deregister/{number}"
    assert desk.shell("consul", again)[1] == missing.replace("back", number)
