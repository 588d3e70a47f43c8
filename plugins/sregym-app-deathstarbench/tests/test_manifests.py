from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import sregym_app_deathstarbench.hotel_reservation as package
import yaml
from sregym_app_deathstarbench.hotel_reservation import HotelReservation
from sregym_testing.schemas import validate

Objects: TypeAlias = dict[tuple[str, str], dict[str, Any]]

CONFIG = "/go/src/github.com/harlow/go-micro-services/config.json"
GO_SERVICES = (
    "frontend",
    "geo",
    "profile",
    "rate",
    "recommendation",
    "reservation",
    "search",
    "user",
)
CONFIG_KEYS = {
    "frontend": {"consulAddress", "jaegerAddress", "FrontendPort", "KnativeDomainName"},
    "search": {"consulAddress", "jaegerAddress", "SearchPort", "KnativeDomainName"},
    "geo": {"consulAddress", "jaegerAddress", "GeoPort", "GeoMongoAddress"},
    "rate": {"consulAddress", "jaegerAddress", "RatePort", "RateMongoAddress", "RateMemcAddress"},
    "profile": {
        "consulAddress",
        "jaegerAddress",
        "ProfilePort",
        "ProfileMongoAddress",
        "ProfileMemcAddress",
    },
    "recommendation": {
        "consulAddress",
        "jaegerAddress",
        "RecommendPort",
        "RecommendMongoAddress",
    },
    "user": {"consulAddress", "jaegerAddress", "UserPort", "UserMongoAddress"},
    "reservation": {
        "consulAddress",
        "jaegerAddress",
        "ReservePort",
        "ReserveMongoAddress",
        "ReserveMemcAddress",
    },
}
WORKLOADS = [
    "consul",
    "frontend",
    "geo",
    "jaeger",
    "memcached-profile",
    "memcached-rate",
    "memcached-reserve",
    "mongodb-geo",
    "mongodb-profile",
    "mongodb-rate",
    "mongodb-recommendation",
    "mongodb-reservation",
    "mongodb-user",
    "profile",
    "rate",
    "recommendation",
    "reservation",
    "search",
    "user",
]
# Jaeger calls its receiving part an agent; ports of its Service are named after that.
TELLTALE = re.compile(
    r"sregym|fault|chaos|inject|benchmark|harness|oracle|problem|agent(?!-)", re.IGNORECASE
)


def test_there_are_19_workloads_and_the_load(objects: Objects) -> None:
    deployments = [obj["metadata"] for (kind, _), obj in objects.items() if kind == "Deployment"]
    names = [(meta["namespace"], meta["name"]) for meta in deployments]

    assert sorted(names) == [("hotel-reservation", name) for name in WORKLOADS] + [
        ("load", "hotel-load")
    ]


def test_kinds_of_objects(hotel: HotelReservation) -> None:
    assert Counter(obj["kind"] for obj in hotel.manifests()) == {
        "Namespace": 2,
        "ConfigMap": 12,
        "Secret": 2,
        "PersistentVolumeClaim": 6,
        "Service": 19,
        "Deployment": 20,
    }


def test_a_real_api_server_would_take_them(hotel: HotelReservation) -> None:
    validate(hotel.manifests())


@pytest.mark.parametrize("kind", ["Namespace", "ConfigMap", "Service", "Deployment"])
def test_a_field_that_no_api_server_knows_is_found_in_any_object(
    hotel: HotelReservation, kind: str
) -> None:
    error = pytest.importorskip("kubernetes_validate").ValidationError
    objects = hotel.manifests()
    last = [obj for obj in objects if obj["kind"] == kind][-1]
    last["metadata"]["lables"] = {}
    with pytest.raises(error, match="lables"):
        validate(objects)


def test_each_file_is_named_after_what_it_deploys() -> None:
    folder = Path(package.__file__).parent / "manifests"
    found = {}
    for file in folder.iterdir():
        documents = yaml.safe_load_all(file.read_text())
        found[file.stem] = [d["metadata"]["name"] for d in documents if d["kind"] == "Deployment"]

    assert found == {name: [name] for name in [*WORKLOADS, "hotel-load"]} | {"namespace": []}


def test_nothing_hints_at_a_test(hotel: HotelReservation) -> None:
    folder = Path(package.__file__).parent / "manifests"
    found = {
        file.name: [match[0] for match in TELLTALE.finditer(file.read_text())]
        for file in folder.iterdir()
    }

    assert {name: words for name, words in found.items() if words} == {}
    assert TELLTALE.findall(hotel.description) == []


@pytest.mark.parametrize("name", GO_SERVICES)
def test_each_go_service_mounts_its_configuration(name: str, objects: Objects) -> None:
    pod = objects["Deployment", name]["spec"]["template"]["spec"]
    config = objects["ConfigMap", f"{name}-config"]["data"]

    assert pod["volumes"] == [{"name": "config", "configMap": {"name": f"{name}-config"}}]
    assert pod["containers"][0]["volumeMounts"] == [
        {"name": "config", "mountPath": CONFIG, "subPath": "config.json"}
    ]
    assert set(json.loads(config["config.json"])) == CONFIG_KEYS[name]


def test_all_20_keys_of_the_original_configuration_are_used() -> None:
    assert len(set().union(*CONFIG_KEYS.values())) == 20


def test_every_address_in_a_configuration_is_a_port_of_a_service(objects: Objects) -> None:
    served = {
        f"{name}:{port['port']}"
        for (kind, name), obj in objects.items()
        if kind == "Service"
        for port in obj["spec"]["ports"]
    }
    for name in GO_SERVICES:
        config = json.loads(objects["ConfigMap", f"{name}-config"]["data"]["config.json"])
        addresses = {value for key, value in config.items() if key.endswith("Address")}
        assert addresses <= served


def test_every_service_selects_its_workload_and_leads_to_a_port_of_it(objects: Objects) -> None:
    for name in WORKLOADS:
        service, workload = objects["Service", name], objects["Deployment", name]
        template = workload["spec"]["template"]
        container = template["spec"]["containers"][0]
        declared = [(p["containerPort"], p.get("protocol", "TCP")) for p in container["ports"]]
        ports = [(p["targetPort"], p.get("protocol", "TCP")) for p in service["spec"]["ports"]]

        assert service["spec"]["selector"] == template["metadata"]["labels"]
        assert workload["spec"]["selector"]["matchLabels"] == template["metadata"]["labels"]
        assert ports == declared


def test_every_workload_has_requests_limits_and_a_probe(objects: Objects) -> None:
    for name in WORKLOADS:
        container = objects["Deployment", name]["spec"]["template"]["spec"]["containers"][0]
        resources, probe = container["resources"], container["readinessProbe"]

        assert resources["requests"]["cpu"] == "100m"
        assert resources["limits"]["cpu"] == "1000m"
        assert resources["limits"].keys() == resources["requests"].keys() == {"cpu", "memory"}
        assert probe["tcpSocket"]["port"] in [p["containerPort"] for p in container["ports"]]


def test_only_stores_with_accounts_demand_log_in(objects: Objects) -> None:
    args = {
        name: objects["Deployment", name]["spec"]["template"]["spec"]["containers"][0].get("args")
        for name in WORKLOADS
        if name.startswith("mongodb-")
    }

    assert args == {
        "mongodb-geo": ["--auth"],
        "mongodb-profile": None,
        "mongodb-rate": ["--auth"],
        "mongodb-recommendation": None,
        "mongodb-reservation": None,
        "mongodb-user": None,
    }


def test_it_stands_in_other_namespaces_too(hotel: HotelReservation) -> None:
    moved = hotel.with_namespace_suffix("-2")
    assert moved is not None
    assert (moved.name, moved.namespaces) == (hotel.name, ("hotel-reservation-2", "load-2"))
    places = {obj["metadata"].get("namespace") for obj in moved.manifests()}
    assert places == {None, *moved.namespaces}
    assert {ref.namespace for part in moved.components() for ref in part.workloads} == {
        *moved.namespaces
    }
    [generator] = [obj for obj in moved.manifests() if obj["metadata"]["name"] == "hotel-load"][-1:]
    assert "http://frontend.hotel-reservation-2:5000 " in str(generator)
    assert "namespace hotel-reservation-2." in moved.description
    assert hotel.namespaces == ("hotel-reservation", "load")
    assert hotel.component("geo").workload.namespace == "hotel-reservation"
