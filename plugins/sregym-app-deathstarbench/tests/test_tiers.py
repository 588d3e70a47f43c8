"""An application in tiers: how many members, pods and requests it has, and that its sets elect leaders."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from sregym_app_deathstarbench.tiers import (
    HotelReservationExpanded,
    HotelReservationReplicated,
    HotelReservationSingle,
    SocialNetworkExpanded,
    SocialNetworkSingle,
)
from sregym_runs import pairs
from sregym_testing import ReadyWorlds
from sregym_testing.worlds import advance, ready_world

if TYPE_CHECKING:
    from sregym_apps.application import ManifestApplication

WHO_LEADS = "rs.status().members.forEach(m => print(m.name, m.stateStr))"


def found(application: ManifestApplication, kind: str, name: str) -> dict[str, Any]:
    return next(
        obj
        for obj in application.manifests()
        if (obj["kind"], obj["metadata"]["name"]) == (kind, name)
    )


@pytest.mark.parametrize(
    ("kind", "members", "replicas", "rate"),
    [
        (HotelReservationSingle, 1, 1, "10"),
        (HotelReservationReplicated, 3, 2, "20"),
        (HotelReservationExpanded, 5, 3, "30"),
        (SocialNetworkSingle, 1, 1, "10"),
        (SocialNetworkExpanded, 5, 3, "30"),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_sizes(kind: type[ManifestApplication], members: int, replicas: int, rate: str) -> None:
    application = kind()
    sets = [obj for obj in application.manifests() if obj["kind"] == "StatefulSet"]
    load = found(application, "Deployment", application.load_generator.name)
    words = " ".join(load["spec"]["template"]["spec"]["containers"][0]["command"])
    services = [part for part in application.components() if part.kind == "service"]

    assert len(sets) == 6
    assert {obj["spec"]["replicas"] for obj in sets} == {members}
    assert {
        found(application, "Deployment", part.name)["spec"]["replicas"] for part in services
    } == {replicas}
    assert re.findall(application.load_rate, words) == [rate]


def test_addresses_of_members_stand_where_the_database_was_named() -> None:
    hotel, network = HotelReservationReplicated(), SocialNetworkSingle()
    config = found(hotel, "ConfigMap", "geo-config")["data"]["config.json"]
    services = found(network, "ConfigMap", "user-service")["data"]["service-config.json"]

    assert (
        '"GeoMongoAddress": "mongodb-geo-0.mongodb-geo:27017,'
        'mongodb-geo-1.mongodb-geo:27017,mongodb-geo-2.mongodb-geo:27017"' in config
    )
    assert '"user-mongodb": {"addr": "user-mongodb-0.user-mongodb", "port": 27017,' in services


def test_caches_take_the_connections_of_all_pods() -> None:
    cache = found(SocialNetworkExpanded(), "Deployment", "post-storage-memcached")
    alone = found(SocialNetworkSingle(), "Deployment", "post-storage-memcached")

    assert cache["spec"]["template"]["spec"]["containers"][0]["args"] == ["-c", "3072"]
    assert "args" not in alone["spec"]["template"]["spec"]["containers"][0]


def test_accounts_are_made_in_the_set_and_not_in_each_member() -> None:
    hotel = HotelReservationReplicated()
    server = found(hotel, "StatefulSet", "mongodb-geo")["spec"]["template"]["spec"]
    job = found(hotel, "Job", "mongodb-geo-initiate")["spec"]["template"]["spec"]
    names = [entry["name"] for entry in job["containers"][0]["env"]]

    assert server["containers"][0]["args"] == ["--replSet", "geo"]
    assert "env" not in server["containers"][0]
    assert "volumes" not in server
    assert names == [
        "MONGO_INITDB_ROOT_USERNAME",
        "MONGO_INITDB_ROOT_PASSWORD",
        "MONGO_APP_USERNAME",
        "MONGO_APP_PASSWORD",
        "INITIATE",
        "CONCERN",
        "ACCOUNTS",
    ]
    assert not [obj for obj in hotel.manifests() if obj["kind"] == "PersistentVolumeClaim"]


def test_one_member_of_each_set_leads_and_users_are_served(
    ready_worlds: Callable[[str], ReadyWorlds],
) -> None:
    hotel = HotelReservationReplicated()
    cluster = ready_world(hotel, ready_worlds("embedded")).cluster
    advance(cluster, 120.0)
    said = cluster.exec(
        "hotel-reservation", "mongodb-geo-1", ["mongo", "admin", "--quiet", "--eval", WHO_LEADS]
    )
    traffic = hotel.traffic(cluster, 60.0)

    states = sorted(line.split()[1] for line in said.stdout.splitlines())
    assert states == ["PRIMARY", "SECONDARY", "SECONDARY"]
    assert {name for name, seen in traffic.operations.items() if seen.success_rate < 0.99} == set()
    assert traffic.operations


def test_another_size_of_an_application_adds_no_pairs_unless_it_is_asked_for() -> None:
    tier, original = HotelReservationSingle.name, HotelReservationSingle.size_of
    listed = {one.application for one in pairs(["service-selector"])}
    every = {one.application for one in pairs(["service-selector"], whole=True)}
    beside = {one.application for one in pairs(["service-selector"], [original, tier])}
    asked = {one.application for one in pairs(["service-selector"], [tier])}

    assert tier not in listed | every
    assert beside == {original}
    assert asked == {tier}
