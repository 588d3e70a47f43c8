from __future__ import annotations

from dataclasses import replace

import pytest
from sregym_core.errors import WorldError
from sregym_core.model import Check, Outcome
from sregym_injectors.defects import defect_check
from sregym_injectors.manifests import (
    container_ports,
    main_container,
    manifest_of,
    probed_port,
    secret_data,
)
from sregym_injectors.quantities import memory_bytes
from sregym_testing import FullShop

component = FullShop().component


def test_manifest_of_a_component():
    workload = manifest_of(FullShop(), component("catalog").workload)
    assert workload["metadata"] == {"name": "catalog", "namespace": "shop"}
    assert container_ports(workload) == {9091: "metrics", 8083: "grpc"}


def test_no_such_manifest():
    ref = component("catalog").workload.model_copy(update={"name": "absent"})
    with pytest.raises(WorldError) as caught:
        manifest_of(FullShop(), ref)
    assert str(caught.value) == (
        "application 'shop' has no manifest of Deployment shop/absent, but one of its components "
        "names it; its components() and manifests() disagree"
    )


def test_main_container(context):
    assert main_container(context)["image"] == "shop/catalog:latest"
    other = context.component.model_copy(update={"container": "absent"})
    with pytest.raises(WorldError) as caught:
        main_container(replace(context, target=other))
    assert str(caught.value) == (
        "the manifest of Deployment shop/catalog has no container 'absent', but component "
        "'catalog' names it; components() and manifests() of application 'shop' disagree"
    )


@pytest.mark.parametrize(
    ("probe", "port"),
    [
        ({"tcpSocket": {"port": 1}}, 1),
        ({"httpGet": {"path": "/", "port": "http"}}, "http"),
        ({"grpc": {"port": 2}}, 2),
        ({"exec": {"command": ["true"]}}, None),
    ],
)
def test_probed_port(probe, port):
    assert probed_port({"readinessProbe": probe}) == port
    assert probed_port({}) is None


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("64Mi", 67108864),
        ("1G", 10**9),
        ("1.5Gi", 1610612736),
        ("1e3", 1000),
        (17, 17),
        ("2k", 2000),
        ("1Pi", 2**50),
        ("1Ei", 2**60),
        ("2E", 2 * 10**18),
        ("137438953472m", 137438954),
        ("900u", 1),
        (".5Ki", 512),
        ("1e-1", 1),
        ("9E9", 9 * 10**9),
        ("9" * 5000, 2**63 - 1),
        ("-1Ei", -(2**60)),
    ],
)
def test_quantities(text, size):
    assert memory_bytes(text) == size


def test_no_quantity():
    with pytest.raises(ValueError) as caught:
        memory_bytes("much")
    assert str(caught.value) == (
        "'much' is no quantity of memory; write it as 64Mi, 1G or a number of bytes"
    )
    with pytest.raises(ValueError, match=r"^'x{57}\.\.\.' is no quantity of memory; "):
        memory_bytes("x" * 5000)


def test_defect_check():
    assert defect_check("all well", []) == Check(
        name="defect-gone", outcome=Outcome.PASS, expected="all well", got="all well"
    )
    assert defect_check("all well", ["a", "b"]) == Check(
        name="defect-gone", outcome=Outcome.FAIL, expected="all well", got="a; b"
    )


def test_what_a_secret_holds_as_plain_text_is_there_too():
    secret = {"data": {"user": "YWRh", "word": "b2xk"}, "stringData": {"word": "new"}}
    assert secret_data(secret) == {"user": "YWRh", "word": "bmV3"}
    assert secret_data({}) == {}
