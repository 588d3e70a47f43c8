"""Faults in workloads: limits, replicas, images."""

from __future__ import annotations

import pytest
from pydantic import ValidationError
from sregym_core.model import Change, Outcome
from sregym_injector_kubernetes.image_reference import ImageReference, mistyped
from sregym_injector_kubernetes.image_wrong import ImageWrong
from sregym_injector_kubernetes.replicas_zero import ReplicasZero
from sregym_injector_kubernetes.resource_limit import ResourceLimit
from sregym_injectors.workloads import ready_pod
from sregym_testing import FullShop

component = FullShop().component

CATALOG = component("catalog").workload
STORE = component("catalog-db").workload
FRONT = component("front").workload


def container(cluster, ref):
    return cluster.get(ref)["spec"]["template"]["spec"]["containers"][0]


def change(cluster, ref, **fields):
    patch = {"name": container(cluster, ref)["name"], **fields}
    cluster.patch(ref, {"spec": {"template": {"spec": {"containers": [patch]}}}})


def found(fault, context):
    check = fault.present(context)
    return check.outcome, check.got


class TestResourceLimit:
    fault = ResourceLimit()

    def test_limit_and_request_shrink_and_pods_die(self, cluster, at):
        context = at(self.fault, "catalog")
        self.fault.inject(context)
        cluster.clock.advance(60.0)
        assert container(cluster, CATALOG)["resources"] == {
            "requests": {"cpu": "100m", "memory": "10Mi"},
            "limits": {"memory": "10Mi"},
        }
        assert ready_pod(cluster, CATALOG) is None
        assert found(self.fault, context) == (
            Outcome.FAIL,
            "Deployment shop/catalog has a memory limit of 10Mi",
        )
        assert self.fault.ground_truth(context).changed == Change(
            what="containers[name=catalog].resources.limits.memory", before="256Mi", after="10Mi"
        )

    def test_a_request_that_fits_is_left_alone(self, cluster, at):
        self.fault.inject(at(self.fault, "catalog", memory="96Mi"))
        assert container(cluster, CATALOG)["resources"] == {
            "requests": {"cpu": "100m", "memory": "64Mi"},
            "limits": {"memory": "96Mi"},
        }

    @pytest.mark.parametrize(
        ("target", "limit", "parameters", "expected"),
        [
            ("catalog", "256Mi", {}, Outcome.PASS),
            ("catalog", "64Mi", {}, Outcome.PASS),  # the request of the manifest
            ("catalog", "67108864", {}, Outcome.PASS),
            ("catalog", "63Mi", {}, Outcome.FAIL),
            ("catalog", None, {}, Outcome.PASS),
            ("catalog", "64Mi", {"needed_mib": 100}, Outcome.FAIL),
            ("catalog-db", "512Mi", {}, Outcome.PASS),  # no request: the limit of the manifest
            ("catalog-db", "500Mi", {}, Outcome.FAIL),
            ("front", "64Mi", {}, Outcome.PASS),  # neither
            ("front", "60Mi", {}, Outcome.FAIL),
        ],
    )
    def test_repairs(self, cluster, at, target, limit, parameters, expected):
        context = at(self.fault, target, **parameters)
        self.fault.inject(context)
        ref = component(target).workload
        change(cluster, ref, resources={"limits": {"memory": limit}, "requests": {"memory": None}})
        assert self.fault.present(context).outcome == expected

    def test_clients_of_a_store_start_anew_and_those_of_a_service_do_not(self, cluster, at):
        before = cluster.get(FRONT)["metadata"]["generation"]
        self.fault.inject(at(self.fault, "catalog"))
        assert cluster.get(FRONT)["metadata"]["generation"] == before
        before = cluster.get(CATALOG)["metadata"]["generation"]
        self.fault.inject(at(self.fault, "catalog-db"))
        assert cluster.get(CATALOG)["metadata"]["generation"] == before + 1

    def test_reference_fix(self, at):
        assert [str(c) for c in self.fault.reference_fix(at(self.fault, "catalog-db"))] == [
            "kubectl patch deployment/catalog-db -n shop --type=strategic -p "
            """'{"spec": {"template": {"spec": {"containers": [{"name": "mongod", "resources": """
            """{"limits": {"memory": "512Mi"}, "requests": {"memory": null}}}]}}}}'""",
            "kubectl rollout status deployment/catalog-db -n shop --timeout=300s",
            "kubectl rollout restart deployment/catalog -n shop",
            "kubectl rollout status deployment/catalog -n shop --timeout=300s",
        ]

    def test_a_limit_that_is_no_quantity(self):
        with pytest.raises(ValidationError) as caught:
            self.fault.Parameters(memory="little")
        assert caught.value.errors()[0]["msg"] == (
            "Value error, 'little' is no quantity of memory; write it as 64Mi, 1G or a number of "
            "bytes"
        )


class TestReplicasZero:
    fault = ReplicasZero()

    def test_nothing_runs(self, cluster, at):
        context = at(self.fault, "front")
        self.fault.inject(context)
        cluster.clock.advance(1.0)
        assert cluster.list("v1", "Pod", "shop", "app=front") == []
        assert found(self.fault, context) == (
            Outcome.FAIL,
            "Deployment shop/front has spec.replicas 0",
        )

    @pytest.mark.parametrize(
        ("replicas", "expected"), [(1, Outcome.FAIL), (2, Outcome.PASS), (5, Outcome.PASS)]
    )
    def test_repairs(self, cluster, at, replicas, expected):
        context = at(self.fault, "front")
        self.fault.inject(context)
        cluster.patch(FRONT, {"spec": {"replicas": replicas}}, "merge")
        assert self.fault.present(context).outcome == expected

    def test_what_is_said_and_done(self, at):
        context = at(self.fault, "front")
        assert self.fault.ground_truth(context).changed == Change(
            what="spec.replicas", before="2", after="0"
        )
        assert [str(c) for c in self.fault.reference_fix(context)] == [
            "kubectl scale deployment/front -n shop --replicas=2",
            "kubectl rollout status deployment/front -n shop --timeout=300s",
        ]


class TestImageWrong:
    fault = ImageWrong()

    def test_pods_cannot_start(self, cluster, at):
        context = at(self.fault, "catalog")
        self.fault.inject(context)
        cluster.clock.advance(60.0)
        assert container(cluster, CATALOG)["image"] == "shop/catalog:latset"
        assert ready_pod(cluster, CATALOG) is None
        assert found(self.fault, context) == (
            Outcome.FAIL,
            "Deployment shop/catalog has image shop/catalog:latset",
        )
        assert self.fault.ground_truth(context).changed == Change(
            what="containers[name=catalog].image",
            before="shop/catalog:latest",
            after="shop/catalog:latset",
        )

    @pytest.mark.parametrize(
        ("target", "image", "expected"),
        [
            ("catalog", "shop/catalog:latest", Outcome.PASS),
            ("catalog", "shop/catalog", Outcome.PASS),
            ("catalog", "docker.io/shop/catalog:latest", Outcome.PASS),
            ("catalog", "shop/catalog:1.0", Outcome.FAIL),
            ("catalog", "elsewhere.example.com/shop/catalog:latest", Outcome.FAIL),
            ("catalog-db", "docker.io/library/mongo:4.4.6", Outcome.PASS),
            ("catalog-db", "mongo:4.4.7", Outcome.FAIL),
            ("front", "images.example.com:5000/shop/front:latest", Outcome.PASS),
        ],
    )
    def test_repairs(self, cluster, at, target, image, expected):
        context = at(self.fault, target)
        self.fault.inject(context)
        change(cluster, component(target).workload, image=image)
        assert self.fault.present(context).outcome == expected

    def test_a_digest_counts_when_its_pods_are_ready(self, cluster, at):
        context = at(self.fault, "catalog")
        self.fault.inject(context)
        change(cluster, CATALOG, image="shop/catalog@sha256:1234")
        cluster.clock.advance(60.0)
        assert found(self.fault, context) == (
            Outcome.FAIL,
            "Deployment shop/catalog has not rolled out shop/catalog@sha256:1234",
        )
        cluster.programs = None
        cluster.clock.advance(60.0)
        assert self.fault.present(context).outcome == Outcome.PASS

    def test_reference_fix(self, at):
        assert [str(c) for c in self.fault.reference_fix(at(self.fault, "catalog"))] == [
            "kubectl set image deployment/catalog -n shop catalog=shop/catalog:latest",
            "kubectl rollout status deployment/catalog -n shop --timeout=300s",
        ]

    def test_tags_are_checked(self):
        assert self.fault.Parameters(tag="v1.2").tag == "v1.2"
        with pytest.raises(ValidationError):
            self.fault.Parameters(tag="a:b")


@pytest.mark.parametrize("fault", [ResourceLimit(), ReplicasZero(), ImageWrong()])
def test_taking_the_workload_away_is_no_repair(fault, cluster, at):
    context = at(fault, "catalog")
    cluster.patch(CATALOG, {"spec": {"replicas": 0}}, "merge")
    assert found(fault, context) == (
        Outcome.FAIL,
        "Deployment shop/catalog has spec.replicas 0",
    )
    cluster.delete(CATALOG)
    assert found(fault, context) == (Outcome.FAIL, "Deployment shop/catalog does not exist")


def test_another_container_is_no_repair(cluster, at):
    renamed = [{**container(cluster, CATALOG), "name": "other"}]
    cluster.patch(CATALOG, {"spec": {"template": {"spec": {"containers": renamed}}}}, "merge")
    for fault in (ResourceLimit(), ImageWrong()):
        assert found(fault, at(fault, "catalog")) == (
            Outcome.FAIL,
            "Deployment shop/catalog has no container catalog",
        )


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("mongo:4.4.6", ("mongo", "4.4.6", "")),
        ("mongo", ("mongo", "", "")),
        ("registry:5000/a/b", ("registry:5000/a/b", "", "")),
        ("registry:5000/a/b:c@sha256:d", ("registry:5000/a/b", "c", "sha256:d")),
    ],
)
def test_image_references(text, parts):
    reference = ImageReference.parse(text)
    assert (reference.repository, reference.tag, reference.digest) == parts
    assert str(reference) == text


@pytest.mark.parametrize(
    ("tag", "wrong"),
    [
        ("latest", "latset"),
        ("", "latset"),
        ("4.4.6", "4.4.66"),
        ("1.6.7-alpine", "1.6.7-alpnie"),
        ("v3", "v33"),
        ("rc", "rcc"),
        ("aaa", "aaaa"),
    ],
)
def test_mistyped_tags(tag, wrong):
    assert mistyped(tag) == wrong
