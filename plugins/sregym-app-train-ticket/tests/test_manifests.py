"""What the table of Train Ticket makes."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from sregym_testing.schemas import validate

if TYPE_CHECKING:
    from sregym_app_train_ticket.application import TrainTicket

TELLTALE = re.compile(
    r"sregym|(?<!de)fault|chaos|inject|benchmark|harness|oracle|problem|(?<!_)agent(?!-|Host)",
    re.IGNORECASE,
)


def test_how_many_objects_there_are(train_ticket: TrainTicket) -> None:
    assert Counter(obj["kind"] for obj in train_ticket.manifests()) == {
        "Namespace": 2,
        "ConfigMap": 26,
        "Secret": 23,
        "PersistentVolumeClaim": 26,
        "Service": 77,
        "Deployment": 78,
    }
    assert Counter(part.kind for part in train_ticket.components()) == {
        "service": 48,
        "datastore": 26,
        "registry": 1,
        "queue": 1,
        "tracing": 1,
        "load": 1,
    }


def test_a_service_is_as_people_know_it(train_ticket: TrainTicket) -> None:
    (deployment,) = (
        obj
        for obj in train_ticket.manifests()
        if obj["kind"] == "Deployment" and obj["metadata"]["name"] == "ts-station-service"
    )
    account = {"name": "ts-station-mongo-accounts"}

    assert deployment["spec"]["template"]["spec"]["containers"] == [
        {
            "name": "ts-station-service",
            "image": "codewisdom/ts-station-service-with-jaeger:v1",
            "imagePullPolicy": "IfNotPresent",
            "ports": [{"containerPort": 12345}],
            "env": [
                {
                    "name": "SPRING_DATA_MONGODB_USERNAME",
                    "valueFrom": {"secretKeyRef": {**account, "key": "username"}},
                },
                {
                    "name": "SPRING_DATA_MONGODB_PASSWORD",
                    "valueFrom": {"secretKeyRef": {**account, "key": "password"}},
                },
                {"name": "SPRING_DATA_MONGODB_AUTHENTICATION_DATABASE", "value": "admin"},
            ],
            "resources": {
                "requests": {"cpu": "50m", "memory": "160Mi"},
                "limits": {"cpu": "200m", "memory": "500Mi"},
            },
            "readinessProbe": {
                "tcpSocket": {"port": 12345},
                "initialDelaySeconds": 160,
                "periodSeconds": 10,
                "timeoutSeconds": 5,
            },
        }
    ]


def test_a_real_api_server_would_take_them(train_ticket: TrainTicket) -> None:
    validate(train_ticket.manifests())


def test_nothing_hints_at_a_test(train_ticket: TrainTicket) -> None:
    assert TELLTALE.findall(json.dumps(train_ticket.manifests())) == []
    assert TELLTALE.findall(train_ticket.description) == []


def test_every_service_selects_its_workload_and_leads_to_a_port_of_it(
    train_ticket: TrainTicket,
) -> None:
    components = [part for part in train_ticket.components() if part.kind != "load"]

    assert [part.name for part in components if part.service is None] == []
    for part in components:
        assert {port.container_port for port in part.ports} <= set(part.own_container.ports)


def test_who_calls_whom_follows_from_the_programs(train_ticket: TrainTicket) -> None:
    parts = {part.name: part for part in train_ticket.components()}

    assert parts["ts-security-service"].callers == (
        "ts-preserve-service",
        "ts-preserve-other-service",
    )
    assert parts["ts-security-mongo"].callers == ("ts-security-service",)
    assert parts["rabbitmq"].callers == (
        "ts-preserve-service",
        "ts-preserve-other-service",
        "ts-food-service",
        "ts-delivery-service",
        "ts-notification-service",
    )
    assert parts["ts-security-service"].operations == ("preserve", "preserve-other", "wait-order")
    assert parts["ts-contacts-mysql"].operations == (
        *("contacts", "contact-create", "contact-delete"),
        *("preserve", "preserve-other", "wait-order", "admin-contacts"),
    )
    assert parts["nacos"].operations == parts["ts-notification-service"].operations[1:] == ()
    # Whatever users do passes through the entry.
    assert parts["ts-ui-dashboard"].operations == parts["train-load"].operations
    assert len(parts["train-load"].operations) == 40


def test_the_users_of_a_real_cluster_ask_for_the_same(train_ticket: TrainTicket) -> None:
    objects: dict[tuple[str, str], Any] = {
        (obj["kind"], obj["metadata"]["name"]): obj for obj in train_ticket.manifests()
    }
    mix = objects["ConfigMap", "train-load-mix"]["data"]
    (model,) = train_ticket.service_models()
    (container,) = objects["Deployment", "train-load"]["spec"]["template"]["spec"]["containers"]
    weights = {entry["name"] for entry in container["env"]}

    assert {name: text.partition("\n")[0] for name, text in mix.items()} == {
        name: entry.request for name, entry in model.programs["locust"].mix.items()
    }
    for text in mix.values():
        body = text.partition("\n")[2]
        assert not body or json.loads(body)
    assert weights == {"WEIGHT_" + re.sub(r"\W", "_", name).upper() for name in mix}
    ast.parse(objects["ConfigMap", "train-load"]["data"]["locustfile.py"])
