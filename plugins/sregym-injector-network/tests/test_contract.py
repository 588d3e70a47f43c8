from __future__ import annotations

from base64 import b64encode
from datetime import UTC, datetime
from typing import Any

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.interfaces import FaultContext
from sregym_core.model import Component, IngressUse, ObjectRef, TargetKind
from sregym_injector_network.plugin import sregym_register_injectors
from sregym_injector_network.pod_paths import PathFault
from sregym_injector_network.selection import ServiceSelectorWide
from sregym_injectors.dates import with_dates
from sregym_testing import FaultCase, FullShop, InjectorContract, MemoryCluster, PluginContract

# Good from 2024 until 2044.
CERTIFICATE = """\
-----BEGIN CERTIFICATE-----
MIIBwjCCAWegAwIBAgIIbSvljwPHGaQwCgYIKoZIzj0EAwIwLjEPMA0GA1UECgwG
SG90ZWxzMRswGQYDVQQDDBJIb3RlbHMgSW50ZXJuYWwgQ0EwHhcNMjQwMTAxMDAw
MDAwWhcNNDQwMTAxMDAwMDAwWjArMQ8wDQYDVQQKDAZIb3RlbHMxGDAWBgNVBAMM
D2hvdGVscy5sb2FkLnN2YzBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABPlW935p
kdRBBN4aVKfZJkQE0lt4GBXpD43yeiMQFqkEqiLEhmoLGuDa6R6udgUY4gYEHhdD
5Ohe4c+fBg7VM/SjcjBwMAwGA1UdEwEB/wQCMAAwDgYDVR0PAQH/BAQDAgeAMBMG
A1UdJQQMMAoGCCsGAQUFBwMBMBoGA1UdEQQTMBGCD2hvdGVscy5sb2FkLnN2YzAf
BgNVHSMEGDAWgBTobRU7YjARe8hG+NUQ4kX7Js6zyDAKBggqhkjOPQQDAgNJADBG
AiEAltSh/TjFgi44z2yAgZdmGNEjIk7HFffE2vhltnExMjACIQCT+aUg8tVBacUE
2blUgIU4XiSk3JPugDVPoj0SODPrIA==
-----END CERTIFICATE-----
"""


class ShopBehindIngress(FullShop):
    """The shop, to whose front an Ingress with a certificate leads."""

    def manifests(self) -> list[Any]:
        """Those of the shop, the Ingress and its Secret."""
        place = {"namespace": "shop"}
        # Clusters in memory begin at no moment in particular.
        always = datetime(1970, 1, 1, tzinfo=UTC), datetime(2044, 1, 1, tzinfo=UTC)
        certificate = with_dates(CERTIFICATE, *always)
        data = {"tls.crt": b64encode(certificate.encode()).decode(), "tls.key": ""}
        service = {"name": "front", "port": {"name": "http"}}
        path = {"path": "/", "pathType": "Prefix", "backend": {"service": service}}
        return [
            *super().manifests(),
            {
                "apiVersion": "v1",
                "kind": "Secret",
                "metadata": {"name": "front-tls", **place},
                "type": "kubernetes.io/tls",
                "data": data,
            },
            {
                "apiVersion": "networking.k8s.io/v1",
                "kind": "Ingress",
                "metadata": {"name": "front", **place},
                "spec": {
                    "ingressClassName": "nginx",
                    "tls": [{"hosts": ["shop.example.com"], "secretName": "front-tls"}],
                    "rules": [{"host": "shop.example.com", "http": {"paths": [path]}}],
                },
            },
        ]

    def components(self) -> tuple[Component, ...]:
        """Those of the shop."""
        ref = ObjectRef(
            api_version="networking.k8s.io/v1", kind="Ingress", namespace="shop", name="front"
        )
        use = IngressUse(ref=ref, hosts=("shop.example.com",), secrets=("front-tls",))
        return tuple(
            part.model_copy(update={"ingresses": (use,)}) if part.name == "front" else part
            for part in super().components()
        )


FAULTS = {registration.name: registration.load()() for registration in sregym_register_injectors()}
INGRESSES = ("ingress-wrong", "certificate")
# Those that need access to nodes: see `test_ways_to_pods`.
WAYS = tuple(name for name, fault in FAULTS.items() if isinstance(fault, PathFault))
CASES = [
    FaultCase(fault, FullShop(), {"cluster": True} if fault.takes == (TargetKind.CLUSTER,) else "catalog")
    for name, fault in FAULTS.items()
    if name not in (*INGRESSES, *WAYS, "service-headless")
]  # fmt: skip
CASES.append(FaultCase(FAULTS["service-headless"], FullShop(), "front"))
CASES += [FaultCase(FAULTS[name], ShopBehindIngress(), "front") for name in INGRESSES]
CASES += [
    FaultCase(FAULTS["ingress-wrong"], ShopBehindIngress(), "front", {"field": field})
    for field in ("port", "host", "path", "class")
]

CASES += [
    FaultCase(FAULTS["proxy-stale"], FullShop(), "catalog", {"mode": m}) for m in ("late", "skew")
]
CASES.append(FaultCase(FAULTS["endpoints-stale"], FullShop(), "catalog-db"))


class TestPlugin(PluginContract):
    distribution = "sregym-injector-network"


class TestFaults(InjectorContract):
    @pytest.fixture(params=CASES, ids=lambda case: f"{case.fault.name}-{case.target}")
    def case(self, request: pytest.FixtureRequest) -> FaultCase:
        return request.param


def test_faults_have_the_names_by_which_they_are_offered():
    assert {name: fault.name for name, fault in FAULTS.items()} == {name: name for name in FAULTS}


def test_faults_of_ingresses_fit_whom_one_leads_to():
    parts = ShopBehindIngress().components()
    for name in INGRESSES:
        assert [part.name for part in parts if FAULTS[name].fits(part)] == ["front"]
        assert FAULTS[name].mismatch_reason(parts[0]) == "no Ingress leads to it"


def test_a_headless_service_that_nobody_would_notice():
    catalog = FullShop().component("catalog")
    assert catalog is not None
    assert FAULTS["service-headless"].mismatch_reason(catalog) == (
        "its Service has a port of the pods' own, which clients find all the same"
    )


def test_what_fits():
    parts = FullShop().components()
    fitting = {
        name: [part.name for part in parts if fault.fits(part)]
        for name, fault in FAULTS.items()
        if fault.takes == (TargetKind.COMPONENT,)
    }
    every = ["catalog", "catalog-db", "front"]
    assert fitting == {
        **dict.fromkeys(
            (
                *("service-port", "service-protocol", "service-external-name", "traffic-policy"),
                *("service-selector-wide", "endpoints-stale", "policy-deny", "policy-peer"),
                *("policy-caller", "policy-port", "dns-name-poisoned", "proxy-stale"),
                *WAYS,
            ),
            every,
        ),
        **{key: [] for key in INGRESSES},
        "service-headless": ["front"],
        **{key: ["catalog", "front"] for key in ("policy-dns", "dns-policy", "host-aliases")},
    }


class ShopWithCaches(FullShop):
    """The shop, two of whose parts are caches."""

    def components(self) -> tuple[Component, ...]:
        """Those of the shop."""
        return tuple(
            part.model_copy(update={"kind": "cache"}) if part.name in ("front", "catalog") else part
            for part in super().components()
        )


def test_whose_pods_a_wide_selector_takes_besides() -> None:
    """Of two caches one only lacks what is looked for in the other, which hurts nobody."""
    fault = ServiceSelectorWide()
    found = []
    for shop in (FullShop(), ShopWithCaches()):
        given = fault.Parameters()
        context = FaultContext(MemoryCluster(), shop, shop.component("front"), given, UndoJournal())
        (name,) = fault.ground_truth(context).contributing
        other = shop.component(name)
        found.append(other is not None and other.kind)
    assert found == ["service", "datastore"]
