from __future__ import annotations

from base64 import b64decode
from typing import Any

import pytest
from sregym_app_deathstarbench.hotel_reservation import HotelReservation
from sregym_core.model import Component, ConfigUse, Container, ObjectRef, Port, VolumeUse


def ref(kind: str, name: str, api_version: str = "v1") -> ObjectRef:
    return ObjectRef(api_version=api_version, kind=kind, namespace="hotel-reservation", name=name)


def test_geo_with_everything_a_fault_may_hold_on_to(hotel: HotelReservation) -> None:
    assert hotel.component("geo") == Component(
        name="geo",
        kind="service",
        namespace="hotel-reservation",
        workload=ref("Deployment", "geo", "apps/v1"),
        containers=(
            Container(
                name="hotel-reserv-geo",
                image="yinfangchen/hotelreservation:latest",
                command=("geo",),
                memory_limit="256Mi",
                env={"JAEGER_SAMPLE_RATIO": "1", "LOG_LEVEL": "INFO"},
                ports=(8083,),
                probes=("readinessProbe",),
            ),
        ),
        container="hotel-reserv-geo",
        image="yinfangchen/hotelreservation:latest",
        command=("geo",),
        memory_limit="256Mi",
        pod_labels={"io.kompose.service": "geo"},
        service=ref("Service", "geo"),
        selector={"io.kompose.service": "geo"},
        ports=(Port(name="grpc", port=8083, target_port=8083, container_port=8083),),
        config=(
            ConfigUse(
                source=ref("ConfigMap", "geo-config"),
                keys=("config.json",),
                path="/go/src/github.com/harlow/go-micro-services/config.json",
                entries={
                    "config.json": ("consulAddress", "jaegerAddress", "GeoPort", "GeoMongoAddress")
                },
            ),
        ),
        env={"JAEGER_SAMPLE_RATIO": "1", "LOG_LEVEL": "INFO"},
        callers=("search",),
        calls=("consul", "jaeger", "mongodb-geo"),
        operations=("hotels",),
        builds={
            "incompatible": "jackcuii/hotel-reservation:latest",
            "leaking": "yinfangchen/hotelreservation:5b7c1e2",
            "buggy": "yinfangchen/geo:app3",
            "skewed": "yinfangchen/hotelreservation:gateway-2",
        },
        registered=True,
        system_calls=("clone", "mmap", "sendmmsg"),
        defaults={"GC": "100", "JAEGER_SAMPLE_RATIO": "0.01"},
        needed=True,
        changed=False,
        millicores=(24.0, 24.0),
    )


def test_mongodb_geo_with_its_volume_and_script(hotel: HotelReservation) -> None:
    store = hotel.component("mongodb-geo")
    assert store is not None

    assert store.volumes == (VolumeUse(claim="geo-pvc", path="/data/db"),)
    assert store.config == (
        ConfigUse(
            source=ref("ConfigMap", "mongo-geo-script"),
            keys=("create-app-user.sh",),
            path="/docker-entrypoint-initdb.d",
        ),
        ConfigUse(
            source=ref("Secret", "mongodb-geo-accounts"),
            keys=("root-username", "root-password", "app-username", "app-password"),
        ),
    )


def test_kinds(hotel: HotelReservation) -> None:
    by_kind: dict[str, list[str]] = {}
    for part in hotel.components():
        by_kind.setdefault(part.kind, []).append(part.name)

    assert by_kind == {
        "registry": ["consul"],
        "service": [
            "frontend",
            "geo",
            "profile",
            "rate",
            "recommendation",
            "reservation",
            "search",
            "user",
        ],
        "load": ["hotel-load"],
        "tracing": ["jaeger"],
        "cache": ["memcached-profile", "memcached-rate", "memcached-reserve"],
        "datastore": [
            "mongodb-geo",
            "mongodb-profile",
            "mongodb-rate",
            "mongodb-recommendation",
            "mongodb-reservation",
            "mongodb-user",
        ],
    }


def test_callers_are_components_and_share_operations(hotel: HotelReservation) -> None:
    for part in hotel.components():
        for caller in part.callers:
            above = hotel.component(caller)
            assert above is not None
            assert part.kind == "tracing" or set(above.operations) & set(part.operations)


@pytest.mark.parametrize("name", ["geo", "rate"])
def test_accounts_are_those_of_the_secret(
    name: str, hotel: HotelReservation, objects: dict[tuple[str, str], dict[str, Any]]
) -> None:
    store = hotel.component(f"mongodb-{name}")
    assert store is not None
    (account,) = store.accounts
    encoded = objects["Secret", f"mongodb-{name}-accounts"]["data"]
    secret = {key: b64decode(value).decode() for key, value in encoded.items()}
    script = objects["ConfigMap", f"mongo-{name}-script"]["data"]["create-app-user.sh"]

    assert (account.user, account.password, account.admin_user, account.admin_password) == (
        secret["app-username"],
        secret["app-password"],
        secret["root-username"],
        secret["root-password"],
    )
    assert f"mongo {account.auth_database} " in script
    assert f"{{role: '{account.role}', db: '{account.database}'}}" in script
    assert account.used_by == (name,)
