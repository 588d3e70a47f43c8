"""What would keep an imported application from getting ready, and what is made of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sregym_core.interfaces import Vocabulary
from sregym_dev.importing.cleaning import cleaned
from sregym_dev.importing.compose import from_compose
from sregym_dev.importing.guess import Guess, Guesser
from sregym_dev.importing.remarks import Remarks
from sregym_dev.importing.sources import objects_from

COMMANDS = frozenset({"sh", "redis-cli", "mongo", "mongosh", "mysqladmin"})
VOCABULARY = Vocabulary(COMMANDS, {"debian": frozenset({"sh"})}, {})
NON_ROOT = {"runAsNonRoot": True}


def service(name: str, port: int, **more: Any) -> dict[str, Any]:
    spec = {"selector": {"app": name}, "ports": [{"port": port}], **more}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}


def workload(name: str, image: str, **container: Any) -> dict[str, Any]:
    one = {"name": "main", "image": image, **container}
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [one]}}
    meta = {"name": name}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": meta,
        "spec": {"template": template},
    }


def guessed(*objects: dict[str, Any]) -> tuple[Guess, list[str]]:
    front = [service("front", 80, type="NodePort"), workload("front", "acme/front:2")]
    remarks = Remarks()
    objects_of_all = cleaned([*front, *objects], "shop", remarks)
    guess = Guesser(objects_of_all, "shop", VOCABULARY, remarks).guess()
    return guess, [str(one) for one in remarks if "users come in" not in one.text]


def container(guess: Guess, name: str) -> dict[str, Any]:
    (one,) = [o for o in guess.objects if o["kind"] == "Deployment" and o["metadata"]["name"] == name]  # fmt: skip
    return dict(one["spec"]["template"]["spec"]["containers"][0])


@pytest.mark.parametrize(
    ("image", "user"),
    [("redis:7.2", 999), ("postgres:15-alpine", 70), ("memcached:1.6", None)],
)
def test_official_server_that_must_not_be_root_runs_as_its_own_account(
    image: str, user: int | None
) -> None:
    guess, remarks = guessed(
        service("store", 6379), workload("store", image, securityContext=NON_ROOT)
    )
    context = container(guess, "store")["securityContext"]
    assert context == NON_ROOT | ({"runAsUser": user} if user else {})
    said = (
        f"changed: Deployment/store: it must not run as root, and its image {image} names no other user: "
        f"no kubelet would start it; it has 'runAsUser: {user}'"
    )
    assert [one for one in remarks if "root" in one] == ([said] if user else [])


def test_image_of_another_publisher_names_a_user() -> None:
    guess, _ = guessed(
        service("cache", 6379), workload("cache", "bitnami/redis:7", securityContext=NON_ROOT)
    )
    assert container(guess, "cache")["securityContext"] == NON_ROOT
    (image,) = [one for one in guess.model["images"] if one["repository"] == "bitnami/redis"]
    assert image["user"] not in ("", "root")


def test_probe_whose_command_the_image_has_not_asks_the_port() -> None:
    checks = {
        "readinessProbe": {"exec": {"command": ["sh", "-c", "mongo --eval 1"]}, "periodSeconds": 7},
        "livenessProbe": {"exec": {"command": ["mongosh", "--eval", "1"]}},
    }
    guess, remarks = guessed(service("docs", 27017), workload("docs", "mongo:7.0", **checks))
    docs = container(guess, "docs")
    assert docs["readinessProbe"] == {"tcpSocket": {"port": 27017}, "periodSeconds": 7}
    assert docs["livenessProbe"] == checks["livenessProbe"]
    assert [one for one in remarks if "Probe" in one] == [
        "changed: Deployment/docs: its readinessProbe runs 'mongo', which image mongo:7.0 has not: it asks "
        "port 27017 instead"
    ]


def test_program_that_is_asked_as_a_server_answers() -> None:
    check = {"readinessProbe": {"exec": {"command": ["redis-cli", "ping"]}}}
    guess, remarks = guessed(service("keys", 7001), workload("keys", "acme/keys:2", **check))
    (image,) = [one for one in guess.model["images"] if one["repository"] == "acme/keys"]
    assert image["files"] == {"/usr/local/bin/redis-cli": "#!/bin/sh\nexit 0\n"}
    assert [one for one in remarks if "probe" in one] == [
        "guessed: Deployment/keys: its probe or hook runs /usr/local/bin/redis-cli, which always succeeds "
        "here"
    ]


@pytest.mark.parametrize(("limit", "cpu_ms"), [("1m", 0.0125), ("0.01", 0.125), ("2", 0.5)])
def test_requests_cost_no_more_than_limits_allow(limit: str, cpu_ms: float) -> None:
    limits = {"resources": {"limits": {"cpu": limit}}}
    guess, _ = guessed(service("small", 8080), workload("small", "acme/small:2", **limits))
    assert guess.model["programs"]["small"]["operations"]["serve"]["cpu_ms"] == cpu_ms


def test_account_whose_own_address_stands_beside_it_is_of_nobody_else() -> None:
    told = {
        "OBJECTS_HOST": "docs",
        "ORDERS_DB_HOST": "db",
        "ORDERS_DB_USER": "shop",
        "ORDERS_DB_PASSWORD": "pw",
    }
    front = workload("caller", "acme/caller:2", env=[{"name": n, "value": v} for n, v in told.items()])  # fmt: skip
    account = {"MYSQL_ROOT_PASSWORD": "pw", "MYSQL_USER": "shop", "MYSQL_PASSWORD": "pw"}
    env = [{"name": n, "value": v} for n, v in account.items()]
    guess, _ = guessed(
        front,
        service("docs", 27017),
        workload("docs", "mongo:7.0"),
        service("db", 3306),
        workload("db", "mysql:8.0", env=env),
    )
    clients = guess.model["programs"]["caller"]["clients"]
    assert "user" not in clients["docs"]
    assert clients["db"]["user"] == "${orders_db_user}"


def test_health_check_that_names_its_own_service_asks_localhost(tmp_path: Path) -> None:
    text = """
services:
  mysql: {image: "mysql:8.0", healthcheck: {test: [CMD, mysqladmin, ping, -h, mysql]}}
  broker:
    image: acme/broker:2
    container_name: my-broker
    healthcheck: {test: "check --host=my-broker broker:9000 broker.log http://brokers/"}
  front: {image: "acme/front:2", ports: ["80:80"], healthcheck: {test: [CMD, curl, "http://front/ok"]}}
"""
    remarks = Remarks()
    objects = from_compose(tmp_path / "compose.yaml", text, "shop", remarks)
    probes = {
        one["metadata"]["name"]: one["spec"]["template"]["spec"]["containers"][0]["readinessProbe"]
        for one in objects
        if one["kind"] == "Deployment"
    }
    assert probes["mysql"]["exec"]["command"] == ["mysqladmin", "ping", "-h", "localhost"]
    script = "check --host=localhost localhost:9000 broker.log http://brokers/"
    assert probes["broker"]["exec"]["command"] == ["/bin/sh", "-c", script]
    assert probes["front"]["httpGet"] == {"path": "/ok", "port": 80}
    assert [str(one) for one in remarks if "health" in one.text] == [
        f"changed: service {name}: its health check asks localhost and not its own name: a Service leads "
        "to no pod that is not ready"
        for name in ("mysql", "broker", "front")
    ]


def test_charts_among_manifests_are_left_out(tmp_path: Path) -> None:
    inside = tmp_path / "deploy" / "chart"
    for folder in (inside / "templates", inside / "charts" / "db"):
        folder.mkdir(parents=True)
    (inside / "Chart.yaml").write_text("name: shop\n")
    (inside / "charts" / "db" / "Chart.yaml").write_text("name: db\n")
    (inside / "templates" / "all.yaml").write_text("{{ if .Values.x }}\n")
    (tmp_path / "one.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n")
    remarks = Remarks()
    (found,) = objects_from(tmp_path, "shop", remarks)
    assert found["metadata"] == {"name": "one"}
    assert [str(one) for one in remarks] == [
        "left out: deploy/chart: is a Helm chart among manifests; give it by itself to have it instead of "
        "them"
    ]
