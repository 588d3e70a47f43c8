"""Social Network and Media Microservices: what their tables make."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from sregym_app_deathstarbench.media_microservices import MediaMicroservices
from sregym_app_deathstarbench.social_network import SocialNetwork
from sregym_testing.schemas import validate

if TYPE_CHECKING:
    from sregym_apps.application import ManifestApplication

TELLTALE = re.compile(
    r"sregym|(?<!de)fault|chaos|inject|benchmark|harness|oracle|problem|(?<!_)agent(?!-|Host)",
    re.IGNORECASE,
)


@pytest.fixture(params=[SocialNetwork, MediaMicroservices], ids=lambda kind: kind.name)
def application(request: pytest.FixtureRequest) -> ManifestApplication:
    made: ManifestApplication = request.param()
    return made


def test_how_many_objects_there_are() -> None:
    found = {
        kind.name: Counter(obj["kind"] for obj in kind().manifests())
        for kind in (SocialNetwork, MediaMicroservices)
    }

    assert found == {
        "social-network": {"Namespace": 2, "ConfigMap": 23, "Service": 27, "Deployment": 28},
        "media-microservices": {"Namespace": 2, "ConfigMap": 26, "Service": 33, "Deployment": 34},
    }


def test_a_real_api_server_would_take_them(application: ManifestApplication) -> None:
    validate(application.manifests())


def test_nothing_hints_at_a_test(application: ManifestApplication) -> None:
    texts = json.dumps(application.manifests()).replace("DeathStarBench", "")

    assert TELLTALE.findall(texts) == []
    assert TELLTALE.findall(application.description) == []


@pytest.mark.parametrize(("kind", "number"), [(SocialNetwork, 24), (MediaMicroservices, 31)])
def test_every_address_in_the_configuration_is_a_port_of_a_service(
    kind: type[ManifestApplication], number: int
) -> None:
    objects = kind().manifests()
    served = {
        (obj["metadata"]["name"], port["port"])
        for obj in objects
        if obj["kind"] == "Service"
        for port in obj["spec"]["ports"]
    }
    (text,) = {
        obj["data"]["service-config.json"]
        for obj in objects
        if obj["kind"] == "ConfigMap" and "service-config.json" in obj["data"]
    }
    entries = {
        (entry["addr"], entry["port"])
        for entry in json.loads(text).values()
        if isinstance(entry, dict) and "addr" in entry
    }

    assert len(entries) == number
    assert entries <= served


def test_every_service_selects_its_workload_and_leads_to_a_port_of_it(
    application: ManifestApplication,
) -> None:
    components = [part for part in application.components() if part.kind != "load"]

    assert [part.name for part in components if part.service is None] == []
    for part in components:
        assert {port.container_port for port in part.ports} <= set(part.own_container.ports)
