"""Faults in the Ingress of a running application whose users come through it, by TLS."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sregym_app_deathstarbench.hotel_reservation.behind_ingress import HotelReservationIngress
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.conductor.journal import UndoJournal
from sregym_core.errors import WorldError
from sregym_core.interfaces import Checkpoint, Cluster, ClusterSpec, FaultContext
from sregym_core.model import Outcome
from sregym_injector_network.certificates import CertificateExpired
from sregym_injector_network.ingresses import IngressWrong
from sregym_injectors.dates import dates, with_dates
from sregym_kubernetes.operations.objects import capture, differences
from sregym_testing import choose_target

APPLICATION = HotelReservationIngress()
SPEC = ClusterSpec(seed=7, applications=(APPLICATION,))
CASES = [
    ("certificate", {}, "connect="),
    ("ingress-wrong", {"service": "recommendation"}, "http 502="),
    ("ingress-wrong", {"field": "port"}, "http 503="),
    ("ingress-wrong", {"field": "host"}, "http 404="),
    ("ingress-wrong", {"field": "path"}, "http 404="),
    ("ingress-wrong", {"field": "class"}, "connect="),  # the certificate goes with the Ingress
]


@pytest.fixture(scope="module")
def healthy() -> Iterator[Checkpoint]:
    cluster = Embedded().provision(SPEC)
    APPLICATION.deploy(cluster)
    assert cluster.clock.wait_until(lambda: not APPLICATION.ready(cluster), 600.0, 2.0)
    cluster.clock.advance(60.0)
    checkpoint = cluster.checkpoint()
    assert checkpoint is not None
    yield checkpoint
    cluster.close()


@pytest.fixture
def live(healthy: Checkpoint) -> Iterator[Cluster]:
    cluster = healthy.fork(SPEC)
    yield cluster
    cluster.close()


def served(cluster: Cluster) -> float:
    cluster.clock.advance(30.0)
    return APPLICATION.traffic(cluster, 20.0).success_rate


@pytest.mark.parametrize(("name", "parameters", "error"), CASES, ids=lambda value: str(value))
def test_users_notice_and_undo_is_exact(
    name: str, parameters: dict[str, object], error: str, live: Cluster
) -> None:
    fault = {one.name: one for one in (CertificateExpired(), IngressWrong())}[name]
    journal, target = UndoJournal(), choose_target(APPLICATION, "frontend", live)
    values = fault.Parameters.model_validate(parameters)
    context = FaultContext(live, APPLICATION, target, values, journal, 7)
    before = capture(live, APPLICATION.namespaces)
    assert served(live) > 0.99

    fault.inject(context)
    assert served(live) == 0.0
    assert fault.present(context).outcome is Outcome.FAIL
    (pod,) = live.list("v1", "Pod", "load", "app=hotel-load")
    assert error in live.logs("load", pod["metadata"]["name"], since_s=15.0)

    journal.undo_objects(live)
    assert list(differences(before, capture(live, APPLICATION.namespaces))) == []
    assert fault.present(context).outcome is Outcome.PASS
    fault.inject(context)
    for command in fault.reference_fix(context):
        assert live.kubectl(command).ok
    assert fault.present(context).outcome is Outcome.PASS
    assert served(live) > 0.99


def test_a_client_goes_by_the_clock_of_its_node(live: Cluster) -> None:
    assert live.nodes is not None
    (pod,) = live.list("v1", "Pod", "load", "app=hotel-load")
    live.nodes.run(pod["spec"]["nodeName"], ("systemctl", "stop", "chrony"))
    live.nodes.run(pod["spec"]["nodeName"], ("date", "-s", "2045-01-01"))
    assert served(live) == 0.0


def test_dates_are_replaced_and_all_else_stays() -> None:
    secret = next(obj for obj in APPLICATION.manifests() if obj.get("type") == "kubernetes.io/tls")
    text = b64decode(secret["data"]["tls.crt"]).decode()
    since, until = datetime(2025, 3, 1, tzinfo=UTC), datetime(2025, 5, 30, 12, tzinfo=UTC)
    changed = with_dates(text, since, until)
    assert dates(changed) == (since, until)
    assert with_dates(changed, *dates(text)) == text
    assert dates(text)[1] - dates(text)[0] > timedelta(days=7000)


def test_what_is_no_certificate() -> None:
    with pytest.raises(WorldError) as caught:
        dates("no PEM")
    assert str(caught.value) == (
        "a certificate was expected, and this is none in PEM: 'no PEM'; the Secret of the Ingress "
        "needs one under tls.crt"
    )
    with pytest.raises(WorldError) as caught:
        dates("-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----")
    assert str(caught.value) == (
        "the certificate in the Secret of the Ingress cannot be read: it is no DER of RFC 5280; put "
        "a whole one under tls.crt"
    )


def test_nobody_else_to_lead_to(live: Cluster) -> None:
    fault = IngressWrong()
    values = fault.Parameters(service="nobody")
    target = choose_target(APPLICATION, "frontend", live)
    context = FaultContext(live, APPLICATION, target, values, UndoJournal(), 7)
    with pytest.raises(WorldError) as caught:
        fault.inject(context)
    assert str(caught.value) == (
        "the Ingress of 'frontend' cannot lead to nobody: namespace 'hotel-reservation' has no such "
        "component with a Service; choose another target or parameter 'service'"
    )
